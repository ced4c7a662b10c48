#include <fmt/format.h>

#include <algorithm>

#include "mechanism/composed_function.hpp"
#include "problem/checks.hpp"
#include "problem/named_parts.hpp"

namespace kurbel {

namespace {

constexpr const char* advice =
    "varies in time, but integrator.t1 is a variable. Make it constant, or a table with times = "
    "\"relative\", which follows the end of the motion";

void check_function(const Problem& problem, const TimeFunctionPtr& function, const std::string& key) {
  if (function && !function->is_constant() && !is_relative(*function)) throw problem.error(key, advice);
}

void check_variable(const Problem& problem, const DesignVariable& variable) {
  const auto* quantity = std::get_if<SystemQuantity>(&variable.quantity);
  if (quantity && quantity->kind == SystemQuantity::Kind::drive_value)
    throw problem.error(path_of(variable) + ".quantity",
                        "varies a drive, but integrator.t1 is a variable, too. Remove one of them, or let a "
                        "control move the joint");
}

void check_steps(const Problem& problem) {
  if (problem.integrator.method == IntegratorMethod::dormand_prince)
    throw problem.error(
        "integrator.method",
        "= \"dormand-prince\" chooses its steps, which do not scale with the end of the motion, a "
        "variable; take \"runge-kutta-4\"");
  if (problem.sensitivity.method == SensitivityOptions::Method::continuous_adjoint)
    throw problem.error("sensitivity.method",
                        "= \"continuous-adjoint\" does not support a variable end of the motion; take "
                        "\"discrete-adjoint\" or \"direct\"");
}

}  // namespace

bool varies_end(const Problem& problem) {
  return std::ranges::any_of(problem.design.variables, is_end_of_motion);
}

void check_end_of_motion(const Problem& problem) {
  if (!varies_end(problem)) return;
  check_steps(problem);
  for (const KeyedFunction& one : functions_of_time(problem)) {
    if (!one.is_over_angle) check_function(problem, one.function, one.key);
  }
  for (const DesignVariable& variable : problem.design.variables) check_variable(problem, variable);
  for_each_term(problem, [&](const CriterionTerm& term, const std::string& path) {
    if (term.relative_to_rigid_twin)
      throw problem.error(
          path + ".target",
          "= \"rigid-twin\" varies in time, but integrator.t1 is a variable. Remove one of them");
    for (const TimeFunctionPtr& target : term.target) check_function(problem, target, path + ".target");
  });
}

}  // namespace kurbel
