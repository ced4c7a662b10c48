/// @file
/// Rows of two markers that an observable is made of, with their partials.
#pragma once

#include "floating_frame/multibody_system.hpp"
#include "sensitivity/observable.hpp"

namespace kurbel {

/// A pair of markers at the instants of a motion: c, c_dot and their derivatives. Drives of joints do not turn it.
template <class Scalar>
class ObservedPair {
 public:
  using Bar = DaeInstantBar<Scalar>;
  using Instant = DaeInstant<Scalar>;
  using Pair = RelativeRows<Scalar>;

  struct State {
    typename Pair::Ends ends;
    typename Pair::Derivatives rows{};
  };

  ObservedPair(const MultibodySystem<Scalar>& system, Pair pair)
      : system_(system),
        pair_(std::move(pair)),
        ws_(system.make_workspace()),
        rows_(std::make_unique<typename Pair::Workspace>(pair_.n_tangent())) {}

  const MultibodySystem<Scalar>& system() const { return system_; }
  /// Valid until the next call.
  State state(const Instant& at) const;
  /// Adds the derivatives of on_value . c + on_rate . c_dot.
  /// @param on_value, on_rate  a weight for each row
  void add_partials(const State& state, const Scalar* on_value, const Scalar* on_rate, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const;

 private:
  const MultibodySystem<Scalar>& system_;
  Pair pair_;
  std::unique_ptr<typename MultibodySystem<Scalar>::Workspace> ws_;  ///< an observable is for one thread
  std::unique_ptr<typename Pair::Workspace> rows_;
};

}  // namespace kurbel
