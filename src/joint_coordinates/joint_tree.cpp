#include "joint_coordinates/joint_tree.hpp"

#include <algorithm>

namespace kurbel {

namespace {

using Kind = TreeStage::Kind;

TreeStage stage(Kind kind, int axis = 0) {
  TreeStage s;
  s.kind = kind, s.axis = axis;
  return s;
}

/// From "from" to "to".
std::vector<TreeStage> stages_of(const JointSpec& joint) {
  std::vector<TreeStage> stages;
  const auto is_free = [&](int dof) { return !joint.locked[static_cast<std::size_t>(dof)]; };
  if (is_free(3) && is_free(4) && is_free(5)) {
    stages.push_back(stage(Kind::spherical));
  } else {
    for (int axis = 0; axis < 3; ++axis) {
      if (is_free(3 + axis)) stages.push_back(stage(Kind::revolute, axis));
    }
  }
  for (int axis = 0; axis < 3; ++axis) {
    if (is_free(axis)) stages.push_back(stage(Kind::prismatic, axis));
  }
  if (stages.empty()) stages.push_back(stage(Kind::rigid));
  return stages;
}

Quaternion<double> quaternion_of(const Matrix3d& A) {
  const Eigen::Quaterniond e(A);
  return {e.w(), e.x(), e.y(), e.z()};
}

}  // namespace

JointTree::JointTree(const SystemSpec& spec, const std::vector<TreeLink>& links, const Resolve& resolve)
    : stage_of_(spec.bodies.size(), -1) {
  for (const TreeLink& link : links) add_joint(spec, link, resolve);
}

void JointTree::add_joint(const SystemSpec& spec, const TreeLink& link, const Resolve& resolve) {
  MarkerPlace in, out;
  in.is_origin = out.is_origin = true;
  std::vector<TreeStage> own = {stage(Kind::free)};
  if (link.joint >= 0) {
    const JointSpec& joint = spec.joints[static_cast<std::size_t>(link.joint)];
    in = resolve(link.is_reversed ? joint.to : joint.from, joint.name);
    out = resolve(link.is_reversed ? joint.from : joint.to, joint.name);
    own = stages_of(joint);
    if (link.is_reversed) {
      std::ranges::reverse(own);
      for (TreeStage& s : own) s.sign = -1.0;
    }
  }
  const int first = static_cast<int>(stages_.size());
  int parent = stage_of(link.parent);
  for (std::size_t i = 0; i < own.size(); ++i) {
    TreeStage& s = own[i];
    const bool is_last = i + 1 == own.size();
    s.in.is_origin = s.out.is_origin = true;
    if (i == 0) s.in = in;
    if (is_last) s.out = out;
    s.e_in = quaternion_of(s.in.A0), s.e_out = quaternion_of(s.out.A0);
    s.axes_in = rotation_matrix(s.e_in), s.axes_out = rotation_matrix(s.e_out);
    s.is_turned_in = !s.axes_in.isIdentity(0.0), s.is_turned_out = !s.axes_out.isIdentity(0.0);
    s.parent = parent;
    s.joint = link.joint;
    s.body = is_last ? static_cast<int>(link.body) : -1;
    s.x = n_x_, s.v = n_v_;
    n_x_ += s.n_x(), n_v_ += s.n_v();
    parent = static_cast<int>(stages_.size());
    stages_.push_back(s);
  }
  stage_of_[link.body] = parent;
  joints_.emplace_back(first, parent);
}

const TreeStage& JointTree::stage_of_velocity(Eigen::Index i) const {
  const auto after = std::ranges::upper_bound(stages_, i, {}, [](const TreeStage& s) { return s.v; });
  return *(after - 1);
}

}  // namespace kurbel
