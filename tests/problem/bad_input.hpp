/// @file
/// What the reader says about a text.
#pragma once

#include "problem/problem.hpp"
#include "tests/input_error.hpp"

namespace kurbel {

/// The message of the error in the text, read as crank.toml.
inline std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return input_error_message([&] { read_problem(TomlDocument::parse(text, "crank.toml", ".", overrides)); });
}

}  // namespace kurbel
