#include "joint_coordinates/joint_coordinate_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/instantiate.hpp"
#include "joint_coordinates/joint_coordinate_system_detail.hpp"
#include "joint_coordinates/joint_start.hpp"

namespace kurbel {

namespace {

using Kind = TreeStage::Kind;

/// The rotation of a spherical stage, or the pose of a free one.
template <class S, class Coordinates>
Pose<S> pose_of(const TreeStage& stage, const Coordinates& x) {
  if (stage.kind == Kind::spherical) return {Vector3<S>::Zero(), x.template segment<4>(stage.x)};
  return {x.template segment<3>(stage.x), x.template segment<4>(stage.x + 3)};
}

template <class S, class Increment>
Vector6<S> increment_of(const TreeStage& stage, const Increment& xi) {
  Vector6<S> six = Vector6<S>::Zero();
  six.tail(stage.n_v()) = xi.segment(stage.v, stage.n_v());
  return six;
}

bool is_group(const TreeStage& stage) {
  return stage.kind == Kind::spherical || stage.kind == Kind::free;
}

}  // namespace

template <class S>
JointCoordinateSystem<S>::JointCoordinateSystem(const MultibodySystem<S>& system_of_bodies,
                                                ReferencePoint point)
    : JointCoordinateSystem(system_of_bodies, choose_spanning_tree(system_of_bodies.spec()), point) {}

template <class S>
JointCoordinateSystem<S>::JointCoordinateSystem(const MultibodySystem<S>& system_of_bodies,
                                                std::vector<TreeLink> links, ReferencePoint point)
    : system_of_bodies_(system_of_bodies),
      links_(std::move(links)),
      cut_(without_tree_joints(system_of_bodies.spec(), links_)),
      tree_(system_of_bodies.spec(), links_,
            [&](const MarkerRef& ref, const std::string& owner) {
              return system_of_bodies.resolve(ref, owner);
            }),
      point_(point),
      is_acted_on_(tree_.n_stages(), false) {
  cut_.set_parameters(system_of_bodies.parameters());
  const std::vector<bool> bodies = cut_.acts_on();
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const int body = tree_.stages()[i].body;
    is_acted_on_[i] = body >= 0 && bodies[static_cast<std::size_t>(body)];
  }
}

template <class S>
std::unique_ptr<typename JointCoordinateSystem<S>::Workspace> JointCoordinateSystem<S>::make_workspace()
    const {
  return std::make_unique<TreeWorkspace>(*this);
}

template <class S>
std::unique_ptr<Start<S>> JointCoordinateSystem<S>::make_start() const {
  return std::make_unique<JointStart<S>>(*this);
}

template <class S>
std::vector<Eigen::Index> JointCoordinateSystem<S>::indices_of_multipliers() const {
  std::vector<Eigen::Index> indices(static_cast<std::size_t>(cut_.n_c()));
  for (const JointSpec& joint : cut_.spec().joints) {
    const auto all = system_of_bodies_.joint_rows(joint.name), left = cut_.joint_rows(joint.name);
    for (std::size_t i = 0; i < left.dofs.size(); ++i) {
      const auto same = std::ranges::find(all.dofs, left.dofs[i]);
      indices[static_cast<std::size_t>(left.first) + i] = all.first + (same - all.dofs.begin());
    }
  }
  return indices;
}

/// Moves the tree to an instant of the coordinates.
template <class S>
void JointCoordinateSystem<S>::move_tree(const Instant& at, TreeWorkspace& ws) const {
  if (ws.known.is_of(revision_, at)) return;
  ws.known.forget();
  ws.motion.set_position(parameters().data(), at.x);
  ws.motion.set_velocity(at.v);
  ws.motion.set_acceleration(at.v, at.v_dot);
  set_inertias(ws);
  ws.known.begin(revision_, at);
}

/// The same, and the frames, v and v_dot of the bodies that parts act on.
template <class S>
typename JointCoordinateSystem<S>::Instant JointCoordinateSystem<S>::move(const Instant& at,
                                                                          TreeWorkspace& ws) const {
  move_tree(at, ws);
  if (!std::exchange(ws.known.placed, true)) {
    place_bodies(ws);
    if (!ws.known.bodies) set_rates(true, ws);
  }
  return {at.t, ws.x, ws.v, ws.v_dot, at.lambda};
}

/// Moves the tree, and finds x, v and v_dot of all bodies.
template <class S>
typename JointCoordinateSystem<S>::Instant JointCoordinateSystem<S>::move_bodies(const Instant& at,
                                                                                 TreeWorkspace& ws) const {
  move_tree(at, ws);
  if (!std::exchange(ws.known.bodies, true)) {
    set_bodies(at.x, ws);
    set_rates(false, ws);
  }
  return {at.t, ws.x, ws.v, ws.v_dot, at.lambda};
}

/// Moves the tree and finds what move() and move_bodies() find.
template <class S>
typename JointCoordinateSystem<S>::Instant JointCoordinateSystem<S>::move_all(const Instant& at,
                                                                              TreeWorkspace& ws) const {
  move_bodies(at, ws);
  return move(at, ws);
}

template <class S>
void JointCoordinateSystem<S>::set_inertias(TreeWorkspace& ws) const {
  const S* p = parameters().data();
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    if (tree_.stages()[i].body < 0) continue;
    const auto body = static_cast<std::size_t>(tree_.stages()[i].body);
    ws.inertias[i].set(cut_.layout().body(body), p, ws.motion[static_cast<int>(i)].frame());
  }
}

/// Places the frames of the bodies that parts act on.
template <class S>
void JointCoordinateSystem<S>::place_bodies(TreeWorkspace& ws) const {
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    if (!is_acted_on_[i]) continue;
    const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
    cut_.place(static_cast<std::size_t>(tree_.stages()[i].body), m.r, m.A, *ws.of_bodies);
  }
}

/// v and v_dot of all bodies, or of those that parts act on.
template <class S>
void JointCoordinateSystem<S>::set_rates(bool of_acted_on, TreeWorkspace& ws) const {
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const int body = tree_.stages()[i].body;
    if (body < 0 || (of_acted_on && !is_acted_on_[i])) continue;
    const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
    const FrameChange<S> frame = m.frame();
    const Eigen::Index o = cut_.v_offset(static_cast<std::size_t>(body));
    ws.v.template segment<6>(o) = frame.twist_to_body(m.V);
    ws.v_dot.template segment<6>(o) = frame.twist_to_body(m.acceleration);
  }
}

/// x of all bodies.
template <class S>
void JointCoordinateSystem<S>::set_bodies(const Segment& z, TreeWorkspace& ws) const {
  const std::vector<Quaternion<S>>& attitudes = ws.motion.attitudes(z);
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const int body = tree_.stages()[i].body;
    if (body < 0) continue;
    const Eigen::Index o = cut_.x_offset(static_cast<std::size_t>(body));
    ws.x.template segment<3>(o) = ws.motion[static_cast<int>(i)].r;
    ws.x.template segment<4>(o + 3) = attitudes[i];
  }
}

template <class S>
void JointCoordinateSystem<S>::sum_forces(const OneSidedTime& t, const Segment& lambda,
                                          TreeWorkspace& ws) const {
  if (std::exchange(ws.known.forces, true)) return;
  const Vector3<S> g = gravity();
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
    if (tree_.stages()[i].body >= 0) {
      ws.own[i] = ws.inertias[i].wrench(m.V, m.acceleration, g);
    } else {
      ws.own[i].setZero();
    }
  }
  cut_.add_rigid_parts(t, lambda, ws.bodies, *ws.of_bodies, ws.constraints);
  ws.carried = ws.own;
  ws.motion.accumulate(ws.carried);
}

template <class S>
void JointCoordinateSystem<S>::residual(const Instant& at, Workspace& workspace_in, Eigen::Ref<Vec> f,
                                        Eigen::Ref<Vec> c) const {
  TreeWorkspace& ws = workspace(workspace_in);
  move_tree(at, ws);
  sum_forces(at.t, at.lambda, ws);
  c = ws.constraints.c0;
  project_forces(ws, f);
}

/// B^T f_b
template <class S>
void JointCoordinateSystem<S>::project_forces(const TreeWorkspace& ws, Eigen::Ref<Vec> f) const {
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const TreeStage& stage = tree_.stages()[i];
    with_columns_of(stage, ws.motion[static_cast<int>(i)], [&](const auto& s) {
      constexpr int n = std::decay_t<decltype(s)>::ColsAtCompileTime;
      f.template segment<n>(stage.v).noalias() = s.transpose() * ws.carried[i];
    });
  }
}

template <class S>
void JointCoordinateSystem<S>::retract(const Segment& x, const Segment& xi, Eigen::Ref<Vec> x_new) const {
  for (const TreeStage& stage : tree_.stages()) {
    if (!is_group(stage)) {
      if (stage.kind != Kind::rigid) x_new[stage.x] = x[stage.x] + xi[stage.v];
      continue;
    }
    const Pose<S> next = kurbel::retract<S>(pose_of<S>(stage, x), increment_of<S>(stage, xi));
    if (stage.kind == Kind::free) x_new.template segment<3>(stage.x) = next.r;
    x_new.template segment<4>(stage.x + stage.n_x() - 4) = next.e;
  }
}

template <class S>
void JointCoordinateSystem<S>::increment(const Segment& x, const Segment& x_new, Eigen::Ref<Vec> xi) const {
  for (const TreeStage& stage : tree_.stages()) {
    if (is_group(stage)) {
      xi.segment(stage.v, stage.n_v()) =
          kurbel::increment<S>(pose_of<S>(stage, x), pose_of<S>(stage, x_new)).tail(stage.n_v());
    } else if (stage.kind != Kind::rigid) {
      xi[stage.v] = x_new[stage.x] - x[stage.x];
    }
  }
}

template <class S>
void JointCoordinateSystem<S>::retraction_derivative(const Segment& xi,
                                                     std::vector<RetractionBlock<S>>& blocks) const {
  blocks.clear();
  for (const TreeStage& stage : tree_.stages()) {
    if (!is_group(stage)) continue;
    const auto d = kurbel::retraction_derivative<S>(increment_of<S>(stage, xi));
    const Eigen::Index n = stage.n_v();
    blocks.push_back({stage.v, d.T.bottomRightCorner(n, n), d.Ad.bottomRightCorner(n, n)});
  }
}

template <class S>
std::string JointCoordinateSystem<S>::coordinate_name(Eigen::Index i) const {
  const TreeStage& stage = tree_.stage_of_velocity(i);
  if (stage.joint >= 0) return "joint " + cut_.spec().joints[static_cast<std::size_t>(stage.joint)].name;
  return "body " + cut_.spec().bodies[static_cast<std::size_t>(stage.body)].name;
}

template <class S>
Eigen::Index JointCoordinateSystem<S>::dof_of(Eigen::Index i) const {
  const TreeStage& stage = tree_.stage_of_velocity(i);
  switch (stage.kind) {
    case Kind::revolute:
      return 3 + stage.axis;
    case Kind::prismatic:
      return stage.axis;
    case Kind::spherical:
      return 3 + i - stage.v;
    case Kind::rigid:
    case Kind::free:
      break;
  }
  return i - stage.v;
}

template <class S>
std::string JointCoordinateSystem<S>::coordinate_label(Eigen::Index i) const {
  const TreeStage& stage = tree_.stage_of_velocity(i);
  const SystemSpec& spec = cut_.spec();
  const std::string& owner = stage.joint >= 0 ? spec.joints[static_cast<std::size_t>(stage.joint)].name
                                              : spec.bodies[static_cast<std::size_t>(stage.body)].name;
  return owner + "." + relative_dof_names[static_cast<std::size_t>(dof_of(i))];
}

template class JointCoordinateSystem<InstantiatedScalar>;

}  // namespace kurbel
