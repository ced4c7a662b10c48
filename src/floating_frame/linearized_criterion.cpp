#include <algorithm>
#include <cmath>
#include <limits>

#include "floating_frame/criterion.hpp"

namespace kurbel {

namespace {

/// Whether the functional depends on all steps, with slopes.
bool is_over_time(TimeFunctional time) {
  return time != TimeFunctional::final_value && time != TimeFunctional::instants;
}

/// Slope of a functional, whose constants belong to one trajectory.
class Slope {
 public:
  Slope(TimeFunctional time, double exponent, double psi, double T, const VectorXd& F)
      : time_(time), exponent_(exponent), psi_(psi), T_(T) {
    // The p-norm has a kink at F = 0. An F of nothing but rounding errors has no sign and no slope.
    if (F.size() > 0) zero_ = 64.0 * std::numeric_limits<double>::epsilon() * F.cwiseAbs().maxCoeff();
  }

  bool depends_on_F() const {
    return time_ == TimeFunctional::p_norm || time_ == TimeFunctional::kreisselmeier_steinhauser;
  }
  double operator()(double F) const {
    switch (time_) {
      case TimeFunctional::mean:
        return 1.0 / T_;
      case TimeFunctional::p_norm:
        if (!(psi_ > 0.0) || std::abs(F) <= zero_) return 0.0;
        return std::copysign(std::pow(std::abs(F) / psi_, exponent_ - 1.0), F) / T_;
      case TimeFunctional::kreisselmeier_steinhauser:
        return std::exp(exponent_ * (F - psi_)) / T_;
      default:
        return 1.0;
    }
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

 private:
  std::shared_ptr<const Integrand<double>> integrand_;
  Slope slope_;
};

}  // namespace

LinearizedCriterion::LinearizedCriterion(const Criterion<double>& criterion,
                                         const Trajectory<double>& trajectory)
    : criterion_(criterion), first_(criterion.integrator_.n_steps()) {
  for (const auto& term : criterion_.terms_) {
    const std::vector<Eigen::Index> steps = term.steps(criterion_.integrator_.n_steps());
    first_ = std::min(first_, steps.front()), last_ = std::max(last_, steps.back());
    if (term.time == TimeFunctional::final_value) final_.add(term.weight, term.integrand);
    if (term.stress) {
      add_stress(term, steps, trajectory);
    } else {
      add_term(term, steps, trajectory);
    }
  }
}

void LinearizedCriterion::add_term(const Criterion<double>::Term& term,
                                   const std::vector<Eigen::Index>& steps,
                                   const Trajectory<double>& trajectory) {
  if (!is_over_time(term.time)) {
    instants_.push_back({term.weight, term.integrand, steps});
    return;
  }
  const double T = trajectory.span();
  const VectorXd F = term.course(criterion_.integrator_, trajectory, steps);
  const Slope slope(term.time, term.exponent, term.functional(criterion_.integrator_, T, F), T, F);
  const auto sloped = std::make_shared<SlopedIntegrand>(term.integrand, slope);
  integrand_.add(term.weight, sloped);
  stepwise_.add(term.weight, sloped);
}

void LinearizedCriterion::add_stress(const Criterion<double>::Term& term,
                                     const std::vector<Eigen::Index>& steps,
                                     const Trajectory<double>& trajectory) {
  const GeneralizedAlpha<double>& integrator = criterion_.integrator_;
  StressTerm stress{term.stress, steps, term.stress_coordinates(trajectory, steps), {}, {}};
  const Eigen::Index n = stress.q.cols();
  const VectorXd F = term.stress->norm().values(stress.q, &stress.q_bar);
  stress.F_bar = VectorXd::Constant(n, term.weight);
  if (is_over_time(term.time)) {
    const double T = trajectory.span();
    const Slope slope(term.time, term.exponent, term.functional(integrator, T, F), T, F);
    integrand_.add(term.weight, std::make_shared<SlopedIntegrand>(term.integrand, slope));
    for (Eigen::Index k = 0; k < n; ++k) stress.F_bar[k] *= integrator.quadrature_weight(k) * slope(F[k]);
  }
  stress.q_bar *= stress.F_bar.asDiagonal();
  stress_.push_back(std::move(stress));
}

std::vector<MatrixXd> LinearizedCriterion::stress_bars() const {
  std::vector<MatrixXd> bars;
  for (const StressTerm& s : stress_) bars.push_back(s.integrand->norm().pull_back(s.q, s.F_bar));
  return bars;
}

void LinearizedCriterion::add_partials(Eigen::Index k, const Trajectory<double>& trajectory,
                                       Eigen::Ref<VectorXd> y_bar, Eigen::Ref<VectorXd> p_bar) const {
  const GeneralizedAlpha<double>& integrator = criterion_.integrator_;
  const auto at = integrator.layout().instant<double>(trajectory.t[k], trajectory.y.col(k));
  DaeInstantBar<double> bar(integrator.layout(), y_bar);
  stepwise_.add_partials(at, integrator.quadrature_weight(k), bar, p_bar);
  for (const StressTerm& s : stress_) {
    const auto step = std::lower_bound(s.steps.begin(), s.steps.end(), k);
    if (step == s.steps.end() || *step != k) continue;
    bar.x.segment(s.integrand->tangent_offset(), s.q.rows()) += s.q_bar.col(step - s.steps.begin());
  }
  for (const InstantTerm& term : instants_) {
    if (std::binary_search(term.steps.begin(), term.steps.end(), k))
      term.integrand->add_partials(at, term.weight, bar, p_bar);
  }
}

}  // namespace kurbel
