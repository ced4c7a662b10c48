/// Springs, dampers, tyres, controls and loads beside the weight and the loads of the mechanism.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plausibility/findings.hpp"
#include "plausibility/implausible_values.hpp"

namespace kurbel {

namespace {

double mass_of(const SystemSpec& system) {
  double mass = 0.0;
  for (const BodySpec& body : system.bodies) mass += body.sid.refmod.mass;
  for (const PointMassSpec& point : system.point_masses) mass += point.mass;
  return mass;
}

/// Weight of the mechanism, N.
double weight_of(const SystemSpec& system) {
  return mass_of(system) * system.gravity.norm();
}

/// Area of a section, or of the rectangle around it, m^2.
double area_around(const BeamSpec& beam) {
  const bool is_rectangle = beam.shape == BeamSpec::Shape::rectangle;
  return beam.dimensions[0] * beam.dimensions[is_rectangle ? 1 : 0];
}

/// Mass of all parts, kg. Flexible bodies and beams count as the boxes around them.
double mass_of_parts(const Problem& problem) {
  const SystemSpec& system = problem.system;
  double mass = 0.0;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    if (body.type != ProblemBody::Type::flexible) {
      mass += system.bodies[i].sid.refmod.mass;
      continue;
    }
    const fem::MeshSpec& mesh = body.flexible.mesh;
    mass += body.flexible.material.density * mesh.size.head(mesh.dim).prod() *
            (mesh.dim == 2 ? mesh.thickness : 1.0);
  }
  for (const PointMassSpec& point : system.point_masses) mass += point.mass;
  for (const AttachedMassSpec& attached : system.attached_masses) mass += attached.mass;
  for (const BeamSpec& beam : system.beams)
    mass += beam.density * (beam.end - beam.start).norm() * area_around(beam);
  for (const PlanarBeamSpec& beam : system.planar_beams) {
    using B = PlanarBeamSpec;
    const auto& of = beam.elements;
    for (std::size_t e = 0; e < of[B::length].size(); ++e)
      mass += of[B::density][e] * of[B::length][e] * of[B::width][e] * of[B::height][e];
  }
  return mass;
}

/// True if a component of a force acts over time, rather than over an angle, which is not known here.
bool acts_over_time(const MarkerLoadSpec& load, std::size_t component) {
  return load.force[component] && !load.force_over[component] && !load.force[component]->is_excitation();
}

double largest_value(const TimeFunction& function, const IntegratorOptions& steps) {
  double largest = 0.0;
  for (const TimeValue& at : sampled(function, steps)) largest = std::max(largest, std::abs(at.value));
  return largest;
}

/// Sum of the largest forces of the loads that are constant, or of those that are not, N.
double sum_of_loads(const Problem& problem, bool are_constant) {
  double sum = 0.0;
  for (const MarkerLoadSpec& load : problem.system.loads) {
    for (std::size_t i = 0; i < load.force.size(); ++i) {
      if (acts_over_time(load, i) && load.force[i]->is_constant() == are_constant)
        sum += largest_value(*load.force[i], problem.integrator);
    }
  }
  return sum;
}

void examine_springs(double length, Findings& findings) {
  constexpr double far = 20.0, of_weight = 0.01, of_constant = 0.05, of_others = 1e-3;
  const SystemSpec& system = findings.problem().system;
  const double weight = weight_of(system), constant = sum_of_loads(findings.problem(), true),
               others = sum_of_loads(findings.problem(), false);
  const double least = std::max(of_weight * weight + of_constant * constant, of_others * others);
  for (const SpringSpec& spring : system.springs) {
    // A spring that matters pulls at least these shares when it is stretched by the size of the mechanism. It may carry a constant
    // load, and merely return a part beside another one. A mere damper has no stiffness.
    if (length > 0.0 && spring.stiffness > 0.0 && spring.stiffness * length < least)
      findings.add(fmt::format("springs.{}.stiffness", spring.name),
                   "= {:g} N/m is too soft to matter: stretched by {:.3g} m, the size of the mechanism, it "
                   "pulls with {:.2g} N beside weight and loads of {:.3g} N. In N/mm it would be {:g} N/m",
                   spring.stiffness, length, spring.stiffness * length, weight + constant + others,
                   1e3 * spring.stiffness);
    if (length > 0.0 && spring.free_length > far * length)
      findings.add(fmt::format("springs.{}.free_length", spring.name),
                   "= {:g} m is far from the size of the mechanism, {:.3g} m. In mm it would be {:g} m",
                   spring.free_length, length, 1e-3 * spring.free_length);
  }
  for (const TorsionSpringSpec& spring : system.torsion_springs) {
    if (std::abs(spring.free_angle) > turn)
      findings.add(fmt::format("torsion_springs.{}.free_angle", spring.name),
                   "= {:g} rad is more than a turn. In degrees it would be {:.4g} rad", spring.free_angle,
                   spring.free_angle * turn / 360.0);
  }
}

/// Returns the mass of the body or point that carries a marker, kg; infinity for the ground, and where it is not known.
double mass_at(const MarkerRef& marker, const SystemSpec& system) {
  double mass = 0.0;
  for (const BodySpec& body : system.bodies) mass += body.name == marker.body ? body.sid.refmod.mass : 0.0;
  for (const PointMassSpec& point : system.point_masses) mass += point.name == marker.body ? point.mass : 0.0;
  return mass > 0.0 ? mass : INFINITY;
}

/// Dampers beside a spring that let the lighter part ring on, or that hold the whole mechanism. Masses of beams are not known here.
void examine_dampers(Findings& findings) {
  constexpr double rings = 1e-3, holds = 30.0;
  const SystemSpec& system = findings.problem().system;
  const bool has_other_masses =
      !system.beams.empty() || !system.planar_beams.empty() || !system.attached_masses.empty();
  if (has_other_masses || !is_of_mechanism(findings.problem().analysis)) return;
  for (const SpringSpec& spring : system.springs) {
    if (spring.damping <= 0.0 || spring.stiffness <= 0.0) continue;
    const std::string key = fmt::format("springs.{}.damping", spring.name);
    const auto damping_ratio = [&](double mass) {
      return spring.damping / (2.0 * std::sqrt(spring.stiffness * mass));
    };
    const double lighter = std::min(mass_at(spring.from, system), mass_at(spring.to, system)),
                 all = mass_of(system);
    if (std::isfinite(lighter) && damping_ratio(lighter) < rings)
      findings.add(key,
                   "= {:g} N s/m hardly damps: with the lighter one of its bodies, {:.3g} kg, the damping "
                   "ratio is {:.2g}. In kN s/m it would be {:g} N s/m",
                   spring.damping, lighter, damping_ratio(lighter), 1e3 * spring.damping);
    if (all > 0.0 && damping_ratio(all) > holds)
      findings.add(key,
                   "= {:g} N s/m hardly lets its spring move: with the mass of all bodies, {:.3g} kg, the "
                   "damping ratio is {:.3g}. Is it in N s/m?",
                   spring.damping, all, damping_ratio(all));
  }
}

/// Each tyre carries its share of all bodies.
void examine_tyres(Findings& findings) {
  const SystemSpec& system = findings.problem().system;
  const double share = weight_of(system) / static_cast<double>(system.tyres.size());
  for (const TyreSpec& tyre : system.tyres) {
    if (share <= tyre.stiffness * tyre.radius) continue;
    findings.add(
        fmt::format("tyres.{}.stiffness", tyre.name),
        "= {:g} N/m lets the tyre sink by {:.3g} m, more than its radius. In kN/m it would be {:g} N/m",
        tyre.stiffness, share / tyre.stiffness, 1e3 * tyre.stiffness);
  }
}

/// Bounds of controls that fling the mechanism away. A torque counts as the force that has it at a lever of the size of the mechanism.
void examine_controls(double length, Findings& findings) {
  constexpr double wild = 1000.0, fast = 300.0;  // m/s^2, m/s
  const Problem& problem = findings.problem();
  const double mass = mass_of_parts(problem), duration = problem.integrator.t1 - problem.integrator.t0;
  if (!(mass > 0.0) || length == 0.0) return;
  for (const ControlCurve& control : problem.controls) {
    const double largest = std::max(std::abs(control.lower), std::abs(control.upper));
    const double acceleration = largest / (control.is_torque ? length : 1.0) / mass;
    if (!std::isfinite(largest) || acceleration <= wild || acceleration * duration <= fast) continue;
    findings.add("controls." + control.name,
                 "has bounds of {:g} and {:g} {} that no mechanism withstands: it accelerates {:.3g} kg over "
                 "{:.3g} m by {:.2g} m/s^2 for {:.3g} s. Are they in {}?",
                 control.lower, control.upper, control.unit(), mass, length, acceleration, duration,
                 control.unit());
  }
}

/// Loads that are next to nothing beside the weight and the other loads.
void examine_weak_loads(Findings& findings) {
  constexpr double least = 2e-3;
  const Problem& problem = findings.problem();
  if (problem.integrator.step == 0.0) return;
  const double all = weight_of(problem.system) + sum_of_loads(problem, true) + sum_of_loads(problem, false);
  for (const MarkerLoadSpec& load : problem.system.loads) {
    double largest = 0.0;
    bool is_known = true;
    for (std::size_t i = 0; i < load.force.size(); ++i) {
      if (load.force[i] && acts_over_time(load, i))
        largest = std::max(largest, largest_value(*load.force[i], problem.integrator));
      is_known = is_known && (!load.force[i] || acts_over_time(load, i)) && !load.torque[i];
    }
    if (is_known && load.controls.empty() && largest > 0.0 && largest < least * all)
      findings.add("loads." + load.name,
                   "pushes with {:.3g} N at most, next to nothing beside weight and loads of {:.3g} N. In kN "
                   "it would be {:.3g} N",
                   largest, all, 1e3 * largest);
  }
}

}  // namespace

std::vector<std::string> implausible_forces(const Problem& problem) {
  Findings findings(problem);
  const double length = length_of_mechanism(problem);
  examine_springs(length, findings);
  examine_dampers(findings);
  examine_tyres(findings);
  examine_controls(length, findings);
  examine_weak_loads(findings);
  return findings.texts();
}

}  // namespace kurbel
