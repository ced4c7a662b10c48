/// @file
/// Constraints in natural coordinates: sums of products of what bodies and beams carry.      [P1, eqs 38, 41, 42]
///
///     c = w (sum_i f_i a_i(q) . b_i(q) - target) - s(t)
///
/// Both factors move, or one is a fixed axis. So a constraint is quadratic in q at most: its gradient is linear,
/// and its second derivative constant. w is 1, or of a rod 1 / L beside the target L^2 / 2, so that its multiplier
/// is the force in the rod.
#pragma once

#include <optional>

#include "natural_coordinates/row_motion.hpp"
#include "natural_coordinates/vector_form.hpp"

namespace kurbel {

struct ProductTerm {
  double factor;
  VectorForm a, b;
};

struct ProductRow {
  std::vector<ProductTerm> products;
  double target = 0.0;
  Eigen::Index length = -1;           ///< L among the parameters, of a rod
  std::optional<RowMotion> motion{};  ///< s; none is zero

  template <class S>
  S weight(const S* p) const {
    return length < 0 ? S(1) : S(1.0 / p[length]);
  }

  /// c
  template <class S, class Q>
  S value(double t, const S* p, const Q& q) const {
    S sum(-target);
    for (const ProductTerm& i : products)
      sum += i.factor * dot(i.a.template at<S>(p, q), i.b.template at<S>(p, q));
    S c = weight(p) * sum;
    if (length >= 0) c -= 0.5 * p[length];
    if (motion) c -= motion->at(t, p).value;
    return c;
  }

  /// s and its rates.
  template <class S>
  TimeValueOf<S> motion_at(double t, const S* p) const {
    return motion ? motion->at(t, p) : TimeValueOf<S>{};
  }
  /// p_bar += d(w0 c + w1 c_dot + w2 c_ddot)/dp by s alone
  template <class S>
  void pull_back_motion(double t, const S* p, const S& w0, const S& w1, const S& w2, S* p_bar) const {
    if (motion) motion->pull_back(t, p, {-w0, -w1, -w2}, p_bar);
  }

  /// act(term, dc/dq_k) with a term of the vector q_k, perhaps several times for a vector.
  template <class S, class Q, class Action>
  void gradient(const S* p, const Q& q, const Action& act) const {
    const S w = weight(p);
    for (const ProductTerm& i : products) {
      const Vector3<S> a = (i.factor * w) * i.a.template at<S>(p, q),
                       b = (i.factor * w) * i.b.template at<S>(p, q);
      for (const VectorForm::Term& term : i.a.terms) act(term, Vector3<S>(term.weight(p) * b));
      for (const VectorForm::Term& term : i.b.terms) act(term, Vector3<S>(term.weight(p) * a));
    }
  }

  /// act(a, b, h) with terms of q_j and q_k: d2c/dq_j dq_k = h I, in both orders, perhaps several times for a pair.
  template <class S, class Action>
  void second_derivative(const S* p, const Action& act) const {
    const S w = weight(p);
    for (const ProductTerm& i : products) {
      for (const VectorForm::Term& a : i.a.terms) {
        for (const VectorForm::Term& b : i.b.terms) {
          const S h = i.factor * w * a.weight(p) * b.weight(p);
          act(a, b, h), act(b, a, h);
        }
      }
    }
  }

  /// Without s, p_bar += d(mu c + alpha (dc/dq) . u + beta v^T (d2c/dq2) v)/dp
  template <class S, class Q, class U, class V>
  void pull_back(const S* p, const S& mu, const Q& q, const S& alpha, const U& u, const S& beta, const V& v,
                 S* p_bar) const {
    if (mu == S(0) && alpha == S(0) && beta == S(0)) return;
    const S scale = weight(p);
    for (const ProductTerm& i : products) {
      const S f = i.factor * scale;
      if (i.a.has_parameters()) pull_back_factor(p, i.a, i.b, f, mu, q, alpha, u, beta, v, p_bar);
      if (i.b.has_parameters()) pull_back_factor(p, i.b, i.a, f, mu, q, alpha, u, beta, v, p_bar);
    }
    if (length < 0) return;
    S sum(-mu * target);
    for (const ProductTerm& i : products) {
      const Vector3<S> a = i.a.template at<S>(p, q), b = i.b.template at<S>(p, q),
                       a_u = i.a.template linear<S>(p, u), b_u = i.b.template linear<S>(p, u),
                       a_v = i.a.template linear<S>(p, v), b_v = i.b.template linear<S>(p, v);
      sum += i.factor * (mu * dot(a, b) + alpha * (dot(a, b_u) + dot(a_u, b)) + 2.0 * beta * dot(a_v, b_v));
    }
    p_bar[length] -= scale * scale * sum + 0.5 * mu;
  }

 private:
  /// pull_back() by the parameters of `a`, a factor of f a . b.
  template <class S, class Q, class U, class V>
  static void pull_back_factor(const S* p, const VectorForm& a, const VectorForm& b, const S& f, const S& mu,
                               const Q& q, const S& alpha, const U& u, const S& beta, const V& v, S* p_bar) {
    const Vector3<S> at_q = b.template at<S>(p, q);
    a.pull_back(Vector3<S>(f * (mu * at_q + alpha * b.template linear<S>(p, u))), q, p_bar);
    if (alpha != S(0)) a.pull_back_linear(Vector3<S>(alpha * f * at_q), u, p_bar);
    if (beta != S(0)) a.pull_back_linear(Vector3<S>(2.0 * beta * f * b.template linear<S>(p, v)), v, p_bar);
  }
  /// Without complex conjugation.
  template <class S>
  static S dot(const Vector3<S>& a, const Vector3<S>& b) {
    return (a.transpose() * b).value();
  }
};

}  // namespace kurbel
