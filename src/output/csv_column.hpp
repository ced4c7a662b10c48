/// @file
/// Columns of tables as text (.csv): a name, and in which unit.
#pragma once

#include <string>

namespace kurbel {

struct CsvColumn {
  std::string name;
  std::string unit{};  ///< empty: none

  /// "mass [kg]"; quoted if it has a comma, quote or line break (RFC 4180).
  std::string title() const;
};

}  // namespace kurbel
