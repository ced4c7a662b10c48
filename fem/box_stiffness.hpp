/// @file
/// The stiffness of a rectangular element in coordinates in which it falls into small blocks.
///
/// A rectangle or box of isotropic material is the same after a reflection along any of its axes. A field at its corners
/// is a sum of patterns,
///
///     u_d(corner b) = sum over s of (-1)^(s . b) u^_{s,d},    s, b: a bit for every axis,
///
/// each even or odd along every axis; and along axis d a displacement in direction d changes its sign besides. So only
/// those couple that agree in t = s xor 2^d: there are as many blocks as corners, dim x dim each. With the sums and
/// differences that make the patterns, a product by k takes about a third of the operations.
#pragma once

#include <array>
#include <cstddef>

#include "base/types.hpp"
#include "fem/element_kind.hpp"

namespace kurbel::fem {

/// The number of a corner of element_kind.hpp by its bits: the first for x, then y, then z.
template <int dim>
constexpr std::array<std::size_t, 1 << dim> corner_of_bits() {
  std::array<std::size_t, 1 << dim> corner{};
  for (std::size_t a = 0; a < corner.size(); ++a) {
    std::size_t bits = 0;
    for (std::size_t d = 0; d < dim; ++d) bits += static_cast<std::size_t>(corner_ends[a][d]) << d;
    corner[bits] = a;
  }
  return corner;
}

/// Replaces numbers by bits of corners with their sums and differences: x_s = sum over b of (-1)^(s . b) x_b.
template <int dim, class Number>
inline void transform_corners(std::array<Number, 1 << dim>& x) {
  for (std::size_t step = 1; step < x.size(); step *= 2) {
    for (std::size_t b = 0; b < x.size(); ++b) {
      if ((b & step) != 0) continue;
      const Number sum = x[b] + x[b + step];
      x[b + step] = x[b] - x[b + step];
      x[b] = sum;
    }
  }
}

template <int dim, class Scalar>
class BoxStiffness {
 public:
  static constexpr std::size_t corners = std::size_t{1} << dim;
  static constexpr std::size_t dofs = corners * dim;

  BoxStiffness() = default;
  /// @param k  dofs x dofs, of a box; what does not agree with its symmetry is rounding, and is left out
  explicit BoxStiffness(const MatrixXd& k) {
    const MatrixXd patterns = this->patterns();
    const double scale = 1.0 / static_cast<double>(corners * corners);
    const MatrixXd all = scale * (patterns.transpose() * k * patterns);
    for (std::size_t t = 0; t < corners; ++t) {
      for (std::size_t d = 0; d < dim; ++d) {
        for (std::size_t c = 0; c < dim; ++c) {
          const Eigen::Index row = place(t, d), column = place(t, c);
          const bool is_rigid = row < dim || column < dim;  // a translation has no force
          blocks_[t][d * dim + c] =
              is_rigid ? Scalar(0) : static_cast<Scalar>(0.5 * (all(row, column) + all(column, row)));
        }
      }
    }
  }

  /// y = k x in place: x[d][b], direction d at the corner with the bits b.
  template <class Number>
  void multiply(std::array<std::array<Number, corners>, dim>& x) const {
    for (auto& of_direction : x) transform_corners<dim>(of_direction);
    for (std::size_t t = 0; t < corners; ++t) {
      const auto& block = blocks_[t];
      std::array<Number, dim> own;
      for (std::size_t d = 0; d < dim; ++d) own[d] = x[d][t ^ (std::size_t{1} << d)];
      for (std::size_t d = 0; d < dim; ++d) {
        Number sum = block[d * dim] * own[0];
        for (std::size_t c = 1; c < dim; ++c) sum += block[d * dim + c] * own[c];
        x[d][t ^ (std::size_t{1} << d)] = sum;
      }
    }
    for (auto& of_direction : x) transform_corners<dim>(of_direction);
  }

 private:
  static Eigen::Index place(std::size_t t, std::size_t d) {
    return static_cast<Eigen::Index>((t ^ (std::size_t{1} << d)) * dim + d);
  }

  /// Column s * dim + d: the pattern s in direction d, as element matrices have their rows.
  static MatrixXd patterns() {
    const auto n = static_cast<Eigen::Index>(dofs);
    MatrixXd out = MatrixXd::Zero(n, n);
    for (std::size_t s = 0; s < corners; ++s) {
      std::array<double, corners> pattern{};
      pattern[s] = 1.0;
      transform_corners<dim>(pattern);  // a symmetric map
      for (std::size_t b = 0; b < corners; ++b) {
        for (std::size_t d = 0; d < dim; ++d)
          out(static_cast<Eigen::Index>(corner_of_bits<dim>()[b] * dim + d),
              static_cast<Eigen::Index>(s * dim + d)) = pattern[b];
      }
    }
    return out;
  }

  std::array<std::array<Scalar, static_cast<std::size_t>(dim) * dim>, corners> blocks_{};
};

}  // namespace kurbel::fem
