/// Joints: which rows they have, and what these are and how they change.
#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "floating_frame/multibody_system_detail.hpp"

namespace kurbel {

template <class S>
void MultibodySystem<S>::add_joint(Joint joint) {
  n_c_ += joint.rows.n_rows();
  n_pair_ = std::max(n_pair_, joint.rows.n_tangent());
  joints_.push_back(std::move(joint));
}

template <class S>
typename MultibodySystem<S>::Joint MultibodySystem<S>::rod(const JointSpec& spec, Eigen::Index length) const {
  if (!(*spec.length > 0.0)) throw InputError(fmt::format("joint {}: the rod has no length", spec.name));
  Joint joint{RelativeRows<S>(resolve(spec.to, spec.name), resolve(spec.from, spec.name)), n_c_, {}};
  if (spec.redundant[static_cast<std::size_t>(RelativeDof::distance)]) return joint;
  joint.rows.add_distance(length);
  joint.dofs = {RelativeDof::distance};
  return joint;
}

template <class S>
typename MultibodySystem<S>::Joint MultibodySystem<S>::held_axes(std::size_t place) const {
  const JointSpec& spec = spec_.joints[place];
  Joint joint{RelativeRows<S>(resolve(spec.to, spec.name), resolve(spec.from, spec.name)), n_c_, {}};
  std::array<bool, 6> constrained = spec.locked;
  bool has_angle = false;
  for (std::size_t k = 0; k < spec.drives.size(); ++k) {
    const DriveSpec& drive = spec.drives[k];
    const int dof = static_cast<int>(drive.dof);
    if (constrained[dof]) {
      throw InputError(fmt::format("joint {}: {} cannot be driven, for it is locked or driven already",
                                   spec.name, relative_dof_names[dof]));
    }
    constrained[dof] = true;
    joint.drives.emplace_back(drive, layout_.drive(place, k), layout_.end(), spec_.time);
    if (dof < 3) continue;
    if (has_angle)
      throw InputError(fmt::format("joint {}: only one rotation of a joint can be driven", spec.name));
    has_angle = true;
    joint.rows.set_rotational_drive(dof - 3);
  }
  if (std::none_of(constrained.begin(), constrained.end(), [](bool h) { return h; })) {
    throw InputError(fmt::format("joint {}: locks no degree of freedom", spec.name));
  }
  for (int dof = 0; dof < 6; ++dof) {
    if (!constrained[dof] || spec.redundant[dof]) continue;
    if (dof < 3) joint.rows.add_translation(dof);
    joint.dofs.push_back(static_cast<RelativeDof>(dof));
  }
  joint.rows.add_rotations({constrained[3], constrained[4], constrained[5]},
                           {spec.redundant[3], spec.redundant[4], spec.redundant[5]});
  for (const Drive<S>& drive : joint.drives) {
    if (drive.is_rotation() && drive.has_parameters()) joint.by_angle = joint.rows.by_angle();
  }
  return joint;
}

template <class S>
typename MultibodySystem<S>::JointRows MultibodySystem<S>::joint_rows(const std::string& name) const {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (spec_.joints[j].name == name) return {joints_[j].first_row, joints_[j].dofs, spec_.joints[j]};
  }
  throw InputError(fmt::format("there is no joint {}", name));
}

template <class S>
std::string MultibodySystem<S>::constraint_name(Eigen::Index i) const {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Eigen::Index row = i - joints_[j].first_row;
    if (row >= joints_[j].rows.n_rows()) continue;
    return fmt::format("joint {} ({})", spec_.joints[j].name,
                       relative_dof_names[static_cast<std::size_t>(joints_[j].dofs[row])]);
  }
  return {};
}

template <class S>
void MultibodySystem<S>::constraint_derivatives(const Instant& at, Workspace& workspace_in,
                                                ConstraintDerivatives<S>& out) const {
  update_bodies(at, workspace(workspace_in));
  placed_constraint_derivatives(at, workspace_in, out);
}

template <class S>
void MultibodySystem<S>::placed_constraint_derivatives(const Instant& at, Workspace& workspace_in,
                                                       ConstraintDerivatives<S>& out) const {
  SystemWorkspace& ws = workspace(workspace_in);
  out.resize(n_v_, n_c_);
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    if (joint.rows.n_rows() == 0) continue;
    auto& d = ws.joint_derivatives[j];
    joint.rows.derivatives(p_.data(), ends(joint, at.t, ws, at.v.data(), at.v_dot.data()), ws.rows, d);
    const Eigen::Index r = joint.first_row, n = joint.rows.n_rows();
    out.c0.segment(r, n) = d.c, out.c1.segment(r, n) = d.c_dot, out.c2.segment(r, n) = d.c_ddot;
    for_each_end(joint.rows, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
      out.C.block(r, g, n, size) += d.c_x.middleCols(l, size);
      out.c1_x.block(r, g, n, size) += d.c_dot_x.middleCols(l, size);
      out.c2_x.block(r, g, n, size) += d.c_ddot_x.middleCols(l, size);
      out.c2_v.block(r, g, n, size) += d.c_ddot_v.middleCols(l, size);
    });
  }
}

template <class S>
void MultibodySystem<S>::constraint_values(const Instant& at, Workspace& workspace_in,
                                           ConstraintDerivatives<S>& out) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  for (Vec* c : {&out.c0, &out.c1, &out.c2}) c->resize(n_c_);
  for (const Joint& joint : joints_) {
    const Eigen::Index r = joint.first_row, n = joint.rows.n_rows();
    if (n == 0) continue;
    auto c = ws.c_levels.topRows(n);
    joint.rows.time_derivatives(p_.data(), ends(joint, at.t, ws, at.v.data(), at.v_dot.data()), c);
    out.c0.segment(r, n) = c.col(0), out.c1.segment(r, n) = c.col(1), out.c2.segment(r, n) = c.col(2);
  }
}

#define KURBEL_INSTANTIATE(S)                                                                                \
  template void MultibodySystem<S>::add_joint(Joint);                                                        \
  template MultibodySystem<S>::Joint MultibodySystem<S>::rod(const JointSpec&, Eigen::Index) const;          \
  template MultibodySystem<S>::Joint MultibodySystem<S>::held_axes(std::size_t) const;                       \
  template MultibodySystem<S>::JointRows MultibodySystem<S>::joint_rows(const std::string&) const;           \
  template std::string MultibodySystem<S>::constraint_name(Eigen::Index) const;                              \
  template void MultibodySystem<S>::constraint_derivatives(const Instant&, Workspace&,                       \
                                                           ConstraintDerivatives<S>&) const;                 \
  template void MultibodySystem<S>::constraint_values(const Instant&, Workspace&, ConstraintDerivatives<S>&) \
      const;                                                                                                 \
  template void MultibodySystem<S>::placed_constraint_derivatives(const Instant&, Workspace&,                \
                                                                  ConstraintDerivatives<S>&) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
