#include "multibody/criteria.hpp"

#include <fmt/format.h>

namespace kurbel {

template <class S>
ComplianceIntegrand<S>::ComplianceIntegrand(const MultibodySystem<S>& system, const std::string& body)
    : system_(system), body_(system.body_index(body)) {
  if (system.n_q(body_) == 0) {
    throw InputError(
        fmt::format("the compliance of body {} is zero, for it is rigid; name a flexible body", body));
  }
}

template <class S>
S ComplianceIntegrand<S>::value(const DaeInstant<S>& at) const {
  const auto q = at.x.segment(system_.x_offset(body_) + 7, system_.n_q(body_));
  const auto Ke = view(system_.layout().body(body_).Ke, system_.parameters().data());
  return (q.transpose() * Ke * q).value();
}

template <class S>
void ComplianceIntegrand<S>::add_partials(const DaeInstant<S>& at, double weight, DaeInstantBar<S>& bar,
                                          Eigen::Ref<VectorX<S>> p_bar) const {
  const Eigen::Index n = system_.n_q(body_);
  const auto q = at.x.segment(system_.x_offset(body_) + 7, n);
  const ParameterBlock& block = system_.layout().body(body_).Ke;
  const auto Ke = view(block, system_.parameters().data());
  auto q_bar = bar.x.segment(system_.v_offset(body_) + 6, n);
  q_bar.noalias() += weight * (Ke * q);
  q_bar.noalias() += weight * (Ke.transpose() * q);
  view(block, p_bar.data()).noalias() += weight * q * q.transpose();
}

template <class S>
S TimeIntegral<S>::value(const Trajectory<S>& trajectory) const {
  S psi(0);
  for (Eigen::Index k = 0; k < trajectory.y.cols(); ++k) {
    const auto at = integrator_.layout().template instant<S>(trajectory.t[k], trajectory.y.col(k));
    psi += integrator_.quadrature_weight(k) * integrand_.value(at);
  }
  return psi;
}

template <class S>
void TimeIntegral<S>::add_partials(Eigen::Index k, const Trajectory<S>& trajectory,
                                   Eigen::Ref<VectorX<S>> y_bar, Eigen::Ref<VectorX<S>> p_bar) const {
  const auto at = integrator_.layout().template instant<S>(trajectory.t[k], trajectory.y.col(k));
  DaeInstantBar<S> bar(integrator_.layout(), y_bar);
  integrand_.add_partials(at, integrator_.quadrature_weight(k), bar, p_bar);
}

template class ComplianceIntegrand<double>;
template class ComplianceIntegrand<Complex>;
template class TimeIntegral<double>;
template class TimeIntegral<Complex>;

}  // namespace kurbel
