#include "floating_frame/criterion.hpp"

#include <cmath>
#include <limits>

namespace kurbel {

namespace {

double time_span(const VectorXd& t) {
  return t[t.size() - 1] - t[0];
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

template <class S>
Criterion<S>::Criterion(const GeneralizedAlpha<S>& integrator, const MultibodySystem<S>& system,
                        const std::vector<CriterionTerm>& terms)
    : integrator_(integrator) {
  for (const CriterionTerm& term : terms)
    add(term.weight, make_integrand<S>(system, term), term.time, term.exponent);
}

template <class S>
S Criterion<S>::value(const Trajectory<S>& trajectory) const {
  S psi(0);
  const double T = time_span(trajectory.t);
  for (const Term& term : terms_)
    psi += term.weight * term.functional(integrator_, T, term.course(integrator_, trajectory));
  return psi;
}

template <class S>
VectorX<S> Criterion<S>::Term::course(const GeneralizedAlpha<S>& integrator,
                                      const Trajectory<S>& trajectory) const {
  if (stress) return stress->norm().values(stress_coordinates(trajectory));
  const Eigen::Index n = time == TimeFunctional::final_value ? 1 : trajectory.y.cols();
  VectorX<S> F(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::Index k = trajectory.y.cols() - n + i;
    F[i] = integrand->value(integrator.layout().template instant<S>(trajectory.t[k], trajectory.y.col(k)));
  }
  return F;
}

template <class S>
MatrixX<S> Criterion<S>::Term::stress_coordinates(const Trajectory<S>& trajectory) const {
  const MatrixX<S> q = stress->coordinates(trajectory);
  return time == TimeFunctional::final_value ? MatrixX<S>(q.rightCols(1)) : q;
}

template <class S>
S Criterion<S>::Term::functional(const GeneralizedAlpha<S>& integrator, double T, const VectorX<S>& F) const {
  using std::exp, std::log, std::pow;
  const Eigen::Index n = F.size();
  const auto integral = [&](const auto& function) {
    S sum(0);
    for (Eigen::Index k = 0; k < n; ++k) sum += integrator.quadrature_weight(k) * function(F[k]);
    return sum;
  };
  switch (time) {
    case TimeFunctional::final_value:
      return F[n - 1];
    case TimeFunctional::mean:
      return integral([](const S& f) { return f; }) / T;
    case TimeFunctional::p_norm: {
      // In units of the largest |F|, against overflow.
      const double largest = F.real().cwiseAbs().maxCoeff();
      if (largest == 0.0) return S(0);
      const S mean = integral([&](const S& f) {
                       return pow(real_part(f) < 0.0 ? S(-f / largest) : S(f / largest), exponent);
                     }) /
                     T;
      return largest * pow(mean, 1.0 / exponent);
    }
    case TimeFunctional::kreisselmeier_steinhauser: {
      // Relative to the F of the largest k F, against overflow.
      const double top = exponent > 0.0 ? F.real().maxCoeff() : F.real().minCoeff();
      return top + log(integral([&](const S& f) { return exp(exponent * (f - top)); }) / T) / exponent;
    }
    default:
      return integral([](const S& f) { return f; });
  }
}

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
      const double T = time_span(trajectory.t);
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
    const double T = time_span(trajectory.t);
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

template class Criterion<double>;
template class Criterion<Complex>;

}  // namespace kurbel
