/// Materials, sizes and masses of bodies and beams.
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "fem/mesh_source.hpp"
#include "plausibility/findings.hpp"
#include "plausibility/implausible_values.hpp"
#include "problem/key_groups.hpp"

namespace kurbel {

namespace {

/// A unit in which a number would be plausible.
struct OtherUnit {
  const char* name;
  double factor;  ///< to SI
};

/// ". In MPa it would be 2.1e+11 Pa" by the first unit that makes the value lie within the range.
std::string meant(double value, std::initializer_list<OtherUnit> units, double lower, double upper,
                  const char* unit) {
  for (const OtherUnit& other : units) {
    const double in_si = value * other.factor;
    if (in_si >= lower && in_si <= upper)
      return fmt::format(". In {} it would be {:.4g} {}", other.name, in_si, unit);
  }
  return "";
}

void examine_modulus(const std::string& key, double E, Findings& findings) {
  constexpr double diamond = 1.2e12, soft_solid = 1e8;
  const auto add = [&](const char* what) {
    findings.add(
        key, "= {:g} Pa is {}{}", E, what,
        meant(E, {{"GPa", 1e9}, {"MPa", 1e6}, {"kPa", 1e3}, {"mPa", 1e-3}}, soft_solid, diamond, "Pa"));
  };
  if (E < softest_solid) add("softer than rubber");
  if (E > diamond) add("stiffer than diamond");
}

void examine_density(const std::string& key, double E, double rho, Findings& findings) {
  constexpr double stiff = 1e9, lightest_stiff = 100.0, lightest = 1.0, heaviest = 30000.0;
  const double least = E > stiff ? lightest_stiff : lightest;
  if (rho >= least && rho <= heaviest) return;
  findings.add(
      key, "= {:g} kg/m^3 is {}{}", rho,
      rho > heaviest ? "denser than any metal" : fmt::format("lighter than any solid of {:.3g} Pa", E),
      meant(rho, {{"g/cm^3", 1e3}, {"t/mm^3", 1e12}, {"kg/mm^3", 1e9}, {"g/m^3", 1e-3}}, lightest_stiff,
            heaviest, "kg/m^3"));
}

std::string size_of(const fem::MeshSpec& mesh) {
  return mesh.dim == 2 ? fmt::format("[{:g}, {:g}] m", mesh.size[0], mesh.size[1])
                       : fmt::format("[{:g}, {:g}, {:g}] m", mesh.size[0], mesh.size[1], mesh.size[2]);
}

/// A part of another size than parts have, or of elements that are larger than it, or that lock.
void examine_part(const fem::FlexibleBodySpec& body, const std::string& key, Findings& findings) {
  const fem::MeshSpec& mesh = body.mesh;
  const TomlTable stated =
      TomlTable(*findings.problem().document, root_keys()).table("bodies").table(body.name).table("mesh");
  const double edge = stated.has("size") ? stated.number("size") : 0.0;
  if (edge > mesh.size.head(mesh.dim).maxCoeff())
    findings.add(key + "size", "= {:g} m is more than the part is long, {}. In mm it would be {:g} m", edge,
                 size_of(mesh), 1e-3 * edge);
  if (is_unlikely_length(mesh.size.head(mesh.dim).maxCoeff()))
    findings.add(key + "unit", "makes a part of {}. In which unit was it drawn?", size_of(mesh));
  for (const fem::ElementKind kind : {fem::ElementKind::tri3, fem::ElementKind::tet4}) {
    const auto is_kind = [&](const fem::Mesh::Block& block) { return block.kind == kind; };
    const auto blocks = mesh.given->blocks();
    if (std::ranges::any_of(blocks, is_kind))
      findings.add(key + "order",
                   "= 1: {} elements lock, so that the body is too stiff in bending. Use order = 2",
                   fem::topology(kind).name);
  }
}

void examine_mesh(const fem::FlexibleBodySpec& body, Findings& findings) {
  constexpr double thinnest = 1e-3, most_slender_element = 50.0, thin_direction = 1.0 / 3.0;
  const std::string key = fmt::format("bodies.{}.mesh.", body.name);
  const fem::MeshSpec& mesh = body.mesh;
  const VectorXd edges = mesh.size.head(mesh.dim);
  const VectorXd element = fem::mesh_source(mesh)->element_size(mesh.size).head(mesh.dim);
  if (mesh.dim == 2 && mesh.plane == fem::PlaneState::stress && mesh.thickness > edges.maxCoeff()) {
    findings.add(key + "thickness",
                 "= {:g} m is more than the body is long, size = {}. In mm it would be {:g} m",
                 mesh.thickness, size_of(mesh), 1e-3 * mesh.thickness);
  }
  if (mesh.dim == 2 && mesh.thickness < thinnest * edges.minCoeff()) {
    findings.add(key + "thickness", "= {:g} m is below a thousandth of size = {}. Are both in m?",
                 mesh.thickness, size_of(mesh));
  }
  if (mesh.given) return examine_part(body, key, findings);
  if (element.maxCoeff() > most_slender_element * element.minCoeff()) {
    findings.add(key + "size", "= {} makes elements {:.3g} times as long as wide. Are all edges in m?",
                 size_of(mesh), element.maxCoeff() / element.minCoeff());
  }
  if (mesh.element == fem::ElementType::incompatible) return;
  for (int d = 0; d < mesh.dim; ++d) {
    if (mesh.divisions[static_cast<std::size_t>(d)] > 1 || edges[d] > thin_direction * edges.maxCoeff())
      continue;
    findings.add(key + "divisions",
                 "has a lone element along {}, which is too stiff in bending. Use more, or element = "
                 "\"incompatible\"",
                 "xyz"[d]);
  }
}

void examine_damping(const fem::FlexibleBodySpec& body, Findings& findings) {
  for (const double ratio : body.damping_modal) {
    if (ratio < 1.0) continue;
    findings.add(fmt::format("bodies.{}.damping.modal", body.name),
                 "= {:g} lets no mode vibrate. It is a ratio: 2 % are 0.02", ratio);
    return;
  }
}

/// Edges of the solid box of this mass and these principal moments of inertia, m: ascending, m a_i^2 / 6 = J_j + J_k -
/// J_i. Careless moments of what moves in a plane have none: then an edge is a thousandth of the longest.
Vector3d box_of(double mass, const Matrix3d& J) {
  const Vector3d moments = Eigen::SelfAdjointEigenSolver<Matrix3d>(J, Eigen::EigenvaluesOnly).eigenvalues();
  Vector3d squares = (6.0 / mass) * (Vector3d::Constant(moments.sum()) - 2.0 * moments);
  const double longest = squares.maxCoeff();
  return squares.cwiseMax(1e-6 * longest).cwiseSqrt();
}

/// Masses in t are too light for their inertia, and masses in g too heavy, by a factor of 1e7 in the density of the box.
void examine_inertia(std::size_t i, Findings& findings) {
  const Problem& problem = findings.problem();
  constexpr double lightest = 1e-3, densest = 5e9;  // kg/m^3: frames of struts, and masses in a point
  const Sid& sid = problem.system.bodies[i].sid;
  const double mass = sid.refmod.mass;
  const Vector3d r = sid.mdCM.M0 / mass;
  const Matrix3d J = Matrix3d(sid.J.M0) - mass * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
  const Vector3d box = box_of(mass, J);
  if (!box.allFinite() || box.maxCoeff() == 0.0) return;
  const bool too_light = mass / std::pow(box.maxCoeff(), 3)<lightest, too_dense = mass / box.prod()> densest;
  if (!too_light && !too_dense) return;
  findings.add(fmt::format("bodies.{}.mass", problem.bodies[i].name),
               "= {:g} kg does not go with the inertia: a box that has both is {:.2g} m long, of {:.2g} "
               "kg/m^3. Is mass in kg, and inertia in kg m^2?",
               mass, box.maxCoeff(), mass / box.prod());
}

/// Dimensions of a section beside the length of its beam.
void examine_section(const std::string& key, const char* what, double dimension, double length,
                     Findings& findings) {
  constexpr double thinnest = 1e-4;
  if (dimension > length) {
    findings.add(key, "{} {:g} m is more than the beam is long, {:g} m. In mm it would be {:g} m", what,
                 dimension, length, 1e-3 * dimension);
  } else if (dimension < thinnest * length) {
    findings.add(key,
                 "{} {:g} m is below 1e-4 of the length of the beam, {:g} m. Are both in "
                 "m?",
                 what, dimension, length);
  }
}

void examine_beam(const BeamSpec& beam, Findings& findings) {
  const std::string key = "beams." + beam.name;
  examine_modulus(key + ".youngs_modulus", beam.youngs_modulus, findings);
  examine_density(key + ".density", beam.youngs_modulus, beam.density, findings);
  const double length = (beam.end - beam.start).norm();
  if (length > 0.0) examine_section(key + ".section", "of", beam.dimensions[0], length, findings);
}

double length_of(const PlanarBeamSpec& beam) {
  const std::vector<double>& lengths = beam.elements[PlanarBeamSpec::length];
  return std::accumulate(lengths.begin(), lengths.end(), 0.0);
}

void examine_planar_beam(const PlanarBeamSpec& beam, Findings& findings) {
  using B = PlanarBeamSpec;
  const std::string key = "beams." + beam.name;
  const auto first = [&](B::Quantity quantity) { return beam.elements[quantity].front(); };
  examine_modulus(key + ".youngs_modulus", first(B::youngs_modulus), findings);
  examine_density(key + ".density", first(B::youngs_modulus), first(B::density), findings);
  const double length = length_of(beam);
  examine_section(key + ".section.width", "=", first(B::width), length, findings);
  examine_section(key + ".section.height", "=", first(B::height), length, findings);
}

struct Part {
  std::string key;
  double length;
};

std::vector<Part> parts_of(const Problem& problem) {
  std::vector<Part> parts;
  const auto add = [&](const std::string& key, double length) {
    if (length > 0.0) parts.push_back({key, length});
  };
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const bool has_mesh = problem.bodies[i].type == ProblemBody::Type::flexible;
    add(fmt::format("bodies.{}.{}", problem.bodies[i].name, has_mesh ? "mesh.size" : "markers"),
        length_of_body(problem, i));
  }
  for (const BeamSpec& beam : problem.system.beams) add("beams." + beam.name, (beam.end - beam.start).norm());
  for (const PlanarBeamSpec& beam : problem.system.planar_beams) add("beams." + beam.name, length_of(beam));
  std::ranges::sort(parts, {}, &Part::length);
  return parts;
}

/// Parts among which there are none of a size between are in different units.
void examine_lengths(Findings& findings) {
  constexpr double largest_gap = 100.0, longest = 100.0, shortest = 1e-5;  // m
  const std::vector<Part> parts = parts_of(findings.problem());
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const Part &small = parts[k - 1], &large = parts[k];
    if (large.length <= largest_gap * small.length) continue;
    const bool is_large_odd = parts.size() - k <= k;
    const Part &odd = is_large_odd ? large : small, &other = is_large_odd ? small : large;
    findings.add(odd.key, "makes the part {:.3g} m long, far from {:.3g} m by {}. Are both in m?", odd.length,
                 other.length, other.key);
    return;
  }
  if (!parts.empty() && parts.back().length > longest)
    findings.add(parts.back().key, "makes the part {:.4g} m long. In mm it would be {:.4g} m",
                 parts.back().length, 1e-3 * parts.back().length);
  if (!parts.empty() && parts.back().length < shortest)
    findings.add(parts.back().key, "makes the largest part {:.3g} m long", parts.back().length);
}

double diagonal_of(const std::vector<Vector3d>& places) {
  Vector3d lower = places.front(), upper = places.front();
  for (const Vector3d& place : places) lower = lower.cwiseMin(place), upper = upper.cwiseMax(place);
  return (upper - lower).norm();
}

std::vector<Vector3d> places_on(const std::vector<SidNode>& nodes) {
  std::vector<Vector3d> places = {Vector3d::Zero()};
  for (const SidNode& node : nodes) places.push_back(node.origin.M0);
  return places;
}

}  // namespace

double length_of_body(const Problem& problem, std::size_t body) {
  const ProblemBody& of_problem = problem.bodies[body];
  if (of_problem.type == ProblemBody::Type::flexible)
    return of_problem.flexible.mesh.size.head(of_problem.flexible.mesh.dim).maxCoeff();
  const Sid& sid = problem.system.bodies[body].sid;
  std::vector<Vector3d> places = places_on(sid.frame);
  if (sid.refmod.mass > 0.0) places.push_back(sid.mdCM.M0 / sid.refmod.mass);
  return diagonal_of(places);
}

double length_of_mechanism(const Problem& problem) {
  const SystemSpec& system = problem.system;
  std::vector<Vector3d> places = places_on(system.ground);
  for (const BodySpec& body : system.bodies) places.push_back(body.initial.position);
  for (const PointMassSpec& point : system.point_masses) places.push_back(point.position);
  for (const NamedPoint& point : system.points) places.push_back(point.position);
  const std::vector<Part> parts = parts_of(problem);
  return std::max(diagonal_of(places), parts.empty() ? 0.0 : parts.back().length);
}

bool is_unlikely_length(double metres) {
  constexpr double longest = 20.0, shortest = 1e-3;
  return metres > longest || metres < shortest;
}

std::vector<std::string> implausible_bodies(const Problem& problem) {
  using Type = ProblemBody::Type;
  Findings findings(problem);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    if (body.type == Type::rigid) examine_inertia(i, findings);
    if (body.type != Type::flexible) continue;
    const std::string material = fmt::format("bodies.{}.material.", body.name);
    const fem::FlexibleBodySpec& spec = body.flexible;
    examine_modulus(material + "youngs_modulus", spec.material.youngs_modulus, findings);
    examine_density(material + "density", spec.material.youngs_modulus, spec.material.density, findings);
    examine_mesh(spec, findings);
    examine_damping(spec, findings);
  }
  for (const BeamSpec& beam : problem.system.beams) examine_beam(beam, findings);
  for (const PlanarBeamSpec& beam : problem.system.planar_beams) examine_planar_beam(beam, findings);
  examine_lengths(findings);
  return findings.texts();
}

}  // namespace kurbel
