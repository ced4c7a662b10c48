#include "analysis/over_modes.hpp"

#include <algorithm>
#include <cmath>

namespace kurbel {

CriterionValues value_over_modes(const CriterionTerm& term, const VectorXd& f, VectorXd* slopes) {
  const auto counted = f.segment(term.first_mode - 1, term.last_mode - term.first_mode + 1);
  switch (term.over_modes) {
    case ModesFunctional::sum:
      break;
    case ModesFunctional::kreisselmeier_steinhauser: {
      const double k = term.exponent, extreme = k > 0.0 ? counted.maxCoeff() : counted.minCoeff();
      const VectorXd terms = (k * (counted.array() - extreme)).exp();
      if (slopes) *slopes = terms / terms.sum();
      return {extreme + std::log(terms.mean()) / k, extreme, extreme};
    }
  }
  if (slopes) slopes->setOnes(counted.size());
  const double sum = counted.sum();
  return {sum, sum, sum};
}

double steepest_over_modes(const std::vector<CriterionTerm>& terms) {
  double steepest = 0.0;
  for (const CriterionTerm& term : terms) {
    if (term.over_modes == ModesFunctional::kreisselmeier_steinhauser)
      steepest = std::max(steepest, std::abs(term.exponent));
  }
  return steepest;
}

}  // namespace kurbel
