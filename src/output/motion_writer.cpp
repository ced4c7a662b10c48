#include "output/motion_writer.hpp"

#include "output/block_series.hpp"

namespace kurbel {

void write_motion(const std::filesystem::path& pvd, MotionFrames& frames) {
  const std::size_t n_frames = frames.n_frames();
  if (n_frames == 0) return;
  BlockSeries series(pvd);
  for (std::size_t frame = 0; frame < n_frames; ++frame)
    series.add_frame(frames.time(frame), frames.blocks(frame));
}

}  // namespace kurbel
