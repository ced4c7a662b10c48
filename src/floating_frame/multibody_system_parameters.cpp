/// Derivatives of the system's equations by its parameters, backwards and forwards.    [P0, section 2]
#include "base/instantiate.hpp"
#include "floating_frame/multibody_system_detail.hpp"

namespace kurbel {

template <class S>
void MultibodySystem<S>::pullback(const Instant& at, const Segment& mu_f, const Segment& mu_c,
                                  Workspace& workspace_in, Eigen::Ref<Vec> p_bar) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  update_controls(at.t, ws);
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    body_pullback<S>(layout_.body(i), motion(at, ws, i), mu_f.segment(v_offset(i), 6 + n_q(i)), ws.bodies[i],
                     p_bar.data());
  }
  pullback_beams(at, mu_f, ws, p_bar);
  for (const Joint& joint : joints_) {
    if (joint.rows.n_rows() == 0) continue;
    // mu . C^T lambda = lambda . C mu is the rate of lambda . c when the bodies move with mu and the drives
    // rest.
    Ends e = ends(joint, at.t, ws, mu_f.data(), nullptr);
    e.angle.rate = e.angle.acceleration = 0.0;
    joint.rows.pullback(p_.data(), e, mu_c.data() + joint.first_row, at.lambda.data() + joint.first_row,
                        nullptr, p_bar.data());
    pullback_reaction_of_drives(joint, at.t, e, mu_c.data() + joint.first_row,
                                at.lambda.data() + joint.first_row, ws, p_bar.data());
  }
  for (const ForceElement& force : forces_) pullback_force(force, at, mu_f, ws, p_bar.data());
  for (const TyrePair& tyre : tyres_) pullback_tyre(tyre, at, mu_f, ws, p_bar.data());
  for (const Load& load : loads_) pullback_load(load, at, mu_f, ws, p_bar.data());
}

template <class S>
void MultibodySystem<S>::push_forward(const Instant& at, const ConstColumns& p_dot, Workspace& workspace_in,
                                      Columns f_p, Columns c_p) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  update_controls(at.t, ws);
  const Eigen::Index m = p_dot.cols();
  ws.reserve_directions(m);
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    const BodyMotion<S> body = motion(at, ws, i);
    for (Eigen::Index column = 0; column < m; ++column) {
      // A body's equations are linear in its parameters.
      body_residual<S>(layout_.body(i), p_dot.col(column).data(), body, ws.bodies[i],
                       f_p.col(column).segment(v_offset(i), 6 + n_q(i)));
    }
  }
  push_forward_beams(at, p_dot, ws, f_p);
  for (const Joint& joint : joints_) {
    if (joint.rows.n_rows() == 0) continue;
    const Eigen::Index r = joint.first_row, n = joint.rows.n_rows();
    const Ends e = ends(joint, at.t, ws, nullptr, nullptr);
    joint.rows.push_forward(p_.data(), p_dot, e, c_p.middleRows(r, n), ws.c1_p.topLeftCorner(n, m),
                            ws.c2_p.topLeftCorner(n, m));
    auto reaction = ws.reaction_p.topLeftCorner(joint.rows.n_tangent(), m);
    joint.rows.push_forward_reaction(p_.data(), p_dot, e, at.lambda.data() + r, reaction);
    for_each_end(joint.rows, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
      f_p.middleRows(g, size) += reaction.middleRows(l, size);
    });
    push_forward_drives(joint, at.t, p_dot, e, ws, c_p.middleRows(r, n), ws.c1_p.topLeftCorner(n, m),
                        ws.c2_p.topLeftCorner(n, m));
    push_forward_reaction_of_drives(joint, p_dot, at, e, ws, f_p);
  }
  for (const ForceElement& force : forces_) push_forward_force(force, at, p_dot, ws, f_p);
  for (const TyrePair& tyre : tyres_) push_forward_tyre(tyre, at, p_dot, ws, f_p);
  for (const Load& load : loads_) push_forward_load(load, at, p_dot, ws, f_p);
}

template <class S>
void MultibodySystem<S>::pullback_constraints(const Instant& at, const Segment& w0, const Segment& w1,
                                              const Segment& w2, Workspace& workspace_in,
                                              Eigen::Ref<Vec> p_bar) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  for (const Joint& joint : joints_) {
    if (joint.rows.n_rows() == 0) continue;
    const Eigen::Index r = joint.first_row;
    const Ends e = ends(joint, at.t, ws, at.v.data(), at.v_dot.data());
    joint.rows.pullback(p_.data(), e, w0.data() + r, w1.data() + r, w2.data() + r, p_bar.data());
    pullback_drives(joint, at.t, e, w0.data() + r, w1.data() + r, w2.data() + r, ws, p_bar.data());
  }
}

template <class S>
void MultibodySystem<S>::push_forward_constraints(const Instant& at, const ConstColumns& p_dot,
                                                  Workspace& workspace_in,
                                                  ConstraintDirections<S>& out) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  out.resize(n_c_, p_dot.cols());
  for (const Joint& joint : joints_) {
    if (joint.rows.n_rows() == 0) continue;
    const Eigen::Index r = joint.first_row, n = joint.rows.n_rows();
    const Ends e = ends(joint, at.t, ws, at.v.data(), at.v_dot.data());
    joint.rows.push_forward(p_.data(), p_dot, e, out.c0.middleRows(r, n), out.c1.middleRows(r, n),
                            out.c2.middleRows(r, n));
    push_forward_drives(joint, at.t, p_dot, e, ws, out.c0.middleRows(r, n), out.c1.middleRows(r, n),
                        out.c2.middleRows(r, n));
  }
}

#define KURBEL_INSTANTIATE(S)                                                                                \
  template void MultibodySystem<S>::pullback(const Instant&, const Segment&, const Segment&, Workspace&,     \
                                             Eigen::Ref<Vec>) const;                                         \
  template void MultibodySystem<S>::push_forward(const Instant&, const ConstColumns&, Workspace&, Columns,   \
                                                 Columns) const;                                             \
  template void MultibodySystem<S>::pullback_constraints(const Instant&, const Segment&, const Segment&,     \
                                                         const Segment&, Workspace&, Eigen::Ref<Vec>) const; \
  template void MultibodySystem<S>::push_forward_constraints(const Instant&, const ConstColumns&,            \
                                                             Workspace&, ConstraintDirections<S>&) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
