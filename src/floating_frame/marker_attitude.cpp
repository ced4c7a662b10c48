#include "floating_frame/marker_attitude.hpp"

#include "base/angle_of.hpp"
#include "base/instantiate.hpp"

namespace kurbel {

namespace {

enum Entry { zx, zy, zz, yx, xx, n_entries };

template <class S>
RelativeRows<S> entries_of(const MultibodySystem<S>& system, const MarkerRef& marker) {
  RelativeRows<S> pair(system.resolve(marker, "criterion"), system.resolve({"ground"}, "criterion"));
  for (const auto& [i, j] :
       {std::pair{2, 0}, std::pair{2, 1}, std::pair{2, 2}, std::pair{1, 0}, std::pair{0, 0}})
    pair.add_direction_cosine(i, j);
  return pair;
}

/// A number and its rate; the sensitivities by both.
template <class S>
struct Rated {
  S value, rate;
};

/// atan2(a, b) with its rate N / D, N = b a_dot - a b_dot, D = a^2 + b^2.
template <class S>
struct RatedAngle {
  Rated<S> a, b;
  S D, rate;

  RatedAngle(const Rated<S>& sine, const Rated<S>& cosine)
      : a(sine),
        b(cosine),
        D(a.value * a.value + b.value * b.value),
        rate((b.value * a.rate - a.value * b.rate) / D) {}
  S angle() const { return angle_of(a.value, b.value); }
  /// Adds what sensitivities by the angle and its rate are by a and b.
  void pull_back(const Rated<S>& bar, Rated<S>& a_bar, Rated<S>& b_bar) const {
    a_bar.value += (b.value * bar.value - (b.rate + 2.0 * a.value * rate) * bar.rate) / D;
    b_bar.value += (-a.value * bar.value + (a.rate - 2.0 * b.value * rate) * bar.rate) / D;
    a_bar.rate += b.value * bar.rate / D;
    b_bar.rate -= a.value * bar.rate / D;
  }
};

/// c = |a, b|, c_dot = (a a_dot + b b_dot) / c
template <class S>
struct RatedLength {
  Rated<S> a, b, c;

  RatedLength(const Rated<S>& first, const Rated<S>& second) : a(first), b(second) {
    using std::sqrt;
    c.value = sqrt(a.value * a.value + b.value * b.value);
    c.rate = (a.value * a.rate + b.value * b.rate) / c.value;
  }
  void pull_back(const Rated<S>& bar, Rated<S>& a_bar, Rated<S>& b_bar) const {
    const S on_value = (bar.value - c.rate * bar.rate / c.value) / c.value, on_rate = bar.rate / c.value;
    a_bar.value += on_value * a.value + on_rate * a.rate, a_bar.rate += on_rate * a.value;
    b_bar.value += on_value * b.value + on_rate * b.rate, b_bar.rate += on_rate * b.value;
  }
};

}  // namespace

template <class S>
struct MarkerAttitude<S>::State {
  typename ObservedPair<S>::State pair;

  Rated<S> entry(Entry i) const { return {pair.rows.c[i], pair.rows.c_dot[i]}; }
  RatedLength<S> cosine_of_pitch() const { return {entry(zy), entry(zz)}; }
  RatedAngle<S> roll() const { return {entry(zy), entry(zz)}; }
  RatedAngle<S> pitch() const {
    const Rated<S> row = entry(zx);
    return {{-row.value, -row.rate}, cosine_of_pitch().c};
  }
  RatedAngle<S> yaw() const { return {entry(yx), entry(xx)}; }
};

template <class S>
MarkerAttitude<S>::MarkerAttitude(const MultibodySystem<S>& system, const MarkerRef& marker,
                                  AttitudeKind kind)
    : pair_(system, entries_of(system, marker)), kind_(kind) {}

template <class S>
typename MarkerAttitude<S>::State MarkerAttitude<S>::state(const Instant& at) const {
  return {pair_.state(at)};
}

template <class S>
Rows<S> MarkerAttitude<S>::value(const Instant& at) const {
  const State now = state(at);
  if (kind_ == AttitudeKind::rates) return Vector3<S>(now.roll().rate, now.pitch().rate, now.yaw().rate);
  return Vector3<S>(now.roll().angle(), now.pitch().angle(), now.yaw().angle());
}

template <class S>
void MarkerAttitude<S>::add_partials(const Instant& at, const Rows<S>& z_bar, Bar& bar,
                                     Eigen::Ref<VectorX<S>> p_bar) const {
  const State now = state(at);
  const auto of = [&](Eigen::Index i) {
    return kind_ == AttitudeKind::angles ? Rated<S>{z_bar[i], S(0)} : Rated<S>{S(0), z_bar[i]};
  };
  std::array<Rated<S>, n_entries> entries_bar{};
  Rated<S> sine_bar{}, cosine_bar{};
  now.roll().pull_back(of(0), entries_bar[zy], entries_bar[zz]);
  now.pitch().pull_back(of(1), sine_bar, cosine_bar);
  now.cosine_of_pitch().pull_back(cosine_bar, entries_bar[zy], entries_bar[zz]);
  entries_bar[zx].value -= sine_bar.value, entries_bar[zx].rate -= sine_bar.rate;
  now.yaw().pull_back(of(2), entries_bar[yx], entries_bar[xx]);

  std::array<S, n_entries> on_value, on_rate;
  for (std::size_t i = 0; i < n_entries; ++i)
    on_value[i] = entries_bar[i].value, on_rate[i] = entries_bar[i].rate;
  pair_.add_partials(now.pair, on_value.data(), on_rate.data(), bar, p_bar);
}

template class MarkerAttitude<InstantiatedScalar>;

}  // namespace kurbel
