/// The filter, and bounds that a design has to meet.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <utility>

#include "fem/faces.hpp"
#include "fem/mesh_source.hpp"
#include "plausibility/findings.hpp"
#include "plausibility/implausible_values.hpp"
#include "problem/named_parts.hpp"

namespace kurbel {

namespace {

void examine_filter(Findings& findings) {
  const Problem& problem = findings.problem();
  const bool is_stated = problem.document->find("filter") != nullptr;
  if (!is_stated && !problem.objective.empty() && !problem.design.bodies.empty())
    findings.add("design",
                 "varies densities without a [filter], so that the result depends on the mesh. State type = "
                 "\"density\" and a radius of at least two elements");
  if (problem.filter.type == FilterOptions::Type::none) return;
  constexpr double least = 1.5;  // edges; a plate on longer ones was a fifth to five times more compliant
  const double radius = problem.filter.radius;
  for (const std::string& name : problem.design.bodies) {
    const fem::MeshSpec& mesh = find_named(problem.bodies, name)->flexible.mesh;
    const bool is_of_file = mesh.given != nullptr;
    const double element = is_of_file
                               ? fem::mean_edge(*mesh.given)
                               : fem::mesh_source(mesh)->element_size(mesh.size).head(mesh.dim).minCoeff();
    const double longest = mesh.size.head(mesh.dim).maxCoeff();
    if (is_of_file && radius < least * element)
      findings.add(
          "filter.radius",
          "= {:g} m is {:.2g} edges of the elements of {}, {:.3g} m in the mean: designs of so coarse a "
          "mesh are far from the best. Take elements of {:.2g} m, or a larger radius",
          radius, radius / element, name, element, 0.5 * radius);
    if (!is_of_file && radius < element)
      findings.add("filter.radius",
                   "= {:g} m is below an element of {}, {:.3g} m, so that nothing is filtered", radius, name,
                   element);
    if (radius > longest)
      findings.add("filter.radius",
                   "= {:g} m is more than body {} is long, {:g} m. {:g} elements of it would be {:.3g} m",
                   radius, name, longest, radius, radius * element);
  }
}

/// Modulus of the material whose stress is bounded, Pa; 0: unknown.
double modulus_under(const CriterionTerm& term, const Problem& problem) {
  if (const ProblemBody* body = find_named(problem.bodies, term.body);
      body && term.quantity == Quantity::von_mises)
    return body->flexible.material.youngs_modulus;
  if (const BeamSpec* beam = find_named(problem.system.beams, term.beam)) return beam->youngs_modulus;
  const PlanarBeamSpec* planar = find_named(problem.system.planar_beams, term.beam);
  return planar ? planar->elements[PlanarBeamSpec::youngs_modulus].front() : 0.0;
}

void examine_stress(const CriterionConstraint& c, const std::string& key, Findings& findings) {
  constexpr double least_strain = 1e-7, largest_strain = 0.1;
  const double E = modulus_under(c.terms.front(), findings.problem());
  if (E == 0.0 || !c.upper || *c.upper <= 0.0) return;
  if (*c.upper < least_strain * E)
    findings.add(key, "= {:g} Pa is 1e-7 of the modulus, {:.3g} Pa, or less. In MPa it would be {:g} Pa",
                 *c.upper, E, 1e6 * *c.upper);
  if (*c.upper > largest_strain * E)
    findings.add(key, "= {:g} Pa is above a tenth of the modulus, {:.3g} Pa", *c.upper, E);
}

void examine_deflection(const CriterionConstraint& c, const std::string& key, Findings& findings) {
  constexpr double largest = 0.1;
  const Problem& problem = findings.problem();
  const auto at = problem.find_body(c.terms.front().marker.body);
  if (!at || !c.terms.front().component || !c.upper) return;
  const double length = length_of_body(problem, *at);
  if (*c.upper > largest * length)
    findings.add(key,
                 "= {:g} m is above a tenth of body {}, {:g} m, beyond its linear elasticity. In mm it "
                 "would be {:g} m",
                 *c.upper, problem.bodies[*at].name, length, 1e-3 * *c.upper);
}

void examine_target(const CriterionConstraint& c, const std::string& key, Findings& findings) {
  constexpr double far = 300.0;
  const double length = length_of_mechanism(findings.problem());
  if (!c.equals || length == 0.0 || std::abs(*c.equals) <= far * length) return;
  findings.add(key, "= {:g} m is far from a mechanism of {:.3g} m. In mm it would be {:g} m", *c.equals,
               length, 1e-3 * *c.equals);
}

/// Targets of hinges that are whole numbers of degrees. More than four turns are rare, and then multiples of a turn.
void examine_angle(const CriterionConstraint& c, const std::string& key, Findings& findings) {
  constexpr double most_turns = 4.0, degree = turn / 360.0, close = 1e-6;
  if (!c.equals || std::abs(*c.equals) <= most_turns * turn ||
      std::abs(*c.equals - std::round(*c.equals)) > close)
    return;
  findings.add(key, "= {:g} rad is more than {:g} turns. In degrees it would be {:.4g} rad", *c.equals,
               most_turns, *c.equals * degree);
}

/// Two bounds of a smooth extreme hold it between them, and not all values.
void examine_sides(const CriterionConstraint& c, Findings& findings) {
  const CriterionTerm& term = c.terms.front();
  if (c.terms.size() != 1 || term.time != TimeFunctional::kreisselmeier_steinhauser || term.of_response)
    return;
  if (!c.lower || !c.upper || term.weight < 0.0) return;
  const bool is_largest = term.exponent > 0.0;
  findings.add(
      fmt::format("constraints.criteria.{}.{}", c.name, is_largest ? "lower" : "upper"),
      "= {:g} bounds the {} value over time. For the {} one, state a criterion of its own with {}",
      is_largest ? *c.lower : *c.upper, is_largest ? "largest" : "smallest",
      is_largest ? "smallest" : "largest",
      is_largest ? "a negative exponent and this lower bound" : "a positive exponent and this upper bound");
}

void examine_criterion(const CriterionConstraint& c, Findings& findings) {
  examine_sides(c, findings);
  if (c.terms.size() != 1 || c.terms.front().weight != 1.0 ||
      c.terms.front().time == TimeFunctional::integral)
    return;
  const std::string key = fmt::format("constraints.criteria.{}.", c.name);
  switch (c.terms.front().quantity) {
    case Quantity::von_mises:
    case Quantity::stress:
      return examine_stress(c, key + "upper", findings);
    case Quantity::displacement:
      return examine_deflection(c, key + "upper", findings);
    case Quantity::position:
    case Quantity::distance:
    case Quantity::relative_position:
      return examine_target(c, key + "equals", findings);
    case Quantity::joint_angle:
      return examine_angle(c, key + "equals", findings);
    default:
      return;
  }
}

/// Warns of a compliance that nothing but the mass of the part itself keeps from making it solid everywhere.
void examine_bounds_of_material(Findings& findings) {
  const Problem& problem = findings.problem();
  const ConstraintOptions& bounds = problem.constraints;
  if (problem.design.bodies.empty() || bounds.volume_fraction || bounds.mass || !bounds.criteria.empty())
    return;
  const auto is_compliance = [](const CriterionTerm& term) {
    return term.quantity == Quantity::compliance && term.weight > 0.0;
  };
  if (problem.objective.empty() || !std::ranges::all_of(problem.objective, is_compliance)) return;
  findings.add("objective",
               "is a compliance, and no constraint bounds the material: the result may be nearly solid. "
               "State constraints.volume_fraction or constraints.mass");
}

/// Damping of bodies that leaves nothing to resonate in most of the band of a frequency response.
void examine_damping_of_response(Findings& findings) {
  const Problem& problem = findings.problem();
  if (problem.analysis != Analysis::frequency_response) return;
  const double fastest = problem.frequency_response.to;
  const double slow = std::max(problem.frequency_response.from, fastest / 20.0);
  for (const ProblemBody& body : problem.bodies) {
    const double ratio = std::numbers::pi * slow * body.flexible.damping_beta;
    if (body.type != ProblemBody::Type::flexible || ratio < 1.0) continue;
    findings.add(
        fmt::format("bodies.{}.damping.beta", body.name),
        "= {:g} s lets nothing vibrate: the damping ratio at {:g} Hz is {:.3g}. In ms it would be {:g} s",
        body.flexible.damping_beta, slow, ratio, 1e-3 * body.flexible.damping_beta);
  }
}

/// Against the mass of all designed bodies when they are solid.
void examine_mass(Findings& findings) {
  constexpr double far_above = 2.0;
  const Problem& problem = findings.problem();
  if (!problem.constraints.mass || problem.design.bodies.empty()) return;
  double solid = 0.0;
  for (const std::string& name : problem.design.bodies) {
    const fem::FlexibleBodySpec& body = find_named(problem.bodies, name)->flexible;
    const fem::MeshSpec& mesh = body.mesh;
    solid += body.material.density * mesh.size.head(mesh.dim).prod() * (mesh.dim == 2 ? mesh.thickness : 1.0);
  }
  if (*problem.constraints.mass > far_above * solid)
    findings.add("constraints.mass",
                 "= {:g} kg bounds nothing: solid bodies weigh {:.3g} kg. In g it would "
                 "be {:g} kg",
                 *problem.constraints.mass, solid, 1e-3 * *problem.constraints.mass);
}

using Examine = std::vector<std::string> (*)(const Problem&);

/// Findings in the problem and in its cases, each once.
std::vector<std::string> found_by(std::initializer_list<Examine> all, const Problem& problem) {
  std::vector<std::string> texts;
  const auto add = [&](const Problem& examined) {
    for (const Examine examine : all) {
      for (const std::string& text : examine(examined)) {
        if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
      }
    }
  };
  add(problem);
  for (const ProblemCase& of_case : problem.cases) add(*of_case.problem);
  return texts;
}

}  // namespace

std::vector<std::string> implausible_design(const Problem& problem) {
  Findings findings(problem);
  examine_filter(findings);
  examine_bounds_of_material(findings);
  examine_mass(findings);
  examine_damping_of_response(findings);
  std::string last;
  for (const CriterionConstraint& c : problem.constraints.criteria) {
    if (c.time_history_name() != last) examine_criterion(c, findings);
    last = c.time_history_name();
  }
  return findings.texts();
}

std::vector<std::string> implausible_mechanism(const Problem& problem) {
  return found_by({&implausible_bodies, &implausible_motion, &implausible_forces}, problem);
}

std::vector<std::string> implausible_values(const Problem& problem) {
  return found_by({&implausible_bodies, &implausible_motion, &implausible_forces, &implausible_design},
                  problem);
}

}  // namespace kurbel
