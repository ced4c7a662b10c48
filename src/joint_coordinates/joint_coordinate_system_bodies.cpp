/// What is observed of the bodies.
#include "base/instantiate.hpp"
#include "joint_coordinates/joint_coordinate_system_detail.hpp"

namespace kurbel {

template <class S>
const std::vector<Vector6<S>>& JointCoordinateSystem<S>::carried_forces(const Instant& at,
                                                                        Workspace& workspace_in) const {
  TreeWorkspace& ws = workspace(workspace_in);
  move_tree(at, ws);
  sum_forces(at.t, at.lambda, ws);
  ws.known.forces = false;  // for they leave the inertial axes
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
  move_tree(at, ws);
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

/// Adds s^T of what multiplies the variations of each stage by its coordinates and velocities (tree_motion.hpp).
template <class S>
void JointCoordinateSystem<S>::project_bars(const TreeWorkspace& ws, Eigen::Ref<Vec> x_bar,
                                            Eigen::Ref<Vec> v_bar) const {
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const TreeStage& stage = tree_.stages()[i];
    const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
    const VariationBar<S>& own = ws.bars[i];
    const Vector6<S> u = own.u + ad_transposed<S>(m.V_before, own.a);
    x_bar.segment(stage.v, stage.n_v()).noalias() +=
        m.s.transpose() *
        (own.eta + ad_transposed<S>(m.V_before, u) + ad_transposed<S>(m.acceleration_before, own.a));
    v_bar.segment(stage.v, stage.n_v()).noalias() += m.s.transpose() * (u + ad_transposed<S>(m.V, own.a));
  }
}

template <class S>
void JointCoordinateSystem<S>::pull_back_bodies(const Instant& at, const Segment& x_bar, const Segment& v_bar,
                                                const Segment& v_dot_bar, Workspace& workspace_in,
                                                DaeInstantBar<S>& bar, Eigen::Ref<Vec> p_bar) const {
  TreeWorkspace& ws = workspace(workspace_in);
  move_tree(at, ws);
  set_bars(x_bar, v_bar, v_dot_bar, ws);
  ws.motion.accumulate(ws.bars);
  project_bars(ws, bar.x, bar.v);
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const TreeStage& stage = tree_.stages()[i];
    bar.v_dot.segment(stage.v, stage.n_v()).noalias() +=
        ws.motion[static_cast<int>(i)].s.transpose() * ws.bars[i].a;
  }
  add_point_bars(false, ws, p_bar);
}

#define KURBEL_INSTANTIATE(S)                                                                              \
  template const std::vector<Vector6<S>>& JointCoordinateSystem<S>::carried_forces(const Instant&,         \
                                                                                   Workspace&) const;      \
  template void JointCoordinateSystem<S>::open_joints(                                                     \
      const Instant&, const std::vector<std::pair<int, Vector6<S>>>&, Workspace&, Eigen::Ref<Vec>) const;  \
  template void JointCoordinateSystem<S>::project_bars(const TreeWorkspace&, Eigen::Ref<Vec>,              \
                                                       Eigen::Ref<Vec>) const;                             \
  template void JointCoordinateSystem<S>::pull_back_bodies(const Instant&, const Segment&, const Segment&, \
                                                           const Segment&, Workspace&, DaeInstantBar<S>&,  \
                                                           Eigen::Ref<Vec>) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
