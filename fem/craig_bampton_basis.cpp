#include <fmt/format.h>

#include "fem/complement_solver.hpp"
#include "fem/modal_basis.hpp"
#include "fem/mode_choice.hpp"

namespace kurbel::fem {

using Eigen::Index;

Status CraigBamptonBasis::hold(const HeldBody& body) {
  return hold_interfaces(body.pencil().K, body.frame.balanced(body.B_T), body.load_names(), interfaces_);
}

Status CraigBamptonBasis::find(const HeldBody& body, const ModeChoice& choice) {
  if (Status s = hold(body); s.failed()) return s;
  if (Status s = find_normal(body, body.pencil(&interfaces_), choice); s.failed()) return s;
  return find_craig_bampton_modes(body.m, normal_, interfaces_, modes_, combination_);
}

Status CraigBamptonBasis::count_modes(const HeldBody& body, double limit, int& n) {
  if (Status s = hold(body); s.failed()) return s;
  const HeldPencil pencil = body.pencil(&interfaces_);
  return count_modes_up_to(limit, pencil, pencil.n_dofs() - pencil.K.n_conditions(), n);
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
  body.pencil().K.solve(U_bar.rightCols(n_B), out.X);
  U_bar.conservativeResize(Eigen::NoChange, n);
  ShiftedSystems systems{normal_.lambda, size, std::move(U_bar)};
  if (Status s = solve_in_complement(body.pencil(&interfaces_), normal_, systems); s.failed()) return s;
  out.cg_iterations = systems.iterations;
  const MatrixXd& v = systems.v;
  const MatrixXd to_basis = combination_.inverse.transpose();  // [Phi, Psi] = U Y^-1
  MatrixXd mass = MatrixXd::Zero(v.rows(), n + n_B), stiffness(v.rows(), n + n_B);
  mass.leftCols(n) = v * normal_.lambda.asDiagonal();
  stiffness << -v, -out.X;
  out.mass = mass * to_basis;
  out.stiffness = stiffness * to_basis;
  return {};
}

}  // namespace kurbel::fem
