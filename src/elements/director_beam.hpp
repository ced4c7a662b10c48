/// @file
/// A geometrically exact beam between two rigid cross-sections, in their directors: torsion, bending about both
/// axes, stretch and shear.              [Betsch and Steinmann 2002, Romero 2004; strains of Simo and Reissner]
///
/// Coordinates q (24): position r and directors d_1, d_2, d_3 of the first section, then of the second. d_1 is
/// normal to the section, d_2 and d_3 lie along its axes y and z. That they are orthonormal is held elsewhere,
/// by six constraints for each section.
///
/// Parameters xi (13): length l (m), Young's modulus E (N/m^2), Poisson's ratio nu, density rho (kg/m^3),
/// damping time eta (s), two dimensions of the section (m), strains Gamma_0 (3) and K_0 (3, 1/m) of the shape
/// that is free of stress. They are not checked here: l, E, rho and dimensions are positive, eta is not negative,
/// nu in (-1, 1/2).
#pragma once

#include <optional>

#include "elements/element.hpp"
#include "elements/section_outline.hpp"

namespace kurbel {

/// (Gamma, K) in the middle of an element, from linear interpolation of r and d_i:
///
///     Gamma_i = d_i . r' - delta_i1,      K_i = eps_ijk d_k . d_j' / 2     (1/m)
///
/// Gamma_1 is stretch, Gamma_2 and Gamma_3 shear along y and z; K_1 is twist, K_2 and K_3 are the curvatures
/// about y and z. Gamma_0, K_0 of a curved beam are these of its nodes.
/// @param q  (24)
template <class Scalar>
Vector6<Scalar> director_beam_strains(const Eigen::Ref<const VectorX<Scalar>>& q, const Scalar& l);
/// Their variation with q and l.
template <class Scalar>
Vector6<Scalar> director_beam_strain_variation(const Eigen::Ref<const VectorX<Scalar>>& q,
                                               const Eigen::Ref<const VectorX<Scalar>>& q_dot,
                                               const Scalar& l, const Scalar& l_dot);

/// M q_ddot = Q with the elastic force, damping and gravity.
///
///     U = l s^T C s / 2,   s = (Gamma - Gamma_0, K - K_0),   C = diag(E A, k G A, k G A, G J_t, E I_y, E I_z)
///     Q = -l s_q^T C (s + eta s_dot) + gravity,              G = E / (2 (1 + nu))
///     T = rho int (A |r_dot|^2 + I_z |d_2_dot|^2 + I_y |d_3_dot|^2) dx / 2
///
/// One point of integration keeps it from locking; displacements converge with the square of its length. The
/// mass is constant, and d_1 has none. Forces vanish in rigid motions, those of damping included; forces and
/// moments are balanced.
template <class Scalar>
class DirectorBeam final : public DynamicElement<Scalar> {
 public:
  using typename DynamicElement<Scalar>::Matrix;
  using typename DynamicElement<Scalar>::Segment;
  using typename DynamicElement<Scalar>::Vec;

  /// @param gravity  m/s^2
  DirectorBeam(const Vector3d& gravity, SectionShape shape) : gravity_(gravity), shape_(shape) {}
  Eigen::Index n_q() const override { return 24; }
  Eigen::Index n_xi() const override { return 13; }
  void add_mass(const Segment& xi, Eigen::Ref<Matrix> M) const override;
  void add_mass_derivative(const Segment& xi, const Segment& a, Eigen::Ref<Matrix> Ma_xi) const override;
  void add_force(const ElementState<Scalar>& state, Eigen::Ref<Vec> Q) const override;
  void add_derivatives(const ElementState<Scalar>& state, ForceDerivatives<Scalar>& out) const override;
  /// Potential energy of elasticity and gravity, J.
  Scalar potential(const ElementState<Scalar>& state) const override;
  /// U_xi += dU/dxi (n_xi) of the elastic energy U.
  void add_elastic_energy_derivative(const ElementState<Scalar>& state, Eigen::Ref<Vec> U_xi) const;

 private:
  Vector3d gravity_;
  SectionShape shape_;
};

/// Von Mises' equivalent stress at a point of the section in the middle of a DirectorBeam, N/m^2; its
/// coordinates and parameters. At y = c_y eta, z = c_z zeta, with the elastic strains s = (Gamma, K) - (Gamma_0,
/// K_0),
///
///     sigma  = E (Gamma_1 - y K_3 + z K_2)
///     tau_xy = G (K_1 torsional_shear_y + peak_of_shear k Gamma_2 (1 - eta^2)),  tau_xz likewise
///     sigma_V = sqrt(sigma^2 + 3 tau_xy^2 + 3 tau_xz^2 + s_min^2) - s_min,       s_min = 1e-9 E
///
/// s_min gives derivatives in the stress-free beam as well. Stresses across the shear force, which sections
/// other than rectangles have, are left out. On the outline it is the largest stress, with the derivatives of the
/// stress at the point where that is: along the outline it does not change there, or there is a corner.
template <class Scalar>
class DirectorStress final : public StateFunction<Scalar> {
 public:
  using typename StateFunction<Scalar>::Vec;

  /// @param eta, zeta  y and z over half of the section's extent, in [-1, 1]
  DirectorStress(double eta, double zeta, SectionShape shape)
      : point_(SectionPoint(eta, zeta)), shape_(shape) {}
  /// Evaluates the stress at the most stressed point of the outline.
  explicit DirectorStress(SectionShape shape) : shape_(shape) {}
  Eigen::Index n_rows() const override { return 1; }
  Eigen::Index n_q() const override { return 24; }
  Eigen::Index n_xi() const override { return 13; }
  void value(const ElementState<Scalar>& state, Eigen::Ref<Vec> h) const override;
  void add_derivatives(const ElementState<Scalar>& state, FunctionDerivatives<Scalar>& out) const override;

 private:
  std::optional<SectionPoint> point_{};  ///< without: the most stressed one
  SectionShape shape_;
};

}  // namespace kurbel
