/// @file
/// Points and axes that bodies and beams carry, in natural coordinates.                    [P1, eqs 28, 36]
///
/// All coordinates are vectors q_k of R^3 in the inertial frame. What a rigid body with q = (r, e1, e2, e3)
/// carries is linear in them with numbers as weights: r + X e1 + Y e2 + Z e3 for the point (X, Y, Z) of its
/// frame. So every point, every axis, and every difference of two is a form
///
///     y(q) = y_0 + sum_k w_k q_k
///
/// whose weights, and whose constant, are numbers or parameters. Of some q_k only some of the parts x, y and z are
/// coordinates: in a planar mechanism x and y.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "base/types.hpp"

namespace kurbel {

/// The components x, y and z of a vector that are coordinates.
class Parts {
 public:
  constexpr Parts() = default;
  constexpr explicit Parts(const std::array<bool, 3>& free)
      : mask_((free[0] ? 1 : 0) + (free[1] ? 2 : 0) + (free[2] ? 4 : 0)) {}
  static constexpr Parts plane() { return Parts({true, true, false}); }

  constexpr int size() const { return (mask_ & 1) + (mask_ >> 1 & 1) + (mask_ >> 2); }
  constexpr bool has(int part) const { return (mask_ >> part & 1) != 0; }
  bool operator==(const Parts&) const = default;
  /// act(part, index), with the index of the part among those that are coordinates.
  template <class Action>
  void for_each(const Action& act) const {
    if (mask_ == 7) {
      act(0, 0), act(1, 1), act(2, 2);
    } else if (mask_ == 3) {
      act(0, 0), act(1, 1);
    } else {
      for (int part = 0, index = 0; part < 3; ++part) {
        if (has(part)) act(part, index++);
      }
    }
  }

 private:
  int mask_ = 7;
};

struct VectorForm {
  /// w_k = factor, or factor p[parameter].
  struct Term {
    Eigen::Index first;  ///< coordinate of q_k
    double factor = 1.0;
    Eigen::Index parameter = -1;
    Parts parts = {};  ///< of q_k

    int size() const { return parts.size(); }
    template <class S>
    S weight(const S* p) const {
      return parameter < 0 ? S(factor) : S(factor * p[parameter]);
    }
    /// q_k, with zero where it has no coordinate.
    template <class S, class Q>
    Vector3<S> of(const Q& q) const {
      Vector3<S> part = Vector3<S>::Zero();
      parts.for_each([&](int i, int index) { part[i] = q[first + index]; });
      return part;
    }
    /// q_k += y, where it has coordinates.
    template <class S, class Q>
    void add_to(Q& q, const Vector3<S>& y) const {
      parts.for_each([&](int i, int index) { q[first + index] += y[i]; });
    }
  };
  /// A share of y_0: factor times three parameters.
  struct Place {
    double factor;
    Eigen::Index parameter;
  };

  /// Another one: a parameter along a direction.
  struct Reach {
    Vector3d direction;
    Eigen::Index parameter;
  };

  std::vector<Term> terms{};
  Vector3d constant = Vector3d::Zero();
  std::vector<Place> places{};
  std::vector<Reach> reaches{};

  /// True if a parameter is a weight of the form.
  bool has_varied_weights() const {
    return std::ranges::any_of(terms, [](const Term& term) { return term.parameter >= 0; });
  }
  /// True if the form is some q_k of which these parts are coordinates, and no part is held.
  bool is_vector_of(Parts coordinates) const {
    return terms.size() == 1 && terms.front().factor == 1.0 && terms.front().parameter < 0 &&
           terms.front().parts == coordinates && constant.isZero(0.0) && places.empty() && reaches.empty();
  }
  bool has_parameters() const { return !places.empty() || !reaches.empty() || has_varied_weights(); }
  /// y(q).
  template <class S, class Q>
  Vector3<S> at(const S* p, const Q& q) const {
    Vector3<S> y = linear(p, q) + constant.template cast<S>();
    if (!places.empty() || !reaches.empty()) add_placed(p, y);
    return y;
  }
  /// y += what parameters alone are of y_0.
  template <class S>
  void add_placed(const S* p, Vector3<S>& y) const {
    for (const Place& place : places) y += place.factor * Eigen::Map<const Vector3<S>>(p + place.parameter);
    for (const Reach& reach : reaches) y += reach.direction.template cast<S>() * p[reach.parameter];
  }
  /// y(v) - y_0: what a rate, or a variation, of the coordinates makes of it.
  template <class S, class Q>
  Vector3<S> linear(const S* p, const Q& v) const {
    Vector3<S> y = Vector3<S>::Zero();
    for (const Term& term : terms) y += term.weight(p) * term.of<S>(v);
    return y;
  }
  /// p_bar += d(y_bar . (y(v) - y_0))/dp
  template <class S, class Q>
  void pull_back_linear(const Vector3<S>& y_bar, const Q& v, S* p_bar) const {
    for (const Term& term : terms) {
      if (term.parameter >= 0)
        p_bar[term.parameter] += term.factor * (y_bar.transpose() * term.of<S>(v)).value();
    }
  }
  /// p_bar += d(y_bar . y(q))/dp
  template <class S, class Q>
  void pull_back(const Vector3<S>& y_bar, const Q& q, S* p_bar) const {
    pull_back_linear(y_bar, q, p_bar);
    for (const Place& place : places) Eigen::Map<Vector3<S>>(p_bar + place.parameter) += place.factor * y_bar;
    for (const Reach& reach : reaches)
      p_bar[reach.parameter] += (reach.direction.template cast<S>().transpose() * y_bar).value();
  }
  /// q_bar += (dy/dq)^T y_bar
  template <class S, class Q>
  void add_transposed(const S* p, const Vector3<S>& y_bar, Q&& q_bar) const {
    for (const Term& term : terms) term.add_to<S>(q_bar, term.weight(p) * y_bar);
  }
};

/// act(i, j) with the indices of the parts that two vectors have in common among the coordinates of each.
template <class Action>
void for_common_parts(const VectorForm::Term& a, const VectorForm::Term& b, const Action& act) {
  a.parts.for_each([&](int of_a, int i) {
    b.parts.for_each([&](int of_b, int j) {
      if (of_a == of_b) act(i, j);
    });
  });
}

/// A direction that nothing turns.
inline VectorForm fixed_form(const Vector3d& y) {
  return {{}, y};
}

/// True if a form of a planar mechanism has no part in the plane z = 0, whatever the motion.
inline bool is_normal_to_plane(const VectorForm& form) {
  constexpr double rounding = 1e-15;  // of a quarter of a turn
  const auto is_normal = [](const Vector3d& y) { return y.head<2>().norm() <= rounding; };
  return form.terms.empty() && form.places.empty() && is_normal(form.constant) &&
         std::ranges::all_of(form.reaches, is_normal, &VectorForm::Reach::direction);
}

/// a += factor b
inline void add(double factor, const VectorForm& b, VectorForm& a) {
  a.constant += factor * b.constant;
  for (VectorForm::Term term : b.terms) {
    term.factor *= factor;
    a.terms.push_back(term);
  }
  for (const VectorForm::Place& place : b.places)
    a.places.push_back({factor * place.factor, place.parameter});
  for (const VectorForm::Reach& reach : b.reaches)
    a.reaches.push_back({factor * reach.direction, reach.parameter});
}

inline VectorForm operator-(const VectorForm& a, const VectorForm& b) {
  VectorForm d = a;
  add(-1.0, b, d);
  return d;
}

}  // namespace kurbel
