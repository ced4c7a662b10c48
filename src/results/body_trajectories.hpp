/// @file
/// A simulation body by body.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"

namespace kurbel {

/// Positions, velocities and accelerations of all bodies, and the constraints' multipliers: one column per instant.
struct BodyTrajectories {
  struct Body {
    std::string name;
    MatrixXd pose;          ///< 7 + n_q: r (inertial frame, m), quaternion (w, x, y, z), q
    MatrixXd velocity;      ///< 6 + n_q: v (m/s) and omega (rad/s) in the body's frame, q_dot
    MatrixXd acceleration;  ///< 6 + n_q: time derivatives of those
  };
  VectorXd times;  ///< s
  std::vector<Body> bodies;
  MatrixXd multipliers;                       ///< n_c, N or N m
  std::vector<std::string> multiplier_names;  ///< n_c; may be empty
};

}  // namespace kurbel
