#include "base/instantiate.hpp"
#include "natural_coordinates/absolute_system.hpp"

namespace kurbel {

template <class S>
S AbsoluteSystem<S>::kinetic_energy(const Segment& x) const {
  return 0.5 * (x.tail(n_q_).transpose() * M_ * x.tail(n_q_)).value();
}

template <class S>
void AbsoluteSystem<S>::add_kinetic_energy_partials(const Segment& v, double weight, Eigen::Ref<Vec> v_bar,
                                                    Eigen::Ref<Vec> p_bar) const {
  v_bar.noalias() += weight * (M_ * v);
  if (n_xi_ == 0) return;
  Vec own_v;
  Matrix Mv_xi;
  for (const Part& part : parts_) {
    own_v.resize(part.element->n_q());
    for (std::size_t i = 0; i < part.free.size(); ++i)
      own_v[static_cast<Eigen::Index>(i)] = part.free[i] < 0 ? S(0) : v[part.free[i]];
    Mv_xi.setZero(part.element->n_q(), part.element->n_xi());
    part.element->add_mass_derivative(part.xi, own_v, Mv_xi);
    for (std::size_t k = 0; k < part.binding.parameters.size(); ++k) {
      const ParameterSlot& slot = part.binding.parameters[k];
      if (slot.variable < 0) continue;
      const S T_xi = 0.5 * (own_v.transpose() * Mv_xi.col(static_cast<Eigen::Index>(k))).value();
      p_bar[slot.variable] += weight * slot.factor * T_xi;
    }
  }
}

template <class S>
S AbsoluteSystem<S>::potential_energy(const Segment& x) const {
  S energy(0);
  for (const Part& part : parts_) {
    Vec q(part.element->n_q()), v(part.element->n_q());
    gather(part.binding, x.head(n_q_), x.tail(n_q_), q, v);
    const Vec u = Vec::Zero(part.element->n_u());
    energy += part.element->potential({q, v, u, part.xi});
  }
  return energy;
}

#define KURBEL_INSTANTIATE(S)                                                                           \
  template S AbsoluteSystem<S>::kinetic_energy(const Segment&) const;                                   \
  template S AbsoluteSystem<S>::potential_energy(const Segment&) const;                                 \
  template void AbsoluteSystem<S>::add_kinetic_energy_partials(const Segment&, double, Eigen::Ref<Vec>, \
                                                               Eigen::Ref<Vec>) const;
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
