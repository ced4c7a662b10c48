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

Status CraigBamptonBasis::solve_adjoints(const HeldBody& body, std::vector<BasisBar>& bars,
                                         std::vector<ModeAdjoint>& out) const {
  const Index n = normal_.lambda.size(), n_f = std::ssize(bars), n_dofs = normal_.Phi.rows();
  const Index n_B = modes_.lambda.size() - n;
  MatrixXd Psi_bars(n_dofs, n_f * n_B), X;
  ShiftedSystems systems{normal_.lambda.replicate(n_f, 1), VectorXd(n_f * n), MatrixXd(n_dofs, n_f * n)};
  for (Index f = 0; f < n_f; ++f) {
    const BasisBar& bar = bars[static_cast<std::size_t>(f)];
    const MatrixXd U_bar = bar.U * combination_.Y.transpose();
    Psi_bars.middleCols(f * n_B, n_B) = U_bar.rightCols(n_B);
    systems.r.middleCols(f * n, n) = U_bar.leftCols(n);
    systems.size.segment(f * n, n) = (combination_.Y.cwiseAbs() * bar.size).head(n);
  }
  body.pencil().K.solve(Psi_bars, X);
  if (Status s = solve_in_complement(body.pencil(&interfaces_), normal_, systems); s.failed()) return s;
  const MatrixXd to_basis = combination_.inverse.transpose();  // [Phi, Psi] = U Y^-1
  out.resize(bars.size());
  for (Index f = 0; f < n_f; ++f) {
    ModeAdjoint& adjoint = out[static_cast<std::size_t>(f)];
    adjoint.cg_iterations = systems.iterations;
    adjoint.X = X.middleCols(f * n_B, n_B);
    const auto v = systems.v.middleCols(f * n, n);
    MatrixXd mass = MatrixXd::Zero(n_dofs, n + n_B), stiffness(n_dofs, n + n_B);
    mass.leftCols(n) = v * normal_.lambda.asDiagonal();
    stiffness << -v, -adjoint.X;
    adjoint.mass = mass * to_basis;
    adjoint.stiffness = stiffness * to_basis;
  }
  return {};
}

}  // namespace kurbel::fem
