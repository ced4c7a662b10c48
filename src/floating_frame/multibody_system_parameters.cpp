/// Derivatives of the system's equations by its parameters, backwards and forwards.    [P0, section 2]
#include <algorithm>
#include <numeric>

#include "base/instantiate.hpp"
#include "floating_frame/multibody_system_detail.hpp"

namespace kurbel {

namespace {

/// Tells which parameters some directions of parameter space move, and thus which parts of a mechanism have derivatives
/// along them.
class MovedParameters {
 public:
  template <class Columns>
  MovedParameters(const ParameterLayout& layout, const Columns& p_dot)
      : layout_(layout), before_(static_cast<std::size_t>(p_dot.rows()) + 1) {
    // Along columns, as they are stored: there may be thousands of both.
    for (Eigen::Index j = 0; j < p_dot.cols(); ++j) {
      const auto* column = p_dot.col(j).data();
      for (std::size_t i = 1; i < before_.size(); ++i) before_[i] |= column[i - 1] != 0.0;
    }
    std::partial_sum(before_.begin(), before_.end(), before_.begin());
  }

  bool has(const ParameterBlock& block) const {
    const auto first = static_cast<std::size_t>(block.offset), n = static_cast<std::size_t>(block.size());
    return before_[first + n] > before_[first];
  }
  bool has(Eigen::Index index) const { return has({index, 1, 1}); }
  bool has_control(int i) const { return i >= 0 && has(layout_.control(static_cast<std::size_t>(i))); }
  bool has_marker(const MarkerPlace& place) const {
    const MarkerLayout& own = place.layout;
    return !place.is_origin && (has(own.R) || has(own.Phi) || has(own.Psi) || has(own.Phi1));
  }
  template <class S>
  bool has_ends(const RelativeRows<S>& rows) const {
    return has_marker(rows.to()) || has_marker(rows.from());
  }
  /// @param i  its index in the specification
  template <class Joint>
  bool has_joint(std::size_t i, const Joint& joint) const {
    const Eigen::Index length = layout_.rod_length(i);
    return has_ends(joint.rows) || (length >= 0 && has(length)) ||
           std::ranges::any_of(joint.drives, [&](const auto& drive) {
             return has(drive.nodes) || (drive.follows_end() && has(drive.end));
           });
  }
  template <class ForceElement>
  bool has_force(const ForceElement& force) const {
    return has_ends(force.rows) || has_control(force.control) || has(force.numbers);
  }
  template <class S>
  bool has_tyre(const Tyre<S>& tyre) const {
    for (int k = 0; k < Tyre<S>::n_parameters; ++k) {
      if (tyre.parameter(k) >= 0 && has(tyre.parameter(k))) return true;
    }
    return false;
  }
  template <class Load>
  bool has_load(const Load& load) const {
    return has_marker(load.place) ||
           std::ranges::any_of(load.spec.controls,
                               [&](const ControlledLoad& own) { return has_control(own.control); }) ||
           std::ranges::any_of(load.angles, [&](const auto& angle) { return has_ends(angle.rows); });
  }

 private:
  const ParameterLayout& layout_;
  std::vector<int> before_;  ///< number of moved parameters before each
};

}  // namespace

template <class S>
void MultibodySystem<S>::pullback(const Instant& at, const Segment& mu_f, const Segment& mu_c,
                                  Workspace& workspace_in, Eigen::Ref<Vec> p_bar) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    body_pullback<S>(layout_.body(i), motion(at, ws, i), mu_f.segment(v_offset(i), 6 + n_q(i)), ws.bodies[i],
                     p_bar.data());
  }
  pullback_beams(at, mu_f, ws, p_bar);
  pullback_parts(at, mu_f, mu_c, ws, p_bar);
}

template <class S>
void MultibodySystem<S>::pullback_parts(const Instant& at, const Segment& mu_f, const Segment& mu_c,
                                        Workspace& workspace_in, Eigen::Ref<Vec> p_bar) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_controls(at.t, ws);
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
  const MovedParameters moved(layout_, p_dot);
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    if (!moved.has(layout_.body(i).all)) {
      f_p.middleRows(v_offset(i), 6 + n_q(i)).setZero();
      continue;
    }
    const BodyMotion<S> body = motion(at, ws, i);
    const ParameterBlock& all = layout_.body(i).all;
    for (Eigen::Index column = 0; column < m; ++column) {
      auto f = f_p.col(column).segment(v_offset(i), 6 + n_q(i));
      // A body's equations are linear in its parameters.
      if (p_dot.col(column).segment(all.offset, all.size()).isZero(0.0)) {
        f.setZero();
      } else {
        body_residual<S>(layout_.body(i), p_dot.col(column).data(), body, ws.bodies[i], f);
      }
    }
  }
  push_forward_beams(at, p_dot, ws, f_p);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Joint& joint = joints_[i];
    if (joint.rows.n_rows() == 0) continue;
    const Eigen::Index r = joint.first_row, n = joint.rows.n_rows();
    if (!moved.has_joint(i, joint)) {
      c_p.middleRows(r, n).setZero();
      continue;
    }
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
  for (const ForceElement& force : forces_) {
    if (moved.has_force(force)) push_forward_force(force, at, p_dot, ws, f_p);
  }
  for (const TyrePair& tyre : tyres_) {
    if (moved.has_tyre(tyre.tyre)) push_forward_tyre(tyre, at, p_dot, ws, f_p);
  }
  for (const Load& load : loads_) {
    if (moved.has_load(load)) push_forward_load(load, at, p_dot, ws, f_p);
  }
}

template <class S>
void MultibodySystem<S>::pullback_constraints(const Instant& at, const Segment& w0, const Segment& w1,
                                              const Segment& w2, Workspace& workspace_in,
                                              Eigen::Ref<Vec> p_bar) const {
  update_bodies(at, workspace(workspace_in));
  pullback_placed_constraints(at, w0, w1, w2, workspace_in, p_bar);
}

template <class S>
void MultibodySystem<S>::pullback_placed_constraints(const Instant& at, const Segment& w0, const Segment& w1,
                                                     const Segment& w2, Workspace& workspace_in,
                                                     Eigen::Ref<Vec> p_bar) const {
  SystemWorkspace& ws = workspace(workspace_in);
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
  const MovedParameters moved(layout_, p_dot);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const Joint& joint = joints_[i];
    if (joint.rows.n_rows() == 0 || !moved.has_joint(i, joint)) continue;
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
  template void MultibodySystem<S>::pullback_parts(const Instant&, const Segment&, const Segment&,           \
                                                   Workspace&, Eigen::Ref<Vec>) const;                       \
  template void MultibodySystem<S>::pullback_placed_constraints(                                             \
      const Instant&, const Segment&, const Segment&, const Segment&, Workspace&, Eigen::Ref<Vec>) const;    \
  template void MultibodySystem<S>::push_forward(const Instant&, const ConstColumns&, Workspace&, Columns,   \
                                                 Columns) const;                                             \
  template void MultibodySystem<S>::pullback_constraints(const Instant&, const Segment&, const Segment&,     \
                                                         const Segment&, Workspace&, Eigen::Ref<Vec>) const; \
  template void MultibodySystem<S>::push_forward_constraints(const Instant&, const ConstColumns&,            \
                                                             Workspace&, ConstraintDirections<S>&) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
