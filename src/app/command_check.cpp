#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/cost_report.hpp"
#include "app/motion_findings.hpp"
#include "fem/frame.hpp"
#include "fem/spec_check.hpp"
#include "mechanism/joint_damper.hpp"
#include "natural_coordinates/planar_places.hpp"
#include "output/console.hpp"
#include "problem/checks.hpp"
#include "problem/criterion_text.hpp"
#include "problem/criterion_units.hpp"
#include "problem/implausible_values.hpp"
#include "problem/keys.hpp"

namespace kurbel {

namespace {

using Json = nlohmann::json;

void say(const std::string& line) {
  Console::standard().print(line);
}

std::string plural(std::ptrdiff_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

void report_flexible_body(const fem::FlexibleBodySpec& spec, Json& numbers) {
  const auto made = fem::make_mesh(spec.mesh);
  const fem::Mesh& mesh = *made;
  const auto n_free = mesh.n_nodes() - std::ssize(fem::clamped_nodes(spec, mesh));
  numbers["elements"] = mesh.n_elements();
  numbers["nodes"] = mesh.n_nodes();
  numbers["degrees_of_freedom"] = n_free * mesh.dim();
  say(fmt::format("body {}: flexible, {} elements, {} nodes, {} degrees of freedom, {}", spec.name,
                  mesh.n_elements(), mesh.n_nodes(), n_free * mesh.dim(), fem::describe_frame(spec.frame)));
}

void report_bodies(const Problem& problem, Json& numbers) {
  using Type = ProblemBody::Type;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    Json& own = numbers["bodies"][body.name];
    if (body.type == Type::flexible) {
      own["type"] = "flexible";
      report_flexible_body(body.flexible, own);
      continue;
    }
    const Sid& sid = problem.system.bodies[i].sid;
    own["type"] = body.type == Type::rigid ? "rigid" : "sid";
    own["mass"] = sid.refmod.mass;
    say(fmt::format("body {}: {}, {:.6g} kg{}", body.name, own["type"].get<std::string>(), sid.refmod.mass,
                    sid.n_q() > 0 ? ", " + plural(sid.n_q(), "elastic coordinate") : ""));
  }
}

void report_planar_parts(const Problem& problem, Json& numbers) {
  const SystemSpec& system = problem.system;
  for (const PlanarBeamSpec& beam : system.planar_beams) {
    numbers["bodies"][beam.name] = {{"type", "beam"}, {"elements", beam.n_elements}};
    say(fmt::format("beam {}: {}", beam.name,
                    plural(static_cast<std::ptrdiff_t>(beam.n_elements), "element")));
  }
  for (const PointMassSpec& point : system.point_masses) {
    numbers["bodies"][point.name] = {{"type", "point"}};
    say(fmt::format("point {}: free in {}", point.name,
                    plural(std::ranges::count(point.free, true), "direction")));
  }
  for (const AttachedMassSpec& mass : system.attached_masses)
    say(fmt::format("mass {}: {:g} kg at {}", mass.name, mass.mass, text_of(mass.marker)));
}

std::string dofs_of(const std::array<bool, 6>& which) {
  std::string names;
  for (std::size_t d = 0; d < which.size(); ++d) {
    if (which[d]) names += fmt::format("{}{}", names.empty() ? "" : " ", relative_dof_names[d]);
  }
  return names;
}

void report_joints(const Problem& problem, Json& numbers) {
  for (const JointSpec& joint : problem.system.joints) {
    std::array<bool, 6> driven{};
    for (const DriveSpec& drive : joint.drives) driven[static_cast<std::size_t>(drive.dof)] = true;
    const std::string drives = dofs_of(driven), locks = joint.length ? "distance" : dofs_of(joint.locked);
    const TorsionSpringSpec* damper = find_damper(joint, problem.system);
    numbers["joints"][joint.name] = {{"locks", locks}, {"drives", drives}};
    if (joint.length) numbers["joints"][joint.name]["length"] = *joint.length;
    if (damper) numbers["joints"][joint.name]["damping"] = damper->damping;
    say(fmt::format("joint {}: {} - {}{}{}{}", joint.name, text_of(joint.from), text_of(joint.to),
                    locks.empty() ? "" : ", locks " + locks, drives.empty() ? "" : ", drives " + drives,
                    damper ? fmt::format(", damping {:g} N m s/rad", damper->damping) : ""));
  }
}

void report_beams(const Problem& problem, Json& numbers) {
  for (const BeamSpec& beam : problem.system.beams) {
    numbers["bodies"][beam.name] = {{"type", "beam"}, {"elements", beam.n_elements}};
    say(fmt::format("beam {}: {}, {}", beam.name, beam.kind == BeamSpec::Kind::cable ? "cable" : "spatial",
                    plural(beam.n_elements, "element")));
  }
}

void report_forces(const Problem& problem, Json& numbers) {
  const auto report = [&](const auto& spring, const char* what, const char* table) {
    numbers[table][spring.name] = {{"from", text_of(spring.from)}, {"to", text_of(spring.to)}};
    say(fmt::format("{} {}: {} - {}", what, spring.name, text_of(spring.from), text_of(spring.to)));
  };
  for (const SpringSpec& spring : problem.system.springs) report(spring, "spring", "springs");
  for (const TorsionSpringSpec& spring : problem.system.torsion_springs) {
    if (!is_joint_damper(spring)) report(spring, "torsion spring", "torsion_springs");  // else told with it
  }
  for (const MarkerLoadSpec& load : problem.system.loads) {
    if (!load.controls.empty()) continue;  // told with what varies
    numbers["loads"][load.name] = text_of(load.marker);
    say(fmt::format("load {}: on {}", load.name, text_of(load.marker)));
  }
}

void report_tyres(const Problem& problem, Json& numbers) {
  for (const TyreSpec& tyre : problem.system.tyres) {
    numbers["tyres"][tyre.name] = {{"wheel", text_of(tyre.wheel)}, {"carrier", tyre.carrier}};
    say(fmt::format("tyre {}: {} on {}", tyre.name, text_of(tyre.wheel), tyre.carrier));
  }
}

bool is_cable(const MarkerRef& marker, const SystemSpec& spec) {
  return std::ranges::any_of(spec.beams, [&](const BeamSpec& beam) {
    return beam.name == marker.body && beam.kind == BeamSpec::Kind::cable;
  });
}

/// How many degrees of freedom a joint locks. A cable does not turn about itself, so that one fewer counts there,
/// and two fewer in a weld of two of them at an angle. Planar beams share a place in the plane, or a section as well.
std::ptrdiff_t n_locked(const JointSpec& joint, const SystemSpec& spec) {
  if (is_of_planar_beam(spec, joint)) return is_hinge(joint) ? 2 : 4;
  const std::ptrdiff_t all = std::ranges::count(joint.locked, true) + joint.length.has_value();
  if (all <= 3) return all;
  return all - is_cable(joint.from, spec) - is_cable(joint.to, spec);
}

/// Coordinates less constraints, of rigid bodies and of what bends.
void report_freedom(const Problem& problem, const MotionTrial& trial, Json& numbers) {
  Eigen::Index n_elastic = 0;
  for (const Eigen::Index n : trial.n_elastic) n_elastic += n;
  for (const BeamSpec& beam : problem.system.beams) n_elastic += 6 * (beam.n_elements + 1);
  for (const PlanarBeamSpec& beam : problem.system.planar_beams)
    n_elastic += 6 * (static_cast<Eigen::Index>(beam.n_elements) + 1);
  std::ptrdiff_t locked = 0, driven = 0;
  for (const JointSpec& joint : problem.system.joints) {
    locked += n_locked(joint, problem.system);
    driven += std::ssize(joint.drives);
  }
  std::ptrdiff_t rigid = 6 * std::ssize(problem.bodies);
  for (const PointMassSpec& point : problem.system.point_masses)
    rigid += std::ranges::count(point.free, true);
  const auto redundant = static_cast<std::ptrdiff_t>(trial.start.n_redundant);
  const std::ptrdiff_t left = rigid + n_elastic - locked - driven + redundant;
  numbers["rigid_coordinates"] = rigid;
  numbers["elastic_coordinates"] = n_elastic;
  numbers["locked"] = locked;
  numbers["driven"] = driven;
  numbers["redundant"] = redundant;
  numbers["degrees_of_freedom"] = left;
  say(
      fmt::format("mechanism: {} rigid and {} elastic coordinates, {} locked, {} driven, {} redundant; "
                  "degrees of freedom: {}",
                  rigid, n_elastic, locked, driven, redundant, left));
}

void report_start(const Problem& problem, const MotionTrial& trial, Json& numbers) {
  for (std::size_t i = 0; i < trial.coarse_elements.size(); ++i) {
    if (trial.coarse_elements[i] > 0)
      say(fmt::format("body {}: what follows was found with {} elements in its place", problem.bodies[i].name,
                      trial.coarse_elements[i]));
  }
  if (!trial.not_built.empty()) {
    say("the mechanism was not built: its large meshes have no coarser ones in their place: " +
        trial.not_built);
    return;
  }
  report_freedom(problem, trial, numbers);
  numbers["fault_of_constraints"] = trial.fault;
  for (const std::string& line : trial.start.redundant) say(line);
  if (trial.fault.empty() && !trial.status.failed() && trial.start.redundant.empty())
    say("no constraint is redundant at the start");
  for (const std::string& correction : trial.start.corrections) say(correction);
}

/// Elements that no region takes out of the design.
std::ptrdiff_t n_densities(const fem::FlexibleBodySpec& spec) {
  const auto mesh = fem::make_mesh(spec.mesh);
  std::vector<bool> varies(static_cast<std::size_t>(mesh->n_elements()), true);
  for (const fem::Region& region : spec.regions) {
    for (const int e : mesh->elements_in(region.box)) varies[static_cast<std::size_t>(e)] = false;
  }
  return std::ranges::count(varies, true);
}

std::ptrdiff_t n_numbers(const DesignVariable& variable, const Problem& problem) {
  const auto* quantity = std::get_if<ElementQuantity>(&variable.quantity);
  if (!quantity || !quantity->each_element) return 1;
  return std::ssize(
      fem::make_mesh(problem.bodies[quantity->body].flexible.mesh)->elements_in(quantity->elements));
}

void report_variables(const Problem& problem, Json& numbers) {
  std::ptrdiff_t total = 0;
  const auto add = [&](const std::string& name, std::ptrdiff_t n) {
    numbers["variables"][name] = n;
    total += n;
    return n;
  };
  for (const std::string& name : problem.design.bodies) {
    const auto n = add(name, n_densities(problem.bodies[problem.find_body(name).value()].flexible));
    say(fmt::format("varies: the densities of {}, {}", name, plural(n, "number")));
  }
  for (const ControlCurve& control : problem.controls) {
    const auto n = add(control.name, std::ssize(control.start));
    say(fmt::format("varies: the control {}, {}", control.name, plural(n, "node")));
  }
  for (const DesignVariable& variable : problem.design.variables) {
    if (is_control_node(variable)) continue;
    const auto n = add(variable.name, n_numbers(variable, problem));
    say(fmt::format("varies: {}, {} in [{:g}, {:g}]", variable.name, plural(n, "number"), variable.lower,
                    variable.upper));
  }
  numbers["n_variables"] = total;
  say(fmt::format("{} in all", plural(total, "variable")));
}

std::string bounds_of(const CriterionConstraint& c, const std::string& unit) {
  const std::string in = unit.empty() ? "" : " " + unit;
  if (c.equals) return fmt::format(" = {:g}{}", *c.equals, in);
  return fmt::format("{}{}", c.lower ? fmt::format(" >= {:g}{}", *c.lower, in) : "",
                     c.upper ? fmt::format(" <= {:g}{}", *c.upper, in) : "");
}

/// A criterion, behind what it is.
void say_sum(const std::string& what, const Problem& problem, const std::vector<CriterionTerm>& terms) {
  const std::vector<std::string> lines = lines_of(problem, terms);
  say(what + lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) say("  " + lines[i]);
}

void report_functions(const Problem& problem, Json& numbers) {
  numbers["objective_terms"] = problem.objective.size();
  if (problem.objective.empty()) {
    say("no objective");
  } else {
    say_sum("objective: ", problem, problem.objective);
    if (!problem.cases.empty()) say("  of which psi is " + text_of_cases(problem));
  }
  for (const std::string& warning : warnings_of_signed_targets(problem)) say("warning: " + warning);
  Json& names = numbers["constraints"] = Json::object();
  const auto add = [&](const std::string& name, const std::string& bounds, std::ptrdiff_t instants) {
    names[name] = instants;
    say(fmt::format("constraint {}{}{}", name, bounds,
                    instants > 1 ? fmt::format(" at {} instants", instants) : ""));
  };
  const ConstraintOptions& all = problem.constraints;
  if (all.volume_fraction) add("volume_fraction", fmt::format(" <= {:g}", *all.volume_fraction), 1);
  if (all.mass) add("mass", fmt::format(" <= {:g} kg", *all.mass), 1);
  for (std::size_t i = 0, end = 0; i < all.criteria.size(); i = end) {
    const std::string name = all.criteria[i].time_history_name();
    while (end < all.criteria.size() && all.criteria[end].time_history_name() == name) ++end;
    add(name, bounds_of(all.criteria[i], unit_of(problem, all.criteria[i].terms)),
        static_cast<std::ptrdiff_t>(end - i));
    say_sum("  ", problem, all.criteria[i].terms);
  }
  for (const Stage& stage : problem.first_stages)
    say_sum(fmt::format("first the stage {}: ", stage.name), problem, stage.objective);
  say(fmt::format("optimizer {}, at most {}", problem.optimizer.method,
                  plural(problem.optimizer.max_iterations, "iteration")));
}

/// The commands that the file is complete for; of the others, what it lacks.
void report_commands(const Problem& problem, Json& numbers) {
  Json& fits = numbers["complete_for"] = Json::array();
  for (const auto& [command, require] :
       {std::pair{"simulate", &require_simulation_problem}, std::pair{"gradient", &require_gradient_problem},
        std::pair{"optimize", &require_optimization_problem}}) {
    try {
      require(problem);
      fits.push_back(command);
    } catch (const InputError& error) {
      say(fmt::format("not for `kurbel {}`: {}", command, error.what()));
    }
  }
}

/// What is found of a mechanism, that of a case or the only one.
MotionTrial report_motion(const Problem& problem, Json& numbers) {
  MotionTrial trial = try_motion(problem);
  report_start(problem, trial, numbers);
  for (const std::string& line : frequencies_of(problem, trial)) say(line);
  for (const BodyTrial& body : trial.deforming) {
    Json& own = numbers["frequencies"][problem.bodies[body.body].name];
    own = {{"first", body.first_frequency}, {"last", body.last_frequency}, {"deflection", body.deflection}};
  }
  report_cost(problem, trial, numbers);
  return trial;
}

/// Of the input and of the motions, each once.
void report_warnings(const Problem& problem, const std::vector<MotionTrial>& trials, Json& numbers) {
  std::vector<std::string> told;
  const auto warn = [&](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      if (std::ranges::find(told, text) != told.end()) continue;
      told.push_back(text);
      say("warning: " + text);
    }
  };
  for (const ProblemBody& body : problem.bodies) {
    if (body.type != ProblemBody::Type::flexible) continue;
    for (const std::string& overlap :
         fem::overlapping_regions(body.flexible, *fem::make_mesh(body.flexible.mesh)))
      warn({fmt::format("body {}: {}", body.name, overlap)});
  }
  warn(implausible_values(problem));
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Problem& own = problem.cases.empty() ? problem : *problem.cases[i].problem;
    warn(trials[i].start.lost);
    warn(implausible_values(own));
    warn(implausible_motion_of(own, trials[i]));
  }
  numbers["warnings"] = told;
}

}  // namespace

int run_check(const CommandLine& args) {
  const Problem problem = read_problem(read_document(args));
  require_json_is_no_input(args, input_files(args, problem));
  Json numbers = {{"title", problem.title}, {"formulation", word_of(problem.formulation)}};
  say(problem.title.empty() ? args.file : problem.title);
  say(fmt::format("formulation {}", word_of(problem.formulation)));
  report_bodies(problem, numbers);
  report_beams(problem, numbers);
  report_joints(problem, numbers);
  report_forces(problem, numbers);
  report_tyres(problem, numbers);
  report_planar_parts(problem, numbers);
  report_variables(problem, numbers);
  report_functions(problem, numbers);
  report_commands(problem, numbers);
  std::vector<MotionTrial> trials;
  if (problem.cases.empty()) trials.push_back(report_motion(problem, numbers));
  for (const ProblemCase& own : problem.cases) {
    say("case " + own.name);
    trials.push_back(report_motion(*own.problem, numbers["cases"][own.name]));
  }
  report_times(problem, trials, numbers);
  report_warnings(problem, trials, numbers);
  write_json(args, numbers);
  for (const MotionTrial& trial : trials) {
    if (!trial.fault.empty()) throw InputError(trial.fault);
    if (trial.status.failed()) return fail(trial.status.failure());
  }
  return 0;
}

}  // namespace kurbel
