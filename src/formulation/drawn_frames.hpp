/// @file
/// Which instants of a motion are drawn, and how they become a series of files.
#pragma once

#include <functional>

#include "formulation/mechanism_shapes.hpp"
#include "integration/step_residual.hpp"
#include "output/block_series.hpp"

namespace kurbel {

/// Columns of a trajectory that are drawn: evenly in the steps that are stored, with the first and the last one.
/// @param n_frames  at most
std::vector<Eigen::Index> drawn_steps(const Trajectory<double>& trajectory, Eigen::Index n_frames);

/// A motion by columns of its trajectory.
struct FrameDrawing {
  std::function<std::vector<Vector3d>(Eigen::Index step)> places;  ///< whose box is the mechanism's extent
  std::function<std::vector<NamedBlock>(Eigen::Index step, const ShapeSizes& sizes)> blocks;
};

/// Writes the frames, if anything of them is to be seen; shapes are sized by the extent of all of them.
void draw_frames(const std::filesystem::path& pvd, const Trajectory<double>& trajectory,
                 Eigen::Index n_frames, const FrameDrawing& drawing);

}  // namespace kurbel
