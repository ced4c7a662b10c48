#include "floating_frame/vector_quantities.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/instantiate.hpp"
#include "floating_frame/marker_motion.hpp"
#include "floating_frame/second_order_displacement.hpp"

namespace kurbel {

namespace {

/// A marker at one instant: its displacement in the body's frame, and its position relative to the frame's
/// origin, its velocity or its acceleration, seen in the frame.
template <class S>
struct PointMotion {
  FrameRates<S> rates;
  Carried<S> u;
  VectorMotion<S> w;

  PointMotion(const MarkerPlace& place, const S* p, const BodyKinematics<S>& body)
      : rates(frame_rates(place.n_tangent(), body)),
        u(marker_displacement(place, p, body).u),
        w(frame_derivatives(rates, u)) {
    w[1] += rates.v;
    w[2] += rates.v_dot + cross(rates.omega, rates.v);
  }
};

template <class S>
bool has_shapes(const MarkerPlace& place) {
  return !place.is_origin && place.n_q > 0;
}

}  // namespace

template <class S>
MarkerQuantity<S>::MarkerQuantity(const MultibodySystem<S>& system, const MarkerRef& marker,
                                  MarkerQuantityKind kind)
    : system_(system), place_(system.resolve(marker, "criterion")), kind_(kind) {
  if (place_.body < 0) {
    throw InputError(
        fmt::format("marker {} is on the ground, which does not move; name one of a body", marker.marker));
  }
  const bool is_elastic = kind == MarkerQuantityKind::displacement || kind == MarkerQuantityKind::rotation;
  if (is_elastic && !has_shapes<S>(place_)) {
    throw InputError(fmt::format("the elastic {} of {}.{} is zero; name a marker of a flexible body",
                                 kind == MarkerQuantityKind::rotation ? "rotation" : "displacement",
                                 marker.body, marker.marker));
  }
}

template <class S>
BodyKinematics<S> MarkerQuantity<S>::kinematics(const Instant& at) const {
  const Pose<S> pose = system_.pose(at.x, place_.body);
  const Eigen::Index v = system_.v_offset(place_.body);
  return {pose.r, rotation_matrix(pose.e), at.x.data() + system_.x_offset(place_.body) + 7, at.v.data() + v,
          at.v_dot.data() + v};
}

template <class S>
Rows<S> MarkerQuantity<S>::value(const Instant& at) const {
  const S* p = system_.parameters().data();
  const BodyKinematics<S> body = kinematics(at);
  if (kind_ == MarkerQuantityKind::displacement)
    return marker_displacement(place_, p, body).u.a - view<3>(place_.layout.R, p);
  if (kind_ == MarkerQuantityKind::rotation) return marker_displacement(place_, p, body).psi.a;
  const PointMotion<S> point(place_, p, body);
  switch (kind_) {
    case MarkerQuantityKind::velocity:
      return body.S * point.w[1];
    case MarkerQuantityKind::acceleration:
      return body.S * point.w[2];
    case MarkerQuantityKind::displacement:
    case MarkerQuantityKind::rotation:
    case MarkerQuantityKind::position:
      break;
  }
  return body.r + body.S * point.w[0];
}

template <class S>
void MarkerQuantity<S>::add_partials(const Instant& at, const Rows<S>& z_bar, Bar& bar,
                                     Eigen::Ref<VectorX<S>> p_bar) const {
  const S* p = system_.parameters().data();
  const BodyKinematics<S> body = kinematics(at);
  const Eigen::Index o = system_.v_offset(place_.body), n = place_.n_q;
  if (kind_ == MarkerQuantityKind::rotation) {
    const ParameterBlock& Psi = place_.layout.Psi;
    bar.x.segment(o + 6, n) += view<3>(Psi, p).transpose() * z_bar;
    view<3>(Psi, p_bar.data()) += z_bar * Eigen::Map<const VectorX<S>>(body.q, n).transpose();
    return;
  }
  Carried<S> u_bar;
  if (kind_ == MarkerQuantityKind::displacement) {
    u_bar.a = z_bar;
  } else {
    const PointMotion<S> point(place_, p, body);
    const int order = static_cast<int>(kind_) - static_cast<int>(MarkerQuantityKind::position);
    const Vector3<S> w_bar = body.S.transpose() * z_bar;
    VectorMotion<S> y_bar;
    y_bar.fill(Vector3<S>::Zero());
    y_bar[order] = z_bar;
    u_bar = carried_bar(body.S, point.rates, y_bar);
    const auto add_frame = [&](auto& segment, const Vector3<S>& translation, const Vector3<S>& rotation) {
      segment.template segment<3>(o) += translation;
      segment.template segment<3>(o + 3) += rotation;
    };
    const Vector3<S>&u = point.u.a, &omega = point.rates.omega;
    const Vector3<S> about_origin = cross(u, w_bar), turned = cross(w_bar, omega), none = Vector3<S>::Zero();
    if (order == 0) add_frame(bar.x, w_bar, about_origin);
    if (order > 0) add_frame(bar.x, none, cross(point.w[order], w_bar));
    if (order == 1) add_frame(bar.v, w_bar, about_origin);
    if (order == 2) {
      add_frame(bar.v_dot, w_bar, about_origin);
      const Vector3<S> velocity = point.rates.v + cross(omega, u) + 2.0 * point.u.a_dot;
      add_frame(bar.v, turned, cross(velocity, w_bar) + cross(u, turned));
    }
    if (!place_.is_origin) view<3>(place_.layout.R, p_bar.data()) += u_bar.a;
  }
  if (!has_shapes<S>(place_)) return;
  const MarkerLayout& layout = place_.layout;
  using Map = Eigen::Map<const VectorX<S>>;
  const Map q(body.q, n), q_dot(body.v + 6, n), q_ddot(body.v_dot + 6, n);
  add_shapes_transposed(layout, p, q, u_bar.a, 1.0, bar.x.segment(o + 6, n));
  add_shapes_transposed(layout, p, q, u_bar.a_dot, 1.0, bar.v.segment(o + 6, n));
  add_shapes_transposed(layout, p, q, u_bar.a_ddot, 1.0, bar.v_dot.segment(o + 6, n));
  add_displacement_bar(layout, n, body, u_bar, p_bar.data());
  if (!layout.second_order()) return;
  for (Eigen::Index l = 0; l < n; ++l) {
    const Vector3<S> by_rate = second_order_column(layout, p, q_dot, l);
    bar.x[o + 6 + l] +=
        dot(by_rate, u_bar.a_dot) + dot(second_order_column(layout, p, q_ddot, l), u_bar.a_ddot);
    bar.v[o + 6 + l] += 2.0 * dot(by_rate, u_bar.a_ddot);
  }
}

namespace {

/// Displacements of "from" against the marker, along the axes of "from".
template <class S>
RelativeRows<S> displacements_of(const MultibodySystem<S>& system, const MarkerRef& marker,
                                 const MarkerRef& from) {
  RelativeRows<S> pair(system.resolve(from, "criterion"), system.resolve(marker, "criterion"));
  for (int k = 0; k < 3; ++k) pair.add_translation(k);
  return pair;
}

}  // namespace

template <class S>
RelativePosition<S>::RelativePosition(const MultibodySystem<S>& system, const MarkerRef& marker,
                                      const MarkerRef& from)
    : pair_(system, displacements_of(system, marker, from)) {}

template <class S>
Rows<S> RelativePosition<S>::value(const Instant& at) const {
  return -pair_.state(at).rows.c;
}

template <class S>
void RelativePosition<S>::add_partials(const Instant& at, const Rows<S>& z_bar, Bar& bar,
                                       Eigen::Ref<VectorX<S>> p_bar) const {
  const Vector3<S> on_value = -z_bar, on_rate = Vector3<S>::Zero();
  pair_.add_partials(pair_.state(at), on_value.data(), on_rate.data(), bar, p_bar);
}

template <class S>
JointReaction<S>::JointReaction(const MultibodySystem<S>& system, const std::string& joint,
                                ReactionKind kind) {
  const auto rows = system.joint_rows(joint);
  if (rows.spec.length) throw InputError(fmt::format("joint {} is a rod, whose force is one number", joint));
  const int first = kind == ReactionKind::force ? 0 : 3;
  const auto& redundant = rows.spec.redundant;
  bool any = std::any_of(redundant.begin() + first, redundant.begin() + first + 3, [](bool s) { return s; });
  for (std::size_t i = 0; i < rows.dofs.size(); ++i) {
    const int axis = static_cast<int>(rows.dofs[i]) - first;
    if (axis < 0 || axis > 2) continue;
    rows_[static_cast<std::size_t>(axis)] = rows.first + static_cast<Eigen::Index>(i);
    any = true;
  }
  if (!any) {
    throw InputError(
        fmt::format("joint {} has no reaction {}", joint, kind == ReactionKind::force ? "force" : "moment"));
  }
}

template <class S>
Rows<S> JointReaction<S>::value(const Instant& at) const {
  Rows<S> z = Rows<S>::Zero(3);
  for (std::size_t k = 0; k < 3; ++k) {
    if (rows_[k] >= 0) z[static_cast<Eigen::Index>(k)] = -at.lambda[rows_[k]];
  }
  return z;
}

template <class S>
void JointReaction<S>::add_partials(const Instant&, const Rows<S>& z_bar, Bar& bar,
                                    Eigen::Ref<VectorX<S>>) const {
  for (std::size_t k = 0; k < 3; ++k) {
    if (rows_[k] >= 0) bar.lambda[rows_[k]] -= z_bar[static_cast<Eigen::Index>(k)];
  }
}

template <class S>
RodForce<S>::RodForce(const MultibodySystem<S>& system, const std::string& joint) {
  const auto rows = system.joint_rows(joint);
  if (!rows.spec.length) throw InputError(fmt::format("joint {} is no rod", joint));
  if (!rows.dofs.empty()) row_ = rows.first;
}

template <class S>
Rows<S> RodForce<S>::value(const Instant& at) const {
  return Rows<S>::Constant(1, row_ < 0 ? S(0) : at.lambda[row_]);
}

template <class S>
void RodForce<S>::add_partials(const Instant&, const Rows<S>& z_bar, Bar& bar, Eigen::Ref<VectorX<S>>) const {
  if (row_ >= 0) bar.lambda[row_] += z_bar[0];
}

template <class S>
CentreOfMass<S>::CentreOfMass(const MultibodySystem<S>& system, const std::string& body)
    : system_(system), body_(system.body_index(body)) {}

template <class S>
Rows<S> CentreOfMass<S>::value(const Instant& at) const {
  const BodyLayout& b = system_.layout().body(body_);
  const S* p = system_.parameters().data();
  Vector3<S> mc = view<3>(b.mdCM0, p);
  const auto q = at.x.segment(system_.x_offset(body_) + 7, b.n_q);
  mc += view<3>(b.mdCM1, p) * q;
  add_second_order_moment<S>(b, p, q, mc);
  return mc / p[b.mass.offset];
}

template <class S>
void CentreOfMass<S>::add_partials(const Instant& at, const Rows<S>& z_bar, Bar& bar,
                                   Eigen::Ref<VectorX<S>> p_bar) const {
  const BodyLayout& b = system_.layout().body(body_);
  const S* p = system_.parameters().data();
  const auto q = at.x.segment(system_.x_offset(body_) + 7, b.n_q);
  const Vector3<S> mc_bar = z_bar / p[b.mass.offset];
  p_bar[b.mass.offset] -= dot(mc_bar, Vector3<S>(value(at)));
  view<3>(b.mdCM0, p_bar.data()) += mc_bar;
  view<3>(b.mdCM1, p_bar.data()).noalias() += mc_bar * q.transpose();
  auto q_bar = bar.x.segment(system_.v_offset(body_) + 6, b.n_q);
  q_bar.noalias() += view<3>(b.mdCM1, p).transpose() * mc_bar;
  if (!b.second_order()) return;
  for (Eigen::Index l = 0; l < b.n_q; ++l) {
    q_bar[l] += 0.5 * dot(contraction_derivative<S>(b.Ct1, p, q, l), mc_bar);
    Eigen::Map<MatrixX<S>>(p_bar.data() + b.Ct1.offset + 3 * b.n_q * l, b.n_q, 3).noalias() +=
        (0.5 * q[l]) * q * mc_bar.transpose();
  }
}

template class MarkerQuantity<InstantiatedScalar>;
template class RelativePosition<InstantiatedScalar>;
template class JointReaction<InstantiatedScalar>;
template class RodForce<InstantiatedScalar>;
template class CentreOfMass<InstantiatedScalar>;

}  // namespace kurbel
