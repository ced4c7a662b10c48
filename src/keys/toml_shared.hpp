/// @file
/// Inner parts of TomlTable.
#pragma once

#include "keys/toml_reader.hpp"

namespace kurbel {

/// Common knowledge of all tables of one reading: the keys that were requested, table by table.
struct TomlTable::Shared {
  struct Known {
    std::set<std::string, std::less<>> requested{};
    const KeyGroup* group = nullptr;  ///< none: of names, or of elements of a list
  };
  const TomlDocument& document;
  std::map<const TomlValue*, Known> tables;

  void check(const TomlValue& table, const std::string& path) const;
};

/// Explains why a key has no meaning in a table: "needs law = "hooke", not "linear"". Empty if the key has no row, or one
/// that applies.
std::string why_without_meaning(const TomlValue& table, const KeyGroup& group, const std::string& key);

}  // namespace kurbel
