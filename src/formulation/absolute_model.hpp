/// @file
/// A mechanism in absolute coordinates as a discrete model: integrator, objectives, and what constraints
/// bound.
#pragma once

#include "absolute_coordinates/criteria.hpp"
#include "formulation/motion_model.hpp"
#include "integration/runge_kutta.hpp"

namespace kurbel {

/// h = (g at t_N; h at the instants of the macro mesh), one for each row of each constraint. [P2, eqs 7, 8]
std::vector<BoundedFunction> bounded_functions(const Problem& problem);

template <class Scalar>
class AbsoluteModel {
 public:
  using Vec = VectorX<Scalar>;

  /// The problem must outlive the model.
  explicit AbsoluteModel(const Problem& problem);

  RungeKutta<Scalar>& integrator() { return *integrator_; }
  const RungeKutta<Scalar>& integrator() const { return *integrator_; }
  const absolute::Assembly<Scalar>& assembly() const { return assembly_; }
  /// z = (xi, u_bar) of the motion from now on.
  void set_parameters(const Vec& z);

  /// Of a stage of the problem.
  const Objective<Scalar>& cost(std::size_t stage) const { return *costs_[stage]; }
  /// Of bounded_functions().
  const Objective<Scalar>& function(std::size_t i) const { return functions_[i]; }

 private:
  std::unique_ptr<Objective<Scalar>> make_cost_term(const CostTerm& term) const;

  const Problem& problem_;
  absolute::Assembly<Scalar> assembly_;
  std::unique_ptr<RungeKutta<Scalar>> integrator_;
  std::vector<std::unique_ptr<WeightedSum<Scalar>>> costs_;
  std::vector<FunctionValue<Scalar>> functions_;
};

}  // namespace kurbel
