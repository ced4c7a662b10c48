/// Hamilton's equations in joint coordinates.                                             [P3, eqs 7-11]
///
/// With P_b = M_b v_b the momenta of the bodies, Q_b the forces on them, P and Q their sums over what a stage
/// carries, and its columns s carried along, s_dot = ad_V s,
///
///     p = s . P,    g = s . Q + (ad_V s) . P
///
/// Along a direction w of the coordinates the bodies have virtual displacements and velocities, sums of (s w, ad_V s w)
/// for w . g, of (0, s w) for w . p; both are Phi = sum over bodies of eta . Q_b + U . P_b. A variation (e, u) of the
/// branch that stage j carries (tree_motion.hpp) changes it by
///
///     e . (sum X + ad_eta^T Q + ad_U^T P) + u . (sum Y + ad_eta^T P)
///     X = -f_b,x^T eta_b,    Y = -f_b,v^T eta_b + M_b (U_b - ad_V eta_b)
///
/// where eta, U are those before the stage, f_b = -Q_b - ad_V^T P_b the residual of a body without acceleration. Of inertia and
/// weight, f_b,x = K_x and f_b,v = K_v + I ad_V (spatial_inertia.hpp).
#include <Eigen/LU>

#include "base/instantiate.hpp"
#include "floating_frame/rigid_momentum.hpp"
#include "integration/pivots.hpp"
#include "joint_coordinates/articulated_inertia.hpp"
#include "joint_coordinates/joint_coordinate_system_detail.hpp"

namespace kurbel {

template <class S>
class JointCoordinateSystem<S>::CanonicalWorkspace final : public TreeWorkspace {
 public:
  explicit CanonicalWorkspace(const JointCoordinateSystem& system)
      : TreeWorkspace(system),
        inertia(system.tree_),
        matrices(system.tree_.n_stages(), Matrix6<S>::Zero()),
        P(this->own),
        Q(P),
        u_before(P),
        u_after(P),
        velocity(Vec::Zero(system.n_v())),
        at_rest(velocity),
        C(Matrix::Zero(system.n_c(), system.n_v())),
        c_t(this->no_rows),
        of_parts(P),
        bodies_with_parts(this->rigid_bodies(system, of_parts)) {}

  OneSidedTime t;
  ArticulatedInertia<S> inertia;
  std::vector<Matrix6<S>> matrices;  ///< inertias as matrices
  std::vector<Vector6<S>> P, Q;      ///< of all that a stage carries
  std::vector<Vector6<S>> u_before,
      u_after;  ///< virtual velocities; displacements eta are virtual_before, _after
  Vec velocity, at_rest;
  bool has_jacobians = false;

  Matrix C;
  Vec c_t;
  std::vector<Vector6<S>> of_parts;  ///< wrenches of the parts on the body of a stage
  std::vector<typename MultibodySystem<S>::RigidBody> bodies_with_parts;
  Matrix mass_inverse_Ct;             ///< M^-1 C^T
  Eigen::PartialPivLU<Matrix> schur;  ///< of C M^-1 C^T
  Matrix C_mass_inverse_Ct, sigma;
};

template <class S>
typename JointCoordinateSystem<S>::CanonicalWorkspace& JointCoordinateSystem<S>::canonical(
    Workspace& ws) const {
  auto& own = static_cast<CanonicalWorkspace&>(ws);
  own.known.forget();
  return own;
}

template <class S>
std::unique_ptr<typename JointCoordinateSystem<S>::Workspace>
JointCoordinateSystem<S>::make_canonical_workspace() const {
  return std::make_unique<CanonicalWorkspace>(*this);
}

template <class S>
template <class Action>
void JointCoordinateSystem<S>::for_each_body(const Action& act) const {
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const int body = tree_.stages()[i].body;
    if (body >= 0) act(i, static_cast<std::size_t>(body), cut_.v_offset(static_cast<std::size_t>(body)));
  }
}

template <class S>
Eigen::Index JointCoordinateSystem<S>::set_position(const OneSidedTime& t, const Segment& x,
                                                    Workspace& workspace_in) const {
  CanonicalWorkspace& ws = canonical(workspace_in);
  ws.t = t;
  if (n_c() > 0) {
    const Instant of_bodies = move({t, x, ws.at_rest, ws.at_rest, ws.no_rows}, ws);
    differentiate_constraints(of_bodies, ws);
    ws.c_t = ws.constraints.c1;
    project_constraints(ws, ws.C);
  } else {
    ws.motion.set_position(parameters().data(), x);
    set_inertias(ws);
    place_bodies(ws);
  }
  for_each_body([&](std::size_t i, std::size_t, Eigen::Index) {
    Matrix3<S>& J = ws.inertias[i].J;  // rigid_momentum.hpp: its symmetric part
    J = (0.5 * (J + J.transpose())).eval();
    ws.matrices[i] = ws.inertias[i].matrix();
  });
  const Eigen::Index singular = ws.inertia.factorize(ws.motion, ws.matrices);
  if (singular >= 0 || n_c() == 0) return singular;
  ws.mass_inverse_Ct = ws.C.transpose();
  ws.inertia.solve(ws.motion, ws.mass_inverse_Ct);
  ws.C_mass_inverse_Ct.noalias() = ws.C * ws.mass_inverse_Ct;
  ws.schur.compute(ws.C_mass_inverse_Ct);
  return is_regular(ws.schur) ? -1 : 0;
}

template <class S>
const typename JointCoordinateSystem<S>::Vec& JointCoordinateSystem<S>::constraint_rates(
    const Workspace& ws) const {
  return static_cast<const CanonicalWorkspace&>(ws).c_t;
}

/// v = M^-1 (b_v - C^T sigma),   C M^-1 C^T sigma = C M^-1 b_v - b_c
template <class S>
void JointCoordinateSystem<S>::solve(Workspace& workspace_in, Columns b) const {
  CanonicalWorkspace& ws = canonical(workspace_in);
  auto v = b.topRows(n_v());
  ws.inertia.solve(ws.motion, v);
  if (n_c() == 0) return;
  auto sigma = b.bottomRows(n_c());
  ws.sigma.noalias() = ws.C * v;
  ws.sigma -= sigma;
  sigma = ws.schur.solve(ws.sigma);
  v.noalias() -= ws.mass_inverse_Ct * sigma;
}

template <class S>
void JointCoordinateSystem<S>::momenta(const Segment& v, Workspace& workspace_in, Eigen::Ref<Vec> p,
                                       Eigen::Ref<Vec> g) const {
  CanonicalWorkspace& ws = canonical(workspace_in);
  ws.has_jacobians = false;
  ws.velocity = v;
  ws.motion.set_velocity(v);
  for_each_body([&](std::size_t i, std::size_t, Eigen::Index o) {
    const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
    ws.v.template segment<6>(o) = m.frame().twist_to_body(m.V);
  });
  ws.v_dot.setZero();
  for (Vector6<S>& wrench : ws.of_parts) wrench.setZero();
  cut_.add_rigid_parts(ws.t, ws.no_rows, ws.bodies_with_parts, *ws.of_bodies, ws.constraints);
  Vector6<S> falling = Vector6<S>::Zero();
  falling.template head<3>() = gravity();
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) ws.P[i].setZero(), ws.Q[i].setZero();
  for_each_body([&](std::size_t i, std::size_t, Eigen::Index) {
    const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
    ws.P[i] = ws.inertias[i] * m.V;
    ws.Q[i] = ws.inertias[i] * falling;
    ws.Q[i] -= ws.of_parts[i];
  });
  ws.motion.accumulate(ws.P);
  ws.motion.accumulate(ws.Q);
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const TreeStage& stage = tree_.stages()[i];
    const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
    p.segment(stage.v, stage.n_v()).noalias() = m.s.transpose() * ws.P[i];
    g.segment(stage.v, stage.n_v()).noalias() = m.s.transpose() * (ws.Q[i] + ad_transposed<S>(m.V, ws.P[i]));
  }
}

template <class S>
void JointCoordinateSystem<S>::force(Workspace& workspace_in, Eigen::Ref<Vec> f) const {
  CanonicalWorkspace& ws = canonical(workspace_in);
  ws.motion.set_acceleration(ws.velocity, ws.at_rest);
  const Vector3<S> g = gravity();
  for (Vector6<S>& wrench : ws.carried) wrench.setZero();
  for_each_body([&](std::size_t i, std::size_t, Eigen::Index) {
    const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
    ws.carried[i] = ws.inertias[i].wrench(m.V, m.acceleration, g) + ws.of_parts[i];
  });
  ws.motion.accumulate(ws.carried);
  project_forces(ws, f);
}

/// Adds dPhi of the virtual motions set, from ws.own, sums of X by stage, and ws.carried, sums of Y.
/// @param has_eta  else eta and X are zero
template <class S>
void JointCoordinateSystem<S>::project_flow(bool has_eta, CanonicalWorkspace& ws, Eigen::Ref<Vec> x_bar,
                                            Eigen::Ref<Vec> v_bar, Eigen::Ref<Vec> p_bar) const {
  ws.motion.accumulate(ws.carried);
  if (has_eta) ws.motion.accumulate(ws.own);
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const TreeStage& stage = tree_.stages()[i];
    const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
    // What multiplies e and u, the latter moved along at V.
    const auto along = [&](const Vector6<S>& eta, const Vector6<S>& u, const Vector6<S>& V,
                           Vector6<S>& by_u) {
      by_u = ws.carried[i];
      Vector6<S> by_e = ad_transposed<S>(u, ws.P[i]);
      if (has_eta) {
        by_u += ad_transposed<S>(eta, ws.P[i]);
        by_e += ws.own[i] + ad_transposed<S>(eta, ws.Q[i]);
      }
      by_e += ad_transposed<S>(V, by_u);
      return by_e;
    };
    Vector6<S> by_u;
    const Vector6<S> before = along(ws.virtual_before[i], ws.u_before[i], m.V_before, by_u);
    x_bar.segment(stage.v, stage.n_v()).noalias() += m.s.transpose() * before;
    v_bar.segment(stage.v, stage.n_v()).noalias() += m.s.transpose() * by_u;
    // Of a displacement before the stage, or, with the opposite sign, of what is after it.
    for_each_point(stage, [&](Eigen::Index place, bool is_in) {
      auto bar = p_bar.template segment<3>(place);
      if (!is_in) {
        const Vector6<S> after = along(ws.virtual_after[i], ws.u_after[i], m.V, by_u);
        bar.noalias() -= m.A.transpose() * after.template head<3>();
      } else if (stage.parent < 0) {
        bar += before.template head<3>();
      } else {
        bar.noalias() += ws.motion[stage.parent].A.transpose() * before.template head<3>();
      }
    });
  }
}

/// eta = s w, U = ad_V s w
template <class S>
void JointCoordinateSystem<S>::pull_back_rate(const Segment& w, Workspace& workspace_in,
                                              Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                                              Eigen::Ref<Vec> p_bar) const {
  CanonicalWorkspace& ws = canonical(workspace_in);
  virtual_motion(w, ws);
  for (int place = 0; place < static_cast<int>(tree_.n_stages()); ++place) {
    const std::size_t i = static_cast<std::size_t>(place);
    const int parent = tree_.stages()[i].parent;
    ws.u_before[i].setZero();
    if (parent >= 0)
      ws.u_before[i] = ws.motion.twist_from_parent(place, ws.u_after[static_cast<std::size_t>(parent)]);
    ws.u_after[i] =
        ws.u_before[i] + ad<S>(ws.motion[place].V, Vector6<S>(ws.virtual_after[i] - ws.virtual_before[i]));
  }
  ws.mu = -ws.mu;
  const Instant at{ws.t, ws.x, ws.v, ws.v_dot, ws.no_rows};
  if (!ws.has_jacobians) cut_.part_jacobians(at, *ws.of_bodies, ws.jacobians);
  ws.has_jacobians = true;
  ws.of_x.setZero(), ws.of_v.setZero();
  ws.jacobians.f_x.add_transposed_product(1.0, ws.mu, ws.of_x);
  ws.jacobians.f_v.add_transposed_product(1.0, ws.mu, ws.of_v);
  cut_.pullback_parts(at, ws.mu, ws.no_rows, *ws.of_bodies, p_bar);
  const Vector3<S> g = gravity();
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) ws.own[i].setZero(), ws.carried[i].setZero();
  for_each_body([&](std::size_t i, std::size_t body, Eigen::Index o) {
    const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
    const FrameChange<S> frame = m.frame();
    const Vector6<S>& eta = ws.virtual_after[i];
    const Vector6<S> y = ws.u_after[i] - ad<S>(m.V, eta);
    const SpatialInertia<S>& inertia = ws.inertias[i];
    // d(U . I V + eta . I (g, 0))/dp
    Vector6<S> falling = Vector6<S>::Zero();
    falling.template head<3>() = m.A.transpose() * g;
    pull_back_rigid_momentum<S>(cut_.layout().body(body), ws.v.template segment<6>(o),
                                frame.twist_to_body(ws.u_after[i]), p_bar.data());
    pull_back_rigid_momentum<S>(cut_.layout().body(body), falling, frame.twist_to_body(eta), p_bar.data());
    ws.own[i] = frame.wrench_to_inertial(ws.of_x.template segment<6>(o));
    ws.carried[i] = frame.wrench_to_inertial(ws.of_v.template segment<6>(o));
    ws.own[i].template tail<3>() -= inertia.by_eta_transposed(g, inertia.transposed_times(eta));
    ws.carried[i].template tail<3>() -= inertia.by_u_transposed(m.V, eta);
    ws.carried[i] += inertia * y - ad_transposed<S>(m.V, inertia * eta);
  });
  project_flow(true, ws, x_bar, v_bar, p_bar);
}

/// eta = 0, U = s w
template <class S>
void JointCoordinateSystem<S>::pull_back_momentum(const Segment& w, Workspace& workspace_in,
                                                  Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                                                  Eigen::Ref<Vec> p_bar) const {
  CanonicalWorkspace& ws = canonical(workspace_in);
  virtual_motion(w, ws);
  std::swap(ws.virtual_before, ws.u_before);
  std::swap(ws.virtual_after, ws.u_after);
  for (Vector6<S>& momentum : ws.carried) momentum.setZero();
  for_each_body([&](std::size_t i, std::size_t body, Eigen::Index o) {
    pull_back_rigid_momentum<S>(cut_.layout().body(body), ws.v.template segment<6>(o),
                                ws.mu.template segment<6>(o), p_bar.data());
    ws.carried[i] = ws.inertias[i] * ws.u_after[i];
  });
  project_flow(false, ws, x_bar, v_bar, p_bar);
}

template <class S>
void JointCoordinateSystem<S>::pull_back_constraint_rates(const Instant& at, const Segment& w1,
                                                          const Segment& w2, Workspace& workspace_in,
                                                          Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                                                          Eigen::Ref<Vec> p_bar) const {
  CanonicalWorkspace& ws = canonical(workspace_in);
  set_constraint_bars(move(at, ws), ws.no_rows, w1, w2, ws, p_bar);
  project_bars(ws, x_bar, v_bar);
}

#define KURBEL_INSTANTIATE(S)                                                                             \
  template std::unique_ptr<typename JointCoordinateSystem<S>::Workspace>                                  \
  JointCoordinateSystem<S>::make_canonical_workspace() const;                                             \
  template Eigen::Index JointCoordinateSystem<S>::set_position(const OneSidedTime&, const Segment&,       \
                                                               Workspace&) const;                         \
  template const typename JointCoordinateSystem<S>::Vec& JointCoordinateSystem<S>::constraint_rates(      \
      const Workspace&) const;                                                                            \
  template void JointCoordinateSystem<S>::solve(Workspace&, Columns) const;                               \
  template void JointCoordinateSystem<S>::momenta(const Segment&, Workspace&, Eigen::Ref<Vec>,            \
                                                  Eigen::Ref<Vec>) const;                                 \
  template void JointCoordinateSystem<S>::force(Workspace&, Eigen::Ref<Vec>) const;                       \
  template void JointCoordinateSystem<S>::pull_back_rate(const Segment&, Workspace&, Eigen::Ref<Vec>,     \
                                                         Eigen::Ref<Vec>, Eigen::Ref<Vec>) const;         \
  template void JointCoordinateSystem<S>::pull_back_momentum(const Segment&, Workspace&, Eigen::Ref<Vec>, \
                                                             Eigen::Ref<Vec>, Eigen::Ref<Vec>) const;     \
  template void JointCoordinateSystem<S>::pull_back_constraint_rates(                                     \
      const Instant&, const Segment&, const Segment&, Workspace&, Eigen::Ref<Vec>, Eigen::Ref<Vec>,       \
      Eigen::Ref<Vec>) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
