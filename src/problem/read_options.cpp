#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/spelling.hpp"
#include "mechanism/composed_function.hpp"
#include "mechanism/motion_end.hpp"
#include "problem/criteria_reader.hpp"
#include "problem/key_groups.hpp"
#include "problem/named_parts.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace {

SensitivityOptions read_sensitivity(const TomlTable& table) {
  const SensitivityOptions options = keys::sensitivity().read(table);
  if (options.substeps > 1 && options.method != SensitivityOptions::Method::continuous_adjoint) {
    table.refuse("substeps",
                 "needs sensitivity.method = \"continuous-adjoint\"; other methods use the "
                 "integrator's steps");
  }
  return options;
}

/// Every node of a control is a variable.
void add_control_variables(const Problem& problem, std::vector<DesignVariable>& variables) {
  for (std::size_t i = 0; i < problem.controls.size(); ++i) {
    const ControlCurve& curve = problem.controls[i];
    const std::vector<std::string> names =
        curve.node_names(problem.integrator, std::ranges::any_of(variables, is_end_of_motion));
    for (std::size_t j = 0; j < curve.start.size(); ++j) {
      SystemQuantity node = SystemQuantity::of<&ControlSpec::nodes>(i);
      node.component = static_cast<int>(j);
      variables.push_back({names[j], node, curve.start[j], curve.lower, curve.upper});
      variables.back().unit = curve.unit();
    }
  }
}

std::filesystem::path read_start_variables(const TomlTable& design, const DesignOptions& options,
                                           const std::filesystem::path& directory) {
  if (!design.has("start_variables")) return {};
  if (options.variables.empty()) design.refuse("start_variables", "needs [variables] or [controls]");
  return directory / design.text("start_variables");
}

std::vector<JointEnd> read_initial_guess(const TomlTable& table, const Problem& problem) {
  if (problem.controls.empty()) table.fail("", "needs [controls], which it gives their first values");
  const SystemSpec& system = problem.system;
  if (!has_bodies_alone(system))
    table.fail("", "is for mechanisms of bodies; beams bend, and points are free");
  table.choice<int>("type", {{"point-to-point", 0}});
  std::vector<JointEnd> ends;
  for (const TomlTable& joint : table.table("joints").children()) {
    const JointSpec* found = find_named(system.joints, joint.name());
    if (!found)
      table.table("joints").fail(joint.name(),
                                 "is no joint" + spelling_advice(joint.name(), names_of(system.joints), ""));
    const auto dof = moving_dof(*found);
    if (!dof)
      table.table("joints").fail(joint.name(),
                                 "is a joint that neither turns about its z axis alone nor slides along it");
    ends.push_back({joint.name(), joint.in_unit(*dof == RelativeDof::rz ? "rad" : "m").number("end")});
  }
  return ends;
}

DesignOptions read_design(const TomlTable& table, const TomlTable& variables,
                          const std::filesystem::path& directory, const Problem& problem) {
  DesignOptions options;
  options.variables = read_design_variables(variables, problem);
  add_control_variables(problem, options.variables);
  options.variables_file = read_start_variables(table, options, directory);
  if (table.has("initial_guess")) {
    std::vector<JointEnd> ends = read_initial_guess(table.table("initial_guess"), problem);
    if (options.variables_file.empty()) options.joint_ends = std::move(ends);
  }
  if (table.has("bodies")) {
    options.bodies = table.texts("bodies");
    if (options.bodies.empty() && options.variables.empty())
      table.refuse("bodies", "names no body: there would be nothing to design");
  } else if (options.variables.empty()) {
    for (const ProblemBody& body : problem.bodies) {
      if (body.type == ProblemBody::Type::flexible) options.bodies.push_back(body.name);
    }
  }
  if (table.is_text("start")) {
    options.start_file = directory / table.text("start");
  } else {
    const double absent = std::min(1.0, problem.constraints.volume_fraction.value_or(options.start));
    options.start = table.number_or("start", absent);
    options.start_meets_bounds = !table.has("start");
  }
  return options;
}

FilterOptions read_filter(const TomlTable& table) {
  const FilterOptions options = keys::filter().read(table);
  if (options.type != FilterOptions::Type::none) table.number("radius");
  return options;
}

void check_robust(const TomlTable& table, const ProjectionOptions& options, const Problem& problem) {
  if (problem.design.bodies.empty())
    table.refuse("robust", "is of densities that vary; design.bodies has none");
  if (options.type == ProjectionOptions::Type::none || problem.filter.type != FilterOptions::Type::density)
    table.refuse("robust", "needs filter.type = \"density\" and type = \"heaviside\"");
  if (options.eta - options.robust <= 0.0 || options.eta + options.robust >= 1.0)
    table.refuse("robust", "leads to thresholds outside (0, 1), because eta = {:g}", options.eta);
}

/// Filtered densities are sharpened, unless the file says otherwise.
ProjectionOptions read_projection(const TomlTable& table, const Problem& problem) {
  ProjectionOptions options;
  if (problem.filter.type == FilterOptions::Type::density && !problem.design.bodies.empty())
    options.type = ProjectionOptions::Type::heaviside;
  keys::projection().read(table, options);
  if (options.beta_max < options.beta_start) {
    table.refuse(table.has("beta_max") ? "beta_max" : "beta_start",
                 "lets beta start at {} above its largest value {}", options.beta_start, options.beta_max);
  }
  if (options.robust > 0.0) check_robust(table, options, problem);
  return options;
}

/// @throws InputError if it is chosen for coordinates without recursion
ReferencePoint read_recursion(const TomlTable& table, Formulation formulation) {
  const auto point = table.choice_or("recursion", ReferencePoint::common, keys::recursions);
  if (table.has("recursion") && !has_joint_coordinates(formulation))
    table.refuse("recursion", "needs formulation = \"semi-recursive\" or \"joint-hamiltonian\"");
  return point;
}

/// The method that was read, or without one that of the formulation.
/// @throws InputError if the formulation does not take it
IntegratorMethod method_of(const TomlTable& table, IntegratorMethod read, Formulation formulation) {
  using enum IntegratorMethod;
  const bool natural = is_natural(formulation), momenta = has_momenta(formulation);
  if (!table.has("method")) return traits_of(formulation).usual_method;
  const auto refuse_if = [&](bool unsuitable, const char* why) {
    if (unsuitable) table.refuse("method", why);
  };
  refuse_if(natural && read == dormand_prince,
            "does not go with natural coordinates; take \"variational-midpoint\", "
            "\"generalized-alpha\" or \"trapezoidal\"");
  refuse_if(!natural && read == variational_midpoint,
            "needs formulation = \"natural-coordinates\", whose mass matrix does not change; beams beside "
            "flexible bodies take \"generalized-alpha\"");
  refuse_if(!natural && traits_of(read).is_of_first_order && !takes_momenta(read),
            "needs formulation = \"natural-coordinates\" and a mechanism of points and planar beams");
  refuse_if(momenta && !takes_momenta(read),
            "does not go with momenta; take \"runge-kutta-4\" or \"dormand-prince\"");
  return read;
}

/// Finite differences take one simulation or two for each number, and have no place where elements vary.
void check_differences(const TomlTable& table, const Problem& problem) {
  if (problem.sensitivity.method != SensitivityOptions::Method::finite_differences) return;
  const auto of_elements = [](const DesignVariable& v) {
    return std::holds_alternative<ElementQuantity>(v.quantity);
  };
  if (problem.design.bodies.empty() && std::ranges::none_of(problem.design.variables, of_elements)) return;
  table.refuse("method",
               "varies one number after the other: it is not for problems in which elements are designed");
}

/// Steps that pass instants of the output are not those of a discrete adjoint; the continuous one does without.
void allow_dense_output(const TomlTable& table, Problem& problem) {
  using Method = SensitivityOptions::Method;
  Method& method = problem.sensitivity.method;
  if (!table.has("method")) method = Method::continuous_adjoint;
  if (method == Method::continuous_adjoint || method == Method::finite_differences) return;
  table.refuse("method",
               "needs steps from instant to instant, which integrator.dense_output = true does not have; use "
               "\"continuous-adjoint\" or \"finite-differences\"");
}

void check_time_steps(const TomlTable& table, const IntegratorOptions& options) {
  if (options.t1 <= options.t0) table.refuse("t1", "must be later than t0 = {}", options.t0);
  const double steps = (options.t1 - options.t0) / options.step;
  if (steps > 1e9) table.refuse("step", "makes {:.3g} steps, too many", steps);
  if (std::round(steps) < 1.0 || std::abs(steps - std::round(steps)) > 1e-6) {
    table.refuse("step", "must divide the time span of {} s, which is {:.8g} steps", options.t1 - options.t0,
                 steps);
  }
}

OptimizerOptions read_optimizer(const TomlTable& table, const Problem& problem) {
  // Numbers of a mechanism depend on each other, which the separable approximations of MMA do not see. Its long steps look for
  // the region of the optimum first.
  constexpr int iterations_of_long_steps = 10;
  OptimizerOptions options;
  if (problem.design.bodies.empty()) {
    options.design_change = keys::change_of_numbers;
    options.curvature_after = iterations_of_long_steps;
  } else {
    options.progress = keys::progress_of_densities;
  }
  keys::optimizer().read(table, options);
  options.name_of_iterations = fmt::format("optimizer.stop.iterations = {}", options.max_iterations);
  options.name_of_wall_time = fmt::format("optimizer.stop.wall_time = {:g} s", options.wall_time);
  return options;
}

/// Refuses the keys of the integrator that belong to other methods.
void refuse_keys_of_other_methods(const TomlTable& table, const IntegratorTraits& method) {
  using Method = IntegratorMethod;
  const std::pair<const char*, Method> owners[] = {{"rho_inf", Method::generalized_alpha},
                                                   {"tolerance", Method::dormand_prince},
                                                   {"dense_output", Method::dormand_prince},
                                                   {"independent", Method::trapezoidal},
                                                   {"alpha", Method::variational_midpoint}};
  for (const auto& [key, owner] : owners) {
    if (!table.has(key) || owner == method.method) continue;
    table.refuse(key, "needs integrator.method = \"{}\"; the method is \"{}\"", traits_of(owner).word,
                 method.word);
  }
  for (const char* key : {"newton_tolerance", "max_newton_iterations"}) {
    if (!table.has(key) || method.is_implicit) continue;
    table.refuse(key, "needs an implicit method, whose steps Newton's iteration solves; \"{}\" is explicit",
                 method.word);
  }
}

IntegratorOptions read_integrator(const TomlTable& table, Formulation formulation) {
  IntegratorOptions options = keys::integrator().read(table);
  check_time_steps(table, options);
  options.method = method_of(table, options.method, formulation);
  refuse_keys_of_other_methods(table, traits_of(options.method));
  return options;
}

/// Relative loads and drives follow the motion; tables of drives have its times.
void place_in_motion(SystemSpec& system) {
  const MotionTime& time = system.time;
  for (MarkerLoadSpec& load : system.loads) follow_motion(time, load);
  for (JointSpec& joint : system.joints) {
    for (DriveSpec& drive : joint.drives) {
      if (drive.table && is_relative(*drive.motion)) {
        for (double& t : drive.table->times) t = time.t0 + t * time.span();
      }
      follow_motion(time, drive.motion);
    }
  }
}

void read_time(const TomlTable& root, Problem& problem) {
  if (is_about_rest(problem.analysis)) {
    problem.integrator.t1 = problem.integrator.step =
        1.0;  // The equations need both; modes use the start alone.
    problem.system.time = {problem.integrator.t0, problem.integrator.t1};
  }
  if (!root.has("integrator")) return;
  const TomlTable integrator = root.table("integrator");
  problem.integrator = read_integrator(integrator, problem.formulation);
  problem.system.time = {problem.integrator.t0, problem.integrator.t1};
  place_in_motion(problem.system);
  problem.recursion = read_recursion(integrator, problem.formulation);
}

void read_frequencies(const TomlTable& root, Problem& problem) {
  if (problem.analysis != Analysis::frequency_response) {
    if (root.has("frequency_response"))
      root.refuse("frequency_response", "needs analysis = \"frequency-response\"");
    return;
  }
  const TomlTable table = root.table("frequency_response");
  problem.frequency_response = keys::frequency_response().read(table);
  if (problem.frequency_response.from >= problem.frequency_response.to)
    table.refuse("to", "must be above from");
}

/// Reads the options of densities.
void read_material(const TomlTable& root, Problem& problem) {
  if (root.has("filter")) problem.filter = read_filter(root.table("filter"));
  problem.projection = read_projection(root.table_or_empty("projection"), problem);
}

void read_written(const TomlTable& output, Problem& problem) {
  problem.output = keys::output().read(output);
  if (output.has("adjoint")) problem.output.adjoint = read_constraint_names(output, "adjoint", problem);
}

}  // namespace

void read_options(const TomlTable& root, const std::filesystem::path& directory, Problem& problem) {
  read_time(root, problem);
  read_frequencies(root, problem);
  if (root.has("controls")) {
    if (!root.has("integrator")) root.fail("controls", "needs [integrator], over whose time they run");
    read_controls(root.table("controls"), directory, problem);
  }
  keys::constraints().read(root.table_or_empty("constraints"), problem.constraints);
  const CriteriaReader criteria(problem);
  read_criteria(root, criteria, problem);
  const TomlTable sensitivity = root.table_or_empty("sensitivity");
  problem.sensitivity = read_sensitivity(sensitivity);
  if (problem.sensitivity.substeps > 1 && takes_momenta(problem.integrator.method))
    sensitivity.refuse("substeps", "is for implicit methods; the adjoint of explicit ones is of order 4");
  if (problem.integrator.dense_output) allow_dense_output(sensitivity, problem);
  problem.design =
      read_design(root.table_or_empty("design"), root.table_or_empty("variables"), directory, problem);
  check_differences(sensitivity, problem);
  read_material(root, problem);
  problem.optimizer = read_optimizer(root.table_or_empty("optimizer"), problem);
  problem.strategy =
      root.table_or_empty("optimizer").choice_or("strategy", Strategy::exact, keys::strategies);
  read_stages(root.table_or_empty("stages"), criteria, problem);
  read_written(root.table_or_empty("output"), problem);
}

}  // namespace kurbel
