/// @file
/// Columns of tables: a name, and in which unit.
#pragma once

#include <string>

namespace kurbel {

struct TableColumn {
  std::string name;
  std::string unit{};  ///< empty: none
};

}  // namespace kurbel
