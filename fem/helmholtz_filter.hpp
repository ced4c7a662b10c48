/// @file
/// The density filter of a differential equation: smoothed densities rho~ solve
///
///     -r^2 div grad rho~ + rho~ = rho,   n . grad rho~ = 0 on the boundary,   r = R / (2 sqrt 3)
///
/// where R is the radius of the filter by distance whose weights along a line have the same second moment [Lazarov, Sigmund 2011]. With
/// functions N that are linear between the corners of the elements, whatever their kind,
///
///     (r^2 K + M) a = P rho,   rho~ = V^-1 P^T a,
///     K = int grad N grad N^T dV,   P_ie = int_e N_i dV,   M = diag(sum_e P_ie),   V = diag(sum_i P_ie).
///
/// It keeps constants (M 1 = P 1, K 1 = 0) and the volume 1^T V rho, and V^-1 P^T A^-1 P is self-adjoint in the
/// product of V: its pull-back is another solve. Densities do not leave their range, for A^-1 has no negative entry: M is
/// lumped, K of quadrilaterals and hexahedra is integrated at the corners, and couplings K_ij > 0, which obtuse elements
/// have, are added to K_ii and K_jj in place of K_ij. Memory does not grow with R.
///
/// A = r^2 K + M is factored once, but in large solids, whose factor would fill memory: there conjugate gradients with an
/// incomplete factor solve it, in some R / h iterations, h the size of elements, to rounding. Value and pull-back are
/// then transposes of each other to that. Boxes of equal elements have box_helmholtz_filter.hpp.
#pragma once

#include <memory>
#include <mutex>

#include "fem/cholesky.hpp"
#include "fem/design_map.hpp"

namespace kurbel::fem {

/// r of the filter's radius R, m.
/// @throws InputError if the radius is negative or not finite
double helmholtz_length(double radius);

class HelmholtzFilter final : public DesignMap {
 public:
  enum class Solver { automatic, factor, iteration };

  /// @param radius  R, m
  /// @param solver  `automatic` iterates in solids of more than most_factored corners
  /// @throws InputError if the radius is negative or not finite, or the factor does not fit into memory
  HelmholtzFilter(const Mesh& mesh, double radius, Solver solver = Solver::automatic);
  ~HelmholtzFilter() override;

  static constexpr Eigen::Index most_factored = 50000;

  VectorXd value(const VectorXd& in) const override;
  VectorXd pullback(const VectorXd& in, const VectorXd& out_bar) const override;

 private:
  struct Iteration;

  /// @throws InputError if the iteration does not converge
  VectorXd solve(const VectorXd& b) const;

  SparseMatrix P_;  ///< corners x elements, m^3
  VectorXd volumes_;
  std::unique_ptr<Cholesky> factor_;
  std::unique_ptr<const Iteration> iteration_;  ///< one of both
  mutable std::mutex one_at_a_time_;            ///< the factor has a workspace
};

}  // namespace kurbel::fem
