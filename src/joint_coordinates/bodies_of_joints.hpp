/// @file
/// Observables of a mechanism in joint coordinates: its bodies in the floating frame, with all reactions.
///
/// The reactions lambda of a joint of the tree, which joint coordinates do without, are those that hold what the
/// joint carries: with C_b the derivatives of its constraints by its body, F_b the sum of all forces on what it
/// carries,
///
///     C_b^T lambda = -F_b
///
/// and since then f = 0 for each body, with weights l of them, their derivative is that of the power of all
/// forces along a virtual motion that opens each joint by -l:
///
///     l^T d lambda = mu^T df|_lambda,    mu of what a joint carries += -C_b^T (C_b C_b^T)^-1 l
#pragma once

#include "joint_coordinates/joint_coordinate_system.hpp"
#include "sensitivity/integrand.hpp"

namespace kurbel {

template <class Scalar>
class BodiesOfJoints {
 public:
  using Vec = VectorX<Scalar>;
  using Instant = DaeInstant<Scalar>;
  using Bar = DaeInstantBar<Scalar>;

  explicit BodiesOfJoints(const JointCoordinateSystem<Scalar>& system);

  /// The bodies at an instant of joint coordinates; valid until the next call.
  /// @param with_reactions  else the multipliers of the tree's joints are zero
  Instant at(const Instant& joints, bool with_reactions);

  /// Sensitivities by the bodies at the instant last looked at, x_bar, v_bar, v_dot_bar (6 per body) and
  /// lambda_bar, to such by the joint coordinates and the parameters.
  void pull_back(const Instant& joints, Vec& x_bar, Vec& v_bar, Vec& v_dot_bar, const Vec& lambda_bar,
                 Bar& bar, Eigen::Ref<Vec> p_bar);

  const MultibodySystem<Scalar>& system_of_bodies() const { return system_.system_of_bodies(); }

 private:
  /// The rows that a joint of the tree locks, and what inverts C_b^T, rows x 6.
  struct TreeJoint {
    int stage;  ///< that moves its body
    std::vector<Eigen::Index> rows;
  };
  MatrixX<Scalar> inverse_of(const TreeJoint& joint) const;

  const JointCoordinateSystem<Scalar>& system_;
  std::unique_ptr<typename SecondOrderDae<Scalar>::Workspace> ws_, of_bodies_;
  std::vector<TreeJoint> joints_;
  std::vector<Eigen::Index> multipliers_;  ///< of the cut mechanism, among all
  bool with_reactions_ = false;
  Vec x_, v_, v_dot_, lambda_, mu_;
  DaeJacobians<Scalar> jacobians_;
};

/// An integrand of the floating frame along a motion in joint coordinates.
template <class Scalar>
class JointIntegrand final : public Integrand<Scalar> {
 public:
  /// @param with_reactions  whether the integrand depends on multipliers
  JointIntegrand(const JointCoordinateSystem<Scalar>& system,
                 std::shared_ptr<const Integrand<Scalar>> of_bodies, bool with_reactions);
  Scalar value(const DaeInstant<Scalar>& at) const override;
  void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  std::shared_ptr<const Integrand<Scalar>> of_bodies_;
  bool with_reactions_;
  DaeStateLayout layout_;
  mutable BodiesOfJoints<Scalar> bodies_;  ///< scratch memory; an integrand is for one thread
  mutable VectorX<Scalar> y_bar_;
};

}  // namespace kurbel
