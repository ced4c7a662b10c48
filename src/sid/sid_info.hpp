/// @file
/// What standard input data say of a body, in plain words.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"
#include "sid/sid.hpp"

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

/// How the shapes are held in the reference frame, as far as the coefficients tell.
struct FrameConditions {
  std::vector<std::string> rframes;  ///< names of the frames that the nodes refer to, each once
  /// Ct = Cr = 0 within rounding: shapes of the free body in a Buckens frame (mean axes). Otherwise they are
  /// held in the frame: a tangent or chord frame.
  bool mean_axes = false;
  std::vector<std::string> clamped;  ///< markers whose phi and psi vanish
  std::vector<std::string> pinned;   ///< markers whose phi vanishes and psi does not
};
FrameConditions frame_conditions(const Sid& sid);

/// A relation that the coefficients of every body satisfy, because they are integrals over the same shapes.
struct SidIdentity {
  std::string name;        ///< e.g. "mdCM.M1 = Ct^T"
  double violation = 0.0;  ///< largest difference, relative to the size of the integrals compared
  bool holds() const { return violation < 1e-9; }
};

/// Symmetry of J, Me, Ke, De; mdCM.M1 = Ct^T; Ge.M0 = 2 Cr.M1; J.M1 = sym Gr.M0; Oe.M0 = the quadratic form
/// of Gr.M0 / 2; origin.M1 = phi and AP.M1 = psi~ AP of the nodes. Inertias: no negative principal moment,
/// none above the sum of the others.
std::vector<SidIdentity> sid_identities(const Sid& sid);

/// All of it as a text of several lines, for people.
std::string describe_sid(const std::string& name, const Sid& sid);

}  // namespace kurbel
