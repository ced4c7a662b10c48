/// @file
/// Changes of a tree of values.
#pragma once

#include <string>
#include <vector>

#include "keys/toml_document.hpp"

namespace kurbel {

/// The value at the end of a path within one, "bodies.crank.mass"; nullptr if there is none.
const TomlValue* find_at(const TomlValue& root, std::string_view key_path);

/// Gives a value, and all that is in it, this place.
void set_place(TomlValue& value, const TomlPlace& place);

/// Lays the value over what stands at the path, making missing tables on the way.
/// @throws InputError  where the path leads through a value that is no table, or to an element that a list does not have
void set_value(TomlValue& root, const std::vector<std::string>& path, TomlValue value);

}  // namespace kurbel
