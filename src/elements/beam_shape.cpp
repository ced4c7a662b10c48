#include "elements/beam_shape.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/errors.hpp"
#include "base/instantiate.hpp"
#include "elements/director_beam.hpp"
#include "integration/lie_group.hpp"

namespace kurbel {

namespace {

template <class S>
S norm(const Vector3<S>& a) {
  using std::sqrt;
  return sqrt(dot(a, a));
}

/// Variation of a unit vector u = a / |a|.
template <class S>
Vector3<S> of_unit_vector(const Vector3<S>& u, const Vector3<S>& a_dot, const S& length) {
  return (a_dot - u * dot(u, a_dot)) / length;
}

/// Coordinates of a DirectorBeam.
template <class S>
VectorX<S> coordinates(const typename BeamShape<S>::Node& first, const typename BeamShape<S>::Node& second) {
  VectorX<S> q(24);
  q << first.reshaped(), second.reshaped();
  return q;
}

}  // namespace

template <class S>
BeamShape<S>::BeamShape(const BeamSpec& spec, const S* places)
    : spec_(spec),
      start_(Eigen::Map<const Vector3<S>>(places)),
      end_(Eigen::Map<const Vector3<S>>(places + 3)) {
  const Vector3<S> chord = end_ - start_;
  chord_ = length_ = norm(chord);
  if (std::abs(chord_) < 1e-9) throw InputError(fmt::format("beams.{}: has no length", spec.name));
  direction_ = chord / chord_;
  if (is_cable()) return;
  if (spec.through) {
    const Vector3<S> through = Eigen::Map<const Vector3<S>>(places + 6);
    if (std::abs(norm(Vector3<S>(cross(through - start_, chord)))) < 1e-9 * std::abs(chord_ * chord_))
      throw InputError(
          fmt::format("beams.{}.through: lies on the line from start to end; leave it out for a "
                      "straight beam",
                      spec.name));
    arc_.emplace(Eigen::Map<const Places>(places));
    length_ = arc_->length();
  }
  check_side();
}

template <class S>
void BeamShape<S>::check_side() const {
  constexpr double parallel = 1e-6;
  const Vector3<S> side = this->side();
  const S across = arc_ ? dot(arc_->normal(), side) : norm(Vector3<S>(cross(direction_, side)));
  if (std::abs(across) >= parallel * std::abs(norm(side))) return;
  throw InputError(
      fmt::format("beams.{}.side: is {}; it says where the y axis of the section points, across the beam",
                  spec_.name, arc_ ? "in the plane of the arc" : "along the beam"));
}

template <class S>
Vector3<S> BeamShape<S>::side() const {
  return arc_ && spec_.side.isZero(0.0) ? arc_->normal() : Vector3<S>(spec_.side.template cast<S>());
}

template <class S>
auto BeamShape<S>::point(int i) const -> Point {
  const double xi = share(i);
  return arc_ ? arc_->at(xi) : Point{(1.0 - xi) * start_ + xi * end_, direction_};
}

/// d3 = d1 x side / |d1 x side|,  d2 = d3 x d1
template <class S>
auto BeamShape<S>::axes(const Vector3<S>& d1) const -> Axes {
  const Vector3<S> across = cross(d1, side()), d3 = across / norm(across);
  Axes axes;
  axes << d1, cross(d3, d1), d3;
  return axes;
}

template <class S>
auto BeamShape<S>::node(int i) const -> Node {
  const Point at = point(i);
  Node node(3, is_cable() ? 2 : 4);
  node.col(0) = at.r;
  if (is_cable()) {
    node.col(1) = at.tangent;
  } else {
    node.template rightCols<3>() = axes(at.tangent);
  }
  return node;
}

template <class S>
auto BeamShape<S>::rate_of(const Node& node, const Vector3<S>& start) const -> Node {
  const Vector3<S> omega = angular_velocity();
  Node rate = node;
  rate.col(0) = cross(omega, Vector3<S>(node.col(0) - start));
  for (Eigen::Index k = 1; k < node.cols(); ++k) rate.col(k) = cross(omega, node.col(k));
  return rate;
}

template <class S>
auto BeamShape<S>::node_rate(int i) const -> Node {
  Node rate = rate_of(node(i), start_);
  rate.col(0) += spec_.velocity.template cast<S>();
  return rate;
}

template <class S>
Vector6<S> BeamShape<S>::strains(int element) const {
  if (!arc_) return Vector6<S>::Zero();
  return director_beam_strains<S>(coordinates<S>(node(element), node(element + 1)), element_length());
}

template <class S>
auto BeamShape<S>::point_variation(int i, const Places& places_dot) const -> Point {
  const double xi = share(i);
  if (arc_) return arc_->variation_at(xi, arc_->variation(places_dot));
  const Vector3<S> chord_dot = places_dot.col(1) - places_dot.col(0);
  return {(1.0 - xi) * places_dot.col(0) + xi * places_dot.col(1),
          of_unit_vector<S>(direction_, chord_dot, chord_)};
}

template <class S>
auto BeamShape<S>::axes_variation(const Vector3<S>& d1, const Vector3<S>& d1_dot,
                                  const Vector3<S>& side_dot) const -> Axes {
  const Vector3<S> across = cross(d1, side()), across_dot = cross(d1_dot, side()) + cross(d1, side_dot),
                   d3 = across / norm(across), d3_dot = of_unit_vector<S>(d3, across_dot, norm(across));
  Axes axes_dot;
  axes_dot << d1_dot, cross(d3_dot, d1) + cross(d3, d1_dot), d3_dot;
  return axes_dot;
}

template <class S>
auto BeamShape<S>::node_variation(int i, const Places& places_dot) const -> Node {
  const Point dot_of = point_variation(i, places_dot);
  Node node_dot(3, is_cable() ? 2 : 4);
  node_dot.col(0) = dot_of.r;
  if (is_cable()) {
    node_dot.col(1) = dot_of.tangent;
    return node_dot;
  }
  const bool follows = arc_ && spec_.side.isZero(0.0);
  const Vector3<S> side_dot = follows ? arc_->variation(places_dot).normal : Vector3<S>::Zero();
  node_dot.template rightCols<3>() = axes_variation(point(i).tangent, dot_of.tangent, side_dot);
  return node_dot;
}

template <class S>
auto BeamShape<S>::node_rate_variation(int i, const Places& places_dot) const -> Node {
  return rate_of(node_variation(i, places_dot), places_dot.col(0));
}

template <class S>
S BeamShape<S>::element_length_variation(const Places& places_dot) const {
  const S length_dot = arc_ ? arc_->variation(places_dot).length
                            : dot(direction_, Vector3<S>(places_dot.col(1) - places_dot.col(0)));
  return length_dot / double(spec_.n_elements);
}

template <class S>
Vector6<S> BeamShape<S>::strain_variation(int element, const Places& places_dot) const {
  if (!arc_) return Vector6<S>::Zero();
  return director_beam_strain_variation<S>(
      coordinates<S>(node(element), node(element + 1)),
      coordinates<S>(node_variation(element, places_dot), node_variation(element + 1, places_dot)),
      element_length(), element_length_variation(places_dot));
}

template <class S>
MatrixX<S> BeamShape<S>::derivatives() const {
  const int n = arc_ ? spec_.n_elements : 0;
  MatrixX<S> by_places(1 + 6 * n, 9);
  for (Eigen::Index j = 0; j < 9; ++j) {
    Places unit = Places::Zero();
    unit(j) = S(1);
    by_places(0, j) = element_length_variation(unit);
    for (int i = 0; i < n; ++i) by_places.col(j).template segment<6>(1 + 6 * i) = strain_variation(i, unit);
  }
  return by_places;
}

template class BeamShape<InstantiatedScalar>;

}  // namespace kurbel
