/// @file
/// What [variables] and [controls] set of a mechanism.
#pragma once

#include <vector>

#include "natural_coordinates/absolute_assembly.hpp"
#include "problem/problem.hpp"

namespace kurbel {

/// Each number is that of a quantity, and those of all that are tied to it: quantity = sign number + offset.
class VariedNumbers {
 public:
  explicit VariedNumbers(const Problem& problem);

  /// By number, its quantity and those tied to it.
  const std::vector<std::vector<TiedQuantity>>& quantities() const { return quantities_; }
  /// As they are in a mechanism.
  VectorXd values(const SystemSpec& spec) const;

 private:
  std::vector<std::vector<TiedQuantity>> quantities_;
};

/// Those of all variables but nodes of controls, each of them once; an entry of xi per variable, in their order.
std::vector<absolute::VariedQuantity> varied_quantities(const Problem& problem);

}  // namespace kurbel
