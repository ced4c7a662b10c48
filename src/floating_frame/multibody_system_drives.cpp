/// Derivatives by the values of the tables of drives, and by the end of the motion that relative drives follow.
///
/// With G = dc/ds for the motion s(t) of a drive, which like c depends on the position of the bodies and on s,
///
///     dc = G ds,    dc_dot = G_dot ds + G ds_dot,    dc_ddot = G_ddot ds + 2 G_dot ds_dot + G ds_ddot
///     d(C^T lambda) = (dG/dx)^T lambda ds
#include "base/instantiate.hpp"
#include "floating_frame/multibody_system_detail.hpp"

namespace kurbel {

/// G and its total time derivatives.
/// @param G  (n_rows x 3)   overwritten
template <class S>
void MultibodySystem<S>::drive_rates(const Joint& joint, const Drive<S>& drive, const Ends& e,
                                     Columns G) const {
  if (drive.is_rotation()) {
    joint.by_angle->rates(p_.data(), e, G);
    return;
  }
  G.setZero();
  for (std::size_t row = 0; row < joint.dofs.size(); ++row) {
    if (joint.dofs[row] == drive.dof) G(static_cast<Eigen::Index>(row), 0) = -1.0;
  }
}

/// p_bar += d(w0 . c + w1 . c_dot + w2 . c_ddot)/dp
template <class S>
void MultibodySystem<S>::pullback_drives(const Joint& joint, double t, const Ends& e, const S* w0,
                                         const S* w1, const S* w2, SystemWorkspace& ws, S* p_bar) const {
  auto G = ws.G_local.topRows(joint.rows.n_rows());
  for (const Drive<S>& drive : joint.drives) {
    if (!drive.has_parameters()) continue;
    drive_rates(joint, drive, e, G);
    TimeValueOf<S> bar;
    for (Eigen::Index row = 0; row < G.rows(); ++row) {
      bar.value += w0[row] * G(row, 0) + w1[row] * G(row, 1) + w2[row] * G(row, 2);
      bar.rate += w1[row] * G(row, 0) + 2.0 * w2[row] * G(row, 1);
      bar.acceleration += w2[row] * G(row, 0);
    }
    drive.pullback(t, p_.data(), bar, ws.drive_weights, p_bar);
  }
}

/// p_bar += d(mu_c . c + mu . C^T lambda)/dp, where the bodies move with mu and the drives rest: the latter is
/// the rate of lambda . c then.
template <class S>
void MultibodySystem<S>::pullback_reaction_of_drives(const Joint& joint, double t, const Ends& e,
                                                     const S* mu_c, const S* lambda, SystemWorkspace& ws,
                                                     S* p_bar) const {
  auto G = ws.G_local.topRows(joint.rows.n_rows());
  for (const Drive<S>& drive : joint.drives) {
    if (!drive.has_parameters()) continue;
    drive_rates(joint, drive, e, G);
    TimeValueOf<S> bar;
    for (Eigen::Index row = 0; row < G.rows(); ++row)
      bar.value += mu_c[row] * G(row, 0) + lambda[row] * G(row, 1);
    drive.pullback(t, p_.data(), bar, ws.drive_weights, p_bar);
  }
}

/// Adds the derivatives along directions of parameter space, n_rows x m each.
template <class S>
void MultibodySystem<S>::push_forward_drives(const Joint& joint, double t, const ConstColumns& p_dot,
                                             const Ends& e, SystemWorkspace& ws, Columns c0, Columns c1,
                                             Columns c2) const {
  auto G = ws.G_local.topRows(joint.rows.n_rows());
  for (const Drive<S>& drive : joint.drives) {
    if (!drive.has_parameters()) continue;
    drive_rates(joint, drive, e, G);
    const Matrix s_p = drive.push_forward(t, p_.data(), p_dot, ws.drive_weights);
    c0 += G.col(0) * s_p.row(0);
    c1 += G.col(1) * s_p.row(0) + G.col(0) * s_p.row(1);
    c2 += G.col(2) * s_p.row(0) + 2.0 * G.col(1) * s_p.row(1) + G.col(0) * s_p.row(2);
  }
}

/// f_p += d(C^T lambda)/dp p_dot
template <class S>
void MultibodySystem<S>::push_forward_reaction_of_drives(const Joint& joint, const ConstColumns& p_dot,
                                                         const Instant& at, const Ends& e,
                                                         SystemWorkspace& ws, Columns f_p) const {
  const Eigen::Index n = joint.rows.n_rows();
  for (const Drive<S>& drive : joint.drives) {
    if (!drive.has_nodes() || !drive.is_rotation()) continue;
    auto G_x = ws.C_local.topLeftCorner(n, joint.rows.n_tangent());
    joint.by_angle->jacobian(p_.data(), e, G_x);
    const Vec by_s = G_x.transpose() * at.lambda.segment(joint.first_row, n);
    const Matrix s_p = drive.weights(at.t, ws.drive_weights).row(0).template cast<S>() *
                       p_dot.middleRows(drive.nodes.offset, drive.nodes.size());
    for_each_end(joint.rows, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
      f_p.middleRows(g, size) += by_s.segment(l, size) * s_p;
    });
  }
}

#define KURBEL_INSTANTIATE(S)                                                                                \
  template void MultibodySystem<S>::pullback_drives(const Joint&, double, const Ends&, const S*, const S*,   \
                                                    const S*, SystemWorkspace&, S*) const;                   \
  template void MultibodySystem<S>::pullback_reaction_of_drives(const Joint&, double, const Ends&, const S*, \
                                                                const S*, SystemWorkspace&, S*) const;       \
  template void MultibodySystem<S>::push_forward_drives(                                                     \
      const Joint&, double, const ConstColumns&, const Ends&, SystemWorkspace&, Columns, Columns, Columns)   \
      const;                                                                                                 \
  template void MultibodySystem<S>::push_forward_reaction_of_drives(                                         \
      const Joint&, const ConstColumns&, const Instant&, const Ends&, SystemWorkspace&, Columns) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
