/// @file
/// Functions of time where there is none.
#pragma once

#include <string>

#include "problem/toml_reader.hpp"

namespace kurbel {

/// Refuses a function of time, or a vector with one among its components, as the value of a key.
/// @throws InputError with the place of the key or component, and the message
inline void refuse_functions_of_time(const TomlTable& table, const std::string& key,
                                     const std::string& message) {
  if (!table.has(key)) return;
  if (table.is_table(key)) table.refuse(key, message);
  if (!table.is_list(key)) return;
  const TomlTable components = table.list(key);
  for (const char* component : {"0", "1", "2"}) {
    if (components.is_table(component)) components.refuse(component, message);
  }
}

}  // namespace kurbel
