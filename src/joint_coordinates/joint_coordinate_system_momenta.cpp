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
/// where eta, U are those before the stage, f_b = -Q_b - ad_V^T P_b the residual of a body without acceleration.
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
        inertias(system.tree_.n_stages(), Matrix6<S>::Zero()),
        flow(system.tree_.n_stages()),
        virtual_after(system.tree_.n_stages()),
        virtual_before(virtual_after),
        velocity(Vec::Zero(system.n_v())),
        at_rest(velocity),
        no_multipliers(Vec::Zero(system.n_c())) {}

  double t = 0.0;
  ArticulatedInertia<S> inertia;
  std::vector<Matrix6<S>> inertias;                         ///< of the body of a stage, about its point
  std::vector<VariationBar<S>> flow;                        ///< (Q, P) of all that a stage carries
  std::vector<Variation<S>> virtual_after, virtual_before;  ///< (eta, U)
  Vec velocity, at_rest, no_multipliers;
  bool has_jacobians = false;

  ConstraintDerivatives<S> of_joints;
  Matrix mass_inverse_Ct;             ///< M^-1 C^T
  Eigen::PartialPivLU<Matrix> schur;  ///< of C M^-1 C^T
};

template <class S>
typename JointCoordinateSystem<S>::CanonicalWorkspace& JointCoordinateSystem<S>::canonical(
    Workspace& ws) const {
  return static_cast<CanonicalWorkspace&>(ws);
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
Eigen::Index JointCoordinateSystem<S>::set_position(double t, const Segment& x,
                                                    Workspace& workspace_in) const {
  CanonicalWorkspace& ws = canonical(workspace_in);
  ws.t = t;
  if (n_c() > 0) {
    ws.of_joints.resize(n_v(), n_c());
    constraint_derivatives({t, x, ws.at_rest, ws.at_rest, ws.no_multipliers}, ws, ws.of_joints);
  }
  ws.motion.set_position(parameters().data(), x);
  place_bodies(ws);
  for_each_body([&](std::size_t i, std::size_t body, Eigen::Index) {
    const Matrix6<S> T = ws.motion[static_cast<int>(i)].frame().to_body();
    ws.inertias[i].noalias() =
        T.transpose() * rigid_mass_matrix(cut_.layout().body(body), parameters().data()) * T;
  });
  const Eigen::Index singular = ws.inertia.factorize(ws.motion, ws.inertias);
  if (singular >= 0 || n_c() == 0) return singular;
  ws.mass_inverse_Ct = ws.of_joints.C.transpose();
  ws.inertia.solve(ws.motion, ws.mass_inverse_Ct);
  ws.schur.compute(ws.of_joints.C * ws.mass_inverse_Ct);
  return is_regular(ws.schur) ? -1 : 0;
}

/// v = M^-1 (b_v - C^T sigma),   C M^-1 C^T sigma = C M^-1 b_v - b_c
template <class S>
void JointCoordinateSystem<S>::solve(Workspace& workspace_in, Columns b) const {
  CanonicalWorkspace& ws = canonical(workspace_in);
  auto v = b.topRows(n_v());
  ws.inertia.solve(ws.motion, v);
  if (n_c() == 0) return;
  auto sigma = b.bottomRows(n_c());
  sigma = ws.schur.solve(ws.of_joints.C * v - sigma).eval();
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
  cut_.residual({ws.t, ws.x, ws.v, ws.v_dot, ws.no_multipliers}, *ws.of_bodies, ws.f, ws.c);
  for (VariationBar<S>& sum : ws.flow) sum = {};
  for_each_body([&](std::size_t i, std::size_t body, Eigen::Index o) {
    const Vector6<S> V = ws.v.template segment<6>(o);
    const Vector6<S> P = rigid_mass_matrix(cut_.layout().body(body), parameters().data()) * V,
                     Q = -ws.f.template segment<6>(o) - ad_transposed<S>(V, P);
    const FrameChange<S> frame = ws.motion[static_cast<int>(i)].frame();
    ws.flow[i].eta = frame.wrench_to_inertial(Q), ws.flow[i].u = frame.wrench_to_inertial(P);
  });
  ws.motion.accumulate(ws.flow);
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const TreeStage& stage = tree_.stages()[i];
    const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
    p.segment(stage.v, stage.n_v()).noalias() = m.s.transpose() * ws.flow[i].u;
    g.segment(stage.v, stage.n_v()).noalias() =
        m.s.transpose() * (ws.flow[i].eta + ad_transposed<S>(m.V, ws.flow[i].u));
  }
}

template <class S>
void JointCoordinateSystem<S>::force(Workspace& workspace_in, Eigen::Ref<Vec> f) const {
  CanonicalWorkspace& ws = canonical(workspace_in);
  ws.motion.set_acceleration(ws.velocity, ws.at_rest);
  for (Vector6<S>& wrench : ws.carried) wrench.setZero();
  for_each_body([&](std::size_t i, std::size_t, Eigen::Index o) {
    const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
    ws.carried[i] = m.frame().wrench_to_inertial(ws.f.template segment<6>(o));
    ws.carried[i].noalias() += ws.inertias[i] * m.acceleration;
  });
  ws.motion.accumulate(ws.carried);
  project_forces(ws, f);
}

/// Adds dPhi of the virtual variations set.
/// @param with_forces  whether eta is not zero
template <class S>
void JointCoordinateSystem<S>::pull_back_flow(bool with_forces, CanonicalWorkspace& ws, Eigen::Ref<Vec> x_bar,
                                              Eigen::Ref<Vec> v_bar, Eigen::Ref<Vec> p_bar) const {
  for (Vec* bar : {&ws.of_x, &ws.of_v, &ws.of_v_dot}) bar->setZero();
  for_each_body([&](std::size_t i, std::size_t body, Eigen::Index o) {
    const FrameChange<S> frame = ws.motion[static_cast<int>(i)].frame();
    const Vector6<S> eta = frame.twist_to_body(ws.virtual_after[i].eta), V = ws.v.template segment<6>(o);
    const Vector6<S> y = frame.twist_to_body(ws.virtual_after[i].u) - ad<S>(V, eta);
    ws.mu.template segment<6>(o) = -eta;
    const BodyLayout& layout = cut_.layout().body(body);
    ws.of_v.template segment<6>(o).noalias() = rigid_mass_matrix(layout, parameters().data()).transpose() * y;
    pull_back_rigid_momentum(layout, V, y, p_bar.data());
  });
  if (with_forces) {
    const Instant at{ws.t, ws.x, ws.v, ws.v_dot, ws.no_multipliers};
    if (!ws.has_jacobians) cut_.jacobians(at, *ws.of_bodies, ws.jacobians);
    ws.has_jacobians = true;
    ws.jacobians.f_x.add_transposed_product(1.0, ws.mu, ws.of_x);
    ws.jacobians.f_v.add_transposed_product(1.0, ws.mu, ws.of_v);
    cut_.pullback(at, ws.mu, ws.no_multipliers, *ws.of_bodies, p_bar);
  }
  set_bars(ws.of_x, ws.of_v, ws.of_v_dot, ws);
  for (std::size_t i = 0; i < tree_.n_stages(); ++i) {
    const TreeStage& stage = tree_.stages()[i];
    const StageMotion<S>& m = ws.motion[static_cast<int>(i)];
    const auto along = [&](const Variation<S>& moved) {
      const VariationBar<S>& sum = ws.flow[i];
      return VariationBar<S>{
          ws.bars[i].eta + ad_transposed<S>(moved.eta, sum.eta) + ad_transposed<S>(moved.u, sum.u),
          ws.bars[i].u + ad_transposed<S>(moved.eta, sum.u)};
    };
    const VariationBar<S> before = along(ws.virtual_before[i]), after = along(ws.virtual_after[i]);
    x_bar.segment(stage.v, stage.n_v()).noalias() +=
        m.s.transpose() * (before.eta + ad_transposed<S>(m.V_before, before.u));
    v_bar.segment(stage.v, stage.n_v()).noalias() += m.s.transpose() * before.u;
    // Of a displacement before the stage, or, with the opposite sign, of what is after it.
    for_each_point(stage, [&](Eigen::Index place, bool is_in) {
      const VariationBar<S>& bar = is_in ? before : after;
      const Vector6<S> by_twist = bar.eta + ad_transposed<S>(is_in ? m.V_before : m.V, bar.u);
      const Vector3<S> by_point =
          is_in ? by_twist.template head<3>().eval() : (-by_twist.template head<3>()).eval();
      p_bar.template segment<3>(place) +=
          is_in && stage.parent < 0 ? by_point
                                    : (is_in ? ws.motion[stage.parent].A : m.A).transpose() * by_point;
    });
  }
}

namespace {

/// Sums outwards of what each stage adds to virtual displacements and velocities of all that it carries.
/// @param own  (stage) -> Variation, in eta and u
template <class Workspace, class Own>
void set_virtual(const JointTree& tree, Workspace& ws, const Own& own) {
  for (int i = 0; i < static_cast<int>(tree.n_stages()); ++i) {
    const std::size_t place = static_cast<std::size_t>(i);
    const int parent = tree.stages()[place].parent;
    auto &before = ws.virtual_before[place], &after = ws.virtual_after[place];
    before = {};
    if (parent >= 0) before = ws.motion.from_parent(i, ws.virtual_after[static_cast<std::size_t>(parent)]);
    after = before;
    after += own(i);
  }
}

}  // namespace

template <class S>
void JointCoordinateSystem<S>::pull_back_rate(const Segment& w, Workspace& workspace_in,
                                              Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                                              Eigen::Ref<Vec> p_bar) const {
  CanonicalWorkspace& ws = canonical(workspace_in);
  set_virtual(tree_, ws, [&](int i) {
    const TreeStage& stage = tree_.stages()[static_cast<std::size_t>(i)];
    Variation<S> own;
    own.eta.noalias() = ws.motion[i].s * w.segment(stage.v, stage.n_v());
    own.u = ad<S>(ws.motion[i].V, own.eta);
    return own;
  });
  pull_back_flow(true, ws, x_bar, v_bar, p_bar);
}

template <class S>
void JointCoordinateSystem<S>::pull_back_momentum(const Segment& w, Workspace& workspace_in,
                                                  Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                                                  Eigen::Ref<Vec> p_bar) const {
  CanonicalWorkspace& ws = canonical(workspace_in);
  set_virtual(tree_, ws, [&](int i) {
    const TreeStage& stage = tree_.stages()[static_cast<std::size_t>(i)];
    Variation<S> own;
    own.u.noalias() = ws.motion[i].s * w.segment(stage.v, stage.n_v());
    return own;
  });
  pull_back_flow(false, ws, x_bar, v_bar, p_bar);
}

#define KURBEL_INSTANTIATE(S)                                                                             \
  template std::unique_ptr<typename JointCoordinateSystem<S>::Workspace>                                  \
  JointCoordinateSystem<S>::make_canonical_workspace() const;                                             \
  template Eigen::Index JointCoordinateSystem<S>::set_position(double, const Segment&, Workspace&) const; \
  template void JointCoordinateSystem<S>::solve(Workspace&, Columns) const;                               \
  template void JointCoordinateSystem<S>::momenta(const Segment&, Workspace&, Eigen::Ref<Vec>,            \
                                                  Eigen::Ref<Vec>) const;                                 \
  template void JointCoordinateSystem<S>::force(Workspace&, Eigen::Ref<Vec>) const;                       \
  template void JointCoordinateSystem<S>::pull_back_rate(const Segment&, Workspace&, Eigen::Ref<Vec>,     \
                                                         Eigen::Ref<Vec>, Eigen::Ref<Vec>) const;         \
  template void JointCoordinateSystem<S>::pull_back_momentum(const Segment&, Workspace&, Eigen::Ref<Vec>, \
                                                             Eigen::Ref<Vec>, Eigen::Ref<Vec>) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
