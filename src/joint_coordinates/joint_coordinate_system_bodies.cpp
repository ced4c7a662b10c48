/// What is observed of the bodies.
#include "base/instantiate.hpp"
#include "joint_coordinates/joint_coordinate_system_detail.hpp"

namespace kurbel {

template <class S>
const std::vector<Vector6<S>>& JointCoordinateSystem<S>::carried_forces(const Instant& at,
                                                                        Workspace& workspace_in) const {
  TreeWorkspace& ws = workspace(workspace_in);
  sum_forces(move(at, ws), ws, ws.c);
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    if (tree_.stages()[i].body >= 0)
      ws.carried[i] = ws.motion[static_cast<int>(i)].frame().wrench_to_body(ws.carried[i]);
  }
  return ws.carried;
}

template <class S>
void JointCoordinateSystem<S>::open_joints(const Instant& at,
                                           const std::vector<std::pair<int, Vector6<S>>>& openings,
                                           Workspace& workspace_in, Eigen::Ref<Vec> mu) const {
  TreeWorkspace& ws = workspace(workspace_in);
  move(at, ws);
  std::vector<Vector6<S>>& motion = ws.virtual_after;
  for (Vector6<S>& twist : motion) twist.setZero();
  for (const auto& [stage, twist] : openings)
    motion[static_cast<std::size_t>(stage)] = ws.motion[stage].frame().twist_to_inertial(twist);
  for (int i = 0; i < static_cast<int>(tree_.n_stages()); ++i) {
    const TreeStage& stage = tree_.stages()[static_cast<std::size_t>(i)];
    Vector6<S>& own = motion[static_cast<std::size_t>(i)];
    if (stage.parent >= 0)
      own += ws.motion.twist_from_parent(i, motion[static_cast<std::size_t>(stage.parent)]);
    if (stage.body >= 0) {
      mu.template segment<6>(cut_.v_offset(static_cast<std::size_t>(stage.body))) =
          ws.motion[i].frame().twist_to_body(own);
    }
  }
}

template <class S>
void JointCoordinateSystem<S>::pull_back_bodies(const Instant& at, const Segment& x_bar, const Segment& v_bar,
                                                const Segment& v_dot_bar, Workspace& workspace_in,
                                                DaeInstantBar<S>& bar, Eigen::Ref<Vec> p_bar) const {
  TreeWorkspace& ws = workspace(workspace_in);
  move(at, ws);
  set_bars(x_bar, v_bar, v_dot_bar, ws);
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const TreeStage& stage = tree_.stages()[i];
    const VariationBar<S>& own = ws.bars[i];
    const Columns6<S>& s = ws.motion[static_cast<int>(i)].s;
    for (Eigen::Index k = 0; k < stage.n_v(); ++k) {
      const Variation<S> x = ws.motion.by_position(static_cast<int>(i), k),
                         v = ws.motion.by_velocity(static_cast<int>(i), k);
      bar.x[stage.v + k] +=
          (x.eta.transpose() * own.eta + x.u.transpose() * own.u + x.a.transpose() * own.a).value();
      bar.v[stage.v + k] += (v.u.transpose() * own.u + v.a.transpose() * own.a).value();
      bar.v_dot[stage.v + k] += (s.col(k).transpose() * own.a).value();
    }
  }
  add_point_bars(false, ws, p_bar);
}

#define KURBEL_INSTANTIATE(S)                                                                              \
  template const std::vector<Vector6<S>>& JointCoordinateSystem<S>::carried_forces(const Instant&,         \
                                                                                   Workspace&) const;      \
  template void JointCoordinateSystem<S>::open_joints(                                                     \
      const Instant&, const std::vector<std::pair<int, Vector6<S>>>&, Workspace&, Eigen::Ref<Vec>) const;  \
  template void JointCoordinateSystem<S>::pull_back_bodies(const Instant&, const Segment&, const Segment&, \
                                                           const Segment&, Workspace&, DaeInstantBar<S>&,  \
                                                           Eigen::Ref<Vec>) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
