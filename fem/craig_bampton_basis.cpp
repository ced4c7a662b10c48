#include <fmt/format.h>

#include "fem/complement_solver.hpp"
#include "fem/modal_basis.hpp"
#include "fem/mode_choice.hpp"

namespace kurbel::fem {

using Eigen::Index;

Status CraigBamptonBasis::hold(const HeldBody& body) {
  return hold_interfaces(body.flexibility(), body.frame.balanced(body.B_T), body.load_names(), interfaces_);
}

Status CraigBamptonBasis::find(const HeldBody& body, const ModeChoice& choice) {
  if (Status failure = hold(body)) return failure;
  if (Status failure = find_normal(body, body.flexibility(&interfaces_), choice)) return failure;
  return find_craig_bampton_modes(body.m, normal_, interfaces_, modes_, combination_);
}

Status CraigBamptonBasis::count_modes(const HeldBody& body, double limit, int& n) {
  if (Status failure = hold(body)) return failure;
  const Flexibility G = body.flexibility(&interfaces_);
  const Index n_unknowns = body.assembly.n_free_dofs();
  return count_modes_up_to(limit, G, body.m, n_unknowns, n_unknowns - G.n_conditions(), n);
}

std::vector<std::string> CraigBamptonBasis::names(const ModeChoice&) const {
  std::vector<std::string> names;
  for (Index i = 1; i <= modes_.lambda.size(); ++i) names.push_back(fmt::format("Craig-Bampton {}", i));
  return names;
}

void CraigBamptonBasis::add_stiffness_bar(const MatrixXd& Ke_bar_sum, BasisBar& bar) const {
  bar.add_stiffness(modes_.K_U, Ke_bar_sum, 0);
}

Status CraigBamptonBasis::solve_adjoint(const HeldBody& body, BasisBar bar, bool, ModeAdjoint& out) const {
  const Index n = normal_.lambda.size(), n_B = bar.U.cols() - n;
  MatrixXd U_bar = bar.U * combination_.Y.transpose();
  const VectorXd size = (combination_.Y.cwiseAbs() * bar.size).head(n);
  body.flexibility().solve(U_bar.rightCols(n_B), out.X);
  U_bar.conservativeResize(Eigen::NoChange, n);
  MatrixXd v;
  if (Status failure = solve_in_complement(body.flexibility(&interfaces_), body.m, normal_,
                                           {normal_.lambda, size}, U_bar, v, out.cg_iterations)) {
    return failure;
  }
  const MatrixXd to_basis = combination_.inverse.transpose();  // [Phi, Psi] = U Y^-1
  MatrixXd mass = MatrixXd::Zero(v.rows(), n + n_B), stiffness(v.rows(), n + n_B);
  mass.leftCols(n) = v * normal_.lambda.asDiagonal();
  stiffness << -v, -out.X;
  out.mass = mass * to_basis;
  out.stiffness = stiffness * to_basis;
  return {};
}

}  // namespace kurbel::fem
