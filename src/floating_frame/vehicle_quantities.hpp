/// @file
/// Observables of vehicles: tyre forces, attitudes of bodies.
#pragma once

#include "floating_frame/multibody_system.hpp"
#include "sensitivity/observable.hpp"

namespace kurbel {

/// Forces of a tyre on its wheel: forwards, to the left, and up (the load), N.
template <class Scalar>
class TyreForce final : public Observable<Scalar> {
 public:
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;

  /// @throws InputError if there is no such tyre
  TyreForce(const MultibodySystem<Scalar>& system, const std::string& tyre);
  Rows<Scalar> value(const Instant& at) const override;
  void add_partials(const Instant& at, const Rows<Scalar>& z_bar, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  const MultibodySystem<Scalar>& system_;
  std::size_t tyre_;
  std::unique_ptr<typename MultibodySystem<Scalar>::Workspace> ws_;  ///< an observable is for one thread
};

/// Angles (roll, pitch, yaw) of a body, S = R_z(yaw) R_y(pitch) R_x(roll), or their rates, with omega in the
/// body's frame:
///     roll_dot  = omega_x + tan(pitch) (omega_y sin(roll) + omega_z cos(roll))
///     pitch_dot = omega_y cos(roll) - omega_z sin(roll)
///     yaw_dot   = (omega_y sin(roll) + omega_z cos(roll)) / cos(pitch)
/// Pitch is in (-pi/2, pi/2), the others in (-pi, pi]; a body that stands upright has neither roll nor yaw.
enum class AttitudeKind { angles, rates };  ///< rad, rad/s

template <class Scalar>
class Attitude final : public Observable<Scalar> {
 public:
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;

  /// @throws InputError if there is no such body
  Attitude(const MultibodySystem<Scalar>& system, const std::string& body, AttitudeKind kind);
  Rows<Scalar> value(const Instant& at) const override;
  void add_partials(const Instant& at, const Rows<Scalar>& z_bar, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  struct Trigonometry;

  const MultibodySystem<Scalar>& system_;
  std::size_t body_;
  AttitudeKind kind_;
};

}  // namespace kurbel
