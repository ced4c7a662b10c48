/// @file
/// A robot as URDF files state it: links, and joints that make a tree of them.
///
/// The frame of a link is that of the joint that carries it; `origin` of that joint says where it is on the parent while
/// the joint is at zero.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace kurbel {

/// Pose of a frame in another one.
struct RobotPose {
  Vector3d position = Vector3d::Zero();      ///< m
  Matrix3d rotation = Matrix3d::Identity();  ///< its columns are the axes of the frame
};

struct RobotLink {
  std::string name;
  double mass = 0.0;                           ///< kg; 0: it has none, and is a frame alone
  Vector3d centre_of_mass = Vector3d::Zero();  ///< in the frame of the link, m
  Matrix3d inertia = Matrix3d::Zero();  ///< about the centre of mass, along the axes of the link, kg m^2
  std::vector<std::string> shapes{};    ///< what it looks like, in words: "mesh arm.stl", ...
};

enum class RobotJointType { revolute, continuous, prismatic, planar, floating, fixed };

struct RobotLimits {
  std::optional<double> lower{}, upper{};  ///< m or rad; those of joints that have a range
  double effort = 0.0;                     ///< N or N m
  double velocity = 0.0;                   ///< m/s or rad/s
};

struct RobotJoint {
  std::string name;
  RobotJointType type = RobotJointType::fixed;
  std::string parent{}, child{};      ///< links
  RobotPose origin{};                 ///< of the child in the frame of the parent at zero
  Vector3d axis = Vector3d::UnitX();  ///< in the frame of the child, of length 1
  double damping = 0.0;               ///< N s/m or N m s/rad
  double friction = 0.0;              ///< N or N m
  std::optional<RobotLimits> limits{};
};

struct Robot {
  std::string name;
  std::vector<RobotLink> links;  ///< a link after the one that carries it; the first is the root
  std::vector<RobotJoint>
      joints;  ///< in the order of the links that they carry: joints[i] carries links[i + 1]
};

/// Reads a URDF file.
/// @throws InputError with the file and the link or joint for what is no XML, no tree, no body, of an unknown type, or what
/// kurbel does not have (joints that mimic others, xacro that is not expanded); or if kurbel was built without urdfdom
Robot read_robot(const std::filesystem::path& file);

}  // namespace kurbel
