#include <fmt/format.h>

#include <algorithm>

#include "base/spelling.hpp"
#include "fem/mesh.hpp"
#include "problem/checks.hpp"
#include "problem/named_parts.hpp"

namespace kurbel {

namespace {

/// Whether every element belongs to a region, so that none is left to the optimizer.
bool is_passive(const fem::FlexibleBodySpec& body) {
  const auto mesh = fem::make_mesh(body.mesh);
  std::vector<bool> passive(static_cast<std::size_t>(mesh->n_elements()), false);
  for (const fem::Region& region : body.regions) {
    for (const int e : mesh->elements_in(region.place)) passive[static_cast<std::size_t>(e)] = true;
  }
  return std::find(passive.begin(), passive.end(), false) == passive.end();
}

void check_design_body(const Problem& problem, std::size_t number) {
  const std::string key = fmt::format("design.bodies.{}", number);
  const std::string& name = problem.design.bodies[number];
  const auto i = problem.find_body(name);
  if (!i) {
    throw problem.error(key, "= \"{}\" is no body{}", name,
                        spelling_advice(name, names_of(problem.bodies), "\""));
  }
  const ProblemBody& body = problem.bodies[*i];
  if (body.type != ProblemBody::Type::flexible) {
    throw problem.error(key, "= \"{}\" has no mesh; only a body of type \"flexible\" can be designed", name);
  }
  const auto& bodies = problem.design.bodies;
  if (std::find(bodies.begin(), bodies.begin() + static_cast<std::ptrdiff_t>(number), name) !=
      bodies.begin() + static_cast<std::ptrdiff_t>(number)) {
    throw problem.error(key, "= \"{}\" stands twice in the list", name);
  }
  if (problem.design.start < body.flexible.simp.p_min) {
    throw problem.error("design.start", "= {} is below p_min = {} of {}", problem.design.start,
                        body.flexible.simp.p_min, name);
  }
}

bool has_rigid_target(const Problem& problem) {
  return any_term(problem, [](const CriterionTerm& term) { return term.relative_to_rigid_twin; });
}

/// Refuses what [variables] cannot be combined with.
void check_variables(const Problem& problem) {
  using Kind = SystemQuantity::Kind;
  for (const DesignVariable& variable : problem.design.variables) {
    const std::string key = path_of(variable) + ".quantity";
    const auto* element = std::get_if<ElementQuantity>(&variable.quantity);
    if (element && problem.sensitivity.path == SensitivityOptions::Path::augmented_sid) {
      throw problem.error("sensitivity.path",
                          "= \"augmented-sid\" has derivatives by densities alone; {} needs "
                          "\"pull-back\"",
                          key);
    }
    if (element && element->kind == ElementQuantity::Kind::mesh_surface &&
        std::ranges::count(problem.design.bodies, problem.bodies[element->body].name) > 0) {
      throw problem.error(
          key,
          "moves the surface of a body whose densities vary; optimize its densities first, then "
          "its surface by `kurbel optimize --shape`");
    }
    const auto* system = std::get_if<SystemQuantity>(&variable.quantity);
    if (system && system->kind == Kind::drive_value && has_rigid_target(problem)) {
      throw problem.error(key,
                          "drives the mechanism, but a criterion has target = \"rigid-twin\", whose motion "
                          "is that of the file");
    }
    const bool moves_markers = element
                                   ? element->kind == ElementQuantity::Kind::mesh_size
                                   : system->kind == Kind::marker || system->kind == Kind::ground_marker ||
                                         system->is<&JointSpec::length>();
    if (moves_markers && has_rigid_target(problem)) {
      throw problem.error(
          key,
          "moves markers, but a criterion has target = \"rigid-twin\", whose motion is that of the file");
    }
  }
  const bool has_mesh = !problem.design.bodies.empty() ||
                        std::any_of(problem.design.variables.begin(), problem.design.variables.end(),
                                    [](const DesignVariable& variable) {
                                      return std::holds_alternative<ElementQuantity>(variable.quantity);
                                    });
  if (problem.design.variables.empty() || has_mesh) return;
  for (const auto& [key, given] :
       {std::pair{"volume_fraction", problem.constraints.volume_fraction.has_value()},
        std::pair{"mass", problem.constraints.mass.has_value()}}) {
    if (!given) continue;
    throw problem.error(
        fmt::format("constraints.{}", key),
        "is that of designed bodies with a mesh, and there is none; for other bodies, bound a "
        "criterion of type \"mass\"");
  }
}

void check_symmetry(const Problem& problem) {
  for (const ProblemBody& body : problem.bodies) {
    if (body.flexible.symmetry.empty() || std::ranges::count(problem.design.bodies, body.name) > 0) continue;
    throw problem.error(fmt::format("bodies.{}.symmetry", body.name),
                        "needs densities that vary; add this body to design.bodies");
  }
}

}  // namespace

void check_design(const Problem& problem) {
  check_variables(problem);
  check_symmetry(problem);
  check_manufacturing(problem);
  for (std::size_t i = 0; i < problem.design.bodies.size(); ++i) check_design_body(problem, i);
  for (const std::string& name : problem.design.bodies) {
    if (!is_passive(problem.bodies[*problem.find_body(name)].flexible)) continue;
    throw problem.error(
        "bodies." + name + ".regions",
        "take in every element: nothing is left to design; design.bodies says which bodies are "
        "designed");
  }
}

}  // namespace kurbel
