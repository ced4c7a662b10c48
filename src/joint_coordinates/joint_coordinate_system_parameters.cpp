/// Derivatives by the parameters: those of bodies and forces, and the points of the joints of the tree.
#include <algorithm>

#include "base/instantiate.hpp"
#include "joint_coordinates/joint_coordinate_system_detail.hpp"

namespace kurbel {

/// Virtual velocities s mu of all stages, and those of the bodies in their frames.
template <class S>
void JointCoordinateSystem<S>::virtual_motion(const Segment& mu, TreeWorkspace& ws) const {
  for (int i = 0; i < static_cast<int>(tree_.n_stages()); ++i) {
    const TreeStage& stage = tree_.stages()[static_cast<std::size_t>(i)];
    Vector6<S>& before = ws.virtual_before[static_cast<std::size_t>(i)];
    Vector6<S>& after = ws.virtual_after[static_cast<std::size_t>(i)];
    before.setZero();
    if (stage.parent >= 0)
      before = ws.motion.twist_from_parent(i, ws.virtual_after[static_cast<std::size_t>(stage.parent)]);
    after = before;
    with_columns_of(stage, ws.motion[i], [&](const auto& s) {
      after.noalias() += s * mu.template segment<std::decay_t<decltype(s)>::ColsAtCompileTime>(stage.v);
    });
    if (stage.body >= 0) {
      ws.mu.template segment<6>(cut_.v_offset(static_cast<std::size_t>(stage.body))) =
          ws.motion[i].frame().twist_to_body(after);
    }
  }
}

/// Sets the factors of the variations of the body of each stage, from sensitivities by its x, v and v_dot.
template <class S>
void JointCoordinateSystem<S>::set_bars(const Segment& x_bar, const Segment& v_bar, const Segment& v_dot_bar,
                                        TreeWorkspace& ws) const {
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const int body = tree_.stages()[i].body;
    ws.bars[i] = {};
    if (body < 0) continue;
    const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
    const FrameChange<S> frame = m.frame();
    const Eigen::Index o = cut_.v_offset(static_cast<std::size_t>(body));
    const VariationBar<S> own{x_bar.template segment<6>(o), v_bar.template segment<6>(o),
                              v_dot_bar.template segment<6>(o)};
    if (own.is_zero()) continue;
    VariationBar<S>& bar = ws.bars[i];
    bar.eta = frame.wrench_to_inertial(own.eta);
    bar.a = frame.wrench_to_inertial(own.a);
    bar.u = frame.wrench_to_inertial(own.u) - ad_transposed<S>(m.V, bar.a);
  }
}

/// p_bar of inertia and weight in mu . f, at the virtual motion.
template <class S>
void JointCoordinateSystem<S>::pull_back_inertia(TreeWorkspace& ws, Eigen::Ref<Vec> p_bar) const {
  const Vector3<S> g = gravity();
  const Vec no_q(0);
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    if (tree_.stages()[i].body < 0) continue;
    const auto body = static_cast<std::size_t>(tree_.stages()[i].body);
    const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
    const FrameChange<S> frame = m.frame();
    const Vector6<S> v = frame.twist_to_body(m.V), v_dot = frame.twist_to_body(m.acceleration);
    body_pullback<S>(cut_.layout().body(body), {m.A.transpose() * g, no_q, v, v_dot},
                     ws.mu.template segment<6>(cut_.v_offset(body)), ws.body, p_bar.data());
  }
}

/// Adds those of inertia and weight in mu . f, at the virtual motion.
template <class S>
void JointCoordinateSystem<S>::add_inertia_bars(TreeWorkspace& ws) const {
  const Vector3<S> g = gravity();
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    if (tree_.stages()[i].body < 0) continue;
    const SpatialInertia<S>& inertia = ws.inertias[i];
    const Vector6<S>& mu = ws.virtual_after[i];
    VariationBar<S>& bar = ws.bars[i];
    const Vector6<S> by_a = inertia.transposed_times(mu);
    bar.eta.template tail<3>() += inertia.by_eta_transposed(g, by_a);
    bar.u.template tail<3>() += inertia.by_u_transposed(ws.motion[static_cast<int>(i)].V, mu);
    bar.a += by_a;
  }
}

/// p_bar of the points of joints, from the bars of all stages.
/// @param with_forces  also of B^T in mu . f = (B mu) . f_b, at the virtual motion
template <class S>
void JointCoordinateSystem<S>::add_point_bars(bool with_forces, TreeWorkspace& ws,
                                              Eigen::Ref<Vec> p_bar) const {
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    if (!with_forces && ws.bars[i].is_zero()) continue;
    for_each_point(tree_.stages()[i], [&](Eigen::Index place, bool is_in) {
      VariationBar<S> bar = ws.bars[i];
      if (with_forces) {
        const Vector6<S>& moved = is_in ? ws.virtual_before[i] : ws.virtual_after[i];
        bar.eta.template head<3>() -= cross(moved.template tail<3>(), ws.carried[i].template head<3>());
      }
      const int stage = static_cast<int>(i);
      p_bar.template segment<3>(place) +=
          is_in ? ws.motion.pull_back_point_in(stage, bar) : ws.motion.pull_back_point_out(stage, bar);
    });
  }
}

/// Sensitivities of mu_f . f + mu_c . c by x, v and v_dot of the bodies, but for those of inertia and weight; adds its p_bar.
template <class S>
void JointCoordinateSystem<S>::set_force_bars(const Instant& of_bodies, const Segment& mu_f,
                                              const Segment& mu_c, TreeWorkspace& ws,
                                              Eigen::Ref<Vec> p_bar) const {
  sum_forces(of_bodies.t, of_bodies.lambda, ws);
  differentiate_forces(of_bodies, ws);
  virtual_motion(mu_f, ws);
  pull_back_inertia(ws, p_bar);
  cut_.pullback_parts(of_bodies, ws.mu, mu_c, *ws.of_bodies, p_bar);
  for (Vec* bar : {&ws.of_x, &ws.of_v, &ws.of_v_dot}) bar->setZero();
  ws.jacobians.f_x.add_transposed_product(1.0, ws.mu, ws.of_x);
  ws.jacobians.C.add_transposed_product(1.0, mu_c, ws.of_x);
  ws.jacobians.f_v.add_transposed_product(1.0, ws.mu, ws.of_v);
}

/// Adds those of w0 . c + w1 . c_dot + w2 . c_ddot, and its p_bar.
template <class S>
void JointCoordinateSystem<S>::add_constraint_bars(const Instant& of_bodies, const Segment& w0,
                                                   const Segment& w1, const Segment& w2, TreeWorkspace& ws,
                                                   Eigen::Ref<Vec> p_bar) const {
  cut_.pullback_placed_constraints(of_bodies, w0, w1, w2, *ws.of_bodies, p_bar);
  differentiate_constraints(of_bodies, ws);
  const ConstraintDerivatives<S>& c = ws.constraints;
  for (const auto& b : ws.jacobians.C.blocks()) {
    const auto add = [&](Vec& bar, const Matrix& of_all, const Segment& w) {
      for (Eigen::Index i = b.row; i < b.row + b.rows; ++i)
        bar.template segment<6>(b.col) += w[i] * of_all.row(i).template segment<6>(b.col).transpose();
    };
    add(ws.of_x, c.C, w0), add(ws.of_x, c.c1_x, w1), add(ws.of_x, c.c2_x, w2);
    add(ws.of_v, c.C, w1), add(ws.of_v, c.c2_v, w2);
    add(ws.of_v_dot, c.C, w2);
  }
}

template <class S>
void JointCoordinateSystem<S>::pullback(const Instant& at, const Segment& mu_f, const Segment& mu_c,
                                        Workspace& workspace_in, Eigen::Ref<Vec> p_bar) const {
  TreeWorkspace& ws = workspace(workspace_in);
  set_force_bars(move(at, ws), mu_f, mu_c, ws, p_bar);
  set_bars(ws.of_x, ws.of_v, ws.of_v_dot, ws);
  add_inertia_bars(ws);
  ws.motion.accumulate(ws.bars);
  add_point_bars(true, ws, p_bar);
}

template <class S>
void JointCoordinateSystem<S>::pullback_levels(const Instant& at, const Segment& mu_f, const Segment& w0,
                                               const Segment& w1, const Segment& w2, Workspace& workspace_in,
                                               Eigen::Ref<Vec> p_bar) const {
  TreeWorkspace& ws = workspace(workspace_in);
  const Instant of_bodies = move(at, ws);
  set_force_bars(of_bodies, mu_f, ws.no_rows, ws, p_bar);
  add_constraint_bars(of_bodies, w0, w1, w2, ws, p_bar);
  set_bars(ws.of_x, ws.of_v, ws.of_v_dot, ws);
  add_inertia_bars(ws);
  ws.motion.accumulate(ws.bars);
  add_point_bars(true, ws, p_bar);
}

/// Sets the factors of the variations of each stage in w0 . c + w1 . c_dot + w2 . c_ddot; adds its p_bar.
template <class S>
void JointCoordinateSystem<S>::set_constraint_bars(const Instant& of_bodies, const Segment& w0,
                                                   const Segment& w1, const Segment& w2, TreeWorkspace& ws,
                                                   Eigen::Ref<Vec> p_bar) const {
  for (Vec* bar : {&ws.of_x, &ws.of_v, &ws.of_v_dot}) bar->setZero();
  add_constraint_bars(of_bodies, w0, w1, w2, ws, p_bar);
  set_bars(ws.of_x, ws.of_v, ws.of_v_dot, ws);
  ws.motion.accumulate(ws.bars);
  add_point_bars(false, ws, p_bar);
}

template <class S>
void JointCoordinateSystem<S>::pullback_constraints(const Instant& at, const Segment& w0, const Segment& w1,
                                                    const Segment& w2, Workspace& workspace_in,
                                                    Eigen::Ref<Vec> p_bar) const {
  TreeWorkspace& ws = workspace(workspace_in);
  set_constraint_bars(move(at, ws), w0, w1, w2, ws, p_bar);
}

/// True if a direction of parameter space moves points of joints.
template <class S>
bool JointCoordinateSystem<S>::has_moved_points(const Segment& p_dot) const {
  return std::ranges::any_of(tree_.stages(), [&](const TreeStage& stage) {
    bool moves = false;
    for_each_point(stage, [&](Eigen::Index place, bool) {
      moves = moves || !p_dot.template segment<3>(place).isZero(0.0);
    });
    return moves;
  });
}

/// Finds how the points of joints move all stages along a direction of parameter space, with the coordinates held, and x,
/// v, v_dot of the bodies in their frames.
/// @return  whether they move anything; if not, nothing is written
template <class S>
bool JointCoordinateSystem<S>::move_points(const Segment& p_dot, TreeWorkspace& ws) const {
  if (!has_moved_points(p_dot)) return false;
  for (int i = 0; i < static_cast<int>(tree_.n_stages()); ++i) {
    const std::size_t place_of_stage = static_cast<std::size_t>(i);
    const TreeStage& stage = tree_.stages()[place_of_stage];
    Variation<S>& before = ws.moved_before[place_of_stage];
    before = {};
    if (stage.parent >= 0)
      before = ws.motion.from_parent(i, ws.moved[static_cast<std::size_t>(stage.parent)]);
    Variation<S> after;
    for_each_point(stage, [&](Eigen::Index place, bool is_in) {
      const Vector3<S> delta = p_dot.template segment<3>(place);
      if (delta.isZero(0.0)) return;
      (is_in ? before : after) += is_in ? ws.motion.by_point_in(i, delta) : ws.motion.by_point_out(i, delta);
    });
    Variation<S>& moved = ws.moved[place_of_stage];
    moved = before;
    moved += after;
    if (stage.body < 0) continue;
    const FrameChange<S> frame = ws.motion[i].frame();
    const Eigen::Index o = cut_.v_offset(static_cast<std::size_t>(stage.body));
    ws.of_x.template segment<6>(o) = frame.twist_to_body(moved.eta);
    ws.of_v.template segment<6>(o) = frame.twist_to_body(moved.u);
    ws.of_v_dot.template segment<6>(o) = frame.twist_to_body(moved.a - ad<S>(ws.motion[i].V, moved.u));
  }
  return true;
}

template <class S>
void JointCoordinateSystem<S>::push_forward(const Instant& at, const ConstColumns& p_dot,
                                            Workspace& workspace_in, Columns f_p, Columns c_p) const {
  TreeWorkspace& ws = workspace(workspace_in);
  const Instant of_bodies = move_all(at, ws);
  sum_forces(of_bodies.t, of_bodies.lambda, ws);
  differentiate_forces(of_bodies, ws);
  Matrix f_of_bodies(cut_.n_v(), p_dot.cols());
  cut_.push_forward(of_bodies, p_dot, *ws.of_bodies, f_of_bodies, c_p);
  std::vector<Vector6<S>> wrenches(tree_.n_stages());
  const Vector3<S> g = gravity();
  for (Eigen::Index column = 0; column < p_dot.cols(); ++column) {
    auto f = f_of_bodies.col(column);
    const bool moves = move_points(p_dot.col(column), ws);
    if (moves) {
      ws.jacobians.f_x.add_product(1.0, ws.of_x, f);
      ws.jacobians.f_v.add_product(1.0, ws.of_v, f);
      ws.jacobians.C.add_product(1.0, ws.of_x, c_p.col(column));
    }
    for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
      const int body = tree_.stages()[i].body;
      wrenches[i].setZero();
      if (body < 0) continue;
      const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
      wrenches[i] =
          m.frame().wrench_to_inertial(f.template segment<6>(cut_.v_offset(static_cast<std::size_t>(body))));
      if (!moves) continue;
      const Variation<S>& by = ws.moved[i];
      const SpatialInertia<S>& inertia = ws.inertias[i];
      wrenches[i] += inertia * by.a - ad_transposed<S>(by.eta, ws.own[i]);
      wrenches[i].noalias() += inertia.by_eta(g) * by.eta.template tail<3>();
      wrenches[i].noalias() += inertia.by_u(m.V) * by.u.template tail<3>();
    }
    ws.motion.accumulate(wrenches);
    for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
      const TreeStage& stage = tree_.stages()[i];
      if (moves) wrenches[i] += ad_transposed<S>(ws.moved_before[i].eta, ws.carried[i]);
      f_p.col(column).segment(stage.v, stage.n_v()).noalias() =
          ws.motion[static_cast<int>(i)].s.transpose() * wrenches[i];
    }
  }
}

template <class S>
void JointCoordinateSystem<S>::push_forward_constraints(const Instant& at, const ConstColumns& p_dot,
                                                        Workspace& workspace_in,
                                                        ConstraintDirections<S>& out) const {
  TreeWorkspace& ws = workspace(workspace_in);
  const Instant of_bodies = move_all(at, ws);
  cut_.push_forward_constraints(of_bodies, p_dot, *ws.of_bodies, out);
  differentiate_constraints(of_bodies, ws);
  const ConstraintDerivatives<S>& c = ws.constraints;
  for (Eigen::Index column = 0; column < p_dot.cols(); ++column) {
    if (!move_points(p_dot.col(column), ws)) continue;
    out.c0.col(column).noalias() += c.C * ws.of_x;
    out.c1.col(column).noalias() += c.c1_x * ws.of_x + c.C * ws.of_v;
    out.c2.col(column).noalias() += c.c2_x * ws.of_x + c.c2_v * ws.of_v + c.C * ws.of_v_dot;
  }
}

#define KURBEL_INSTANTIATE(S)                                                                             \
  template void JointCoordinateSystem<S>::set_bars(const Segment&, const Segment&, const Segment&,        \
                                                   TreeWorkspace&) const;                                 \
  template void JointCoordinateSystem<S>::pull_back_inertia(TreeWorkspace&, Eigen::Ref<Vec>) const;       \
  template void JointCoordinateSystem<S>::add_inertia_bars(TreeWorkspace&) const;                         \
  template void JointCoordinateSystem<S>::add_point_bars(bool, TreeWorkspace&, Eigen::Ref<Vec>) const;    \
  template void JointCoordinateSystem<S>::set_constraint_bars(                                            \
      const Instant&, const Segment&, const Segment&, const Segment&, TreeWorkspace&, Eigen::Ref<Vec>)    \
      const;                                                                                              \
  template void JointCoordinateSystem<S>::pullback(const Instant&, const Segment&, const Segment&,        \
                                                   Workspace&, Eigen::Ref<Vec>) const;                    \
  template void JointCoordinateSystem<S>::pullback_levels(const Instant&, const Segment&, const Segment&, \
                                                          const Segment&, const Segment&, Workspace&,     \
                                                          Eigen::Ref<Vec>) const;                         \
  template void JointCoordinateSystem<S>::push_forward(const Instant&, const ConstColumns&, Workspace&,   \
                                                       Columns, Columns) const;                           \
  template void JointCoordinateSystem<S>::pullback_constraints(                                           \
      const Instant&, const Segment&, const Segment&, const Segment&, Workspace&, Eigen::Ref<Vec>) const; \
  template void JointCoordinateSystem<S>::push_forward_constraints(                                       \
      const Instant&, const ConstColumns&, Workspace&, ConstraintDirections<S>&) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
