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
  typename ObservedPair<S>::State pair;
  ScalarCoordinate<S> s{};
  S rate = S(0);
};

template <class S>
JointAngle<S>::JointAngle(const MultibodySystem<S>& system, const std::string& joint, JointAngleKind kind,
                          TimeFunctionPtr around)
    : pair_(system, pair_of_hinge(system, joint)), kind_(kind), around_(std::move(around)) {}

template <class S>
typename JointAngle<S>::State JointAngle<S>::state(const Instant& at) const {
  State state{pair_.state(at)};
  const VectorX<S>&c = state.pair.rows.c, &c_dot = state.pair.rows.c_dot;
  const double around = around_ ? around_->at(at.t).value : 0.0;
  state.s = angle_coordinate<S>(c[0], c[1], around);
  for (int i = 0; i < 2; ++i) state.rate += state.s.d1[i] * c_dot[i];
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
    for (int j = 0; j < 2; ++j) on_value[j] += z_bar[0] * now.s.d2[i][j] * now.pair.rows.c_dot[i];
  }
  pair_.add_partials(now.pair, on_value, on_rate, bar, p_bar);
}

template class JointAngle<InstantiatedScalar>;

}  // namespace kurbel
