#include "problem/named_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/spelling.hpp"

namespace kurbel {

namespace {

template <class Named>
bool has_name(const std::vector<Named>& all, const std::string& name) {
  return std::ranges::find(all, name, &Named::name) != all.end();
}

std::vector<std::string> marker_names(const BeamSpec& beam) {
  std::vector<std::string> names = {"start", "end"};
  for (int i = 1; i < beam.n_elements; ++i) names.push_back(fmt::format("node{}", i));
  return names;
}

std::vector<std::string> marker_names(const Problem& problem, const std::string& body) {
  if (const BeamSpec* beam = find_beam(problem, body)) return marker_names(*beam);
  if (find_planar_beam(problem.system, body)) return {"start", "end"};
  if (has_name(problem.system.point_masses, body)) return {"origin"};
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

}  // namespace

std::vector<std::string> body_names(const Problem& problem) {
  return names_of(problem.bodies);
}

const BeamSpec* find_beam(const Problem& problem, const std::string& name) {
  const auto& beams = problem.system.beams;
  const auto beam = std::ranges::find(beams, name, &BeamSpec::name);
  return beam == beams.end() ? nullptr : &*beam;
}

const PlanarBeamSpec* find_planar_beam(const SystemSpec& system, const std::string& name) {
  const auto& beams = system.planar_beams;
  const auto beam = std::ranges::find(beams, name, &PlanarBeamSpec::name);
  return beam == beams.end() ? nullptr : &*beam;
}

std::vector<std::string> names_of_parts(const Problem& problem) {
  const SystemSpec& system = problem.system;
  return names_of(problem.bodies, system.point_masses, system.beams, system.planar_beams);
}

bool is_rigid(const Problem& problem, const std::string& body) {
  if (!problem.find_body(body)) return has_name(problem.system.point_masses, body);
  const std::size_t i = *problem.find_body(body);
  return problem.bodies[i].type == ProblemBody::Type::rigid ||
         (problem.bodies[i].type == ProblemBody::Type::sid && problem.system.bodies[i].sid.n_q() == 0);
}

void check_marker(const Problem& problem, const MarkerRef& ref, const std::string& key) {
  std::vector<std::string> bodies = names_of_parts(problem);
  bodies.push_back("ground");
  if (std::find(bodies.begin(), bodies.end(), ref.body) == bodies.end()) {
    throw problem.error(key, "names the body \"{}\", which does not exist{}", ref.body,
                        spelling_advice(ref.body, bodies, "\""));
  }
  const std::vector<std::string> markers = marker_names(problem, ref.body);
  if (std::find(markers.begin(), markers.end(), ref.marker) == markers.end()) {
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
