/// @file
/// Tables of the variables of an optimizer, by name, and of gradients by them.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"
#include "results/table_column.hpp"

namespace kurbel {

/// Names, bounds, values and units of some variables; all of one length.
struct VariableTable {
  std::vector<std::string> names;
  VectorXd value, lower, upper;
  std::vector<std::string> units;  ///< "" of plain numbers
};

/// d psi / d variable of a function psi, whose unit stands over its column; each row divides it by that of its
/// variable.
struct GradientColumn {
  TableColumn column;
  VectorXd values;
};

}  // namespace kurbel
