#include "floating_frame/joint_angle.hpp"

#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "mechanism/scalar_coordinate.hpp"

namespace kurbel {

namespace {

template <class S>
RelativeRows<S> pair_of_hinge(const MultibodySystem<S>& system, const std::string& joint) {
  const JointSpec& spec = system.joint_rows(joint).spec;
  if (!is_hinge(spec)) throw InputError(fmt::format("joint {} has no angle about an axis of its own", joint));
  RelativeRows<S> pair(system.resolve(spec.to, joint), system.resolve(spec.from, joint));
  pair.add_direction_cosine(0, 0);
  pair.add_direction_cosine(1, 0);
  return pair;
}

}  // namespace

/// The rows c = (cosine, sine), s(c) and s_dot = sum_i s_i c_dot_i.
template <class S>
struct JointAngle<S>::State {
  typename Pair::Ends ends;
  typename Pair::Derivatives rows{};
  ScalarCoordinate<S> s{};
  S rate = S(0);
};

template <class S>
JointAngle<S>::JointAngle(const MultibodySystem<S>& system, const std::string& joint, JointAngleKind kind,
                          TimeFunctionPtr around)
    : system_(system),
      pair_(pair_of_hinge(system, joint)),
      kind_(kind),
      around_(std::move(around)),
      ws_(system.make_workspace()),
      rows_(std::make_unique<typename Pair::Workspace>(pair_.n_tangent())) {}

template <class S>
typename JointAngle<S>::State JointAngle<S>::state(const Instant& at) const {
  State state{system_.ends_at(pair_, at, *ws_)};
  pair_.derivatives(system_.parameters().data(), state.ends, *rows_, state.rows);
  const double around = around_ ? around_->at(at.t).value : 0.0;
  state.s = angle_coordinate<S>(state.rows.c[0], state.rows.c[1], around);
  for (int i = 0; i < 2; ++i) state.rate += state.s.d1[i] * state.rows.c_dot[i];
  return state;
}

template <class S>
Rows<S> JointAngle<S>::value(const Instant& at) const {
  const State now = state(at);
  return Rows<S>::Constant(1, kind_ == JointAngleKind::angle ? now.s.s : now.rate);
}

/// d s = sum_i s_i dc_i and d s_dot = sum_i s_i dc_dot_i + sum_ij s_ij c_dot_i dc_j.
template <class S>
void JointAngle<S>::add_partials(const Instant& at, const Rows<S>& z_bar, Bar& bar,
                                 Eigen::Ref<VectorX<S>> p_bar) const {
  const State now = state(at);
  S on_value[2] = {S(0), S(0)}, on_rate[2] = {S(0), S(0)};
  for (int i = 0; i < 2; ++i) {
    if (kind_ == JointAngleKind::angle) {
      on_value[i] = z_bar[0] * now.s.d1[i];
      continue;
    }
    on_rate[i] = z_bar[0] * now.s.d1[i];
    for (int j = 0; j < 2; ++j) on_value[j] += z_bar[0] * now.s.d2[i][j] * now.rows.c_dot[i];
  }
  const auto add_end = [&](const MarkerPlace& place, Eigen::Index l) {
    if (place.body < 0) return;
    const Eigen::Index g = system_.v_offset(static_cast<std::size_t>(place.body)), n = place.n_tangent();
    for (int i = 0; i < 2; ++i) {
      const auto c_x = now.rows.c_x.row(i).segment(l, n).transpose();
      const auto c_dot_x = now.rows.c_dot_x.row(i).segment(l, n).transpose();
      bar.x.segment(g, n) += on_value[i] * c_x + on_rate[i] * c_dot_x;
      bar.v.segment(g, n) += on_rate[i] * c_x;
    }
  };
  add_end(pair_.to(), 0);
  add_end(pair_.from(), pair_.to().n_tangent());
  pair_.pullback(system_.parameters().data(), now.ends, on_value, on_rate, nullptr, p_bar.data());
}

template class JointAngle<InstantiatedScalar>;

}  // namespace kurbel
