/// @file
/// Properties of a body that follow from its standard input data.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"
#include "sid/sid_identities.hpp"

namespace kurbel {

/// Mass, centre of mass and inertia of the undeformed body.
struct RigidProperties {
  double mass = 0.0;                           ///< kg
  Vector3d centre_of_mass = Vector3d::Zero();  ///< in the body's frame, m; zero for a body without mass
  Matrix3d inertia = Matrix3d::Zero();         ///< about the centre of mass, axes of the body's frame, kg m^2
  Vector3d principal = Vector3d::Zero();       ///< principal moments, ascending, kg m^2
};
RigidProperties rigid_properties(const Sid& sid);

/// Frequencies sqrt(lambda) / (2 pi) of Ke x = lambda Me x, ascending, Hz: those of the body held at its
/// reference frame. Negative where lambda is; empty for a rigid body and where Me is not positive definite.
VectorXd natural_frequencies(const Sid& sid);

/// Conditions that hold the shapes in the reference frame, as far as the coefficients tell.
struct FrameConditions {
  std::vector<std::string> rframes;  ///< names of the frames that the nodes refer to, each once
  /// Ct = Cr = 0 within rounding: shapes of the free body in a Buckens frame (mean axes). Otherwise they are
  /// held in the frame: a tangent or chord frame.
  bool mean_axes = false;
  std::vector<std::string> clamped;  ///< markers whose phi and psi vanish
  std::vector<std::string> pinned;   ///< markers whose phi vanishes and psi does not
};
FrameConditions frame_conditions(const Sid& sid);

/// Integrals of rho r^2 and of the largest rho Phi_k^2, for bounds by the inequality of Cauchy and Schwarz.
double integral_of_r2(const Sid& sid);
double integral_of_Phi2(const Sid& sid);

}  // namespace kurbel
