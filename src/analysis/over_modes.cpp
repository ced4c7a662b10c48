#include "analysis/over_modes.hpp"

#include <algorithm>
#include <cmath>

namespace kurbel {

using Eigen::Index;

CriterionValues value_over_modes(const CriterionTerm& term, const VectorXd& f, VectorXd* slopes) {
  const Index first = term.first_mode - 1, n = term.last_mode - term.first_mode + 1;
  const auto counted = f.segment(first, n);
  if (slopes) slopes->setZero(f.size());
  switch (term.over_modes) {
    case ModesFunctional::sum:
      break;
    case ModesFunctional::kreisselmeier_steinhauser: {
      const double k = term.exponent, extreme = k > 0.0 ? counted.maxCoeff() : counted.minCoeff();
      const VectorXd terms = (k * (counted.array() - extreme)).exp();
      if (slopes) slopes->segment(first, n) = terms / terms.sum();
      return {extreme + std::log(terms.mean()) / k, extreme, extreme};
    }
  }
  if (slopes) slopes->segment(first, n).setOnes();
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

std::optional<Index> kink_over_modes(const Spectrum& spectrum, const VectorXd& slopes, double steepest) {
  constexpr double noticeable = 1e-6;
  const Index n = spectrum.f.size();
  for (Index k = 0; k < n; ++k) {
    const double f = spectrum.f[k], next = k + 1 < n ? spectrum.f[k + 1] : spectrum.next;
    const double next_slope = k + 1 < n ? slopes[k + 1] : 0.0;
    const double allowed = noticeable + steepest * std::abs(next - f);
    const bool coincide = next - f <= spectrum.closed_gap * f;
    if (coincide && std::abs(next_slope - slopes[k]) > allowed * slopes.cwiseAbs().maxCoeff()) return k;
  }
  return {};
}

}  // namespace kurbel
