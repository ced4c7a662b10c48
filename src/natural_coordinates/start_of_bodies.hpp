/// @file
/// The start of a mechanism of rigid bodies in natural coordinates: that of the floating frame, seen from its vectors.
///
/// The bodies are assembled from what the input gives of them (InitialConditions of the floating frame), so that a
/// mechanism starts alike in every formulation; positions and velocities then satisfy the constraints here, too, and
/// accelerations and multipliers follow (constant_mass_balance.hpp).
#pragma once

#include "integration/constant_mass_balance.hpp"
#include "natural_coordinates/natural_system.hpp"

namespace kurbel {

template <class Scalar>
class StartOfBodies final : public Start<Scalar> {
 public:
  using Base = Start<Scalar>;
  using typename Base::Matrix;
  using typename Base::State;
  using typename Base::StateDirections;
  using typename Base::Vec;

  /// @param system  without beams
  explicit StartOfBodies(const NaturalSystem<Scalar>& system);

  Status solve(double t0, State& state) override;
  // Both at the state that solve() found last.
  void pullback(const State& state, Vec x_bar, Vec v_bar, const Vec& v_dot_bar, const Vec& lambda_bar,
                Eigen::Ref<Vec> p_bar) override;
  void push_forward(const State& state, const Eigen::Ref<const Matrix>& p_dot, StateDirections& out) override;

 private:
  const NaturalSystem<Scalar>& system_;
  std::unique_ptr<Start<Scalar>> of_bodies_;
  State bodies_;
  ConstantMassBalance<Scalar> balance_;
};

}  // namespace kurbel
