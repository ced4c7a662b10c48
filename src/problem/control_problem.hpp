/// @file
/// An input file with `formulation = "absolute-coordinates"`: optimal control and design of a system in
/// absolute coordinates, checked.                                                              [P2, eqs 1-8]
#pragma once

#include "absolute_coordinates/system_spec.hpp"
#include "integration/integrator_options.hpp"
#include "optimizers/optimizer.hpp"
#include "problem/control_curve.hpp"
#include "problem/toml_document.hpp"

namespace kurbel {

/// Bounds of one entry of xi; its value to begin with is SystemSpec::xi.
struct ParameterBounds {
  std::string name;  ///< "height", or "height[2]" of a list
  double lower = 0.0, upper = 0.0;
};

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

/// Which part of z varies.
enum class Vary { controls, parameters, all };

/// One optimization; the last one of a problem has all of its constraints.
struct ControlStage {
  std::string name;
  Vary vary = Vary::all;
  std::vector<CostTerm> cost;
  std::vector<std::size_t> constraints;
  OptimizerOptions optimizer;
};

enum class ControlSensitivity { automatic, adjoint, direct, finite_differences };

struct ControlOutput {
  bool pictures = true;              ///< control.png, states.png, outputs.png
  bool motion = true;                ///< motion.pvd, where there are beams
  int motion_frames = 100;           ///< instants in it
  std::vector<std::size_t> adjoint;  ///< constraints whose adjoint variables are written
};

struct ControlProblem {
  std::string title;
  absolute::SystemSpec system;
  std::vector<ControlCurve> controls;       ///< in the order of SystemSpec::controls
  std::vector<ParameterBounds> parameters;  ///< in the order of SystemSpec::xi
  IntegratorOptions integrator;
  std::vector<PathConstraint> constraints;
  std::vector<ControlStage> stages;  ///< at least one; without an objective, its cost is empty
  ControlSensitivity sensitivity = ControlSensitivity::automatic;
  ControlOutput output;
  std::shared_ptr<const TomlDocument> document;

  InputError error(const std::string& key_path, const std::string& message) const {
    return document->error(key_path, message);
  }
  Controls grids() const;
};

/// Whether the document says `formulation = "absolute-coordinates"`.
bool is_control_problem(const TomlDocument& document);

/// @throws InputError for everything a user can get wrong: one message with file, line, key, value, what is
/// allowed
ControlProblem read_control_problem(TomlDocument document);

}  // namespace kurbel
