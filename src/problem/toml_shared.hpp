/// @file
/// Inner parts of TomlTable.
#pragma once

#include "problem/toml_reader.hpp"

namespace kurbel {

/// Common knowledge of all tables of one reading: the keys that were requested, table by table.
struct TomlTable::Shared {
  const TomlDocument& document;
  std::map<const TomlValue*, std::set<std::string, std::less<>>> requested;

  void check(const TomlValue& table, const std::string& path) const;
};

}  // namespace kurbel
