/// @file
/// TOML text to TomlValue: what stands between the tree and the library that reads TOML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "problem/toml_document.hpp"

namespace kurbel {

/// The root table of the text, without following includes.
/// @throws InputError "file:line:column: reason" if the text is not TOML, or holds a date or time
TomlValue parse_toml(std::string_view text, const std::string& file);

/// A value and where it goes.
struct Override {
  std::vector<std::string> path;
  TomlValue value;
};

/// Reads "key.path=value"; a value that is not TOML is taken as text unless it opens a bracket, brace or
/// quote.
/// @throws InputError naming the override
Override parse_override(const std::string& text);

/// The text as a TOML string between double quotes.
std::string toml_string(std::string_view text);

}  // namespace kurbel
