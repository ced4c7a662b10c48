/// @file
/// Stops of joints: one-sided, smooth, and exactly nothing between the limits.
///
/// A degree of freedom s of a joint, a displacement along an axis of "to" or the angle of a hinge, that is beyond a
/// limit by delta = s - upper, or delta = lower - s, is pushed back by
///
///     f = k h(delta) + d h'(delta) delta_dot
///     h = 0,  delta < 0;    delta^3 / w^2 - delta^4 / (2 w^3),  delta < w;    delta - w / 2  from there on
///     V = k int h ddelta
///
/// h' is the smooth step from 0 to 1 over the smoothing w: f has a continuous derivative by s, the stiffness is k from w
/// on, and the damping sets in with it.
#pragma once

#include "mechanism/pair_law.hpp"
#include "mechanism/scalar_coordinate.hpp"
#include "mechanism/system_spec.hpp"

namespace kurbel {

/// The angle about which that of a hinge is taken: the middle of the limits, or the only one. Half a turn from it the
/// torque jumps.
inline double middle_of_limits(double lower, double upper) {
  if (std::isinf(lower)) return std::isinf(upper) ? 0.0 : upper;
  return std::isinf(upper) ? lower : 0.5 * (lower + upper);
}

/// h with its first two derivatives and its integral.
template <class S>
struct StopRamp {
  S h = S(0), h1 = S(0), h2 = S(0), integral = S(0);

  StopRamp(const S& delta, double w) {
    if (real_part(delta) <= 0.0) return;
    if (real_part(delta) < w) {
      const S r = delta / w;
      h = w * r * r * r * (1.0 - 0.5 * r);
      h1 = r * r * (3.0 - 2.0 * r);
      h2 = 6.0 * r * (1.0 - r) / w;
      integral = w * w * r * r * r * r * (0.25 - 0.1 * r);
    } else {
      h = delta - 0.5 * w;
      h1 = S(1);
      integral = 0.5 * (h * h - 0.25 * w * w) + 0.15 * w * w;
    }
  }
};

/// xi: k, d, lower, upper.
template <class S>
class StopLaw final : public PairLaw<S> {
 public:
  using typename PairLaw<S>::Segment;

  explicit StopLaw(const StopSpec& spec) : dof_(spec.dof), w_(spec.smoothing) {}

  std::vector<PairRow> rows() const override {
    using Kind = PairRow::Kind;
    if (!is_rotation(dof_)) return {{Kind::translation, static_cast<int>(dof_)}};
    return {{Kind::direction_cosine, 0, 0}, {Kind::direction_cosine, 1, 0}};
  }
  Eigen::Index n_xi() const override { return 4; }

  PairForces<S> forces(const Segment& c, const Segment& c_dot, const Segment& xi) const override {
    const Eigen::Index n = c.size();
    const ScalarCoordinate<S> s = coordinate(c, xi);
    S rate(0), rate_c[2] = {S(0), S(0)};
    for (Eigen::Index i = 0; i < n; ++i) {
      rate += s.d1[i] * c_dot[i];
      for (Eigen::Index j = 0; j < n; ++j) rate_c[i] += s.d2[i][j] * c_dot[j];
    }
    const StopRamp<S> below(xi[2] - s.s, w_), above(s.s - xi[3], w_);
    const S &k = xi[0], &d = xi[1];
    const S f = k * (above.h - below.h) + d * (above.h1 + below.h1) * rate;
    const S by_below = k * below.h1 - d * below.h2 * rate, by_above = k * above.h1 + d * above.h2 * rate;
    const S f_s = by_below + by_above, f_rate = d * (above.h1 + below.h1);
    PairForces<S> out(n, 4);
    for (Eigen::Index i = 0; i < n; ++i) {
      out.W[i] = f * s.d1[i];
      out.W_xi.row(i) << (above.h - below.h) * s.d1[i], (above.h1 + below.h1) * rate * s.d1[i],
          -by_below * s.d1[i], -by_above * s.d1[i];
      for (Eigen::Index j = 0; j < n; ++j) {
        out.W_c(i, j) = f * s.d2[i][j] + s.d1[i] * (f_s * s.d1[j] + f_rate * rate_c[j]);
        out.W_cdot(i, j) = f_rate * s.d1[i] * s.d1[j];
      }
    }
    return out;
  }
  S energy(const Segment& c, const Segment& xi) const override {
    const S s = coordinate(c, xi).s;
    return xi[0] * (StopRamp<S>(xi[2] - s, w_).integral + StopRamp<S>(s - xi[3], w_).integral);
  }
  void add_energy_partials(const Segment& c, const Segment& xi, double weight,
                           Eigen::Ref<VectorX<S>> xi_bar) const override {
    const S s = coordinate(c, xi).s;
    const StopRamp<S> below(xi[2] - s, w_), above(s - xi[3], w_);
    xi_bar[0] += weight * (below.integral + above.integral);
    xi_bar[2] += weight * xi[0] * below.h;
    xi_bar[3] -= weight * xi[0] * above.h;
  }

 private:
  ScalarCoordinate<S> coordinate(const Segment& c, const Segment& xi) const {
    if (is_rotation(dof_))
      return angle_coordinate<S>(c[0], c[1], middle_of_limits(real_part(xi[2]), real_part(xi[3])));
    ScalarCoordinate<S> s{c[0]};
    s.d1[0] = S(1);
    return s;
  }
  RelativeDof dof_;
  double w_;
};

inline const char* word_of(const StopSpec&) {
  return "stop";
}

template <class S>
std::shared_ptr<const PairLaw<S>> law_of(const StopSpec& stop) {
  return std::make_shared<StopLaw<S>>(stop);
}

}  // namespace kurbel
