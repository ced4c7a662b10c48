/// @file
/// The planar shear-deformable beam element of the absolute nodal coordinate formulation (Omar and Shabana).
///                                                                                         [P2, section 4]
/// Coordinates e (12): position r, slopes r_x and r_y at the first node (x = 0), then at the second (x = l),
/// each with two components in the plane. A material point (x, y) of the straight undeformed element, by
/// xi = x / l in [0, 1] and zeta = y / h in [-1/2, 1/2], is at r = S e:
///
///     s1 = 1 - 3 xi^2 + 2 xi^3    s2 = l (xi - 2 xi^2 + xi^3)    s3 = h zeta (1 - xi)
///     s4 = 3 xi^2 - 2 xi^3        s5 = l (xi^3 - xi^2)           s6 = h zeta xi
///
/// Parameters (6): width w, height h, length l (m), Young's modulus E (N/m^2), Poisson's ratio nu, density
/// rho (kg/m^3). They are not checked here: all but nu are positive, nu in (-1, 1/2).
#pragma once

#include "elements/element.hpp"
#include "mechanism/laws.hpp"

namespace kurbel {

using Eigen::Vector2d;

/// M e_ddot = Q with the elastic force and gravity.                                       [P2, eqs 31, 32]
///
///     eps = ((r_x.r_x - 1) / 2, (r_y.r_y - 1) / 2, r_x.r_y)       Green and Lagrange's strains
///     U = w h l int int eps^T D eps / 2 dzeta dxi                 Q = -dU/de + rho w h l int int S^T g
///     M = rho w h l int int S^T S dzeta dxi                       constant in e
///
/// All integrals are exact. The shear strain is constant over the section and G carries no correction factor:
/// the shear stiffness is G w h (a factor 5/6 would give the shear flexibility of a rectangle). Inside one
/// element small curvatures are constant, so that displacements converge with the square of its length. In
/// large bending the linear r_y shortens between two nodes that differ in direction; this lateral strain
/// raises the bending moment at a curvature kappa by the factor 1 + (kappa l^2 / h)^2 / 30: choose l
/// accordingly.
template <class Scalar>
class AncfBeam final : public DynamicElement<Scalar> {
 public:
  using typename DynamicElement<Scalar>::Matrix;
  using typename DynamicElement<Scalar>::Segment;
  using typename DynamicElement<Scalar>::Vec;

  /// @param gravity  m/s^2
  AncfBeam(const Vector2d& gravity, PoissonCoupling coupling) : gravity_(gravity), coupling_(coupling) {}
  Eigen::Index n_q() const override { return 12; }
  Eigen::Index n_xi() const override { return 6; }
  void add_mass(const Segment& xi, Eigen::Ref<Matrix> M) const override;
  void add_mass_derivative(const Segment& xi, const Segment& a, Eigen::Ref<Matrix> Ma_xi) const override;
  void add_force(const ElementState<Scalar>& state, Eigen::Ref<Vec> Q) const override;
  void add_derivatives(const ElementState<Scalar>& state, ForceDerivatives<Scalar>& out) const override;
  /// U - rho w h l int int g^T S e, J.
  Scalar potential(const ElementState<Scalar>& state) const override;

 private:
  Vector2d gravity_;
  PoissonCoupling coupling_;
};

/// Von Mises' equivalent stress at a material point of an AncfBeam, N/m^2; its coordinates and parameters.
///                                                                                     [P2, section 5.3]
///     s^2 = S_xx^2 - S_xx S_yy + S_yy^2 + 3 S_xy^2,     sigma_V = sqrt(s^2 + s_min^2) - s_min
///
/// from the second Piola-Kirchhoff stress S = D eps, or with PoissonCoupling::axis S = D0 eps + Dv eps(zeta =
/// 0), which is E kappa y in bending. With s_min = 1e-9 E the derivatives exist in the stress-free beam as
/// well (they are zero there); what sigma_V loses by it, at most s_min, is far below a stress that matters.
template <class Scalar>
class AncfStress final : public StateFunction<Scalar> {
 public:
  using typename StateFunction<Scalar>::Vec;

  /// @param xi    x / l in [0, 1]
  /// @param zeta  y / h in [-1/2, 1/2]
  AncfStress(double xi, double zeta, PoissonCoupling coupling) : xi_(xi), zeta_(zeta), coupling_(coupling) {}
  Eigen::Index n_rows() const override { return 1; }
  Eigen::Index n_q() const override { return 12; }
  Eigen::Index n_xi() const override { return 6; }
  void value(const ElementState<Scalar>& state, Eigen::Ref<Vec> h) const override;
  void add_derivatives(const ElementState<Scalar>& state, FunctionDerivatives<Scalar>& out) const override;

 private:
  double xi_, zeta_;
  PoissonCoupling coupling_;
};

/// r = S e at a material point, m.
/// @param e  (12)
Vector2d ancf_position(const Eigen::Ref<const VectorXd>& e, double xi, double zeta, double h, double l);

}  // namespace kurbel
