#include "absolute_coordinates/criteria.hpp"

#include <algorithm>

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
S FunctionValue<S>::value(const Trajectory<S>& trajectory) const {
  return scale_ * (function_.value(trajectory.y.col(k_))[row_] - reference_);
}

template <class S>
void FunctionValue<S>::add_partials(Eigen::Index k, const Trajectory<S>& trajectory, Eigen::Ref<Vec> y_bar,
                                    Eigen::Ref<Vec> p_bar) const {
  if (k == k_) function_.add_partials(trajectory.y.col(k), row_, scale_, y_bar, p_bar);
}

template <class S>
S TrackingError<S>::value(const Trajectory<S>& trajectory) const {
  S psi(0);
  for (Eigen::Index k = first_step(); k < trajectory.y.cols(); ++k) {
    const Vec error = function_.value(trajectory.y.col(k)) - target_.template cast<S>();
    psi += 0.5 * weight(k) * (error.transpose() * error).value();
  }
  return psi;
}

template <class S>
void TrackingError<S>::add_partials(Eigen::Index k, const Trajectory<S>& trajectory, Eigen::Ref<Vec> y_bar,
                                    Eigen::Ref<Vec> p_bar) const {
  if (k < first_step()) return;
  const Vec error = function_.value(trajectory.y.col(k)) - target_.template cast<S>();
  for (Eigen::Index row = 0; row < error.size(); ++row) {
    function_.add_partials(trajectory.y.col(k), row, weight(k) * error[row], y_bar, p_bar);
  }
}

template <class S>
ControlEnergy<S>::ControlEnergy(const AbsoluteSystem<S>& system) : system_(system) {
  const Controls& controls = system.controls();
  for (Eigen::Index i = 0; i < controls.size(); ++i) A_.push_back(controls.grid(i).energy_matrix());
}

template <class S>
S ControlEnergy<S>::value(const Trajectory<S>&) const {
  S J(0);
  for (std::size_t i = 0; i < A_.size(); ++i) {
    const auto u =
        system_.parameters().segment(system_.control_offset(static_cast<Eigen::Index>(i)), A_[i].rows());
    J += 0.5 * (u.transpose() * A_[i].template cast<S>() * u).value();
  }
  return J;
}

template <class S>
void ControlEnergy<S>::add_partials(Eigen::Index k, const Trajectory<S>&, Eigen::Ref<Vec>,
                                    Eigen::Ref<Vec> p_bar) const {
  if (k != 0) return;
  for (std::size_t i = 0; i < A_.size(); ++i) {
    const Eigen::Index offset = system_.control_offset(static_cast<Eigen::Index>(i));
    p_bar.segment(offset, A_[i].rows()) +=
        A_[i].template cast<S>() * system_.parameters().segment(offset, A_[i].rows());
  }
}

template <class S>
S ParameterProducts<S>::at(const ParameterSlot& slot) const {
  return slot.variable < 0 ? S(slot.constant) : S(slot.factor * system_.parameters()[slot.variable]);
}

template <class S>
S ParameterProducts<S>::value(const Trajectory<S>&) const {
  S sum(0);
  for (const auto& factors : products_) {
    S product(1);
    for (const ParameterSlot& slot : factors) product *= at(slot);
    sum += product;
  }
  return sum;
}

template <class S>
void ParameterProducts<S>::add_partials(Eigen::Index k, const Trajectory<S>&, Eigen::Ref<Vec>,
                                        Eigen::Ref<Vec> p_bar) const {
  if (k != 0) return;
  for (const auto& factors : products_) {
    for (std::size_t i = 0; i < factors.size(); ++i) {
      if (factors[i].variable < 0) continue;
      S others(factors[i].factor);
      for (std::size_t j = 0; j < factors.size(); ++j) {
        if (j != i) others *= at(factors[j]);
      }
      p_bar[factors[i].variable] += others;
    }
  }
}

template <class S>
S WeightedSum<S>::value(const Trajectory<S>& trajectory) const {
  S sum(0);
  for (const auto& [weight, term] : terms_) sum += weight * term->value(trajectory);
  return sum;
}

template <class S>
void WeightedSum<S>::add_partials(Eigen::Index k, const Trajectory<S>& trajectory, Eigen::Ref<Vec> y_bar,
                                  Eigen::Ref<Vec> p_bar) const {
  for (const auto& [weight, term] : terms_) {
    if (k < term->first_step() || k > term->last_step()) continue;
    y_bar_.setZero(y_bar.size());
    p_bar_.setZero(p_bar.size());
    term->add_partials(k, trajectory, y_bar_, p_bar_);
    y_bar += weight * y_bar_;
    p_bar += weight * p_bar_;
  }
}

template <class S>
Eigen::Index WeightedSum<S>::last_step() const {
  Eigen::Index last = 0;
  for (const auto& [weight, term] : terms_) last = std::max(last, term->last_step());
  return last;
}

template class FunctionValue<InstantiatedScalar>;
template class TrackingError<InstantiatedScalar>;
template class ControlEnergy<InstantiatedScalar>;
template class ParameterProducts<InstantiatedScalar>;
template class WeightedSum<InstantiatedScalar>;

}  // namespace kurbel
