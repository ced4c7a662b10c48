/// @file
/// The objective and the constraints of a study, with their units and bounds.
#pragma once

#include <string>
#include <vector>

#include "study/study.hpp"

namespace kurbel {

/// A function h of the variables. Evaluation has it as
///     f = (h - bound) / scale,
/// which is zero for an equality, and at most zero for another constraint.
struct StudyFunction {
  std::string name;    ///< "objective", or that of the constraint; both bounds of a criterion have its name
  std::string unit;    ///< of h; empty for numbers without a unit, and for sums of several units
  double bound = 0.0;  ///< of the objective: 0
  double scale = 1.0;  ///< negative for a lower bound; of the objective: 1
};

/// The objective, then the constraints in the order of Evaluation::constraints.
std::vector<StudyFunction> functions_of(Study& study);

}  // namespace kurbel
