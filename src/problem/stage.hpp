/// @file
/// Objectives and constraints over outputs, and the optimizations that a problem consists of.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"
#include "mechanism/criterion_spec.hpp"
#include "optimizers/optimizer.hpp"

namespace kurbel {

/// A summand of an objective over [outputs.*].
struct CostTerm {
  enum class Type { control_energy, mass, final_value, final_error, tracking };
  Type type = Type::control_energy;
  double weight = 1.0;
  std::size_t output =
      0;            ///< final_value (its only row), final_error, tracking: place in SystemSpec::functions
  VectorXd target;  ///< final_error, tracking: per row
};

/// Rows of an output against their limits, at the final time or on a time mesh of its own.
/// Every row becomes (h - limit) / scale, of either sign, <= 0 or = 0.    [P2, eqs 7, 8, 59, 66]
struct PathConstraint {
  std::string name;
  std::size_t output = 0;
  bool equality = false;   ///< final time only: h = upper
  VectorXd lower, upper;   ///< per row; infinite where there is none
  VectorXd scale;          ///< per row
  std::vector<int> steps;  ///< k of the instants: N alone, or e j for j = 0..M
};

/// Which part of the variables varies; densities count among the parameters.
enum class Vary { controls, parameters, all };

/// One optimization.
struct Stage {
  std::string name;  ///< empty: the problem itself
  Vary vary = Vary::all;
  std::vector<CriterionTerm> objective;  ///< in a floating frame
  std::vector<CostTerm> cost;            ///< in absolute coordinates
  std::vector<std::size_t> constraints;  ///< places among ConstraintOptions::criteria, or ::paths
  OptimizerOptions optimizer;
};

}  // namespace kurbel
