#include "sensitivity/adjoint_constraints.hpp"

#include <algorithm>
#include <cassert>

#include "integration/increment_rate.hpp"

namespace kurbel {

DifferenceStencil::DifferenceStencil(Eigen::Index k, Eigen::Index n)
    : first(std::clamp<Eigen::Index>(k - 2, 0, n - 5)) {
  constexpr std::array<std::array<double, 5>, 5> times_12 = {{{-25.0, 48.0, -36.0, 16.0, -3.0},
                                                              {-3.0, -10.0, 18.0, -6.0, 1.0},
                                                              {1.0, -8.0, 0.0, 8.0, -1.0},
                                                              {-1.0, 6.0, -18.0, 10.0, 3.0},
                                                              {3.0, -16.0, 36.0, -48.0, 25.0}}};
  assert(n >= 5);
  weights = times_12[static_cast<std::size_t>(k - first)];
  for (double& weight : weights) weight /= 12.0;
}

MatrixXd rates_by_differences(const MatrixXd& time_history, double h) {
  MatrixXd rates = MatrixXd::Zero(time_history.rows(), time_history.cols());
  for (Eigen::Index k = 0; k < time_history.cols(); ++k) {
    const DifferenceStencil stencil(k, time_history.cols());
    for (Eigen::Index i = 0; i < 5; ++i)
      rates.col(k) +=
          (stencil.weights[static_cast<std::size_t>(i)] / h) * time_history.col(stencil.first + i);
  }
  return rates;
}

std::vector<Eigen::Index> instants_looked_at(Eigen::Index n_instants) {
  constexpr Eigen::Index most = 500;
  const Eigen::Index stride = 2 * std::max<Eigen::Index>(1, (n_instants + 2 * most - 1) / (2 * most));
  std::vector<Eigen::Index> instants;
  for (Eigen::Index k = n_instants - 1; k >= 0; k -= stride) instants.push_back(k);
  std::ranges::reverse(instants);
  return instants;
}

VirtualMotion virtual_motion(const SecondOrderDae<double>& model, const DaeInstant<double>& at,
                             const VectorXd& xi, const VectorXd& xi_dot, const VectorXd& xi_ddot) {
  std::vector<RetractionBlock<double>> blocks;
  model.retraction_derivative(at.v, blocks);
  return {xi, xi_dot + bracket<double>(blocks, at.v, xi),
          xi_ddot + bracket<double>(blocks, at.v_dot, xi) + bracket<double>(blocks, at.v, xi_dot)};
}

ConstraintVariations vary_constraints(const SecondOrderDae<double>& model,
                                      SecondOrderDae<double>::Workspace& ws, const DaeInstant<double>& at,
                                      const VirtualMotion& motion) {
  ConstraintDerivatives<double> c;
  model.constraint_derivatives(at, ws, c);
  return {c.C * motion.x, c.c1_x * motion.x + c.C * motion.v,
          c.c2_x * motion.x + c.c2_v * motion.v + c.C * motion.v_dot};
}

MatrixXd imposed_constraints(
    const SecondOrderDae<double>& model, const DaeStateLayout& layout, const Trajectory<double>& trajectory,
    const Costates& costates,
    const std::function<ConstraintVariations(const DaeInstant<double>&, const VirtualMotion&)>& vary,
    const std::vector<Eigen::Index>& place) {
  const Eigen::Index n = trajectory.y.cols();
  const double h = trajectory.span() / static_cast<double>(n - 1);
  std::array<MatrixXd, 3> xi = {costates.xi, {}, {}}, imposed = {costates.F_lambda, {}, {}};
  for (std::size_t level = 1; level < 3; ++level) {
    xi[level] = rates_by_differences(xi[level - 1], h);
    imposed[level] = rates_by_differences(imposed[level - 1], h);
  }
  const std::vector<Eigen::Index> instants = instants_looked_at(n);
  MatrixXd violations(3, std::ssize(instants));
  for (Eigen::Index i = 0; i < violations.cols(); ++i) {
    const Eigen::Index k = instants[static_cast<std::size_t>(i)];
    const DaeInstant<double> at = layout.instant<double>(trajectory.t[k], trajectory.y.col(k));
    ConstraintVariations found =
        vary(at, virtual_motion(model, at, xi[0].col(k), xi[1].col(k), xi[2].col(k)));
    for (std::size_t level = 0; level < 3; ++level) {
      found[level](place) -= imposed[level].col(k);
      const double scale = std::max(xi[level].cwiseAbs().maxCoeff(), 1e-300);
      violations(static_cast<Eigen::Index>(level), i) = found[level].cwiseAbs().maxCoeff() / scale;
    }
  }
  return violations;
}

}  // namespace kurbel
