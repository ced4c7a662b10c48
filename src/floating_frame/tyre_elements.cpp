/// Tyres among the forces of a mechanism.
#include <fmt/format.h>

#include "base/instantiate.hpp"
#include "floating_frame/multibody_system_detail.hpp"

namespace kurbel {

template <class S>
std::size_t MultibodySystem<S>::tyre_index(const std::string& name) const {
  for (std::size_t i = 0; i < spec_.tyres.size(); ++i) {
    if (spec_.tyres[i].name == name) return i;
  }
  throw InputError(fmt::format("there is no tyre {}", name));
}

template <class S>
TyreForces<S> MultibodySystem<S>::tyre_forces(std::size_t tyre, const Instant& at,
                                              Workspace& workspace_in) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  const Ends e = ends(tyres_[tyre].pair, ws, at.v.data(), nullptr);
  return tyres_[tyre].tyre.forces(p_.data(), e.to, e.from);
}

template <class S>
void MultibodySystem<S>::add_tyre_force_partials(std::size_t tyre, const Instant& at,
                                                 const Vector3<S>& weights, Workspace& workspace_in,
                                                 Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                                                 Eigen::Ref<Vec> p_bar) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  const TyrePair& own = tyres_[tyre];
  const Ends e = ends(own.pair, ws, at.v.data(), nullptr);
  Eigen::Matrix<S, 12, 1> by_x = Eigen::Matrix<S, 12, 1>::Zero(), by_v = by_x;
  own.tyre.add_partials(p_.data(), e.to, e.from, weights, by_x, by_v, p_bar.data());
  for_each_end(own.pair, [&](Eigen::Index g, Eigen::Index l, Eigen::Index size) {
    x_bar.segment(g, size) += by_x.segment(l, size);
    v_bar.segment(g, size) += by_v.segment(l, size);
  });
}

template <class S>
void MultibodySystem<S>::add_tyre_residual(const TyrePair& own, const Instant& at, SystemWorkspace& ws,
                                           Eigen::Ref<Vec> f) const {
  const Ends e = ends(own.pair, ws, at.v.data(), nullptr);
  f.template segment<6>(v_offset(own.tyre.wheel())) -= own.tyre.wrench(p_.data(), e.to, e.from);
}

template <class S>
void MultibodySystem<S>::add_tyre_jacobians(const TyrePair& own, const Instant& at, SystemWorkspace& ws,
                                            DaeJacobians<S>& out) const {
  const Ends e = ends(own.pair, ws, at.v.data(), nullptr);
  typename Tyre<S>::ByPair by_x, by_v;
  own.tyre.jacobians(p_.data(), e.to, e.from, by_x, by_v);
  auto K = ws.K_local.topLeftCorner(12, 12);
  K.setZero();
  K.template topRows<6>() = -by_x;
  add_block(own.pair, K, out.f_x);
  K.template topRows<6>() = -by_v;
  add_block(own.pair, K, out.f_v);
}

template <class S>
void MultibodySystem<S>::pullback_tyre(const TyrePair& own, const Instant& at, const Segment& mu,
                                       SystemWorkspace& ws, S* p_bar) const {
  const Ends e = ends(own.pair, ws, at.v.data(), nullptr);
  const auto by_p = own.tyre.by_parameters(p_.data(), e.to, e.from);
  const auto of_wheel = mu.template segment<6>(v_offset(own.tyre.wheel()));
  for (int k = 0; k < Tyre<S>::n_parameters; ++k) {
    const Eigen::Index index = own.tyre.parameter(k);
    if (index >= 0) p_bar[index] -= (of_wheel.transpose() * by_p.col(k)).value();
  }
}

template <class S>
void MultibodySystem<S>::push_forward_tyre(const TyrePair& own, const Instant& at, const ConstColumns& p_dot,
                                           SystemWorkspace& ws, Columns f_p) const {
  const Ends e = ends(own.pair, ws, at.v.data(), nullptr);
  const auto by_p = own.tyre.by_parameters(p_.data(), e.to, e.from);
  auto of_wheel = f_p.template middleRows<6>(v_offset(own.tyre.wheel()));
  for (int k = 0; k < Tyre<S>::n_parameters; ++k) {
    const Eigen::Index index = own.tyre.parameter(k);
    if (index >= 0) of_wheel.noalias() -= by_p.col(k) * p_dot.row(index);
  }
}

#define KURBEL_INSTANTIATE(S)                                                                               \
  template std::size_t MultibodySystem<S>::tyre_index(const std::string&) const;                            \
  template TyreForces<S> MultibodySystem<S>::tyre_forces(std::size_t, const Instant&, Workspace&) const;    \
  template void MultibodySystem<S>::add_tyre_force_partials(std::size_t, const Instant&, const Vector3<S>&, \
                                                            Workspace&, Eigen::Ref<Vec>, Eigen::Ref<Vec>,   \
                                                            Eigen::Ref<Vec>) const;                         \
  template void MultibodySystem<S>::add_tyre_residual(const TyrePair&, const Instant&, SystemWorkspace&,    \
                                                      Eigen::Ref<Vec>) const;                               \
  template void MultibodySystem<S>::add_tyre_jacobians(const TyrePair&, const Instant&, SystemWorkspace&,   \
                                                       DaeJacobians<S>&) const;                             \
  template void MultibodySystem<S>::pullback_tyre(const TyrePair&, const Instant&, const Segment&,          \
                                                  SystemWorkspace&, S*) const;                              \
  template void MultibodySystem<S>::push_forward_tyre(const TyrePair&, const Instant&, const ConstColumns&, \
                                                      SystemWorkspace&, Columns) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
