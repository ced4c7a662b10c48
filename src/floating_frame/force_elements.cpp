#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "floating_frame/marker_shapes.hpp"
#include "floating_frame/multibody_system.hpp"
#include "floating_frame/multibody_system_detail.hpp"
#include "floating_frame/scalar_coordinate.hpp"

namespace kurbel {

/// Coordinate and force of a spring at one instant, from c, c_dot and c_x of its rows.
template <class S>
struct MultibodySystem<S>::ForceState {
  ForceState(const ScalarForce& of, const S* p, const Vec& controls,
             const typename RelativeRows<S>::Derivatives& rows)
      : rows(rows) {
    if (of.spring) k = p[of.spring->stiffness], d = p[of.spring->damping], s0 = p[of.spring->free_length];
    coordinate = of.is_angle ? angle_coordinate<S>(rows.c[0], rows.c[1], real_part(s0))
                             : length_coordinate<S>(rows.c[0]);
    for (Eigen::Index i = 0; i < rows.c.size(); ++i) rate += coordinate.d1[i] * rows.c_dot[i];
    force = k * (coordinate.s - s0) + d * rate;
    if (of.control >= 0) force -= controls[of.control];
  }
  const typename RelativeRows<S>::Derivatives& rows;
  ScalarCoordinate<S> coordinate{};
  S rate = S(0);   ///< s_dot
  S force = S(0);  ///< k (s - s0) + d s_dot - u
  S k{}, d{}, s0{};
};

/// c_dot = c_x v, for no drive turns or shifts these rows; what else derivatives() finds is not there.
template <class S>
typename MultibodySystem<S>::ForceState MultibodySystem<S>::force_state(const ScalarForce& force,
                                                                        const Instant& at,
                                                                        SystemWorkspace& ws) const {
  auto& rows = ws.force_derivatives[static_cast<std::size_t>(&force - forces_.data())];
  const Eigen::Index n = force.rows.n_rows();
  rows.c.resize(n), rows.c_dot.setZero(n), rows.c_x.resize(n, force.rows.n_tangent());
  const Ends e = ends(force.rows, ws, nullptr, nullptr);
  force.rows.values(p_.data(), e, rows.c);
  force.rows.jacobian(p_.data(), e, rows.c_x);
  for_each_end(force.rows, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
    rows.c_dot.noalias() += rows.c_x.middleCols(l, size) * at.v.segment(g, size);
  });
  return {force, p_.data(), ws.u, rows};
}

template <class S>
auto MultibodySystem<S>::element_forces(const Instant& at, Workspace& workspace_in) const -> Vec {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  update_controls(at.t, ws);
  Vec forces(static_cast<Eigen::Index>(forces_.size()));
  for (std::size_t i = 0; i < forces_.size(); ++i)
    forces[static_cast<Eigen::Index>(i)] = force_state(forces_[i], at, ws).force;
  return forces;
}

template <class S>
std::size_t MultibodySystem<S>::spring_index(const std::string& name) const {
  for (std::size_t i = 0; i < spec_.springs.size(); ++i) {
    if (spec_.springs[i].name == name) return i;
  }
  throw InputError(fmt::format("there is no spring {}", name));
}

template <class S>
S MultibodySystem<S>::spring_length(std::size_t spring, const Instant& at, Workspace& workspace_in) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  using std::sqrt;
  return sqrt(2.0 * force_state(forces_[spring], at, ws).rows.c[0]);
}

template <class S>
void MultibodySystem<S>::add_spring_length_partials(std::size_t spring, const Instant& at, const S& weight,
                                                    Workspace& workspace_in, Eigen::Ref<Vec> x_bar,
                                                    Eigen::Ref<Vec> p_bar) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  const ScalarForce& force = forces_[spring];
  const ForceState state = force_state(force, at, ws);
  const S on_value = weight * state.coordinate.d1[0];
  for_each_end(force.rows, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
    x_bar.segment(g, size) += on_value * state.rows.c_x.row(0).segment(l, size).transpose();
  });
  force.rows.pullback(p_.data(), ends(force.rows, ws, nullptr, nullptr), &on_value, nullptr, nullptr,
                      p_bar.data());
}

template <class S>
void MultibodySystem<S>::add_force_residual(const ScalarForce& force, const Instant& at, SystemWorkspace& ws,
                                            Eigen::Ref<Vec> f) const {
  const ForceState state = force_state(force, at, ws);
  for_each_end(force.rows, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
    for (Eigen::Index i = 0; i < force.rows.n_rows(); ++i) {
      f.segment(g, size) +=
          state.force * state.coordinate.d1[i] * state.rows.c_x.row(i).segment(l, size).transpose();
    }
  });
}

template <class S>
void MultibodySystem<S>::add_force_jacobians(const ScalarForce& force, const Instant& at, SystemWorkspace& ws,
                                             DaeJacobians<S>& out) const {
  auto& d = ws.force_derivatives[static_cast<std::size_t>(&force - forces_.data())];
  force.rows.derivatives(p_.data(), ends(force.rows, ws, at.v.data(), nullptr), ws.rows, d);
  const ForceState state(force, p_.data(), ws.u, d);
  const auto& s = state.coordinate;
  const Eigen::Index n = force.rows.n_rows(), n_t = force.rows.n_tangent();
  auto s_x = ws.s_x.head(n_t), force_x = ws.force_x.head(n_t);
  s_x.setZero(), force_x.setZero();
  S weights[2] = {S(0), S(0)};
  for (Eigen::Index i = 0; i < n; ++i) {
    weights[i] = state.force * s.d1[i];
    s_x += s.d1[i] * d.c_x.row(i).transpose();
    force_x += (state.d * s.d1[i]) * d.c_dot_x.row(i).transpose();
    for (Eigen::Index j = 0; j < n; ++j)
      force_x += (state.d * s.d2[i][j] * d.c_dot[i]) * d.c_x.row(j).transpose();
  }
  force_x += state.k * s_x;
  auto K = ws.K_local.topLeftCorner(n_t, n_t);
  force.rows.reaction_jacobian(p_.data(), ends(force.rows, ws, nullptr, nullptr), weights, ws.rows, K);
  K.noalias() += s_x * force_x.transpose();
  for (Eigen::Index i = 0; i < n; ++i) {
    force_x.setZero();
    for (Eigen::Index j = 0; j < n; ++j) force_x += (state.force * s.d2[i][j]) * d.c_x.row(j).transpose();
    K.noalias() += d.c_x.row(i).transpose() * force_x.transpose();
  }
  add_block(force.rows, K, out.f_x);
  force_x = state.d * s_x;
  K.noalias() = s_x * force_x.transpose();
  add_block(force.rows, K, out.f_v);
}

template <class S>
void MultibodySystem<S>::pullback_force(const ScalarForce& force, const Instant& at, const Segment& mu,
                                        SystemWorkspace& ws, S* p_bar) const {
  const ForceState state = force_state(force, at, ws);
  const auto& s = state.coordinate;
  const Eigen::Index n = force.rows.n_rows();
  S row_rate[2] = {S(0), S(0)};  // C_i mu
  S power = S(0);                // sum s_i C_i mu
  for (Eigen::Index i = 0; i < n; ++i) {
    for_each_end(force.rows, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
      row_rate[i] += (state.rows.c_x.row(i).segment(l, size) * mu.segment(g, size)).value();
    });
    power += s.d1[i] * row_rate[i];
  }
  if (force.spring) {
    p_bar[force.spring->stiffness] += (s.s - state.s0) * power;
    p_bar[force.spring->damping] += state.rate * power;
    p_bar[force.spring->free_length] -= state.k * power;
  }
  if (force.control >= 0) add_control_bar(ws, force.control, -power, p_bar);

  S on_value[2] = {S(0), S(0)}, on_rate[2] = {S(0), S(0)}, on_virtual[2] = {S(0), S(0)};
  for (Eigen::Index i = 0; i < n; ++i) {
    on_virtual[i] = state.force * s.d1[i];
    on_rate[i] = state.d * s.d1[i] * power;
    on_value[i] = state.k * s.d1[i] * power;
    for (Eigen::Index j = 0; j < n; ++j) {
      on_value[i] += s.d2[i][j] * (state.force * row_rate[j] + state.d * state.rows.c_dot[j] * power);
    }
  }
  force.rows.pullback(p_.data(), ends(force.rows, ws, at.v.data(), nullptr), on_value, on_rate, nullptr,
                      p_bar);
  force.rows.pullback(p_.data(), ends(force.rows, ws, mu.data(), nullptr), nullptr, on_virtual, nullptr,
                      p_bar);
}

template <class S>
void MultibodySystem<S>::push_forward_force(const ScalarForce& force, const Instant& at,
                                            const ConstColumns& p_dot, SystemWorkspace& ws,
                                            Columns f_p) const {
  const ForceState state = force_state(force, at, ws);
  const auto& s = state.coordinate;
  const Eigen::Index n = force.rows.n_rows(), m = p_dot.cols();
  const Ends e = ends(force.rows, ws, at.v.data(), nullptr);
  auto u_p = ws.c0_p.topLeftCorner(n, m), rate_p = ws.c1_p.topLeftCorner(n, m);
  force.rows.push_forward(p_.data(), p_dot, e, u_p, rate_p, ws.c2_p.topLeftCorner(n, m));
  S weights[2] = {S(0), S(0)};
  for (Eigen::Index i = 0; i < n; ++i) weights[i] = state.force * s.d1[i];
  auto reaction = ws.reaction_p.topLeftCorner(force.rows.n_tangent(), m);
  force.rows.push_forward_reaction(p_.data(), p_dot, e, weights, reaction);

  for (Eigen::Index column = 0; column < m; ++column) {
    const auto direction = p_dot.col(column);
    S d1_p[2] = {S(0), S(0)};
    S length_p(0), s_rate_p(0), force_p(0);
    if (force.spring) {
      length_p = -direction[force.spring->free_length];
      force_p = direction[force.spring->stiffness] * (s.s - state.s0) +
                direction[force.spring->damping] * state.rate;
    }
    if (force.control >= 0) force_p -= control_direction(ws, force.control, direction.data());
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) d1_p[i] += s.d2[i][j] * u_p(j, column);
      length_p += s.d1[i] * u_p(i, column);
      s_rate_p += s.d1[i] * rate_p(i, column) + d1_p[i] * state.rows.c_dot[i];
    }
    force_p += state.k * length_p + state.d * s_rate_p;
    for (Eigen::Index i = 0; i < n; ++i) {
      reaction.col(column) += (force_p * s.d1[i] + state.force * d1_p[i]) * state.rows.c_x.row(i).transpose();
    }
  }
  for_each_end(force.rows, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
    f_p.middleRows(g, size) += reaction.middleRows(l, size);
  });
}

template <class S>
S MultibodySystem<S>::force_energy(const ScalarForce& force, const Instant& at, SystemWorkspace& ws) const {
  const ForceState state = force_state(force, at, ws);
  const S stretch = state.coordinate.s - state.s0;
  return 0.5 * state.k * stretch * stretch;
}

template <class S>
void MultibodySystem<S>::add_force_energy_partials(const ScalarForce& force, const Instant& at, double weight,
                                                   SystemWorkspace& ws, Eigen::Ref<Vec> x_bar,
                                                   S* p_bar) const {
  if (!force.spring) return;
  const ForceState state = force_state(force, at, ws);
  const S stretch = state.coordinate.s - state.s0, tension = weight * state.k * stretch;
  S on_value[2] = {tension * state.coordinate.d1[0], tension * state.coordinate.d1[1]};
  for_each_end(force.rows, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
    for (Eigen::Index i = 0; i < force.rows.n_rows(); ++i) {
      x_bar.segment(g, size) += on_value[i] * state.rows.c_x.row(i).segment(l, size).transpose();
    }
  });
  p_bar[force.spring->stiffness] += 0.5 * weight * stretch * stretch;
  p_bar[force.spring->free_length] -= tension;
  force.rows.pullback(p_.data(), ends(force.rows, ws, nullptr, nullptr), on_value, nullptr, nullptr, p_bar);
}

template <class S>
typename MultibodySystem<S>::Momentum MultibodySystem<S>::momentum(const Instant& at,
                                                                   Workspace& workspace_in) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  Momentum total{Vector3<S>::Zero(), Vector3<S>::Zero()};
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    const Eigen::Index n = 6 + n_q(i);
    Matrix F_x = Matrix::Zero(n, n), F_v = F_x, M = F_x;
    body_jacobians<S>(layout_.body(i), p_.data(), motion(at, ws, i), ws.bodies[i], {F_x, F_v, M});
    const Vec own = M.topRows(6) * at.v.segment(v_offset(i), n);
    const Vector3<S> linear = ws.kinematics[i].S * own.template head<3>();
    total.linear += linear;
    total.angular += ws.kinematics[i].S * own.template tail<3>() + cross(ws.kinematics[i].r, linear);
  }
  add_beam_momentum(at, ws, total);
  return total;
}

#define KURBEL_INSTANTIATE(S)                                                                                \
  template typename MultibodySystem<S>::Vec MultibodySystem<S>::element_forces(const Instant&, Workspace&)   \
      const;                                                                                                 \
  template std::size_t MultibodySystem<S>::spring_index(const std::string&) const;                           \
  template S MultibodySystem<S>::spring_length(std::size_t, const Instant&, Workspace&) const;               \
  template void MultibodySystem<S>::add_spring_length_partials(                                              \
      std::size_t, const Instant&, const S&, Workspace&, Eigen::Ref<Vec>, Eigen::Ref<Vec>) const;            \
  template void MultibodySystem<S>::add_force_residual(const ScalarForce&, const Instant&, SystemWorkspace&, \
                                                       Eigen::Ref<Vec>) const;                               \
  template void MultibodySystem<S>::add_force_jacobians(const ScalarForce&, const Instant&,                  \
                                                        SystemWorkspace&, DaeJacobians<S>&) const;           \
  template void MultibodySystem<S>::pullback_force(const ScalarForce&, const Instant&, const Segment&,       \
                                                   SystemWorkspace&, S*) const;                              \
  template void MultibodySystem<S>::push_forward_force(                                                      \
      const ScalarForce&, const Instant&, const ConstColumns&, SystemWorkspace&, Columns) const;             \
  template S MultibodySystem<S>::force_energy(const ScalarForce&, const Instant&, SystemWorkspace&) const;   \
  template void MultibodySystem<S>::add_force_energy_partials(const ScalarForce&, const Instant&, double,    \
                                                              SystemWorkspace&, Eigen::Ref<Vec>, S*) const;  \
  template typename MultibodySystem<S>::Momentum MultibodySystem<S>::momentum(const Instant&, Workspace&)    \
      const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
