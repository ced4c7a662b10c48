#include "floating_frame/criterion.hpp"

#include <cmath>

#include "base/instantiate.hpp"

namespace kurbel {

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
  const double T = trajectory.span();
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

template class Criterion<InstantiatedScalar>;

}  // namespace kurbel
