/// Energies of the mechanism and their derivatives.
#include "base/instantiate.hpp"
#include "floating_frame/multibody_system_detail.hpp"

namespace kurbel {

template <class S>
typename MultibodySystem<S>::Energy MultibodySystem<S>::energy(const Instant& at, std::size_t body,
                                                               Workspace& workspace_in) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  const Vector3<S> g = spec_.gravity.cast<S>();
  return body_energy<S>(layout_.body(body), p_.data(), motion(at, ws, body), dot(ws.kinematics[body].r, g),
                        ws.bodies[body]);
}

template <class S>
typename MultibodySystem<S>::Energy MultibodySystem<S>::energy(const Instant& at,
                                                               Workspace& workspace_in) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  const Vector3<S> g = spec_.gravity.cast<S>();
  Energy sum{S(0), S(0), S(0)};
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    const Energy own = body_energy<S>(layout_.body(i), p_.data(), motion(at, ws, i),
                                      dot(ws.kinematics[i].r, g), ws.bodies[i]);
    sum.kinetic += own.kinetic, sum.elastic += own.elastic, sum.gravitational += own.gravitational;
  }
  add_beam_energy(at, ws, sum);
  for (const ForceElement& force : forces_) sum.elastic += force_energy(force, ws);
  return sum;
}

template <class S>
void MultibodySystem<S>::add_energy_partials(const Instant& at, const EnergyWeights& weights,
                                             std::optional<std::size_t> body, Workspace& workspace_in,
                                             Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                                             Eigen::Ref<Vec> p_bar) const {
  SystemWorkspace& ws = workspace(workspace_in);
  update_bodies(at, ws);
  const Vector3<S> g = spec_.gravity.cast<S>();
  for (std::size_t i = 0; i < n_bodies(); ++i) {
    if (body && *body != i) continue;
    const Eigen::Index o = v_offset(i), n = 6 + n_q(i);
    add_body_energy_partials<S>(layout_.body(i), p_.data(), motion(at, ws, i), dot(ws.kinematics[i].r, g),
                                weights, ws.bodies[i], x_bar.segment(o, n), v_bar.segment(o, n),
                                p_bar.data());
  }
  if (body) return;
  add_beam_energy_partials(at, weights, ws, x_bar, v_bar, p_bar);
  if (weights.elastic == 0.0) return;
  for (const ForceElement& force : forces_)
    add_force_energy_partials(force, weights.elastic, ws, x_bar, p_bar.data());
}

#define KURBEL_INSTANTIATE(S)                                                                        \
  template BodyEnergy<S> MultibodySystem<S>::energy(const Instant&, std::size_t, Workspace&) const;  \
  template BodyEnergy<S> MultibodySystem<S>::energy(const Instant&, Workspace&) const;               \
  template void MultibodySystem<S>::add_energy_partials(                                             \
      const Instant&, const EnergyWeights&, std::optional<std::size_t>, Workspace&, Eigen::Ref<Vec>, \
      Eigen::Ref<Vec>, Eigen::Ref<Vec>) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
