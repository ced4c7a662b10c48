#include "problem/problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "problem/attachments.hpp"
#include "problem/checks.hpp"
#include "problem/damping.hpp"
#include "problem/readers.hpp"

namespace kurbel {

std::optional<std::size_t> Problem::find_body(const std::string& name) const {
  const auto it =
      std::find_if(bodies.begin(), bodies.end(), [&](const ProblemBody& b) { return b.name == name; });
  if (it == bodies.end()) return {};
  return static_cast<std::size_t>(it - bodies.begin());
}

Problem read_problem(const std::string& file, const std::vector<std::string>& overrides) {
  return read_problem(TomlDocument::read(file, overrides));
}

Problem read_problem(TomlDocument document) {
  Problem problem;
  problem.document = std::make_shared<const TomlDocument>(std::move(document));
  const TomlTable root(*problem.document);
  problem.title = root.text_or("title", "");
  if (root.has("formulation")) root.choice("formulation", {"floating-frame"});
  const auto with_attachment_modes = read_bodies(root.table("bodies"), problem.document->directory, problem);
  read_mechanism(root, problem.system);
  read_options(root, problem.document->directory, problem);
  root.finish();

  check_size(problem);
  for (ProblemBody& body : problem.bodies) {
    if (with_attachment_modes.contains(body.name)) {
      body.flexible.attachments = attachments_of(body.flexible, problem.system);
    }
  }
  check_mechanism(problem);
  check_bodies(problem);
  check_criteria(problem);
  check_damping_of_adjoint(problem);
  check_design(problem);
  check_geometric_stiffening(problem);
  return problem;
}

void require_simulation_problem(const Problem& problem) {
  if (problem.integrator.step == 0.0) {
    throw problem.error("integrator", "is missing; give a table with t1 and step");
  }
}

void require_gradient_problem(const Problem& problem) {
  require_simulation_problem(problem);
  if (problem.objective.empty())
    throw problem.error("objective", "is missing; give a table with type and body");
  if (problem.design.bodies.empty() && problem.design.variables.empty()) {
    throw problem.error(
        "design.bodies",
        "has nothing to design: no body is of type \"flexible\", and there are no [variables]");
  }
}

void require_optimization_problem(const Problem& problem) {
  require_gradient_problem(problem);
  const std::string& method = problem.optimizer.method;
  if (const auto reason = why_unsuitable(method, problem.constraints.n_inequalities(), 0)) {
    throw problem.error("optimizer.method",
                        fmt::format("= \"{}\" does not fit [constraints]: {}", method, *reason));
  }
  if (method == "oc" && !problem.design.variables.empty()) {
    throw problem.error(
        "optimizer.method",
        "= \"oc\" does not fit [variables]: it varies densities alone; \"mma\" and \"ipopt\" can "
        "vary both");
  }
  if (method == "oc" && !problem.constraints.criteria.empty()) {
    throw problem.error("optimizer.method",
                        "= \"oc\" does not fit [constraints]: it needs the volume or the mass as its only "
                        "constraint; \"mma\" and \"ipopt\" can treat criteria");
  }
}

}  // namespace kurbel
