/// @file
/// The motion of a result in a floating frame.
#pragma once

#include "evaluation/evaluation_chain.hpp"
#include "formulation/floating_frame_motion.hpp"

namespace kurbel::test {

/// @throws std::bad_cast if it is in another formulation
inline const FloatingFrameMotion& floating_frame(const ChainResult& result) {
  return dynamic_cast<const FloatingFrameMotion&>(*result.motion);
}

}  // namespace kurbel::test
