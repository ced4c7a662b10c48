/// @file
/// One stage of an optimal-control problem as a discrete model: integrator, cost, and rows of constraints.
#pragma once

#include "absolute_coordinates/criteria.hpp"
#include "absolute_coordinates/system_spec.hpp"
#include "integration/runge_kutta.hpp"
#include "problem/control_problem.hpp"
#include "sensitivity/discrete_adjoint.hpp"

namespace kurbel {

/// c = (g at t_N; h at the instants of the macro mesh), equalities first.                     [P2, eqs 7, 8]
struct ConstraintRow {
  std::size_t constraint;  ///< of ControlProblem::constraints
  Eigen::Index row;        ///< of its output
  int step;                ///< k
  bool equality;
};

/// Derivatives of psi = (cost, c_1, ..., c_m) by z, one column each, and how they were computed.
template <class Scalar>
class ControlModel {
 public:
  using Vec = VectorX<Scalar>;
  using Matrix = MatrixX<Scalar>;

  ControlModel(const ControlProblem& problem, const ControlStage& stage);

  Eigen::Index n_z() const { return integrator_->n_parameters(); }
  const std::vector<ConstraintRow>& rows() const { return rows_; }
  Eigen::Index n_equalities() const;
  RungeKutta<Scalar>& integrator() { return *integrator_; }
  const RungeKutta<Scalar>& integrator() const { return *integrator_; }
  const absolute::Assembly<Scalar>& assembly() const { return assembly_; }

  /// z = (xi, u_bar) -> trajectory.
  Status simulate(const Vec& z, Trajectory<Scalar>& trajectory);
  Scalar cost(const Trajectory<Scalar>& trajectory) const;
  /// (number of rows)
  Vec constraints(const Trajectory<Scalar>& trajectory) const;
  /// n_z x (1 + number of rows): the cost's gradient first. Of the trajectory simulated last.
  /// @param observer  told of the adjoint variables; only with the adjoint method
  Matrix gradients(ControlSensitivity method, const Trajectory<Scalar>& trajectory,
                   const AdjointObserver<Scalar>& observer = {});

  /// The method that needs fewer columns: direct differentiation has one per entry of z all along, the
  /// adjoint method one per objective until its own last step.
  ControlSensitivity cheaper_method() const;
  /// The method itself, or the cheaper one in place of `automatic`.
  ControlSensitivity resolve(ControlSensitivity method) const {
    return method == ControlSensitivity::automatic ? cheaper_method() : method;
  }

 private:
  std::unique_ptr<Objective<Scalar>> make_cost_term(const ControlProblem& problem,
                                                    const CostTerm& term) const;
  void add_rows(const ControlProblem& problem, std::size_t constraint);
  std::vector<const Objective<Scalar>*> objectives() const;

  absolute::Assembly<Scalar> assembly_;
  std::unique_ptr<RungeKutta<Scalar>> integrator_;
  WeightedSum<Scalar> cost_;
  std::vector<ConstraintRow> rows_;
  std::vector<FunctionValue<Scalar>> constraints_;
};

}  // namespace kurbel
