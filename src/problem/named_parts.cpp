#include "problem/named_parts.hpp"

#include <fmt/format.h>

#include "base/spelling.hpp"
#include "problem/checks.hpp"

namespace kurbel {

namespace {

std::vector<std::string> marker_names(const BeamSpec& beam) {
  std::vector<std::string> names = {"start", "end"};
  for (int i = 1; i < beam.n_elements; ++i) names.push_back(fmt::format("node{}", i));
  return names;
}

std::vector<std::string> marker_names(const Problem& problem, const std::string& body) {
  if (const BeamSpec* beam = find_named(problem.system.beams, body)) return marker_names(*beam);
  if (find_named(problem.system.planar_beams, body)) return {"start", "end"};
  if (find_named(problem.system.point_masses, body)) return {"origin"};
  std::vector<std::string> names = {"origin"};
  const auto add_nodes = [&](const std::vector<SidNode>& nodes) {
    for (const SidNode& node : nodes) names.push_back(node.name);
  };
  if (body == "ground") {
    add_nodes(problem.system.ground);
    return names;
  }
  const std::size_t i = *problem.find_body(body);
  add_nodes(problem.system.bodies[i].sid.frame);
  for (const fem::MarkerSpec& marker : problem.bodies[i].flexible.markers) names.push_back(marker.name);
  return names;
}

/// The key of the function of a load on a surface; empty for a load at a marker.
std::string key_of_amplitude(const Problem& problem, const std::string& load) {
  const TomlValue* type = problem.document->find(fmt::format("loads.{}.type", load));
  const auto* word = type ? std::get_if<std::string>(&type->data) : nullptr;
  if (!word || *word == "marker") return {};
  return fmt::format("loads.{}.{}", load, *word == "pressure" ? "pressure" : "force");
}

}  // namespace

std::string path_of(const DesignVariable& variable) {
  return "variables." + variable.name.substr(0, variable.name.find_first_of("(["));
}

std::string key_of_drive(const Problem& problem, const JointSpec& joint, std::size_t drive) {
  const std::string key = fmt::format("joints.{}.drive", joint.name);
  const TomlValue* at = problem.document->find(key);
  return at && at->array() ? fmt::format("{}.{}", key, drive) : key;
}

std::vector<KeyedFunction> functions_of_time(const Problem& problem) {
  std::vector<KeyedFunction> all;
  const auto add = [&](const TimeFunctionPtr& function, const std::string& key, bool is_over_angle) {
    if (function) all.push_back({function, key, is_over_angle});
  };
  for (const JointSpec& joint : problem.system.joints) {
    for (std::size_t i = 0; i < joint.drives.size(); ++i)
      add(joint.drives[i].motion, key_of_drive(problem, joint, i), false);
  }
  for (const MarkerLoadSpec& load : problem.system.loads) {
    const std::string amplitude = key_of_amplitude(problem, load.name);
    const auto key = [&](const char* of, std::size_t k) {
      return amplitude.empty() ? fmt::format("loads.{}.{}.{}", load.name, of, k) : amplitude;
    };
    for (std::size_t k = 0; k < 3; ++k) {
      add(load.force[k], key("force", k), load.force_over[k].has_value());
      add(load.torque[k], key("torque", k), load.torque_over[k].has_value());
    }
  }
  return all;
}

std::vector<std::string> names_of_parts(const Problem& problem) {
  const SystemSpec& system = problem.system;
  return names_of(problem.bodies, system.point_masses, system.beams, system.planar_beams);
}

bool any_term(const Problem& problem, const std::function<bool(const CriterionTerm& term)>& holds) {
  bool any = false;
  for_each_term(problem, [&](const CriterionTerm& term, const std::string&) { any = any || holds(term); });
  return any;
}

bool has_bodies_alone(const SystemSpec& system) {
  return system.beams.empty() && system.planar_beams.empty() && system.point_masses.empty();
}

bool is_rigid(const Problem& problem, const std::string& body) {
  const auto i = problem.find_body(body);
  if (!i) return find_named(problem.system.point_masses, body) != nullptr;
  return problem.bodies[*i].type != ProblemBody::Type::flexible && problem.system.bodies[*i].sid.n_q() == 0;
}

void check_marker(const Problem& problem, const MarkerRef& ref, const std::string& key) {
  std::vector<std::string> bodies = names_of_parts(problem);
  bodies.push_back("ground");
  if (std::ranges::find(bodies, ref.body) == bodies.end()) {
    throw problem.error(key, "names the body \"{}\", which does not exist{}", ref.body,
                        spelling_advice(ref.body, bodies, "\""));
  }
  const std::vector<std::string> markers = marker_names(problem, ref.body);
  if (std::ranges::find(markers, ref.marker) == markers.end()) {
    throw problem.error(key, "names the marker \"{}\", which {} does not have{}", ref.marker, ref.body,
                        spelling_advice(ref.marker, markers, "\""));
  }
}

void check_material_marker(const Problem& problem, const MarkerRef& ref, const std::string& key) {
  check_marker(problem, ref, key);
  if (ref.marker != "origin" || !problem.find_body(ref.body)) return;
  const fem::FrameSpec& frame = problem.bodies[*problem.find_body(ref.body)].flexible.frame;
  if (frame.type == fem::FrameSpec::Type::tangent) return;
  throw problem.error(
      key, "names the origin of {}, whose {} frame is not held by the material there; name a marker",
      ref.body, frame.type == fem::FrameSpec::Type::chord ? "chord" : "Buckens");
}

}  // namespace kurbel
