#include <fmt/format.h>

#include <cmath>

#include "problem/readers.hpp"

namespace kurbel {

namespace {

using namespace absolute;

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
  if (moves || table.has("mass")) point.mass = constant(table.number("mass", Range::positive()));
  return point;
}

/// A number for all elements, or a list with one for each.
std::vector<ParameterSlot> read_per_element(const TomlTable& table, const std::string& key, std::size_t n,
                                            const Range& range) {
  std::vector<ParameterSlot> slots;
  if (!table.is_list(key)) return std::vector<ParameterSlot>(n, constant(table.number(key, range)));
  for (const double value : table.numbers(key, n, n, range)) slots.push_back(constant(value));
  return slots;
}

BeamSpec read_beam(const TomlTable& table) {
  BeamSpec beam;
  beam.name = read_name(table, "ground");
  beam.n_elements = static_cast<std::size_t>(table.integer_or("elements", 1, Range::closed(1, 1000)));
  if (table.has("start")) {
    const std::vector<double> start = table.numbers("start", 2, 2);
    beam.start = Eigen::Vector2d(start[0], start[1]);
  }
  const std::vector<double> direction = table.numbers("direction", 2, 2);
  if (direction[0] == 0.0 && direction[1] == 0.0) table.refuse("direction", "has no length");
  beam.angle = std::atan2(direction[1], direction[0]);

  const std::size_t n = beam.n_elements;
  const Range positive = Range::positive();
  beam.elements[BeamSpec::width] = read_per_element(table, "width", n, positive);
  beam.elements[BeamSpec::height] = read_per_element(table, "height", n, positive);
  const double length = table.number("length", positive) / static_cast<double>(n);
  beam.elements[BeamSpec::length].assign(n, constant(length));
  const TomlTable material = table.table("material");
  const auto per_material = [&](BeamSpec::Quantity quantity, const char* key, const Range& range) {
    beam.elements[quantity].assign(n, constant(material.number(key, range)));
  };
  per_material(BeamSpec::youngs_modulus, "youngs_modulus", positive);
  per_material(BeamSpec::poisson_ratio, "poisson_ratio", Range::open(-1.0, 0.5));
  per_material(BeamSpec::density, "density", positive);
  beam.coupling = table.choice_or("poisson_coupling", beam.coupling,
                                  {{"full", PoissonCoupling::full}, {"axis", PoissonCoupling::axis}});
  return beam;
}

absolute::JointSpec read_beam_joint(const TomlTable& table) {
  using Type = absolute::JointSpec::Type;
  absolute::JointSpec joint;
  joint.name = read_name(table);
  joint.type = table.choice<Type>("type", {{"revolute", Type::revolute}, {"fixed", Type::fixed}});
  joint.from = table.text("from");
  joint.to = table.text("to");
  if (joint.from == joint.to) table.refuse("to", "joins a place to itself");
  const double damping = table.number_or("damping", 0.0, Range::at_least(0.0));
  if (joint.type == Type::fixed && table.has("damping"))
    table.refuse("damping", "has no meaning in a fixed joint");
  joint.damping = constant(damping);
  return joint;
}

absolute::SpringSpec read_point_spring(const TomlTable& table) {
  absolute::SpringSpec spring;
  spring.name = read_name(table);
  spring.law = table.choice_or("law", spring.law,
                               {{"hooke", SpringLaw::hooke},
                                {"linear", SpringLaw::linear},
                                {"green-lagrange", SpringLaw::green_lagrange}});
  spring.from = table.text("from");
  spring.to = table.text("to");
  if (spring.from == spring.to) table.refuse("to", "is where the spring starts from");
  spring.stiffness = constant(table.number("stiffness", Range::at_least(0.0)));
  spring.damping = constant(table.number_or("damping", 0.0, Range::at_least(0.0)));
  if (spring.law == SpringLaw::linear) {
    if (table.has("free_length"))
      table.refuse("free_length", "has no meaning for law = \"linear\", which has no free length");
  } else {
    spring.length = constant(table.number("free_length", Range::positive()));
  }
  return spring;
}

FunctionSpec read_output_function(const TomlTable& table, const absolute::SystemSpec& system) {
  using Type = FunctionSpec::Type;
  FunctionSpec f;
  f.name = read_name(table);
  f.type = table.choice<Type>("type", {{"position", Type::position},
                                       {"velocity", Type::velocity},
                                       {"distance", Type::distance},
                                       {"spring-force", Type::spring_force},
                                       {"stress", Type::stress}});
  const std::vector<int> all = system.beams.empty() ? std::vector<int>{0, 1, 2} : std::vector<int>{0, 1};
  switch (f.type) {
    case Type::position:
    case Type::velocity:
      f.at = table.text("at");
      f.axes = table.has("axes") ? read_axes(table, "axes") : all;
      break;
    case Type::distance:
      f.at = table.text("at");
      f.from = table.text_or("from", "ground");
      if (f.at == f.from) table.refuse("at", "is the place from which the distance is measured");
      break;
    case Type::spring_force:
      f.spring = table.text("spring");
      f.axes = table.has("axes") ? read_axes(table, "axes") : all;
      break;
    case Type::stress:
      f.beam = table.text("beam");
      f.element = static_cast<std::size_t>(table.integer_or("element", 0, Range::at_least(0)));
      f.along = table.number_or("along", f.along, Range::closed(0.0, 1.0));
      f.across = table.number_or("across", f.across, Range::closed(-0.5, 0.5));
      break;
  }
  return f;
}

}  // namespace

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
  for (const TomlTable& t : root.table_or_empty("points").children()) system.points.push_back(read_point(t));
  for (const TomlTable& t : root.table_or_empty("beams").children()) system.beams.push_back(read_beam(t));
  if (system.points.empty() && system.beams.empty()) {
    root.fail("", "has neither [points.NAME] nor [beams.NAME]: there is nothing to move");
  }
  for (const TomlTable& t : root.table_or_empty("joints").children())
    system.joints.push_back(read_beam_joint(t));
  for (const TomlTable& t : root.table_or_empty("masses").children()) {
    system.masses.push_back({read_name(t), t.text("at"), constant(t.number("mass", Range::positive()))});
  }
  for (const TomlTable& t : root.table_or_empty("springs").children()) {
    system.springs.push_back(read_point_spring(t));
  }
  for (const TomlTable& t : root.table_or_empty("outputs").children()) {
    system.functions.push_back(read_output_function(t, system));
  }
  return system;
}

}  // namespace kurbel
