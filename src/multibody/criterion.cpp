#include "multibody/criterion.hpp"

#include <cmath>

namespace kurbel {

namespace {

double time_span(const VectorXd& t) {
  return t[t.size() - 1] - t[0];
}

/// F times the slope of its functional, whose constants belong to one trajectory.
class SlopedIntegrand final : public Integrand<double> {
 public:
  SlopedIntegrand(std::shared_ptr<const Integrand<double>> integrand, TimeFunctional time, double exponent,
                  double psi, double T)
      : integrand_(std::move(integrand)), time_(time), exponent_(exponent), psi_(psi), T_(T) {}

  double value(const DaeInstant<double>& at) const override {
    const double F = integrand_->value(at);
    return slope(F) * F;
  }
  void add_partials(const DaeInstant<double>& at, double weight, DaeInstantBar<double>& bar,
                    Eigen::Ref<VectorXd> p_bar) const override {
    const double factor = depends_on_F() ? slope(integrand_->value(at)) : slope(0.0);
    integrand_->add_partials(at, weight * factor, bar, p_bar);
  }

 private:
  bool depends_on_F() const {
    return time_ == TimeFunctional::p_norm || time_ == TimeFunctional::kreisselmeier_steinhauser;
  }
  double slope(double F) const {
    switch (time_) {
      case TimeFunctional::mean:
        return 1.0 / T_;
      case TimeFunctional::p_norm:
        return psi_ > 0.0 ? std::copysign(std::pow(std::abs(F) / psi_, exponent_ - 1.0), F) / T_ : 0.0;
      case TimeFunctional::kreisselmeier_steinhauser:
        return std::exp(exponent_ * (F - psi_)) / T_;
      default:
        return 1.0;
    }
  }

  std::shared_ptr<const Integrand<double>> integrand_;
  TimeFunctional time_;
  double exponent_, psi_, T_;
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
  for (const Term& term : terms_) psi += term.weight * term.value(integrator_, trajectory);
  return psi;
}

template <class S>
S Criterion<S>::Term::value(const GeneralizedAlpha<S>& integrator, const Trajectory<S>& trajectory) const {
  using std::exp, std::log, std::pow;
  const auto F_at = [&](Eigen::Index k) {
    return integrand->value(integrator.layout().template instant<S>(trajectory.t[k], trajectory.y.col(k)));
  };
  const Eigen::Index n = trajectory.y.cols();
  if (time == TimeFunctional::final_value) return F_at(n - 1);
  VectorX<S> F(n);
  for (Eigen::Index k = 0; k < n; ++k) F[k] = F_at(k);
  const double T = time_span(trajectory.t);
  const auto integral = [&](const auto& function) {
    S sum(0);
    for (Eigen::Index k = 0; k < n; ++k) sum += integrator.quadrature_weight(k) * function(F[k]);
    return sum;
  };
  switch (time) {
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
    if (term.time == TimeFunctional::final_value) {
      final_.add(term.weight, term.integrand);
      has_final_ = true;
    } else {
      integrand_.add(term.weight,
                     std::make_shared<SlopedIntegrand>(term.integrand, term.time, term.exponent,
                                                       term.value(criterion_.integrator_, trajectory),
                                                       time_span(trajectory.t)));
      has_integral_ = true;
    }
  }
}

void LinearizedCriterion::add_partials(Eigen::Index k, const Trajectory<double>& trajectory,
                                       Eigen::Ref<VectorXd> y_bar, Eigen::Ref<VectorXd> p_bar) const {
  const GeneralizedAlpha<double>& integrator = criterion_.integrator_;
  const auto at = integrator.layout().instant<double>(trajectory.t[k], trajectory.y.col(k));
  DaeInstantBar<double> bar(integrator.layout(), y_bar);
  if (has_integral_) integrand_.add_partials(at, integrator.quadrature_weight(k), bar, p_bar);
  if (has_final_ && k == integrator.n_steps()) final_.add_partials(at, 1.0, bar, p_bar);
}

Eigen::Index LinearizedCriterion::first_step() const {
  return has_integral_ ? 0 : criterion_.integrator_.n_steps();
}

template class Criterion<double>;
template class Criterion<Complex>;

}  // namespace kurbel
