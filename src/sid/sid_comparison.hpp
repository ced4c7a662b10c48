/// @file
/// Private to the files that compare members of standard input data with each other.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "sid/sid_identities.hpp"

namespace kurbel {

/// Largest difference relative to the largest entry, or to a bound of it where that is larger: entries that
/// vanish by symmetry are rounding errors. Pairs are collected first, so that they share one scale.
class Comparison {
 public:
  explicit Comparison(std::string name, const SidPrecision& precision = {}, double bound = 0.0)
      : precision_(precision), bound_(bound) {
    identity_.name = std::move(name);
  }

  void add(const MatrixXd& a, const MatrixXd& b) {
    if (a.size() == 0) return;
    difference_ = std::max(difference_, (a - b).cwiseAbs().maxCoeff());
    left_ = std::max(left_, a.cwiseAbs().maxCoeff());
    right_ = std::max(right_, b.cwiseAbs().maxCoeff());
  }

  SidIdentity result() const {
    SidIdentity identity = identity_;
    const double scale = std::max({bound_, left_, right_});
    identity.compares = left_ > 0.0 && right_ > 0.0;
    if (!(scale > 0.0)) return identity;
    identity.violation = difference_ / scale;
    // Each side is the sum of at most two numbers as they were written, or twice one.
    identity.tolerance += 4.0 * (precision_.relative + precision_.absolute / scale);
    return identity;
  }

 private:
  SidIdentity identity_;
  SidPrecision precision_;
  double bound_, difference_ = 0.0, left_ = 0.0, right_ = 0.0;
};

/// A~ b = a x b
inline Matrix3d cross_matrix(const Vector3d& a) {
  Matrix3d m;
  m << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return m;
}

/// The quadratic form w^T A w on the products (w1^2, w2^2, w3^2, w1 w2, w2 w3, w1 w3).
inline Eigen::RowVectorXd quadratic_form(const Matrix3d& A) {
  Eigen::RowVectorXd row(6);
  row << A(0, 0), A(1, 1), A(2, 2), A(0, 1) + A(1, 0), A(1, 2) + A(2, 1), A(0, 2) + A(2, 0);
  return row;
}

}  // namespace kurbel
