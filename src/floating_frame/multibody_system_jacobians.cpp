/// f_x, f_v, M and C of the system, and where their blocks are.
#include "base/instantiate.hpp"
#include "floating_frame/multibody_system.hpp"
#include "floating_frame/multibody_system_detail.hpp"

namespace kurbel {

template <class S>
void MultibodySystem<S>::add_pair_blocks(DaeJacobians<S>& out) const {
  const auto add_pairs = [&](const RelativeRows<S>& rows, BlockMatrix<S>& matrix) {
    for_each_end(rows, [&](Eigen::Index gi, Eigen::Index, Eigen::Index ni) {
      for_each_end(rows,
                   [&](Eigen::Index gj, Eigen::Index, Eigen::Index nj) { matrix.add_block(gi, gj, ni, nj); });
    });
  };
  for (const Joint& joint : joints_) {
    if (joint.rows.n_rows() == 0) continue;
    add_pairs(joint.rows, out.f_x);
    for_each_end(joint.rows, [&](Eigen::Index g, Eigen::Index, Eigen::Index size) {
      out.C.add_block(joint.first_row, g, joint.rows.n_rows(), size);
    });
  }
  for (const ForceElement& force : forces_) {
    for (BlockMatrix<S>* matrix : {&out.f_x, &out.f_v}) add_pairs(force.rows, *matrix);
  }
  for (const TyrePair& tyre : tyres_) {
    for (BlockMatrix<S>* matrix : {&out.f_x, &out.f_v}) add_pairs(tyre.pair, *matrix);
  }
  for (const Load& load : loads_) {
    if (load.place.body < 0) continue;
    for (const LoadAngle& angle : load.angles) {
      for_each_end(angle.rows, [&](Eigen::Index g, Eigen::Index, Eigen::Index size) {
        out.f_x.add_block(v_offset(load.place), g, load.place.n_tangent(), size);
      });
    }
  }
}

template <class S>
DaeJacobians<S> MultibodySystem<S>::make_jacobians() const {
  const BlockMatrix<S> square(n_v_, n_v_);
  DaeJacobians<S> out{square, square, square, BlockMatrix<S>(n_c_, n_v_)};
  for (BlockMatrix<S>* matrix : {&out.f_x, &out.f_v, &out.M}) {
    for (std::size_t i = 0; i < n_bodies(); ++i) {
      const Eigen::Index o = v_offset(i), n = 6 + n_q(i);
      matrix->add_block(o, o, n, n);
    }
    add_beam_blocks(*matrix);
  }
  add_pair_blocks(out);
  return out;
}

template <class S>
DaeJacobians<S> MultibodySystem<S>::make_part_jacobians() const {
  const BlockMatrix<S> square(n_v_, n_v_);
  DaeJacobians<S> out{square, square, square, BlockMatrix<S>(n_c_, n_v_)};
  for (const Load& load : loads_) {
    const Eigen::Index o = v_offset(load.place), n = load.place.n_tangent();
    out.f_x.add_block(o, o, n, n);
  }
  add_pair_blocks(out);
  return out;
}

template <class S>
void MultibodySystem<S>::jacobians(const Instant& at, Workspace& workspace_in, DaeJacobians<S>& out) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  for (BlockMatrix<S>* matrix : {&out.f_x, &out.f_v, &out.M, &out.C}) matrix->set_zero();
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    const Eigen::Index o = v_offset(i), n = 6 + n_q(i);
    body_jacobians<S>(layout_.body(i), p_.data(), motion(at, ws, i), ws.bodies[i],
                      {out.f_x.block(o, o, n, n), out.f_v.block(o, o, n, n), out.M.block(o, o, n, n)});
  }
  add_beam_jacobians(at, ws, out);
  add_part_jacobians(at, ws, out);
}

template <class S>
void MultibodySystem<S>::part_jacobians(const Instant& at, Workspace& workspace_in,
                                        DaeJacobians<S>& out) const {
  for (BlockMatrix<S>* matrix : {&out.f_x, &out.f_v, &out.C}) matrix->set_zero();
  add_part_jacobians(at, workspace(workspace_in), out);
}

template <class S>
void MultibodySystem<S>::add_part_jacobians(const Instant& at, SystemWorkspace& ws,
                                            DaeJacobians<S>& out) const {
  update_controls(at.t, ws);
  for (const Joint& joint : joints_) {
    const Eigen::Index n = joint.rows.n_rows(), n_t = joint.rows.n_tangent();
    if (n == 0) continue;
    const Ends e = ends(joint, at.t, ws, nullptr, nullptr);
    auto C = ws.C_local.topLeftCorner(n, n_t);
    joint.rows.jacobian(p_.data(), e, C);
    for_each_end(joint.rows, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
      out.C.block(joint.first_row, g, n, size) += C.middleCols(l, size);
    });
    auto K = ws.K_local.topLeftCorner(n_t, n_t);
    joint.rows.reaction_jacobian(p_.data(), e, at.lambda.data() + joint.first_row, ws.rows, K);
    add_block(joint.rows, K, out.f_x);
  }
  for (const ForceElement& force : forces_) add_force_jacobians(force, at, ws, out);
  for (const TyrePair& tyre : tyres_) add_tyre_jacobians(tyre, at, ws, out);
  for (const Load& load : loads_) add_load_jacobian(load, at, ws, out.f_x);
}

#define KURBEL_INSTANTIATE(S)                                                                              \
  template void MultibodySystem<S>::add_pair_blocks(DaeJacobians<S>&) const;                               \
  template DaeJacobians<S> MultibodySystem<S>::make_jacobians() const;                                     \
  template DaeJacobians<S> MultibodySystem<S>::make_part_jacobians() const;                                \
  template void MultibodySystem<S>::jacobians(const Instant&, Workspace&, DaeJacobians<S>&) const;         \
  template void MultibodySystem<S>::part_jacobians(const Instant&, Workspace&, DaeJacobians<S>&) const;    \
  template void MultibodySystem<S>::add_part_jacobians(const Instant&, SystemWorkspace&, DaeJacobians<S>&) \
      const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
