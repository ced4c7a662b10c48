#include "problem/varied_numbers.hpp"

namespace kurbel {

VariedNumbers::VariedNumbers(const Problem& problem) {
  for (const DesignVariable& variable : problem.design.variables) {
    const auto* quantity = std::get_if<SystemQuantity>(&variable.quantity);
    if (!quantity) continue;
    quantities_.push_back({{*quantity, variable.sign, variable.offset}});
    quantities_.back().insert(quantities_.back().end(), variable.tied.begin(), variable.tied.end());
  }
}

VectorXd VariedNumbers::values(const SystemSpec& spec) const {
  VectorXd numbers(std::ssize(quantities_));
  for (std::size_t k = 0; k < quantities_.size(); ++k) {
    const auto& [quantity, sign, offset] = quantities_[k].front();
    numbers[static_cast<Eigen::Index>(k)] = sign * (value_of(quantity, spec) - offset);
  }
  return numbers;
}

}  // namespace kurbel
