#include "joint_coordinates/joint_start.hpp"

#include <Eigen/LU>
#include <algorithm>

#include "base/instantiate.hpp"

namespace kurbel {

namespace {

using Kind = TreeStage::Kind;

/// The angle of a point (c, s) of the unit circle, in (-pi, pi]; analytic in both.
template <class S>
S angle_of(const S& s, const S& c) {
  const double angle = std::atan2(real_part(s), real_part(c));
  return angle + (s * std::cos(angle) - c * std::sin(angle));
}

template <class S>
Quaternion<S> inverse(const Quaternion<S>& e) {
  return {e[0], -e[1], -e[2], -e[3]};
}

template <class S>
Pose<S> product(const Pose<S>& a, const Pose<S>& b) {
  return {a.r + rotation_matrix(a.e) * b.r, multiply(a.e, b.e)};
}

template <class S>
Pose<S> inverse(const Pose<S>& a) {
  const Quaternion<S> e = inverse(a.e);
  return {-(rotation_matrix(e) * a.r), e};
}

/// The first rotation about axis k of a product whose next one, if any, is about axis m.
template <class S>
S first_angle(const Matrix3<S>& R, int k, int m) {
  const Vector3d e_m = Vector3d::Unit(m), normal = Vector3d::Unit(k).cross(e_m);
  const Vector3<S> turned = R.col(m);
  return angle_of<S>(dot(normal.cast<S>(), turned), dot(e_m.cast<S>(), turned));
}

}  // namespace

template <class S>
JointStart<S>::JointStart(const JointCoordinateSystem<S>& system)
    : system_(system),
      of_bodies_(system.system_of_bodies().make_start()),
      motion_(system.tree(), system.cut().layout(), system.reference_point()),
      multipliers_(system.indices_of_multipliers()) {}

template <class S>
Status JointStart<S>::solve(double t0, State& state) {
  if (Status s = of_bodies_->solve(t0, bodies_); s.failed()) return s;
  find_coordinates(state);
  return {};
}

/// Coordinates of the stages from `first` to `last`, from the poses of the bodies.
template <class S>
void JointStart<S>::read_joint(int first, int last, Eigen::Ref<Vec> z) const {
  const auto& stages = system_.tree().stages();
  const S* p = system_.parameters().data();
  const auto marker = [&](const MarkerPlace& place, const Quaternion<double>& e) {
    Pose<S> pose;
    if (!place.is_origin) pose.r = view<3>(place.layout.R, p);
    pose.e = e.template cast<S>();
    return pose;
  };
  const auto body = [&](int stage) {
    return system_.system_of_bodies().pose(
        bodies_.x, static_cast<std::size_t>(stages[static_cast<std::size_t>(stage)].body));
  };
  const TreeStage &begin = stages[static_cast<std::size_t>(first)],
                  &end = stages[static_cast<std::size_t>(last)];
  Pose<S> carrying = marker(begin.in, begin.e_in);
  if (begin.parent >= 0) carrying = product(body(begin.parent), carrying);
  Pose<S> left = product(inverse(carrying), product(body(last), marker(end.out, end.e_out)));
  for (int i = first; i <= last; ++i) {
    const TreeStage& stage = stages[static_cast<std::size_t>(i)];
    if (stage.kind == Kind::prismatic) {
      z[stage.x] = stage.sign * left.r[stage.axis];
    } else if (stage.kind == Kind::revolute) {
      const bool is_followed = i < last && stages[static_cast<std::size_t>(i + 1)].kind == Kind::revolute;
      const int next = is_followed ? stages[static_cast<std::size_t>(i + 1)].axis : (stage.axis + 1) % 3;
      const S angle = first_angle<S>(rotation_matrix(left.e), stage.axis, next);
      z[stage.x] = stage.sign * angle;
      Vector3<S> turn = Vector3<S>::Zero();
      turn[stage.axis] = -angle;
      left = product(Pose<S>{Vector3<S>::Zero(), exp_quaternion<S>(turn)}, left);
    } else if (stage.kind == Kind::spherical) {
      z.template segment<4>(stage.x) = left.e;
      left.r = (rotation_matrix(left.e).transpose() * left.r).eval();
    } else if (stage.kind == Kind::free) {
      z.template segment<7>(stage.x) << left.r, left.e;
    }
  }
}

/// Calls act(stage, coordinate of the stage, place among the velocities of the joint).
template <class S>
template <class Action>
void JointStart<S>::for_each_velocity(const Joint& joint, const Action& act) const {
  Eigen::Index row = 0;
  for (int i = joint.first; i <= joint.last; ++i) {
    for (Eigen::Index k = 0; k < motion_[i].s.cols(); ++k) act(i, k, row++);
  }
}

template <class S>
typename JointStart<S>::Joint JointStart<S>::joint(int first, int last) const {
  Joint joint{first, last, motion_[last].joint_r, {}};
  Columns6<S> columns(6, 0);
  for_each_velocity(joint, [&](int i, Eigen::Index k, Eigen::Index row) {
    columns.conservativeResize(6, row + 1);
    columns.col(row) = shifted_twist<S>(motion_[i].s.col(k), joint.point - motion_[i].rho);
  });
  const MatrixX<S> gram = columns.transpose() * columns, rows = columns.transpose();
  joint.inverse = gram.rows() > 0 ? MatrixX<S>(gram.partialPivLu().solve(rows)) : rows;
  return joint;
}

/// A vector of velocities, or accelerations, of the body that a stage moves, about a point.
template <class S>
Vector6<S> JointStart<S>::body_twist(int i, const Vec& of_bodies, const Vector3<S>& point) const {
  if (i < 0) return Vector6<S>::Zero();
  const auto body = static_cast<std::size_t>(system_.tree().stages()[static_cast<std::size_t>(i)].body);
  const StageMotion<S>& m = motion_[i];
  return FrameChange<S>{m.A, point - m.r}.twist_to_inertial(
      of_bodies.template segment<6>(system_.system_of_bodies().v_offset(body)));
}

template <class S>
void JointStart<S>::find_coordinates(State& state) {
  const JointTree& tree = system_.tree();
  state.x.setZero(tree.n_x());
  for (Vec* v : {&state.v, &state.v_dot}) v->setZero(tree.n_v());
  for (const auto& [first, last] : tree.joints()) read_joint(first, last, state.x);
  motion_.set_position(system_.parameters().data(), state.x);
  const auto relative = [&](const Joint& j, const Vec& of_bodies) -> Vector6<S> {
    const int parent = tree.stages()[static_cast<std::size_t>(j.first)].parent;
    return body_twist(j.last, of_bodies, j.point) - body_twist(parent, of_bodies, j.point);
  };
  for (const auto& [first, last] : tree.joints()) {
    const Joint j = joint(first, last);
    const Eigen::Index v = tree.stages()[static_cast<std::size_t>(first)].v;
    state.v.segment(v, j.inverse.rows()) = j.inverse * relative(j, bodies_.v);
  }
  motion_.set_velocity(state.v);
  for (const auto& [first, last] : tree.joints()) {
    const Joint j = joint(first, last);
    const Eigen::Index v = tree.stages()[static_cast<std::size_t>(first)].v;
    Vector6<S> left = relative(j, bodies_.v_dot);
    for_each_velocity(j, [&](int i, Eigen::Index k, Eigen::Index row) {
      const StageMotion<S>& m = motion_[i];
      left -= shifted_twist<S>(ad<S>(m.V, Vector6<S>(m.s.col(k) * state.v[v + row])), j.point - m.rho);
    });
    state.v_dot.segment(v, j.inverse.rows()) = j.inverse * left;
  }
  motion_.set_acceleration(state.v, state.v_dot);
  state.lambda = bodies_.lambda(multipliers_);
}

template <class S>
Variation<S> JointStart<S>::at(const Variation<S>& v, int i, const Vector3<S>& point) const {
  const Vector3<S> d = point - motion_[i].rho;
  return {shifted_twist<S>(v.eta, d), shifted_twist<S>(v.u, d), shifted_twist<S>(v.a, d)};
}

/// Of a body: eta, u and a + ad_V u.
template <class S>
Variation<S> JointStart<S>::body_variation(int i, const Vector3<S>& point, const StateDirections& d,
                                           Eigen::Index column) const {
  if (i < 0) return {};
  const Vector6<S> V = shifted_twist<S>(motion_[i].V, point - motion_[i].rho);
  Variation<S> v{body_twist(i, d.x.col(column), point), body_twist(i, d.v.col(column), point),
                 body_twist(i, d.v_dot.col(column), point)};
  v.a += ad<S>(V, v.u);
  return v;
}

template <class S>
void JointStart<S>::push_forward(const State&, const Eigen::Ref<const Matrix>& p_dot, StateDirections& out) {
  const JointTree& tree = system_.tree();
  StateDirections d;
  of_bodies_->push_forward(bodies_, p_dot, d);
  for (Matrix* m : {&out.x, &out.v, &out.v_dot}) m->setZero(tree.n_v(), p_dot.cols());
  out.lambda = d.lambda(multipliers_, Eigen::all);
  for (const auto& [first, last] : tree.joints()) {
    const Joint j = joint(first, last);
    const TreeStage &begin = tree.stages()[static_cast<std::size_t>(first)],
                    &end = tree.stages()[static_cast<std::size_t>(last)];
    const Eigen::Index n = j.inverse.rows();
    for (Eigen::Index column = 0; column < p_dot.cols(); ++column) {
      Variation<S> left = body_variation(last, j.point, d, column);
      const auto take = [&](const Variation<S>& v) { left += v * S(-1.0); };
      const auto point_of = [&](const MarkerPlace& place) {
        return Vector3<S>(p_dot.col(column).template segment<3>(place.layout.R.offset));
      };
      take(body_variation(begin.parent, j.point, d, column));
      if (!begin.in.is_origin) take(at(motion_.by_point_in(first, point_of(begin.in)), first, j.point));
      if (!end.out.is_origin) take(at(motion_.by_point_out(last, point_of(end.out)), last, j.point));
      auto x = out.x.col(column).segment(begin.v, n), v = out.v.col(column).segment(begin.v, n);
      x = j.inverse * left.eta;
      for_each_velocity(j, [&](int i, Eigen::Index k, Eigen::Index row) {
        take(at(motion_.by_position(i, k), i, j.point) * x[row]);
      });
      v = j.inverse * left.u;
      for_each_velocity(j, [&](int i, Eigen::Index k, Eigen::Index row) {
        take(at(motion_.by_velocity(i, k), i, j.point) * v[row]);
      });
      out.v_dot.col(column).segment(begin.v, n) = j.inverse * left.a;
    }
  }
}

template <class S>
void JointStart<S>::pullback(const State&, Vec x_bar, Vec v_bar, const Vec& v_dot_bar, const Vec& lambda_bar,
                             Eigen::Ref<Vec> p_bar) {
  const JointTree& tree = system_.tree();
  const MultibodySystem<S>& system_of_bodies = system_.system_of_bodies();
  Vec x_of_bodies = Vec::Zero(system_of_bodies.n_v()), v_of_bodies = x_of_bodies,
      v_dot_of_bodies = x_of_bodies, lambda_of_bodies = Vec::Zero(system_of_bodies.n_c());
  lambda_of_bodies(multipliers_) = lambda_bar;
  for (const auto& [first, last] : tree.joints()) {
    const Joint j = joint(first, last);
    const TreeStage &begin = tree.stages()[static_cast<std::size_t>(first)],
                    &end = tree.stages()[static_cast<std::size_t>(last)];
    const Eigen::Index n = j.inverse.rows();
    const auto pair = [](const Variation<S>& v, const VariationBar<S>& bar) {
      return (v.eta.transpose() * bar.eta + v.u.transpose() * bar.u + v.a.transpose() * bar.a).value();
    };
    VariationBar<S> bar;
    bar.a = j.inverse.transpose() * v_dot_bar.segment(begin.v, n);
    for_each_velocity(j, [&](int i, Eigen::Index k, Eigen::Index row) {
      v_bar[begin.v + row] -= pair(at(motion_.by_velocity(i, k), i, j.point), bar);
    });
    bar.u = j.inverse.transpose() * v_bar.segment(begin.v, n);
    for_each_velocity(j, [&](int i, Eigen::Index k, Eigen::Index row) {
      x_bar[begin.v + row] -= pair(at(motion_.by_position(i, k), i, j.point), bar);
    });
    bar.eta = j.inverse.transpose() * x_bar.segment(begin.v, n);
    for (Eigen::Index k = 0; k < 3; ++k) {
      const Vector3<S> axis = Vector3<S>::Unit(k);
      if (!begin.in.is_origin)
        p_bar[begin.in.layout.R.offset + k] -=
            pair(at(motion_.by_point_in(first, axis), first, j.point), bar);
      if (!end.out.is_origin)
        p_bar[end.out.layout.R.offset + k] -= pair(at(motion_.by_point_out(last, axis), last, j.point), bar);
    }
    for (const auto& [i, sign] : {std::pair{last, 1.0}, std::pair{begin.parent, -1.0}}) {
      if (i < 0) continue;
      const StageMotion<S>& m = motion_[i];
      const FrameChange<S> frame{m.A, j.point - m.r};
      const Vector6<S> V = shifted_twist<S>(m.V, j.point - m.rho);
      const Eigen::Index o = system_of_bodies.v_offset(
          static_cast<std::size_t>(tree.stages()[static_cast<std::size_t>(i)].body));
      const Matrix6<S> T = frame.to_inertial().transpose();
      x_of_bodies.template segment<6>(o) += sign * (T * bar.eta);
      v_of_bodies.template segment<6>(o) += sign * (T * (bar.u + ad_transposed<S>(V, bar.a)));
      v_dot_of_bodies.template segment<6>(o) += sign * (T * bar.a);
    }
  }
  of_bodies_->pullback(bodies_, x_of_bodies, v_of_bodies, v_dot_of_bodies, lambda_of_bodies, p_bar);
}

template class JointStart<InstantiatedScalar>;

}  // namespace kurbel
