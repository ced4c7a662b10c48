/// @file
/// Points and axes that bodies and beams carry, in natural coordinates.                    [P1, eqs 28, 36]
///
/// All coordinates are vectors q_k of R^3 in the inertial frame. What a rigid body with q = (r, e1, e2, e3)
/// carries is linear in them with numbers as weights: r + X e1 + Y e2 + Z e3 for the point (X, Y, Z) of its
/// frame. So every point, every axis, and every difference of two is a form
///
///     y(q) = y_0 + sum_k w_k q_k
///
/// whose weights, and whose constant, are numbers or parameters.
#pragma once

#include <algorithm>
#include <vector>

#include "base/types.hpp"

namespace kurbel {

struct VectorForm {
  /// w_k = factor, or factor p[parameter].
  struct Term {
    int vector;
    double factor = 1.0;
    Eigen::Index parameter = -1;

    template <class S>
    S weight(const S* p) const {
      return parameter < 0 ? S(factor) : S(factor * p[parameter]);
    }
  };
  /// A share of y_0: factor times three parameters.
  struct Place {
    double factor;
    Eigen::Index parameter;
  };

  std::vector<Term> terms{};
  Vector3d constant = Vector3d::Zero();
  std::vector<Place> places{};

  bool has_parameters() const {
    return !places.empty() ||
           std::ranges::any_of(terms, [](const Term& term) { return term.parameter >= 0; });
  }
  /// y(q).
  template <class S, class Q>
  Vector3<S> at(const S* p, const Q& q) const {
    Vector3<S> y = linear(p, q) + constant.template cast<S>();
    for (const Place& place : places) y += place.factor * Eigen::Map<const Vector3<S>>(p + place.parameter);
    return y;
  }
  /// y(v) - y_0: what a rate, or a variation, of the coordinates makes of it.
  template <class S, class Q>
  Vector3<S> linear(const S* p, const Q& v) const {
    Vector3<S> y = Vector3<S>::Zero();
    for (const Term& term : terms) y += term.weight(p) * v.template segment<3>(3 * term.vector);
    return y;
  }
  /// p_bar += d(y_bar . (y(v) - y_0))/dp
  template <class S, class Q>
  void pull_back_linear(const Vector3<S>& y_bar, const Q& v, S* p_bar) const {
    for (const Term& term : terms) {
      if (term.parameter >= 0)
        p_bar[term.parameter] +=
            term.factor * (y_bar.transpose() * v.template segment<3>(3 * term.vector)).value();
    }
  }
  /// p_bar += d(y_bar . y(q))/dp
  template <class S, class Q>
  void pull_back(const Vector3<S>& y_bar, const Q& q, S* p_bar) const {
    pull_back_linear(y_bar, q, p_bar);
    for (const Place& place : places) Eigen::Map<Vector3<S>>(p_bar + place.parameter) += place.factor * y_bar;
  }
  /// q_bar += (dy/dq)^T y_bar
  template <class S, class Q>
  void add_transposed(const S* p, const Vector3<S>& y_bar, Q&& q_bar) const {
    for (const Term& term : terms) q_bar.template segment<3>(3 * term.vector) += term.weight(p) * y_bar;
  }
};

/// A vector of the coordinates itself.
inline VectorForm form_of(int vector) {
  return {{{vector}}};
}

/// A direction that nothing turns.
inline VectorForm fixed_form(const Vector3d& y) {
  return {{}, y};
}

inline VectorForm operator-(const VectorForm& a, const VectorForm& b) {
  VectorForm d = a;
  d.constant -= b.constant;
  for (VectorForm::Term term : b.terms) {
    term.factor = -term.factor;
    d.terms.push_back(term);
  }
  for (const VectorForm::Place& place : b.places) d.places.push_back({-place.factor, place.parameter});
  return d;
}

}  // namespace kurbel
