#include <fmt/format.h>

#include <algorithm>

#include "problem/checks.hpp"

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
  for (const JointSpec& joint : problem.system.joints) {
    for (const DriveSpec& drive : joint.drives)
      check_constant(problem, drive.motion, fmt::format("joints.{}.drive", joint.name));
  }
  for (const MarkerLoadSpec& load : problem.system.loads) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string key = "loads." + load.name;
      if (!load.force_over[k]) check_constant(problem, load.force[k], key);
      if (!load.torque_over[k]) check_constant(problem, load.torque[k], key);
    }
  }
  for_each_term(problem, [&](const CriterionTerm& term, const std::string& path) {
    if (term.relative_to_rigid_twin) throw problem.error(path + ".target", "= \"rigid-twin\" {}", advice);
    for (const TimeFunctionPtr& target : term.target) check_constant(problem, target, path + ".target");
  });
}

}  // namespace kurbel
