/// @file
/// One instant of a motion, and its place in a column of a trajectory.
#pragma once

#include "base/types.hpp"
#include "integration/one_sided_time.hpp"

namespace kurbel {

/// A state with its accelerations and multipliers; views into the caller's vectors.
template <class Scalar>
struct DaeInstant {
  using Segment = Eigen::Ref<const VectorX<Scalar>>;
  OneSidedTime t;  ///< s
  Segment x;       ///< n_x
  Segment v;       ///< n_v
  Segment v_dot;   ///< n_v, or 0 where the equations are of first order
  Segment lambda;  ///< n_c
};

/// Offsets of the parts of y and of its tangent: y = (x, v, w, a, lambda) of generalized-alpha, y = (x, v, w,
/// lambda) of Matrix R, y = (x, v) of one-step methods for x_dot = v, v_dot = f(t, x, v); y = (x, v, x_mid, v_mid,
/// w, lambda) of the variational step, with w and lambda of the middle of the step that ends at the instant.
struct DaeStateLayout {
  Eigen::Index n_x = 0, n_v = 0, n_c = 0;
  int n_accelerations = 2;    ///< vectors of them, v_dot = w the first one
  bool has_middle = false;    ///< whether y holds x_mid and v_mid
  double middle_share = 0.5;  ///< of the step that lies before its middle

  Eigen::Index n_v_dot() const { return n_accelerations > 0 ? n_v : 0; }
  Eigen::Index n_state() const { return accelerations_begin() + n_accelerations * n_v + n_c; }
  Eigen::Index n_tangent() const { return tangent_accelerations_begin() + n_accelerations * n_v + n_c; }
  /// Index of w in y, and in a tangent.
  Eigen::Index accelerations_begin() const { return (has_middle ? 2 : 1) * (n_x + n_v); }
  Eigen::Index tangent_accelerations_begin() const { return (has_middle ? 4 : 2) * n_v; }

  // Parts of a y; of a tangent those of x are n_v.
  template <class Y>
  auto x(Y&& y) const {
    return y.head(n_x);
  }
  template <class Y>
  auto v(Y&& y) const {
    return y.segment(n_x, n_v);
  }
  /// v_dot
  template <class Y>
  auto w(Y&& y) const {
    return y.segment(accelerations_begin(), n_v);
  }
  /// The algorithmic accelerations of generalized-alpha.
  template <class Y>
  auto a(Y&& y) const {
    return y.segment(accelerations_begin() + n_v, n_v);
  }
  /// The middle of the variational step.
  template <class Y>
  auto x_mid(Y&& y) const {
    return y.segment(n_x + n_v, n_x);
  }
  template <class Y>
  auto v_mid(Y&& y) const {
    return y.segment(2 * n_x + n_v, n_v);
  }
  template <class Y>
  auto lambda(Y&& y) const {
    return y.tail(n_c);
  }

  /// The instant that a column of a trajectory holds.
  template <class Scalar>
  DaeInstant<Scalar> instant(const OneSidedTime& t, const Eigen::Ref<const VectorX<Scalar>>& y) const {
    return {t, y.head(n_x), y.segment(n_x, n_v), y.segment(accelerations_begin(), n_v_dot()), y.tail(n_c)};
  }

  /// The middle of the step that ends at t, where forces, w and lambda balance; instant() without middles.
  /// @param h  length of that step, 0 at the start of the motion
  template <class Scalar>
  DaeInstant<Scalar> middle(double t, const Eigen::Ref<const VectorX<Scalar>>& y, double h) const {
    if (!has_middle) return instant<Scalar>(t, y);
    return {t - (1.0 - middle_share) * h, y.segment(n_x + n_v, n_x), y.segment(2 * n_x + n_v, n_v),
            y.segment(accelerations_begin(), n_v_dot()), y.tail(n_c)};
  }
};

/// The part of a step at which it is observed: its end, or its middle if it has one.
enum class PartOfStep { end, middle };

/// Parts of a y_bar, for criteria to add to.
template <class Scalar>
struct DaeInstantBar {
  using Segment = Eigen::Ref<VectorX<Scalar>>;
  Segment x, v, v_dot, lambda;
  /// @param part  as that of the instant, of DaeStateLayout::instant() or middle()
  DaeInstantBar(const DaeStateLayout& s, Eigen::Ref<VectorX<Scalar>> y_bar, PartOfStep part = PartOfStep::end)
      : x(y_bar.segment(begin(s, part), s.n_v)),
        v(y_bar.segment(begin(s, part) + s.n_v, s.n_v)),
        v_dot(y_bar.segment(s.tangent_accelerations_begin(), s.n_v_dot())),
        lambda(y_bar.tail(s.n_c)) {}

 private:
  static Eigen::Index begin(const DaeStateLayout& s, PartOfStep part) {
    return part == PartOfStep::middle && s.has_middle ? 2 * s.n_v : 0;
  }
};

}  // namespace kurbel
