#include "floating_frame/canonical_bodies.hpp"

#include "base/instantiate.hpp"
#include "floating_frame/rigid_momentum.hpp"
#include "integration/saddle_point_solver.hpp"

namespace kurbel {

template <class S>
class CanonicalBodies<S>::BodiesWorkspace final : public Workspace {
 public:
  explicit BodiesWorkspace(const MultibodySystem<S>& system)
      : of_system(system.make_workspace()),
        jacobians(system.make_jacobians()),
        kkt(jacobians, LinearSolver::automatic),
        x(Vec::Zero(system.n_x())),
        v(Vec::Zero(system.n_v())),
        at_rest(v),
        f(v),
        minus_w(v),
        no_multipliers(Vec::Zero(system.n_c())),
        c(no_multipliers) {
    if (!kkt.is_sparse()) jacobians.store_full();
    constraints.resize(system.n_v(), system.n_c());
  }
  std::unique_ptr<Workspace> of_system;
  DaeJacobians<S> jacobians;
  SaddlePointSolver<S> kkt;
  OneSidedTime t;
  Vec x, v, at_rest, f, minus_w, no_multipliers, c;
  ConstraintDerivatives<S> constraints;
  MatrixX<S> rhs, solution;
  bool has_jacobians = false;  ///< at v
};

template <class S>
CanonicalBodies<S>::CanonicalBodies(const MultibodySystem<S>& system) : system_(system) {
  if (!system.spec().beams.empty())
    throw InputError("beams." + system.spec().beams.front().name +
                     " is flexible; Hamilton's equations are those of rigid bodies");
  for (std::size_t body = 0; body < system.n_bodies(); ++body) {
    if (system.n_q(body) > 0) {
      throw InputError("body " + system.spec().bodies[body].name +
                       " is flexible; Hamilton's equations are those of rigid bodies");
    }
  }
}

template <class S>
std::unique_ptr<typename CanonicalBodies<S>::Workspace> CanonicalBodies<S>::make_canonical_workspace() const {
  return std::make_unique<BodiesWorkspace>(system_);
}

template <class S>
typename CanonicalBodies<S>::BodiesWorkspace& CanonicalBodies<S>::bodies(Workspace& ws) {
  return static_cast<BodiesWorkspace&>(ws);
}

template <class S>
DaeInstant<S> CanonicalBodies<S>::instant(const BodiesWorkspace& ws) const {
  return {ws.t, ws.x, ws.v, ws.at_rest, ws.no_multipliers};
}

template <class S>
Eigen::Index CanonicalBodies<S>::set_position(const OneSidedTime& t, const Segment& x,
                                              Workspace& workspace) const {
  BodiesWorkspace& ws = bodies(workspace);
  ws.t = t, ws.x = x;
  ws.v.setZero();
  system_.jacobians(instant(ws), *ws.of_system, ws.jacobians);
  ws.has_jacobians = false;
  if (system_.n_c() > 0) system_.constraint_values(instant(ws), *ws.of_system, ws.constraints);
  return ws.kkt.factorize(ws.jacobians, {}, 0.0, 0.0) ? -1 : 0;
}

template <class S>
void CanonicalBodies<S>::solve(Workspace& workspace, Columns b) const {
  BodiesWorkspace& ws = bodies(workspace);
  ws.rhs = b;
  ws.kkt.solve(ws.rhs, ws.solution);
  b = ws.solution;
}

template <class S>
void CanonicalBodies<S>::momenta(const Segment& v, Workspace& workspace, Eigen::Ref<Vec> p,
                                 Eigen::Ref<Vec> g) const {
  BodiesWorkspace& ws = bodies(workspace);
  ws.v = v;
  ws.has_jacobians = false;
  system_.residual(instant(ws), *ws.of_system, ws.f, ws.c);
  g = -ws.f;
  for (std::size_t body = 0; body < system_.n_bodies(); ++body) {
    const Eigen::Index o = system_.v_offset(body);
    p.template segment<6>(o).noalias() =
        rigid_mass_matrix(system_.layout().body(body), system_.parameters().data()) *
        v.template segment<6>(o);
  }
}

template <class S>
void CanonicalBodies<S>::force(Workspace& workspace, Eigen::Ref<Vec> f) const {
  f = bodies(workspace).f;
}

template <class S>
void CanonicalBodies<S>::pull_back_rate(const Segment& w, Workspace& workspace, Eigen::Ref<Vec> x_bar,
                                        Eigen::Ref<Vec> v_bar, Eigen::Ref<Vec> p_bar) const {
  BodiesWorkspace& ws = bodies(workspace);
  if (!ws.has_jacobians) system_.jacobians(instant(ws), *ws.of_system, ws.jacobians);
  ws.has_jacobians = true;
  ws.jacobians.f_x.add_transposed_product(-1.0, w, x_bar);
  ws.jacobians.f_v.add_transposed_product(-1.0, w, v_bar);
  ws.minus_w = -w;
  system_.pullback(instant(ws), ws.minus_w, ws.no_multipliers, *ws.of_system, p_bar);
}

template <class S>
void CanonicalBodies<S>::pull_back_momentum(const Segment& w, Workspace& workspace, Eigen::Ref<Vec>,
                                            Eigen::Ref<Vec> v_bar, Eigen::Ref<Vec> p_bar) const {
  BodiesWorkspace& ws = bodies(workspace);
  for (std::size_t body = 0; body < system_.n_bodies(); ++body) {
    const Eigen::Index o = system_.v_offset(body);
    const BodyLayout& layout = system_.layout().body(body);
    const Vector6<S> own = w.template segment<6>(o), V = ws.v.template segment<6>(o);
    v_bar.template segment<6>(o).noalias() +=
        rigid_mass_matrix(layout, system_.parameters().data()).transpose() * own;
    pull_back_rigid_momentum(layout, V, own, p_bar.data());
  }
}

template <class S>
const typename CanonicalBodies<S>::Vec& CanonicalBodies<S>::constraint_rates(const Workspace& ws) const {
  return static_cast<const BodiesWorkspace&>(ws).constraints.c1;
}

template <class S>
void CanonicalBodies<S>::pull_back_constraint_rates(const DaeInstant<S>& at, const Segment& w1,
                                                    const Segment& w2, Workspace& workspace,
                                                    Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                                                    Eigen::Ref<Vec> p_bar) const {
  BodiesWorkspace& ws = bodies(workspace);
  ConstraintDerivatives<S>& c = ws.constraints;
  system_.constraint_derivatives(at, *ws.of_system, c);
  x_bar.noalias() += c.c1_x.transpose() * w1;
  x_bar.noalias() += c.c2_x.transpose() * w2;
  v_bar.noalias() += c.C.transpose() * w1;
  v_bar.noalias() += c.c2_v.transpose() * w2;
  system_.pullback_constraints(at, ws.no_multipliers, w1, w2, *ws.of_system, p_bar);
}

template <class S>
std::shared_ptr<const CanonicalEquations<S>> MultibodySystem<S>::canonical() const {
  return std::make_shared<CanonicalBodies<S>>(*this);
}

template class CanonicalBodies<InstantiatedScalar>;
template std::shared_ptr<const CanonicalEquations<InstantiatedScalar>>
MultibodySystem<InstantiatedScalar>::canonical() const;

}  // namespace kurbel
