#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/cost_report.hpp"
#include "app/mechanism_report.hpp"
#include "app/part_report.hpp"
#include "app/report.hpp"
#include "app/results.hpp"
#include "base/timer.hpp"
#include "fem/surface_morph.hpp"
#include "natural_coordinates/planar_places.hpp"
#include "parts/read_part.hpp"
#include "plausibility/implausible_values.hpp"
#include "plausibility/motion_findings.hpp"
#include "problem/checks.hpp"
#include "problem/criterion_text.hpp"
#include "problem/criterion_units.hpp"
#include "problem/formulation.hpp"
#include "study/study.hpp"

namespace kurbel {

namespace {

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
void report_freedom(const Problem& problem, const MotionTrial& trial, Report& report) {
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
  const std::ptrdiff_t rigid_freedom = rigid - locked - driven + redundant;
  report.say(
      "mechanism: {} rigid and {} elastic coordinates, {} locked, {} driven, {} redundant; degrees of "
      "freedom: {}{}",
      named("rigid_coordinates", rigid), named("elastic_coordinates", n_elastic), named("locked", locked),
      named("driven", driven), named("redundant", redundant),
      named("degrees_of_freedom", rigid_freedom + n_elastic),
      n_elastic > 0 && rigid_freedom > 0 ? fmt::format(", {} of them rigid", rigid_freedom) : "");
}

void report_start(const Problem& problem, const MotionTrial& trial, Report& report) {
  for (std::size_t i = 0; i < trial.coarse_elements.size(); ++i) {
    if (trial.coarse_elements[i] > 0)
      report.say("body {}: the following lines belong to a coarser mesh of {} elements",
                 problem.bodies[i].name, trial.coarse_elements[i]);
  }
  if (!trial.not_built.empty()) {
    report.say("the mechanism was not examined, because a large mesh cannot be replaced by a coarser one: {}",
               trial.not_built);
    return;
  }
  report_freedom(problem, trial, report);
  report["fault_of_constraints"] = trial.fault;
  report.lines(trial.start.redundant);
  if (trial.fault.empty() && !trial.status.failed() && trial.start.redundant.empty())
    report.line("no constraint is redundant at the start");
  report.lines(trial.start.corrections);
}

/// Elements that no region takes out of the design.
std::ptrdiff_t n_densities(const fem::FlexibleBodySpec& spec) {
  const auto mesh = fem::make_mesh(spec.mesh);
  std::vector<bool> varies(static_cast<std::size_t>(mesh->n_elements()), true);
  for (const fem::Region& region : spec.regions) {
    for (const int e : mesh->elements_in(region.place)) varies[static_cast<std::size_t>(e)] = false;
  }
  return std::ranges::count(varies, true);
}

std::ptrdiff_t n_numbers(const DesignVariable& variable, const Problem& problem) {
  const auto* quantity = std::get_if<ElementQuantity>(&variable.quantity);
  if (!quantity || !quantity->each_element) return 1;
  if (quantity->kind == ElementQuantity::Kind::mesh_surface) {
    fem::FlexibleBodySpec spec = problem.bodies[quantity->body].flexible;
    spec.surface = quantity->surface;
    return fem::SurfaceMorph(spec, fem::make_mesh(spec.mesh)).size();
  }
  return std::ssize(
      fem::make_mesh(problem.bodies[quantity->body].flexible.mesh)->elements_in(quantity->elements));
}

void report_variables(const Problem& problem, Report& report) {
  std::ptrdiff_t total = 0;
  const auto add = [&](const std::string& name, std::ptrdiff_t n, const char* of, const char* what,
                       const std::string& bounds = "") {
    report.part("variables").say("varies: {}{}, {}{}", of, name, Counted{name.c_str(), n, what}, bounds);
    total += n;
  };
  for (const std::string& name : problem.design.bodies)
    add(name, n_densities(problem.bodies[problem.find_body(name).value()].flexible), "the densities of ",
        "number");
  for (const ControlCurve& control : problem.controls)
    add(control.name, std::ssize(control.start), "the control ", "node");
  for (const DesignVariable& variable : problem.design.variables) {
    if (is_control_node(variable)) continue;
    add(variable.name, n_numbers(variable, problem), "", "number",
        fmt::format(" in [{:g}, {:g}]", variable.lower, variable.upper));
  }
  report.say("{} in all", Counted{"n_variables", total, "variable"});
}

std::string bounds_of(const CriterionConstraint& c, const std::string& unit) {
  const std::string in = unit.empty() ? "" : " " + unit;
  if (c.equals) return fmt::format(" = {:g}{}", *c.equals, in);
  return fmt::format("{}{}", c.lower ? fmt::format(" >= {:g}{}", *c.lower, in) : "",
                     c.upper ? fmt::format(" <= {:g}{}", *c.upper, in) : "");
}

/// A criterion, behind what it is.
void report_sum(const std::string& what, const Problem& problem, const std::vector<CriterionTerm>& terms,
                Report& report) {
  const std::vector<std::string> lines = lines_of(problem, terms);
  report.line(what + lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) report.line("  " + lines[i]);
}

void report_functions(const Problem& problem, Report& report) {
  report["objective_terms"] = problem.objective.size();
  if (problem.objective.empty()) {
    report.line("no objective");
  } else {
    report_sum("objective: ", problem, problem.objective, report);
    if (!problem.cases.empty()) report.line("  of which psi is " + text_of_cases(problem));
  }
  for (const std::string& warning : warnings_of_signed_targets(problem)) report.line("warning: " + warning);
  report["constraints"] = nlohmann::json::object();
  const auto add = [&](const std::string& name, const std::string& bounds, std::ptrdiff_t instants) {
    report["constraints"][name] = instants;
    report.say("constraint {}{}{}", name, bounds,
               instants > 1 ? fmt::format(" at {} instants", instants) : "");
  };
  const ConstraintOptions& all = problem.constraints;
  if (all.volume_fraction) add("volume_fraction", fmt::format(" <= {:g}", *all.volume_fraction), 1);
  if (all.mass) add("mass", fmt::format(" <= {:g} kg", *all.mass), 1);
  for (const ProblemBody& body : problem.bodies) {
    if (const auto& width = body.flexible.manufacturing.maximum_member)
      add(name_of_member_bound(body),
          fmt::format(" <= {:g}: members at most {:g} m wide", fem::LargestMembers::most_excess, *width), 1);
  }
  for (std::size_t i = 0, end = 0; i < all.criteria.size(); i = end) {
    const std::string name = all.criteria[i].time_history_name();
    while (end < all.criteria.size() && all.criteria[end].time_history_name() == name) ++end;
    add(name, bounds_of(all.criteria[i], unit_of(problem, all.criteria[i].terms)),
        static_cast<std::ptrdiff_t>(end - i));
    report_sum("  ", problem, all.criteria[i].terms, report);
  }
  for (const Stage& stage : problem.first_stages)
    report_sum(fmt::format("first the stage {}: ", stage.name), problem, stage.objective, report);
  report.say("optimizer {}, at most {}", problem.optimizer.method,
             Counted{"", problem.optimizer.max_iterations, "iteration"});
}

/// The commands that the file is complete for; of the others, what it lacks.
void report_commands(const Problem& problem, Report& report) {
  nlohmann::json& fits = report["complete_for"] = nlohmann::json::array();
  for (const auto& [command, require] :
       {std::pair{"simulate", &require_simulation_problem}, std::pair{"gradient", &require_gradient_problem},
        std::pair{"optimize", &require_optimization_problem}}) {
    try {
      require(problem);
      fits.push_back(command);
    } catch (const InputError& error) {
      report.say("not for `kurbel {}`: {}", command, error.what());
    }
  }
}

/// Reports the trial of a mechanism, that of a case or the only one.
MotionTrial report_motion(const Problem& problem, Report& report) {
  MotionTrial trial = try_motion(problem);
  report_start(problem, trial, report);
  report.lines(frequencies_of(problem, trial.deforming));
  for (const BodyTrial& body : trial.deforming)
    report["frequencies"][problem.bodies[body.body].name] = {
        {"first", body.first_frequency}, {"last", body.last_frequency}, {"deflection", body.deflection}};
  report_cost(problem, trial, report);
  return trial;
}

/// Answers a question without time at the start of the design, once, with gradients if there is an objective.
/// @param loading   seconds to load the program and to read the input
/// @param warnings  about the answer
Status report_answer(const Problem& problem, double loading, std::vector<std::string>& warnings,
                     Report& report) {
  try {
    require_simulation_problem(problem);
  } catch (const InputError&) {
    return {};  // report_commands() has told
  }
  const WorkTimer of_start;
  Study study(problem, Study::Variables::to_evaluate);
  RunTimes times;
  times.start = loading + of_start.seconds();
  ChainResult result;
  const WorkTimer of_answer;
  if (Status s = study.simulate(study.space().start(), result); s.failed()) return s;
  times.evaluation.simulation = of_answer.seconds();
  report.lines(summary_of(result).lines);
  if (result.answer) warnings = implausible_displacements(problem, *result.answer);
  for (std::string& of_bound : implausible_bounds_at_rest(problem, result.criteria))
    warnings.push_back(std::move(of_bound));
  report.say("one evaluation takes {:.3g} s", named("seconds", times.evaluation.simulation));
  std::vector<Design> bars;
  if (problem.objective.empty() || study.space().start().size() == 0) return {};
  if (Status s = time_files(study, result, times); s.failed()) return s;
  const WorkTimer of_gradients;
  if (Status s = study.chain().gradients(result, bars); s.failed()) return s;
  times.evaluation.adjoint = of_gradients.seconds();
  report.say("gradients of {} functions take {:.3g} s", named("functions", bars.size()),
             named("gradient_seconds", times.evaluation.adjoint));
  Report estimate = report.part("estimate");
  report_optimization(problem, times, estimate);
  return {};
}

/// Reports warnings of the input, of the motions and of the answer to a question without time, each once.
void report_warnings(const Problem& problem, const std::vector<MotionTrial>& trials,
                     const std::vector<std::string>& of_answer, Report& report) {
  std::vector<std::string> told;
  const auto warn = [&](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      if (std::ranges::find(told, text) != told.end()) continue;
      told.push_back(text);
      report.line("warning: " + text);
    }
  };
  warn(implausible_values(problem));
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const Problem& own = problem.cases.empty() ? problem : *problem.cases[i].problem;
    warn(trials[i].start.lost);
    warn(implausible_motion_of(own, trials[i].deforming, trials[i].criteria));
  }
  warn(of_answer);
  report["warnings"] = told;
}

}  // namespace

int run_check(const CommandLine& args) {
  Report report = console_report(args);
  if (is_part(args.file)) {
    report_part_file(args.file, args.output, report);
    write_json(args, report);
    return 0;
  }
  const Problem problem = read_problem(read_document(args));
  const double loading = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;  // since the program's start
  require_json_is_no_input(args, input_files(args, problem));
  report["title"] = problem.title;
  report.line(problem.title.empty() ? args.file : problem.title);
  const bool is_motion = problem.analysis == Analysis::motion;
  report["analysis"] = word_of(problem.analysis);
  if (!is_motion) report.line(fmt::format("analysis {}", word_of(problem.analysis)));
  if (is_of_mechanism(problem.analysis))
    report.say("formulation {}", named("formulation", word_of(problem.formulation)));
  report_mechanism(problem, report);
  for (const auto& tell : {&report_variables, &report_functions, &report_commands}) tell(problem, report);
  for (const ProblemBody& body : problem.bodies) {
    if (args.output.empty() || body.type != ProblemBody::Type::flexible) continue;
    write_surfaces(*fem::make_mesh(body.flexible.mesh), args.output, body.name + "_surfaces", report);
  }
  if (!is_motion) {
    std::vector<std::string> of_answer;
    const Status status = report_answer(problem, loading, of_answer, report);
    report_warnings(problem, {}, of_answer, report);
    write_json(args, report);
    return status.failed() ? fail(status.failure()) : 0;
  }
  std::vector<MotionTrial> trials;
  if (problem.cases.empty()) trials.push_back(report_motion(problem, report));
  for (const ProblemCase& own : problem.cases) {
    report.line("case " + own.name);
    Report of_case = report.part("cases", own.name);
    trials.push_back(report_motion(*own.problem, of_case));
  }
  report_times(problem, trials, loading, report);
  report_warnings(problem, trials, {}, report);
  write_json(args, report);
  for (const MotionTrial& trial : trials) {
    if (!trial.fault.empty()) throw InputError(trial.fault);
    if (trial.status.failed()) return fail(trial.status.failure());
  }
  return 0;
}

}  // namespace kurbel
