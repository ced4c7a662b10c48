#include <fmt/format.h>

#include <algorithm>

#include "problem/checks.hpp"
#include "problem/named_parts.hpp"

namespace kurbel {

namespace {

constexpr const char* advice =
    "varies in time, but integrator.t1 is a variable. Make it constant, or remove the variable";

void check_constant(const Problem& problem, const TimeFunctionPtr& function, const std::string& key) {
  if (function && !function->is_constant()) throw problem.error(key, advice);
}

void check_steps(const Problem& problem) {
  if (problem.integrator.method == IntegratorMethod::dormand_prince)
    throw problem.error(
        "integrator.method",
        "= \"dormand-prince\" chooses its steps, which do not scale with the end of the motion, a "
        "variable; take \"runge-kutta-4\"");
  if (problem.sensitivity.method == SensitivityOptions::Method::continuous_adjoint)
    throw problem.error("sensitivity.method",
                        "= \"continuous-adjoint\" knows no end of the motion that varies; take "
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
    if (!one.is_over_angle) check_constant(problem, one.function, one.key);
  }
  for_each_term(problem, [&](const CriterionTerm& term, const std::string& path) {
    if (term.relative_to_rigid_twin) throw problem.error(path + ".target", "= \"rigid-twin\" {}", advice);
    for (const TimeFunctionPtr& target : term.target) check_constant(problem, target, path + ".target");
  });
}

}  // namespace kurbel
