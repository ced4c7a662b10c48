#include <fmt/format.h>

#include <cmath>

#include "problem/key_groups.hpp"
#include "problem/readers.hpp"

namespace kurbel {

namespace {

/// A number for all elements, or a list with one for each.
std::vector<double> read_per_element(const TomlTable& table, const std::string& key, std::size_t n) {
  if (!table.is_list(key)) return std::vector<double>(n, table.number(key));
  return table.numbers(key, n, n);
}

/// x and y of a vector in the plane z = 0.
Eigen::Vector2d read_in_plane(const TomlTable& table, const std::string& key) {
  const Vector3d vector = table.vector3(key);
  if (vector.z() != 0.0) table.refuse(key, "leaves the plane z = 0, in which planar beams move");
  return vector.head<2>();
}

}  // namespace

PointMassSpec read_point_mass(const TomlTable& table) {
  PointMassSpec point;
  point.name = read_name(table, "ground");
  const TomlTable initial = table.table_or_empty("initial");
  for (const char* key : {"rotation", "angular_velocity", "q", "q_dot", "loads"}) {
    if (initial.has(key)) initial.fail(key, "has no meaning for a point, which neither turns nor deforms");
  }
  point.position = initial.vector3_or("position", point.position);
  point.velocity = initial.vector3_or("velocity", point.velocity);
  if (table.has("free")) {
    point.free = {};
    for (const int axis : table.choices("free", keys::axis_indices()))
      point.free[static_cast<std::size_t>(axis)] = true;
  }
  for (Eigen::Index d = 0; d < 3; ++d) {
    if (!point.free[static_cast<std::size_t>(d)] && point.velocity[d] != 0.0)
      initial.refuse("velocity", "moves along {}, which is not free", "xyz"[d]);
  }
  if (point.moves() || table.has("mass")) point.mass = table.number("mass");
  return point;
}

PlanarBeamSpec read_planar_beam(const TomlTable& table) {
  PlanarBeamSpec beam;
  beam.name = read_name(table, "ground");
  beam.n_elements = static_cast<std::size_t>(table.integer_or("elements", BeamSpec{}.n_elements));
  if (table.has("start")) beam.start = read_in_plane(table, "start");
  const Eigen::Vector2d direction = read_in_plane(table, "direction");
  if (direction.isZero(0.0)) table.refuse("direction", "has no length");
  beam.angle = std::atan2(direction.y(), direction.x());

  const std::size_t n = beam.n_elements;
  const TomlTable section = table.table("section");
  if (section.text("shape") != "rectangle") section.refuse("shape", "must be \"rectangle\" of a planar beam");
  beam.elements[PlanarBeamSpec::width] = read_per_element(section, "width", n);
  beam.elements[PlanarBeamSpec::height] = read_per_element(section, "height", n);
  const auto for_all = [&](PlanarBeamSpec::Quantity quantity, double value) {
    beam.elements[quantity].assign(n, value);
  };
  for_all(PlanarBeamSpec::length, table.number("length") / static_cast<double>(n));
  for_all(PlanarBeamSpec::youngs_modulus, table.number("youngs_modulus"));
  for_all(PlanarBeamSpec::poisson_ratio, table.number_or("poisson_ratio", BeamSpec{}.poisson_ratio));
  for_all(PlanarBeamSpec::density, table.number("density"));
  beam.coupling = table.choice_or("poisson_coupling", beam.coupling,
                                  {{"full", PoissonCoupling::full}, {"axis", PoissonCoupling::axis}});
  return beam;
}

}  // namespace kurbel
