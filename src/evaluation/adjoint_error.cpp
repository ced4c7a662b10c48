#include "evaluation/adjoint_error.hpp"

#include <fmt/format.h>

#include "output/log.hpp"

namespace kurbel {

double adjoint_error(const VectorXd& gradient, const VectorXd& discrete, double value) {
  constexpr double small_change = 1e-9;
  const double size =
      std::max({discrete.norm(), small_change * std::abs(value), std::numeric_limits<double>::min()});
  return (gradient - discrete).norm() / size;
}

Status measure_adjoint_errors(EvaluationChain& chain, const DesignSpace& space, const VectorXd& x,
                              ChainResult& at, const std::vector<Design>& bars) {
  using Method = SensitivityOptions::Method;
  at.adjoint_errors.resize(0);
  if (chain.problem().sensitivity.method != Method::continuous_adjoint) return {};
  if (chain.problem().integrator.dense_output) return {};  // steps that have no discrete adjoint
  const ChainTimes times = at.times;
  const double invariance_defect = at.invariance_defect, derivative_bytes = at.derivative_bytes;
  const int cg_iterations = at.cg_iterations;
  std::vector<Design> discrete;
  const bool with_constraints = bars.size() > 1;
  const Status status = chain.gradients(at, with_constraints, Method::discrete_adjoint, discrete);
  at.times = times, at.invariance_defect = invariance_defect, at.cg_iterations = cg_iterations;
  at.derivative_bytes = derivative_bytes;
  if (status) return status;
  at.adjoint_errors.resize(static_cast<Eigen::Index>(bars.size()));
  for (std::size_t j = 0; j < bars.size(); ++j) {
    const auto i = static_cast<Eigen::Index>(j);
    at.adjoint_errors[i] = adjoint_error(space.pullback(x, bars[j]), space.pullback(x, discrete[j]),
                                         j == 0 ? at.psi : at.criteria[i - 1]);
  }
  return {};
}

void report_adjoint_error(const std::string& function, double error) {
  const std::string found =
      fmt::format("the gradient of {} by the continuous adjoint is {:.2g} % off that of the discrete adjoint",
                  function, 100.0 * error);
  if (error <= tolerable_adjoint_error) return log_info(found);
  log_warning(found +
              ", which is exact: the steps do not resolve all that moves; take sensitivity.method = "
              "\"discrete-adjoint\", a smaller integrator.step or more sensitivity.substeps");
}

}  // namespace kurbel
