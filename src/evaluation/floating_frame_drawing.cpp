#include <algorithm>

#include "evaluation/body_mesh.hpp"
#include "evaluation/evaluation_chain.hpp"
#include "evaluation/floating_frame_motion.hpp"
#include "output/motion_writer.hpp"

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

MotionBody motion_body(const EvaluationChain& chain, const ChainResult& result, std::size_t i) {
  const std::string& name = chain.problem().bodies[i].name;
  if (const fem::FlexibleBody* body = chain.body(i)) {
    const fem::BodyDesign& design = result.design.bodies[i];
    MotionBody drawn{name, design_mesh(*body, design), design.density, result.reduced[i].shapes};
    if (const auto points = chain.stress_sets().to_show(i, body->n_elements())) {
      drawn.stress = body->stress_modes(design, result.reduced[i], *points);
      drawn.largest_stress = VectorXd::Zero(body->n_elements());
      for (Eigen::Index k = 0; k < result.trajectory.n_stored; ++k) {
        const auto q =
            result.trajectory.y.col(k).segment(floating_frame(result).system().x_offset(i) + 7, body->n_q());
        drawn.largest_stress = drawn.largest_stress.cwiseMax(von_mises(drawn.stress, q));
      }
    }
    return drawn;
  }
  // A body without a mesh is drawn from its frame through its markers.
  const std::vector<SidNode>& nodes = floating_frame(result).system().spec().bodies[i].sid.frame;
  MatrixXd points = MatrixXd::Zero(3, static_cast<Eigen::Index>(nodes.size()) + 1);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    points.col(static_cast<Eigen::Index>(k) + 1) = nodes[k].origin.M0;
  return line_body(name, points);
}

}  // namespace

void FloatingFrameMotion::draw(const std::filesystem::path& pvd, const EvaluationChain& chain,
                               const ChainResult& result) const {
  const OutputOptions& options = chain.problem().output;
  std::vector<MotionBody> bodies;
  for (std::size_t i = 0; i < system_.n_bodies(); ++i) bodies.push_back(motion_body(chain, result, i));
  MotionWriter writer(pvd, std::move(bodies), {options.deformation_scale});

  const Eigen::Index n = result.trajectory.n_stored;
  const Eigen::Index frames = std::min<Eigen::Index>(n, std::max(options.motion_frames, 1));
  std::vector<MotionPose> poses(system_.n_bodies());
  for (Eigen::Index frame = 0; frame < frames; ++frame) {
    const Eigen::Index k = frames > 1 ? frame * (n - 1) / (frames - 1) : 0;
    const auto x = result.trajectory.y.col(k).head(system_.n_x());
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const Pose<double> pose = system_.pose(x, i);
      const Eigen::Index n_q = chain.body(i) ? system_.n_q(i) : 0;
      poses[i] = {pose.r, rotation_matrix(pose.e), x.segment(system_.x_offset(i) + 7, n_q)};
    }
    writer.add_frame(result.trajectory.t[k], poses);
  }
}

}  // namespace kurbel
