/// @file
/// Elements on points with three coordinates each: masses, springs, controlled forces; joints between beams;
/// and functions of points for costs and constraints.
#pragma once

#include "elements/element.hpp"
#include "mechanism/spring_law.hpp"

namespace kurbel {

/// A mass at one point (3 coordinates) in gravity. Parameters: mass, kg.               [P2, eqs 51, 53]
template <class Scalar>
class PointMass final : public DynamicElement<Scalar> {
 public:
  using typename DynamicElement<Scalar>::Matrix;
  using typename DynamicElement<Scalar>::Segment;
  using typename DynamicElement<Scalar>::Vec;

  explicit PointMass(const Vector3d& gravity) : gravity_(gravity) {}
  Eigen::Index n_q() const override { return 3; }
  Eigen::Index n_xi() const override { return 1; }
  void add_mass(const Segment& xi, Eigen::Ref<Matrix> M) const override;
  void add_mass_derivative(const Segment& xi, const Segment& a, Eigen::Ref<Matrix> Ma_xi) const override;
  void add_force(const ElementState<Scalar>& state, Eigen::Ref<Vec> Q) const override;
  void add_derivatives(const ElementState<Scalar>& state, ForceDerivatives<Scalar>& out) const override;
  Scalar potential(const ElementState<Scalar>& state) const override;

 private:
  Vector3d gravity_;
};

/// A spring with damper from point "from" to point "to" (coordinates of "to" first). Parameters: stiffness c
/// (N/m), damping b (N s/m), free length l_0 (m; the linear law has none and does not use it).
template <class Scalar>
class Spring final : public DynamicElement<Scalar> {
 public:
  using typename DynamicElement<Scalar>::Vec;

  explicit Spring(SpringLaw law, bool isotropic_damping = false)
      : law_(law), is_isotropic_(damps_every_direction(law, isotropic_damping)) {}
  Eigen::Index n_q() const override { return 6; }
  Eigen::Index n_xi() const override { return 3; }
  void add_force(const ElementState<Scalar>& state, Eigen::Ref<Vec> Q) const override;
  void add_derivatives(const ElementState<Scalar>& state, ForceDerivatives<Scalar>& out) const override;
  Scalar potential(const ElementState<Scalar>& state) const override;

 private:
  SpringLaw law_;
  bool is_isotropic_;
};

/// A force u along a fixed direction on one point. Q_u    [P2, eq. 29]
template <class Scalar>
class ControlForce final : public DynamicElement<Scalar> {
 public:
  using typename DynamicElement<Scalar>::Vec;

  explicit ControlForce(const Vector3d& direction) : direction_(direction) {}
  Eigen::Index n_q() const override { return 3; }
  Eigen::Index n_u() const override { return 1; }
  Eigen::Index n_xi() const override { return 0; }
  void add_force(const ElementState<Scalar>& state, Eigen::Ref<Vec> Q) const override;
  void add_derivatives(const ElementState<Scalar>& state, ForceDerivatives<Scalar>& out) const override;

 private:
  Vector3d direction_;
};

/// Moment about z between the cross-sections of two beams that share a point, from their slopes r_y:
///
///     tau = u - b (theta_to_dot - theta_from_dot),    theta = angle of r_y,
///     Q_to = tau dtheta_to/dr_y,   Q_from = -tau dtheta_from/dr_y             Q_u, Q_d      [P2, eq. 29]
///
/// Coordinates: r_y of "to" (2), then r_y of "from" (2). A slope that is held is the ground. Controls: one
/// torque if it is driven. Parameters: viscous damping b, N m s/rad.
template <class Scalar>
class JointMoment final : public DynamicElement<Scalar> {
 public:
  using typename DynamicElement<Scalar>::Vec;

  explicit JointMoment(bool driven) : driven_(driven) {}
  Eigen::Index n_q() const override { return 4; }
  Eigen::Index n_u() const override { return driven_ ? 1 : 0; }
  Eigen::Index n_xi() const override { return 1; }
  void add_force(const ElementState<Scalar>& state, Eigen::Ref<Vec> Q) const override;
  void add_derivatives(const ElementState<Scalar>& state, ForceDerivatives<Scalar>& out) const override;

 private:
  bool driven_;
};

/// Position (m) or velocity (m/s) of a point along some of the axes; a row each.
template <class Scalar>
class PointState final : public StateFunction<Scalar> {
 public:
  using typename StateFunction<Scalar>::Vec;
  enum class Kind { position, velocity };

  /// @param axes  among 0, 1, 2
  PointState(Kind kind, std::vector<int> axes) : kind_(kind), axes_(std::move(axes)) {}
  Eigen::Index n_rows() const override { return static_cast<Eigen::Index>(axes_.size()); }
  Eigen::Index n_q() const override { return 3; }
  Eigen::Index n_xi() const override { return 0; }
  void value(const ElementState<Scalar>& state, Eigen::Ref<Vec> h) const override;
  void add_derivatives(const ElementState<Scalar>& state, FunctionDerivatives<Scalar>& out) const override;

 private:
  Kind kind_;
  std::vector<int> axes_;
};

/// Distance between two points, m. Not differentiable where they coincide.
template <class Scalar>
class PointDistance final : public StateFunction<Scalar> {
 public:
  using typename StateFunction<Scalar>::Vec;

  Eigen::Index n_rows() const override { return 1; }
  Eigen::Index n_q() const override { return 6; }
  Eigen::Index n_xi() const override { return 0; }
  void value(const ElementState<Scalar>& state, Eigen::Ref<Vec> h) const override;
  void add_derivatives(const ElementState<Scalar>& state, FunctionDerivatives<Scalar>& out) const override;
};

/// Force of a spring with damper on the point it starts from, along some of the axes; N. Coordinates and
/// parameters of the spring.    [P2, section 5.1]
template <class Scalar>
class SpringReaction final : public StateFunction<Scalar> {
 public:
  using typename StateFunction<Scalar>::Vec;

  SpringReaction(SpringLaw law, bool isotropic_damping, std::vector<int> axes)
      : spring_(law, isotropic_damping), axes_(std::move(axes)) {}
  Eigen::Index n_rows() const override { return static_cast<Eigen::Index>(axes_.size()); }
  Eigen::Index n_q() const override { return 6; }
  Eigen::Index n_xi() const override { return 3; }
  void value(const ElementState<Scalar>& state, Eigen::Ref<Vec> h) const override;
  void add_derivatives(const ElementState<Scalar>& state, FunctionDerivatives<Scalar>& out) const override;

 private:
  Spring<Scalar> spring_;
  std::vector<int> axes_;
};

}  // namespace kurbel
