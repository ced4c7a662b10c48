/// @file
/// A first motion of a mechanism from its start to stated ends of joints, and the controls that it takes.
///
/// Each of these joints moves from q_0, as it is at the start, to its end q_1,
///
///     q(t) = q_0 + (q_1 - q_0) s((t - t_0) / T),      s(tau) = 10 tau^3 - 15 tau^4 + 6 tau^5
///
/// from rest to rest without a jump of the acceleration. On the rigid twin, whose motion these joints determine, drives
/// take forces Q(t) along them, in which gravity, springs and dampers are contained. Controls u act with B u, where
/// column j of B is what the drives are spared by a control j of 1 N or 1 N m. At the nodes of the controls
///
///     u = arg min |B u - Q|,    the least one of several
///
/// which is exact where there is a control for each joint.
#pragma once

#include "base/errors.hpp"
#include "mechanism/system_spec.hpp"

namespace kurbel {

/// The end of the free rotation rz of a joint, or else of its free displacement tz.
struct JointEnd {
  std::string joint;
  double value = 0.0;  ///< rad or m
};

/// The degree of freedom that such an end belongs to; nothing if the joint has none, or both.
std::optional<RelativeDof> moving_dof(const JointSpec& joint);

/// Bounds of a control, N or N m.
struct ControlBounds {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
};

struct PointToPointGuess {
  std::vector<VectorXd> nodes;  ///< by control, within its bounds
  double t1 = 0.0;              ///< s
  /// The largest control that the motion needs, relative to its bound; above 1 it was clipped there.
  double load = 0.0;
};

/// The guess for SystemSpec::time, or where its end varies for the first of t1, 1.1 t1, 1.1^2 t1, ... up to latest_t1
/// at which all controls stay within their bounds.
/// @param spec    with the SIDs of all bodies
/// @param bounds  by control
/// @throws InputError if the joints do not determine the motion, saying how many degrees of freedom are left
Status guess_point_to_point(const SystemSpec& spec, const std::vector<JointEnd>& ends,
                            const std::vector<ControlBounds>& bounds, double latest_t1,
                            PointToPointGuess& out);

}  // namespace kurbel
