/// Loads at markers, given as functions of time or of the angle of a hinge, or by controls. Where g is a function of the
/// angle theta(x, p), and Q its unit load,
///
///     f -= g(theta) Q,    df/dx -= Q g' dtheta/dx + g dQ/dx,    theta_bar -= (mu . Q) g'
#include "base/instantiate.hpp"
#include "floating_frame/marker_shapes.hpp"
#include "floating_frame/multibody_system_detail.hpp"
#include "floating_frame/rigid_rows.hpp"
#include "mechanism/scalar_coordinate.hpp"

namespace kurbel {

namespace {

/// Those over time.
template <class S>
Vector3<S> components(const std::array<TimeFunctionPtr, 3>& functions, const MarkerLoadSpec::Angles& over,
                      const OneSidedTime& t) {
  Vector3<S> v;
  for (std::size_t k = 0; k < 3; ++k)
    v[static_cast<Eigen::Index>(k)] = functions[k] && !over[k] ? functions[k]->value(t) : 0.0;
  return v;
}

/// Force and torque, and from the reference frame to the point where they act, in the frame of the body.
template <class S>
struct LocalLoad {
  Vector3<S> F, T, arm;

  /// f -= (F; arm x F + T; Phi^T F + Psi^T T), the generalized force on the body.
  /// @param f  (n_tangent of the marker)
  template <class Vector>
  void subtract_from(Vector&& f, const MarkerPlace& place, const S* p, const BodyKinematics<S>& body) const {
    f.template head<3>() -= F;
    f.template segment<3>(3) -= cross(arm, F) + T;
    if (place.is_origin || place.n_q == 0) return;
    const Eigen::Map<const VectorX<S>> q(body.q, place.n_q);
    add_shapes_transposed(place.layout, p, q, F, -1.0, f.tail(place.n_q));
    f.tail(place.n_q).noalias() -= view<3>(place.layout.Psi, p).transpose() * T;
  }

  /// Its power while the body moves with mu (n_tangent of the marker).
  template <class Vector>
  S power(const Vector& mu, const MarkerPlace& place, const S* p, const BodyKinematics<S>& body) const {
    S sum = dot(F, Vector3<S>(mu.template head<3>())) +
            dot(Vector3<S>(cross(arm, F) + T), Vector3<S>(mu.template segment<3>(3)));
    if (place.is_origin || place.n_q == 0) return sum;
    const auto mu_e = mu.tail(place.n_q);
    sum += dot(F, Vector3<S>(view<3>(place.layout.Phi, p) * mu_e));
    sum += dot(T, Vector3<S>(view<3>(place.layout.Psi, p) * mu_e));
    if (!place.layout.second_order()) return sum;
    const Eigen::Map<const VectorX<S>> q(body.q, place.n_q);
    return sum + 0.5 * dot(F, Vector3<S>(second_order_product(place.layout, p, mu_e, q) +
                                         second_order_product(place.layout, p, q, mu_e)));
  }
};

template <class S>
Vector3<S> arm_of(const MarkerPlace& place, const S* p, const BodyKinematics<S>& body) {
  Vector3<S> u = Vector3<S>::Zero();
  if (place.is_origin) return u;
  u = view<3>(place.layout.R, p);
  if (place.n_q == 0) return u;
  const Eigen::Map<const VectorX<S>> q(body.q, place.n_q);
  u += view<3>(place.layout.Phi, p) * q;
  if (place.layout.second_order()) u += 0.5 * second_order_product(place.layout, p, q, q);
  return u;
}

template <class S>
void turn_into_body(const MarkerLoadSpec& spec, const BodyKinematics<S>& body, LocalLoad<S>& load) {
  if (spec.frame != MarkerLoadSpec::Frame::inertial) return;
  load.F = (body.S.transpose() * load.F).eval();
  load.T = (body.S.transpose() * load.T).eval();
}

/// Force and torque in the frame of the body.
/// @param over_angles  the share that functions of angles have
template <class S>
LocalLoad<S> local_load(const MarkerPlace& place, const MarkerLoadSpec& spec, const Vector6<S>& over_angles,
                        const S* p, const OneSidedTime& t, const VectorX<S>& u,
                        const BodyKinematics<S>& body) {
  LocalLoad<S> load{components<S>(spec.force, spec.force_over, t) + over_angles.template head<3>(),
                    components<S>(spec.torque, spec.torque_over, t) + over_angles.template tail<3>(),
                    arm_of(place, p, body)};
  for (const ControlledLoad& control : spec.controls) {
    load.F += u[control.control] * control.force.cast<S>();
    load.T += u[control.control] * control.torque.cast<S>();
  }
  turn_into_body(spec, body, load);
  return load;
}

/// The load per unit of a control or of a function of an angle.
/// @param share  its force and torque
template <class S, class Share>
LocalLoad<S> unit_load(const Share& share, const MarkerPlace& place, const MarkerLoadSpec& spec, const S* p,
                       const BodyKinematics<S>& body) {
  LocalLoad<S> load{share.force.template cast<S>(), share.torque.template cast<S>(), arm_of(place, p, body)};
  turn_into_body(spec, body, load);
  return load;
}

}  // namespace

/// theta with its derivatives by c, and g with g'.
template <class S>
struct MultibodySystem<S>::AngleState {
  ScalarCoordinate<S> theta;
  S g, g_theta;

  PairVector<S> by_rows(const S& weight) const {
    return PairVector<S>{{weight * g_theta * theta.d1[0], weight * g_theta * theta.d1[1]}};
  }
};

template <class S>
auto MultibodySystem<S>::make_load(const MarkerLoadSpec& spec) -> Load {
  Load load{resolve(spec.marker, spec.name), spec, {}};
  const auto add = [&](const std::optional<HingeAngle>& over, const TimeFunctionPtr& function,
                       const Vector3d& force, const Vector3d& torque) {
    if (!over) return;
    RelativeRows<S> rows(resolve(over->to, over->joint), resolve(over->from, over->joint));
    rows.add_direction_cosine(0, 0);
    rows.add_direction_cosine(1, 0);
    n_pair_ = std::max({n_pair_, rows.n_tangent(), load.place.n_tangent()});
    load.angles.push_back({rows, function, over->around, force, torque, n_angles_++});
  };
  for (std::size_t k = 0; k < 3; ++k) {
    const Vector3d axis = Vector3d::Unit(static_cast<Eigen::Index>(k));
    add(spec.force_over[k], spec.force[k], axis, Vector3d::Zero());
    add(spec.torque_over[k], spec.torque[k], Vector3d::Zero(), axis);
  }
  return load;
}

template <class S>
auto MultibodySystem<S>::angle_state(const LoadAngle& angle, const S& cosine, const S& sine) const
    -> AngleState {
  AngleState state{angle_coordinate<S>(cosine, sine, angle.around), S(0), S(0)};
  const double theta = real_part(state.theta.s);
  const TimeValue g = angle.function->at(theta);
  const S imaginary = state.theta.s - theta;  // of complex step
  state.g = g.value + g.rate * imaginary;
  state.g_theta = g.rate + g.acceleration * imaginary;
  return state;
}

template <class S>
auto MultibodySystem<S>::angle_state(const LoadAngle& angle, SystemWorkspace& ws) const -> AngleState {
  auto& rows = ws.angle_derivatives[angle.index];
  rows.c.resize(2), rows.c_x.resize(2, angle.rows.n_tangent());
  angle.rows.values_and_jacobian(p_.data(), ends(angle.rows, ws, nullptr, nullptr), rows.c, rows.c_x);
  return angle_state(angle, rows.c[0], rows.c[1]);
}

/// Force and torque of a component that is a function of an angle, in the axes in which the load is given.
template <class S>
Vector6<S> MultibodySystem<S>::load_over_angle(const LoadAngle& angle, const AngleState& at) const {
  Vector6<S> load;
  load << at.g * angle.force.template cast<S>(), at.g * angle.torque.template cast<S>();
  return load;
}

/// The same of all components.
template <class S>
Vector6<S> MultibodySystem<S>::load_over_angles(const Load& load, SystemWorkspace& ws) const {
  Vector6<S> sum = Vector6<S>::Zero();
  for (const LoadAngle& angle : load.angles) sum += load_over_angle(angle, angle_state(angle, ws));
  return sum;
}

/// Likewise, between bodies whose motion is given in inertial axes.
template <class S>
Vector6<S> MultibodySystem<S>::load_over_angles(const Load& load, const std::vector<RigidBody>& bodies,
                                                SystemWorkspace& ws) const {
  const RigidMotion<S> ground;
  const auto motion = [&](const MarkerPlace& place) -> const RigidMotion<S>& {
    return place.body < 0 ? ground : *bodies[static_cast<std::size_t>(place.body)].motion;
  };
  Vector6<S> sum = Vector6<S>::Zero();
  for (const LoadAngle& angle : load.angles) {
    auto& rows = ws.angle_derivatives[angle.index];
    for (Vec* values : {&rows.c, &rows.c_dot, &rows.c_ddot}) values->resize(2);
    const typename RelativeRows<S>::RigidPair pair(angle.rows, p_.data(), motion(angle.rows.to()),
                                                   motion(angle.rows.from()), {});
    pair.rates(nullptr, rows.c.data(), rows.c_dot.data(), rows.c_ddot.data());
    sum += load_over_angle(angle, angle_state(angle, rows.c[0], rows.c[1]));
  }
  return sum;
}

template <class S>
void MultibodySystem<S>::add_control_bar(const SystemWorkspace& ws, int control, const S& u_bar,
                                         S* p_bar) const {
  const Eigen::RowVectorXd& weights = ws.weights[static_cast<std::size_t>(control)];
  S* nodes_bar = p_bar + layout_.control(static_cast<std::size_t>(control)).offset;
  for (Eigen::Index j = 0; j < weights.size(); ++j) nodes_bar[j] += weights[j] * u_bar;
}

template <class S>
S MultibodySystem<S>::control_direction(const SystemWorkspace& ws, int control, const S* p_dot) const {
  const Eigen::RowVectorXd& weights = ws.weights[static_cast<std::size_t>(control)];
  const S* nodes_dot = p_dot + layout_.control(static_cast<std::size_t>(control)).offset;
  S u_dot(0);
  for (Eigen::Index j = 0; j < weights.size(); ++j) u_dot += weights[j] * nodes_dot[j];
  return u_dot;
}

template <class S>
void MultibodySystem<S>::add_load_residual(const Load& load, const Instant& at, SystemWorkspace& ws,
                                           Eigen::Ref<Vec> f) const {
  const MarkerPlace& place = load.place;
  if (place.body < 0) return;
  const BodyKinematics<S>& body = ws.kinematics[place.body];
  local_load(place, load.spec, load_over_angles(load, ws), p_.data(), at.t, ws.u, body)
      .subtract_from(f.segment(v_offset(place), place.n_tangent()), place, p_.data(), body);
}

/// Returns the wrench on a rigid body about the origin of its frame, in it.
template <class S>
Vector6<S> MultibodySystem<S>::load_on_rigid_body(const Load& load, const OneSidedTime& t,
                                                  const std::vector<RigidBody>& bodies,
                                                  SystemWorkspace& ws) const {
  const RigidMotion<S>& motion = *bodies[static_cast<std::size_t>(load.place.body)].motion;
  const LocalLoad<S> local = local_load(load.place, load.spec, load_over_angles(load, bodies, ws), p_.data(),
                                        t, ws.u, {motion.r, motion.A});
  Vector6<S> wrench;
  wrench << local.F, cross(local.arm, local.F) + local.T;
  return wrench;
}

template <class S>
void MultibodySystem<S>::add_angle_jacobian(const Load& load, const LoadAngle& angle, SystemWorkspace& ws,
                                            BlockMatrix<S>& f_x) const {
  const MarkerPlace& place = load.place;
  const BodyKinematics<S>& body = ws.kinematics[place.body];
  auto unit = ws.W_x.head(place.n_tangent());
  unit.setZero();
  unit_load(angle, place, load.spec, p_.data(), body).subtract_from(unit, place, p_.data(), body);
  const PairVector<S> by_rows = angle_state(angle, ws).by_rows(S(1));
  auto by_x = ws.row_x.head(angle.rows.n_tangent());
  by_x.noalias() = ws.angle_derivatives[angle.index].c_x.transpose() * by_rows;
  for_each_end(angle.rows, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
    f_x.block(v_offset(place), g, place.n_tangent(), size).noalias() +=
        unit * by_x.segment(l, size).transpose();
  });
}

template <class S>
void MultibodySystem<S>::add_load_jacobian(const Load& load, const Instant& at, SystemWorkspace& ws,
                                           BlockMatrix<S>& f_x) const {
  const MarkerPlace& place = load.place;
  if (place.body < 0) return;
  const LocalLoad<S> local = local_load(place, load.spec, load_over_angles(load, ws), p_.data(), at.t, ws.u,
                                        ws.kinematics[place.body]);
  for (const LoadAngle& angle : load.angles) add_angle_jacobian(load, angle, ws, f_x);
  const Eigen::Index o = v_offset(place), n = place.n_q;
  auto own = f_x.block(o, o, 6 + n, 6 + n);
  const bool shapes = !place.is_origin && n > 0;
  const Eigen::Map<const VectorX<S>> q(ws.kinematics[place.body].q, n);
  if (load.spec.frame == MarkerLoadSpec::Frame::inertial) {
    const Matrix3<S> dF = tilde(local.F), dT = tilde(local.T);  // d(S^T F) = (S^T F)~ delta theta
    own.template block<3, 3>(0, 3) -= dF;
    own.template block<3, 3>(3, 3) -= tilde(local.arm) * dF + dT;
    if (shapes) {
      for (int k = 0; k < 3; ++k) {
        add_shapes_transposed(place.layout, p_.data(), q, Vector3<S>(dF.col(k)), -1.0,
                              own.col(3 + k).segment(6, n));
      }
      own.block(6, 3, n, 3).noalias() -= view<3>(place.layout.Psi, p_.data()).transpose() * dT;
    }
  }
  if (!shapes) return;
  own.block(3, 6, 3, n).noalias() += tilde(local.F) * view<3>(place.layout.Phi, p_.data());
  if (!place.layout.second_order()) return;
  for (Eigen::Index l = 0; l < n; ++l) {
    own.col(6 + l).template segment<3>(3) +=
        cross(local.F, second_order_column(place.layout, p_.data(), q, l));
  }
  add_second_order_stiffness(place.layout, p_.data(), local.F, -1.0, own.block(6, 6, n, n));
}

template <class S>
void MultibodySystem<S>::pullback_load(const Load& load, const Instant& at, const Segment& mu,
                                       SystemWorkspace& ws, S* p_bar) const {
  const MarkerPlace& place = load.place;
  if (place.body < 0) return;
  const BodyKinematics<S>& body = ws.kinematics[place.body];
  const auto mu_body = mu.segment(v_offset(place), place.n_tangent());
  for (const ControlledLoad& control : load.spec.controls) {
    const LocalLoad<S> unit = unit_load(control, place, load.spec, p_.data(), body);
    add_control_bar(ws, control.control, -unit.power(mu_body, place, p_.data(), body), p_bar);
  }
  for (const LoadAngle& angle : load.angles) {
    const LocalLoad<S> unit = unit_load(angle, place, load.spec, p_.data(), body);
    const PairVector<S> on_value =
        angle_state(angle, ws).by_rows(-unit.power(mu_body, place, p_.data(), body));
    angle.rows.pullback(p_.data(), ends(angle.rows, ws, nullptr, nullptr), on_value.data(), nullptr, nullptr,
                        p_bar);
  }
  if (place.is_origin) return;
  const LocalLoad<S> local =
      local_load(place, load.spec, load_over_angles(load, ws), p_.data(), at.t, ws.u, body);
  const Vector3<S> arm_bar = -cross(local.F, Vector3<S>(mu_body.template segment<3>(3)));
  view<3>(place.layout.R, p_bar) += arm_bar;
  if (place.n_q == 0) return;
  const Eigen::Map<const VectorX<S>> q(body.q, place.n_q);
  const auto mu_e = mu_body.tail(place.n_q);
  view<3>(place.layout.Phi, p_bar).noalias() += arm_bar * q.transpose();
  view<3>(place.layout.Phi, p_bar).noalias() -= local.F * mu_e.transpose();
  if (place.layout.second_order()) {
    add_second_order_bar(place.layout, arm_bar, q, q, 0.5, p_bar);
    add_second_order_bar(place.layout, local.F, mu_e, q, -0.5, p_bar);
    add_second_order_bar(place.layout, local.F, q, mu_e, -0.5, p_bar);
  }
  view<3>(place.layout.Psi, p_bar).noalias() -= local.T * mu_e.transpose();
}

template <class S>
void MultibodySystem<S>::push_forward_angle(const Load& load, const LoadAngle& angle,
                                            const ConstColumns& p_dot, SystemWorkspace& ws,
                                            Columns f_p) const {
  const MarkerPlace& place = load.place;
  const BodyKinematics<S>& body = ws.kinematics[place.body];
  const Eigen::Index m = p_dot.cols();
  auto c_p = ws.c0_p.topLeftCorner(2, m);
  angle.rows.push_forward(p_.data(), p_dot, ends(angle.rows, ws, nullptr, nullptr), c_p,
                          ws.c1_p.topLeftCorner(2, m), ws.c2_p.topLeftCorner(2, m));
  const PairVector<S> by_rows = angle_state(angle, ws).by_rows(S(1));
  const LocalLoad<S> unit = unit_load(angle, place, load.spec, p_.data(), body);
  for (Eigen::Index column = 0; column < m; ++column) {
    LocalLoad<S> changed = unit;
    const S g_dot = (by_rows.transpose() * c_p.col(column)).value();
    changed.F *= g_dot, changed.T *= g_dot;
    changed.subtract_from(f_p.col(column).segment(v_offset(place), place.n_tangent()), place, p_.data(),
                          body);
  }
}

template <class S>
void MultibodySystem<S>::push_forward_load(const Load& load, const Instant& at, const ConstColumns& p_dot,
                                           SystemWorkspace& ws, Columns f_p) const {
  const MarkerPlace& place = load.place;
  if (place.body < 0) return;
  const BodyKinematics<S>& body = ws.kinematics[place.body];
  const LocalLoad<S> local =
      local_load(place, load.spec, load_over_angles(load, ws), p_.data(), at.t, ws.u, body);
  for (const LoadAngle& angle : load.angles) push_forward_angle(load, angle, p_dot, ws, f_p);
  for (Eigen::Index column = 0; column < p_dot.cols(); ++column) {
    const S* direction = p_dot.col(column).data();
    auto f_body = f_p.col(column).segment(v_offset(place), place.n_tangent());
    for (const ControlledLoad& control : load.spec.controls) {
      LocalLoad<S> unit = unit_load(control, place, load.spec, p_.data(), body);
      const S u_dot = control_direction(ws, control.control, direction);
      unit.F *= u_dot, unit.T *= u_dot;
      unit.subtract_from(f_body, place, p_.data(), body);
    }
    if (place.is_origin) continue;
    // The point of application is linear in the marker's parameters; force and torque are free of them.
    f_body.template segment<3>(3) -= cross(arm_of(place, direction, body), local.F);
    if (place.n_q == 0) continue;
    const Eigen::Map<const VectorX<S>> q(body.q, place.n_q);
    add_shapes_transposed(place.layout, direction, q, local.F, -1.0, f_body.tail(place.n_q));
    f_body.tail(place.n_q).noalias() -= view<3>(place.layout.Psi, direction).transpose() * local.T;
  }
}

#define KURBEL_INSTANTIATE(S)                                                                           \
  template auto MultibodySystem<S>::make_load(const MarkerLoadSpec&)->Load;                             \
  template void MultibodySystem<S>::add_control_bar(const SystemWorkspace&, int, const S&, S*) const;   \
  template S MultibodySystem<S>::control_direction(const SystemWorkspace&, int, const S*) const;        \
  template void MultibodySystem<S>::push_forward_load(const Load&, const Instant&, const ConstColumns&, \
                                                      SystemWorkspace&, Columns) const;                 \
  template void MultibodySystem<S>::add_load_residual(const Load&, const Instant&, SystemWorkspace&,    \
                                                      Eigen::Ref<Vec>) const;                           \
  template Vector6<S> MultibodySystem<S>::load_on_rigid_body(                                           \
      const Load&, const OneSidedTime&, const std::vector<RigidBody>&, SystemWorkspace&) const;         \
  template void MultibodySystem<S>::add_load_jacobian(const Load&, const Instant&, SystemWorkspace&,    \
                                                      BlockMatrix<S>&) const;                           \
  template void MultibodySystem<S>::pullback_load(const Load&, const Instant&, const Segment&,          \
                                                  SystemWorkspace&, S*) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
