/// @file
/// Numbers of a mechanism that [variables] and [controls] set.
#pragma once

#include <vector>

#include "problem/problem.hpp"

namespace kurbel {

/// Each number is that of a quantity, and those of all that are tied to it: quantity = sign number + offset.
class VariedNumbers {
 public:
  explicit VariedNumbers(const Problem& problem);

  /// The quantity of each number, and those tied to it.
  const std::vector<std::vector<TiedQuantity>>& quantities() const { return quantities_; }
  /// The values that they have in a mechanism.
  VectorXd values(const SystemSpec& spec) const;

 private:
  std::vector<std::vector<TiedQuantity>> quantities_;
};

}  // namespace kurbel
