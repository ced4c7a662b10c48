#include <fmt/format.h>

#include <cmath>

#include "problem/readers.hpp"

namespace kurbel {

namespace {

PointMassSpec read_point(const TomlTable& table) {
  PointMassSpec point;
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
  if (point.moves() || table.has("mass")) point.mass = table.number("mass");
  return point;
}

/// A number for all elements, or a list with one for each.
std::vector<double> read_per_element(const TomlTable& table, const std::string& key, std::size_t n) {
  if (!table.is_list(key)) return std::vector<double>(n, table.number(key));
  return table.numbers(key, n, n);
}

PlanarBeamSpec read_beam(const TomlTable& table) {
  PlanarBeamSpec beam;
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
  beam.elements[PlanarBeamSpec::width] = read_per_element(table, "width", n);
  beam.elements[PlanarBeamSpec::height] = read_per_element(table, "height", n);
  const double length = table.number("length") / static_cast<double>(n);
  beam.elements[PlanarBeamSpec::length].assign(n, length);
  const TomlTable material = table.table("material");
  const auto per_material = [&](PlanarBeamSpec::Quantity quantity, const char* key) {
    beam.elements[quantity].assign(n, material.number(key));
  };
  per_material(PlanarBeamSpec::youngs_modulus, "youngs_modulus");
  per_material(PlanarBeamSpec::poisson_ratio, "poisson_ratio");
  per_material(PlanarBeamSpec::density, "density");
  beam.coupling = table.choice_or("poisson_coupling", beam.coupling,
                                  {{"full", PoissonCoupling::full}, {"axis", PoissonCoupling::axis}});
  return beam;
}

}  // namespace

void read_planar_parts(const TomlTable& root, SystemSpec& system) {
  for (const TomlTable& t : root.table_or_empty("points").children())
    system.point_masses.push_back(read_point(t));
  for (const TomlTable& t : root.table_or_empty("beams").children())
    system.planar_beams.push_back(read_beam(t));
  if (system.point_masses.empty() && system.planar_beams.empty())
    root.fail("", "has neither [points.NAME] nor [beams.NAME]: there is nothing to move");
  for (const TomlTable& t : root.table_or_empty("masses").children())
    system.attached_masses.push_back({read_name(t), read_marker_ref(t, "at"), t.number("mass")});
}

}  // namespace kurbel
