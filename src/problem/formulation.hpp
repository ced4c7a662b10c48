/// @file
/// In which coordinates the equations of motion are stated and solved.
#pragma once

namespace kurbel {

enum class Formulation { floating_frame, semi_recursive, absolute_coordinates };

/// The formulation in whose tables a mechanism is described: joint coordinates are found from the bodies and
/// joints of the floating frame.
constexpr Formulation tables_of(Formulation formulation) {
  return formulation == Formulation::semi_recursive ? Formulation::floating_frame : formulation;
}

}  // namespace kurbel
