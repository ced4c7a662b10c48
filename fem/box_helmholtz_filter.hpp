/// @file
/// The filter of helmholtz_filter.hpp on a box of equal elements: its exact inverse, without a matrix.
///
/// On a box, K and M are products along the axes d, with t = (r / h)^2:
///
///     M = D_x D_y D_z,   r^2 K = t_x K_x D_y D_z + D_x t_y K_y D_z + D_x D_y t_z K_z,   P = P_x P_y P_z,
///     D = diag(1/2, 1, ..., 1, 1/2),   K = [1 -1; -1 2 -1; ...; -1 1],   (P f)_i = (f_(i-1) + f_i) / 2.
///
/// Cosines at the middles of the n elements along an axis, c_k(i) = cos(pi k (i + 1/2) / n), diagonalize the operators of this
/// axis. Hence
///
///     rho~ = C [P_a^T (mu D_a + t_a K_a)^-1 P_a s] C^T rho,   C: the orthonormal cosines along all axes but a,
///     s = prod cos^2(pi k / 2n),   mu = 1 + sum t 4 sin^2(pi k / 2n)   over those axes,
///
/// with a the axis of the most elements, along which a tridiagonal matrix is left for each pair of k. Its elimination adds
/// numbers of one sign only: its error does not grow with the radius. The filter is symmetric, so that it is its own
/// pull-back. The matrices C have at most as many entries as the box has elements.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "fem/design_map.hpp"

namespace kurbel::fem {

class BoxHelmholtzFilter final : public DesignMap {
 public:
  /// @param divisions  of the mesh, by box_divisions
  /// @param radius     R, m
  /// @throws InputError if the radius is negative or not finite
  BoxHelmholtzFilter(const Mesh& mesh, const std::array<int, 3>& divisions, double radius);

  /// Returns smoothed densities, none outside the range of `in`.
  VectorXd value(const VectorXd& in) const override;
  VectorXd pullback(const VectorXd&, const VectorXd& out_bar) const override { return smoothed(out_bar); }

 private:
  /// Elements along an axis.
  struct Axis {
    Eigen::Index n, stride;  ///< stride: elements before the next one along it
    double t;                ///< (r / h)^2
    MatrixXd cosines{};      ///< C, i x k; empty for the axis of the most elements
  };

  VectorXd smoothed(VectorXd field) const;
  enum class Direction { to_cosines, from_cosines };
  void transform(const Axis& axis, Direction direction, VectorXd& field) const;
  void solve_along_longest(VectorXd& field) const;

  std::array<Axis, 3> axes_;
  std::size_t longest_;
};

/// The divisions of a box whose elements share their nodes; none for other meshes, among them boxes with a slit.
std::optional<std::array<int, 3>> divisions_of_joined_box(const Mesh& mesh);

/// Makes the filter of a differential equation that suits the mesh.
/// @throws InputError  as the filters
std::unique_ptr<DesignMap> make_helmholtz_filter(const Mesh& mesh, double radius);

}  // namespace kurbel::fem
