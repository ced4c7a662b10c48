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

}  // namespace

template <class S>
BeamShape<S>::BeamShape(const BeamSpec& spec, const S* ends)
    : spec_(spec), start_(Eigen::Map<const Vector3<S>>(ends)), end_(Eigen::Map<const Vector3<S>>(ends + 3)) {
  const Vector3<S> chord = end_ - start_;
  chord_ = length_ = norm(chord);
  if (std::abs(chord_) < 1e-9) throw InputError(fmt::format("beams.{}: has no length", spec.name));
  direction_ = chord / chord_;
  if (is_cable()) return;
  const Vector3<S> across = cross(direction_, spec.side.template cast<S>());
  if (std::abs(norm(across)) < 1e-6 * spec.side.norm())
    throw InputError(
        fmt::format("beams.{}.side: is along the beam; it says where the y axis of the section "
                    "points, across the beam",
                    spec.name));
  d3_ = across / norm(across);
  d2_ = cross(d3_, direction_);
  if (!spec.through) return;
  // The circle through three places: its centre is where the bisectors meet.
  const Vector3<S> to_through = spec.through->template cast<S>() - start_;
  const Vector3<S> n = cross(to_through, chord);
  const S n2 = dot(n, n);
  if (std::abs(n2) < 1e-18 * std::abs(chord_ * chord_ * chord_ * chord_))
    throw InputError(
        fmt::format("beams.{}.through: lies on the line from start to end; leave it out for a "
                    "straight beam",
                    spec.name));
  radius_ = -(dot(to_through, to_through) * cross(chord, n) - dot(chord, chord) * cross(to_through, n)) /
            (2.0 * n2);
  centre_ = start_ - radius_;
  normal_ = n / norm(n);
  const S R = norm(radius_);
  const Vector3<S> to_end = end_ - centre_;
  const double sine = real_part(S(dot(normal_, cross(radius_, to_end)))),
               cosine = real_part(S(dot(radius_, to_end)));
  double angle = std::atan2(sine, cosine);
  if (angle < 0.0) angle += 2.0 * EIGEN_PI;
  angle_ = S(angle);
  length_ = R * angle_;
}

template <class S>
auto BeamShape<S>::on_arc(int i) const -> Node {
  const S turn = angle_ * (double(i) / double(spec_.n_elements));
  const Matrix3<S> R = rotation_matrix<S>(exp_quaternion<S>(Vector3<S>(turn * normal_)));
  Node node(3, 4);
  const Vector3<S> tangent = R * cross(normal_, radius_) / norm(radius_);
  const Vector3<S> across = cross(tangent, spec_.side.template cast<S>());
  node.col(0) = centre_ + R * radius_;
  node.col(1) = tangent;
  node.col(3) = across / norm(across);
  node.col(2) = cross(node.col(3), tangent);
  return node;
}

template <class S>
auto BeamShape<S>::node(int i) const -> Node {
  if (spec_.through) return on_arc(i);
  const double xi = double(i) / double(spec_.n_elements);
  Node node(3, is_cable() ? 2 : 4);
  node.col(0) = (1.0 - xi) * start_ + xi * end_;
  node.col(1) = direction_;
  if (!is_cable()) node.col(2) = d2_, node.col(3) = d3_;
  return node;
}

template <class S>
auto BeamShape<S>::rate_of(const Node& node, const Vector3<S>& start) const -> Node {
  const Vector3<S> omega = spec_.angular_velocity.template cast<S>();
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
auto BeamShape<S>::node_variation(int i, const Vector3<S>& start, const Vector3<S>& end) const -> Node {
  const double xi = double(i) / double(spec_.n_elements);
  const Vector3<S> chord = end - start;
  const auto normal_part = [](const Vector3<S>& d, const Vector3<S>& v) {
    return Vector3<S>(v - d * dot(d, v));
  };
  const Vector3<S> d1 = normal_part(direction_, chord) / chord_;
  Node node(3, is_cable() ? 2 : 4);
  node.col(0) = (1.0 - xi) * start + xi * end;
  node.col(1) = d1;
  if (is_cable()) return node;
  const Vector3<S> side = spec_.side.template cast<S>();
  const Vector3<S> d3 = normal_part(d3_, cross(d1, side)) / norm(Vector3<S>(cross(direction_, side)));
  node.col(2) = cross(d3, direction_) + cross(d3_, d1);
  node.col(3) = d3;
  return node;
}

template <class S>
auto BeamShape<S>::node_rate_variation(int i, const Vector3<S>& start, const Vector3<S>& end) const -> Node {
  return rate_of(node_variation(i, start, end), start);
}

template <class S>
Vector6<S> BeamShape<S>::strains(int element) const {
  if (!spec_.through) return Vector6<S>::Zero();
  Eigen::Matrix<S, 24, 1> q;
  for (int k = 0; k < 2; ++k) {
    const Node at = node(element + k);
    for (int j = 0; j < 4; ++j) q.template segment<3>(12 * k + 3 * j) = at.col(j);
  }
  return director_beam_strains<S>(q, element_length());
}

template class BeamShape<InstantiatedScalar>;

}  // namespace kurbel
