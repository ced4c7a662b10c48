#include "floating_frame/criterion.hpp"

#include <cmath>
#include <numeric>

#include "base/instantiate.hpp"

namespace kurbel {

namespace {

std::vector<Eigen::Index> first_steps(Eigen::Index n) {
  std::vector<Eigen::Index> steps(static_cast<std::size_t>(n));
  std::iota(steps.begin(), steps.end(), 0);
  return steps;
}

}  // namespace

template <class S>
Criterion<S>::Criterion(const GeneralizedAlpha<S>& integrator, const MultibodySystem<S>& system,
                        const std::vector<CriterionTerm>& terms)
    : integrator_(integrator) {
  for (const CriterionTerm& term : terms)
    add(term.weight, make_integrand<S>(system, term), term.time, term.exponent, term.steps);
}

template <class S>
CriterionValue<S> Criterion<S>::evaluate(const Trajectory<S>& trajectory) const {
  CriterionValue<S> sum;
  const double T = trajectory.span();
  for (const Term& term : terms_) {
    VectorXd largest;
    const VectorX<S> F = term.course(integrator_, trajectory, term.steps(integrator_.n_steps()), &largest);
    sum.psi += term.weight * term.functional(integrator_, T, F);
    sum.peak += term.weight * term.peak(integrator_, T, largest);
  }
  return sum;
}

template <class S>
ValueRange Criterion<S>::range(const Trajectory<S>& trajectory) const {
  VectorXd sum = VectorXd::Zero(trajectory.y.cols()), largest;
  for (const Term& term : terms_) {
    term.course(integrator_, trajectory, first_steps(trajectory.y.cols()), &largest);
    sum += term.weight * largest;
  }
  return {sum.minCoeff(), sum.maxCoeff()};
}

template <class S>
std::vector<Eigen::Index> Criterion<S>::Term::steps(Eigen::Index n_steps) const {
  if (time == TimeFunctional::final_value) return {n_steps};
  if (time == TimeFunctional::instants) return {instants.begin(), instants.end()};
  return first_steps(n_steps + 1);
}

template <class S>
VectorX<S> Criterion<S>::Term::course(const GeneralizedAlpha<S>& integrator, const Trajectory<S>& trajectory,
                                      const std::vector<Eigen::Index>& steps, VectorXd* largest) const {
  if (stress) return stress->norm().values(stress_coordinates(trajectory, steps), nullptr, largest);
  VectorX<S> F(static_cast<Eigen::Index>(steps.size()));
  for (Eigen::Index i = 0; i < F.size(); ++i) {
    const Eigen::Index k = steps[static_cast<std::size_t>(i)];
    F[i] = integrand->value(integrator.layout().template instant<S>(trajectory.t[k], trajectory.y.col(k)));
  }
  if (largest) *largest = F.real();
  return F;
}

template <class S>
MatrixX<S> Criterion<S>::Term::stress_coordinates(const Trajectory<S>& trajectory,
                                                  const std::vector<Eigen::Index>& steps) const {
  return stress->coordinates(trajectory)(Eigen::all, steps);
}

template <class S>
double Criterion<S>::Term::peak(const GeneralizedAlpha<S>& integrator, double T,
                                const VectorXd& largest) const {
  if (time == TimeFunctional::p_norm) return largest.cwiseAbs().maxCoeff();
  if (time == TimeFunctional::kreisselmeier_steinhauser)
    return exponent > 0.0 ? largest.maxCoeff() : largest.minCoeff();
  return real_part(functional(integrator, T, largest.template cast<S>()));
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
    case TimeFunctional::instants:
      return F.sum();
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

template class Criterion<InstantiatedScalar>;

}  // namespace kurbel
