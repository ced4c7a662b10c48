/// @file
/// Changes of a tree of values.
#pragma once

#include <string>
#include <vector>

#include "problem/toml_document.hpp"

namespace kurbel {

/// Lays the value over what stands at the path, making missing tables on the way.
/// @throws InputError  where the path leads through a value that is no table, or to an element that a list does not have
void set_value(TomlValue& root, const std::vector<std::string>& path, TomlValue value);

}  // namespace kurbel
