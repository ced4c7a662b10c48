#include "sensitivity/norm_of_observables.hpp"

#include <cmath>

#include "base/instantiate.hpp"

namespace kurbel {

namespace {

/// |a| without complex conjugation, differentiable but at zero.
template <class S>
S magnitude(const S& a) {
  return real_part(a) < 0.0 ? S(-a) : a;
}

}  // namespace

template <class S>
double NormOfObservables<S>::look(const DaeInstant<S>& at) const {
  z_.resize(std::ssize(numbers_));
  for (std::size_t i = 0; i < numbers_.size(); ++i)
    z_[static_cast<Eigen::Index>(i)] = numbers_[i]->value(at)[0];
  return z_.real().cwiseAbs().maxCoeff();
}

template <class S>
S NormOfObservables<S>::norm(double largest) const {
  using std::pow;
  if (largest == 0.0) return S(0);
  S sum(0);
  for (const S& z : z_) sum += pow(S(magnitude(z) / largest), exponent_);
  return largest * pow(sum, 1.0 / exponent_);
}

template <class S>
S NormOfObservables<S>::value(const DaeInstant<S>& at) const {
  return norm(look(at));
}

template <class S>
double NormOfObservables<S>::largest(const DaeInstant<S>& at) const {
  return look(at);
}

template <class S>
void NormOfObservables<S>::add_partials(const DaeInstant<S>& at, double weight, DaeInstantBar<S>& bar,
                                        Eigen::Ref<VectorX<S>> p_bar) const {
  using std::pow;
  const S norm = this->norm(look(at));
  if (norm == S(0)) return;
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const S z = z_[static_cast<Eigen::Index>(i)];
    const S slope = weight * pow(S(magnitude(z) / norm), exponent_ - 1.0) * (real_part(z) < 0.0 ? -1.0 : 1.0);
    numbers_[i]->add_partials(at, Rows<S>::Constant(1, slope), bar, p_bar);
  }
}

template class NormOfObservables<InstantiatedScalar>;

}  // namespace kurbel
