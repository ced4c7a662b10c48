#include "optimizers/lagrangian_curvature.hpp"

#include <Eigen/LU>
#include <algorithm>

namespace kurbel {
namespace {

using Eigen::Index;

constexpr double least_curvature = 0.2;  // y^T s, relative to that of B

/// Appends a column, without the first one if there are as many as are kept.
void append(MatrixXd& columns, const VectorXd& next) {
  const Index kept = std::min(columns.cols(), LagrangianCurvature::memory - 1);
  MatrixXd all(next.size(), kept + 1);
  all << columns.rightCols(kept), next;
  columns = std::move(all);
}

}  // namespace

void LagrangianCurvature::add(const VectorXd& s, const VectorXd& y) {
  const double length = s.squaredNorm();
  if (!(length > 0.0)) return;
  VectorXd damped = y;
  double product = s.dot(y);
  if (empty()) {
    if (!(product > 0.0)) return;
    S_.resize(s.size(), 0), Y_ = S_;
  } else {
    const VectorXd Bs = times(s);
    const double expected = s.dot(Bs);
    if (product < least_curvature * expected) {
      const double share = (1.0 - least_curvature) * expected / (expected - product);
      damped = share * y + (1.0 - share) * Bs;
      product = s.dot(damped);
    }
  }
  append(S_, s), append(Y_, damped);
  theta_ = damped.squaredNorm() / product;
  const Index k = S_.cols();
  const MatrixXd SY = S_.transpose() * Y_;
  W_.resize(s.size(), 2 * k);
  W_ << Y_, theta_ * S_;
  const MatrixXd L = SY.triangularView<Eigen::StrictlyLower>();
  N_.resize(2 * k, 2 * k);
  N_ << MatrixXd((-SY.diagonal()).asDiagonal()), L.transpose(), L, theta_ * (S_.transpose() * S_);
}

VectorXd LagrangianCurvature::times(const VectorXd& d) const {
  return theta_ * d - W_ * N_.partialPivLu().solve(W_.transpose() * d);
}

MatrixXd LagrangianCurvature::solve(const VectorXd& a, const MatrixXd& R) const {
  const VectorXd inverse = (a.array() + theta_).inverse();
  const MatrixXd scaled_W = inverse.asDiagonal() * W_;
  const MatrixXd scaled_R = inverse.asDiagonal() * R;
  return scaled_R +
         scaled_W * (N_ - W_.transpose() * scaled_W).partialPivLu().solve(W_.transpose() * scaled_R);
}

}  // namespace kurbel
