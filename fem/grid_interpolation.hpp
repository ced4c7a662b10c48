/// @file
/// (Multi-)linear interpolation from an element of a coarse grid to one of those within it.
#pragma once

#include <array>

#include "base/types.hpp"
#include "fem/element_kind.hpp"

namespace kurbel::fem {

/// Place of a child in its parent.
inline std::array<int, 3> within(const std::array<int, 3>& factor, std::size_t child) {
  const auto c = static_cast<int>(child);
  return {c % factor[0], c / factor[0] % factor[1], c / factor[0] / factor[1]};
}

/// Interpolation from the corners of a coarse element (columns) to those of one of its children (rows).
/// @param factor  children of the parent along each axis
/// @param within  of the child in its parent, below factor
template <int dim, class Scalar>
auto child_weights(const std::array<int, 3>& factor, const std::array<int, 3>& within) {
  constexpr int corners = 1 << dim;
  Eigen::Matrix<Scalar, corners, corners> weights;
  weights.setOnes();
  for (int a = 0; a < corners; ++a) {
    for (int b = 0; b < corners; ++b) {
      for (std::size_t d = 0; d < dim; ++d) {
        const Scalar t = static_cast<Scalar>(within[d] + corner_ends[static_cast<std::size_t>(a)][d]) /
                         static_cast<Scalar>(factor[d]);
        weights(a, b) *= corner_ends[static_cast<std::size_t>(b)][d] == 1 ? t : Scalar(1) - t;
      }
    }
  }
  return weights;
}

/// P^T k P with the same weights for every direction.
template <int dim, class Matrix, class Weights>
Matrix interpolated(const Matrix& k, const Weights& weights) {
  constexpr int corners = 1 << dim;
  Matrix k_P = Matrix::Zero(), result = Matrix::Zero();
  for (int a = 0; a < corners; ++a) {
    for (int b = 0; b < corners; ++b) {
      if (weights(a, b) == 0) continue;
      k_P.template middleCols<dim>(dim * b) += weights(a, b) * k.template middleCols<dim>(dim * a);
    }
  }
  for (int a = 0; a < corners; ++a) {
    for (int b = 0; b < corners; ++b) {
      if (weights(a, b) == 0) continue;
      result.template middleRows<dim>(dim * b) += weights(a, b) * k_P.template middleRows<dim>(dim * a);
    }
  }
  return result;
}

}  // namespace kurbel::fem
