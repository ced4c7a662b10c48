/// The start of a motion as it is given.
#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "floating_frame/multibody_system_detail.hpp"
#include "integration/pivots.hpp"

namespace kurbel {

template <class S>
std::size_t MultibodySystem<S>::body_of(Eigen::Index i) const {
  std::size_t body = 0;
  while (body + 1 < n_bodies() && i >= v_offset(body + 1)) ++body;
  return body;
}

/// sum(Phi^T force + Psi^T moment) of the load case that a body starts with, (n_q).
/// @param p  parameters, or a direction among them
template <class S>
typename MultibodySystem<S>::Vec MultibodySystem<S>::static_load(std::size_t body, const S* p) const {
  Vec load = Vec::Zero(n_q(body));
  for (const StaticLoad& part : spec_.bodies[body].initial.loads) {
    const MarkerPlace place = resolve({spec_.bodies[body].name, part.marker}, part.name);
    if (place.is_origin) continue;
    load += view<3>(place.layout.Phi, p).transpose() * part.force.cast<S>() +
            view<3>(place.layout.Psi, p).transpose() * part.moment.cast<S>();
  }
  return load;
}

/// @throws InputError if something moves without deforming the body
template <class S>
Eigen::PartialPivLU<typename MultibodySystem<S>::Matrix> MultibodySystem<S>::stiffness_of(
    std::size_t body) const {
  Eigen::PartialPivLU<Matrix> lu(view(layout_.body(body).Ke, p_.data()));
  if (is_regular(lu)) return lu;
  throw InputError(fmt::format(
      "body {}: its stiffness matrix Ke is singular, so that initial.loads say nothing of its deformation",
      spec_.bodies[body].name));
}

/// A part of the initial state of a body, which may be a parameter.
template <class S>
Vector3<S> MultibodySystem<S>::initial(std::size_t body, const InitialPart& part) const {
  const Eigen::Index index = layout_.initial(body).*part.place;
  if (index >= 0) return p_.template segment<3>(index);
  return (spec_.bodies[body].initial.*part.value).template cast<S>();
}

/// From the frame of a body into the inertial one.
template <class S>
Matrix3<S> MultibodySystem<S>::given_rotation(std::size_t body) const {
  return rotation_matrix<S>(exp_quaternion<S>(initial(body, initial_rotation)));
}

/// T: delta theta = T d(rotation vector), in the frame of the body.
template <class S>
Matrix3<S> MultibodySystem<S>::given_rotation_tangent(std::size_t body) const {
  Vector6<S> turn;
  turn << Vector3<S>::Zero(), initial(body, initial_rotation);
  return kurbel::retraction_derivative<S>(turn).T.template bottomRightCorner<3, 3>();
}

/// S^T dr, T d(rotation vector), and Ke dq = d(load) - dKe q
template <class S>
void MultibodySystem<S>::push_forward_given_position(const ConstColumns& p_dot, Columns x_dot) const {
  x_dot.setZero();
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    const Eigen::Index o = v_offset(i);
    const auto& [position, rotation, velocity, angular_velocity] = layout_.initial(i);
    if (position >= 0)
      x_dot.template middleRows<3>(o) =
          given_rotation(i).transpose() * p_dot.template middleRows<3>(position);
    if (rotation >= 0)
      x_dot.template middleRows<3>(o + 3) =
          given_rotation_tangent(i) * p_dot.template middleRows<3>(rotation);
    if (spec_.bodies[i].initial.loads.empty()) continue;
    const auto Ke = stiffness_of(i);
    const Vec q = Ke.solve(static_load(i, p_.data()));
    for (Eigen::Index j = 0; j < p_dot.cols(); ++j) {
      const Vec direction = p_dot.col(j);
      x_dot.col(j).segment(v_offset(i) + 6, n_q(i)) =
          Ke.solve(static_load(i, direction.data()) - view(layout_.body(i).Ke, direction.data()) * q);
    }
  }
  push_forward_given_nodes(p_dot, x_dot);
}

template <class S>
void MultibodySystem<S>::pullback_given_position(const Segment& x_bar, Eigen::Ref<Vec> p_bar) const {
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    const Eigen::Index o = v_offset(i);
    const auto& [position, rotation, velocity, angular_velocity] = layout_.initial(i);
    if (position >= 0)
      p_bar.template segment<3>(position) += given_rotation(i) * x_bar.template segment<3>(o);
    if (rotation >= 0)
      p_bar.template segment<3>(rotation) +=
          given_rotation_tangent(i).transpose() * x_bar.template segment<3>(o + 3);
    if (spec_.bodies[i].initial.loads.empty()) continue;
    const auto Ke = stiffness_of(i);
    const Vec q = Ke.solve(static_load(i, p_.data()));
    const Vec mu = Ke.transpose().solve(x_bar.segment(v_offset(i) + 6, n_q(i)));
    view(layout_.body(i).Ke, p_bar.data()) -= mu * q.transpose();
    for (const StaticLoad& part : spec_.bodies[i].initial.loads) {
      const MarkerPlace place = resolve({spec_.bodies[i].name, part.marker}, part.name);
      if (place.is_origin) continue;
      view<3>(place.layout.Phi, p_bar.data()) += part.force.cast<S>() * mu.transpose();
      view<3>(place.layout.Psi, p_bar.data()) += part.moment.cast<S>() * mu.transpose();
    }
  }
  pullback_given_nodes(x_bar, p_bar);
}

template <class S>
void MultibodySystem<S>::given_initial_state(Eigen::Ref<Vec> x, Eigen::Ref<Vec> v) const {
  x.setZero();
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    const InitialState& initial = spec_.bodies[i].initial;
    const Eigen::Index xo = x_offset(i);
    x.template segment<3>(xo) = this->initial(i, initial_position);
    x.template segment<4>(xo + 3) = exp_quaternion<S>(this->initial(i, initial_rotation));
    for (const auto& [what, values] :
         {std::pair{"elastic coordinates", &initial.q}, std::pair{"elastic velocities", &initial.q_dot}}) {
      if (values->size() == 0 || values->size() == n_q(i)) continue;
      throw InputError(fmt::format("body {}: {} initial {} for {} elastic coordinates", spec_.bodies[i].name,
                                   values->size(), what, n_q(i)));
    }
    if (initial.q.size() > 0) x.segment(xo + 7, n_q(i)) = initial.q.template cast<S>();
    if (!initial.loads.empty()) x.segment(xo + 7, n_q(i)) = stiffness_of(i).solve(static_load(i, p_.data()));
  }
  set_given_nodes(x);
  Matrix v_x(n_v_, n_v_);
  given_velocity(x, v, v_x);
}

/// Velocities are given in the inertial frame, whatever becomes of the rotation: v = S^T v_given.
template <class S>
void MultibodySystem<S>::given_velocity(const Segment& x, Eigen::Ref<Vec> v, Columns v_x) const {
  v.setZero(), v_x.setZero();
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    const Eigen::Index o = v_offset(i);
    const Vector3<S> in_frame = rotation_matrix<S>(pose(x, i).e).transpose() * initial(i, initial_velocity);
    v.template segment<3>(o) = in_frame;
    v.template segment<3>(o + 3) = initial(i, initial_angular_velocity);
    v_x.template block<3, 3>(o, o + 3) = tilde(in_frame);
    const VectorXd& q_dot = spec_.bodies[i].initial.q_dot;
    if (q_dot.size() > 0) v.segment(o + 6, n_q(i)) = q_dot.template cast<S>();
  }
  set_given_node_rates(x, v, v_x);
}

template <class S>
void MultibodySystem<S>::push_forward_given_velocity(const Segment& x, const ConstColumns& p_dot,
                                                     Columns v_dot) const {
  v_dot.setZero();
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    const Eigen::Index o = v_offset(i), velocity = layout_.initial(i).velocity,
                       angular_velocity = layout_.initial(i).angular_velocity;
    if (velocity >= 0)
      v_dot.template middleRows<3>(o) =
          rotation_matrix<S>(pose(x, i).e).transpose() * p_dot.template middleRows<3>(velocity);
    if (angular_velocity >= 0)
      v_dot.template middleRows<3>(o + 3) = p_dot.template middleRows<3>(angular_velocity);
  }
  push_forward_given_node_rates(x, p_dot, v_dot);
}

template <class S>
void MultibodySystem<S>::pullback_given_velocity(const Segment& x, const Segment& v_bar,
                                                 Eigen::Ref<Vec> p_bar) const {
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    const Eigen::Index o = v_offset(i), velocity = layout_.initial(i).velocity,
                       angular_velocity = layout_.initial(i).angular_velocity;
    if (velocity >= 0)
      p_bar.template segment<3>(velocity) += rotation_matrix<S>(pose(x, i).e) * v_bar.template segment<3>(o);
    if (angular_velocity >= 0)
      p_bar.template segment<3>(angular_velocity) += v_bar.template segment<3>(o + 3);
  }
  pullback_given_node_rates(x, v_bar, p_bar);
}

template <class S>
bool MultibodySystem<S>::is_position_given(Eigen::Index i) const {
  const std::size_t body = body_of(i);
  const InitialState& initial = spec_.bodies[body].initial;
  const Eigen::Index local = i - v_offset(body);
  return local < 3   ? initial.given.position
         : local < 6 ? initial.given.rotation
                     : initial.gives_deformation();
}

template <class S>
bool MultibodySystem<S>::is_velocity_given(Eigen::Index i) const {
  const std::size_t body = body_of(i);
  const InitialState& initial = spec_.bodies[body].initial;
  const Eigen::Index local = i - v_offset(body);
  return local < 3   ? initial.given.velocity
         : local < 6 ? initial.given.angular_velocity
                     : initial.q_dot.size() > 0;
}

template <class S>
bool MultibodySystem<S>::starts_in_equilibrium(Eigen::Index i) const {
  return spec_.initial_equilibrium == InitialEquilibrium::all ||
         (spec_.initial_equilibrium == InitialEquilibrium::elastic && !is_rigid_coordinate(i));
}

template <class S>
bool MultibodySystem<S>::is_rigid_coordinate(Eigen::Index i) const {
  return i < v_offset(body_of(i)) + 6;
}

template <class S>
std::string MultibodySystem<S>::coordinate_name(Eigen::Index i) const {
  return "body " + spec_.bodies[body_of(i)].name;
}

template <class S>
std::string MultibodySystem<S>::coordinate_label(Eigen::Index i) const {
  const std::size_t body = body_of(i);
  const Eigen::Index local = i - v_offset(body);
  const std::string own =
      local < 6 ? relative_dof_names[static_cast<std::size_t>(local)] : fmt::format("q{}", local - 5);
  return spec_.bodies[body].name + "." + own;
}

#define KURBEL_INSTANTIATE(S)                                                                                \
  template std::size_t MultibodySystem<S>::body_of(Eigen::Index) const;                                      \
  template void MultibodySystem<S>::given_initial_state(Eigen::Ref<Vec>, Eigen::Ref<Vec>) const;             \
  template void MultibodySystem<S>::given_velocity(const Segment&, Eigen::Ref<Vec>, Columns) const;          \
  template void MultibodySystem<S>::push_forward_given_velocity(const Segment&, const ConstColumns&,         \
                                                                Columns) const;                              \
  template void MultibodySystem<S>::pullback_given_velocity(const Segment&, const Segment&, Eigen::Ref<Vec>) \
      const;                                                                                                 \
  template void MultibodySystem<S>::push_forward_given_position(const ConstColumns&, Columns) const;         \
  template void MultibodySystem<S>::pullback_given_position(const Segment&, Eigen::Ref<Vec>) const;          \
  template bool MultibodySystem<S>::is_position_given(Eigen::Index) const;                                   \
  template bool MultibodySystem<S>::is_velocity_given(Eigen::Index) const;                                   \
  template bool MultibodySystem<S>::starts_in_equilibrium(Eigen::Index) const;                               \
  template bool MultibodySystem<S>::is_rigid_coordinate(Eigen::Index) const;                                 \
  template std::string MultibodySystem<S>::coordinate_label(Eigen::Index) const;                             \
  template std::string MultibodySystem<S>::coordinate_name(Eigen::Index) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
