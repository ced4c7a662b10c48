#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/spelling.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

absolute::ControlSpec read_control(const TomlTable& table) {
  absolute::ControlSpec control;
  control.name = read_name(table);
  if (table.choice<bool>("type", {{"force", false}, {"torque", true}})) {
    control.joint = table.text("joint");
    return control;
  }
  control.at = table.text("at");
  if (control.at == "ground") table.refuse("at", "does not move; a force acts at a point or at a beam's end");
  control.direction = table.vector3("direction");
  if (control.direction.isZero(0.0)) table.refuse("direction", "has no length");
  return control;
}

/// A variable and the entry of xi that holds its value.
int add_variable(const DesignVariable& variable, Problem& problem) {
  VectorXd& xi = problem.absolute.xi;
  const Eigen::Index place = xi.size();
  xi.conservativeResize(place + 1);
  xi[place] = variable.start;
  problem.design.variables.push_back(variable);
  problem.design.variables.back().quantity = AbsoluteQuantity{place};
  return static_cast<int>(place);
}

/// Turns the slots of a quantity into entries of xi: one per element, or one for all.
void read_variable(const TomlTable& table, Problem& problem) {
  const std::string quantity = table.text("quantity");
  std::vector<ParameterSlot*> slots = problem.absolute.slots(quantity, table.path() + ".quantity");
  for (const ParameterSlot* slot : slots) {
    if (slot->variable >= 0) table.refuse("quantity", "is designed by another variable already");
  }
  for (const absolute::JointSpec& joint : problem.absolute.joints) {
    if (joint.type == absolute::JointSpec::Type::fixed && slots.front() == &joint.damping)
      table.refuse("quantity", "has no meaning in a fixed joint");
  }
  const bool may_vanish = quantity.ends_with(".damping") || quantity.ends_with(".stiffness") ||
                          quantity.ends_with("poisson_ratio");
  const double lower = table.number("lower", may_vanish ? Range::at_least(0.0) : Range::positive());
  const double upper =
      table.number("upper", quantity.ends_with("poisson_ratio") ? Range::open(0.0, 0.5) : Range::positive());
  check_bounds(table, lower, upper);

  const auto add = [&](const std::string& name, double value) {
    if (value < lower || value > upper) {
      table.fail(
          "", fmt::format("starts from {} = {}, outside its bounds [{}, {}]", quantity, value, lower, upper));
    }
    return add_variable({name, {}, value, lower, upper}, problem);
  };
  if (table.boolean_or("each_element", false)) {
    for (std::size_t i = 0; i < slots.size(); ++i) {
      slots[i]->variable = add(fmt::format("{}[{}]", table.name(), i), slots[i]->constant);
    }
    return;
  }
  // A length is that of the whole beam; of the other quantities, all elements have the same.
  double value = slots.front()->constant;
  if (quantity.ends_with(".length") && slots.size() > 1) value *= static_cast<double>(slots.size());
  for (const ParameterSlot* slot : slots) {
    if (slot->constant != slots.front()->constant) {
      table.refuse("quantity", "differs from element to element; set each_element = true");
    }
  }
  const int variable = add(read_name(table), value);
  for (ParameterSlot* slot : slots) {
    slot->variable = variable;
    slot->factor = slot->constant / value;
  }
}

/// The nodes stand behind xi, one control after the other.
void add_nodes(Problem& problem) {
  Eigen::Index place = problem.absolute.xi.size();
  for (const ControlCurve& curve : problem.controls) {
    const std::vector<std::string> names = curve.node_names(problem.integrator);
    for (std::size_t j = 0; j < names.size(); ++j) {
      problem.design.variables.push_back(
          {names[j], AbsoluteQuantity{place++, true}, curve.start[j], curve.lower, curve.upper});
    }
  }
}

std::size_t find_output(const TomlTable& table, const std::string& key, const Problem& problem) {
  const std::string name = table.text(key);
  std::vector<std::string> known;
  for (std::size_t i = 0; i < problem.absolute.functions.size(); ++i) {
    if (problem.absolute.functions[i].name == name) return i;
    known.push_back(problem.absolute.functions[i].name);
  }
  table.refuse(key, fmt::format("is none of [outputs.*]{}", spelling_advice(name, known, "\"")));
}

Eigen::Index n_rows(const absolute::FunctionSpec& function) {
  return std::max<Eigen::Index>(1, static_cast<Eigen::Index>(function.axes.size()));
}

/// A number for all rows, or a list with one for each.
VectorXd read_rows(const TomlTable& table, const std::string& key, Eigen::Index rows, double absent,
                   const Range& range = {}) {
  if (!table.has(key)) return VectorXd::Constant(rows, absent);
  if (!table.is_list(key)) return VectorXd::Constant(rows, table.number(key, range));
  const auto n = static_cast<std::size_t>(rows);
  const std::vector<double> values = table.numbers(key, n, n, range);
  return Eigen::Map<const VectorXd>(values.data(), rows);
}

bool mass_is_designed(const absolute::SystemSpec& system) {
  using Beam = absolute::BeamSpec;
  const auto designed = [](const ParameterSlot& slot) { return slot.variable >= 0; };
  const auto mass_designed = [&](const auto& part) { return designed(part.mass); };
  const auto beam_designed = [&](const Beam& beam) {
    const auto any = [&](Beam::Quantity q) { return std::ranges::any_of(beam.elements[q], designed); };
    return any(Beam::density) || any(Beam::width) || any(Beam::height) || any(Beam::length);
  };
  return std::ranges::any_of(system.points, mass_designed) ||
         std::ranges::any_of(system.masses, mass_designed) ||
         std::ranges::any_of(system.beams, beam_designed);
}

CostTerm read_cost_term(const TomlTable& table, const Problem& problem) {
  using Type = CostTerm::Type;
  CostTerm term;
  term.type = table.choice<Type>("type", {{"control-energy", Type::control_energy},
                                          {"mass", Type::mass},
                                          {"final", Type::final_value},
                                          {"final-error", Type::final_error},
                                          {"tracking", Type::tracking}});
  term.weight = table.number_or("weight", term.weight);
  if (term.type == Type::control_energy && problem.controls.empty())
    table.refuse("type", "needs [controls.NAME]");
  if (term.type == Type::mass && !mass_is_designed(problem.absolute))
    table.refuse("type", "needs a quantity in [variables.NAME] that changes the mass");
  if (term.type == Type::control_energy || term.type == Type::mass) return term;
  term.output = find_output(table, "output", problem);
  const Eigen::Index rows = n_rows(problem.absolute.functions[term.output]);
  if (term.type != Type::final_value) {
    term.target = read_rows(table, "target", rows, 0.0);
  } else if (rows != 1) {
    table.refuse("output", fmt::format("has {} rows; a cost has one: choose one of its axes", rows));
  }
  return term;
}

std::vector<CostTerm> read_cost(const TomlTable& table, const Problem& problem) {
  std::vector<CostTerm> cost;
  for (const TomlTable& term : table.one_or_more("objective")) cost.push_back(read_cost_term(term, problem));
  return cost;
}

/// The macro mesh t_j = j T / M: every e-th of the N steps.    [P2, section 2, Fig. 1]
std::vector<int> read_steps(const TomlTable& table, bool path, const IntegratorOptions& integrator) {
  const int n = integrator.n_steps();
  if (!path) return {n};
  const int intervals = table.integer_or("intervals", n, Range::at_least(1));
  if (n % intervals != 0) {
    table.refuse("intervals", fmt::format("must divide the number of integration steps, {}", n));
  }
  std::vector<int> steps;
  for (int k = 0; k <= n; k += n / intervals) steps.push_back(k);
  return steps;
}

PathConstraint read_constraint(const TomlTable& table, const Problem& problem) {
  PathConstraint constraint;
  constraint.name = read_name(table);
  const bool path = table.choice<bool>("type", {{"final", false}, {"path", true}});
  constraint.output = find_output(table, "output", problem);
  const Eigen::Index rows = n_rows(problem.absolute.functions[constraint.output]);
  constraint.equality = table.has("equals");
  if (constraint.equality) {
    if (path) table.refuse("equals", "stands in a path constraint; an equality holds at the final time only");
    if (table.has("lower") || table.has("upper"))
      table.fail("equals", "stands beside a bound; give one of the two");
    constraint.lower = constraint.upper = read_rows(table, "equals", rows, 0.0);
  } else {
    if (!table.has("lower") && !table.has("upper"))
      table.fail("", "has neither equals, nor lower, nor upper");
    constraint.lower = read_rows(table, "lower", rows, -infinity);
    constraint.upper = read_rows(table, "upper", rows, infinity);
    for (Eigen::Index i = 0; i < rows; ++i) check_bounds(table, constraint.lower[i], constraint.upper[i]);
  }
  // Limits are of order one when they are divided by themselves.                        [P2, eqs 59, 66]
  constraint.scale = read_rows(table, "scale", rows, 0.0, Range::positive());
  for (Eigen::Index i = 0; i < rows; ++i) {
    if (constraint.scale[i] > 0.0) continue;
    double size = 0.0;
    if (!constraint.equality) {
      for (const double bound : {constraint.lower[i], constraint.upper[i]}) {
        if (std::isfinite(bound)) size = std::max(size, std::abs(bound));
      }
    }
    constraint.scale[i] = size > 0.0 ? size : 1.0;
  }
  constraint.steps = read_steps(table, path, problem.integrator);
  return constraint;
}

/// A final state outside the limits that the same output has on its way can not be reached; nor two at once.
void check_reachable(const Problem& problem) {
  for (const PathConstraint& final : problem.constraints.paths) {
    for (const PathConstraint& limit : problem.constraints.paths) {
      if (!final.equality || final.output != limit.output) continue;
      if (limit.equality) {
        if (&limit <= &final) continue;
        throw problem.error(fmt::format("constraints.{}.equals", limit.name),
                            fmt::format("says again what {} is at the end; constraints.{} does already",
                                        problem.absolute.functions[final.output].name, final.name));
      }
      for (Eigen::Index i = 0; i < final.upper.size(); ++i) {
        if (final.upper[i] <= limit.upper[i] && final.upper[i] >= limit.lower[i]) continue;
        throw problem.error(fmt::format("constraints.{}.equals", final.name),
                            fmt::format("= {} is outside [{}, {}], the limits of constraints.{}",
                                        final.upper[i], limit.lower[i], limit.upper[i], limit.name));
      }
    }
  }
}

OptimizerOptions optimizer_defaults() {
  OptimizerOptions options;
  options.method = "ipopt";
  options.max_iterations = 500;
  options.design_change = 0.0;
  options.feasibility = 1e-8;
  return options;
}

IntegratorOptions read_one_step_integrator(const TomlTable& table) {
  if (table.has("rho_inf"))
    table.refuse("rho_inf", "belongs to generalized-alpha, which does not integrate in absolute coordinates");
  return read_integrator(table, {{"explicit-euler", IntegratorMethod::explicit_euler},
                                 {"implicit-euler", IntegratorMethod::implicit_euler},
                                 {"trapezoidal", IntegratorMethod::trapezoidal},
                                 {"runge-kutta-4", IntegratorMethod::runge_kutta_4}});
}

void read_system(const TomlTable& root, Problem& problem) {
  problem.absolute = read_absolute_system(root);
  problem.integrator = read_one_step_integrator(root.table("integrator"));
  for (const TomlTable& t : root.table_or_empty("controls").children()) {
    problem.absolute.controls.push_back(read_control(t));
    problem.controls.push_back(read_curve(t, problem.integrator));
    problem.controls.back().is_torque = !problem.absolute.controls.back().joint.empty();
  }
  for (const TomlTable& t : root.table_or_empty("variables").children()) read_variable(t, problem);
  absolute::assemble<double>(problem.absolute, problem.grids());
  add_nodes(problem);
}

}  // namespace

void read_absolute_problem(const TomlTable& root, Problem& problem) {
  using Method = SensitivityOptions::Method;
  constexpr const char* constraints = "constraints";
  try {
    read_system(root, problem);
  } catch (const absolute::SpecError& e) {
    throw problem.error(e.key, e.message);
  }
  for (const TomlTable& t : root.table_or_empty("constraints").children()) {
    problem.constraints.paths.push_back(read_constraint(t, problem));
  }
  check_reachable(problem);
  problem.optimizer = read_optimizer(root.table_or_empty("optimizer"), optimizer_defaults());
  read_stages(
      root.table_or_empty("stages"),
      {constraints, [&](const TomlTable& table, Stage& stage) { stage.cost = read_cost(table, problem); }},
      problem);
  problem.cost = read_cost(root, problem);
  problem.sensitivity.method = root.table_or_empty("sensitivity")
                                   .choice_or("method", Method::automatic,
                                              {{"auto", Method::automatic},
                                               {"discrete-adjoint", Method::discrete_adjoint},
                                               {"direct", Method::direct},
                                               {"finite-differences", Method::finite_differences}});
  problem.design.variables_file =
      read_start_variables(root.table_or_empty("design"), problem.design, problem.document->directory);
  const TomlTable output = root.table_or_empty("output");
  problem.output.motion_frames = 100;
  problem.output = read_output(output, problem.output);
  if (output.has("adjoint"))
    problem.output.adjoint = read_constraint_names(output, "adjoint", constraints, problem);
  root.finish();
}

}  // namespace kurbel
