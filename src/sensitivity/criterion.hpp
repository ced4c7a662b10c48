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
///     instants   sum_i w_i F(t_i)                  w_i dF at the t_i alone
///     change     F(t1) - F(t0)                     dF at t1, less dF at t0
///
/// and of functions of the parameters alone, which count as they are.
///
/// Integrals by the quadrature of the integrator, of integrands in_the_middle() of steps by the midpoint rule;
/// slopes at the psi_j of one trajectory: so the gradient of
/// every functional is that of an integral with constant coefficients, exact for the discrete psi, and all
/// methods of sensitivity analysis treat it in their one sweep.
#pragma once

#include <numeric>

#include "mechanism/criterion_spec.hpp"
#include "sensitivity/integrand.hpp"
#include "sensitivity/objective.hpp"

namespace kurbel {

/// A criterion about one trajectory, an objective whose partials hold there.
class LinearizedCriterion;

/// psi, and what it is without aggregation: the largest |F| in place of a p-norm over time, the largest or
/// smallest F in place of KS, the stress of the most stressed element in place of the p-norm over elements.
template <class Scalar>
struct CriterionValue {
  Scalar psi{};
  double peak = 0.0;
};

/// Smallest and largest value over some steps.
struct ValueRange {
  double low = 0.0, high = 0.0;
};

template <class Scalar>
class Criterion {
 public:
  /// @param steps   times and quadrature of the trajectories
  /// @param layout  of their columns
  Criterion(const StepResidual<Scalar>& steps, const DaeStateLayout& layout)
      : steps_(&steps), layout_(layout) {}
  /// Goes over to other steps of the same times.
  void move_to(const StepResidual<Scalar>& steps) { steps_ = &steps; }

  /// @param exponent  p or k, otherwise unused
  /// @param instants  steps of the functional of instants, ascending; otherwise unused
  void add(double weight, std::shared_ptr<const Integrand<Scalar>> integrand, TimeFunctional time,
           double exponent = 0.0, std::vector<int> instants = {}) {
    terms_.push_back({weight, std::move(integrand), time, exponent, std::move(instants), {}});
  }
  /// @param integrand  what the term observes
  void add(const CriterionTerm& term, std::shared_ptr<const Integrand<Scalar>> integrand) {
    terms_.push_back(
        {term.weight, std::move(integrand), term.time, term.exponent, term.steps, term.step_weights});
  }
  void add(double weight, std::shared_ptr<const ParameterFunction<Scalar>> function) {
    constants_.emplace_back(weight, std::move(function));
  }
  /// With weights of instants, it counts as often as their sum says.
  void add(const CriterionTerm& term, std::shared_ptr<const ParameterFunction<Scalar>> function) {
    const std::vector<double>& w = term.step_weights;
    add(w.empty() ? term.weight : std::accumulate(w.begin(), w.end(), 0.0) * term.weight,
        std::move(function));
  }

  Scalar value(const Trajectory<Scalar>& trajectory) const { return evaluate(trajectory).psi; }
  CriterionValue<Scalar> evaluate(const Trajectory<Scalar>& trajectory) const;
  /// sum_j weight_j F_j at every step from the first to the last, from its smallest to its largest value; the most
  /// stressed element in place of a p-norm over elements.
  ValueRange range(const Trajectory<Scalar>& trajectory, Eigen::Index first, Eigen::Index last) const;
  /// sum_j weight_j F_j at each of the steps that the trajectory holds.
  VectorX<Scalar> time_history(const Trajectory<Scalar>& trajectory) const;

 private:
  friend class LinearizedCriterion;
  struct Term {
    double weight;
    std::shared_ptr<const Integrand<Scalar>> integrand;
    TimeFunctional time;
    double exponent;
    std::vector<int> instants;            ///< steps, of the functional of instants
    std::vector<double> instant_weights;  ///< of these; empty: one each

    /// The steps on which the functional depends.
    std::vector<Eigen::Index> steps(Eigen::Index n_steps) const;
  };
  Scalar constant() const;
  /// F at some steps.
  /// @param largest  set to the same without aggregation over parts
  VectorX<Scalar> time_history(const Integrand<Scalar>& F, const Trajectory<Scalar>& trajectory,
                               const std::vector<Eigen::Index>& steps, VectorXd* largest = nullptr) const;
  Scalar functional(const Term& term, double T, const VectorX<Scalar>& F) const;
  /// The part of the step to t_k at which the integrand is evaluated.
  PartOfStep part(const Integrand<Scalar>& F) const {
    return layout_.has_middle && F.in_the_middle() ? PartOfStep::middle : PartOfStep::end;
  }
  DaeInstant<Scalar> instant(PartOfStep part, Eigen::Index k, const Trajectory<Scalar>& trajectory) const;
  /// Weight of the value at step k in an integral over time.
  double quadrature_weight(PartOfStep part, Eigen::Index k) const;
  double peak(const Term& term, double T, const VectorXd& largest) const;

  const StepResidual<Scalar>* steps_;
  DaeStateLayout layout_;
  std::vector<Term> terms_;
  std::vector<std::pair<double, std::shared_ptr<const ParameterFunction<Scalar>>>> constants_;
};

class LinearizedCriterion final : public Objective<double> {
 public:
  /// Refers to the steps of the criterion, neither to the criterion itself nor to the trajectory.
  LinearizedCriterion(const Criterion<double>& criterion, const Trajectory<double>& trajectory);

  double value(const Trajectory<double>& trajectory) const override { return criterion_.value(trajectory); }
  /// For the trajectory that this was made for.
  void add_partials(Eigen::Index k, const Trajectory<double>& trajectory, Eigen::Ref<VectorXd> y_bar,
                    Eigen::Ref<VectorXd> p_bar) const override;
  Eigen::Index first_step() const override { return first_; }
  Eigen::Index last_step() const override { return last_; }

  /// The integrand over time, with the slopes as factors: all but terms of the final time and of
  /// instants, and functions of parameters alone.
  const Integrand<double>& integrand() const { return integrand_; }
  /// The terms of the final time.
  const Integrand<double>& final_terms() const { return final_; }
  /// The partials of the functions of parameters alone, and of integrals by the end of the motion where it varies:
  /// quadrature weights are proportional to its length.
  void add_constant_partials(Eigen::Ref<VectorXd> p_bar) const;

  /// d psi / d (own parameters), one for each TimeHistoryIntegrand in their order. The motion does not depend on
  /// these parameters, so that no sweep over time is needed: the sums are explicit.
  std::vector<MatrixXd> time_history_bars() const;

 private:
  /// A term all instants of which are evaluated together.
  struct TimeHistoryTerm {
    std::shared_ptr<const Integrand<double>> owner;
    const TimeHistoryIntegrand<double>* integrand;
    std::vector<Eigen::Index> steps;
    MatrixXd z;      ///< n_z x steps
    VectorXd F_bar;  ///< d psi / dF of each step
    MatrixXd z_bar;  ///< d psi / dz, explicitly
  };
  /// A term that depends on some steps alone.
  struct InstantTerm {
    double weight;
    std::shared_ptr<const Integrand<double>> integrand;
    std::vector<Eigen::Index> steps;
    std::vector<double> weights{};  ///< of the steps, as Term::instant_weights
  };
  using Term = Criterion<double>::Term;
  void add_term(const Term& term, const std::vector<Eigen::Index>& steps,
                const Trajectory<double>& trajectory);
  void add_time_history(const Term& term, const TimeHistoryIntegrand<double>& integrand,
                        const std::vector<Eigen::Index>& steps, const Trajectory<double>& trajectory);

  Criterion<double> criterion_;
  IntegrandSum<double> integrand_, final_;  ///< all terms: over time, and of the final time
  IntegrandSum<double> stepwise_,
      midway_;  ///< over time, at ends and middles, without those evaluated together
  std::vector<InstantTerm>
      instants_;  ///< of the final time and of instants, without those evaluated together
  std::vector<TimeHistoryTerm> time_histories_;
  double integrals_ = 0.0;  ///< their sum, if the end of the motion varies
  double span_ = 0.0;       ///< s
  Eigen::Index first_, last_ = 0;
};

}  // namespace kurbel
