/// @file
/// In which coordinates the equations of motion are stated and solved.
#pragma once

namespace kurbel {

enum class Formulation { floating_frame, absolute_coordinates };

}  // namespace kurbel
