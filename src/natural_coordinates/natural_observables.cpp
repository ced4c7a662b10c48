/// Points, functions of elements, reactions and forces of rods: their values and derivatives.
#include <fmt/format.h>

#include <algorithm>

#include "base/instantiate.hpp"
#include "integration/lie_group.hpp"
#include "natural_coordinates/natural_criteria.hpp"
#include "natural_coordinates/natural_system_detail.hpp"

namespace kurbel {

template <class S>
Rows<S> CarriedPoint<S>::value(const Instant& at) const {
  const S* p = system_.extended_parameters().data();
  switch (kind_) {
    case Kind::velocity:
      return point_.linear<S>(p, at.v);
    case Kind::acceleration:
      return point_.linear<S>(p, at.v_dot);
    case Kind::position:
      break;
  }
  return point_.at<S>(p, at.x);
}

template <class S>
void CarriedPoint<S>::add_partials(const Instant& at, const Rows<S>& z_bar, Bar& bar,
                                   Eigen::Ref<VectorX<S>> p_bar) const {
  const S* p = system_.extended_parameters().data();
  const Vector3<S> y_bar = z_bar;
  switch (kind_) {
    case Kind::velocity:
      point_.add_transposed(p, y_bar, bar.v);
      return point_.pull_back_linear(y_bar, at.v, p_bar.data());
    case Kind::acceleration:
      point_.add_transposed(p, y_bar, bar.v_dot);
      return point_.pull_back_linear(y_bar, at.v_dot, p_bar.data());
    case Kind::position:
      break;
  }
  point_.add_transposed(p, y_bar, bar.x);
  point_.pull_back(y_bar, at.x, p_bar.data());
}

template <class S>
ElementFunction<S>::ElementFunction(const NaturalSystem<S>& system, PlacedElement<S> placed,
                                    std::shared_ptr<const StateFunction<S>> function, bool in_the_middle)
    : system_(system),
      placed_(std::move(placed)),
      function_(std::move(function)),
      in_the_middle_(in_the_middle),
      q_(function_->n_q()),
      v_(function_->n_q()),
      xi_(function_->n_xi()) {
  derivatives_.resize(function_->n_rows(), function_->n_q(), function_->n_xi());
}

template <class S>
ElementState<S> ElementFunction<S>::state(const Instant& at) const {
  const S* p = system_.extended_parameters().data();
  gather_values<S>(placed_, p, at.x, q_);
  gather_rates<S>(placed_, p, at.v, v_);
  for (Eigen::Index k = 0; k < xi_.size(); ++k) xi_[k] = p[placed_.parameters[static_cast<std::size_t>(k)]];
  return {q_, v_, u_, xi_};
}

template <class S>
Rows<S> ElementFunction<S>::value(const Instant& at) const {
  Rows<S> h = Rows<S>::Zero(function_->n_rows());
  function_->value(state(at), h);
  return h;
}

template <class S>
void ElementFunction<S>::add_partials(const Instant& at, const Rows<S>& h_bar, Bar& bar,
                                      Eigen::Ref<VectorX<S>> p_bar) const {
  const S* p = system_.extended_parameters().data();
  for (auto* A : {&derivatives_.h_q, &derivatives_.h_v, &derivatives_.h_xi}) A->setZero();
  function_->add_derivatives(state(at), derivatives_);
  extended_bar_.setZero(system_.extended_parameters().size());
  const VectorX<S> q_bar = derivatives_.h_q.transpose() * h_bar, v_bar = derivatives_.h_v.transpose() * h_bar,
                   xi_bar = derivatives_.h_xi.transpose() * h_bar;
  for (std::size_t i = 0; i < placed_.forms.size(); ++i) {
    const VectorForm& form = placed_.forms[i];
    const Vector3<S> by_q = placed_.get(i, q_bar), by_v = placed_.get(i, v_bar);
    form.add_transposed(p, by_q, bar.x);
    form.add_transposed(p, by_v, bar.v);
    form.pull_back(by_q, at.x, extended_bar_.data());
    form.pull_back_linear(by_v, at.v, extended_bar_.data());
  }
  for (Eigen::Index k = 0; k < xi_.size(); ++k)
    extended_bar_[placed_.parameters[static_cast<std::size_t>(k)]] += xi_bar[k];
  system_.pull_back_extended(extended_bar_, p_bar);
}

template <class S>
const JointSpec& joint_spec(const NaturalSystem<S>& system, const std::string& name) {
  const auto found = std::ranges::find(system.spec().joints, name, &JointSpec::name);
  if (found == system.spec().joints.end()) throw InputError(fmt::format("there is no joint {}", name));
  return *found;
}

template <class S>
NaturalReaction<S>::NaturalReaction(const NaturalSystem<S>& system, const std::string& joint, bool is_moment)
    : system_(system), joint_(system.joint(joint)), rotated_(!is_moment && joint_.along_inertial_axes) {
  const int first = static_cast<int>(is_moment ? RelativeDof::rx : RelativeDof::tx);
  for (std::size_t i = 0; i < joint_.dofs.size(); ++i) {
    const int axis = static_cast<int>(joint_.dofs[i]) - first;
    if (axis >= 0 && axis < 3)
      rows_[static_cast<std::size_t>(axis)] = joint_.first + static_cast<Eigen::Index>(i);
  }
  if (is_moment ? joint_.shares_axes : joint_.shares_place)
    throw InputError(
        fmt::format("joint {} shares coordinates, and has no multipliers that tell its reactions", joint));
  const JointSpec& spec = joint_spec(system, joint);
  const auto locked = [&](int axis) {
    const auto dof = static_cast<RelativeDof>(first + axis);
    return spec.locked[static_cast<std::size_t>(dof)] ||
           std::ranges::find(spec.drives, dof, &DriveSpec::dof) != spec.drives.end();
  };
  if (!locked(0) && !locked(1) && !locked(2))
    throw InputError(fmt::format("joint {} holds no {}", joint, is_moment ? "rotation" : "displacement"));
}

template <class S>
Rows<S> NaturalReaction<S>::value(const Instant& at) const {
  Vector3<S> force = Vector3<S>::Zero();
  for (std::size_t k = 0; k < 3; ++k) {
    if (rows_[k] >= 0) force[static_cast<Eigen::Index>(k)] = -at.lambda[rows_[k]];
  }
  if (!turns_with_axes()) return force;
  Rows<S> own(3);
  for (std::size_t k = 0; k < 3; ++k)
    own[static_cast<Eigen::Index>(k)] =
        dot(joint_.to.axes[k].template at<S>(system_.extended_parameters().data(), at.x), force);
  return own;
}

template <class S>
void NaturalReaction<S>::add_partials(const Instant& at, const Rows<S>& z_bar, Bar& bar,
                                      Eigen::Ref<VectorX<S>>) const {
  const S* p = system_.extended_parameters().data();
  Vector3<S> force_bar = z_bar;
  if (turns_with_axes()) {
    force_bar.setZero();
    Vector3<S> force = Vector3<S>::Zero();
    for (std::size_t k = 0; k < 3; ++k) {
      if (rows_[k] >= 0) force[static_cast<Eigen::Index>(k)] = -at.lambda[rows_[k]];
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const S own_bar = z_bar[static_cast<Eigen::Index>(k)];
      force_bar += own_bar * joint_.to.axes[k].template at<S>(p, at.x);
      joint_.to.axes[k].add_transposed(p, Vector3<S>(own_bar * force), bar.x);
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    if (rows_[k] >= 0) bar.lambda[rows_[k]] -= force_bar[static_cast<Eigen::Index>(k)];
  }
}

template <class S>
NaturalRodForce<S>::NaturalRodForce(const NaturalSystem<S>& system, const std::string& joint) {
  if (!joint_spec(system, joint).length)
    throw InputError(fmt::format("joint {} is no rod (type = \"distance\")", joint));
  const NaturalJoint& rod = system.joint(joint);
  if (!rod.dofs.empty()) row_ = rod.first;
}

#define KURBEL_INSTANTIATE(S)                                                        \
  template const JointSpec& joint_spec(const NaturalSystem<S>&, const std::string&); \
  template class CarriedPoint<S>;                                                    \
  template class ElementFunction<S>;                                                 \
  template class NaturalReaction<S>;                                                 \
  template class NaturalRodForce<S>;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
