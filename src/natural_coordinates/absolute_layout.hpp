/// @file
/// Coordinates of a system in absolute coordinates: which places share them, which are held, where they
/// start.
#pragma once

#include <map>

#include "natural_coordinates/absolute_assembly.hpp"

namespace kurbel::absolute {

/// A point that may depend on the parameters, by lengths of beams.
struct Location {
  Vector3d value = Vector3d::Zero();                 ///< m
  std::vector<std::pair<int, Vector3d>> by_xi = {};  ///< derivatives by entries of xi
};

/// A place is named "ground", by a mass in a point, or as "beam.start" or "beam.end", as text_of() names a marker.
using Place = std::string;

/// Coordinates of a place; a beam's end has slopes as well.
struct PlaceCoordinates {
  Location location = {};
  std::array<int, 3> position = {-1, -1, -1};
  std::array<int, 4> slopes = {-1, -1, -1, -1};  ///< r_x, r_y; -1: it has none
};

/// Places the parts of a mechanism: masses in points, then beams from where they start along their joints.
class Layout {
 public:
  /// The mechanism must outlive the layout.
  /// @throws SpecError if a beam has no place, or joints do not meet
  Layout(const SystemSpec& spec, const Slots& slots);

  const std::vector<Coordinate>& coordinates() const { return coordinates_; }
  const std::vector<BeamElement>& beam_elements() const { return beam_elements_; }

  /// @throws SpecError with this key if there is no such place
  const PlaceCoordinates& place(const MarkerRef& marker, const std::string& key) const;
  /// r_y of a beam's end; of anything else, a direction that is held.
  std::array<int, 2> cross_section(const PlaceCoordinates& place) const;

 private:
  /// A joint and the places that it joins.
  struct Tie {
    std::string joint;
    Place from, to;
    bool is_fixed;

    bool is_to_ground() const { return from == "ground" || to == "ground"; }
  };

  int add_coordinate(Coordinate c);
  int held(double value) { return add_coordinate({"ground", false, value, 0.0, {}}); }
  bool is_free(int coordinate) const { return coordinates_[static_cast<std::size_t>(coordinate)].free; }
  void keep(int coordinate) { coordinates_[static_cast<std::size_t>(coordinate)].free = false; }
  void add_point(const PointMassSpec& point);
  void place_beams(const Slots& slots);
  void add_beam(const PlanarBeamSpec& beam, const Slots& slots);
  PlaceCoordinates add_node(const PlanarBeamSpec& beam, std::size_t node, const Location& location);
  const Tie* tie_to_existing(const Place& place, PlaceCoordinates& other) const;
  const Tie* tie_to_ground(const Place& place) const;
  Location start_of(const PlanarBeamSpec& beam) const;
  void check_slopes(const Tie& tie, const std::array<double, 4>& slope, const PlaceCoordinates& other) const;
  void check_joints() const;

  const SystemSpec& spec_;
  const VectorXd xi_;
  std::vector<Tie> ties_;
  std::vector<Coordinate> coordinates_;
  std::vector<BeamElement> beam_elements_;
  PlaceCoordinates ground_;
  std::array<int, 2> held_direction_ = {-1, -1};
  std::map<Place, PlaceCoordinates> places_;
};

}  // namespace kurbel::absolute
