#include <fmt/format.h>

#include <algorithm>

#include "mechanism/pair_parts.hpp"
#include "problem/checks.hpp"
#include "problem/named_parts.hpp"

namespace kurbel {

namespace {

template <class Link>
void check_link(const Problem& problem, const Link& link, const std::string& section) {
  const std::string key = fmt::format("{}.{}", section, link.name);
  check_material_marker(problem, link.from, key + ".from");
  check_material_marker(problem, link.to, key + ".to");
  if (link.from.body == link.to.body) {
    throw problem.error(key + ".to", "is on the same body as from, \"{}\"", link.from.body);
  }
}

void check_rod(const Problem& problem, const JointSpec& joint) {
  if (!joint.length || *joint.length > 0.0) return;
  const auto has_mesh = [&](const MarkerRef& end) {
    const auto body = problem.find_body(end.body);
    return body && end.marker != "origin" && problem.bodies[*body].type == ProblemBody::Type::flexible;
  };
  throw problem.error(
      fmt::format("joints.{}.length", joint.name),
      has_mesh(joint.from) || has_mesh(joint.to)
          ? "is missing: a rod at a marker of a flexible body needs it"
          : "would be 0: the markers coincide at the given start; place them apart or give it");
}

bool is_hinge_of(const JointSpec& joint, const TorsionSpringSpec& spring) {
  const bool there = (joint.from == spring.from && joint.to == spring.to) ||
                     (joint.from == spring.to && joint.to == spring.from);
  return there && is_hinge(joint);
}

void check_tyre(const Problem& problem, const TyreSpec& tyre) {
  const std::string key = "tyres." + tyre.name;
  check_marker(problem, tyre.wheel, key + ".wheel");
  check_marker(problem, {tyre.carrier, "origin"}, key + ".carrier");
  for (const auto& [part, body] :
       {std::pair{".wheel", tyre.wheel.body}, std::pair{".carrier", tyre.carrier}}) {
    if (body == "ground") throw problem.error(key + part, "is on the ground; name a body that moves");
    if (find_named(problem.system.beams, body) || !is_rigid(problem, body))
      throw problem.error(key + part, "is on {}, which deforms; a tyre needs rigid bodies", body);
  }
  if (tyre.wheel.body == tyre.carrier) {
    throw problem.error(key + ".carrier", "= \"{}\" is the wheel itself; name the body that carries it",
                        tyre.carrier);
  }
}

}  // namespace

void check_mechanism(const Problem& problem) {
  const SystemSpec& system = problem.system;
  for (const JointSpec& joint : system.joints) {
    check_link(problem, joint, "joints");
    check_rod(problem, joint);
  }
  for (const SpringSpec& spring : system.springs) check_link(problem, spring, "springs");
  for (const TorsionSpringSpec& spring : system.torsion_springs) {
    check_link(problem, spring, "torsion_springs");
    const auto hinge = [&](const JointSpec& joint) { return is_hinge_of(joint, spring); };
    if (std::none_of(system.joints.begin(), system.joints.end(), hinge)) {
      throw problem.error("torsion_springs." + spring.name,
                          "needs a joint between the same markers that locks rx and ry and leaves rz free");
    }
  }
  for_each_pair_part(system, [&]<class Part>(const Part& part, std::size_t) {
    check_link(problem, part, Section<Part>::name);
  });
  for (const TyreSpec& tyre : system.tyres) check_tyre(problem, tyre);
  for (const MotorSpec& motor : system.motors) check_link(problem, motor, "controls");
  for (const AttachedMassSpec& mass : system.attached_masses) {
    const std::string key = fmt::format("masses.{}.marker", mass.name);
    check_material_marker(problem, mass.marker, key);
    if (mass.marker.body == "ground") throw problem.error(key, "is on the ground, where a mass does nothing");
  }
  for (const MarkerLoadSpec& load : system.loads) {
    const std::string key =
        fmt::format("{}.{}.marker", load.controls.empty() ? "loads" : "controls", load.name);
    check_material_marker(problem, load.marker, key);
    if (load.marker.body == "ground") throw problem.error(key, "is on the ground, where a load does nothing");
  }
}

}  // namespace kurbel
