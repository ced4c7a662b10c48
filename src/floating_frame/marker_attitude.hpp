/// @file
/// Angles of a marker, which turns with the deformation of its body.
#pragma once

#include "floating_frame/observed_pair.hpp"
#include "floating_frame/vehicle_quantities.hpp"

namespace kurbel {

/// Roll, pitch and yaw of the axes A = S (E + (Psi q)~) A0 of a marker [P0, eqs 8, 9], or their rates:
///     roll = atan2(A_zy, A_zz),   pitch = atan2(-A_zx, |A_zy, A_zz|),   yaw = atan2(A_yx, A_xx)
/// If the body does not deform, they are those of Attitude, for axes turned by A0.
template <class Scalar>
class MarkerAttitude final : public Observable<Scalar> {
 public:
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;

  /// @throws InputError if there is no such marker
  MarkerAttitude(const MultibodySystem<Scalar>& system, const MarkerRef& marker, AttitudeKind kind);
  Rows<Scalar> value(const Instant& at) const override;
  void add_partials(const Instant& at, const Rows<Scalar>& z_bar, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  struct State;
  State state(const Instant& at) const;

  ObservedPair<Scalar> pair_;  ///< A_zx, A_zy, A_zz, A_yx, A_xx
  AttitudeKind kind_;
};

}  // namespace kurbel
