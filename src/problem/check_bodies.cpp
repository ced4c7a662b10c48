#include <fmt/format.h>

#include "fem/frame.hpp"
#include "fem/spec_check.hpp"
#include "problem/checks.hpp"
#include "problem/named_parts.hpp"

namespace kurbel {

namespace {

void check_flexible_body(const Problem& problem, const fem::FlexibleBodySpec& body) {
  const std::string path = "bodies." + body.name;
  std::optional<fem::SpecProblem> fault;
  try {
    fault = fem::find_problem(body);
  } catch (const InputError& error) {
    throw BodyFault(problem.error(path, ": {}", error.what()), body.name);
  }
  if (fault) {
    const InputError error = problem.error(fmt::format("{}.{}", path, fault->key), ": {}", fault->message);
    // These are stated, wherever the mesh lies.
    for (const char* stated : {"modes", "damping", "solver", "geometric_stiffening"})
      if (fault->key.starts_with(stated)) throw error;
    throw BodyFault(error, body.name);
  }
  if (body.basis == fem::BasisType::craig_bampton &&
      problem.sensitivity.path == SensitivityOptions::Path::augmented_sid) {
    throw problem.error("sensitivity.path",
                        "= \"augmented-sid\" is not available for the "
                        "Craig-Bampton basis of {}; use \"pull-back\"",
                        body.name);
  }
}

Eigen::Index n_elastic(const fem::FlexibleBodySpec& body) {
  return body.n_normal_modes +
         static_cast<Eigen::Index>(fem::elastic_loads(body, *fem::make_mesh(body.mesh)).size());
}

void check_static_loads(const Problem& problem, const BodySpec& body, Eigen::Index n_q) {
  for (const StaticLoad& load : body.initial.loads) {
    const std::string key = fmt::format("bodies.{}.initial.loads.{}", body.name, load.name);
    if (n_q == 0) throw problem.error(key, "is on a body that cannot deform");
    if (problem.system.initial_equilibrium != InitialEquilibrium::none)
      throw problem.error(key, "has no effect: with initial.state the deformation is that of an equilibrium");
    check_material_marker(problem, {body.name, load.marker}, key + ".marker");
  }
}

}  // namespace

void check_bodies(const Problem& problem) {
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    const bool has_mesh = body.type == ProblemBody::Type::flexible;
    if (has_mesh) check_flexible_body(problem, body.flexible);
    const Eigen::Index n_q = has_mesh ? n_elastic(body.flexible) : problem.system.bodies[i].sid.n_q();
    if (n_q > 0 && !traits_of(problem.formulation).takes_flexible_bodies) {
      throw problem.error("bodies." + body.name,
                          "is flexible; the bodies of formulation = \"{}\" are rigid: use \"floating-frame\"",
                          word_of(problem.formulation));
    }
    if (n_q > 0 && takes_momenta(problem.integrator.method)) {
      throw problem.error("bodies." + body.name,
                          "is flexible; explicit methods are for rigid bodies: use integrator.method = "
                          "\"generalized-alpha\"");
    }
    check_static_loads(problem, problem.system.bodies[i], n_q);
    const InitialState& initial = problem.system.bodies[i].initial;
    for (const auto& [key, value] : {std::pair{"q", &initial.q}, std::pair{"q_dot", &initial.q_dot}}) {
      if (has_mesh && body.flexible.modes_up_to && value->size() > 0) {
        throw problem.error(fmt::format("bodies.{}.initial.{}", body.name, key),
                            "cannot be given with modes.up_to, whose number of modes is counted later");
      }
      if (value->size() == 0 || value->size() == n_q) continue;
      throw problem.error(fmt::format("bodies.{}.initial.{}", body.name, key),
                          "has {} values; the body has {} elastic coordinates", value->size(), n_q);
    }
  }
}

void check_geometric_stiffening(const Problem& problem) {
  if (problem.sensitivity.path != SensitivityOptions::Path::augmented_sid) return;
  for (const ProblemBody& body : problem.bodies) {
    if (!body.flexible.geometric_stiffening) continue;
    throw problem.error("sensitivity.path",
                        "= \"augmented-sid\" has no derivatives of the geometric stiffening that "
                        "bodies.{}.geometric_stiffening asks for; use \"pull-back\"",
                        body.name);
  }
}

}  // namespace kurbel
