/// @file
/// Derivatives of x o exp(xi), on the tangent coordinates that are no vector space.
#pragma once

#include "base/types.hpp"

namespace kurbel {

/// Derivative of x o exp(xi) on three tangent coordinates, of a rotation, or six, of a rigid motion; coordinates
/// without a block are a vector space.
template <class Scalar>
struct RetractionBlock {
  using Derivative = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
  Eigen::Index offset;  ///< first of the tangent coordinates
  Derivative T;         ///< by xi
  Derivative Ad;        ///< by x
  Eigen::Index size() const { return T.rows(); }
};

/// Calls act(D, n) with T or Ad of a block and its size n, known at compile time where it is that of a free
/// body.
template <class Derivative, class Action>
void with_size(const Derivative& D, const Action& act) {
  if (D.rows() == 6) {
    act(D.template topLeftCorner<6, 6>(), Eigen::fix<6>);
  } else {
    act(D, D.rows());
  }
}

}  // namespace kurbel
