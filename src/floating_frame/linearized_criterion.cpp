#include <cmath>
#include <limits>

#include "floating_frame/criterion.hpp"

namespace kurbel {

namespace {

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
    : criterion_(criterion) {
  for (const auto& term : criterion_.terms_) {
    const bool is_final = term.time == TimeFunctional::final_value;
    (is_final ? has_final_ : has_integral_) = true;
    if (term.stress) {
      add_stress(term, trajectory);
    } else if (is_final) {
      final_.add(term.weight, term.integrand);
      stepwise_final_.add(term.weight, term.integrand);
    } else {
      const double T = trajectory.span();
      const VectorXd F = term.course(criterion_.integrator_, trajectory);
      const Slope slope(term.time, term.exponent, term.functional(criterion_.integrator_, T, F), T, F);
      const auto sloped = std::make_shared<SlopedIntegrand>(term.integrand, slope);
      integrand_.add(term.weight, sloped);
      stepwise_.add(term.weight, sloped);
    }
  }
}

void LinearizedCriterion::add_stress(const Criterion<double>::Term& term,
                                     const Trajectory<double>& trajectory) {
  const GeneralizedAlpha<double>& integrator = criterion_.integrator_;
  StressTerm stress{term.stress, 0, term.stress_coordinates(trajectory), {}, {}};
  const Eigen::Index n = stress.q.cols();
  stress.first = trajectory.y.cols() - n;
  const VectorXd F = term.stress->norm().values(stress.q, &stress.q_bar);
  stress.F_bar = VectorXd::Constant(n, term.weight);
  if (term.time == TimeFunctional::final_value) {
    final_.add(term.weight, term.integrand);
  } else {
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
    if (k >= s.first) bar.x.segment(s.integrand->tangent_offset(), s.q.rows()) += s.q_bar.col(k - s.first);
  }
  if (has_final_ && k == integrator.n_steps()) stepwise_final_.add_partials(at, 1.0, bar, p_bar);
}

Eigen::Index LinearizedCriterion::first_step() const {
  return has_integral_ ? 0 : criterion_.integrator_.n_steps();
}

}  // namespace kurbel
