#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "problem/criteria_reader.hpp"
#include "problem/defaults.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace {

SensitivityOptions read_sensitivity(const TomlTable& table) {
  using Method = SensitivityOptions::Method;
  SensitivityOptions options;
  options.method = table.choice_or<Method>("method", options.method,
                                           {{"discrete-adjoint", Method::discrete_adjoint},
                                            {"direct", Method::direct},
                                            {"continuous-adjoint", Method::continuous_adjoint},
                                            {"auto", Method::automatic},
                                            {"finite-differences", Method::finite_differences}});
  options.substeps = table.integer_or("substeps", options.substeps);
  if (options.substeps > 1 && options.method != Method::continuous_adjoint) {
    table.refuse("substeps",
                 "needs sensitivity.method = \"continuous-adjoint\"; other methods use the "
                 "integrator's steps");
  }
  using Path = SensitivityOptions::Path;
  options.path = table.choice_or<Path>(
      "path", options.path, {{"pull-back", Path::pull_back}, {"augmented-sid", Path::augmented_sid}});
  return options;
}

void read_material_bounds(const TomlTable& table, ConstraintOptions& options) {
  if (table.has("volume_fraction")) options.volume_fraction = table.number("volume_fraction");
  if (table.has("mass")) options.mass = table.number("mass");
}

/// Every node of a control is a variable.
void add_control_variables(const Problem& problem, std::vector<DesignVariable>& variables) {
  for (std::size_t i = 0; i < problem.controls.size(); ++i) {
    const ControlCurve& curve = problem.controls[i];
    const std::vector<std::string> names = curve.node_names(problem.integrator);
    for (std::size_t j = 0; j < curve.start.size(); ++j) {
      SystemQuantity node = SystemQuantity::of<&ControlSpec::nodes>(i);
      node.component = static_cast<int>(j);
      variables.push_back({names[j], node, curve.start[j], curve.lower, curve.upper});
      variables.back().unit = curve.unit();
    }
  }
}

DesignOptions read_design(const TomlTable& table, const TomlTable& variables,
                          const std::filesystem::path& directory, const Problem& problem) {
  DesignOptions options;
  options.variables = read_design_variables(variables, problem);
  add_control_variables(problem, options.variables);
  options.variables_file = read_start_variables(table, options, directory);
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
    const double absent = problem.constraints.volume_fraction.value_or(options.start);
    options.start = table.number_or("start", absent);
    options.start_meets_bounds = !table.has("start");
  }
  return options;
}

FilterOptions read_filter(const TomlTable& table) {
  using Type = FilterOptions::Type;
  FilterOptions options;
  options.type = table.choice<Type>(
      "type", {{"none", Type::none}, {"density", Type::density}, {"sensitivity", Type::sensitivity}});
  if (options.type != Type::none || table.has("radius")) options.radius = table.number("radius");
  return options;
}

/// Filtered densities are sharpened, unless the file says otherwise.
ProjectionOptions read_projection(const TomlTable& table, const Problem& problem) {
  using Type = ProjectionOptions::Type;
  const bool is_filtered =
      problem.filter.type == FilterOptions::Type::density && !problem.design.bodies.empty();
  ProjectionOptions options;
  options.type = table.choice_or<Type>("type", is_filtered ? Type::heaviside : Type::none,
                                       {{"none", Type::none}, {"heaviside", Type::heaviside}});
  options.eta = table.number_or("eta", options.eta);
  options.beta_start = table.number_or("beta_start", options.beta_start);
  options.beta_max = table.number_or("beta_max", options.beta_max);
  if (options.beta_max < options.beta_start) {
    table.refuse(table.has("beta_max") ? "beta_max" : "beta_start",
                 fmt::format("lets beta start at {} above its largest value {}", options.beta_start,
                             options.beta_max));
  }
  options.beta_interval = table.integer_or("beta_interval", options.beta_interval);
  return options;
}

/// @throws InputError if it is chosen for coordinates without recursion
ReferencePoint read_recursion(const TomlTable& table, Formulation formulation) {
  const auto point = table.choice_or<ReferencePoint>(
      "recursion", ReferencePoint::common,
      {{"RTdyn1", ReferencePoint::common}, {"RTdyn0", ReferencePoint::centre_of_mass}});
  if (table.has("recursion") && !has_joint_coordinates(formulation))
    table.refuse("recursion", "needs formulation = \"semi-recursive\" or \"joint-hamiltonian\"");
  return point;
}

/// Momenta take explicit methods.
IntegratorMethod method_with_momenta(const TomlTable& table, IntegratorMethod method) {
  if (!table.has("method")) return IntegratorMethod::runge_kutta_4;
  if (!takes_momenta(method))
    table.refuse("method", "does not go with momenta; take \"runge-kutta-4\" or \"dormand-prince\"");
  return method;
}

/// @throws InputError if the method is none of natural coordinates
IntegratorMethod method_in_natural_coordinates(const TomlTable& table, IntegratorMethod method) {
  if (!table.has("method")) return IntegratorMethod::variational_midpoint;
  if (method == IntegratorMethod::dormand_prince) {
    table.refuse("method",
                 "does not go with natural coordinates; take \"variational-midpoint\", "
                 "\"generalized-alpha\" or \"trapezoidal\"");
  }
  return method;
}

bool is_euler(IntegratorMethod method) {
  return method == IntegratorMethod::explicit_euler || method == IntegratorMethod::implicit_euler;
}

IntegratorMethod method_of(const TomlTable& table, IntegratorMethod read, Formulation formulation) {
  if (is_natural(formulation)) return method_in_natural_coordinates(table, read);
  if (read == IntegratorMethod::variational_midpoint)
    table.refuse(
        "method",
        "needs formulation = \"natural-coordinates\", whose mass matrix does not change; beams beside "
        "flexible bodies take \"generalized-alpha\"");
  if (is_euler(read))
    table.refuse("method",
                 "needs formulation = \"natural-coordinates\" and a mechanism of points and planar beams");
  return has_momenta(formulation) ? method_with_momenta(table, read) : read;
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
  table.refuse(
      "method",
      "differentiates the steps from one output to the next, which integrator.dense_output = true does "
      "away with; take \"continuous-adjoint\" or \"finite-differences\"");
}

}  // namespace

OutputOptions read_output(const TomlTable& table, OutputOptions options) {
  options.every = table.integer_or("every", options.every);
  options.motion = table.boolean_or("motion", options.motion);
  options.motion_frames = table.integer_or("motion_frames", options.motion_frames);
  options.deformation_scale = table.number_or("deformation_scale", options.deformation_scale);
  options.picture = table.boolean_or("picture", options.picture);
  options.trajectory = table.boolean_or("trajectory", options.trajectory);
  return options;
}

std::filesystem::path read_start_variables(const TomlTable& design, const DesignOptions& options,
                                           const std::filesystem::path& directory) {
  if (!design.has("start_variables")) return {};
  if (options.variables.empty()) design.refuse("start_variables", "needs [variables] or [controls]");
  return directory / design.text("start_variables");
}

namespace {

void read_time_steps(const TomlTable& table, IntegratorOptions& options) {
  options.t0 = table.number_or("t0", options.t0);
  options.t1 = table.number("t1");
  if (options.t1 <= options.t0) table.refuse("t1", fmt::format("must be later than t0 = {}", options.t0));
  options.step = table.number("step");
  const double steps = (options.t1 - options.t0) / options.step;
  if (steps > 1e9) table.refuse("step", fmt::format("makes {:.3g} steps, too many", steps));
  if (std::round(steps) < 1.0 || std::abs(steps - std::round(steps)) > 1e-6) {
    table.refuse("step", fmt::format("must divide the time span of {} s, which is {:.8g} steps",
                                     options.t1 - options.t0, steps));
  }
  options.newton_tolerance = table.number_or("newton_tolerance", options.newton_tolerance);
  options.max_newton_iterations = table.integer_or("max_newton_iterations", options.max_newton_iterations);
}

}  // namespace

OptimizerOptions read_optimizer(const TomlTable& table, OptimizerOptions options) {
  options.method = table.choice_or("method", options.method, optimizer_methods);
  options.move_limit = table.number_or("move_limit", options.move_limit);
  options.oc_damping = table.number_or("oc_damping", options.oc_damping);
  options.feasibility = table.number_or("feasibility", options.feasibility);
  const TomlTable stop = table.table_or_empty("stop");
  options.max_iterations = stop.integer_or("iterations", options.max_iterations);
  options.design_change = stop.number_or("design_change", options.design_change);
  options.design_change_iterations =
      stop.integer_or("design_change_iterations", options.design_change_iterations);
  options.progress = stop.number_or("progress", options.progress);
  options.kkt_residual = stop.number_or("kkt_residual", options.kkt_residual);
  options.wall_time = stop.number_or("wall_time", options.wall_time);
  options.name_of_iterations = fmt::format("optimizer.stop.iterations = {}", options.max_iterations);
  options.name_of_wall_time = fmt::format("optimizer.stop.wall_time = {:g} s", options.wall_time);
  return options;
}

namespace {

const TomlTable::Words<IntegratorMethod>& integrator_methods() {
  using Method = IntegratorMethod;
  static const TomlTable::Words<Method> methods = {{"generalized-alpha", Method::generalized_alpha},
                                                   {"trapezoidal", Method::trapezoidal},
                                                   {"runge-kutta-4", Method::runge_kutta_4},
                                                   {"dormand-prince", Method::dormand_prince},
                                                   {"variational-midpoint", Method::variational_midpoint},
                                                   {"explicit-euler", Method::explicit_euler},
                                                   {"implicit-euler", Method::implicit_euler}};
  return methods;
}

std::string word_of(IntegratorMethod method) {
  return std::ranges::find(integrator_methods(), method, [](const auto& w) { return w.second; })->first;
}

/// Refuses the keys of the integrator that belong to other methods.
void refuse_keys_of_other_methods(const TomlTable& table, IntegratorMethod method) {
  using Method = IntegratorMethod;
  const std::vector<Method> implicit = {Method::generalized_alpha, Method::trapezoidal,
                                        Method::variational_midpoint, Method::implicit_euler};
  const std::pair<const char*, std::vector<Method>> owners[] = {
      {"rho_inf", {Method::generalized_alpha}},   {"tolerance", {Method::dormand_prince}},
      {"dense_output", {Method::dormand_prince}}, {"independent", {Method::trapezoidal}},
      {"alpha", {Method::variational_midpoint}},  {"newton_tolerance", implicit},
      {"max_newton_iterations", implicit}};
  for (const auto& [key, methods] : owners) {
    if (!table.has(key) || std::ranges::find(methods, method) != methods.end()) continue;
    if (methods.size() == 1)
      table.refuse(key, fmt::format("needs integrator.method = \"{}\"; the method is \"{}\"",
                                    word_of(methods.front()), word_of(method)));
    table.refuse(key, fmt::format("needs an implicit method, whose steps Newton's iteration solves; \"{}\" "
                                  "is explicit",
                                  word_of(method)));
  }
}

IntegratorOptions read_integrator(const TomlTable& table, Formulation formulation) {
  IntegratorOptions options;
  options.method = table.choice_or("method", integrator_methods().front().second, integrator_methods());
  read_time_steps(table, options);
  options.method = method_of(table, options.method, formulation);
  refuse_keys_of_other_methods(table, options.method);
  options.rho_inf = table.number_or("rho_inf", options.rho_inf);
  if (options.method == IntegratorMethod::dormand_prince) {
    options.tolerance = table.number_or("tolerance", options.tolerance);
    options.dense_output = table.boolean_or("dense_output", options.dense_output);
  }
  if (options.method == IntegratorMethod::trapezoidal && table.has("independent"))
    options.independent = table.texts("independent");
  options.alpha = table.number_or("alpha", options.alpha);
  return options;
}

ObservableReader observables_of(const Problem& problem) {
  return is_natural(problem.formulation) ? natural_observables(problem.system) : floating_frame_observables();
}

void read_time(const TomlTable& root, Problem& problem) {
  if (!root.has("integrator")) return;
  const TomlTable integrator = root.table("integrator");
  problem.integrator = read_integrator(integrator, problem.formulation);
  problem.recursion = read_recursion(integrator, problem.formulation);
}

/// What belongs to densities.
void read_material(const TomlTable& root, Problem& problem) {
  if (root.has("filter")) problem.filter = read_filter(root.table("filter"));
  problem.projection = read_projection(root.table_or_empty("projection"), problem);
}

void read_written(const TomlTable& output, Problem& problem) {
  problem.output = read_output(output, {});
  problem.output.solid_above = output.number_or("solid_above", problem.output.solid_above);
  if (output.has("adjoint")) problem.output.adjoint = read_constraint_names(output, "adjoint", problem);
}

}  // namespace

void read_options(const TomlTable& root, const std::filesystem::path& directory, Problem& problem) {
  read_time(root, problem);
  if (root.has("controls")) {
    if (!root.has("integrator")) root.fail("controls", "needs [integrator], over whose time they run");
    read_controls(root.table("controls"), directory, problem);
  }
  read_material_bounds(root.table_or_empty("constraints"), problem.constraints);
  const CriteriaReader criteria(observables_of(problem), problem);
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
  problem.optimizer = read_optimizer(root.table_or_empty("optimizer"), default_optimizer(problem));
  read_stages(root.table_or_empty("stages"), criteria, problem);
  read_written(root.table_or_empty("output"), problem);
}

}  // namespace kurbel
