/// @file
/// What a function of the motion sees of one instant, and where it stands in a column of a trajectory.
#pragma once

#include "base/types.hpp"

namespace kurbel {

/// A state with its accelerations and multipliers; views into the caller's vectors.
template <class Scalar>
struct DaeInstant {
  using Segment = Eigen::Ref<const VectorX<Scalar>>;
  double t;        ///< s
  Segment x;       ///< n_x
  Segment v;       ///< n_v
  Segment v_dot;   ///< n_v, or 0 where the equations are of first order
  Segment lambda;  ///< n_c
};

/// Where the parts of y and of its tangent stand: y = (x, v, w, a, lambda) of generalized-alpha, y = (x, v, w,
/// lambda) of Matrix R, y = (x, v) of one-step methods for x_dot = v, v_dot = f(t, x, v).
struct DaeStateLayout {
  Eigen::Index n_x = 0, n_v = 0, n_c = 0;
  int n_accelerations = 2;  ///< vectors of them, v_dot = w the first one

  Eigen::Index n_v_dot() const { return n_accelerations > 0 ? n_v : 0; }
  Eigen::Index n_state() const { return n_x + (1 + n_accelerations) * n_v + n_c; }
  Eigen::Index n_tangent() const { return (2 + n_accelerations) * n_v + n_c; }

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
    return y.segment(n_x + n_v, n_v);
  }
  /// Of generalized-alpha.
  template <class Y>
  auto a(Y&& y) const {
    return y.segment(n_x + 2 * n_v, n_v);
  }
  template <class Y>
  auto lambda(Y&& y) const {
    return y.tail(n_c);
  }

  /// The instant that a column of a trajectory holds.
  template <class Scalar>
  DaeInstant<Scalar> instant(double t, const Eigen::Ref<const VectorX<Scalar>>& y) const {
    return {t, y.head(n_x), y.segment(n_x, n_v), y.segment(n_x + n_v, n_v_dot()), y.tail(n_c)};
  }
};

/// Parts of a y_bar, for criteria to add to.
template <class Scalar>
struct DaeInstantBar {
  using Segment = Eigen::Ref<VectorX<Scalar>>;
  Segment x, v, v_dot, lambda;
  DaeInstantBar(const DaeStateLayout& s, Eigen::Ref<VectorX<Scalar>> y_bar)
      : x(y_bar.head(s.n_v)),
        v(y_bar.segment(s.n_v, s.n_v)),
        v_dot(y_bar.segment(2 * s.n_v, s.n_v_dot())),
        lambda(y_bar.tail(s.n_c)) {}
};

}  // namespace kurbel
