/// @file
/// A tyre between a wheel, the body that carries it, and the road z_r(x); z is up, n = (0, 0, 1).
///
/// The law has the parameters R0 (radius, m), k (stiffness, N/m), d (damping, N s/m), mu (friction), B (stiffness
/// factor) and C (shape factor). With the wheel's centre c and its spin axis e, which is constant in the wheel:
///
///     t = e x n / |e x n|,  u = t x e                           forwards, and away from the road in the wheel's plane
///     rho = (c_z - z_r(c_x)) / u_z,  x = c - rho u              loaded radius, contact point
///     delta = R0 - rho,  s = sqrt(delta^2 + smoothing^2)        penetration
///     delta_dot = -(w_z - z_r' w_x)                             w: of the carrier's material point at x
///     F_z = k (delta + s) / 2 + d (1 + delta / s) delta_dot / 2
///     sigma = -(v.t, v.(n x t)) / sqrt((c_dot.t)^2 + slip_speed^2)      v: of the wheel's material point at x
///     (F_t, F_l) = mu F_z sin(C atan(B |sigma|)) sigma / |sigma|,  |sigma| = sqrt(sigma^2 + 1e-12)
///
/// The force F_z n + F_t t + F_l n x t acts on the wheel at x.
#pragma once

#include "floating_frame/relative_rows.hpp"

namespace kurbel {

/// Forces of a tyre on its wheel: along t, along n x t, and vertical, N.
template <class Scalar>
struct TyreForces {
  Scalar longitudinal{}, lateral{}, vertical{};
  Scalar penetration{};  ///< m
};

/// Bodies are rigid. Tangent coordinates x and velocities v of the pair are stacked: wheel, carrier.
template <class Scalar>
class Tyre {
 public:
  using Body = BodyKinematics<Scalar>;
  using Wrench = Vector6<Scalar>;               ///< [F; M about the origin of the wheel's frame], in it
  using ByPair = Eigen::Matrix<Scalar, 6, 12>;  ///< a wrench by x or v
  static constexpr int n_parameters = 9;        ///< R0, k, d, mu, B, C, then the wheel marker's R
  using ByParameters = Eigen::Matrix<Scalar, 6, n_parameters>;

  /// @throws InputError if both are one body, one of them is the ground or flexible
  Tyre(const TyreSpec& spec, const RoadSpec& road, const TyreLayout& layout, const MarkerPlace& wheel,
       const MarkerPlace& carrier);

  const MarkerPlace& wheel() const { return wheel_; }
  const MarkerPlace& carrier() const { return carrier_; }

  TyreForces<Scalar> forces(const Scalar* p, const Body& wheel, const Body& carrier) const;
  Wrench wrench(const Scalar* p, const Body& wheel, const Body& carrier) const;
  /// @param by_x, by_v  derivatives of the wrench
  void jacobians(const Scalar* p, const Body& wheel, const Body& carrier, ByPair& by_x, ByPair& by_v) const;
  /// Derivatives of the wrench by the parameters. Columns of R are zero if the wheel's marker is the frame's origin.
  ByParameters by_parameters(const Scalar* p, const Body& wheel, const Body& carrier) const;
  /// Index in p of the parameter of a column; -1 if there is none.
  Eigen::Index parameter(int column) const;

  /// Adds the derivatives of weights . (longitudinal, lateral, vertical).
  /// @param x_bar, v_bar  (12)    of the pair
  void add_partials(const Scalar* p, const Body& wheel, const Body& carrier, const Vector3<Scalar>& weights,
                    Eigen::Matrix<Scalar, 12, 1>& x_bar, Eigen::Matrix<Scalar, 12, 1>& v_bar,
                    Scalar* p_bar) const;

 private:
  template <int n_derivatives>
  struct Law;
  struct Motion;

  MarkerPlace wheel_, carrier_;
  TyreLayout layout_;
  TimeFunctionPtr road_;
  Vector3d axis_;  ///< e in the wheel's frame
  double smoothing_, slip_speed_;
};

}  // namespace kurbel
