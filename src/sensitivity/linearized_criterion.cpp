#include <algorithm>
#include <cmath>
#include <limits>

#include "sensitivity/criterion.hpp"

namespace kurbel {

namespace {

/// Whether the functional depends on all steps, with slopes.
bool is_over_time(TimeFunctional time) {
  return time != TimeFunctional::final_value && time != TimeFunctional::instants &&
         time != TimeFunctional::change;
}

/// Whether the slope differs from step to step, with F.
bool has_slope_of_F(TimeFunctional time) {
  return time == TimeFunctional::p_norm || time == TimeFunctional::kreisselmeier_steinhauser;
}

/// Slope of a functional, whose constants belong to one trajectory.
class Slope {
 public:
  Slope(TimeFunctional time, double exponent, double psi, double T, const VectorXd& F)
      : time_(time), exponent_(exponent), psi_(psi), T_(T) {
    // The p-norm has a kink at F = 0. An F of nothing but rounding errors has no sign and no slope.
    if (F.size() > 0) zero_ = 64.0 * std::numeric_limits<double>::epsilon() * F.cwiseAbs().maxCoeff();
  }

  bool depends_on_F() const { return has_slope_of_F(time_); }
  double operator()(double F) const {
    switch (time_) {
      case TimeFunctional::mean:
        return 1.0 / T_;
      case TimeFunctional::p_norm:
        if (!(psi_ > 0.0) || std::abs(F) <= zero_) return 0.0;
        return std::copysign(std::pow(std::abs(F) / psi_, exponent_ - 1.0), F) / T_;
      case TimeFunctional::kreisselmeier_steinhauser:
        return std::exp(exponent_ * (F - psi_)) / T_;
      case TimeFunctional::integral:
      case TimeFunctional::final_value:
      case TimeFunctional::instants:
      case TimeFunctional::change:
        break;
    }
    return 1.0;
  }

 private:
  TimeFunctional time_;
  double exponent_, psi_, T_, zero_ = 0.0;
};

/// F times the slope of its functional.
class SlopedIntegrand final : public Integrand<double> {
 public:
  SlopedIntegrand(std::shared_ptr<const Integrand<double>> integrand, const Slope& slope)
      : integrand_(std::move(integrand)), slope_(slope) {}

  double value(const DaeInstant<double>& at) const override {
    const double F = integrand_->value(at);
    return slope_(F) * F;
  }
  void add_partials(const DaeInstant<double>& at, double weight, DaeInstantBar<double>& bar,
                    Eigen::Ref<VectorXd> p_bar) const override {
    const double factor = slope_.depends_on_F() ? slope_(integrand_->value(at)) : slope_(0.0);
    integrand_->add_partials(at, weight * factor, bar, p_bar);
  }
  bool in_the_middle() const override { return integrand_->in_the_middle(); }

 private:
  std::shared_ptr<const Integrand<double>> integrand_;
  Slope slope_;
};

}  // namespace

LinearizedCriterion::LinearizedCriterion(const Criterion<double>& criterion,
                                         const Trajectory<double>& trajectory)
    : criterion_(criterion), span_(trajectory.span()), first_(criterion.steps_->n_steps()) {
  const bool varies = criterion_.steps_->end_parameter() >= 0;
  for (const Term& term : criterion_.terms_) {
    const std::vector<Eigen::Index> steps = term.steps(criterion_.steps_->n_steps());
    first_ = std::min(first_, steps.front()), last_ = std::max(last_, steps.back());
    if (varies && term.time == TimeFunctional::integral)
      integrals_ +=
          term.weight *
          criterion_.functional(term, span_, criterion_.time_history(*term.integrand, trajectory, steps));
    if (term.time == TimeFunctional::final_value) final_.add(term.weight, term.integrand);
    if (const TimeHistoryIntegrand<double>* together = term.integrand->as_time_history()) {
      add_time_history(term, *together, steps, trajectory);
    } else {
      add_term(term, steps, trajectory);
    }
  }
  if (!criterion_.constants_.empty() || integrals_ != 0.0) first_ = 0;
}

void LinearizedCriterion::add_term(const Term& term, const std::vector<Eigen::Index>& steps,
                                   const Trajectory<double>& trajectory) {
  if (term.time == TimeFunctional::change)
    instants_.push_back({-term.weight, term.integrand, {steps.front()}});
  if (!is_over_time(term.time)) {
    const bool is_change = term.time == TimeFunctional::change;
    instants_.push_back(
        {term.weight, term.integrand, is_change ? std::vector{steps.back()} : steps, term.instant_weights});
    return;
  }
  const double T = trajectory.span();
  VectorXd F;
  double psi = 0.0;
  if (has_slope_of_F(term.time)) {
    F = criterion_.time_history(*term.integrand, trajectory, steps);
    psi = criterion_.functional(term, T, F);
  }
  const Slope slope(term.time, term.exponent, psi, T, F);
  const auto sloped = std::make_shared<SlopedIntegrand>(term.integrand, slope);
  integrand_.add(term.weight, sloped);
  (criterion_.part(*term.integrand) == PartOfStep::middle ? midway_ : stepwise_).add(term.weight, sloped);
}

void LinearizedCriterion::add_time_history(const Term& term, const TimeHistoryIntegrand<double>& integrand,
                                           const std::vector<Eigen::Index>& steps,
                                           const Trajectory<double>& trajectory) {
  TimeHistoryTerm time_history{
      term.integrand, &integrand, steps, integrand.coordinates(trajectory, steps), {}, {}};
  const Eigen::Index n = time_history.z.cols();
  const VectorXd F = integrand.time_history(time_history.z, &time_history.z_bar, nullptr);
  time_history.F_bar = VectorXd::Constant(n, term.weight);
  if (term.time == TimeFunctional::change) time_history.F_bar[0] *= -1.0;
  for (std::size_t i = 0; i < term.instant_weights.size(); ++i)
    time_history.F_bar[static_cast<Eigen::Index>(i)] *= term.instant_weights[i];
  if (is_over_time(term.time)) {
    const double T = trajectory.span();
    const Slope slope(term.time, term.exponent, criterion_.functional(term, T, F), T, F);
    integrand_.add(term.weight, std::make_shared<SlopedIntegrand>(term.integrand, slope));
    for (Eigen::Index k = 0; k < n; ++k)
      time_history.F_bar[k] *= criterion_.quadrature_weight(criterion_.part(integrand), k) * slope(F[k]);
  }
  time_history.z_bar *= time_history.F_bar.asDiagonal();
  time_histories_.push_back(std::move(time_history));
}

std::vector<MatrixXd> LinearizedCriterion::time_history_bars() const {
  std::vector<MatrixXd> bars;
  for (const TimeHistoryTerm& c : time_histories_) bars.push_back(c.integrand->pull_back(c.z, c.F_bar));
  return bars;
}

void LinearizedCriterion::add_partials(Eigen::Index k, const Trajectory<double>& trajectory,
                                       Eigen::Ref<VectorXd> y_bar, Eigen::Ref<VectorXd> p_bar) const {
  const DaeStateLayout& layout = criterion_.layout_;
  for (const PartOfStep part : {PartOfStep::end, PartOfStep::middle}) {
    const auto at = criterion_.instant(part, k, trajectory);
    DaeInstantBar<double> bar(layout, y_bar, part);
    (part == PartOfStep::middle ? midway_ : stepwise_)
        .add_partials(at, criterion_.quadrature_weight(part, k), bar, p_bar);
    for (const TimeHistoryTerm& c : time_histories_) {
      if (criterion_.part(*c.integrand) != part) continue;
      const auto step = std::lower_bound(c.steps.begin(), c.steps.end(), k);
      if (step == c.steps.end() || *step != k) continue;
      bar.x.segment(c.integrand->tangent_offset(), c.z.rows()) += c.z_bar.col(step - c.steps.begin());
    }
    for (const InstantTerm& term : instants_) {
      if (criterion_.part(*term.integrand) != part) continue;
      const auto step = std::lower_bound(term.steps.begin(), term.steps.end(), k);
      if (step == term.steps.end() || *step != k) continue;
      const std::vector<double>& of_steps = term.weights;
      const double own =
          of_steps.empty() ? 1.0 : of_steps[static_cast<std::size_t>(step - term.steps.begin())];
      if (own != 0.0) term.integrand->add_partials(at, own * term.weight, bar, p_bar);
    }
    if (!layout.has_middle) break;
  }
  if (k == 0) add_constant_partials(p_bar);
}

void LinearizedCriterion::add_constant_partials(Eigen::Ref<VectorXd> p_bar) const {
  for (const auto& [weight, function] : criterion_.constants_) function->add_partials(weight, p_bar);
  if (integrals_ != 0.0) p_bar[criterion_.steps_->end_parameter()] += integrals_ / span_;
}

}  // namespace kurbel
