#include "evaluation/criterion_rows.hpp"

#include <cmath>

namespace kurbel {

std::vector<CriterionRow> criterion_rows(const ConstraintOptions& options) {
  std::vector<CriterionRow> rows;
  Eigen::Index equality = 0;
  Eigen::Index inequality =
      options.n_equalities() + options.volume_fraction.has_value() + options.mass.has_value();
  for (std::size_t i = 0; i < options.criteria.size(); ++i) {
    const CriterionConstraint& criterion = options.criteria[i];
    const auto add = [&](const std::optional<double>& bound, double sign, Eigen::Index& row) {
      if (!bound) return;
      const double own = *bound == 0.0 ? 1.0 : std::abs(*bound);
      rows.push_back({i, row++, sign / (criterion.scale > 0.0 ? criterion.scale : own), *bound});
    };
    add(criterion.equals, 1.0, equality);
    add(criterion.upper, 1.0, inequality);
    add(criterion.lower, -1.0, inequality);
  }
  return rows;
}

}  // namespace kurbel
