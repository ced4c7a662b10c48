/// @file
/// A rigid body in natural coordinates, and forces on what bodies and beams carry.
#pragma once

#include "elements/element.hpp"

namespace kurbel {

/// q = (r, e1, e2, e3): origin and axes of the body's frame, which constraints hold orthonormal. Of the density
/// follow mass, first and second moments, and a mass matrix that does not change,                 [P1, eq. 61]
///
///     M = [m, (m c)^T; m c, E] (x) I_3,    E = int rho X X^T dV = tr(J) I_3 / 2 - J
///
/// Parameters: m (kg), m c (3, kg m), J (9, column by column, kg m^2), about the frame's origin.
template <class Scalar>
class NaturalBody final : public DynamicElement<Scalar> {
 public:
  using typename DynamicElement<Scalar>::Matrix;
  using typename DynamicElement<Scalar>::Segment;
  using typename DynamicElement<Scalar>::Vec;

  /// @param gravity  m/s^2
  explicit NaturalBody(const Vector3d& gravity) : gravity_(gravity) {}
  Eigen::Index n_q() const override { return 12; }
  Eigen::Index n_xi() const override { return 13; }
  void add_mass(const Segment& xi, Eigen::Ref<Matrix> M) const override;
  void add_mass_derivative(const Segment& xi, const Segment& a, Eigen::Ref<Matrix> Ma_xi) const override;
  void add_force(const ElementState<Scalar>& state, Eigen::Ref<Vec> Q) const override;
  void add_derivatives(const ElementState<Scalar>& state, ForceDerivatives<Scalar>& out) const override;
  Scalar potential(const ElementState<Scalar>& state) const override;

 private:
  Vector3d gravity_;
};

/// A force u along an axis a that something carries, at a point: q = (point, a), Q = (u a, 0).
template <class Scalar>
class AxisForce final : public DynamicElement<Scalar> {
 public:
  using typename DynamicElement<Scalar>::Vec;
  Eigen::Index n_q() const override { return 6; }
  Eigen::Index n_u() const override { return 1; }
  Eigen::Index n_xi() const override { return 0; }
  void add_force(const ElementState<Scalar>& state, Eigen::Ref<Vec> Q) const override;
  void add_derivatives(const ElementState<Scalar>& state, ForceDerivatives<Scalar>& out) const override;
};

/// A torque u about an axis a on a body: q = (e1, e2, e3, a), and with e_i = theta x e_i
///
///     Q_i = u a x e_i / 2
template <class Scalar>
class AxisTorque final : public DynamicElement<Scalar> {
 public:
  using typename DynamicElement<Scalar>::Vec;
  Eigen::Index n_q() const override { return 12; }
  Eigen::Index n_u() const override { return 1; }
  Eigen::Index n_xi() const override { return 0; }
  void add_force(const ElementState<Scalar>& state, Eigen::Ref<Vec> Q) const override;
  void add_derivatives(const ElementState<Scalar>& state, ForceDerivatives<Scalar>& out) const override;
};

/// A force u that pushes two points apart: q = (to, from), Q = u (d, -d) / |d|, d = to - from.
template <class Scalar>
class LineForce final : public DynamicElement<Scalar> {
 public:
  using typename DynamicElement<Scalar>::Vec;
  Eigen::Index n_q() const override { return 6; }
  Eigen::Index n_u() const override { return 1; }
  Eigen::Index n_xi() const override { return 0; }
  void add_force(const ElementState<Scalar>& state, Eigen::Ref<Vec> Q) const override;
  void add_derivatives(const ElementState<Scalar>& state, ForceDerivatives<Scalar>& out) const override;
};

/// Torque u - k (theta - theta0) - d theta_dot of a hinge on its "to" side: q = (x_to, x_from, y_from), axes normal
/// to that of the hinge,
///
///     theta = atan2(x_to . y_from, x_to . x_from)  in (-pi, pi] about theta0,     Q = torque dtheta/dq
///
/// Parameters: k (N m/rad), d (N m s/rad), theta0 (rad).
template <class Scalar>
class HingeTorque final : public DynamicElement<Scalar> {
 public:
  using typename DynamicElement<Scalar>::Vec;
  explicit HingeTorque(bool driven) : driven_(driven) {}
  Eigen::Index n_q() const override { return 9; }
  Eigen::Index n_u() const override { return driven_ ? 1 : 0; }
  Eigen::Index n_xi() const override { return driven_ ? 0 : 3; }
  void add_force(const ElementState<Scalar>& state, Eigen::Ref<Vec> Q) const override;
  void add_derivatives(const ElementState<Scalar>& state, ForceDerivatives<Scalar>& out) const override;
  Scalar potential(const ElementState<Scalar>& state) const override;

 private:
  bool driven_;
};

}  // namespace kurbel
