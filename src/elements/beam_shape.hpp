/// @file
/// Positions and velocities of a beam's nodes at the start.                        [P1, section 5, eqs 44-46]
///
/// Straight: nodes at equal distances from start to end; slopes and d1 are the unit chord d; d2 is as near to the
/// side that is given as a normal of d can be, d3 = d x d2. An arc through a third place: nodes at equal angles, d1
/// its tangent, and the normal of its plane in place of a side that is not given. The beam moves as one body,
/// v = velocity + omega x (r - start).
#pragma once

#include "elements/arc.hpp"
#include "mechanism/system_spec.hpp"

namespace kurbel {

template <class Scalar>
class BeamShape {
 public:
  /// Start, end and, of an arc, through in the columns, m; or variations of them.
  using Places = Matrix3<Scalar>;
  /// r, then r_x or d1, d2, d3.
  using Node = Eigen::Matrix<Scalar, 3, Eigen::Dynamic, 0, 3, 4>;

  /// @param places  start, end and, of an arc, through: three numbers each
  /// @throws InputError if the beam has no length, its side is along it, or an arc is straight
  BeamShape(const BeamSpec& spec, const Scalar* places);

  /// m; along the arc.
  Scalar element_length() const { return length_ / double(spec_.n_elements); }
  Node node(int i) const;
  Node node_rate(int i) const;
  /// Angular velocity of all nodes, in the inertial frame, rad/s.
  Vector3<Scalar> angular_velocity() const { return spec_.angular_velocity.template cast<Scalar>(); }
  /// Gamma and K of DirectorBeam in an element of a spatial beam that is free of stress.
  Vector6<Scalar> strains(int element) const;

  Node node_variation(int i, const Places& places_dot) const;
  Node node_rate_variation(int i, const Places& places_dot) const;
  Vector6<Scalar> strain_variation(int element, const Places& places_dot) const;
  Scalar element_length_variation(const Places& places_dot) const;
  /// Derivatives of the elements' length, and below it of the strains of an arc's elements, by the nine numbers.
  /// @return  (1 x 9), or of an arc (1 + 6 n_elements) x 9
  MatrixX<Scalar> derivatives() const;

 private:
  using Axes = Matrix3<Scalar>;
  using Point = typename Arc<Scalar>::Point;

  bool is_cable() const { return spec_.kind == BeamSpec::Kind::cable; }
  double share(int i) const { return double(i) / double(spec_.n_elements); }
  Vector3<Scalar> side() const;
  void check_side() const;
  Point point(int i) const;
  Point point_variation(int i, const Places& places_dot) const;
  Axes axes(const Vector3<Scalar>& d1) const;
  Axes axes_variation(const Vector3<Scalar>& d1, const Vector3<Scalar>& d1_dot,
                      const Vector3<Scalar>& side_dot) const;
  Node rate_of(const Node& node, const Vector3<Scalar>& start) const;

  const BeamSpec& spec_;
  Vector3<Scalar> start_, end_, direction_;
  Scalar chord_, length_;
  std::optional<Arc<Scalar>> arc_{};
};

}  // namespace kurbel
