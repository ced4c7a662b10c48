/// @file
/// The optimizations that a problem consists of.
#pragma once

#include <string>
#include <vector>

#include "mechanism/criterion_spec.hpp"
#include "optimizers/optimizer.hpp"

namespace kurbel {

/// The variables that a stage varies; densities count among the parameters.
enum class Vary { controls, parameters, all };

/// One optimization.
struct Stage {
  std::string name;  ///< empty: the problem itself
  Vary vary = Vary::all;
  std::vector<CriterionTerm> objective;
  std::vector<std::size_t> constraints;  ///< indices among ConstraintOptions::criteria
  OptimizerOptions optimizer;
};

}  // namespace kurbel
