#include <fmt/format.h>

#include "fem/complement_solver.hpp"
#include "fem/modal_basis.hpp"
#include "fem/mode_choice.hpp"
#include "fem/row_sums.hpp"

namespace kurbel::fem {

using Eigen::Index;

Status NormalBasis::find(const HeldBody& body, const ModeChoice& choice) {
  if (Status s = find_normal(body, body.pencil(), choice); s.failed()) return s;
  return find_attachment_modes(body.pencil(), normal_, body.frame.balanced(body.B_T), body.load_names(),
                               attachment_);
}

Status NormalBasis::count_modes(const HeldBody& body, double limit, int& n) {
  const HeldPencil pencil = body.pencil();
  return count_modes_up_to(limit, pencil, pencil.n_dofs() - pencil.K.n_conditions() - body.B_T.cols(), n);
}

VectorXd NormalBasis::lambda() const {
  VectorXd all(normal_.lambda.size() + attachment_.lambda.size());
  all << normal_.lambda, attachment_.lambda;
  return all;
}

MatrixXd NormalBasis::shapes() const {
  MatrixXd U(normal_.Phi.rows(), normal_.Phi.cols() + attachment_.Psi.cols());
  U << normal_.Phi, attachment_.Psi;
  return U;
}

std::vector<std::string> NormalBasis::names(const ModeChoice& choice) const {
  std::vector<std::string> names;
  for (Index i = 0; i < normal_.lambda.size(); ++i) {
    names.push_back(
        fmt::format("normal {}", choice.list.empty() ? i + 1 : choice.list[static_cast<std::size_t>(i)]));
  }
  for (Index i = 1; i <= attachment_.lambda.size(); ++i) names.push_back(fmt::format("attachment {}", i));
  return names;
}

void NormalBasis::add_stiffness_bar(const MatrixXd& Ke_bar_sum, BasisBar& bar) const {
  bar.add_stiffness(normal_.M_Phi * normal_.lambda.asDiagonal(), Ke_bar_sum, 0);
  bar.add_stiffness(attachment_.K_Psi, Ke_bar_sum, normal_.lambda.size());
}

Status NormalBasis::solve_adjoints(const HeldBody& body, std::vector<BasisBar>& bars,
                                   std::vector<ModeAdjoint>& out) const {
  const Index n = normal_.lambda.size(), n_a = attachment_.lambda.size(), n_f = std::ssize(bars);
  const MatrixXd& D = attachment_.D;
  const Index n_dofs = normal_.Phi.rows();
  MatrixXd Psi_bars(n_dofs, n_f * n_a), X;
  for (Index f = 0; f < n_f; ++f)
    Psi_bars.middleCols(f * n_a, n_a) = bars[static_cast<std::size_t>(f)].U.rightCols(n_a);
  body.pencil().K.solve(Psi_bars, X);
  Psi_bars.resize(0, 0);  // of large bodies, memory is most needed in what follows
  MatrixXd M_X(n_dofs, n_f * n_a);
  body.m.multiply_free(X, M_X);
  ShiftedSystems systems{normal_.lambda.replicate(n_f, 1), VectorXd(n_f * n), MatrixXd(n_dofs, n_f * n)};
  for (Index f = 0; f < n_f; ++f) {
    const BasisBar& bar = bars[static_cast<std::size_t>(f)];
    const auto own_M_X = M_X.middleCols(f * n_a, n_a);
    systems.r.middleCols(f * n, n) = bar.U.leftCols(n) - own_M_X * D.transpose();
    auto size = systems.size.segment(f * n, n);
    size = bar.size.head(n);
    const VectorXd of_U = norms(bar.U.rightCols(n_a)), of_M_X = norms(own_M_X);
    for (Index j = 0; j < n_a; ++j) {  // M X_j has the digits that U_bar_j has
      if (of_U[j] > 0.0) size += bar.size[n + j] / of_U[j] * of_M_X[j] * D.col(j).cwiseAbs();
    }
  }
  M_X.resize(0, 0);
  if (Status s = solve_in_complement(body.pencil(), normal_, systems); s.failed()) return s;
  out.resize(bars.size());
  for (Index f = 0; f < n_f; ++f) {
    ModeAdjoint& adjoint = out[static_cast<std::size_t>(f)];
    adjoint.cg_iterations = systems.iterations;
    adjoint.X = X.middleCols(f * n_a, n_a);
    complete(body, bars[static_cast<std::size_t>(f)], systems.v.middleCols(f * n, n), adjoint);
  }
  return {};
}

void NormalBasis::complete(const HeldBody& body, const BasisBar& bar, MatrixXd v, ModeAdjoint& out) const {
  const Index n = normal_.lambda.size(), n_a = attachment_.lambda.size();
  const MatrixXd &Phi = normal_.Phi, &D = attachment_.D, &T = attachment_.T;
  const auto Psi_bar = bar.U.rightCols(n_a);
  if (!bar.is_exact) {
    // Psi' = (K^-1 B^T - Phi C) T changes with C and T held, not D = Lambda C T, and so within the span by
    // - Phi Lambda^-1 E C T more, E_ij = phi_i^T (dK - lambda_j dM) phi_j. An exact gradient does not feel
    // it; a continuous adjoint errs less with it.
    const VectorXd flexibility = normal_.lambda.cwiseInverse();
    v.noalias() +=
        Phi * (flexibility.asDiagonal() * gram(Phi, Psi_bar) * D.transpose() * flexibility.asDiagonal());
  }
  out.mass = MatrixXd::Zero(v.rows(), n + n_a);
  out.mass.leftCols(n) = v * normal_.lambda.asDiagonal();
  out.mass.leftCols(n) -= out.X * D.transpose();
  out.stiffness.resize(v.rows(), n + n_a);
  out.stiffness << -v, -out.X;
  out.loads = out.X * T.transpose();
  if (!body.frame.is_buckens()) return;
  const MatrixXd& R = body.frame.projection()->R;
  out.relief = gram(R, body.B_T) * T;
  out.mass.rightCols(n_a) = -R * gram(R, Psi_bar);
}

}  // namespace kurbel::fem
