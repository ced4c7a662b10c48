#include <algorithm>

#include "formulation/floating_frame_motion.hpp"

namespace kurbel {

std::optional<RunTrajectory> FloatingFrameMotion::run_trajectory(const Trajectory<double>& trajectory) const {
  RunTrajectory out;
  const Eigen::Index n = trajectory.n_stored;
  const DaeStateLayout& layout = integrator_.layout();
  const auto y = trajectory.y.leftCols(n);
  out.times = trajectory.t.head(n);
  for (std::size_t i = 0; i < system_.n_bodies(); ++i) {
    const Eigen::Index n_q = system_.n_q(i);
    out.bodies.push_back({system_.spec().bodies[i].name, y.middleRows(system_.x_offset(i), 7 + n_q),
                          y.middleRows(layout.n_x + system_.v_offset(i), 6 + n_q),
                          y.middleRows(layout.n_x + layout.n_v + system_.v_offset(i), 6 + n_q)});
  }
  out.multipliers = y.bottomRows(layout.n_c);
  for (Eigen::Index i = 0; i < layout.n_c; ++i) out.multiplier_names.push_back(system_.constraint_name(i));
  return out;
}

namespace {

/// A body without a mesh: from its frame through its markers.
MotionBody through_markers(const BodySpec& body) {
  const std::vector<SidNode>& nodes = body.sid.frame;
  MatrixXd points = MatrixXd::Zero(3, static_cast<Eigen::Index>(nodes.size()) + 1);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    points.col(static_cast<Eigen::Index>(k) + 1) = nodes[k].origin.M0;
  return line_body(body.name, points);
}

}  // namespace

void FloatingFrameMotion::draw(const std::filesystem::path& pvd, const Trajectory<double>& trajectory,
                               std::vector<std::optional<MotionBody>> meshes) const {
  const OutputOptions& options = model_.problem().output;
  const Eigen::Index n = trajectory.n_stored;
  std::vector<MotionBody> bodies;
  std::vector<Eigen::Index> n_drawn;  // elastic coordinates that are seen
  for (std::size_t i = 0; i < system_.n_bodies(); ++i) {
    n_drawn.push_back(meshes[i] ? system_.n_q(i) : 0);
    bodies.push_back(meshes[i] ? std::move(*meshes[i]) : through_markers(system_.spec().bodies[i]));
    MotionBody& body = bodies.back();
    if (body.stress.S.size() == 0) continue;
    body.largest_stress = VectorXd::Zero(body.density.size());
    for (Eigen::Index k = 0; k < n; ++k) {
      const auto q = trajectory.y.col(k).segment(system_.x_offset(i) + 7, system_.n_q(i));
      body.largest_stress = body.largest_stress.cwiseMax(von_mises(body.stress, q));
    }
  }
  MotionWriter writer(pvd, std::move(bodies), {options.deformation_scale});

  const Eigen::Index frames = std::min<Eigen::Index>(n, std::max(options.motion_frames, 1));
  std::vector<MotionPose> poses(system_.n_bodies());
  for (Eigen::Index frame = 0; frame < frames; ++frame) {
    const Eigen::Index k = frames > 1 ? frame * (n - 1) / (frames - 1) : 0;
    const auto x = trajectory.y.col(k).head(system_.n_x());
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const Pose<double> pose = system_.pose(x, i);
      poses[i] = {pose.r, rotation_matrix(pose.e), x.segment(system_.x_offset(i) + 7, n_drawn[i])};
    }
    writer.add_frame(trajectory.t[k], poses);
  }
}

}  // namespace kurbel
