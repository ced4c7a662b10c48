/// @file
/// A moving mechanism as frames of named meshes, made one at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "results/unstructured_grid.hpp"

namespace kurbel {

/// The frames of one motion.
class MotionFrames {
 public:
  virtual ~MotionFrames() = default;

  /// Zero if nothing of the mechanism is to be seen.
  virtual std::size_t n_frames() const = 0;
  /// Increases from frame to frame, s.
  virtual double time(std::size_t frame) const = 0;
  /// Makes a frame: as many blocks in each, in the same order. They are valid until the next call.
  /// @throws InputError if the position of a body does not fit its mesh
  virtual const std::vector<NamedBlock>& blocks(std::size_t frame) = 0;
  /// Sentences on what the frames do not show as it should be shown, for the log.
  virtual std::vector<std::string> diagnostics() const { return {}; }
};

/// Receives the frames of a motion, which are valid during the call only.
/// @param case_name  of several cases; empty without cases
using FramesReceiver = std::function<void(const std::string& case_name, MotionFrames& frames)>;

}  // namespace kurbel
