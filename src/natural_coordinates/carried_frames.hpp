/// @file
/// The vectors that are the coordinates of a mechanism, and those that its bodies and beams carry at their markers.
#pragma once

#include <array>
#include <optional>

#include "floating_frame/parameters.hpp"
#include "natural_coordinates/coordinate_map.hpp"

namespace kurbel {

/// A place of the mechanism: a marker of a body or of the ground, or a node of a beam.
struct CarriedFrame {
  VectorForm point{};
  std::array<VectorForm, 3> axes{};
  bool has_axes = true;                                  ///< a cable has none
  std::optional<std::array<VectorForm, 3>> directors{};  ///< of its body or section, if it turns
  std::optional<VectorForm> tangent{};                   ///< r_x of a cable's node
  std::optional<VectorForm> section{};                   ///< r_y of a planar beam's node
  std::optional<int> node{};  ///< of a beam: its r; the vectors that turn with it follow
};

/// Vectors of bodies first, (r, e1, e2, e3) each; then those of the beams node by node: (r, r_x) of a cable,
/// (r, d1, d2, d3) of a spatial beam, d1 along it; r of masses in points; (r, r_x, r_y) of planar beams node by node; then
/// a massless direction for every driven rotation.
class CarriedFrames {
 public:
  CarriedFrames(const SystemSpec& spec, const ParameterLayout& layout);

  int n_vectors() const { return static_cast<int>(names_.size()); }
  /// The map from coordinates to these vectors.
  const CoordinateMap& map() const { return map_; }
  CoordinateMap& map() { return map_; }
  int body(std::size_t i) const { return 4 * static_cast<int>(i); }
  int node(std::size_t beam, int i) const;
  int point_mass(std::size_t i) const { return first_point_mass_ + static_cast<int>(i); }
  int planar_node(std::size_t beam, std::size_t i) const {
    return first_of_planar_beam_[beam] + 3 * static_cast<int>(i);
  }
  static int vectors_per_node(const BeamSpec& beam) { return beam.kind == BeamSpec::Kind::cable ? 2 : 4; }
  /// The direction that the drive of a joint's rotation prescribes.
  int driven_direction(std::size_t joint) const { return directions_[joint]; }
  /// First vectors of all that is (r, e1, e2, e3) with orthonormal axes.
  std::vector<int> rigid_frames() const;

  /// The frame in coordinates.
  /// @param owner  what the marker belongs to, for the message
  /// @throws InputError if there is no such body, beam or marker
  CarriedFrame at(const MarkerRef& ref, const std::string& owner) const;
  /// The frame in carried vectors.
  CarriedFrame carried(const MarkerRef& ref, const std::string& owner) const;

  /// y = values of the vectors from `first` on, one below the other, at coordinates x; or rates at rates.
  template <class S, class Q, class Y>
  void gather(int first, const S* p, const Q& x, Y&& y) const {
    for (Eigen::Index k = 0; 3 * k < y.size(); ++k)
      y.template segment<3>(3 * k) = map_.form(first + static_cast<int>(k)).template at<S>(p, x);
  }
  template <class S, class Q, class Y>
  void gather_rates(int first, const S* p, const Q& v, Y&& y) const {
    for (Eigen::Index k = 0; 3 * k < y.size(); ++k)
      y.template segment<3>(3 * k) = map_.form(first + static_cast<int>(k)).template linear<S>(p, v);
  }

  /// "arm, node 3" and "e2", of a vector.
  struct Name {
    std::string owner, vector;
  };
  const Name& name(int vector) const { return names_[static_cast<std::size_t>(vector)]; }
  /// True if the components of the vector have names of their own: "mass.x", "beam.node2.x_y".
  bool is_of_point_or_planar_beam(int vector) const {
    return first_point_mass_ <= vector && vector < end_of_planar_beams_;
  }
  /// True if the vector is a position, rather than an axis or a slope.
  bool is_point(int vector) const { return name(vector).vector == "r"; }

 private:
  CarriedFrame of_body(std::size_t body, const MarkerRef& ref, const std::string& owner) const;
  CarriedFrame of_beam(std::size_t beam, const MarkerRef& ref, const std::string& owner) const;
  CarriedFrame of_planar_beam(std::size_t beam, const MarkerRef& ref, const std::string& owner) const;
  CarriedFrame of_ground(const MarkerRef& ref, const std::string& owner) const;
  Matrix3d axes_of(const SidNode& marker) const;

  const SystemSpec& spec_;
  const ParameterLayout& layout_;
  std::vector<int> first_of_beam_, first_of_planar_beam_, directions_;
  int first_point_mass_ = 0, end_of_planar_beams_ = 0;
  std::vector<Name> names_;
  CoordinateMap map_{0};
};

}  // namespace kurbel
