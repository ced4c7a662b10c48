/// @file
/// A design on disk as an optimization leaves its result, for the commands that go on from a run.
#pragma once

#include <filesystem>
#include <optional>

#include "study/study.hpp"

namespace kurbel {

/// Writes the folder of a run whose result is this design, for export, verify, report and optimize --shape or --finer: run.h5
/// with the input and one evaluation, final.vtu with the densities, variables.csv with the other variables. Files of an earlier run
/// in the folder are replaced, once the design has been evaluated.
/// @param x          n_variables
/// @param steepness  of the projection at x; none: that with which the problem begins
/// @return  a numerical failure of the evaluation; the folder is then as it was
/// @throws InputError if a run may not write there; WriteError
Status save_design(Study& study, const VectorXd& x, std::optional<double> steepness,
                   const std::filesystem::path& folder);

}  // namespace kurbel
