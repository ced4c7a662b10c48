/// @file
/// The angle of a hinge and its rate, as criteria see them.
#pragma once

#include "floating_frame/observed_pair.hpp"

namespace kurbel {

enum class JointAngleKind { angle, rate };  ///< rad, rad/s

/// Turn of "to" against "from" about the z axis that a joint leaves free,
///     angle = atan2(a_y^f . a_x^t, a_x^f . a_x^t),
/// in (-pi, pi] about a target, so that whole turns do not count; and its rate.
template <class Scalar>
class JointAngle final : public Observable<Scalar> {
 public:
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;

  /// @param around  rad; nullptr is zero
  /// @throws InputError if there is no such joint, or it is no hinge
  JointAngle(const MultibodySystem<Scalar>& system, const std::string& joint, JointAngleKind kind,
             TimeFunctionPtr around);
  Rows<Scalar> value(const Instant& at) const override;
  void add_partials(const Instant& at, const Rows<Scalar>& z_bar, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  struct State;
  State state(const Instant& at) const;

  ObservedPair<Scalar> pair_;  ///< cosine and sine of the angle
  JointAngleKind kind_;
  TimeFunctionPtr around_;
};

}  // namespace kurbel
