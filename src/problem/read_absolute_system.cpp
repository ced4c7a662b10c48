#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/spelling.hpp"
#include "problem/criteria_reader.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace absolute {

namespace {

ParameterSlot constant(double value) {
  return {.constant = value};
}

PointSpec read_point(const TomlTable& table) {
  PointSpec point;
  point.name = read_name(table, "ground");
  point.position = table.vector3_or("position", point.position);
  point.velocity = table.vector3_or("velocity", point.velocity);
  if (table.has("free")) {
    point.free = {};
    for (const int axis : read_axes(table, "free")) point.free[static_cast<std::size_t>(axis)] = true;
  }
  for (Eigen::Index d = 0; d < 3; ++d) {
    if (!point.free[static_cast<std::size_t>(d)] && point.velocity[d] != 0.0)
      table.refuse("velocity", fmt::format("moves along {}, which is not free", "xyz"[d]));
  }
  const bool moves = point.free[0] || point.free[1] || point.free[2];
  if (moves || table.has("mass")) point.mass = constant(table.number("mass"));
  return point;
}

/// A number for all elements, or a list with one for each.
std::vector<ParameterSlot> read_per_element(const TomlTable& table, const std::string& key, std::size_t n) {
  std::vector<ParameterSlot> slots;
  if (!table.is_list(key)) return std::vector<ParameterSlot>(n, constant(table.number(key)));
  for (const double value : table.numbers(key, n, n)) slots.push_back(constant(value));
  return slots;
}

BeamSpec read_beam(const TomlTable& table) {
  BeamSpec beam;
  beam.name = read_name(table, "ground");
  beam.n_elements = static_cast<std::size_t>(table.integer_or("elements", 1));
  if (table.has("start")) {
    const std::vector<double> start = table.numbers("start");
    beam.start = Eigen::Vector2d(start[0], start[1]);
  }
  const std::vector<double> direction = table.numbers("direction");
  if (direction[0] == 0.0 && direction[1] == 0.0) table.refuse("direction", "has no length");
  beam.angle = std::atan2(direction[1], direction[0]);

  const std::size_t n = beam.n_elements;
  beam.elements[BeamSpec::width] = read_per_element(table, "width", n);
  beam.elements[BeamSpec::height] = read_per_element(table, "height", n);
  const double length = table.number("length") / static_cast<double>(n);
  beam.elements[BeamSpec::length].assign(n, constant(length));
  const TomlTable material = table.table("material");
  const auto per_material = [&](BeamSpec::Quantity quantity, const char* key) {
    beam.elements[quantity].assign(n, constant(material.number(key)));
  };
  per_material(BeamSpec::youngs_modulus, "youngs_modulus");
  per_material(BeamSpec::poisson_ratio, "poisson_ratio");
  per_material(BeamSpec::density, "density");
  beam.coupling = table.choice_or("poisson_coupling", beam.coupling,
                                  {{"full", PoissonCoupling::full}, {"axis", PoissonCoupling::axis}});
  return beam;
}

absolute::BeamJointSpec read_beam_joint(const TomlTable& table) {
  using Type = absolute::BeamJointSpec::Type;
  absolute::BeamJointSpec joint;
  joint.name = read_name(table);
  if (table.is_text("type") && table.text("type") == rod_type) {
    table.refuse(
        "type",
        "needs a constraint with a multiplier; joints share coordinates in absolute coordinates: take a "
        "stiff spring in place of a rod, or formulation = \"floating-frame\"");
  }
  joint.type = table.choice<Type>("type", {{"revolute", Type::revolute}, {"fixed", Type::fixed}});
  joint.from = table.text("from");
  joint.to = table.text("to");
  if (joint.from == joint.to) table.refuse("to", "joins a place to itself");
  if (joint.type == Type::revolute) {
    joint.damping = constant(table.number_or("damping", 0.0));
  } else if (table.has("damping")) {
    table.refuse("damping", "has no meaning in a fixed joint");
  }
  return joint;
}

absolute::PointSpringSpec read_point_spring(const TomlTable& table) {
  absolute::PointSpringSpec spring;
  spring.name = read_name(table);
  spring.law = table.choice_or("law", spring.law,
                               {{"hooke", SpringLaw::hooke},
                                {"linear", SpringLaw::linear},
                                {"green-lagrange", SpringLaw::green_lagrange}});
  spring.from = table.text("from");
  spring.to = table.text("to");
  if (spring.from == spring.to) table.refuse("to", "is where the spring starts from");
  spring.stiffness = constant(table.number("stiffness"));
  spring.damping = constant(table.number_or("damping", 0.0));
  if (spring.law == SpringLaw::linear) {
    if (table.has("free_length"))
      table.refuse("free_length", "has no meaning for law = \"linear\", which has no free length");
  } else {
    spring.length = constant(table.number("free_length"));
  }
  return spring;
}

bool mass_is_designed(const absolute::SystemSpec& system) {
  const auto designed = [](const ParameterSlot& slot) { return slot.variable >= 0; };
  const auto mass_designed = [&](const auto& part) { return designed(part.mass); };
  const auto beam_designed = [&](const BeamSpec& beam) {
    const auto any = [&](BeamSpec::Quantity q) { return std::ranges::any_of(beam.elements[q], designed); };
    return any(BeamSpec::density) || any(BeamSpec::width) || any(BeamSpec::height) || any(BeamSpec::length);
  };
  return std::ranges::any_of(system.points, mass_designed) ||
         std::ranges::any_of(system.masses, mass_designed) ||
         std::ranges::any_of(system.beams, beam_designed);
}

void read_control_name(const TomlTable& table, const std::vector<ControlCurve>& controls,
                       CriterionTerm& term) {
  if (controls.empty()) table.refuse("type", "needs [controls.NAME]");
  term.control = table.text_or("control", "");
  std::vector<std::string> names;
  for (const ControlCurve& control : controls) names.push_back(control.name);
  if (!term.control.empty() && std::ranges::find(names, term.control) == names.end())
    table.refuse("control", fmt::format("is no control{}", spelling_advice(term.control, names, "\"")));
}

/// A point, or an end of a beam.
Place read_marker(const TomlTable& table) {
  if (table.is_text("at")) table.refuse("at", "names a place; that key is marker now");
  return table.text("marker");
}

FunctionSpec read_function(const TomlTable& table, const CriterionTerm& term) {
  using Type = FunctionSpec::Type;
  FunctionSpec f;
  f.key = table.path(), f.axes = term.axes;
  if (term.quantity == Quantity::position || term.quantity == Quantity::velocity) {
    f.type = term.quantity == Quantity::position ? Type::position : Type::velocity;
    f.marker = read_marker(table);
  } else if (term.quantity == Quantity::distance) {
    f.type = Type::distance;
    f.marker = read_marker(table);
    f.from = table.text_or("from", "ground");
    if (f.marker == f.from) table.refuse("marker", "is the place from which the distance is measured");
  } else if (term.quantity == Quantity::spring_force) {
    f.type = Type::spring_force;
    f.spring = table.text("spring");
  } else {
    f.type = Type::stress;
    f.beam = table.text("beam");
    f.element = static_cast<std::size_t>(table.integer_or("element", 0));
    f.along = table.number_or("along", f.along);
    f.across = table.number_or("across", f.across);
  }
  return f;
}

}  // namespace

}  // namespace absolute

std::vector<int> read_axes(const TomlTable& table, const std::string& key) {
  const std::size_t count = table.texts(key).size();
  const TomlTable list = table.list(key, count);
  std::vector<int> axes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string item = std::to_string(i);
    axes.push_back(list.choice<int>(item, {{"x", 0}, {"y", 1}, {"z", 2}}));
    if (std::count(axes.begin(), axes.end(), axes.back()) > 1) list.refuse(item, "stands twice in the list");
  }
  return axes;
}

absolute::SystemSpec read_absolute_system(const TomlTable& root) {
  absolute::SystemSpec system;
  system.gravity = root.vector3_or("gravity", system.gravity);
  for (const TomlTable& t : root.table_or_empty("points").children())
    system.points.push_back(absolute::read_point(t));
  for (const TomlTable& t : root.table_or_empty("beams").children())
    system.beams.push_back(absolute::read_beam(t));
  if (system.points.empty() && system.beams.empty()) {
    root.fail("", "has neither [points.NAME] nor [beams.NAME]: there is nothing to move");
  }
  for (const TomlTable& t : root.table_or_empty("joints").children())
    system.joints.push_back(absolute::read_beam_joint(t));
  for (const TomlTable& t : root.table_or_empty("masses").children()) {
    system.masses.push_back({read_name(t), t.text("at"), absolute::constant(t.number("mass"))});
  }
  for (const TomlTable& t : root.table_or_empty("springs").children()) {
    system.springs.push_back(absolute::read_point_spring(t));
  }
  return system;
}

ObservableReader absolute_observables(Problem& problem) {
  using Q = Quantity;
  const std::vector<int> plane = {0, 1}, space = {0, 1, 2};
  const auto read_place = [&problem](const TomlTable& table, CriterionTerm& term) {
    absolute::SystemSpec& system = problem.absolute;
    if (term.quantity == Q::control_energy) return absolute::read_control_name(table, problem.controls, term);
    if (term.quantity == Q::kinetic_energy) return;
    if (term.quantity == Q::mass) {
      if (!absolute::mass_is_designed(system))
        table.refuse("type", "needs a quantity in [variables.NAME] that changes the mass");
      return;
    }
    term.function = system.functions.size();
    system.functions.push_back(absolute::read_function(table, term));
  };
  return {"in absolute coordinates",
          {Q::position, Q::velocity, Q::distance, Q::spring_force, Q::stress, Q::kinetic_energy,
           Q::control_energy, Q::mass},
          problem.absolute.beams.empty() ? space : plane,
          false,
          {{"final", "type = \"output\" with time = \"final\" now"},
           {"final-error", "type = \"output\" with time = \"final\" now, and a target"},
           {"tracking", "type = \"output\" with time = \"integral\" now, and a target"},
           {"path", "type = \"output\" with time = \"instants\" now"}},
          read_place};
}

}  // namespace kurbel
