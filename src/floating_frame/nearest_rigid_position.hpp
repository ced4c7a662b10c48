/// @file
/// The assembled position of the undeformed mechanism that is nearest to a position of the flexible one.
///
/// It is where deformation is drawn from. The motion of the rigid twin would be of use only where drives
/// determine it: under torques, or left to itself, the twin runs away from the flexible mechanism in phase,
/// and the difference of their positions is no deformation any more. The nearest position follows the
/// mechanism, and is the rigid twin's own where drives leave no choice.
#pragma once

#include <optional>

#include "floating_frame/multibody_system.hpp"
#include "floating_frame/rigid_twin.hpp"
#include "integration/initial_position.hpp"

namespace kurbel {

class NearestRigidPosition {
 public:
  /// @param t0  of the start, by which redundant constraints of the rigid mechanism are found
  NearestRigidPosition(const SystemSpec& spec, double t0);

  const MultibodySystem<double>& twin() const { return twin_; }

  /// Joints and drives of the time t hold; reference frames move as little as that allows, measured by the
  /// mass of their bodies (integration/initial_position.hpp), from where they are.
  /// @param x  of the flexible mechanism `system`
  /// @return   of twin(); nothing if its joints contradict each other, as those of loops that are closed by
  ///           elasticity alone, or no position is found within half a length of the mechanism
  std::optional<VectorXd> find(const MultibodySystem<double>& system, double t, const VectorXd& x);

 private:
  MultibodySystem<double> twin_;
  std::unique_ptr<MultibodySystem<double>::Workspace> ws_;
  InitialPosition<double> position_;
};

}  // namespace kurbel
