#include "joint_coordinates/bodies_of_joints.hpp"

#include <Eigen/LU>

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
BodiesOfJoints<S>::BodiesOfJoints(const JointCoordinateSystem<S>& system)
    : system_(system),
      ws_(system.make_workspace()),
      of_bodies_(system.system_of_bodies().make_workspace()),
      multipliers_(system.indices_of_multipliers()),
      lambda_(Vec::Zero(system.system_of_bodies().n_c())),
      mu_(Vec::Zero(system.system_of_bodies().n_v())),
      jacobians_(system.system_of_bodies().make_jacobians()) {
  for (const auto& [first, last] : system.tree().joints()) {
    const int place = system.tree().stages()[static_cast<std::size_t>(last)].joint;
    if (place < 0) continue;
    const JointSpec& spec = system_of_bodies().spec().joints[static_cast<std::size_t>(place)];
    const auto all = system_of_bodies().joint_rows(spec.name);
    TreeJoint joint{last, {}};
    for (std::size_t i = 0; i < all.dofs.size(); ++i) {
      const auto dof = static_cast<std::size_t>(all.dofs[i]);
      if (dof < spec.locked.size() && spec.locked[dof])
        joint.rows.push_back(all.first + static_cast<Eigen::Index>(i));
    }
    joints_.push_back(std::move(joint));
  }
}

/// (C_b C_b^T)^-1 C_b
template <class S>
MatrixX<S> BodiesOfJoints<S>::inverse_of(const TreeJoint& joint) const {
  const int body = system_.tree().stages()[static_cast<std::size_t>(joint.stage)].body;
  const Eigen::Index column = system_of_bodies().v_offset(static_cast<std::size_t>(body));
  MatrixX<S> C(std::ssize(joint.rows), 6);
  for (const auto& b : jacobians_.C.blocks()) {
    if (b.col != column) continue;
    for (std::size_t i = 0; i < joint.rows.size(); ++i) {
      const Eigen::Index row = joint.rows[i] - b.row;
      if (row >= 0 && row < b.rows) C.row(static_cast<Eigen::Index>(i)) = jacobians_.C.view(b).row(row);
    }
  }
  const MatrixX<S> gram = C * C.transpose();
  return gram.partialPivLu().solve(C);
}

template <class S>
DaeInstant<S> BodiesOfJoints<S>::at(const Instant& joints, bool with_reactions) {
  with_reactions_ = with_reactions;
  const auto bodies = system_.bodies(joints, *ws_);
  x_ = bodies.x, v_ = bodies.v, v_dot_ = bodies.v_dot;
  lambda_.setZero();
  lambda_(multipliers_) = joints.lambda;
  const Instant all{joints.t, x_, v_, v_dot_, lambda_};
  if (with_reactions) {
    system_of_bodies().jacobians(all, *of_bodies_, jacobians_);
    const std::vector<Vector6<S>>& carried = system_.carried_forces(joints, *ws_);
    for (const TreeJoint& joint : joints_) {
      lambda_(joint.rows) = -(inverse_of(joint) * carried[static_cast<std::size_t>(joint.stage)]);
    }
  }
  return all;
}

template <class S>
void BodiesOfJoints<S>::pull_back(const Instant& joints, Vec& x_bar, Vec& v_bar, Vec& v_dot_bar,
                                  const Vec& lambda_bar, Bar& bar, Eigen::Ref<Vec> p_bar) {
  bar.lambda += lambda_bar(multipliers_);
  if (with_reactions_ && !lambda_bar.isZero(0.0)) {
    const Instant all{joints.t, x_, v_, v_dot_, lambda_};
    system_of_bodies().jacobians(all, *of_bodies_, jacobians_);
    std::vector<std::pair<int, Vector6<S>>> openings;
    for (const TreeJoint& joint : joints_)
      openings.emplace_back(joint.stage, -(inverse_of(joint).transpose() * lambda_bar(joint.rows)));
    system_.open_joints(joints, openings, *ws_, mu_);
    jacobians_.f_x.add_transposed_product(1.0, mu_, x_bar);
    jacobians_.f_v.add_transposed_product(1.0, mu_, v_bar);
    jacobians_.M.add_transposed_product(1.0, mu_, v_dot_bar);
    Vec opened = Vec::Zero(system_of_bodies().n_c());
    jacobians_.C.add_product(1.0, mu_, opened);
    bar.lambda += opened(multipliers_);
    system_of_bodies().pullback(all, mu_, Vec::Zero(system_of_bodies().n_c()), *of_bodies_, p_bar);
  }
  system_.pull_back_bodies(joints, x_bar, v_bar, v_dot_bar, *ws_, bar, p_bar);
}

template <class S>
JointIntegrand<S>::JointIntegrand(const JointCoordinateSystem<S>& system,
                                  std::shared_ptr<const Integrand<S>> of_bodies, bool with_reactions)
    : of_bodies_(std::move(of_bodies)),
      with_reactions_(with_reactions),
      layout_{system.system_of_bodies().n_x(), system.system_of_bodies().n_v(),
              system.system_of_bodies().n_c(), 1},
      bodies_(system),
      y_bar_(layout_.n_tangent()) {}

template <class S>
S JointIntegrand<S>::value(const DaeInstant<S>& at) const {
  return of_bodies_->value(bodies_.at(at, with_reactions_));
}

template <class S>
void JointIntegrand<S>::add_partials(const DaeInstant<S>& at, double weight, DaeInstantBar<S>& bar,
                                     Eigen::Ref<VectorX<S>> p_bar) const {
  y_bar_.setZero();
  DaeInstantBar<S> of_bodies(layout_, y_bar_);
  of_bodies_->add_partials(bodies_.at(at, with_reactions_), weight, of_bodies, p_bar);
  VectorX<S> x_bar = of_bodies.x, v_bar = of_bodies.v, v_dot_bar = of_bodies.v_dot;
  bodies_.pull_back(at, x_bar, v_bar, v_dot_bar, of_bodies.lambda, bar, p_bar);
}

#define KURBEL_INSTANTIATE(S)       \
  template class BodiesOfJoints<S>; \
  template class JointIntegrand<S>;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
