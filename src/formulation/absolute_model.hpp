/// @file
/// A mechanism in absolute coordinates as a discrete model: integrator and criteria.
#pragma once

#include "natural_coordinates/absolute_criteria.hpp"
#include "problem/varied_numbers.hpp"

namespace kurbel {

template <class Scalar>
class AbsoluteModel {
 public:
  using Vec = VectorX<Scalar>;

  /// The problem must outlive the model.
  explicit AbsoluteModel(const Problem& problem);

  StepResidual<Scalar>& integrator() { return steps_.residual(); }
  const StepResidual<Scalar>& integrator() const { return steps_.residual(); }
  const DaeStateLayout& layout() const { return steps_.layout(); }
  const absolute::Assembly<Scalar>& assembly() const { return assembly_; }
  /// p = (xi, u_bar) of the motion from now on.
  void set_parameters(const Vec& p);

  /// Of the parameters that are set when it is asked; the model must outlive it.
  Criterion<Scalar> criterion(const std::vector<CriterionTerm>& terms) const {
    return absolute::make_criterion(steps_, observables_, terms);
  }

 private:
  absolute::Assembly<Scalar> assembly_;
  AbsoluteSteps<Scalar> steps_;
  absolute::Observables<Scalar> observables_;
};

}  // namespace kurbel
