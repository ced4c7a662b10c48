/// @file
/// Which vectors are the coordinates of a mechanism, and what its bodies and beams carry at their markers.
#pragma once

#include <array>
#include <optional>

#include "floating_frame/parameters.hpp"
#include "natural_coordinates/vector_form.hpp"

namespace kurbel {

/// A place of the mechanism: a marker of a body or of the ground, or a node of a beam.
struct CarriedFrame {
  VectorForm point{};
  std::array<VectorForm, 3> axes{};
  bool has_axes = true;                      ///< a cable has none
  std::array<int, 3> directors{-1, -1, -1};  ///< the vectors that turn with it, if there are some
  std::optional<VectorForm> tangent{};       ///< r_x of a cable's node
};

/// Bodies first, (r, e1, e2, e3) each; then the beams node by node: (r, r_x) of a cable, (r, d1, d2, d3) of a
/// spatial beam, d1 along it; then a massless direction for every driven rotation.
class CarriedFrames {
 public:
  /// Both must outlive this.
  CarriedFrames(const SystemSpec& spec, const ParameterLayout& layout);

  int n_vectors() const { return static_cast<int>(names_.size()); }
  int body(std::size_t i) const { return 4 * static_cast<int>(i); }
  int node(std::size_t beam, int i) const;
  static int vectors_per_node(const BeamSpec& beam) { return beam.kind == BeamSpec::Kind::cable ? 2 : 4; }
  /// The direction that the drive of a joint's rotation prescribes.
  int driven_direction(std::size_t joint) const { return directions_[joint]; }
  /// First vectors of all that is (r, e1, e2, e3) with orthonormal axes.
  std::vector<int> rigid_frames() const;

  /// @param owner  what the marker belongs to, for the message
  /// @throws InputError if there is no such body, beam or marker
  CarriedFrame at(const MarkerRef& ref, const std::string& owner) const;

  /// "arm, node 3" and "e2", of a vector.
  struct Name {
    std::string owner, vector;
  };
  const Name& name(int vector) const { return names_[static_cast<std::size_t>(vector)]; }
  /// Whether the vector is a position, rather than an axis or a slope.
  bool is_point(int vector) const { return name(vector).vector == "r"; }

 private:
  CarriedFrame of_body(std::size_t body, const MarkerRef& ref, const std::string& owner) const;
  CarriedFrame of_beam(std::size_t beam, const MarkerRef& ref, const std::string& owner) const;
  CarriedFrame of_ground(const MarkerRef& ref, const std::string& owner) const;

  const SystemSpec& spec_;
  const ParameterLayout& layout_;
  std::vector<int> first_of_beam_, directions_;
  std::vector<Name> names_;
};

}  // namespace kurbel
