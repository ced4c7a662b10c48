/// @file
/// The drawn instants of a motion, and the frames that are made of them.
#pragma once

#include <functional>
#include <vector>

#include "formulation/mechanism_shapes.hpp"
#include "integration/step_residual.hpp"
#include "results/motion_frames.hpp"

namespace kurbel {

/// Columns of a trajectory that are drawn: evenly in the steps that are stored, with the first and the last one.
/// @param n_frames  at most
std::vector<Eigen::Index> drawn_steps(const Trajectory<double>& trajectory, Eigen::Index n_frames);

/// A motion by columns of its trajectory.
struct FrameDrawing {
  std::function<std::vector<Vector3d>(Eigen::Index step)> places;  ///< whose box is the mechanism's extent
  std::function<std::vector<NamedBlock>(Eigen::Index step, const ShapeSizes& sizes)> blocks;
};

/// The frames of such a motion; none if nothing of it is to be seen. Shapes are sized by the extent of all frames.
class DrawnFrames final : public MotionFrames {
 public:
  DrawnFrames(const Trajectory<double>& trajectory, Eigen::Index n_frames, FrameDrawing drawing);

  std::size_t n_frames() const override { return steps_.size(); }
  double time(std::size_t frame) const override { return trajectory_.t[steps_[frame]]; }
  const std::vector<NamedBlock>& blocks(std::size_t frame) override;

 private:
  const Trajectory<double>& trajectory_;
  FrameDrawing drawing_;
  std::vector<Eigen::Index> steps_;
  ShapeSizes sizes_{};
  std::vector<NamedBlock> blocks_;  ///< of the last frame made
};

}  // namespace kurbel
