/// @file
/// A robot as a problem file.
///
/// Links with a mass are rigid bodies in their frames; links without one are markers of what carries them, or of the ground.
/// Joints join markers whose z axes are their axes. The root is held by the ground. The robot starts at rest with all joints
/// at zero, and moves in gravity along -z.
#pragma once

#include <string>
#include <vector>

#include "robots/robot.hpp"

namespace kurbel {

struct RobotProblem {
  std::string text;  ///< of the problem file
  int n_bodies = 0;
  int n_joints = 0;                     ///< of the problem, that to the ground included
  double mass = 0.0;                    ///< of all bodies, kg
  std::vector<std::string> warnings{};  ///< what the robot has and the problem lacks, a sentence each
};

/// @param source  the file it is from, for a comment
/// @throws InputError with the link if one that moves, or the whole robot, has no mass
RobotProblem robot_problem(const Robot& robot, const std::string& source);

}  // namespace kurbel
