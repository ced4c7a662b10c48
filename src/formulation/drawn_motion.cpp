#include "formulation/drawn_motion.hpp"

#include "drawing/moving_bodies.hpp"
#include "floating_frame/marker_motion.hpp"
#include "floating_frame/nearest_rigid_position.hpp"
#include "formulation/drawn_frames.hpp"

namespace kurbel {

using Eigen::Index;

DrawnMotion::DrawnMotion(const MultibodySystem<double>& system, const Trajectory<double>& trajectory,
                         Index n_frames, double scale)
    : system_(system), scale_(scale) {
  steps_ = drawn_steps(trajectory, std::max<Index>(n_frames, 1));
  for (const Index k : steps_) {
    const auto x = trajectory.y.col(k).head(system.n_x());
    std::vector<MotionPose> poses;
    for (std::size_t i = 0; i < system.n_bodies(); ++i) {
      const Pose<double> pose = system.pose(x, i);
      poses.push_back({pose.r, rotation_matrix(pose.e), x.segment(system.x_offset(i) + 7, system.n_q(i))});
    }
    poses_.push_back(std::move(poses));
    times_.push_back(trajectory.t[k]);
  }
  if (scale != 1.0) find_rigid_positions(trajectory);
}

void DrawnMotion::find_rigid_positions(const Trajectory<double>& trajectory) {
  NearestRigidPosition nearest(system_.spec(), trajectory.t[0]);
  std::vector<VectorXd> positions;
  for (const Index k : steps_) {
    const auto x = nearest.find(system_, trajectory.t[k], trajectory.y.col(k).head(system_.n_x()));
    if (!x) {
      joints_open_ = true;
      return;
    }
    positions.push_back(*x);
  }
  for (std::size_t frame = 0; frame < n_frames(); ++frame) {
    for (std::size_t i = 0; i < system_.n_bodies(); ++i) {
      const Pose<double> pose = nearest.twin().pose(positions[frame], i);
      poses_[frame][i].r_rigid = pose.r;
      poses_[frame][i].S_rigid = rotation_matrix(pose.e);
    }
  }
}

Vector3d DrawnMotion::position(const MarkerRef& marker, std::size_t frame) const {
  const MarkerPlace place = system_.resolve(marker, "drawing");
  const double* p = system_.parameters().data();
  if (place.body < 0) return marker_displacement<double>(place, p, {}).u.a;
  const MotionPose& pose = poses_[frame][static_cast<std::size_t>(place.body)];
  const Vector3d displaced =
      marker_displacement<double>(place, p, BodyKinematics<double>{.q = pose.q.data()}).u.a;
  const Vector3d X = place.is_origin ? Vector3d(Vector3d::Zero()) : Vector3d(view<3>(place.layout.R, p));
  return drawn_points(pose, X, displaced - X, scale_);
}

Matrix3d DrawnMotion::axes(const MarkerRef& marker, std::size_t frame) const {
  const MarkerPlace place = system_.resolve(marker, "drawing");
  if (place.body < 0) return place.A0;
  return poses_[frame][static_cast<std::size_t>(place.body)].S * place.A0;
}

}  // namespace kurbel
