#include <algorithm>

#include "base/instantiate.hpp"
#include "elements/beam_shape.hpp"
#include "integration/constant_mass_equilibrium.hpp"
#include "integration/lie_group.hpp"
#include "natural_coordinates/natural_system_detail.hpp"
#include "natural_coordinates/start_of_bodies.hpp"

namespace kurbel {

namespace {

/// A part of an initial state: a parameter, or as it is given.
template <class S>
Vector3<S> initial(const BodySpec& body, const InitialLayout& layout, const InitialPart& part, const S* p) {
  const Eigen::Index index = layout.*part.place;
  if (index >= 0) return Eigen::Map<const Vector3<S>>(p + index);
  return (body.initial.*part.value).template cast<S>();
}

/// The start of a body: its axes e1, e2, e3 in the columns of R, and omega in its frame.
template <class S>
struct BodyStart {
  Vector3<S> r, v, omega;
  Matrix3<S> R;
  Matrix3<S> turn;  ///< delta theta (in the body's frame) = turn d(rotation vector)

  BodyStart(const BodySpec& body, const InitialLayout& layout, const S* p)
      : r(initial(body, layout, initial_position, p)),
        v(initial(body, layout, initial_velocity, p)),
        omega(initial(body, layout, initial_angular_velocity, p)) {
    Vector6<S> twist;
    twist << Vector3<S>::Zero(), initial(body, layout, initial_rotation, p);
    R = rotation_matrix<S>(exp_quaternion<S>(Vector3<S>(twist.template tail<3>())));
    turn = retraction_derivative<S>(twist).T.template bottomRightCorner<3, 3>();
  }
};

template <class S>
void put_node(const typename BeamShape<S>::Node& node, int first, Eigen::Ref<VectorX<S>> x) {
  for (Eigen::Index k = 0; k < node.cols(); ++k) x.template segment<3>(3 * (first + k)) = node.col(k);
}

template <class S>
S product(const typename BeamShape<S>::Node& node, int first, const Eigen::Ref<const VectorX<S>>& bar) {
  S sum(0);
  for (Eigen::Index k = 0; k < node.cols(); ++k)
    sum += dot(node.col(k), bar.template segment<3>(3 * (first + k)));
  return sum;
}

}  // namespace

template <class S>
std::unique_ptr<Start<S>> NaturalSystem<S>::make_start() const {
  if (bodies_) return std::make_unique<StartOfBodies<S>>(*this);
  if (spec_.initial_equilibrium != InitialEquilibrium::none)
    return std::make_unique<ConstantMassEquilibrium<S>>(*this);
  return Base::make_start();
}

template <class S>
void NaturalSystem<S>::carried_start(Vec& x, Vec& v) const {
  x.setZero(3 * frames_.n_vectors()), v.setZero(x.size());
  for (std::size_t i = 0; i < spec_.bodies.size(); ++i) {
    const BodyStart<S> start(spec_.bodies[i], layout_.initial(i), p_.data());
    const Eigen::Index o = 3 * frames_.body(i);
    x.template segment<3>(o) = start.r;
    v.template segment<3>(o) = start.v;
    Eigen::Map<Matrix3<S>>(x.data() + o + 3) = start.R;
    Eigen::Map<Matrix3<S>>(v.data() + o + 3) = start.R * tilde(start.omega);
  }
  for (std::size_t i = 0; i < spec_.beams.size(); ++i) {
    const BeamShape<S> shape(spec_.beams[i], p_.data() + layout_.beam(i).places());
    for (int k = 0; k <= spec_.beams[i].n_elements; ++k) {
      put_node<S>(shape.node(k), frames_.node(i, k), x);
      put_node<S>(shape.node_rate(k), frames_.node(i, k), v);
    }
  }
  put_planar_start(x, v);
}

/// Puts the start of points and planar beams, which are undeformed and, but for the points, at rest.
template <class S>
void NaturalSystem<S>::put_planar_start(Vec& x, Vec& v) const {
  for (const auto& [vector, start] : planar_.starts)
    x.template segment<3>(3 * vector) = start.template at<S>(p_.data(), p_);
  for (std::size_t i = 0; i < spec_.point_masses.size(); ++i)
    v.template segment<3>(3 * frames_.point_mass(i)) = spec_.point_masses[i].velocity.template cast<S>();
}

template <class S>
void NaturalSystem<S>::given_initial_state(Eigen::Ref<Vec> x, Eigen::Ref<Vec> v) const {
  Vec carried_x, carried_v;
  carried_start(carried_x, carried_v);
  frames_.map().collapse<S>(carried_x, x);
  frames_.map().collapse<S>(carried_v, v);
  put_directions(x);
  put_direction_rates(v);
}

template <class S>
void NaturalSystem<S>::put_directions(Eigen::Ref<Vec> x) const {
  for (const auto& [d, axis] : directions_) {
    const Vector3<S> along = axis.template at<S>(extended_.data(), x);
    d.parts.for_each([&](int i, int index) { x[d.first + index] = along[i]; });
  }
}

template <class S>
void NaturalSystem<S>::put_direction_rates(Eigen::Ref<Vec> v) const {
  for (const auto& [d, axis] : directions_) {
    const Vector3<S> rate = axis.template linear<S>(extended_.data(), v);
    d.parts.for_each([&](int i, int index) { v[d.first + index] = rate[i]; });
  }
}

template <class S>
void NaturalSystem<S>::pull_back_directions(Eigen::Ref<Vec> bar) const {
  for (const auto& [d, axis] : directions_) {
    Vector3<S> along_bar = Vector3<S>::Zero();
    d.parts.for_each([&](int i, int index) { along_bar[i] = bar[d.first + index]; });
    axis.add_transposed(extended_.data(), along_bar, bar);
  }
}

template <class S>
std::pair<VectorXd, VectorXd> NaturalSystem<S>::real_start() const {
  Vec x(n_x()), v(n_x());
  given_initial_state(x, v);
  return {extended_.real(), x.real()};
}

/// Lengths count by the largest distance of a node, an origin or a marker from the mean of all, so that they are the same
/// numbers in every unit and wherever the mechanism stands. One place alone counts by its distance from the inertial
/// origin.
template <class S>
VectorXd NaturalSystem<S>::coordinate_units(const Segment& x) const {
  std::vector<Vector3d> places;
  const auto add_place = [&](const VectorForm& form) {
    places.push_back(form.template at<S>(extended_.data(), x).real());
  };
  for (int vector = 0; vector < frames_.n_vectors(); ++vector) {
    if (frames_.is_point(vector)) add_place(frames_.map().form(vector));
  }
  for (const BodySpec& body : spec_.bodies) {
    for (const SidNode& marker : body.sid.frame)
      add_place(frames_.at({body.name, marker.name}, body.name).point);
  }
  Vector3d mean = Vector3d::Zero();
  for (const Vector3d& place : places) mean += place / double(places.size());
  double length = 0.0, from_origin = 0.0;
  for (const Vector3d& place : places) {
    length = std::max(length, (place - mean).norm());
    from_origin = std::max(from_origin, place.norm());
  }
  constexpr double rounding = 1e-9;
  if (length <= rounding * from_origin) length = from_origin;
  VectorXd units = VectorXd::Ones(n_x());
  for (Eigen::Index i = 0; i < n_x() && length > 0.0; ++i) {
    if (frames_.is_point(frames_.map().vector_of(i))) units[i] = length;
  }
  return units;
}

/// Variations of e_k = R E_k: R (delta theta x E_k); those of its rate R (omega x E_k): the same of delta theta x and
/// omega x.
template <class S>
void NaturalSystem<S>::push_forward_given(bool of_rates, const ConstColumns& p_dot, Columns out) const {
  Vec x(3 * frames_.n_vectors());
  for (Eigen::Index column = 0; column < p_dot.cols(); ++column) {
    const auto d = p_dot.col(column);
    x.setZero();
    for (std::size_t i = 0; i < spec_.bodies.size(); ++i) {
      const InitialLayout& initial = layout_.initial(i);
      const BodyStart<S> start(spec_.bodies[i], initial, p_.data());
      const auto part = [&](Eigen::Index index) {
        return index < 0 ? Vector3<S>(Vector3<S>::Zero()) : Vector3<S>(d.template segment<3>(index));
      };
      const Matrix3<S> turn = tilde(Vector3<S>(start.turn * part(initial.rotation)));
      Matrix3<S> axes = start.R * turn;
      if (of_rates) axes = axes * tilde(start.omega) + start.R * tilde(part(initial.angular_velocity));
      const Eigen::Index o = 3 * frames_.body(i);
      x.template segment<3>(o) = part(of_rates ? initial.velocity : initial.position);
      for (int k = 0; k < 3; ++k) x.template segment<3>(o + 3 + 3 * k) = axes.col(k);
    }
    for (std::size_t i = 0; i < spec_.beams.size(); ++i) {
      const Eigen::Index index = layout_.beam(i).places();
      const Matrix3<S> places = d.template segment<BeamLayout::n_places>(index).reshaped(3, 3);
      if (places.isZero(0.0)) continue;
      const BeamShape<S> shape(spec_.beams[i], p_.data() + index);
      for (int k = 0; k <= spec_.beams[i].n_elements; ++k)
        put_node<S>(of_rates ? shape.node_rate_variation(k, places) : shape.node_variation(k, places),
                    frames_.node(i, k), x);
    }
    if (!of_rates) {
      for (const auto& [vector, start] : planar_.starts) {
        for (const VectorForm::Reach& reach : start.reaches)
          x.template segment<3>(3 * vector) += reach.direction.template cast<S>() * d[reach.parameter];
      }
    }
    frames_.map().collapse<S>(x, out.col(column));
    put_direction_rates(out.col(column));
  }
}

template <class S>
void NaturalSystem<S>::pullback_given(bool of_rates, const Segment& given_bar, Eigen::Ref<Vec> p_bar) const {
  Vec free_bar = given_bar, x_bar;
  pull_back_directions(free_bar);
  frames_.map().spread<S>(free_bar, x_bar);
  for (std::size_t i = 0; i < spec_.bodies.size(); ++i) {
    const InitialLayout& initial = layout_.initial(i);
    const BodyStart<S> start(spec_.bodies[i], initial, p_.data());
    const Eigen::Index o = 3 * frames_.body(i);
    const Eigen::Index moved = of_rates ? initial.velocity : initial.position;
    if (moved >= 0) p_bar.template segment<3>(moved) += x_bar.template segment<3>(o);
    if (initial.rotation < 0 && initial.angular_velocity < 0) continue;
    const Matrix3<S> axes_bar = Eigen::Map<const Matrix3<S>>(x_bar.data() + o + 3);
    for (int k = 0; k < 3; ++k) {
      const Matrix3<S> unit = tilde(Vector3<S>(Vector3<S>::Unit(k)));
      const auto along = [&](const Matrix3<S>& axes) { return axes.cwiseProduct(axes_bar).sum(); };
      if (initial.rotation >= 0) {
        const Matrix3<S> turned = start.R * unit;
        const S by_turn = of_rates ? along(turned * tilde(start.omega)) : along(turned);
        p_bar.template segment<3>(initial.rotation) += start.turn.row(k).transpose() * by_turn;
      }
      if (initial.angular_velocity >= 0 && of_rates)
        p_bar[initial.angular_velocity + k] += along(start.R * unit);
    }
  }
  for (std::size_t i = 0; i < spec_.beams.size(); ++i) {
    const int n = spec_.beams[i].n_elements, first = frames_.node(i, 0),
              end = frames_.node(i, n) + CarriedFrames::vectors_per_node(spec_.beams[i]);
    if (x_bar.segment(3 * first, 3 * (end - first)).isZero(0.0)) continue;
    const Eigen::Index index = layout_.beam(i).places();
    const BeamShape<S> shape(spec_.beams[i], p_.data() + index);
    for (int j = 0; j < BeamLayout::n_places; ++j) {
      Matrix3<S> unit = Matrix3<S>::Zero();
      unit(j) = S(1);
      for (int k = 0; k <= n; ++k)
        p_bar[index + j] +=
            product<S>(of_rates ? shape.node_rate_variation(k, unit) : shape.node_variation(k, unit),
                       frames_.node(i, k), x_bar);
    }
  }
  if (of_rates) return;
  for (const auto& [vector, start] : planar_.starts)
    start.pull_back(Vector3<S>(x_bar.template segment<3>(3 * vector)), p_, p_bar.data());
}

#define KURBEL_INSTANTIATE(S)                                                                   \
  template std::unique_ptr<Start<S>> NaturalSystem<S>::make_start() const;                      \
  template void NaturalSystem<S>::carried_start(Vec&, Vec&) const;                              \
  template void NaturalSystem<S>::put_planar_start(Vec&, Vec&) const;                           \
  template void NaturalSystem<S>::given_initial_state(Eigen::Ref<Vec>, Eigen::Ref<Vec>) const;  \
  template void NaturalSystem<S>::put_directions(Eigen::Ref<Vec>) const;                        \
  template void NaturalSystem<S>::put_direction_rates(Eigen::Ref<Vec>) const;                   \
  template void NaturalSystem<S>::pull_back_directions(Eigen::Ref<Vec>) const;                  \
  template std::pair<VectorXd, VectorXd> NaturalSystem<S>::real_start() const;                  \
  template VectorXd NaturalSystem<S>::coordinate_units(const Segment&) const;                   \
  template void NaturalSystem<S>::push_forward_given(bool, const ConstColumns&, Columns) const; \
  template void NaturalSystem<S>::pullback_given(bool, const Segment&, Eigen::Ref<Vec>) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
