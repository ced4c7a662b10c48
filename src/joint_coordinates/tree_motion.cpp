#include "joint_coordinates/tree_motion.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

namespace {

using Kind = TreeStage::Kind;

template <class S>
Quaternion<S> rotation_about(int axis, const S& angle) {
  using std::cos, std::sin;
  const S half = 0.5 * angle;
  Quaternion<S> e = Quaternion<S>::Zero();
  e[0] = cos(half), e[1 + axis] = sin(half);
  return e;
}

template <class S>
Quaternion<S> conjugate(const Quaternion<double>& e) {
  return {S(e[0]), S(-e[1]), S(-e[2]), S(-e[3])};
}

template <class S>
Vector3<S> point_of(const MarkerPlace& place, const S* p) {
  if (place.is_origin) return Vector3<S>::Zero();
  return Eigen::Map<const Vector3<S>>(p + place.layout.R.offset);
}

/// out = A R_axis(angle); A may be out
template <class S>
void turn(const Matrix3<S>& A, int axis, const S& angle, Matrix3<S>& out) {
  using std::cos, std::sin;
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  const S c = cos(angle), s = sin(angle);
  const Vector3<S> a = A.col(j), b = A.col(k), along = A.col(axis);
  out.col(axis) = along;
  out.col(j) = c * a + s * b;
  out.col(k) = c * b - s * a;
}

}  // namespace

template <class S>
TreeMotion<S>::TreeMotion(const JointTree& tree, const ParameterLayout& layout, ReferencePoint point)
    : tree_(tree), layout_(layout), point_(point), stages_(tree.n_stages()), attitudes_(tree.n_stages()) {
  for (std::size_t i = 0; i < stages_.size(); ++i) stages_[i].s.setZero(6, tree.stages()[i].n_v());
}

template <class S>
void TreeMotion<S>::place(int i, const S* p, const Segment& z) {
  const TreeStage& stage = tree_.stages()[static_cast<std::size_t>(i)];
  StageMotion<S>& m = stages_[static_cast<std::size_t>(i)];
  Matrix3<S>& A = m.joint_A;
  const Matrix3<S>* before = &A;  // the axes before the motion of the joint
  m.joint_r = point_of(stage.in, p);
  if (stage.parent >= 0) {
    const StageMotion<S>& carrying = (*this)[stage.parent];
    m.joint_r = (carrying.r + carrying.A * m.joint_r).eval();
    if (stage.is_turned_in) {
      A.noalias() = carrying.A * stage.axes_in.cast<S>();
    } else {
      before = &carrying.A;
    }
  } else {
    A = stage.axes_in.cast<S>();
  }
  switch (stage.kind) {
    case Kind::rigid:
      A = *before;
      break;
    case Kind::revolute:
      turn<S>(*before, stage.axis, stage.sign * z[stage.x], A);
      break;
    case Kind::prismatic:
      A = *before;
      m.joint_r += A.col(stage.axis) * (stage.sign * z[stage.x]);
      break;
    case Kind::spherical:
      A = (*before * rotation_matrix<S>(z.template segment<4>(stage.x))).eval();
      break;
    case Kind::free:
      m.joint_r += *before * z.template segment<3>(stage.x);
      A = (*before * rotation_matrix<S>(z.template segment<4>(stage.x + 3))).eval();
      break;
  }
  if (stage.is_turned_out) {
    m.A.noalias() = A * stage.axes_out.transpose().cast<S>();
  } else {
    for (int k = 0; k < 3; ++k) m.A.col(k) = A.col(k);  // by columns, as they were written
  }
  m.r = m.joint_r;
  if (!stage.out.is_origin) m.r -= m.A * point_of(stage.out, p);
}

template <class S>
void TreeMotion<S>::set_columns(int i) {
  const TreeStage& stage = tree_.stages()[static_cast<std::size_t>(i)];
  StageMotion<S>& m = stages_[static_cast<std::size_t>(i)];
  const auto turning = [&](Eigen::Index column, int axis, double sign) {
    const Vector3<S> a = sign * m.joint_A.col(axis);
    m.s.col(column) << cross(a, m.rho - m.joint_r), a;
  };
  const auto sliding = [&](Eigen::Index column, int axis, double sign) {
    m.s.col(column) << sign * m.joint_A.col(axis), Vector3<S>::Zero();
  };
  if (stage.kind == Kind::revolute) turning(0, stage.axis, stage.sign);
  if (stage.kind == Kind::prismatic) sliding(0, stage.axis, stage.sign);
  for (int k = 0; k < 3; ++k) {
    if (stage.kind == Kind::spherical) turning(k, k, 1.0);
    if (stage.kind == Kind::free) sliding(k, k, 1.0), turning(3 + k, k, 1.0);
  }
}

template <class S>
void TreeMotion<S>::set_position(const S* p, const Segment& z) {
  for (int i = 0; i < static_cast<int>(stages_.size()); ++i) {
    place(i, p, z);
    const TreeStage& stage = tree_.stages()[static_cast<std::size_t>(i)];
    StageMotion<S>& m = stages_[static_cast<std::size_t>(i)];
    m.rho = has_common_point() ? stages_.front().r : m.r;
    if (!has_common_point() && stage.body >= 0) {
      const BodyLayout& body = layout_.body(static_cast<std::size_t>(stage.body));
      const Vector3<S> moment = view<3>(body.mdCM0, p);
      m.rho += m.A * moment / p[body.mass.offset];
    }
    set_columns(i);
  }
}

template <class S>
const std::vector<Quaternion<S>>& TreeMotion<S>::attitudes(const Segment& z) {
  for (std::size_t i = 0; i < attitudes_.size(); ++i) {
    const TreeStage& stage = tree_.stages()[i];
    Quaternion<S> e = stage.e_in.template cast<S>();
    if (stage.parent >= 0) e = multiply<S>(attitudes_[static_cast<std::size_t>(stage.parent)], e);
    if (stage.kind == Kind::revolute)
      e = multiply<S>(e, rotation_about<S>(stage.axis, stage.sign * z[stage.x]));
    if (stage.kind == Kind::spherical || stage.kind == Kind::free)
      e = multiply<S>(e, z.template segment<4>(stage.x + stage.n_x() - 4));
    attitudes_[i] = multiply<S>(e, conjugate<S>(stage.e_out));
  }
  return attitudes_;
}

template <class S>
void TreeMotion<S>::set_velocity(const Segment& z_dot) {
  for (int i = 0; i < static_cast<int>(stages_.size()); ++i) {
    const TreeStage& stage = tree_.stages()[static_cast<std::size_t>(i)];
    StageMotion<S>& m = stages_[static_cast<std::size_t>(i)];
    m.V_before.setZero();
    if (stage.parent >= 0) m.V_before = twist_from_parent(i, (*this)[stage.parent].V);
    m.V = m.V_before;
    with_columns_of(stage, m, [&](const auto& s) {
      m.V.noalias() += s * z_dot.template segment<std::decay_t<decltype(s)>::ColsAtCompileTime>(stage.v);
    });
  }
}

template <class S>
void TreeMotion<S>::set_acceleration(const Segment& z_dot, const Segment& z_ddot) {
  for (int i = 0; i < static_cast<int>(stages_.size()); ++i) {
    const TreeStage& stage = tree_.stages()[static_cast<std::size_t>(i)];
    StageMotion<S>& m = stages_[static_cast<std::size_t>(i)];
    m.acceleration_before.setZero();
    if (stage.parent >= 0) m.acceleration_before = twist_from_parent(i, (*this)[stage.parent].acceleration);
    m.acceleration = m.acceleration_before;
    with_columns_of(stage, m, [&](const auto& s) {
      constexpr int n = std::decay_t<decltype(s)>::ColsAtCompileTime;
      const Vector6<S> relative = s * z_dot.template segment<n>(stage.v);
      const Vector6<S> accelerated = m.acceleration_before + s * z_ddot.template segment<n>(stage.v);
      m.acceleration = sum_with_ad<S>(accelerated, m.V, relative);
    });
  }
}

/// rho of a stage less that of the one before.
template <class S>
Vector3<S> TreeMotion<S>::offset(int i) const {
  return (*this)[i].rho - (*this)[tree_.stages()[static_cast<std::size_t>(i)].parent].rho;
}

template <class S>
Vector6<S> TreeMotion<S>::twist_from_parent(int i, const Vector6<S>& V) const {
  return has_common_point() ? V : shifted_twist<S>(V, offset(i));
}

template <class S>
Matrix6<S> TreeMotion<S>::matrix_from_parent(int i) const {
  Matrix6<S> T = Matrix6<S>::Identity();
  if (!has_common_point()) T.template topRightCorner<3, 3>() = -tilde(offset(i));
  return T;
}

template <class S>
Vector6<S> TreeMotion<S>::wrench_to_parent(int i, const Vector6<S>& F) const {
  return has_common_point() ? F : shifted_wrench<S>(F, -offset(i));
}

template <class S>
Variation<S> TreeMotion<S>::from_parent(int i, const Variation<S>& v) const {
  if (has_common_point()) return v;
  const Vector3<S> d = offset(i);
  return {shifted_twist<S>(v.eta, d), shifted_twist<S>(v.u, d), shifted_twist<S>(v.a, d)};
}

template <class S>
VariationBar<S> TreeMotion<S>::to_parent(int i, const VariationBar<S>& v) const {
  if (has_common_point()) return v;
  const Vector3<S> d = -offset(i);
  return {shifted_wrench<S>(v.eta, d), shifted_wrench<S>(v.u, d), shifted_wrench<S>(v.a, d)};
}

template <class S>
Variation<S> TreeMotion<S>::by_position(int i, Eigen::Index k) const {
  const StageMotion<S>& m = (*this)[i];
  return kurbel::by_position<S>(m.s.col(k), m.V_before, m.acceleration_before);
}

template <class S>
Variation<S> TreeMotion<S>::by_velocity(int i, Eigen::Index k) const {
  const StageMotion<S>& m = (*this)[i];
  const Vector6<S> s = m.s.col(k);
  return {Vector6<S>::Zero(), s, ad<S>(m.V_before + m.V, s)};
}

template <class S>
Matrix3<S> TreeMotion<S>::frame_before(int i) const {
  const int parent = tree_.stages()[static_cast<std::size_t>(i)].parent;
  return parent < 0 ? Matrix3<S>::Identity() : (*this)[parent].A;
}

template <class S>
Variation<S> TreeMotion<S>::by_point_in(int i, const Vector3<S>& delta) const {
  const StageMotion<S>& m = (*this)[i];
  Vector6<S> s;
  s << frame_before(i) * delta, Vector3<S>::Zero();
  return kurbel::by_position<S>(s, m.V_before, m.acceleration_before);
}

template <class S>
Variation<S> TreeMotion<S>::by_point_out(int i, const Vector3<S>& delta) const {
  const StageMotion<S>& m = (*this)[i];
  Vector6<S> s;
  s << -(m.A * delta), Vector3<S>::Zero();
  return kurbel::by_position<S>(s, m.V, m.acceleration);
}

namespace {

/// The transpose of by_position() for displacements, s = (d, 0).
template <class S>
Vector3<S> displacement_bar(const VariationBar<S>& bar, const Vector6<S>& V, const Vector6<S>& A) {
  const auto eta = bar.eta.template head<3>(), u = bar.u.template head<3>(), a = bar.a.template head<3>();
  const auto omega = V.template tail<3>(), alpha = A.template tail<3>();
  return eta + cross(u + cross(a, omega), omega) + cross(a, alpha);
}

}  // namespace

template <class S>
Vector3<S> TreeMotion<S>::pull_back_point_in(int i, const VariationBar<S>& bar) const {
  const StageMotion<S>& m = (*this)[i];
  const Vector3<S> in_inertial_axes = displacement_bar<S>(bar, m.V_before, m.acceleration_before);
  const int parent = tree_.stages()[static_cast<std::size_t>(i)].parent;
  return parent < 0 ? in_inertial_axes : Vector3<S>((*this)[parent].A.transpose() * in_inertial_axes);
}

template <class S>
Vector3<S> TreeMotion<S>::pull_back_point_out(int i, const VariationBar<S>& bar) const {
  const StageMotion<S>& m = (*this)[i];
  return -(m.A.transpose() * displacement_bar<S>(bar, m.V, m.acceleration));
}

template <class S>
void TreeMotion<S>::accumulate(std::vector<Vector6<S>>& wrenches) const {
  for (int i = static_cast<int>(stages_.size()) - 1; i > 0; --i) {
    const int parent = tree_.stages()[static_cast<std::size_t>(i)].parent;
    if (parent < 0) continue;
    wrenches[static_cast<std::size_t>(parent)] += wrench_to_parent(i, wrenches[static_cast<std::size_t>(i)]);
  }
}

template <class S>
void TreeMotion<S>::accumulate(std::vector<VariationBar<S>>& bars) const {
  for (int i = static_cast<int>(stages_.size()) - 1; i > 0; --i) {
    const int parent = tree_.stages()[static_cast<std::size_t>(i)].parent;
    if (parent < 0) continue;
    bars[static_cast<std::size_t>(parent)] += to_parent(i, bars[static_cast<std::size_t>(i)]);
  }
}

template class TreeMotion<InstantiatedScalar>;

}  // namespace kurbel
