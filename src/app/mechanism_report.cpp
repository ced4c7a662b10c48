#include "app/mechanism_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/part_report.hpp"
#include "fem/frame.hpp"
#include "fem/rigid_ties.hpp"
#include "fem/spec_check.hpp"
#include "mechanism/joint_damper.hpp"
#include "mechanism/pair_parts.hpp"

namespace kurbel {

namespace {

/// A number of things that --json has by another name, or not at all.
Counted count(const char* what, std::ptrdiff_t n) {
  return {"", n, what};
}

void report_flexible_body(const fem::FlexibleBodySpec& spec, Report own) {
  const auto made = fem::make_mesh(spec.mesh);
  const fem::Mesh& mesh = *made;
  const auto n_not_clamped = mesh.n_nodes() - std::ssize(fem::clamped_nodes(spec, mesh));
  const auto n_free = n_not_clamped * mesh.dim() - std::ssize(fem::supported_dofs(spec, mesh));
  own["elements"] = mesh.n_elements();
  own["nodes"] = mesh.n_nodes();
  own.say("body {}: {}, {}, {} degrees of freedom, {}", spec.name, named("type", "flexible"),
          spec.mesh.given ? size_of_mesh(mesh)
                          : fmt::format("{} elements, {} nodes", mesh.n_elements(), mesh.n_nodes()),
          named("degrees_of_freedom", n_free), fem::describe_frame(spec.frame));
  if (spec.mesh.given) report_part(mesh, own);
}

void report_bodies(const Problem& problem, Report& report) {
  using Type = ProblemBody::Type;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& body = problem.bodies[i];
    Report own = report.part("bodies", body.name);
    if (body.type == Type::flexible) {
      report_flexible_body(body.flexible, own);
      continue;
    }
    const Sid& sid = problem.system.bodies[i].sid;
    own.say("body {}: {}, {:.6g} kg{}", body.name, named("type", body.type == Type::rigid ? "rigid" : "sid"),
            named("mass", sid.refmod.mass),
            sid.n_q() > 0 ? fmt::format(", {}", count("elastic coordinate", sid.n_q())) : "");
  }
}

/// @param kind  before its elements
void report_beam(const std::string& name, const char* kind, std::ptrdiff_t n_elements, Report& report) {
  Report own = report.part("bodies", name);
  own["type"] = "beam";
  own.say("beam {}: {}{}", name, kind, Counted{"elements", n_elements, "element"});
}

void report_planar_parts(const Problem& problem, Report& report) {
  const SystemSpec& system = problem.system;
  for (const PlanarBeamSpec& beam : system.planar_beams)
    report_beam(beam.name, "", static_cast<std::ptrdiff_t>(beam.n_elements), report);
  for (const PointMassSpec& point : system.point_masses) {
    report.part("bodies", point.name)["type"] = "point";
    report.say("point {}: free in {}", point.name, count("direction", std::ranges::count(point.free, true)));
  }
  for (const AttachedMassSpec& mass : system.attached_masses)
    report.say("mass {}: {:g} kg at {}", mass.name, mass.mass, text_of(mass.marker));
}

std::string dofs_of(const std::array<bool, 6>& which) {
  std::string names;
  for (std::size_t d = 0; d < which.size(); ++d) {
    if (which[d]) names += fmt::format("{}{}", names.empty() ? "" : " ", relative_dof_names[d]);
  }
  return names;
}

void report_joints(const Problem& problem, Report& report) {
  for (const JointSpec& joint : problem.system.joints) {
    std::array<bool, 6> driven{};
    for (const DriveSpec& drive : joint.drives) driven[static_cast<std::size_t>(drive.dof)] = true;
    const std::string drives = dofs_of(driven), locks = joint.length ? "distance" : dofs_of(joint.locked);
    const TorsionSpringSpec* damper = find_damper(joint, problem.system);
    Report own = report.part("joints", joint.name);
    own["locks"] = locks, own["drives"] = drives;
    if (joint.length) own["length"] = *joint.length;
    if (damper) own["damping"] = damper->damping;
    own.say("joint {}: {} - {}{}{}{}", joint.name, text_of(joint.from), text_of(joint.to),
            locks.empty() ? "" : ", locks " + locks, drives.empty() ? "" : ", drives " + drives,
            damper ? fmt::format(", damping {:g} N m s/rad", damper->damping) : "");
  }
}

void report_beams(const Problem& problem, Report& report) {
  for (const BeamSpec& beam : problem.system.beams)
    report_beam(beam.name, beam.kind == BeamSpec::Kind::cable ? "cable, " : "spatial, ", beam.n_elements,
                report);
}

/// True of a share of a load on a surface.
bool is_on_surface(const Problem& problem, const MarkerLoadSpec& load) {
  const auto body = problem.find_body(load.marker.body);
  if (!body) return false;
  const auto& markers = problem.bodies[*body].flexible.markers;
  const auto at = std::ranges::find(markers, load.marker.marker, &fem::MarkerSpec::name);
  return at != markers.end() && at->set;
}

/// The resultant of all shares, at the start, or if they go over the angle of a hinge in the middle of the table.
void report_load_on_surface(const Problem& problem, const MarkerLoadSpec& first, Report& report) {
  Vector3d resultant = Vector3d::Zero();
  std::string when = fmt::format("at t = {:g} s", problem.integrator.t0);
  for (const MarkerLoadSpec& load : problem.system.loads) {
    if (load.name != first.name) continue;
    for (std::size_t d = 0; d < 3; ++d) {
      if (!load.force[d]) continue;
      const auto& over = load.force_over[d];
      if (over) when = fmt::format("where the angle of {} is {:.4g} rad,", over->joint, over->around);
      const double at = over ? over->around : problem.integrator.t0;
      resultant[static_cast<Eigen::Index>(d)] += load.force[d]->at(at).value;
    }
  }
  const double rounding = 1e-9 * resultant.norm();
  for (double& component : resultant) component = std::abs(component) < rounding ? 0.0 : component;
  report.part("loads").say("load {}: on the surface of {}, ({:.4g}, {:.4g}, {:.4g}) N {} in its frame",
                           first.name, named(first.name.c_str(), first.marker.body), resultant[0],
                           resultant[1], resultant[2], when);
}

void report_forces(const Problem& problem, Report& report) {
  const auto tell = [&](const auto& spring, const char* what, const char* table) {
    report.part(table, spring.name)
        .say("{} {}: {} - {}", what, spring.name, named("from", text_of(spring.from)),
             named("to", text_of(spring.to)));
  };
  for (const SpringSpec& spring : problem.system.springs) tell(spring, "spring", "springs");
  for (const TorsionSpringSpec& spring : problem.system.torsion_springs) {
    if (!is_joint_damper(spring)) tell(spring, "torsion spring", "torsion_springs");  // else told with it
  }
  for_each_pair_part(problem.system, [&]<class Part>(const Part& part, std::size_t) {
    tell(part, word_of(part), Section<Part>::name);
  });
  std::string told;
  for (const MarkerLoadSpec& load : problem.system.loads) {
    if (!load.controls.empty()) continue;  // told with what varies
    if (is_on_surface(problem, load)) {
      if (load.name != told) report_load_on_surface(problem, load, report);
      told = load.name;
      continue;
    }
    report.part("loads").say("load {}: on {}", load.name, named(load.name.c_str(), text_of(load.marker)));
  }
}

void report_tyres(const Problem& problem, Report& report) {
  for (const TyreSpec& tyre : problem.system.tyres)
    report.part("tyres", tyre.name)
        .say("tyre {}: {} on {}", tyre.name, named("wheel", text_of(tyre.wheel)),
             named("carrier", tyre.carrier));
}

}  // namespace

void report_mechanism(const Problem& problem, Report& report) {
  for (const auto& tell :
       {&report_bodies, &report_beams, &report_joints, &report_forces, &report_tyres, &report_planar_parts})
    tell(problem, report);
}

}  // namespace kurbel
