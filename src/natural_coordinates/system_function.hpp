/// @file
/// What is observed of a system in absolute coordinates, for criteria and plots.
#pragma once

#include <memory>

#include "natural_coordinates/absolute_system.hpp"
#include "sensitivity/observable.hpp"

namespace kurbel {

/// A state function h(q, v, xi) bound to the coordinates and parameters that it sees, of up to three rows.
template <class Scalar>
class SystemFunction final : public Observable<Scalar> {
 public:
  using Vec = VectorX<Scalar>;
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;

  /// The system must outlive the function.
  SystemFunction(const AbsoluteSystem<Scalar>& system, std::shared_ptr<const StateFunction<Scalar>> function,
                 Binding binding);

  Rows<Scalar> value(const Instant& at) const override;
  void add_partials(const Instant& at, const Rows<Scalar>& h_bar, Bar& bar,
                    Eigen::Ref<Vec> p_bar) const override;

 private:
  ElementState<Scalar> state(const Instant& at) const;

  const AbsoluteSystem<Scalar>& system_;
  std::shared_ptr<const StateFunction<Scalar>> function_;
  Binding binding_;
  Vec no_controls_;
  mutable Vec q_, v_, xi_;  ///< scratch: a function is for one thread
  mutable FunctionDerivatives<Scalar> derivatives_;
};

}  // namespace kurbel
