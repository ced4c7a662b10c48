#include "analysis/equivalent_loads.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "analysis/body_question.hpp"
#include "fem/statics.hpp"

namespace kurbel {

using Eigen::Index;

Status find_equivalent_loads(fem::FlexibleBody& body, const fem::BodyDesign& design,
                             const fem::ReducedBody& reduced, const MatrixXd& q, const VectorXd& weights,
                             EquivalentLoads& out) {
  if (Status s = body.hold(design); s.failed()) return s;
  const MatrixXd Phi = reduced.basis->shapes();
  out.B.resize(Phi.rows(), Phi.cols());
  body.held().pencil().K.multiply(Phi, out.B);
  out.q = q;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(q * weights.asDiagonal() * q.transpose());
  const VectorXd roots = eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt();
  out.F = out.B * eigen.eigenvectors() * roots.asDiagonal();
  return {};
}

double change_of_loads(const EquivalentLoads& now, const EquivalentLoads& before) {
  const MatrixXd own = now.B.transpose() * now.B, others = before.B.transpose() * before.B,
                 mixed = now.B.transpose() * before.B;
  double largest = 0.0, largest_change = 0.0;
  for (Index k = 0; k < now.q.cols(); ++k) {
    const VectorXd q = now.q.col(k), q_before = before.q.col(k);
    const double size = q.dot(own * q);
    const double change = size - 2.0 * q.dot(mixed * q_before) + q_before.dot(others * q_before);
    largest = std::max(largest, size), largest_change = std::max(largest_change, change);
  }
  return largest > 0.0 ? std::sqrt(largest_change / largest) : 0.0;
}

Status add_compliance(fem::FlexibleBody& body, const fem::BodyDesign& design, const MatrixXd& F, double& psi,
                      fem::BodyDesign& bar) {
  if (Status s = body.hold(design); s.failed()) return s;
  MatrixXd U;
  body.held().pencil().K.solve(F, U);
  if (Status s = body.solved(); s.failed()) return s;
  psi += F.cwiseProduct(U).sum();
  const fem::StaticBars bars{U, MatrixXd::Zero(3, U.cols()), U, MatrixXd::Zero(U.rows(), U.cols())};
  add_to_bar(body, design, pull_back_static(body.held(), bars), bar);
  return {};
}

}  // namespace kurbel
