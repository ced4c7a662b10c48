#include "formulation/drawn_frames.hpp"

#include <algorithm>

namespace kurbel {

using Eigen::Index;

std::vector<Index> drawn_steps(const Trajectory<double>& trajectory, Index n_frames) {
  const Index n = trajectory.n_stored, frames = std::min(n, n_frames);
  std::vector<Index> steps;
  for (Index frame = 0; frame < frames; ++frame)
    steps.push_back(frames > 1 ? frame * (n - 1) / (frames - 1) : 0);
  return steps;
}

void draw_frames(const std::filesystem::path& pvd, const Trajectory<double>& trajectory, Index n_frames,
                 const FrameDrawing& drawing) {
  const std::vector<Index> steps = drawn_steps(trajectory, n_frames);
  std::vector<Vector3d> places;
  for (const Index step : steps) {
    for (const Vector3d& place : drawing.places(step)) places.push_back(place);
  }
  if (places.empty()) return;
  const double extent =
      extent_of(Eigen::Map<const MatrixXd>(places.front().data(), 3, static_cast<Index>(places.size())));
  BlockSeries series(pvd);
  for (const Index step : steps) series.add_frame(trajectory.t[step], drawing.blocks(step, {extent}));
}

}  // namespace kurbel
