/// @file
/// Observables of two places: their distance, and the force of a spring between them.
#pragma once

#include "floating_frame/observed_pair.hpp"

namespace kurbel {

/// Distance of two markers, m: the length of a spring, of a suspension its travel.
template <class Scalar>
class MarkerDistance final : public Observable<Scalar> {
 public:
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;

  /// @throws InputError if there is no such marker
  MarkerDistance(const MultibodySystem<Scalar>& system, const MarkerRef& to, const MarkerRef& from);
  Rows<Scalar> value(const Instant& at) const override;
  void add_partials(const Instant& at, const Rows<Scalar>& z_bar, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  ObservedPair<Scalar> pair_;  ///< half of the square
};

/// Force of a spring and its damper on the "to" end, along the inertial axes, N:    spring_law.hpp
///     F(d, d_dot; k, d, l_0),   d = p^t - p^f
template <class Scalar>
class SpringForceOnTo final : public Observable<Scalar> {
 public:
  using typename Observable<Scalar>::Bar;
  using typename Observable<Scalar>::Instant;

  /// @throws InputError if there is no such spring
  SpringForceOnTo(const MultibodySystem<Scalar>& system, const std::string& spring);
  Rows<Scalar> value(const Instant& at) const override;
  void add_partials(const Instant& at, const Rows<Scalar>& z_bar, Bar& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  SpringForce<Scalar> force(const typename ObservedPair<Scalar>::State& state) const;

  const SpringSpec& spec_;
  SpringLayout layout_;
  ObservedPair<Scalar> pair_;  ///< d in space
};

}  // namespace kurbel
