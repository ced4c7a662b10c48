#include "natural_coordinates/carried_frames.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/spelling.hpp"

namespace kurbel {

CarriedFrames::CarriedFrames(const SystemSpec& spec, const ParameterLayout& layout)
    : spec_(spec), layout_(layout) {
  for (const BodySpec& body : spec.bodies) {
    for (const char* vector : {"r", "e1", "e2", "e3"}) names_.push_back({body.name, vector});
  }
  for (const BeamSpec& beam : spec.beams) {
    first_of_beam_.push_back(n_vectors());
    const bool cable = beam.kind == BeamSpec::Kind::cable;
    const std::vector<const char*> vectors =
        cable ? std::vector{"r", "r_x"} : std::vector{"r", "d1", "d2", "d3"};
    for (int i = 0; i <= beam.n_elements; ++i) {
      for (const char* vector : vectors) names_.push_back({fmt::format("{}.node{}", beam.name, i), vector});
    }
  }
  first_point_mass_ = n_vectors();
  for (const PointMassSpec& point : spec.point_masses) names_.push_back({point.name, "r"});
  for (const PlanarBeamSpec& beam : spec.planar_beams) {
    first_of_planar_beam_.push_back(n_vectors());
    for (std::size_t i = 0; i <= beam.n_elements; ++i) {
      for (const char* vector : {"r", "r_x", "r_y"})
        names_.push_back({fmt::format("{}.node{}", beam.name, i), vector});
    }
  }
  end_of_planar_beams_ = n_vectors();
  for (const JointSpec& joint : spec.joints) {
    const bool turns =
        std::ranges::any_of(joint.drives, [](const DriveSpec& d) { return is_rotation(d.dof); });
    directions_.push_back(turns ? n_vectors() : -1);
    if (turns) names_.push_back({joint.name, "d"});
  }
  map_ = CoordinateMap(names_.size());
}

int CarriedFrames::node(std::size_t beam, int i) const {
  return first_of_beam_[beam] + i * vectors_per_node(spec_.beams[beam]);
}

std::vector<int> CarriedFrames::rigid_frames() const {
  std::vector<int> frames;
  for (std::size_t i = 0; i < spec_.bodies.size(); ++i) frames.push_back(body(i));
  for (std::size_t i = 0; i < spec_.beams.size(); ++i) {
    if (spec_.beams[i].kind == BeamSpec::Kind::cable) continue;
    for (int k = 0; k <= spec_.beams[i].n_elements; ++k) frames.push_back(node(i, k));
  }
  return frames;
}

namespace {

[[noreturn]] void refuse_marker(const std::string& owner, const MarkerRef& ref,
                                const std::vector<std::string>& known) {
  throw InputError(fmt::format("{}: {} has no marker \"{}\"{}", owner, ref.body, ref.marker,
                               spelling_advice(ref.marker, known, "\"")));
}

/// Place of a marker among the nodes, or the end.
std::size_t find_marker(const std::vector<SidNode>& nodes, const MarkerRef& ref, const std::string& owner) {
  std::vector<std::string> known = {"origin"};
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k].name == ref.marker) return k;
    known.push_back(nodes[k].name);
  }
  refuse_marker(owner, ref, known);
}

}  // namespace

/// Axes of a marker, without what rounding makes of quarters of a turn; in a plane, rounding of the digits in a file.
Matrix3d CarriedFrames::axes_of(const SidNode& marker) const {
  const double rounding = map_.is_planar() ? 1e-6 : 1e-15;
  Matrix3d A0 = marker.AP.M0;
  for (double& entry : A0.reshaped()) {
    if (std::abs(entry) <= rounding) entry = 0.0;
  }
  if (map_.is_planar()) A0.colwise().normalize();
  return A0;
}

CarriedFrame CarriedFrames::of_ground(const MarkerRef& ref, const std::string& owner) const {
  CarriedFrame frame;
  Matrix3d A0 = Matrix3d::Identity();
  if (ref.marker != "origin") {
    const std::size_t k = find_marker(spec_.ground, ref, owner);
    frame.point.places.push_back({1.0, layout_.ground(k).R.offset});
    A0 = axes_of(spec_.ground[k]);
  }
  for (int j = 0; j < 3; ++j) frame.axes[static_cast<std::size_t>(j)] = fixed_form(A0.col(j));
  return frame;
}

namespace {

std::array<VectorForm, 3> directors(int r) {
  return {CoordinateMap::carried(r + 1), CoordinateMap::carried(r + 2), CoordinateMap::carried(r + 3)};
}

}  // namespace

CarriedFrame CarriedFrames::of_body(std::size_t i, const MarkerRef& ref, const std::string& owner) const {
  const int r = body(i);
  CarriedFrame frame;
  frame.point = CoordinateMap::carried(r);
  frame.directors = directors(r);
  Matrix3d A0 = Matrix3d::Identity();
  if (ref.marker != "origin") {
    const std::vector<SidNode>& nodes = spec_.bodies[i].sid.frame;
    const std::size_t k = find_marker(nodes, ref, owner);
    const Eigen::Index R = layout_.body(i).markers[k].R.offset;
    for (int d = 0; d < 3; ++d) frame.point.terms.push_back({3 * (r + 1 + d), 1.0, R + d});
    A0 = axes_of(nodes[k]);
  }
  for (int j = 0; j < 3; ++j) {
    VectorForm& axis = frame.axes[static_cast<std::size_t>(j)];
    for (int d = 0; d < 3; ++d) {
      if (A0(d, j) != 0.0) axis.terms.push_back({3 * (r + 1 + d), A0(d, j)});
    }
  }
  return frame;
}

CarriedFrame CarriedFrames::of_beam(std::size_t i, const MarkerRef& ref, const std::string& owner) const {
  const BeamSpec& beam = spec_.beams[i];
  std::vector<std::string> known = {"start"};
  for (int k = 1; k < beam.n_elements; ++k) known.push_back(fmt::format("node{}", k));
  known.emplace_back("end");
  const auto found = std::ranges::find(known, ref.marker);
  if (found == known.end()) refuse_marker(owner, ref, known);
  const int r = node(i, static_cast<int>(found - known.begin()));
  CarriedFrame frame;
  frame.point = CoordinateMap::carried(r);
  frame.node = r;
  if (beam.kind == BeamSpec::Kind::cable) {
    frame.has_axes = false;
    frame.tangent = CoordinateMap::carried(r + 1);
    return frame;
  }
  frame.directors = directors(r);
  frame.axes = *frame.directors;
  return frame;
}

CarriedFrame CarriedFrames::of_planar_beam(std::size_t i, const MarkerRef& ref,
                                           const std::string& owner) const {
  if (ref.marker != "start" && ref.marker != "end") refuse_marker(owner, ref, {"start", "end"});
  const int r = planar_node(i, ref.marker == "start" ? 0 : spec_.planar_beams[i].n_elements);
  CarriedFrame frame;
  frame.point = CoordinateMap::carried(r);
  frame.has_axes = false;
  frame.section = CoordinateMap::carried(r + 2);
  return frame;
}

CarriedFrame CarriedFrames::at(const MarkerRef& ref, const std::string& owner) const {
  CarriedFrame frame = carried(ref, owner);
  const auto express = [&](VectorForm& form) { form = map_.in_coordinates(form); };
  express(frame.point);
  std::ranges::for_each(frame.axes, express);
  if (frame.directors) std::ranges::for_each(*frame.directors, express);
  if (frame.tangent) express(*frame.tangent);
  if (frame.section) express(*frame.section);
  return frame;
}

CarriedFrame CarriedFrames::carried(const MarkerRef& ref, const std::string& owner) const {
  if (ref.body == "ground") return of_ground(ref, owner);
  std::vector<std::string> known = {"ground"};
  for (std::size_t i = 0; i < spec_.bodies.size(); ++i) {
    if (spec_.bodies[i].name == ref.body) return of_body(i, ref, owner);
    known.push_back(spec_.bodies[i].name);
  }
  for (std::size_t i = 0; i < spec_.beams.size(); ++i) {
    if (spec_.beams[i].name == ref.body) return of_beam(i, ref, owner);
    known.push_back(spec_.beams[i].name);
  }
  for (std::size_t i = 0; i < spec_.planar_beams.size(); ++i) {
    if (spec_.planar_beams[i].name == ref.body) return of_planar_beam(i, ref, owner);
    known.push_back(spec_.planar_beams[i].name);
  }
  for (std::size_t i = 0; i < spec_.point_masses.size(); ++i) {
    if (spec_.point_masses[i].name == ref.body)
      return {.point = CoordinateMap::carried(point_mass(i)), .has_axes = false};
    known.push_back(spec_.point_masses[i].name);
  }
  throw InputError(fmt::format("{}: there is no body or beam \"{}\"{}", owner, ref.body,
                               spelling_advice(ref.body, known, "\"")));
}

}  // namespace kurbel
