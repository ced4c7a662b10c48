#include "sensitivity/control_energy.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
ControlEnergyIntegrand<S>::ControlEnergyIntegrand(std::vector<ControlNodes> controls, const VectorX<S>& p)
    : controls_(std::move(controls)), p_(p) {
  for (const ControlNodes& control : controls_) weights_.emplace_back(control.grid.n_nodes());
}

/// u at an instant; leaves the weights of its nodes.
template <class S>
S ControlEnergyIntegrand<S>::control(std::size_t i, const OneSidedTime& t) const {
  const ControlNodes& control = controls_[i];
  control.grid.weights(t, weights_[i]);
  const auto nodes = p_.segment(control.offset, control.grid.n_nodes());
  return (weights_[i].template cast<S>() * nodes).value();
}

template <class S>
S ControlEnergyIntegrand<S>::value(const DaeInstant<S>& at) const {
  S F(0);
  for (std::size_t i = 0; i < controls_.size(); ++i) {
    const S u = control(i, at.t);
    F += 0.5 * u * u;
  }
  return F;
}

template <class S>
void ControlEnergyIntegrand<S>::add_partials(const DaeInstant<S>& at, double weight, DaeInstantBar<S>&,
                                             Eigen::Ref<VectorX<S>> p_bar) const {
  for (std::size_t i = 0; i < controls_.size(); ++i) {
    const S u = control(i, at.t);
    p_bar.segment(controls_[i].offset, weights_[i].size()) += (weight * u) * weights_[i].transpose();
  }
}

template <class S>
ControlEnergy<S>::ControlEnergy(const std::vector<ControlNodes>& controls, const VectorX<S>& p) : p_(p) {
  for (const ControlNodes& control : controls)
    parts_.push_back({control.offset, control.grid.energy_matrix()});
}

template <class S>
S ControlEnergy<S>::value() const {
  S J(0);
  for (const Part& part : parts_) {
    const auto u = p_.segment(part.offset, part.A.rows());
    J += 0.5 * (u.transpose() * part.A.template cast<S>() * u).value();
  }
  return J;
}

template <class S>
void ControlEnergy<S>::add_partials(double weight, Eigen::Ref<VectorX<S>> p_bar) const {
  for (const Part& part : parts_) {
    p_bar.segment(part.offset, part.A.rows()) +=
        weight * (part.A.template cast<S>() * p_.segment(part.offset, part.A.rows()));
  }
  if (end_ >= 0) p_bar[end_] += (weight / span_) * value();
}

template class ControlEnergyIntegrand<InstantiatedScalar>;
template class ControlEnergy<InstantiatedScalar>;

}  // namespace kurbel
