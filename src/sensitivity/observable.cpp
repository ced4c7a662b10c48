#include "sensitivity/observable.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
S DeviationIntegrand<S>::deviation(const TargetedRow& row, const Rows<S>& z, double t) const {
  return row.target ? S(z[row.row] - row.target->at(t).value) : z[row.row];
}

template <class S>
S DeviationIntegrand<S>::value(const DaeInstant<S>& at) const {
  const Rows<S> z = observable_->value(at);
  if (kind_ == Kind::component) return deviation(rows_.front(), z, at.t);
  S F(0);
  for (const TargetedRow& row : rows_) {
    const S d = deviation(row, z, at.t);
    F += d * d;
  }
  return 0.5 * F;
}

template <class S>
void DeviationIntegrand<S>::add_partials(const DaeInstant<S>& at, double weight, DaeInstantBar<S>& bar,
                                         Eigen::Ref<VectorX<S>> p_bar) const {
  const Rows<S> z = observable_->value(at);
  Rows<S> z_bar = Rows<S>::Zero(z.size());
  if (kind_ == Kind::component) {
    z_bar[rows_.front().row] = weight;
  } else {
    for (const TargetedRow& row : rows_) z_bar[row.row] = weight * deviation(row, z, at.t);
  }
  observable_->add_partials(at, z_bar, bar, p_bar);
}

template class DeviationIntegrand<InstantiatedScalar>;

}  // namespace kurbel
