#include "evaluation/constraint_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace kurbel {

std::string name_of_member_bound(const ProblemBody& body) {
  return body.name + ".excess_of_members";
}

std::vector<DistortionBound> distortion_bounds(const Problem& problem) {
  std::vector<DistortionBound> bounds;
  for (const DesignVariable& variable : problem.design.variables) {
    const auto* quantity = std::get_if<ElementQuantity>(&variable.quantity);
    if (quantity && quantity->surface.distortion)
      bounds.push_back({quantity->body, problem.bodies[quantity->body].name + ".distortion",
                        *quantity->surface.distortion});
  }
  return bounds;
}

double scale_of(const CriterionConstraint& function, double bound) {
  if (function.scale > 0.0) return function.scale;
  return bound == 0.0 ? 1.0 : std::abs(bound);
}

ConstraintRows::ConstraintRows(const EvaluationChain& chain, Designs designs) : designs_(designs) {
  using Of = ConstraintRow::Of;
  std::vector<ConstraintRow> inequalities;
  const auto add_bound = [&](Of of, const char* name, const std::optional<double>& bound) {
    if (bound) inequalities.push_back({of, name, 0, -1, *bound, 1.0 / *bound});
  };
  const ConstraintOptions& constraints = chain.problem().constraints;
  add_bound(Of::volume_fraction, "volume_fraction", constraints.volume_fraction);
  add_bound(Of::mass, "mass", constraints.mass);
  const std::vector<ProblemBody>& bodies = chain.problem().bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    constexpr double bound = fem::LargestMembers::most_excess;
    if (bodies[i].flexible.manufacturing.maximum_member)
      inequalities.push_back(
          {Of::excess_of_members, name_of_member_bound(bodies[i]), i, -1, bound, 1.0 / bound});
  }
  for (const auto& [body, name, bound] : distortion_bounds(chain.problem()))
    inequalities.push_back({Of::distortion, name, body, -1, bound, 1.0 / bound});
  const std::vector<std::size_t>& requested = chain.requested().functions;
  for (std::size_t j = 0; j < requested.size(); ++j) {
    const CriterionConstraint& function = chain.function(j);
    const auto add = [&](std::vector<ConstraintRow>& to, const std::optional<double>& bound, double sign) {
      if (!bound) return;
      to.push_back({Of::motion, function.label(), requested[j], static_cast<Eigen::Index>(j), *bound,
                    sign / scale_of(function, *bound)});
    };
    const auto add_of_designs = [&](const std::optional<double>& bound, double sign) {
      add(inequalities, bound, sign);
      if (!bound || !are_robust()) return;
      for (const auto& [design, name] :
           {std::pair(DesignOf::eroded, "eroded"), {DesignOf::dilated, "dilated"}}) {
        add(inequalities, bound, sign);
        inequalities.back().design = design;
        inequalities.back().name += fmt::format(" ({})", name);
      }
    };
    add(rows_, function.equals, 1.0);
    add_of_designs(function.upper, 1.0);
    add_of_designs(function.lower, -1.0);
  }
  n_equalities_ = size();
  rows_.insert(rows_.end(), inequalities.begin(), inequalities.end());
}

void ConstraintRows::add_grey_level(double bound) {
  rows_.push_back({ConstraintRow::Of::grey_level, "grey_level", 0, -1, bound, 1.0 / bound});
}

VectorXd ConstraintRows::values(const DesignSpace& space, const ChainResult& result) const {
  VectorXd values(size());
  for (Eigen::Index i = 0; i < size(); ++i) {
    const ConstraintRow& row = (*this)[i];
    switch (row.of) {
      case ConstraintRow::Of::motion:
        values[i] = row.factor * (result.criteria[row.requested] - row.bound);
        break;
      case ConstraintRow::Of::volume_fraction:
        values[i] = space.volume_fraction(result.design) / row.bound - 1.0;
        break;
      case ConstraintRow::Of::mass:
        values[i] = space.mass(result.design) / row.bound - 1.0;
        break;
      case ConstraintRow::Of::excess_of_members:
        values[i] = space.excess_of_members(result.design, row.function) / row.bound - 1.0;
        break;
      case ConstraintRow::Of::distortion:
        values[i] = space.distortion(result.design, row.function) / row.bound - 1.0;
        break;
      case ConstraintRow::Of::grey_level:
        values[i] = space.grey_level(result.design) / row.bound - 1.0;
        break;
    }
  }
  return values;
}

MatrixXd ConstraintRows::gradients(const DesignSpace& space, const VectorXd& x, const Design& design,
                                   const std::vector<Design>& bars, double shift) const {
  std::vector<VectorXd> of_functions;
  for (std::size_t j = 1; j < bars.size(); ++j)
    of_functions.push_back(space.search_gradient(x, bars[j], shift));
  MatrixXd gradients(size(), space.n_variables());
  for (Eigen::Index i = 0; i < size(); ++i) {
    const ConstraintRow& row = (*this)[i];
    switch (row.of) {
      case ConstraintRow::Of::motion:
        gradients.row(i) = row.factor * of_functions[static_cast<std::size_t>(row.requested)].transpose();
        break;
      case ConstraintRow::Of::volume_fraction:
        gradients.row(i) =
            space.pullback(x, space.volume_fraction_bar(design), shift).transpose() / row.bound;
        break;
      case ConstraintRow::Of::mass:
        gradients.row(i) = space.pullback(x, space.mass_bar(design), shift).transpose() / row.bound;
        break;
      case ConstraintRow::Of::excess_of_members:
        gradients.row(i) =
            space.pullback(x, space.excess_of_members_bar(design, row.function), shift).transpose() /
            row.bound;
        break;
      case ConstraintRow::Of::distortion:
        gradients.row(i) =
            space.pullback(x, space.distortion_bar(design, row.function), shift).transpose() / row.bound;
        break;
      case ConstraintRow::Of::grey_level:
        gradients.row(i) = space.pullback(x, space.grey_level_bar(design), shift).transpose() / row.bound;
        break;
    }
  }
  return gradients;
}

Eigen::Index ConstraintRows::worst_row(const VectorXd& values) const {
  VectorXd violations = values;
  violations.head(n_equalities_) = values.head(n_equalities_).cwiseAbs();
  Eigen::Index worst = 0;
  violations.maxCoeff(&worst);
  return worst;
}

std::string ConstraintRows::worst(const VectorXd& values) const {
  const Eigen::Index row = worst_row(values);
  const double miss = row < n_equalities_ ? std::abs(values[row]) : values[row];
  return fmt::format("{} misses by {:.3g}", (*this)[row].name, miss);
}

}  // namespace kurbel
