#include "sensitivity/observable.hpp"

#include <algorithm>

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

template <class S>
std::shared_ptr<const Integrand<S>> make_deviation(std::shared_ptr<const Observable<S>> observable,
                                                   const CriterionTerm& term,
                                                   const std::vector<int>& axis_of_row) {
  using Kind = typename DeviationIntegrand<S>::Kind;
  Kind kind = term.component ? Kind::component : Kind::half_square;
  std::vector<TargetedRow> rows;
  if (axis_of_row.empty()) {
    kind = term.target[0] ? Kind::half_square : Kind::component;
    rows = {{0, term.target[0]}};
  }
  for (std::size_t row = 0; row < axis_of_row.size(); ++row) {
    const int axis = axis_of_row[row];
    const bool counts = term.component      ? axis == *term.component
                        : term.axes.empty() ? true
                                            : std::ranges::find(term.axes, axis) != term.axes.end();
    if (counts) rows.push_back({static_cast<Eigen::Index>(row), term.target[static_cast<std::size_t>(axis)]});
  }
  return std::make_shared<DeviationIntegrand<S>>(std::move(observable), kind, std::move(rows));
}

template class DeviationIntegrand<InstantiatedScalar>;
template std::shared_ptr<const Integrand<InstantiatedScalar>> make_deviation(
    std::shared_ptr<const Observable<InstantiatedScalar>>, const CriterionTerm&, const std::vector<int>&);

}  // namespace kurbel
