#include <fmt/format.h>

#include "drawing/moving_bodies.hpp"
#include "drawing/shapes.hpp"
#include "floating_frame/beam_nodes.hpp"
#include "floating_frame/beam_quantities.hpp"
#include "formulation/floating_frame_motion.hpp"
#include "formulation/mechanism_shapes.hpp"

namespace kurbel {

std::optional<BodyTrajectories> FloatingFrameMotion::body_trajectories(
    const Trajectory<double>& trajectory) const {
  BodyTrajectories out;
  const Eigen::Index n = trajectory.n_stored;
  const DaeStateLayout& layout = integrator_->layout();
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

/// All places of a motion's first frame.
ShapeSizes sizes_of(const SystemSpec& spec, const DrawnMotion& motion,
                    const std::vector<std::optional<MotionBody>>& meshes) {
  MatrixXd points(3, 0);
  const auto add = [&](const MatrixXd& more) {
    points.conservativeResize(3, points.cols() + more.cols());
    points.rightCols(more.cols()) = more;
  };
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const MotionPose& pose = motion.poses(0)[i];
    if (meshes[i]) add((pose.S * meshes[i]->grid.points).colwise() + pose.r);
    for (const SidNode& node : spec.bodies[i].sid.frame)
      add(motion.position({spec.bodies[i].name, node.name}, 0));
  }
  for (const JointSpec& joint : spec.joints) add(motion.position(joint.from, 0));
  for (const SpringSpec& spring : spec.springs) add(motion.position(spring.from, 0));
  for (const BeamSpec& beam : spec.beams) {
    for (const char* end : {"start", "end"}) add(motion.position({beam.name, end}, 0));
  }
  return {extent_of(points)};
}

/// Beams as tubes from node to node, with the largest stress of their elements.
class DrawnBeams {
 public:
  DrawnBeams(const MultibodySystem<double>& system, const DrawnMotion& motion, const ShapeSizes& sizes)
      : beams_(system.spec().beams), motion_(motion), sizes_(sizes) {
    for (const BeamSpec& beam : beams_) {
      CriterionTerm term{.quantity = Quantity::stress};
      term.beam = beam.name;
      stresses_.push_back(beam_stresses(system, term));
    }
  }

  void add(std::size_t frame, const DaeInstant<double>& at, std::vector<NamedBlock>& blocks) const {
    for (std::size_t i = 0; i < beams_.size(); ++i) blocks.push_back(block(i, frame, at));
  }

 private:
  NamedBlock block(std::size_t i, std::size_t frame, const DaeInstant<double>& at) const {
    const BeamSpec& beam = beams_[i];
    const double radius = std::max(0.5 * beam.dimensions[0], 0.4 * sizes_.tube());
    const std::vector<std::string> nodes = node_names(beam);
    NamedBlock block{beam.name};
    std::vector<double> values;
    for (std::size_t e = 0; e + 1 < nodes.size(); ++e) {
      const double largest = stresses_[i][e]->value(at)[0];
      append(block.grid, tube(motion_.position({beam.name, nodes[e]}, frame),
                              motion_.position({beam.name, nodes[e + 1]}, frame), radius));
      values.resize(static_cast<std::size_t>(block.grid.points.cols()), largest);
    }
    block.point_arrays.push_back(
        {"stress",
         Eigen::Map<const Eigen::RowVectorXd>(values.data(), static_cast<Eigen::Index>(values.size())),
         "Pa"});
    return block;
  }

  const std::vector<BeamSpec>& beams_;
  const DrawnMotion& motion_;
  const ShapeSizes& sizes_;
  std::vector<std::vector<std::shared_ptr<const Observable<double>>>> stresses_;  ///< by beam and element
};

/// Bodies, then the parts between them, then beams.
class FramesOfBodies final : public MotionFrames {
 public:
  /// @param layout  of the states in the trajectory
  FramesOfBodies(const MultibodySystem<double>& system, const DaeStateLayout& layout,
                 const Trajectory<double>& trajectory, const DrawnMotion& motion, const ShapeSizes& sizes,
                 MovingBodies bodies)
      : layout_(layout),
        trajectory_(trajectory),
        motion_(motion),
        n_bodies_(system.first_node()),
        bodies_(std::move(bodies)),
        shapes_(system.spec(), motion, sizes),
        beams_(system, motion, sizes) {}

  std::size_t n_frames() const override { return motion_.n_frames(); }
  double time(std::size_t frame) const override { return motion_.time(frame); }

  const std::vector<NamedBlock>& blocks(std::size_t frame) override {
    std::vector<MotionPose> poses = motion_.poses(frame);
    poses.resize(n_bodies_);
    std::vector<NamedBlock> others = shapes_.at(frame);
    const Eigen::Index k = motion_.step(frame);
    beams_.add(frame, layout_.instant<double>(trajectory_.t[k], trajectory_.y.col(k)), others);
    return bodies_.at(poses, std::move(others));
  }

  std::vector<std::string> diagnostics() const override {
    if (!motion_.joints_open()) return {};
    return {
        fmt::format("without elasticity the mechanism cannot be assembled near its motion; every body "
                    "is drawn deformed {:.6g} times from its own reference frame, which leaves its joints "
                    "open (deformation_scale = 1 shows the true positions)",
                    motion_.scale())};
  }

 private:
  const DaeStateLayout& layout_;
  const Trajectory<double>& trajectory_;
  const DrawnMotion& motion_;
  std::size_t n_bodies_;
  MovingBodies bodies_;
  MechanismShapes shapes_;
  DrawnBeams beams_;
};

}  // namespace

VectorXd FloatingFrameMotion::largest_stress(std::size_t body, const StressModes& stress,
                                             const Trajectory<double>& trajectory) const {
  VectorXd largest = VectorXd::Zero(stress.n_points());
  for (Eigen::Index k = 0; k < trajectory.n_stored; ++k) {
    const auto q = trajectory.y.col(k).segment(system_.x_offset(body) + 7, system_.n_q(body));
    largest = largest.cwiseMax(von_mises(stress, q));
  }
  return largest;
}

DrawnMotion FloatingFrameMotion::drawn(const Trajectory<double>& trajectory) const {
  const OutputOptions& options = model_.problem().output;
  return DrawnMotion(system_, trajectory, options.motion_frames, options.deformation_scale);
}

void FloatingFrameMotion::draw(const Trajectory<double>& trajectory,
                               std::vector<std::optional<MotionBody>> meshes,
                               const FramesReceiver& show) const {
  const SystemSpec& spec = system_.spec();
  const DrawnMotion motion = drawn(trajectory);
  const ShapeSizes sizes = sizes_of(spec, motion, meshes);
  std::vector<MotionBody> bodies;
  for (std::size_t i = 0; i < system_.first_node(); ++i) {
    bodies.push_back(meshes[i] ? std::move(*meshes[i]) : shape_of_body(spec, spec.bodies[i], sizes));
    MotionBody& body = bodies.back();
    if (body.stress.S.size() > 0) body.largest_stress = largest_stress(i, body.stress, trajectory);
  }
  FramesOfBodies frames(
      system_, integrator_->layout(), trajectory, motion, sizes,
      MovingBodies(std::move(bodies), {motion.scale(), model_.problem().output.solid_above}));
  show({}, frames);
}

}  // namespace kurbel
