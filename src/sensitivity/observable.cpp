#include "sensitivity/observable.hpp"

#include <algorithm>
#include <cmath>

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
S DeviationIntegrand<S>::deviation(const TargetedRow& row, const Rows<S>& z, double t) const {
  return row.target ? S(z[row.row] - row.target->at(t).value) : z[row.row];
}

template <class S>
S DeviationIntegrand<S>::square(const Rows<S>& z, double t) const {
  S sum(0);
  for (const TargetedRow& row : rows_) {
    const S d = deviation(row, z, t);
    sum += d * d;
  }
  return sum;
}

template <class S>
S DeviationIntegrand<S>::value(const DaeInstant<S>& at) const {
  using std::sqrt;
  const Rows<S> z = observable_->value(at);
  switch (form_) {
    case CriterionForm::signed_value:
      return deviation(rows_.front(), z, at.t);
    case CriterionForm::magnitude:
      return sqrt(square(z, at.t));
    case CriterionForm::half_square:
      break;
  }
  return 0.5 * square(z, at.t);
}

template <class S>
void DeviationIntegrand<S>::add_partials(const DaeInstant<S>& at, double weight, DaeInstantBar<S>& bar,
                                         Eigen::Ref<VectorX<S>> p_bar) const {
  const Rows<S> z = observable_->value(at);
  Rows<S> z_bar = Rows<S>::Zero(z.size());
  if (form_ == CriterionForm::signed_value) {
    z_bar[rows_.front().row] = weight;
  } else {
    using std::sqrt;
    S slope(weight);
    if (form_ == CriterionForm::magnitude) {
      const S F = sqrt(square(z, at.t));
      if (real_part(F) == 0.0) return;
      slope /= F;
    }
    for (const TargetedRow& row : rows_) z_bar[row.row] = slope * deviation(row, z, at.t);
  }
  observable_->add_partials(at, z_bar, bar, p_bar);
}

template <class S>
std::shared_ptr<const Integrand<S>> make_deviation(std::shared_ptr<const Observable<S>> observable,
                                                   const CriterionTerm& term,
                                                   const std::vector<int>& axis_of_row) {
  std::vector<TargetedRow> rows;
  if (axis_of_row.empty()) rows = {{0, term.target[0]}};
  for (std::size_t row = 0; row < axis_of_row.size(); ++row) {
    const int axis = axis_of_row[row];
    const bool counts = term.component      ? axis == *term.component
                        : term.axes.empty() ? true
                                            : std::ranges::find(term.axes, axis) != term.axes.end();
    if (counts) rows.push_back({static_cast<Eigen::Index>(row), term.target[static_cast<std::size_t>(axis)]});
  }
  return std::make_shared<DeviationIntegrand<S>>(std::move(observable), form_of(term), std::move(rows));
}

template class DeviationIntegrand<InstantiatedScalar>;
template std::shared_ptr<const Integrand<InstantiatedScalar>> make_deviation(
    std::shared_ptr<const Observable<InstantiatedScalar>>, const CriterionTerm&, const std::vector<int>&);

}  // namespace kurbel
