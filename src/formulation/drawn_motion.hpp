/// @file
/// Poses and positions in which the bodies and markers of a motion in a floating frame are drawn.
#pragma once

#include "floating_frame/multibody_system.hpp"
#include "integration/step_residual.hpp"
#include "results/motion_body.hpp"

namespace kurbel {

/// Some instants of a motion, drawn at x_rigid + s (x - x_rigid) (drawing/moving_bodies.hpp) with x_rigid from
/// NearestRigidPosition. Both sides of a joint agree in x and in x_rigid, so that they do in the picture, at
/// every scale s. The true picture, s = 1, needs no x_rigid.
class DrawnMotion {
 public:
  /// @param trajectory  of the system
  /// @param n_frames    at most; evenly in the steps that are stored, with the first and the last one
  DrawnMotion(const MultibodySystem<double>& system, const Trajectory<double>& trajectory,
              Eigen::Index n_frames, double scale);

  std::size_t n_frames() const { return times_.size(); }
  double time(std::size_t frame) const { return times_[frame]; }
  /// Column of the trajectory.
  Eigen::Index step(std::size_t frame) const { return steps_[frame]; }
  /// The poses in a frame, by body, nodes of beams included.
  const std::vector<MotionPose>& poses(std::size_t frame) const { return poses_[frame]; }
  double scale() const { return scale_; }
  /// The undeformed mechanism could not be assembled at some instant: every body is drawn deformed from its
  /// own reference frame, and joints are open at scales other than 1.
  bool joints_open() const { return joints_open_; }

  /// Position of a marker, m.
  Vector3d position(const MarkerRef& marker, std::size_t frame) const;
  /// Its axes as columns, undistorted.
  Matrix3d axes(const MarkerRef& marker, std::size_t frame) const;

 private:
  void find_rigid_positions(const Trajectory<double>& trajectory);

  const MultibodySystem<double>& system_;
  double scale_;
  bool joints_open_ = false;
  std::vector<double> times_;
  std::vector<Eigen::Index> steps_;
  std::vector<std::vector<MotionPose>> poses_;  ///< by frame
};

}  // namespace kurbel
