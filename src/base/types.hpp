/// @file
/// Linear-algebra vocabulary shared by every module.
#pragma once

#include <Eigen/Dense>
#include <Eigen/SparseCore>
#include <complex>
#include <type_traits>

#include "base/factorizations.hpp"

namespace kurbel {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

template <class Scalar>
using Vector2 = Eigen::Matrix<Scalar, 2, 1>;
template <class Scalar>
using Matrix2 = Eigen::Matrix<Scalar, 2, 2>;
template <class Scalar>
using Vector3 = Eigen::Matrix<Scalar, 3, 1>;
template <class Scalar>
using Matrix3 = Eigen::Matrix<Scalar, 3, 3>;
template <class Scalar>
using Vector6 = Eigen::Matrix<Scalar, 6, 1>;
template <class Scalar>
using Matrix6 = Eigen::Matrix<Scalar, 6, 6>;
template <class Scalar>
using VectorX = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
template <class Scalar>
using MatrixX = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

using SparseMatrix = Eigen::SparseMatrix<double>;
using Complex = std::complex<double>;

/// The real part, by which decisions are made if a complex step carries derivatives in the imaginary parts.
template <class Scalar>
MatrixXd real_matrix(const MatrixX<Scalar>& m) {
  if constexpr (std::is_same_v<Scalar, double>) {
    return m;
  } else {
    return m.real();
  }
}

template <class Scalar>
double real_part(const Scalar& s) {
  if constexpr (std::is_same_v<Scalar, double>) {
    return s;
  } else {
    return s.real();
  }
}

}  // namespace kurbel
