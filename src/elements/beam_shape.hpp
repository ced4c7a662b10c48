/// @file
/// Where the nodes of a beam are at the start, and how they move there.                        [P1, section 5, eqs 44-46]
///
/// Straight: nodes at equal distances from start to end; slopes and d1 are the unit chord d; d2 is as near to the
/// side that is given as a normal of d can be, d3 = d x d2. An arc through a third place: nodes at equal angles, d1
/// its tangent. The beam moves as one body, v = velocity + omega x (r - start).
#pragma once

#include "base/types.hpp"
#include "mechanism/system_spec.hpp"

namespace kurbel {

template <class Scalar>
class BeamShape {
 public:
  using Vec = VectorX<Scalar>;
  using Segment = Eigen::Ref<const Vec>;
  /// r, then r_x or d1, d2, d3.
  using Node = Eigen::Matrix<Scalar, 3, Eigen::Dynamic, 0, 3, 4>;

  /// @param ends  start and end, three numbers each
  /// @throws InputError if the beam has no length, or its side is along it
  BeamShape(const BeamSpec& spec, const Scalar* ends);

  /// m; along the arc.
  Scalar element_length() const { return length_ / double(spec_.n_elements); }
  /// Unit chord.
  const Vector3<Scalar>& direction() const { return direction_; }
  Node node(int i) const;
  Node node_rate(int i) const;
  /// Of all nodes, in the inertial frame, rad/s.
  Vector3<Scalar> angular_velocity() const { return spec_.angular_velocity.template cast<Scalar>(); }
  /// Of a straight beam, along variations of its start and end.
  Node node_variation(int i, const Vector3<Scalar>& start, const Vector3<Scalar>& end) const;
  Node node_rate_variation(int i, const Vector3<Scalar>& start, const Vector3<Scalar>& end) const;
  /// Gamma and K of DirectorBeam in an element of a spatial beam that is free of stress.
  Vector6<Scalar> strains(int element) const;

 private:
  bool is_cable() const { return spec_.kind == BeamSpec::Kind::cable; }
  Node rate_of(const Node& node, const Vector3<Scalar>& start) const;
  Node on_arc(int i) const;

  const BeamSpec& spec_;
  Vector3<Scalar> start_, end_, direction_;
  Vector3<Scalar> d2_, d3_;
  Scalar chord_, length_;
  // Of an arc: centre, radius vector of its start, normal of its plane, angle.
  Vector3<Scalar> centre_, radius_, normal_;
  Scalar angle_{};
};

}  // namespace kurbel
