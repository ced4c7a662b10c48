#include <fmt/format.h>

#include "problem/checks.hpp"
#include "problem/criteria_reader.hpp"
#include "problem/defaults.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace {

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
  for (const absolute::BeamJointSpec& joint : problem.absolute.joints) {
    if (joint.type == absolute::BeamJointSpec::Type::fixed && slots.front() == &joint.damping)
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
    DesignVariable variable{name, {}, value, lower, upper};
    variable.unit = unit_of_key(quantity, Formulation::absolute_coordinates);
    return add_variable(variable, problem);
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
      problem.design.variables.back().unit = curve.unit();
    }
  }
}

IntegratorOptions read_method(const TomlTable& table) {
  IntegratorOptions options =
      read_integrator(table, {{"explicit-euler", IntegratorMethod::explicit_euler},
                              {"implicit-euler", IntegratorMethod::implicit_euler},
                              {"trapezoidal", IntegratorMethod::trapezoidal},
                              {"runge-kutta-4", IntegratorMethod::runge_kutta_4},
                              {"generalized-alpha", IntegratorMethod::generalized_alpha},
                              {"variational-midpoint", IntegratorMethod::variational_midpoint}});
  if (options.method == IntegratorMethod::generalized_alpha)
    options.rho_inf = table.number_or("rho_inf", options.rho_inf);
  else if (table.has("rho_inf"))
    table.refuse("rho_inf", "belongs to method = \"generalized-alpha\"");
  if (options.method == IntegratorMethod::variational_midpoint)
    options.alpha = table.number_or("alpha", options.alpha);
  else if (table.has("alpha"))
    table.refuse("alpha", "belongs to method = \"variational-midpoint\"");
  return options;
}

void read_system(const TomlTable& root, Problem& problem) {
  problem.absolute = read_absolute_system(root);
  problem.integrator = read_method(root.table("integrator"));
  for (const TomlTable& t : root.table_or_empty("controls").children()) {
    problem.absolute.controls.push_back(read_control(t));
    problem.controls.push_back(read_curve(t, problem.integrator, problem.document->directory));
    problem.controls.back().is_torque = !problem.absolute.controls.back().joint.empty();
  }
  for (const TomlTable& t : root.table_or_empty("variables").children()) read_variable(t, problem);
  add_nodes(problem);
}

/// Constraints stood in [constraints.NAME] once.
void refuse_former_constraints(const TomlTable& constraints) {
  for (const TomlTable& table : constraints.children()) {
    if (table.name() == "criteria") continue;
    table.fail("", fmt::format("is unknown: constraints stand in [constraints.criteria.NAME], with type = "
                               "\"output\" and time = \"final\" or \"instants\"; this one would be "
                               "[constraints.criteria.{}]",
                               table.name()));
  }
}

}  // namespace

void read_absolute_problem(const TomlTable& root, Problem& problem) {
  using Method = SensitivityOptions::Method;
  try {
    read_system(root, problem);
    refuse_former_constraints(root.table_or_empty("constraints"));
    const CriteriaReader criteria(absolute_observables(problem), problem);
    read_criteria(root, criteria, problem);
    problem.optimizer =
        read_optimizer(root.table_or_empty("optimizer"), default_optimizer(problem.formulation));
    read_stages(root.table_or_empty("stages"), criteria, problem);
    check_size(problem);
    absolute::assemble<double>(problem.absolute, problem.grids());
  } catch (const absolute::SpecError& e) {
    throw problem.error(e.key, e.message);
  }
  check_reachable(problem);
  problem.sensitivity.method = root.table_or_empty("sensitivity")
                                   .choice_or("method", Method::automatic,
                                              {{"auto", Method::automatic},
                                               {"discrete-adjoint", Method::discrete_adjoint},
                                               {"direct", Method::direct},
                                               {"finite-differences", Method::finite_differences}});
  problem.design.variables_file =
      read_start_variables(root.table_or_empty("design"), problem.design, problem.document->directory);
  const TomlTable output = root.table_or_empty("output");
  problem.output = read_output(output, default_output(problem.formulation));
  if (problem.output.deformation_scale != 1.0)
    output.refuse("deformation_scale",
                  "must be 1: in absolute coordinates there is no position without deformation");
  if (output.has("adjoint")) problem.output.adjoint = read_constraint_names(output, "adjoint", problem);
  root.finish();
}

}  // namespace kurbel
