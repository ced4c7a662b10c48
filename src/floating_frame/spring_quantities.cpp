#include "floating_frame/spring_quantities.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

namespace {

template <class S>
RelativeRows<S> pair_of(const MultibodySystem<S>& system, const MarkerRef& to, const MarkerRef& from) {
  return {system.resolve(to, "criterion"), system.resolve(from, "criterion")};
}

template <class S>
RelativeRows<S> half_square_of(const MultibodySystem<S>& system, const MarkerRef& to, const MarkerRef& from) {
  RelativeRows<S> pair = pair_of(system, to, from);
  pair.add_half_square();
  return pair;
}

template <class S>
RelativeRows<S> ends_of(const MultibodySystem<S>& system, const SpringSpec& spring) {
  RelativeRows<S> pair = pair_of(system, spring.to, spring.from);
  pair.add_distance_in_space();
  return pair;
}

}  // namespace

template <class S>
MarkerDistance<S>::MarkerDistance(const MultibodySystem<S>& system, const MarkerRef& to,
                                  const MarkerRef& from)
    : pair_(system, half_square_of(system, to, from)) {}

template <class S>
Rows<S> MarkerDistance<S>::value(const Instant& at) const {
  using std::sqrt;
  return Rows<S>::Constant(1, sqrt(2.0 * pair_.state(at).rows.c[0]));
}

template <class S>
void MarkerDistance<S>::add_partials(const Instant& at, const Rows<S>& z_bar, Bar& bar,
                                     Eigen::Ref<VectorX<S>> p_bar) const {
  const auto state = pair_.state(at);
  const S on_value = z_bar[0] / line_length(S(2.0 * state.rows.c[0])), on_rate(0);
  pair_.add_partials(state, &on_value, &on_rate, bar, p_bar);
}

template <class S>
SpringForceOnTo<S>::SpringForceOnTo(const MultibodySystem<S>& system, const std::string& spring)
    : spec_(system.spec().springs[system.spring_index(spring)]),
      layout_(system.layout().spring(system.spring_index(spring))),
      pair_(system, ends_of(system, spec_)) {}

template <class S>
SpringForce<S> SpringForceOnTo<S>::force(const typename ObservedPair<S>::State& state) const {
  const auto& p = pair_.system().parameters();
  const Vector3<S> d = state.rows.c, d_dot = state.rows.c_dot;
  return spring_force(spec_.law, damps_every_direction(spec_.law, spec_.isotropic_damping), d, d_dot,
                      p[layout_.stiffness], p[layout_.damping], p[layout_.free_length]);
}

template <class S>
Rows<S> SpringForceOnTo<S>::value(const Instant& at) const {
  return force(pair_.state(at)).F;
}

template <class S>
void SpringForceOnTo<S>::add_partials(const Instant& at, const Rows<S>& z_bar, Bar& bar,
                                      Eigen::Ref<VectorX<S>> p_bar) const {
  const auto state = pair_.state(at);
  const SpringForce<S> f = force(state);
  const Vector3<S> on_value = f.F_d.transpose() * z_bar, on_rate = f.F_ddot.transpose() * z_bar,
                   on_numbers = f.F_xi.transpose() * z_bar;
  pair_.add_partials(state, on_value.data(), on_rate.data(), bar, p_bar);
  p_bar[layout_.stiffness] += on_numbers[0];
  p_bar[layout_.damping] += on_numbers[1];
  p_bar[layout_.free_length] += on_numbers[2];
}

template class MarkerDistance<InstantiatedScalar>;
template class SpringForceOnTo<InstantiatedScalar>;

}  // namespace kurbel
