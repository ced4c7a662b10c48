#include "formulation/drawn_frames.hpp"

#include <algorithm>
#include <utility>

namespace kurbel {

using Eigen::Index;

std::vector<Index> drawn_steps(const Trajectory<double>& trajectory, Index n_frames) {
  const Index n = trajectory.n_stored, frames = std::min(n, n_frames);
  std::vector<Index> steps;
  for (Index frame = 0; frame < frames; ++frame)
    steps.push_back(frames > 1 ? frame * (n - 1) / (frames - 1) : 0);
  return steps;
}

DrawnFrames::DrawnFrames(const Trajectory<double>& trajectory, Index n_frames, FrameDrawing drawing)
    : trajectory_(trajectory), drawing_(std::move(drawing)), steps_(drawn_steps(trajectory, n_frames)) {
  std::vector<Vector3d> places;
  for (const Index step : steps_) {
    for (const Vector3d& place : drawing_.places(step)) places.push_back(place);
  }
  if (places.empty()) {
    steps_.clear();
    return;
  }
  sizes_.extent =
      extent_of(Eigen::Map<const MatrixXd>(places.front().data(), 3, static_cast<Index>(places.size())));
}

const std::vector<NamedBlock>& DrawnFrames::blocks(std::size_t frame) {
  blocks_ = drawing_.blocks(steps_[frame], sizes_);
  return blocks_;
}

}  // namespace kurbel
