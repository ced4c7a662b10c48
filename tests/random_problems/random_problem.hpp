/// @file
/// A problem from a seed: frames x bases x joints x drives x criteria x functionals x variables x starts.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "input_value.hpp"

namespace kurbel::random_problems {

/// What a function of the problem is, for comparisons.
struct FunctionInfo {
  std::string name;  ///< "objective", or that of a criterion of [constraints]
  Dimension dimension;
  double typical = 1.0;       ///< what its size may be; far smaller values are zeros with rounding errors
  bool uses_axes = false;     ///< of the inertial frame: it changes when the mechanism turns
  bool uses_origin = false;   ///< of the inertial frame: it changes when the mechanism is shifted
  bool of_reactions = false;  ///< not unique where constraints are redundant
};

/// A body of type sid: the problem whose reduction its file holds.
struct SidSource {
  std::string file, body;
  Table input;
};

struct RandomProblem {
  Table input;
  std::vector<SidSource> sids;
  std::vector<FunctionInfo> functions;
  std::set<std::string> features;  ///< "frame=chord", "criterion=velocity", ...
  double step = 0.0;               ///< of the integration, s

  bool has(const std::string& feature) const { return features.contains(feature); }
};

/// The same problem for the same seed, on every platform.
RandomProblem random_problem(std::uint64_t seed);
/// One of rigid bodies, which may move in any formulation.
RandomProblem random_rigid_problem(std::uint64_t seed);
/// The same with rods, planar joints, damped hinges, loads that oscillate, outputs at instants and cases.
RandomProblem random_problem_with_additions(std::uint64_t seed);
/// One with cables or spatial beams, between points and bodies.
RandomProblem random_beam_problem(std::uint64_t seed);

/// A formulation with a method of integration, as overrides of an input.
struct Formulation {
  std::string name, method;
  std::vector<std::string> overrides() const;
};
/// All in which rigid bodies can move.
const std::vector<Formulation>& formulations_of_rigid_bodies();
/// All in which beams can move; the last ones take spatial beams alone.
const std::vector<Formulation>& formulations_of_beams();

}  // namespace kurbel::random_problems
