/// @file
/// Recursive kinematics of a tree, and how its coordinates and the points of its joints move everything that a
/// stage carries.                                                                       [P4, eqs 1-4]
///
/// Outwards, with the columns s_i of a stage, fixed to what it carries:
///
///     V_i = V_p + s_i z_dot_i,     A_i = A_p + s_i z_ddot_i + ad_{V_i} s_i z_dot_i
///
/// A_i is the time derivative of the twist in inertial axes about a fixed point, so that the accelerations
/// v_dot, omega_dot in the frame of a body are A_i in its axes.
///
/// All variations of a branch that start at one stage are one triple (eta, u, a), the same for all bodies that
/// the stage carries:
///
///     delta x = eta,   delta v = u,   delta v_dot = a - ad_{V_i} u          (in the axes of body i)
///     by z       eta = s,   u = ad_{V_p} s,   a = ad_{A_p} s + ad_{V_p} u
///     by z_dot   eta = 0,   u = s,            a = ad_{V_p + V_i} s
///     by z_ddot  eta = 0,   u = 0,            a = s
///
/// V_p, A_p: before the stage. The points of a joint are displacements before its first and after its last
/// stage, and vary as coordinates z would whose rates are zero.
///
/// V, A and s of a stage are taken about a point rho of its own. RTdyn0 takes the centre of mass; RTdyn1 one
/// point for all, so that nothing changes between stages. The paper has the inertial origin there; here it is
/// the place of the first stage at that instant, which is the same to the formulas, for no time derivative of
/// rho enters, and loses no digits far from the origin.
#pragma once

#include "joint_coordinates/joint_tree.hpp"
#include "joint_coordinates/reference_point.hpp"
#include "joint_coordinates/spatial.hpp"

namespace kurbel {

/// Up to six columns, without allocation.
template <class S>
using Columns6 = Eigen::Matrix<S, 6, Eigen::Dynamic, 0, 6, 6>;

/// Effect of a coordinate on all that its stage carries, about the point of the stage.
template <class S>
struct Variation {
  Vector6<S> eta = Vector6<S>::Zero(), u = Vector6<S>::Zero(), a = Vector6<S>::Zero();

  Variation& operator+=(const Variation& other) {
    eta += other.eta, u += other.u, a += other.a;
    return *this;
  }
  bool is_zero() const { return eta.isZero(0.0) && u.isZero(0.0) && a.isZero(0.0); }
  Variation operator*(const S& factor) const { return {eta * factor, u * factor, a * factor}; }
};

/// By a coordinate whose column is s, V and A being the twist and the acceleration before it.
template <class S>
EIGEN_ALWAYS_INLINE Variation<S> by_position(const Vector6<S>& s, const Vector6<S>& V, const Vector6<S>& A) {
  const Vector6<S> u = ad<S>(V, s);
  return {s, u, sum_with_ad<S>(ad<S>(A, s), V, u)};
}

/// The transpose: what multiplies eta, u and a.
template <class S>
using VariationBar = Variation<S>;

/// Motion of the frame that a stage moves, and of its joint about the same rho.
template <class S>
struct StageMotion : RigidMotion<S> {
  Vector3<S> joint_r;  ///< of the joint's frame, after its motion
  Matrix3<S> joint_A;
  Vector6<S> V_before, acceleration_before;
  Columns6<S> s;  ///< one per coordinate

  FrameChange<S> frame() const { return {this->A, this->rho - this->r}; }
};

/// Calls act(columns) with those of a stage that has any, their number known to the compiler.
template <class S, class Action>
void with_columns_of(const TreeStage& stage, const StageMotion<S>& motion, const Action& act) {
  with_velocities(stage, [&](auto count) { act(motion.s.template leftCols<decltype(count)::value>()); });
}

template <class S>
class TreeMotion {
 public:
  using Segment = Eigen::Ref<const VectorX<S>>;

  /// The two arguments must outlive this object.
  /// @param layout  of the parameters: points of joints, centres of mass
  TreeMotion(const JointTree& tree, const ParameterLayout& layout, ReferencePoint point);

  /// Frames, points and columns at z, with parameters p.
  void set_position(const S* p, const Segment& z);
  void set_velocity(const Segment& z_dot);
  void set_acceleration(const Segment& z_dot, const Segment& z_ddot);
  /// Quaternions of the frames at z, which nothing else needs.
  const std::vector<Quaternion<S>>& attitudes(const Segment& z);

  const JointTree& tree() const { return tree_; }
  const StageMotion<S>& operator[](int stage) const { return stages_[static_cast<std::size_t>(stage)]; }
  bool has_common_point() const { return point_ == ReferencePoint::common; }

  /// Between the points of a stage and of the one before; that of the ground is the stage's own.
  Vector6<S> twist_from_parent(int stage, const Vector6<S>& V) const;
  Vector6<S> wrench_to_parent(int stage, const Vector6<S>& F) const;
  Matrix6<S> matrix_from_parent(int stage) const;  ///< of twist_from_parent()
  Variation<S> from_parent(int stage, const Variation<S>& v) const;
  VariationBar<S> to_parent(int stage, const VariationBar<S>& v) const;

  /// Variations by coordinate k of a stage, of its position, velocity and acceleration.
  Variation<S> by_position(int stage, Eigen::Index k) const;
  Variation<S> by_velocity(int stage, Eigen::Index k) const;
  /// Variations by displacements of the point "in" and of the point "out" of a stage, in the axes of their bodies.
  Variation<S> by_point_in(int stage, const Vector3<S>& delta) const;
  Variation<S> by_point_out(int stage, const Vector3<S>& delta) const;
  /// The transposes: sensitivities by these displacements, of what multiplies their variations.
  Vector3<S> pull_back_point_in(int stage, const VariationBar<S>& bar) const;
  Vector3<S> pull_back_point_out(int stage, const VariationBar<S>& bar) const;

  /// Sums inwards: of each stage with all that it carries.
  void accumulate(std::vector<Vector6<S>>& wrenches) const;
  void accumulate(std::vector<VariationBar<S>>& bars) const;

 private:
  Matrix3<S> frame_before(int stage) const;
  void place(int stage, const S* p, const Segment& z);
  void set_columns(int stage);
  Vector3<S> offset(int stage) const;

  const JointTree& tree_;
  const ParameterLayout& layout_;
  ReferencePoint point_;
  std::vector<StageMotion<S>> stages_;
  std::vector<Quaternion<S>> attitudes_;
};

}  // namespace kurbel
