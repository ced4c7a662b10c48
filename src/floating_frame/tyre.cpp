/// @file
/// Evaluates the law of tyre.hpp and differentiates it forwards, by its inputs and its parameters.
///
/// The header defines e, t, u, rho, delta, s, sigma, the forces and the parameters. The code adds:
///
///     S_w, S_c     rotations of wheel and carrier, from the frame of the body into the inertial frame
///     R            centre of the wheel in its frame, m; zero where the marker is the frame's origin
///     w_w, omega_w velocity of that centre and angular velocity, in the wheel's frame
///     v_c          in Motion: velocity of the carrier's origin, in its frame; in Law: c_dot, in the inertial frame
///     r_c          position of the carrier's origin, in the inertial frame
///     h            |e x n|, the horizontal part of the axis
///     a, arm       x - c = -rho u, from the centre to the contact, in the inertial frame
///     b            the contact in the carrier's frame
///     Omega        angular velocity of the wheel, in the inertial frame
///     sigma_t, sigma_l  slips along t and along n x t, as F_t and F_l
///     in, X_in     derivatives of the inputs; derivatives of X by the variables of Law
///     d[5]         variations of centre, axis, c_dot, angular velocity and carrier's velocity, a column each
#include "floating_frame/tyre.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/instantiate.hpp"
#include "base/jet.hpp"

namespace kurbel {

namespace {

/// Inputs of the law, in the inertial frame. The numbers are their indices among the derivatives.
enum Input {
  centre_x,
  centre_z,
  axis,                  ///< 3
  velocity = axis + 3,   ///< of the centre, 3
  spin = velocity + 3,   ///< angular velocity of the wheel, 3
  carrier_x = spin + 3,  ///< velocity of the carrier's material point at the contact
  carrier_z,
  n_motion,
  n_own = 6,                ///< parameters R0, k, d, mu, B, C
  n_all = n_motion + n_own  ///< with these
};

/// Returns f(x) from its value and slope at the real part of x. An imaginary part, of a complex step, counts to first
/// order.
template <class S>
S lifted(double value, double slope, const S& x) {
  if constexpr (std::is_same_v<S, double>) {
    return value;
  } else {
    return S(value, slope * x.imag());
  }
}

template <class T>
struct RoadPoint {
  T height, slope;
};

template <class S, int N>
RoadPoint<Jet<S, N>> road_at(const TimeFunction* road, const Jet<S, N>& x) {
  if (!road) return {};
  const TimeValue z = road->at(real_part(x.a));
  const S slope = lifted(z.rate, z.acceleration, x.a);
  return {{lifted(z.value, z.rate, x.a), slope * x.d}, {slope, S(z.acceleration) * x.d}};
}

}  // namespace

/// Kinematics of the pair at one instant.
template <class S>
struct Tyre<S>::Motion {
  using V = Vector3<S>;
  using Map3 = Eigen::Map<const V>;

  Motion(const Tyre& tyre, const S* p, const Body& wheel, const Body& carrier)
      : S_w(wheel.S), S_c(carrier.S), r_c(carrier.r) {
    R.setZero();
    if (!tyre.wheel_.is_origin) R = view<3>(tyre.wheel_.layout.R, p);
    axis = S_w * tyre.axis_.template cast<S>();
    centre = wheel.r + S_w * R;
    if (!wheel.v) return;
    omega_w = Map3(wheel.v + 3);
    w_w = Map3(wheel.v) + cross(omega_w, R);
    v_c = Map3(carrier.v), omega_c = Map3(carrier.v + 3);
  }

  const Matrix3<S>&S_w, &S_c;
  V r_c, R, axis, centre;
  V omega_w = V::Zero(), w_w = V::Zero();  ///< of the wheel's marker, in the wheel's frame
  V v_c = V::Zero(), omega_c = V::Zero();  ///< of the carrier's frame, in it
};

/// Evaluates the law with derivatives by N variables: none, the inputs (n_motion), the parameters of the law (n_own),
/// or both (n_all).
template <class S>
template <int N>
struct Tyre<S>::Law {
  using T = Jet<S, N>;
  using V = Vector3<S>;
  using ByInputs = Eigen::Matrix<S, 3, N>;

  Law(const Tyre& tyre, const S* p, const Motion& m) {
    const auto input = [](const S& value, [[maybe_unused]] int place) {
      if constexpr (N >= n_motion)
        return T::variable(value, place);
      else
        return T(value);
    };
    // Contact
    const T c_x = input(m.centre[0], centre_x), c_z = input(m.centre[2], centre_z);
    const T e[3] = {input(m.axis[0], axis), input(m.axis[1], axis + 1), input(m.axis[2], axis + 2)};
    const T h = sqrt(e[0] * e[0] + e[1] * e[1]);
    const T t[2] = {e[1] / h, -(e[0] / h)};  // n x t = (-t_y, t_x)
    const RoadPoint<T> road = road_at(tyre.road_.get(), c_x);
    const T u[3] = {t[1] * e[2], -(t[0] * e[2]), t[0] * e[1] - t[1] * e[0]};
    const T rho = (c_z - road.height) / u[2];
    const T a[3] = {-(rho * u[0]), -(rho * u[1]), -(rho * u[2])};
    for (int k = 0; k < 3; ++k) arm[k] = a[k].a, arm_in.row(k) = a[k].d.transpose();
    point_of_carrier = m.S_c.transpose() * (m.centre + arm - m.r_c);
    const V w = m.S_c * (m.v_c + cross(m.omega_c, point_of_carrier));

    // Vertical force
    const auto number = [&](int k) {
      const S value = p[tyre.layout_.first + k];
      if constexpr (N == n_own || N == n_all)
        return T::variable(value, N - n_own + k);
      else
        return T(value);
    };
    const T radius = number(0), k = number(1), d = number(2), mu = number(3), B = number(4), C = number(5);
    const S half(0.5), smoothing2(tyre.smoothing_ * tyre.smoothing_);
    const T delta = radius - rho;
    const T s = sqrt(delta * delta + smoothing2);
    const T delta_dot = road.slope * input(w[0], carrier_x) - input(w[2], carrier_z);
    const T F_z = half * (k * (delta + s) + d * (delta / s + S(1)) * delta_dot);

    // Friction
    const V velocity_in = m.S_w * m.w_w, spin_in = m.S_w * m.omega_w;
    const T v_c[2] = {input(velocity_in[0], velocity), input(velocity_in[1], velocity + 1)};
    const T Omega[3] = {input(spin_in[0], spin), input(spin_in[1], spin + 1), input(spin_in[2], spin + 2)};
    const T v[2] = {v_c[0] + Omega[1] * a[2] - Omega[2] * a[1], v_c[1] + Omega[2] * a[0] - Omega[0] * a[2]};
    const T speed = v_c[0] * t[0] + v_c[1] * t[1];
    const T scale = sqrt(speed * speed + S(tyre.slip_speed_ * tyre.slip_speed_));
    const T sigma_t = -((v[0] * t[0] + v[1] * t[1]) / scale);
    const T sigma_l = -((v[1] * t[0] - v[0] * t[1]) / scale);
    const T sigma = sqrt(sigma_t * sigma_t + sigma_l * sigma_l + S(1e-12));
    const T by_slip = mu * F_z * sin(C * atan(B * sigma)) / sigma;
    F_t = by_slip * sigma_t, F_l = by_slip * sigma_l, this->F_z = F_z, penetration = delta.a;

    const T F[3] = {F_t * t[0] - F_l * t[1], F_t * t[1] + F_l * t[0], F_z};
    for (int i = 0; i < 3; ++i) force[i] = F[i].a, force_in.row(i) = F[i].d.transpose();
  }

  /// Returns the variations of the inputs. d has those of the centre, the axis, c_dot, the angular velocity, and the
  /// carrier's velocity at a fixed point; the shift of the contact is added here.
  template <int M>
  Eigen::Matrix<S, n_motion, M> inputs(const Motion& m, const Eigen::Matrix<S, 3, M> (&d)[5]) const {
    const auto& [d_centre, d_axis, d_velocity, d_spin, d_carrier] = d;
    Eigen::Matrix<S, n_motion, M> in = Eigen::Matrix<S, n_motion, M>::Zero();
    in.row(centre_x) = d_centre.row(0), in.row(centre_z) = d_centre.row(2);
    in.template middleRows<3>(axis) = d_axis;
    in.template middleRows<3>(velocity) = d_velocity;
    in.template middleRows<3>(spin) = d_spin;
    const Eigen::Matrix<S, 3, M> d_contact =
        d_centre + arm_in.template leftCols<velocity>() * in.template topRows<velocity>();
    const Eigen::Matrix<S, 3, M> d_w = d_carrier + (m.S_c * tilde(m.omega_c) * m.S_c.transpose()) * d_contact;
    in.row(carrier_x) = d_w.row(0), in.row(carrier_z) = d_w.row(2);
    return in;
  }

  /// Returns the derivatives of the inputs by x (12) and v (12) of wheel and carrier.
  Eigen::Matrix<S, n_motion, 24> inputs_by_motion(const Motion& m) const {
    Eigen::Matrix<S, 3, 24> d[5];
    for (auto& field : d) field.setZero();
    auto& [d_centre, d_axis, d_velocity, d_spin, d_carrier] = d;
    constexpr int theta_w = 3, theta_c = 9, v_w = 12, omega_w = 15, v_c = 18, omega_c = 21;
    const Matrix3<S> by_R = -m.S_w * tilde(m.R);
    d_centre.template leftCols<3>() = m.S_w;
    d_centre.template middleCols<3>(theta_w) = by_R;
    d_axis.template middleCols<3>(theta_w) = -tilde(m.axis) * m.S_w;
    d_velocity.template middleCols<3>(theta_w) = -m.S_w * tilde(m.w_w);
    d_velocity.template middleCols<3>(v_w) = m.S_w;
    d_velocity.template middleCols<3>(omega_w) = by_R;
    d_spin.template middleCols<3>(theta_w) = -m.S_w * tilde(m.omega_w);
    d_spin.template middleCols<3>(omega_w) = m.S_w;
    const V& b = point_of_carrier;
    const V in_carrier = m.v_c + cross(m.omega_c, b);
    d_carrier.template middleCols<3>(6) = -m.S_c * tilde(m.omega_c);
    d_carrier.template middleCols<3>(theta_c) = m.S_c * (tilde(m.omega_c) * tilde(b) - tilde(in_carrier));
    d_carrier.template middleCols<3>(v_c) = m.S_c;
    d_carrier.template middleCols<3>(omega_c) = -m.S_c * tilde(b);
    return inputs<24>(m, d);
  }

  /// Returns the derivatives of the inputs by the wheel marker's R.
  Eigen::Matrix<S, n_motion, 3> inputs_by_marker(const Motion& m) const {
    Eigen::Matrix<S, 3, 3> d[5];
    for (auto& field : d) field.setZero();
    d[0] = m.S_w;
    d[2] = m.S_w * tilde(m.omega_w);
    return inputs<3>(m, d);
  }

  /// Returns the wrench. d_wrench() is its variation with force and arm, while the wheel's frame and R are fixed.
  Wrench wrench(const Motion& m) const {
    const V F = m.S_w.transpose() * force;
    Wrench out;
    out << F, cross(m.R, F) + m.S_w.transpose() * cross(arm, force);
    return out;
  }
  template <int M>
  Eigen::Matrix<S, 6, M> d_wrench(const Motion& m, const Eigen::Matrix<S, 3, M>& d_force,
                                  const Eigen::Matrix<S, 3, M>& d_arm) const {
    Eigen::Matrix<S, 6, M> out;
    out.template topRows<3>() = m.S_w.transpose() * d_force;
    out.template bottomRows<3>() = tilde(m.R) * out.template topRows<3>() +
                                   m.S_w.transpose() * (tilde(arm) * d_force - tilde(force) * d_arm);
    return out;
  }

  V arm, force;
  ByInputs arm_in, force_in;
  V point_of_carrier;  ///< the contact, in the carrier's frame
  T F_t, F_l, F_z;
  S penetration;
};

template <class S>
Tyre<S>::Tyre(const TyreSpec& spec, const RoadSpec& road, const TyreLayout& layout, const MarkerPlace& wheel,
              const MarkerPlace& carrier)
    : wheel_(wheel),
      carrier_(carrier),
      layout_(layout),
      road_(road.height),
      axis_(wheel.A0.col(1)),
      smoothing_(spec.smoothing),
      slip_speed_(spec.slip_speed) {
  if (wheel.body < 0 || carrier.body < 0)
    throw InputError(fmt::format("tyre {}: neither wheel nor carrier can be the ground", spec.name));
  if (wheel.body == carrier.body)
    throw InputError(fmt::format("tyre {}: wheel and carrier are one body", spec.name));
  if (wheel.n_q > 0 || carrier.n_q > 0)
    throw InputError(fmt::format("tyre {}: wheel and carrier must be rigid bodies", spec.name));
}

template <class S>
TyreForces<S> Tyre<S>::forces(const S* p, const Body& wheel, const Body& carrier) const {
  const Law<0> law(*this, p, Motion(*this, p, wheel, carrier));
  return {law.F_t.a, law.F_l.a, law.F_z.a, law.penetration};
}

template <class S>
typename Tyre<S>::Wrench Tyre<S>::wrench(const S* p, const Body& wheel, const Body& carrier) const {
  const Motion m(*this, p, wheel, carrier);
  return Law<0>(*this, p, m).wrench(m);
}

template <class S>
void Tyre<S>::jacobians(const S* p, const Body& wheel, const Body& carrier, ByPair& by_x,
                        ByPair& by_v) const {
  const Motion m(*this, p, wheel, carrier);
  const Law<n_motion> law(*this, p, m);
  const Eigen::Matrix<S, n_motion, 24> in = law.inputs_by_motion(m);
  const Eigen::Matrix<S, 3, 24> d_force = law.force_in * in, d_arm = law.arm_in * in;
  const Eigen::Matrix<S, 6, 24> d = law.template d_wrench<24>(m, d_force, d_arm);
  by_x = d.template leftCols<12>(), by_v = d.template rightCols<12>();
  // The frame turns: d(S^T F) = (S^T F)~ theta.
  const Vector3<S> F = m.S_w.transpose() * law.force, M = m.S_w.transpose() * cross(law.arm, law.force);
  by_x.template block<3, 3>(0, 3) += tilde(F);
  by_x.template block<3, 3>(3, 3) += tilde(m.R) * tilde(F) + tilde(M);
}

template <class S>
typename Tyre<S>::ByParameters Tyre<S>::by_parameters(const S* p, const Body& wheel,
                                                      const Body& carrier) const {
  const Motion m(*this, p, wheel, carrier);
  const Law<n_own> by_own(*this, p, m);
  const Eigen::Matrix<S, 3, n_own> none = Eigen::Matrix<S, 3, n_own>::Zero();
  ByParameters out = ByParameters::Zero();
  out.template leftCols<n_own>() = by_own.template d_wrench<n_own>(m, by_own.force_in, none);
  if (wheel_.is_origin) return out;
  const Law<n_motion> law(*this, p, m);
  const Eigen::Matrix<S, n_motion, 3> in = law.inputs_by_marker(m);
  const Matrix3<S> force_R = law.force_in * in, arm_R = law.arm_in * in;
  out.template rightCols<3>() = law.template d_wrench<3>(m, force_R, arm_R);
  out.template block<3, 3>(3, 6) -= tilde(Vector3<S>(m.S_w.transpose() * law.force));
  return out;
}

template <class S>
Eigen::Index Tyre<S>::parameter(int column) const {
  if (column < 6) return layout_.first + column;
  return wheel_.is_origin ? -1 : wheel_.layout.R.offset + column - 6;
}

template <class S>
void Tyre<S>::add_partials(const S* p, const Body& wheel, const Body& carrier, const Vector3<S>& weights,
                           Eigen::Matrix<S, 12, 1>& x_bar, Eigen::Matrix<S, 12, 1>& v_bar, S* p_bar) const {
  const Motion m(*this, p, wheel, carrier);
  const Law<n_all> law(*this, p, m);
  const Eigen::Matrix<S, n_all, 1> by_inputs =
      weights[0] * law.F_t.d + weights[1] * law.F_l.d + weights[2] * law.F_z.d;
  const Eigen::Matrix<S, n_motion, 1> by_motion = by_inputs.template head<n_motion>();
  const Eigen::Matrix<S, 24, 1> bar = law.inputs_by_motion(m).transpose() * by_motion;
  x_bar += bar.template head<12>(), v_bar += bar.template tail<12>();
  for (int k = 0; k < 6; ++k) p_bar[parameter(k)] += by_inputs[n_motion + k];
  if (wheel_.is_origin) return;
  const Vector3<S> R_bar = law.inputs_by_marker(m).transpose() * by_motion;
  for (int k = 0; k < 3; ++k) p_bar[parameter(6 + k)] += R_bar[k];
}

template class Tyre<InstantiatedScalar>;

}  // namespace kurbel
