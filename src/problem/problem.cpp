#include "problem/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/spelling.hpp"
#include "fem/mesh.hpp"
#include "problem/attachments.hpp"
#include "problem/checks.hpp"
#include "problem/damping.hpp"
#include "problem/key_groups.hpp"
#include "problem/readers.hpp"

namespace kurbel {

int ConstraintOptions::n_equalities() const {
  std::ptrdiff_t n = 0;
  for (const CriterionConstraint& c : criteria) n += c.equals.has_value();
  return static_cast<int>(n);
}

int ConstraintOptions::n_inequalities() const {
  std::ptrdiff_t n = volume_fraction.has_value() + mass.has_value();
  for (const CriterionConstraint& c : criteria) n += c.lower.has_value() + c.upper.has_value();
  return static_cast<int>(n);
}

std::vector<Stage> Problem::stages() const {
  Stage last;
  last.objective = objective, last.optimizer = optimizer;
  for (std::size_t i = 0; i < constraints.criteria.size(); ++i) last.constraints.push_back(i);
  std::vector<Stage> all = first_stages;
  all.push_back(std::move(last));
  return all;
}

ConstraintOptions Problem::constraints_of(const Stage& stage) const {
  ConstraintOptions own = constraints;
  own.criteria.clear();
  for (const std::size_t i : stage.constraints) own.criteria.push_back(constraints.criteria[i]);
  return own;
}

std::optional<std::size_t> Problem::find_body(const std::string& name) const {
  const auto it =
      std::find_if(bodies.begin(), bodies.end(), [&](const ProblemBody& b) { return b.name == name; });
  if (it == bodies.end()) return {};
  return static_cast<std::size_t>(it - bodies.begin());
}

std::string CriterionConstraint::time_history_name() const {
  const std::string own = row.empty() ? name : name + "." + row;
  return of_case.empty() ? own : of_case + "." + own;
}

std::string CriterionConstraint::label() const {
  return instant ? fmt::format("{}@{:g}", time_history_name(), *instant) : time_history_name();
}

Problem read_problem(const std::string& file, const std::vector<std::string>& overrides) {
  return read_problem(TomlDocument::read(file, overrides));
}

namespace {

/// Makes the mesh of every body, which checks, bodies and commands then share.
void make_meshes(Problem& problem) {
  check_size(problem);
  for (ProblemBody& body : problem.bodies) {
    if (body.type != ProblemBody::Type::flexible) continue;
    try {
      body.flexible.mesh.made = fem::make_mesh(body.flexible.mesh);
    } catch (const InputError& error) {
      throw problem.error(fmt::format("bodies.{}", body.name), ": {}", error.what());
    }
  }
}

void read_contents(const TomlTable& root, const Problem* same, Problem& problem) {
  refuse_keys_of_other_analyses(root, problem.analysis);
  read_points(root, problem.system);
  const std::set<std::string> with_attachment_modes =
      read_bodies(root, problem.document->directory, same, problem);
  read_beams(root, problem);
  read_mechanism(root, problem.system, problem.followed_joints);
  const std::vector<NamedSurfaceLoad> surface_loads = read_surface_loads(root, problem);
  read_options(root, problem.document->directory, problem);
  read_coordinates(root, problem);
  root.finish();

  make_meshes(problem);
  add_surface_loads(surface_loads, with_attachment_modes, problem);
  for (ProblemBody& body : problem.bodies) {
    if (with_attachment_modes.contains(body.name)) {
      body.flexible.attachments = attachments_of(body.flexible, problem.system);
    }
  }
  check_problem(problem);
}

/// Refuses misspelt tables of the file before others that need what was meant say that it is missing.
void refuse_misspelt_tables(const TomlDocument& document) {
  std::vector<std::string> known;
  for (const Key* key : keys_of(root_keys())) known.push_back(key->name);
  for (const TomlEntry& entry : *document.root.table()) {
    if (std::ranges::find(known, entry.key) != known.end()) continue;
    if (const auto nearest = nearest_spelling(entry.key, known)) {
      throw InputError(fmt::format("{}: unknown key {}; did you mean {}?", entry.value.place.text(),
                                   printable(entry.key), *nearest));
    }
  }
}

Formulation read_formulation(const TomlDocument& document) {
  refuse_misspelt_tables(document);
  const TomlTable root(document, root_keys());
  if (root.is_text("formulation") && root.text("formulation") == "absolute-coordinates")
    root.refuse(
        "formulation",
        "is now \"natural-coordinates\". Write [points.NAME] as [bodies.NAME] with type = \"point\", and "
        "[beams.NAME] with type = \"planar\"; CHANGELOG.md has the other keys");
  return root.choice_or("formulation", Formulation::floating_frame, keys::formulations);
}

/// Whether the normal modes of a flexible body change with the design.
bool is_basis_designed(const Problem& problem, std::size_t body) {
  const auto& designed = problem.design.bodies;
  if (std::find(designed.begin(), designed.end(), problem.bodies[body].name) != designed.end()) return true;
  return std::any_of(problem.design.variables.begin(), problem.design.variables.end(),
                     [&](const DesignVariable& variable) {
                       const auto* quantity = std::get_if<ElementQuantity>(&variable.quantity);
                       return quantity && quantity->body == body;
                     });
}

/// Elastic coordinates given as numbers belong to one basis: its modes, their signs and scale.
void refuse_coordinates_of_designed_bases(const Problem& problem) {
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    if (!is_basis_designed(problem, i)) continue;
    const InitialState& initial = problem.system.bodies[i].initial;
    for (const auto& [key, value] : {std::pair{"q", &initial.q}, std::pair{"q_dot", &initial.q_dot}}) {
      if (value->size() == 0) continue;
      throw problem.error(
          fmt::format("bodies.{}.initial.{}", problem.bodies[i].name, key),
          "gives coordinates in a basis that the design changes, so that psi would depend on "
          "signs and scales of the modes. State the deformation by initial.loads or initial.state, or remove "
          "{} from design.bodies",
          problem.bodies[i].name);
    }
  }
}

/// In one case at least something acts.
void require_load(const Problem& problem) {
  const auto is_loaded = [](const Problem& own) {
    return !own.system.loads.empty() || !own.system.gravity.isZero(0.0);
  };
  const bool any = problem.cases.empty() ? is_loaded(problem)
                                         : std::ranges::any_of(problem.cases, [&](const ProblemCase& own) {
                                             return is_loaded(*own.problem);
                                           });
  if (!any) throw problem.error("loads", "is missing; statics needs a load, [loads.NAME], or gravity");
}

}  // namespace

void check_problem(const Problem& problem) {
  check_size(problem);
  check_natural_coordinates(problem);
  check_beams(problem);
  check_mechanism(problem);
  check_analysis(problem);
  if (is_natural(problem.formulation)) check_planar_parts(problem);
  check_bodies(problem);
  check_criteria(problem);
  check_tables(problem);
  check_end_of_motion(problem);
  check_reachable(problem);
  check_damping_of_adjoint(problem);
  check_design(problem);
  check_geometric_stiffening(problem);
}

Problem read_case(TomlDocument document, const Problem* same) {
  Problem problem;
  problem.document = std::make_shared<const TomlDocument>(std::move(document));
  problem.formulation = read_formulation(*problem.document);
  problem.analysis =
      TomlTable(*problem.document, root_keys()).choice_or("analysis", Analysis::motion, keys::analyses);
  const TomlTable root(*problem.document, root_keys());
  for (const char* key : {"formulation", "analysis"}) root.has(key);
  problem.title = root.text_or("title", "");
  read_contents(root, same, problem);
  return problem;
}

Problem read_problem(TomlDocument document) {
  const TomlDocument shared = without_cases(document);
  Problem problem = read_case(shared);
  problem.document = std::make_shared<const TomlDocument>(std::move(document));
  read_cases(shared, problem);
  return problem;
}

void require_simulation_problem(const Problem& problem) {
  if (problem.analysis == Analysis::statics) require_load(problem);
  if (problem.analysis == Analysis::motion && problem.integrator.step == 0.0) {
    throw problem.error("integrator", "is missing; give a table with t1 and step");
  }
}

void require_gradient_problem(const Problem& problem) {
  require_simulation_problem(problem);
  if (problem.objective.empty()) throw problem.error("objective", "is missing; give a table with a type");
  if (problem.design.bodies.empty() && problem.design.variables.empty()) {
    throw problem.error(
        "design.bodies",
        "has nothing to design: no body is of type \"flexible\", and there are neither [variables] nor "
        "[controls]");
  }
  refuse_coordinates_of_designed_bases(problem);
  for (const ProblemCase& own : problem.cases) refuse_coordinates_of_designed_bases(*own.problem);
}

namespace {

/// Densities alone cannot exceed the volume of the bodies.
void check_volume_fraction(const Problem& problem) {
  const bool may_grow = std::ranges::any_of(problem.design.variables, [](const DesignVariable& variable) {
    using Kind = ElementQuantity::Kind;
    const auto* element = std::get_if<ElementQuantity>(&variable.quantity);
    return element && (element->kind == Kind::mesh_surface || element->kind == Kind::mesh_size ||
                       element->kind == Kind::thickness);
  });
  const std::optional<double> bound = problem.constraints.volume_fraction;
  if (bound && *bound > 1.0 && !may_grow)
    throw problem.error("constraints.volume_fraction", "= {} is outside (0, 1]", *bound);
}

}  // namespace

void require_optimization_problem(const Problem& problem) {
  require_gradient_problem(problem);
  check_strategy(problem);
  check_volume_fraction(problem);
  const std::string& method = problem.optimizer.method;
  const auto n_of_members =
      static_cast<int>(std::ranges::count_if(problem.bodies, [](const ProblemBody& body) {
        return body.flexible.manufacturing.maximum_member.has_value();
      }));
  const auto n_of_meshes =
      static_cast<int>(std::ranges::count_if(problem.design.variables, [](const DesignVariable& variable) {
        const auto* quantity = std::get_if<ElementQuantity>(&variable.quantity);
        return quantity && quantity->surface.distortion;
      }));
  for (const Stage& stage : problem.stages()) {
    const ConstraintOptions own = problem.constraints_of(stage);
    const int n_constraints = own.n_equalities() + own.n_inequalities() + n_of_members + n_of_meshes;
    if (const auto reason = why_unsuitable(method, n_constraints, own.n_equalities())) {
      throw problem.error("optimizer.method", "= \"{}\" does not fit {}: {}", method,
                          n_of_members > 0  ? "[constraints] with maximum_member"
                          : n_of_meshes > 0 ? "a bound on the distortion of a mesh"
                                            : "[constraints]",
                          *reason);
    }
  }
  if (method == "oc" && !problem.design.variables.empty()) {
    throw problem.error("optimizer.method",
                        "= \"oc\" does not fit [variables] and [controls]: it varies densities alone; "
                        "\"mma\" and \"ipopt\" can "
                        "vary both");
  }
  if (method == "oc" && !problem.constraints.criteria.empty()) {
    throw problem.error("optimizer.method",
                        "= \"oc\" does not fit [constraints]: it needs the volume or the mass as its only "
                        "constraint; \"mma\" and \"ipopt\" can treat criteria");
  }
}

}  // namespace kurbel
