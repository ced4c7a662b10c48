/// @file
/// Observables of the bodies of a mechanism in natural coordinates that the floating frame has, too: positions
/// and velocities of their frames (frame_of_body.hpp), without accelerations and reactions.
#pragma once

#include "natural_coordinates/natural_system.hpp"
#include "sensitivity/integrand.hpp"

namespace kurbel {

template <class Scalar>
class BodiesOfVectors {
 public:
  using Vec = VectorX<Scalar>;
  using Instant = DaeInstant<Scalar>;

  /// @param system  without beams
  explicit BodiesOfVectors(const NaturalSystem<Scalar>& system);

  /// Layout of an instant of the bodies: x, v, v_dot and lambda.
  const DaeStateLayout& layout() const { return layout_; }
  /// The bodies, valid until the next call; accelerations and multipliers are zero.
  Instant at(const Instant& vectors);
  /// Sensitivities by x and v of the bodies to such by the coordinates, and by the parameters that place bodies.
  void pull_back(const Instant& vectors, const DaeInstantBar<Scalar>& of_bodies, DaeInstantBar<Scalar>& bar,
                 Eigen::Ref<Vec> p_bar) const;

 private:
  const NaturalSystem<Scalar>& system_;
  DaeStateLayout layout_;
  Vec y_;
};

/// An integrand of the floating frame, of positions and velocities, along a motion in natural coordinates.
template <class Scalar>
class FrameIntegrand final : public Integrand<Scalar> {
 public:
  /// @param system  without beams
  FrameIntegrand(const NaturalSystem<Scalar>& system, std::shared_ptr<const Integrand<Scalar>> of_bodies);
  Scalar value(const DaeInstant<Scalar>& at) const override;
  void add_partials(const DaeInstant<Scalar>& at, double weight, DaeInstantBar<Scalar>& bar,
                    Eigen::Ref<VectorX<Scalar>> p_bar) const override;

 private:
  std::shared_ptr<const Integrand<Scalar>> of_bodies_;
  mutable BodiesOfVectors<Scalar> bodies_;  ///< scratch memory; an integrand is for one thread
  mutable VectorX<Scalar> y_bar_;
};

}  // namespace kurbel
