#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "floating_frame/marker_shapes.hpp"
#include "floating_frame/multibody_system.hpp"
#include "floating_frame/multibody_system_detail.hpp"
#include "floating_frame/row_forces.hpp"

namespace kurbel {

/// Forces of an element on its rows at one instant, from c, c_dot and c_x.
template <class S>
struct MultibodySystem<S>::ForceState {
  const typename RelativeRows<S>::Derivatives& rows;
  RowForces<S> on;
};

template <class S>
RowForces<S> MultibodySystem<S>::forces_on_rows(const ForceElement& element, const Vec& c, const Vec& c_dot,
                                                const Vec& controls) const {
  if (element.law_of_pair) {
    const auto xi = p_.segment(element.numbers.offset, element.numbers.rows);
    return RowForces<S>(element.law_of_pair->forces(c, c_dot, xi));
  }
  const SpringNumbers<S> numbers = numbers_of(element);
  if (element.numbers.size() > 0 && !element.is_angle) {
    return element.is_in_space()
               ? forces_in_space<S>(element.law, c.template head<3>(), c_dot.template head<3>(), numbers)
               : forces_along_line<S>(element.law, c[0], c_dot[0], numbers);
  }
  const ScalarCoordinate<S> s =
      element.is_angle ? angle_coordinate<S>(c[0], c[1], real_part(numbers.s0)) : length_coordinate<S>(c[0]);
  return forces_on_coordinate(s, c_dot, numbers, element.control < 0 ? S(0) : controls[element.control]);
}

template <class S>
SpringNumbers<S> MultibodySystem<S>::numbers_of(const ForceElement& element) const {
  if (element.numbers.size() == 0) return {};
  const Eigen::Index first = element.numbers.offset;
  return {p_[first], p_[first + 1], p_[first + 2]};
}

/// c_dot = c_x v, for no drive turns or shifts these rows; what else derivatives() finds is not there.
template <class S>
typename MultibodySystem<S>::ForceState MultibodySystem<S>::force_state(const ForceElement& force,
                                                                        const Instant& at,
                                                                        SystemWorkspace& ws) const {
  auto& rows = rows_of(force, ws);
  rows.c_dot.setZero(force.rows.n_rows());
  for_each_end(force.rows, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
    rows.c_dot.noalias() += rows.c_x.middleCols(l, size) * at.v.segment(g, size);
  });
  return {rows, forces_on_rows(force, rows.c, rows.c_dot, ws.u)};
}

/// c and c_x, without rates.
template <class S>
auto MultibodySystem<S>::rows_of(const ForceElement& force, SystemWorkspace& ws) const ->
    typename RelativeRows<S>::Derivatives& {
  auto& rows = ws.force_derivatives[static_cast<std::size_t>(&force - forces_.data())];
  const Eigen::Index n = force.rows.n_rows();
  rows.c.resize(n), rows.c_x.resize(n, force.rows.n_tangent());
  force.rows.values_and_jacobian(p_.data(), ends(force.rows, ws, nullptr, nullptr), rows.c, rows.c_x);
  return rows;
}

template <class S>
auto MultibodySystem<S>::element_forces(const Instant& at, Workspace& workspace_in) const -> Vec {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  update_controls(at.t, ws);
  Vec forces(static_cast<Eigen::Index>(forces_.size()));
  for (std::size_t i = 0; i < forces_.size(); ++i)
    forces[static_cast<Eigen::Index>(i)] = force_state(forces_[i], at, ws).on.along;
  return forces;
}

template <class S>
std::size_t MultibodySystem<S>::spring_index(const std::string& name) const {
  for (std::size_t i = 0; i < spec_.springs.size(); ++i) {
    if (spec_.springs[i].name == name) return i;
  }
  throw InputError(fmt::format("there is no spring {}", name));
}

/// Half of the squared length of what acts between two places.
template <class S>
S MultibodySystem<S>::half_square(const ForceElement& line, const Vec& c) const {
  return line.is_in_space() ? S(0.5 * (c.transpose() * c).value()) : c[0];
}

template <class S>
S MultibodySystem<S>::spring_length(std::size_t spring, const Instant& at, Workspace& workspace_in) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  using std::sqrt;
  return sqrt(2.0 * half_square(forces_[spring], rows_of(forces_[spring], ws).c));
}

/// f += C^T W
template <class S>
void MultibodySystem<S>::add_on_rows(const ForceElement& force,
                                     const typename RelativeRows<S>::Derivatives& rows,
                                     const PairVector<S>& W, Eigen::Ref<Vec> f) const {
  for_each_end(force.rows, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
    for (Eigen::Index i = 0; i < force.rows.n_rows(); ++i)
      f.segment(g, size) += W[i] * rows.c_x.row(i).segment(l, size).transpose();
  });
}

template <class S>
void MultibodySystem<S>::add_force_residual(const ForceElement& force, const Instant& at, SystemWorkspace& ws,
                                            Eigen::Ref<Vec> f) const {
  const ForceState state = force_state(force, at, ws);
  add_on_rows(force, state.rows, state.on.W, f);
}

template <class S>
void MultibodySystem<S>::add_force_jacobians(const ForceElement& force, const Instant& at,
                                             SystemWorkspace& ws, DaeJacobians<S>& out) const {
  auto& d = ws.force_derivatives[static_cast<std::size_t>(&force - forces_.data())];
  force.rows.derivatives(p_.data(), ends(force.rows, ws, at.v.data(), nullptr), ws.rows, d);
  const RowForces<S> on = forces_on_rows(force, d.c, d.c_dot, ws.u);
  const Eigen::Index n = force.rows.n_rows(), n_t = force.rows.n_tangent();
  auto c_x = ws.row_x.head(n_t), W_x = ws.W_x.head(n_t);
  auto K = ws.K_local.topLeftCorner(n_t, n_t);
  force.rows.reaction_jacobian(p_.data(), ends(force.rows, ws, nullptr, nullptr), on.W.data(), ws.rows, K);
  for (Eigen::Index i = 0; i < n; ++i) {
    c_x = d.c_x.row(i).transpose();
    W_x.setZero();
    for (Eigen::Index j = 0; j < n; ++j) {
      W_x += on.W_c(i, j) * d.c_x.row(j).transpose();
      W_x += on.W_cdot(i, j) * d.c_dot_x.row(j).transpose();
    }
    K.noalias() += c_x * W_x.transpose();
  }
  add_block(force.rows, K, out.f_x);
  K.setZero();
  for (Eigen::Index i = 0; i < n; ++i) {
    c_x = d.c_x.row(i).transpose();
    W_x.setZero();
    for (Eigen::Index j = 0; j < n; ++j) W_x += on.W_cdot(i, j) * d.c_x.row(j).transpose();
    K.noalias() += c_x * W_x.transpose();
  }
  add_block(force.rows, K, out.f_v);
}

template <class S>
void MultibodySystem<S>::pullback_force(const ForceElement& force, const Instant& at, const Segment& mu,
                                        SystemWorkspace& ws, S* p_bar) const {
  const ForceState state = force_state(force, at, ws);
  const RowForces<S>& on = state.on;
  PairVector<S> row_rate = PairVector<S>::Zero(force.rows.n_rows());  // C mu
  for (Eigen::Index i = 0; i < force.rows.n_rows(); ++i) {
    for_each_end(force.rows, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
      row_rate[i] += (state.rows.c_x.row(i).segment(l, size) * mu.segment(g, size)).value();
    });
  }
  if (force.numbers.size() > 0) view(force.numbers, p_bar) += on.W_xi.transpose() * row_rate;
  if (force.control >= 0) add_control_bar(ws, force.control, (on.W_u.transpose() * row_rate).value(), p_bar);

  const PairVector<S> on_value = on.W_c.transpose() * row_rate, on_rate = on.W_cdot.transpose() * row_rate;
  force.rows.pullback(p_.data(), ends(force.rows, ws, at.v.data(), nullptr), on_value.data(), on_rate.data(),
                      nullptr, p_bar);
  force.rows.pullback(p_.data(), ends(force.rows, ws, mu.data(), nullptr), nullptr, on.W.data(), nullptr,
                      p_bar);
}

template <class S>
void MultibodySystem<S>::push_forward_force(const ForceElement& force, const Instant& at,
                                            const ConstColumns& p_dot, SystemWorkspace& ws,
                                            Columns f_p) const {
  const ForceState state = force_state(force, at, ws);
  const RowForces<S>& on = state.on;
  const Eigen::Index n = force.rows.n_rows(), m = p_dot.cols();
  const Ends e = ends(force.rows, ws, at.v.data(), nullptr);
  auto c_p = ws.c0_p.topLeftCorner(n, m), rate_p = ws.c1_p.topLeftCorner(n, m);
  force.rows.push_forward(p_.data(), p_dot, e, c_p, rate_p, ws.c2_p.topLeftCorner(n, m));
  auto reaction = ws.reaction_p.topLeftCorner(force.rows.n_tangent(), m);
  force.rows.push_forward_reaction(p_.data(), p_dot, e, on.W.data(), reaction);

  for (Eigen::Index column = 0; column < m; ++column) {
    const auto direction = p_dot.col(column);
    PairVector<S> W_p = PairVector<S>::Zero(n);
    if (force.numbers.size() > 0)
      W_p += on.W_xi * direction.segment(force.numbers.offset, force.numbers.rows);
    if (force.control >= 0) W_p += control_direction(ws, force.control, direction.data()) * on.W_u;
    for (Eigen::Index j = 0; j < n; ++j)
      W_p += c_p(j, column) * on.W_c.col(j) + rate_p(j, column) * on.W_cdot.col(j);
    for (Eigen::Index i = 0; i < n; ++i) reaction.col(column) += W_p[i] * state.rows.c_x.row(i).transpose();
  }
  for_each_end(force.rows, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
    f_p.middleRows(g, size) += reaction.middleRows(l, size);
  });
}

template <class S>
SpringEnergy<S> MultibodySystem<S>::energy_of(const ForceElement& force, const Vec& c) const {
  const SpringNumbers<S> spring = numbers_of(force);
  if (!force.is_angle) return spring_energy(force.law, half_square(force, c), spring.k, spring.s0);
  const S turn = angle_coordinate<S>(c[0], c[1], real_part(spring.s0)).s - spring.s0;
  return {0.5 * spring.k * turn * turn, 0.5 * turn * turn, -spring.k * turn};
}

template <class S>
S MultibodySystem<S>::force_energy(const ForceElement& force, SystemWorkspace& ws) const {
  if (force.numbers.size() == 0) return S(0);
  const Vec& c = rows_of(force, ws).c;
  if (force.law_of_pair)
    return force.law_of_pair->energy(c, p_.segment(force.numbers.offset, force.numbers.rows));
  return energy_of(force, c).V;
}

template <class S>
void MultibodySystem<S>::add_force_energy_partials(const ForceElement& force, double weight,
                                                   SystemWorkspace& ws, Eigen::Ref<Vec> x_bar,
                                                   S* p_bar) const {
  if (force.numbers.size() == 0) return;
  auto& rows = rows_of(force, ws);
  rows.c_dot.setZero(force.rows.n_rows());  // at rest W = dV/dc
  const PairVector<S> on_value = weight * forces_on_rows(force, rows.c, rows.c_dot, ws.u).W;
  add_on_rows(force, rows, on_value, x_bar);
  auto bar = view<Eigen::Dynamic>(force.numbers, p_bar).col(0);
  if (force.law_of_pair) {
    force.law_of_pair->add_energy_partials(rows.c, p_.segment(force.numbers.offset, force.numbers.rows),
                                           weight, bar);
  } else {
    const SpringEnergy<S> energy = energy_of(force, rows.c);
    bar[0] += weight * energy.V_c, bar[2] += weight * energy.V_l0;
  }
  force.rows.pullback(p_.data(), ends(force.rows, ws, nullptr, nullptr), on_value.data(), nullptr, nullptr,
                      p_bar);
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
  template RowForces<S> MultibodySystem<S>::forces_on_rows(const ForceElement&, const Vec&, const Vec&,      \
                                                           const Vec&) const;                                \
  template S MultibodySystem<S>::spring_length(std::size_t, const Instant&, Workspace&) const;               \
  template void MultibodySystem<S>::add_force_residual(const ForceElement&, const Instant&,                  \
                                                       SystemWorkspace&, Eigen::Ref<Vec>) const;             \
  template void MultibodySystem<S>::add_force_jacobians(const ForceElement&, const Instant&,                 \
                                                        SystemWorkspace&, DaeJacobians<S>&) const;           \
  template void MultibodySystem<S>::pullback_force(const ForceElement&, const Instant&, const Segment&,      \
                                                   SystemWorkspace&, S*) const;                              \
  template void MultibodySystem<S>::push_forward_force(                                                      \
      const ForceElement&, const Instant&, const ConstColumns&, SystemWorkspace&, Columns) const;            \
  template S MultibodySystem<S>::force_energy(const ForceElement&, SystemWorkspace&) const;                  \
  template void MultibodySystem<S>::add_force_energy_partials(const ForceElement&, double, SystemWorkspace&, \
                                                              Eigen::Ref<Vec>, S*) const;                    \
  template typename MultibodySystem<S>::Momentum MultibodySystem<S>::momentum(const Instant&, Workspace&)    \
      const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
