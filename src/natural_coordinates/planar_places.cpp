#include "natural_coordinates/planar_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace kurbel {

namespace {

/// Places nearer to each other than this are one, m; slopes that differ by less are the same.
constexpr double same_place = 1e-9;

/// "ground", a point mass, or "beam.start" or "beam.end", as text_of() names a marker.
using Place = std::string;

/// The vectors at a place, as far as it has them: of what is shared, those that are coordinates of both.
struct AtPlace {
  VectorForm location{};                ///< of parameters alone, m
  int point = -1;                       ///< r
  int section = -1;                     ///< r_y of a beam's node
  Vector3d normal = Vector3d::UnitY();  ///< where r_y points at the start
};

/// A joint and the places that it joins.
struct Tie {
  std::string joint;
  Place from, to;
  bool is_fixed;

  bool is_to_ground() const { return from == "ground" || to == "ground"; }
  const Place& other(const Place& place) const { return to == place ? from : to; }
  bool is_at(const Place& place) const { return to == place || from == place; }
};

Place end_of(const PlanarBeamSpec& beam, bool end) {
  return beam.name + (end ? ".end" : ".start");
}

class Placement {
 public:
  Placement(const SystemSpec& spec, const ParameterLayout& layout, const VectorXd& p, CarriedFrames& frames)
      : spec_(spec), layout_(layout), p_(p), frames_(frames) {
    for (const JointSpec& joint : spec.joints) {
      if (is_of_planar_beam(spec, joint)) {
        ties_.push_back({joint.name, text_of(joint.from), text_of(joint.to), !is_hinge(joint)});
      } else {
        check_points(joint);
      }
    }
  }

  PlanarPlaces place() {
    for (std::size_t i = 0; i < spec_.point_masses.size(); ++i) add_point(i);
    place_beams();
    check_joints();
    return std::move(out_);
  }

 private:
  Vector3d at(const VectorForm& location) const { return location.at<double>(p_.data(), p_); }
  void start_at(int vector, VectorForm form) { out_.starts.emplace_back(vector, std::move(form)); }

  /// A point has no axes.
  void check_points(const JointSpec& joint) const {
    const bool holds_rotation =
        joint.locked[3] || joint.locked[4] || joint.locked[5] ||
        std::ranges::any_of(joint.drives, [](const DriveSpec& drive) { return is_rotation(drive.dof); });
    for (const PointMassSpec& point : spec_.point_masses) {
      if (!holds_rotation || (joint.from.body != point.name && joint.to.body != point.name)) continue;
      throw SpecError("joints." + joint.name,
                      fmt::format("holds a rotation of the point {}, which has none; take \"spherical\" or "
                                  "\"distance\"",
                                  point.name));
    }
  }

  void add_point(std::size_t i) {
    const PointMassSpec& point = spec_.point_masses[i];
    const int r = frames_.point_mass(i);
    Vector3d fixed = point.position;
    for (int d = 0; d < 3; ++d) {
      if (point.free[static_cast<std::size_t>(d)]) fixed[d] = 0.0;
    }
    if (point.moves()) {
      frames_.map().hold(r, Parts(point.free), fixed_form(fixed));
    } else {
      frames_.map().tie(r, fixed_form(point.position));
    }
    start_at(r, fixed_form(point.position));
    places_[point.name] = {fixed_form(point.position), r};
  }

  /// The joint that ties this place to one that is placed already, or nullptr.
  const Tie* tie_to_placed(const Place& place) const {
    const auto found = std::ranges::find_if(ties_, [&](const Tie& tie) {
      return tie.is_at(place) && !tie.is_to_ground() && places_.contains(tie.other(place));
    });
    return found == ties_.end() ? nullptr : &*found;
  }

  const Tie* tie_to_ground(const Place& place) const {
    const auto found =
        std::ranges::find_if(ties_, [&](const Tie& tie) { return tie.is_to_ground() && tie.is_at(place); });
    return found == ties_.end() ? nullptr : &*found;
  }

  void place_beams() {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < spec_.planar_beams.size(); ++i) left.push_back(i);
    while (!left.empty()) {
      const auto next = std::ranges::find_if(left, [&](std::size_t i) {
        const PlanarBeamSpec& beam = spec_.planar_beams[i];
        return beam.start || tie_to_placed(end_of(beam, false));
      });
      if (next == left.end())
        throw SpecError("beams." + spec_.planar_beams[left.front()].name + ".start",
                        "is missing, and no joint at the beam's start says where it is");
      add_beam(*next);
      left.erase(next);
    }
  }

  VectorForm start_of(const PlanarBeamSpec& beam) const {
    const Place place = end_of(beam, false);
    if (beam.start) return fixed_form({beam.start->x(), beam.start->y(), 0.0});
    return places_.at(tie_to_placed(place)->other(place)).location;
  }

  void add_beam(std::size_t i) {
    const PlanarBeamSpec& beam = spec_.planar_beams[i];
    const Vector3d axis(std::cos(beam.angle), std::sin(beam.angle), 0.0), normal(-axis.y(), axis.x(), 0.0);
    VectorForm location = start_of(beam);
    for (std::size_t node = 0; node <= beam.n_elements; ++node) {
      if (node > 0)
        location.reaches.push_back({axis, layout_.planar_beam(i).number(node - 1, PlanarBeamSpec::length)});
      const int r = frames_.planar_node(i, node);
      for (const int vector : {r, r + 1, r + 2}) frames_.map().hold(vector, Parts::plane(), {});
      start_at(r, location), start_at(r + 1, fixed_form(axis)), start_at(r + 2, fixed_form(normal));
      if (node == 0 || node == beam.n_elements)
        add_end(end_of(beam, node != 0), {location, r, r + 2, normal});
    }
  }

  /// Makes an end of a beam one with another place, or with the ground.
  void add_end(const Place& place, AtPlace here) {
    const Tie* tie = tie_to_placed(place);
    const Tie* hold = tie_to_ground(place);
    CoordinateMap& map = frames_.map();
    if (tie) {
      const AtPlace& other = places_.at(tie->other(place));
      check_meeting(*tie, here, other);
      map.tie(here.point, CoordinateMap::carried(other.point));
      here.point = other.point;
      if (tie->is_fixed) {
        map.tie(here.section, CoordinateMap::carried(other.section));
        here.section = other.section;
      }
    }
    if (hold) {
      out_.gaps.push_back({hold->joint, here.location, true});
      hold_at(here.point, at(here.location));
      // A clamp holds the cross-section, r_y; r_x follows from shear and stretch.
      if (hold->is_fixed) hold_at(here.section, here.normal);
    }
    places_[place] = std::move(here);
  }

  void hold_at(int vector, const Vector3d& value) {
    if (frames_.map().is_free(vector)) frames_.map().tie(vector, fixed_form(value));
  }

  void check_meeting(const Tie& tie, const AtPlace& here, const AtPlace& other) {
    const std::string key = "joints." + tie.joint;
    VectorForm gap = here.location - other.location;
    const double distance = at(gap).norm();
    if (distance > same_place)
      throw SpecError(key, fmt::format("joins places that are {:.6g} m apart", distance));
    out_.gaps.push_back({tie.joint, std::move(gap), false});
    if (!tie.is_fixed) return;
    if (other.section < 0) throw SpecError(key, "fixes a beam to a point, which has no direction");
    if ((other.normal - here.normal).cwiseAbs().maxCoeff() > same_place)
      throw SpecError(key, "fixes two beams that do not have the same angle");
  }

  const AtPlace* find(const Place& place) const {
    const auto at = places_.find(place);
    return at == places_.end() ? nullptr : &at->second;
  }

  void check_joints() const {
    for (std::size_t i = 0; i < ties_.size(); ++i) {
      const Tie& tie = ties_[i];
      const std::string key = "joints." + tie.joint;
      for (std::size_t j = 0; j < i; ++j) {
        const Tie& other = ties_[j];
        const bool same =
            (other.from == tie.from && other.to == tie.to) || (other.from == tie.to && other.to == tie.from);
        if (same && other.is_fixed == tie.is_fixed)
          throw SpecError(
              key, fmt::format("joins the places of joints.{}; leave out one of the two", other.joint));
      }
      check_joint(tie, key);
    }
  }

  void check_joint(const Tie& tie, const std::string& key) const {
    const AtPlace *from = find(tie.from), *to = find(tie.to);
    if ((!from || from->section < 0) && (!to || to->section < 0))
      throw SpecError(key, "joins no beam; name a beam's start or end, e.g. \"arm.start\"");
    if (tie.is_to_ground()) {
      const AtPlace& beam = tie.from == "ground" ? *to : *from;
      if (tie.is_fixed && frames_.map().is_free(beam.section))
        throw SpecError(key, "clamps what another joint pins to the ground; leave out one of the two");
      return;
    }
    if (from->point != to->point)
      throw SpecError(key,
                      "closes a loop at a place that other joints tie already; tie them in another order");
    if (tie.is_fixed && from->section != to->section)
      throw SpecError(key, "fixes beams that other joints tie already; state it before them");
  }

  const SystemSpec& spec_;
  const ParameterLayout& layout_;
  const VectorXd& p_;
  CarriedFrames& frames_;
  std::vector<Tie> ties_{};
  std::map<Place, AtPlace> places_{};
  PlanarPlaces out_{};
};

}  // namespace

PlanarPlaces place_planar_parts(const SystemSpec& spec, const ParameterLayout& layout, const VectorXd& p,
                                CarriedFrames& frames) {
  if (spec.planar_beams.empty() && spec.point_masses.empty()) return {};
  return Placement(spec, layout, p, frames).place();
}

bool is_of_planar_beam(const SystemSpec& spec, const JointSpec& joint) {
  return std::ranges::any_of(spec.planar_beams, [&](const PlanarBeamSpec& beam) {
    return beam.name == joint.from.body || beam.name == joint.to.body;
  });
}

}  // namespace kurbel
