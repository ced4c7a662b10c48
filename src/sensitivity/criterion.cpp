#include "sensitivity/criterion.hpp"

#include <cmath>
#include <numeric>

#include "base/instantiate.hpp"

namespace kurbel {

namespace {

std::vector<Eigen::Index> steps_between(Eigen::Index first, Eigen::Index last) {
  std::vector<Eigen::Index> steps(static_cast<std::size_t>(last - first + 1));
  std::iota(steps.begin(), steps.end(), first);
  return steps;
}

std::vector<Eigen::Index> first_steps(Eigen::Index n) {
  return steps_between(0, n - 1);
}

Eigen::Map<const VectorXd> as_vector(const std::vector<double>& values) {
  return {values.data(), std::ssize(values)};
}

}  // namespace

template <class S>
S Criterion<S>::constant() const {
  S sum(0);
  for (const auto& [weight, function] : constants_) sum += weight * function->value();
  return sum;
}

template <class S>
CriterionValue<S> Criterion<S>::evaluate(const Trajectory<S>& trajectory) const {
  CriterionValue<S> sum{constant()};
  sum.peak = real_part(sum.psi);
  const double T = trajectory.span();
  for (const Term& term : terms_) {
    VectorXd largest;
    const VectorX<S> F = time_history(*term.integrand, trajectory, term.steps(steps_->n_steps()), &largest);
    sum.psi += term.weight * functional(term, T, F);
    sum.peak += term.weight * peak(term, T, largest);
  }
  return sum;
}

template <class S>
ValueRange Criterion<S>::range(const Trajectory<S>& trajectory, Eigen::Index first, Eigen::Index last) const {
  const std::vector<Eigen::Index> steps = steps_between(first, last);
  VectorXd sum = VectorXd::Constant(std::ssize(steps), real_part(constant())), largest;
  for (const Term& term : terms_) {
    time_history(*term.integrand, trajectory, steps, &largest);
    sum += term.weight * largest;
  }
  return {sum.minCoeff(), sum.maxCoeff()};
}

template <class S>
VectorX<S> Criterion<S>::time_history(const Trajectory<S>& trajectory) const {
  VectorX<S> sum = VectorX<S>::Constant(trajectory.n_stored, constant());
  for (const Term& term : terms_)
    sum += term.weight * time_history(*term.integrand, trajectory, first_steps(trajectory.n_stored));
  return sum;
}

template <class S>
std::vector<Eigen::Index> Criterion<S>::Term::steps(Eigen::Index n_steps) const {
  if (time == TimeFunctional::final_value) return {n_steps};
  if (time == TimeFunctional::change) return {0, n_steps};
  if (time == TimeFunctional::instants) return {instants.begin(), instants.end()};
  return first_steps(n_steps + 1);
}

template <class S>
DaeInstant<S> Criterion<S>::instant(PartOfStep part, Eigen::Index k, const Trajectory<S>& trajectory) const {
  const double t = trajectory.t[k];
  if (part == PartOfStep::end) return layout_.template instant<S>(t, trajectory.y.col(k));
  return layout_.template middle<S>(t, trajectory.y.col(k), k > 0 ? t - trajectory.t[k - 1] : 0.0);
}

template <class S>
double Criterion<S>::quadrature_weight(PartOfStep part, Eigen::Index k) const {
  if (part == PartOfStep::end) return steps_->quadrature_weight(k);
  return k > 0 ? steps_->time(k) - steps_->time(k - 1) : 0.0;
}

template <class S>
VectorX<S> Criterion<S>::time_history(const Integrand<S>& integrand, const Trajectory<S>& trajectory,
                                      const std::vector<Eigen::Index>& steps, VectorXd* largest) const {
  if (const TimeHistoryIntegrand<S>* together = integrand.as_time_history())
    return together->time_history(together->coordinates(trajectory, steps), nullptr, largest);
  VectorX<S> F(static_cast<Eigen::Index>(steps.size()));
  for (Eigen::Index i = 0; i < F.size(); ++i)
    F[i] = integrand.value(instant(part(integrand), steps[static_cast<std::size_t>(i)], trajectory));
  if (!largest) return F;
  largest->resize(F.size());
  for (Eigen::Index i = 0; i < F.size(); ++i)
    (*largest)[i] =
        integrand.largest(instant(part(integrand), steps[static_cast<std::size_t>(i)], trajectory));
  return F;
}

template <class S>
double Criterion<S>::peak(const Term& term, double T, const VectorXd& largest) const {
  if (term.time == TimeFunctional::p_norm) return largest.cwiseAbs().maxCoeff();
  if (term.time == TimeFunctional::kreisselmeier_steinhauser)
    return term.exponent > 0.0 ? largest.maxCoeff() : largest.minCoeff();
  return real_part(functional(term, T, largest.template cast<S>()));
}

template <class S>
S Criterion<S>::functional(const Term& term, double T, const VectorX<S>& F) const {
  using std::exp, std::log, std::pow;
  const Eigen::Index n = F.size();
  const PartOfStep where = part(*term.integrand);
  // The start is in the middle of no step.
  const Eigen::Index first = where == PartOfStep::middle ? 1 : 0;
  const auto integral = [&](const auto& function) {
    S sum(0);
    for (Eigen::Index k = first; k < n; ++k) sum += quadrature_weight(where, k) * function(F[k]);
    return sum;
  };
  const double exponent = term.exponent;
  switch (term.time) {
    case TimeFunctional::final_value:
      return F[n - 1];
    case TimeFunctional::instants:
      return term.instant_weights.empty() ? F.sum()
                                          : S((F.array() * as_vector(term.instant_weights).array()).sum());
    case TimeFunctional::change:
      return F[n - 1] - F[0];
    case TimeFunctional::mean:
      return integral([](const S& f) { return f; }) / T;
    case TimeFunctional::p_norm: {
      // In units of the largest |F|, against overflow.
      const double largest = F.tail(n - first).real().cwiseAbs().maxCoeff();
      if (largest == 0.0) return S(0);
      const S mean = integral([&](const S& f) {
                       return pow(real_part(f) < 0.0 ? S(-f / largest) : S(f / largest), exponent);
                     }) /
                     T;
      return largest * pow(mean, 1.0 / exponent);
    }
    case TimeFunctional::kreisselmeier_steinhauser: {
      // Relative to the F of the largest k F, against overflow.
      const auto values = F.tail(n - first).real();
      const double top = exponent > 0.0 ? values.maxCoeff() : values.minCoeff();
      return top + log(integral([&](const S& f) { return exp(exponent * (f - top)); }) / T) / exponent;
    }
    case TimeFunctional::integral:
      break;
  }
  return integral([](const S& f) { return f; });
}

template class Criterion<InstantiatedScalar>;

}  // namespace kurbel
