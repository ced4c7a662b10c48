#include "natural_coordinates/absolute_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/spelling.hpp"

namespace kurbel::absolute {

namespace {

/// Places nearer to each other than this are one, m; slopes that differ by less are the same.
constexpr double same_place = 1e-9;

std::string end_of(const PlanarBeamSpec& beam, bool end) {
  return beam.name + (end ? ".end" : ".start");
}

void add_derivative(Location& location, int variable, const Vector3d& derivative) {
  for (auto& [k, d] : location.by_xi) {
    if (k == variable) {
      d += derivative;
      return;
    }
  }
  location.by_xi.emplace_back(variable, derivative);
}

void check_meeting(const std::string& joint, const Location& here, const Location& there) {
  const double gap = (here.value - there.value).norm();
  if (gap > same_place) {
    throw SpecError("joints." + joint, fmt::format("joins places that are {:.6g} m apart", gap));
  }
  Location apart = here;
  for (const auto& [k, derivative] : there.by_xi) add_derivative(apart, k, -derivative);
  const auto parts = [](const auto& derivative) { return derivative.second.norm() > same_place; };
  if (std::any_of(apart.by_xi.begin(), apart.by_xi.end(), parts)) {
    throw SpecError("joints." + joint,
                    "joins places that part when the length of a beam is designed; leave out the start of "
                    "the beam behind the joint, or keep the length");
  }
}

}  // namespace

Layout::Layout(const SystemSpec& spec, const Slots& slots) : spec_(spec), xi_(slots.xi()) {
  for (int& i : ground_.position) i = held(0.0);
  held_direction_ = {held(0.0), held(1.0)};
  for (const JointSpec& joint : spec_.joints)
    ties_.push_back({joint.name, text_of(joint.from), text_of(joint.to), !is_hinge(joint)});
  for (const PointMassSpec& point : spec_.point_masses) add_point(point);
  place_beams(slots);
  check_joints();
}

int Layout::add_coordinate(Coordinate c) {
  coordinates_.push_back(std::move(c));
  return static_cast<int>(coordinates_.size()) - 1;
}

void Layout::add_point(const PointMassSpec& point) {
  PlaceCoordinates place;
  place.location.value = point.position;
  for (int d = 0; d < 3; ++d) {
    const auto i = static_cast<std::size_t>(d);
    place.position[i] = add_coordinate({point.name + "." + "xyz"[d],
                                        point.free[i],
                                        point.position[d],
                                        point.free[i] ? point.velocity[d] : 0.0,
                                        {}});
  }
  places_[point.name] = place;
}

/// The joint that ties this place to one that has coordinates already, or nullptr.
const Layout::Tie* Layout::tie_to_existing(const Place& place, PlaceCoordinates& other) const {
  for (const Tie& tie : ties_) {
    if ((tie.to != place && tie.from != place) || tie.is_to_ground()) continue;
    const auto at = places_.find(tie.to == place ? tie.from : tie.to);
    if (at == places_.end()) continue;
    other = at->second;
    return &tie;
  }
  return nullptr;
}

const Layout::Tie* Layout::tie_to_ground(const Place& place) const {
  const auto at = std::ranges::find_if(
      ties_, [&](const Tie& tie) { return tie.is_to_ground() && (tie.to == place || tie.from == place); });
  return at == ties_.end() ? nullptr : &*at;
}

void Layout::place_beams(const Slots& slots) {
  std::vector<const PlanarBeamSpec*> left;
  for (const PlanarBeamSpec& beam : spec_.planar_beams) left.push_back(&beam);
  while (!left.empty()) {
    const auto next = std::find_if(left.begin(), left.end(), [&](const PlanarBeamSpec* beam) {
      PlaceCoordinates other;
      return beam->start || tie_to_existing(end_of(*beam, false), other) != nullptr;
    });
    if (next == left.end()) {
      throw SpecError("beams." + left.front()->name + ".start",
                      "is missing, and no joint at the beam's start says where it is");
    }
    add_beam(**next, slots);
    left.erase(next);
  }
}

Location Layout::start_of(const PlanarBeamSpec& beam) const {
  PlaceCoordinates other;
  if (!beam.start && tie_to_existing(end_of(beam, false), other)) return other.location;
  Location start;
  if (beam.start) start.value << *beam.start, 0.0;
  return start;
}

/// One end or inner node of a beam: tied to another place, held by the ground, or free.
PlaceCoordinates Layout::add_node(const PlanarBeamSpec& beam, std::size_t node, const Location& location) {
  const bool is_end = node == 0 || node == beam.n_elements;
  const Place place = end_of(beam, node != 0);
  PlaceCoordinates other, here;
  here.location = location;
  const Tie* tie = is_end ? tie_to_existing(place, other) : nullptr;
  const Tie* hold = is_end ? tie_to_ground(place) : nullptr;
  if (tie) check_meeting(tie->joint, location, other.location);
  if (hold && !location.by_xi.empty()) {
    throw SpecError("joints." + hold->joint,
                    "holds a place that moves when the length of a beam is designed");
  }
  const Eigen::Vector2d axis(std::cos(beam.angle), std::sin(beam.angle));
  const std::array<double, 4> slope = {axis[0], axis[1], -axis[1], axis[0]};
  const bool tied_slopes = tie && tie->is_fixed;
  if (tied_slopes) check_slopes(*tie, slope, other);
  const std::string name = fmt::format("{}.node{}", beam.name, node);
  for (std::size_t d = 0; d < 3; ++d) {
    const auto i = static_cast<Eigen::Index>(d);
    if (tie) {
      here.position[d] = other.position[d];
      if (hold) keep(here.position[d]);
    } else if (d == 2) {
      here.position[d] = ground_.position[2];
    } else {
      Coordinate c{name + "." + "xy"[d], hold == nullptr, location.value[i], 0.0, {}};
      for (const auto& [k, derivative] : location.by_xi) c.q0_xi.emplace_back(k, derivative[i]);
      here.position[d] = add_coordinate(std::move(c));
    }
  }
  static const std::array<const char*, 4> slope_names = {".x_x", ".y_x", ".x_y", ".y_y"};
  for (std::size_t d = 0; d < 4; ++d) {
    // A clamp holds the cross-section, r_y; r_x follows from shear and stretch.
    const bool of_section = d >= 2;
    here.slopes[d] = tied_slopes && of_section
                         ? other.slopes[d]
                         : add_coordinate({name + slope_names[d], true, slope[d], 0.0, {}, true});
    if (of_section && hold && hold->is_fixed) keep(here.slopes[d]);
  }
  if (is_end) places_[place] = here;
  return here;
}

void Layout::check_slopes(const Tie& tie, const std::array<double, 4>& slope,
                          const PlaceCoordinates& other) const {
  for (std::size_t d = 2; d < 4; ++d) {
    if (other.slopes[d] < 0)
      throw SpecError("joints." + tie.joint, "fixes a beam to a point, which has no direction");
    if (std::abs(coordinates_[static_cast<std::size_t>(other.slopes[d])].q0 - slope[d]) > same_place) {
      throw SpecError("joints." + tie.joint, "fixes two beams that do not have the same angle");
    }
  }
}

void Layout::add_beam(const PlanarBeamSpec& beam, const Slots& slots) {
  const auto index = static_cast<std::size_t>(&beam - spec_.planar_beams.data());
  Location location = start_of(beam);
  const Vector3d axis(std::cos(beam.angle), std::sin(beam.angle), 0.0);
  PlaceCoordinates node = add_node(beam, 0, location);
  for (std::size_t e = 0; e < beam.n_elements; ++e) {
    const ParameterSlot length = slots.of_element(index, e, PlanarBeamSpec::length);
    location.value += length.value<double>(xi_) * axis;
    if (length.variable >= 0) add_derivative(location, length.variable, length.factor * axis);
    const PlaceCoordinates next = add_node(beam, e + 1, location);
    BeamElement element{index, e, {}};
    for (const PlaceCoordinates* n : std::array<const PlaceCoordinates*, 2>{&node, &next}) {
      for (const int i : {n->position[0], n->position[1]}) element.binding.coordinates.push_back(i);
      for (const int i : n->slopes) element.binding.coordinates.push_back(i);
    }
    for (int quantity = 0; quantity < PlanarBeamSpec::n_quantities; ++quantity)
      element.binding.parameters.push_back(
          slots.of_element(index, e, static_cast<PlanarBeamSpec::Quantity>(quantity)));
    beam_elements_.push_back(std::move(element));
    node = next;
  }
}

const PlaceCoordinates& Layout::place(const MarkerRef& marker, const std::string& key) const {
  const Place name = text_of(marker);
  if (name == "ground") return ground_;
  const auto at = places_.find(name);
  if (at != places_.end()) return at->second;
  std::vector<std::string> known = {"ground"};
  for (const auto& [place, coordinates] : places_) known.push_back(place);
  throw SpecError(key, fmt::format("= \"{}\" is no place{}", name, spelling_advice(name, known, "\"")));
}

void Layout::check_joints() const {
  for (std::size_t i = 0; i < ties_.size(); ++i) {
    const Tie& tie = ties_[i];
    const std::string key = "joints." + tie.joint;
    for (std::size_t j = 0; j < i; ++j) {
      const Tie& other = ties_[j];
      const bool same =
          (other.from == tie.from && other.to == tie.to) || (other.from == tie.to && other.to == tie.from);
      if (same && other.is_fixed == tie.is_fixed)
        throw SpecError(key,
                        fmt::format("joins the places of joints.{}; leave out one of the two", other.joint));
    }
    const PlaceCoordinates& from = place(spec_.joints[i].from, key + ".from");
    const PlaceCoordinates& to = place(spec_.joints[i].to, key + ".to");
    if (from.slopes[0] < 0 && to.slopes[0] < 0) {
      throw SpecError(key, "joins no beam; name a beam's start or end, e.g. \"arm.start\"");
    }
    if (tie.is_to_ground()) {
      const PlaceCoordinates& beam = tie.from == "ground" ? to : from;
      if (tie.is_fixed && is_free(beam.slopes[2])) {
        throw SpecError(key, "clamps what another joint pins to the ground; leave out one of the two");
      }
      continue;
    }
    if (from.position != to.position) {
      throw SpecError(key,
                      "closes a loop at a place that other joints tie already; tie them in another order");
    }
    if (tie.is_fixed && from.slopes[2] != to.slopes[2]) {
      throw SpecError(key, "fixes beams that other joints tie already; state it before them");
    }
  }
}

std::array<int, 2> Layout::cross_section(const PlaceCoordinates& place) const {
  if (place.slopes[0] < 0) return held_direction_;
  return {place.slopes[2], place.slopes[3]};
}

}  // namespace kurbel::absolute
