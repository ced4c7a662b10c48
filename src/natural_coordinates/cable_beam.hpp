/// @file
/// The two-node gradient-deficient cable element of the absolute nodal coordinate formulation, in space.
///                                                                            [P1, section 5.1, appendix A]
/// Coordinates q (12): position r and slope r_x at the first node, then at the second. With x = xi / l the axis
/// is at
///
///     r = (1 - 3 x^2 + 2 x^3) r_1 + l (x - 2 x^2 + x^3) r_x1 + (3 x^2 - 2 x^3) r_2 + l (x^3 - x^2) r_x2
///
/// Parameters xi (6): length l (m), Young's modulus E (N/m^2), density rho (kg/m^3), damping time eta (s), two
/// dimensions of the section (m). They are not checked here: all but eta are positive, eta is not negative.
///
/// There is no torsion and no shear, and one second moment I for bending in all directions: that of a
/// rectangle is I_y, for bending along its height.
#pragma once

#include "elements/cross_section.hpp"
#include "elements/element.hpp"

namespace kurbel {

/// Strains of the energy U = int (E A eps^2 + E I kappa^2) / 2 over the length; e = (r_2 - r_1) / l.  [P1, 31]
///
/// green              eps = (r'.r' - 1) / 2    kappa = |r' x r''| / |r'|^3                             [P1, 32]
/// second_derivative  eps = (r'.r' - 1) / 2    kappa = |r''|
/// chord              eps = |e| - 1            kappa = |r''|                                           [P1, 33]
/// linearized         the force -(K_longitudinal + K_transverse) q, K_longitudinal = E A / l eps(chord) ...,
///                    K_transverse = E I / l^3 ..., which has no potential: its Jacobian is not symmetric and
///                    energy drifts. For comparisons only.                                         [P1, 34, 59]
enum class CableEnergy { green, second_derivative, chord, linearized };

/// M q_ddot = Q with the elastic force, damping and gravity.                                  [P1, eqs 30-35]
///
/// Damping acts with the time eta (Kelvin and Voigt): eps + eta eps_dot in place of eps, and
///
///     Q_eta = -int E I eta m_q_dot^T m dx,    m = r''_dot - omega x r'',    omega = e x e_dot / (e.e)
///
/// for bending, the rate of r'' as seen from the chord. It is smooth in the straight beam, where kappa is not.
/// It does no work in any rigid motion of a straight element nor, in a bent one, in translations and turns
/// about axes normal to its chord; spinning about its chord a bent element is braked by the moment
/// E I eta omega int |e x r''|^2 / (e.e) dx. No damping that depends continuously on q spares that spin and
/// yet damps small vibrations of the straight beam: at an amplitude that goes to zero they are the same motion.
template <class Scalar>
class CableBeam final : public DynamicElement<Scalar> {
 public:
  using typename DynamicElement<Scalar>::Matrix;
  using typename DynamicElement<Scalar>::Segment;
  using typename DynamicElement<Scalar>::Vec;

  /// @param gravity  m/s^2
  CableBeam(const Vector3d& gravity, SectionShape shape, CableEnergy energy = CableEnergy::green)
      : gravity_(gravity), shape_(shape), energy_(energy) {}
  Eigen::Index n_q() const override { return 12; }
  Eigen::Index n_xi() const override { return 6; }
  void add_mass(const Segment& xi, Eigen::Ref<Matrix> M) const override;
  void add_mass_derivative(const Segment& xi, const Segment& a, Eigen::Ref<Matrix> Ma_xi) const override;
  void add_force(const ElementState<Scalar>& state, Eigen::Ref<Vec> Q) const override;
  void add_derivatives(const ElementState<Scalar>& state, ForceDerivatives<Scalar>& out) const override;
  /// Potential energy of elasticity and gravity, J; that of `chord` for CableEnergy::linearized, whose force
  /// has none.
  Scalar potential(const ElementState<Scalar>& state) const override;

 private:
  Vector3d gravity_;
  SectionShape shape_;
  CableEnergy energy_;
};

/// m in M^(e) = m (x) I_3, kg and with slopes kg m, kg m^2.                                       [P1, eq. 30]
/// @param rho_A  mass per length, kg/m
template <class Scalar>
Eigen::Matrix<Scalar, 4, 4> cable_mass(const Scalar& rho_A, const Scalar& l);

/// Axial stress of a CableBeam in its outermost fibre, N/m^2; its coordinates and parameters.
///
///     sigma = E (eps + side R kappa),    R half of the section's height (side, diameter)
///
/// with the strains of the energy (those of `chord` for `linearized`). kappa = sqrt(kappa^2 + kappa_min^2) -
/// kappa_min with R kappa_min = 1e-9, so that it has derivatives in the straight beam; sigma loses at most
/// 1e-9 E by it. Squares that bend about a diagonal have sqrt(2) times the distance R.
template <class Scalar>
class CableStress final : public StateFunction<Scalar> {
 public:
  using typename StateFunction<Scalar>::Vec;

  /// @param x     xi / l in [0, 1]
  /// @param side  1 for the fibre that bending stretches, -1 for the other, 0 for the one of larger |sigma|
  CableStress(double x, int side, SectionShape shape, CableEnergy energy = CableEnergy::green)
      : x_(x), side_(side), shape_(shape), energy_(energy) {}
  Eigen::Index n_rows() const override { return 1; }
  Eigen::Index n_q() const override { return 12; }
  Eigen::Index n_xi() const override { return 6; }
  void value(const ElementState<Scalar>& state, Eigen::Ref<Vec> h) const override;
  void add_derivatives(const ElementState<Scalar>& state, FunctionDerivatives<Scalar>& out) const override;

 private:
  /// Side of the fibre: as given, or the one that stretch and bending stress together.
  double side(const Scalar& eps) const { return side_ != 0 ? side_ : real_part(eps) < 0.0 ? -1.0 : 1.0; }

  double x_;
  int side_;
  SectionShape shape_;
  CableEnergy energy_;
};

}  // namespace kurbel
