#include "evaluation/adjoint_error.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kurbel {

namespace {

/// A change of a function, or what counts as the least that is one.
double size_of_change(double change, double value) {
  constexpr double small_change = 1e-9;
  return std::max({change, small_change * std::abs(value), std::numeric_limits<double>::min()});
}

/// Share of its range by which a variable moves on either side.
constexpr double share = 1e-4;

/// Upper - lower; of what is unbounded, its size or 1.
VectorXd ranges(const DesignSpace& space, const VectorXd& x) {
  VectorXd range = space.upper() - space.lower();
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if (!std::isfinite(range[i])) range[i] = std::max(1.0, std::abs(x[i]));
  }
  return range;
}

/// In ranges: entries in [-1, 1) without order of the variables with room on both sides, zeros of the others.
VectorXd inner_direction(const DesignSpace& space, const VectorXd& x, const VectorXd& range) {
  constexpr double golden = 0.6180339887498949;
  VectorXd direction = VectorXd::Zero(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double room = std::min(space.upper()[i] - x[i], x[i] - space.lower()[i]);
    const double turns = golden * static_cast<double>(i + 1);
    if (room > share * range[i]) direction[i] = 2.0 * (turns - std::floor(turns)) - 1.0;
  }
  return direction;
}

/// For steps without a discrete adjoint: |g.d - difference| of a direction d, relative to what |g| lets one expect of
/// |g.d|. Not measured where no variable has room, or where no motion is found beside x.
void measure_along_direction(EvaluationChain& chain, const DesignSpace& space, const VectorXd& x,
                             ChainResult& at, const std::vector<Design>& bars) {
  const VectorXd range = ranges(space, x), entries = inner_direction(space, x, range);
  if (entries.isZero(0.0)) {
    at.adjoint_not_measured = "all variables are at a bound";
    return;
  }
  const VectorXd direction = range.cwiseProduct(entries);
  const double mean_entry = entries.norm() / std::sqrt(static_cast<double>((entries.array() != 0.0).count()));
  VectorXd difference = VectorXd::Zero(static_cast<Eigen::Index>(bars.size()));
  for (const double side : {1.0, -1.0}) {
    ChainResult beside;
    if (chain.reduce(space.at(x + side * share * direction), beside).failed() ||
        chain.simulate(beside).failed()) {
      at.adjoint_not_measured = "no motion is found next to this design";
      return;
    }
    const double weight = side / (2.0 * share);
    difference[0] += weight * beside.psi;
    for (Eigen::Index j = 1; j < difference.size(); ++j) difference[j] += weight * beside.criteria[j - 1];
  }
  at.adjoint_errors.resize(difference.size());
  for (Eigen::Index j = 0; j < difference.size(); ++j) {
    const VectorXd gradient = space.pullback(x, bars[static_cast<std::size_t>(j)]);
    const double typical = gradient.cwiseProduct(range).norm() * mean_entry;
    at.adjoint_errors[j] = std::abs(gradient.dot(direction) - difference[j]) /
                           size_of_change(typical, j == 0 ? at.psi : at.criteria[j - 1]);
  }
}

}  // namespace

double adjoint_error(const VectorXd& gradient, const VectorXd& discrete, double value) {
  return (gradient - discrete).norm() / size_of_change(discrete.norm(), value);
}

Status measure_adjoint_errors(EvaluationChain& chain, const DesignSpace& space, const VectorXd& x,
                              ChainResult& at, const std::vector<Design>& bars) {
  using Method = SensitivityOptions::Method;
  at.adjoint_errors.resize(0), at.adjoint_not_measured.clear();
  if (chain.problem().sensitivity.method != Method::continuous_adjoint) return {};
  if (chain.problem().integrator.dense_output) {
    measure_along_direction(chain, space, x, at, bars);
    return {};
  }
  const ChainTimes times = at.times;
  const double invariance_defect = at.invariance_defect, derivative_bytes = at.derivative_bytes;
  const int cg_iterations = at.cg_iterations;
  std::vector<Design> discrete;
  const bool with_constraints = bars.size() > 1;
  Status status = chain.gradients(at, with_constraints, Method::discrete_adjoint, discrete);
  at.times = times, at.invariance_defect = invariance_defect, at.cg_iterations = cg_iterations;
  at.derivative_bytes = derivative_bytes;
  if (status.failed()) return status;
  at.adjoint_errors.resize(static_cast<Eigen::Index>(bars.size()));
  for (std::size_t j = 0; j < bars.size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    at.adjoint_errors[i] = adjoint_error(space.pullback(x, bars[j]), space.pullback(x, discrete[j]),
                                         j == 0 ? at.psi : at.criteria[i - 1]);
  }
  return {};
}

AdjointErrorText describe_adjoint_error(const std::string& function, double error,
                                        const IntegratorOptions& integrator) {
  const bool dense = integrator.dense_output;
  const std::string found =
      fmt::format("the gradient of {} by the continuous adjoint is {:.2g} % off {}", function, 100.0 * error,
                  dense ? "a central difference along one direction" : "that of the discrete adjoint");
  if (error <= tolerable_adjoint_error) return {found, true};
  return {
      found + (dense
                   ? ": the motion between the instants of the output is not accurate enough for it; take a "
                     "smaller integrator.step or integrator.tolerance, or no dense_output"
                   : ", which is exact: the steps do not resolve all that moves; take sensitivity.method = "
                     "\"discrete-adjoint\", a smaller integrator.step or more sensitivity.substeps"),
      false};
}

}  // namespace kurbel
