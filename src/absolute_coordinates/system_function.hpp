/// @file
/// State functions of a system in absolute coordinates, for costs, constraints and plots.
#pragma once

#include <memory>

#include "absolute_coordinates/absolute_system.hpp"

namespace kurbel {

/// A state function bound to the coordinates and parameters that it sees.
template <class Scalar>
class SystemFunction {
 public:
  using Vec = VectorX<Scalar>;
  using Segment = Eigen::Ref<const Vec>;

  /// The system must outlive the function.
  SystemFunction(const AbsoluteSystem<Scalar>& system, std::shared_ptr<const StateFunction<Scalar>> function,
                 Binding binding);

  Eigen::Index n_rows() const { return function_->n_rows(); }
  /// h (n_rows) at the state x.
  Vec value(const Segment& x) const;
  /// x_bar += weight dh_row/dx,   xi_bar += weight dh_row/dxi
  void add_partials(const Segment& x, Eigen::Index row, Scalar weight, Eigen::Ref<Vec> x_bar,
                    Eigen::Ref<Vec> xi_bar) const;

 private:
  ElementState<Scalar> state(const Segment& x) const;

  const AbsoluteSystem<Scalar>& system_;
  std::shared_ptr<const StateFunction<Scalar>> function_;
  Binding binding_;
  Vec no_controls_;
  mutable Vec q_, v_, xi_;  ///< scratch: a function is for one thread
  mutable FunctionDerivatives<Scalar> derivatives_;
};

}  // namespace kurbel
