#include "floating_frame/observed_pair.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
typename ObservedPair<S>::State ObservedPair<S>::state(const Instant& at) const {
  State state{system_.ends_at(pair_, at, *ws_)};
  pair_.derivatives(system_.parameters().data(), state.ends, *rows_, state.rows);
  return state;
}

template <class S>
void ObservedPair<S>::add_partials(const State& state, const S* on_value, const S* on_rate, Bar& bar,
                                   Eigen::Ref<VectorX<S>> p_bar) const {
  const auto add_end = [&](const MarkerPlace& place, Eigen::Index l) {
    if (place.body < 0) return;
    const Eigen::Index g = system_.v_offset(static_cast<std::size_t>(place.body)), n = place.n_tangent();
    for (Eigen::Index i = 0; i < pair_.n_rows(); ++i) {
      const auto c_x = state.rows.c_x.row(i).segment(l, n).transpose();
      const auto c_dot_x = state.rows.c_dot_x.row(i).segment(l, n).transpose();
      bar.x.segment(g, n) += on_value[i] * c_x + on_rate[i] * c_dot_x;
      bar.v.segment(g, n) += on_rate[i] * c_x;
    }
  };
  add_end(pair_.to(), 0);
  add_end(pair_.from(), pair_.to().n_tangent());
  pair_.pullback(system_.parameters().data(), state.ends, on_value, on_rate, nullptr, p_bar.data());
}

template class ObservedPair<InstantiatedScalar>;

}  // namespace kurbel
