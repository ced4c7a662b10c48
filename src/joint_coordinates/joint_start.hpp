/// @file
/// The start of a mechanism in joint coordinates: that of the floating frame, seen from the joints.
///
/// The bodies are assembled from what the input gives of them (InitialConditions of the floating frame), so that
/// a mechanism starts alike in both formulations. With S the columns of a joint, and eta, u, a of its bodies as
/// in tree_motion.hpp,
///
///     S z_dot = V_c - V_p,     S z_ddot = A_c - A_p - sum ad_V s z_dot,     S delta z = eta_c - eta_p - (points)
///
/// which hold exactly, for the bodies satisfy the joints.
#pragma once

#include "joint_coordinates/joint_coordinate_system.hpp"

namespace kurbel {

template <class Scalar>
class JointStart final : public Start<Scalar> {
 public:
  using Base = Start<Scalar>;
  using typename Base::Matrix;
  using typename Base::State;
  using typename Base::StateDirections;
  using typename Base::Vec;

  explicit JointStart(const JointCoordinateSystem<Scalar>& system);

  Status solve(double t0, State& state) override;
  void pullback(const State& state, Vec x_bar, Vec v_bar, const Vec& v_dot_bar, const Vec& lambda_bar,
                Eigen::Ref<Vec> p_bar) override;
  void push_forward(const State& state, const Eigen::Ref<const Matrix>& p_dot, StateDirections& out) override;

 private:
  /// A joint of the tree at its own point, where its columns are lengths and angles of unit size.
  struct Joint {
    int first, last;  ///< stages
    Vector3<Scalar> point;
    Eigen::Matrix<Scalar, Eigen::Dynamic, 6> inverse;  ///< of S, from the left
  };
  void find_coordinates(State& state);
  void read_joint(int first, int last, Eigen::Ref<Vec> z) const;
  Joint joint(int first, int last) const;
  Vector6<Scalar> body_twist(int stage, const Vec& of_bodies, const Vector3<Scalar>& at) const;
  Variation<Scalar> at(const Variation<Scalar>& v, int stage, const Vector3<Scalar>& point) const;
  template <class Action>
  void for_each_velocity(const Joint& joint, const Action& act) const;
  Variation<Scalar> body_variation(int stage, const Vector3<Scalar>& at, const StateDirections& d,
                                   Eigen::Index column) const;

  const JointCoordinateSystem<Scalar>& system_;
  std::unique_ptr<Start<Scalar>> of_bodies_;
  State bodies_;
  TreeMotion<Scalar> motion_;
  std::vector<Eigen::Index> multipliers_;  ///< of the cut mechanism, among all
};

}  // namespace kurbel
