#include <algorithm>
#include <cmath>

#include "problem/checks.hpp"
#include "problem/key_groups.hpp"
#include "problem/readers.hpp"
#include "problem/varied_quantities.hpp"

namespace kurbel {

namespace {

/// A length below which a beam has none, m; and, relatively, what counts as parallel.
constexpr double no_length = 1e-9, parallel = 1e-6;

void read_section(const TomlTable& table, BeamSpec& beam) {
  keys::section().read(table, beam);
  std::size_t index = 0;
  for (std::string key : dimensions_of(beam.shape)) {
    take_word(key);  // section
    if (beam.shape == BeamSpec::Shape::rectangle && table.is_list(key))
      table.refuse(key, "must be a number; lists by element are for planar beams");
    beam.dimensions[index++] = table.number(key);
  }
  if (beam.shape == BeamSpec::Shape::tube && beam.dimensions[1] >= beam.dimensions[0])
    table.refuse("inner_diameter", "must be below outer_diameter = {}", beam.dimensions[0]);
}

/// Three numbers, or the name of a point.
Vector3d read_place(const TomlTable& table, const std::string& key, const PointUse& use,
                    std::vector<NamedPoint>& points) {
  if (!table.is_text(key)) return table.vector3(key);
  NamedPoint& point = find_by_name(table, key, points, "is none of [points.*]");
  point.uses.push_back(use);
  return point.position;
}

/// Normal of the plane of an arc; zero of a straight beam.
Vector3d normal_of(const BeamSpec& beam) {
  return beam.through ? Vector3d((*beam.through - beam.start).cross(beam.end - beam.start))
                      : Vector3d::Zero();
}

/// Across a straight beam; of an arc the normal of its plane, wherever that turns.
Vector3d usual_side(const BeamSpec& beam) {
  if (beam.through) return Vector3d::Zero();
  const Vector3d chord = beam.end - beam.start;
  const bool along_y = chord.cross(Vector3d::UnitY()).norm() < parallel * chord.norm();
  return along_y ? Vector3d::UnitZ() : Vector3d::UnitY();
}

void read_side(const TomlTable& table, BeamSpec& beam) {
  beam.side = table.vector3_or("side", usual_side(beam));
  if (!table.has("side")) return;
  const Vector3d chord = beam.end - beam.start, normal = normal_of(beam);
  if (chord.cross(beam.side).norm() <= parallel * chord.norm() * beam.side.norm())
    table.refuse("side", "is along the beam, or 0; it says where the section's y axis points, across it");
  if (beam.through && std::abs(normal.dot(beam.side)) <= parallel * normal.norm() * beam.side.norm())
    table.refuse("side", "is in the plane of the arc; give a direction that points out of it");
}

void read_spatial(const TomlTable& table, std::size_t index, std::vector<NamedPoint>& points,
                  BeamSpec& beam) {
  if (table.has("through")) {
    beam.through = read_place(table, "through", {PointUse::Kind::beam_through, index}, points);
    const double chord = (beam.end - beam.start).norm();
    if (normal_of(beam).norm() <= no_length * chord * chord)
      table.refuse("through", "is on the line from start to end; leave it out for a straight beam");
  }
  read_side(table, beam);
}

BeamSpec read_beam(const TomlTable& table, BeamSpec::Kind kind, std::size_t index,
                   std::vector<NamedPoint>& points) {
  BeamSpec beam;
  beam.name = read_name(table, "ground");
  beam.kind = kind;
  keys::beam().read(table, beam);
  beam.start = read_place(table, "start", {PointUse::Kind::beam_start, index}, points);
  beam.end = read_place(table, "end", {PointUse::Kind::beam_end, index}, points);
  if ((beam.end - beam.start).norm() < no_length)
    table.refuse("end", "is where the beam starts: it would have no length");
  if (beam.kind == BeamSpec::Kind::spatial) read_spatial(table, index, points, beam);
  read_section(table.table("section"), beam);
  return beam;
}

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

/// A beam of type "planar".
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

}  // namespace

void read_points(const TomlTable& root, SystemSpec& system) {
  for (const TomlTable& table : root.table_or_empty("points").children()) {
    system.points.push_back({.name = read_name(table)});
    keys::named_point().read(table, system.points.back());
  }
}

void read_beams(const TomlTable& root, Problem& problem) {
  using Beams = FormulationTraits::Beams;
  const Beams beams = traits_of(problem.formulation).beams;
  const bool natural = is_natural(problem.formulation);
  if (root.has("beams") && beams == Beams::none)
    root.fail("beams",
              "needs formulation = \"floating-frame\" or \"natural-coordinates\"; bodies are rigid in \"{}\"",
              word_of(problem.formulation));
  using Kind = std::optional<BeamSpec::Kind>;
  static const TomlTable::Words<Kind> kinds = {
      {"cable", BeamSpec::Kind::cable}, {"spatial", BeamSpec::Kind::spatial}, {"planar", std::nullopt}};
  SystemSpec& system = problem.system;
  for (const TomlTable& table : root.table_or_empty("beams").children()) {
    const Kind kind = table.choice_or<Kind>("type", BeamSpec{}.kind, kinds);
    if (beams == Beams::spatial && kind != BeamSpec::Kind::spatial)
      table.fail(
          "type",
          "must be \"spatial\" in a floating frame, where nodes have axes; the nodes of others have slopes, "
          "for which they need formulation = \"natural-coordinates\"");
    if (kind) {
      system.beams.push_back(read_beam(table, *kind, system.beams.size(), system.points));
    } else {
      system.planar_beams.push_back(read_planar_beam(table));
    }
    if (problem.find_body(table.name()) || find_named(system.point_masses, table.name()))
      table.fail("", "has the name of bodies.{}; beams and bodies need different ones", table.name());
  }
  for (const TomlTable& table : root.table_or_empty("masses").children()) {
    if (!natural) table.fail("", "needs formulation = \"natural-coordinates\"; in others give it to a body");
  }
}

void read_coordinates(const TomlTable& root, Problem& problem) {
  if (root.has("coordinates") && !is_natural(problem.formulation))
    root.fail("coordinates", "needs formulation = \"natural-coordinates\"");
  const TomlTable table = root.table_or_empty("coordinates");
  SystemSpec& system = problem.system;
  keys::coordinates().read(table, system);
  if (!table.boolean_or("shared", false)) return;
  for (JointSpec& joint : system.joints) joint.shares_coordinates = true;
  for_each_term(problem, [&](const CriterionTerm& term, const std::string&) {
    const bool of_reaction = term.quantity == Quantity::reaction_force ||
                             term.quantity == Quantity::reaction_moment ||
                             term.quantity == Quantity::drive_torque;
    const auto joint = std::ranges::find(system.joints, term.joint, &JointSpec::name);
    if (of_reaction && joint != system.joints.end()) joint->shares_coordinates = false;
  });
}

}  // namespace kurbel
