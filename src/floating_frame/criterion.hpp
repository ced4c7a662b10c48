/// @file
/// Criteria: weighted sums of functionals of quantities over time.
///
///     psi = sum_j weight_j psi_j[F_j],    d psi_j = int slope_j(F_j(t)) dF_j dt
///
///     integral   int F dt                          slope 1
///     mean       int F dt / T                      slope 1 / T
///     p-norm     (int |F|^p dt / T)^(1/p)          slope sign(F) |F / psi_j|^(p-1) / T
///     KS         ln(int exp(k F) dt / T) / k       slope exp(k (F - psi_j)) / T
///     final      F(t1)                             dF at t1 alone
///
/// Integrals by the quadrature of the integrator, slopes at the psi_j of one trajectory: so the gradient of
/// every functional is that of an integral with constant coefficients, exact for the discrete psi, and all
/// methods of sensitivity analysis treat it in their one sweep.
#pragma once

#include "floating_frame/criteria.hpp"
#include "floating_frame/von_mises.hpp"

namespace kurbel {

/// A criterion about one trajectory, an objective whose partials hold there.
class LinearizedCriterion;

template <class Scalar>
class Criterion {
 public:
  /// The integrator must outlive the criterion.
  explicit Criterion(const GeneralizedAlpha<Scalar>& integrator) : integrator_(integrator) {}

  /// The terms of a list; the system must outlive the criterion.
  /// @throws InputError as make_integrand()
  Criterion(const GeneralizedAlpha<Scalar>& integrator, const MultibodySystem<Scalar>& system,
            const std::vector<CriterionTerm>& terms);

  /// @param exponent  p or k, otherwise unused
  void add(double weight, std::shared_ptr<const Integrand<Scalar>> integrand, TimeFunctional time,
           double exponent = 0.0) {
    const auto stress = std::dynamic_pointer_cast<const VonMisesIntegrand<Scalar>>(integrand);
    terms_.push_back({weight, std::move(integrand), time, exponent, stress});
  }
  Scalar value(const Trajectory<Scalar>& trajectory) const;

 private:
  friend class LinearizedCriterion;
  struct Term {
    double weight;
    std::shared_ptr<const Integrand<Scalar>> integrand;
    TimeFunctional time;
    double exponent;
    std::shared_ptr<const VonMisesIntegrand<Scalar>> stress;  ///< the integrand, if it is one
    /// F at all instants that count: at t1 alone for the functional of the final value.
    VectorX<Scalar> course(const GeneralizedAlpha<Scalar>& integrator,
                           const Trajectory<Scalar>& trajectory) const;
    /// Elastic coordinates at these instants, of a von Mises term.
    MatrixX<Scalar> stress_coordinates(const Trajectory<Scalar>& trajectory) const;
    Scalar functional(const GeneralizedAlpha<Scalar>& integrator, double T, const VectorX<Scalar>& F) const;
  };
  const GeneralizedAlpha<Scalar>& integrator_;
  std::vector<Term> terms_;
};

class LinearizedCriterion final : public Objective<double> {
 public:
  /// The integrator must outlive this, the criterion and the trajectory need not.
  LinearizedCriterion(const Criterion<double>& criterion, const Trajectory<double>& trajectory);

  double value(const Trajectory<double>& trajectory) const override { return criterion_.value(trajectory); }
  /// For the trajectory that this was made for.
  void add_partials(Eigen::Index k, const Trajectory<double>& trajectory, Eigen::Ref<VectorXd> y_bar,
                    Eigen::Ref<VectorXd> p_bar) const override;
  Eigen::Index first_step() const override;

  /// What is integrated over time, with the slopes as factors: all but terms of the final time.
  const Integrand<double>& integrand() const { return integrand_; }
  /// The terms of the final time.
  const Integrand<double>& final_terms() const { return final_; }

  /// d psi / d (stress modes), one for each von Mises term in their order. The motion does not depend on
  /// these parameters, so that no sweep over time is needed: the sums are explicit.
  std::vector<MatrixXd> stress_bars() const;

 private:
  /// A von Mises term, all instants of which are evaluated together.
  struct StressTerm {
    std::shared_ptr<const VonMisesIntegrand<double>> integrand;
    Eigen::Index first;  ///< instant of the first column
    MatrixXd q;          ///< n_q x instants
    VectorXd F_bar;      ///< d psi / dF of each instant
    MatrixXd q_bar;      ///< d psi / dq, explicitly
  };
  void add_stress(const Criterion<double>::Term& term, const Trajectory<double>& trajectory);

  Criterion<double> criterion_;
  IntegrandSum<double> integrand_, final_;          ///< all terms: over time, and of the final time
  IntegrandSum<double> stepwise_, stepwise_final_;  ///< the same without the stress terms
  std::vector<StressTerm> stress_;
  bool has_integral_ = false, has_final_ = false;
};

}  // namespace kurbel
