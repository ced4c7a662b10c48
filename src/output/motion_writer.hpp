/// @file
/// The moving mechanism as a series of multi-block files with a .pvd.
#pragma once

#include <filesystem>

#include "results/motion_frames.hpp"

namespace kurbel {

/// Makes the frames one at a time and writes them as a BlockSeries; no file if there are none.
/// @throws WriteError if a file cannot be written; InputError if an array does not fit its grid
void write_motion(const std::filesystem::path& pvd, MotionFrames& frames);

}  // namespace kurbel
