/// @file
/// Numbers of the start in the constraints of a cable's weld; they follow the start where that varies.
///
/// At something with axes a_k, two directions normal to the tangent t, as these axes see it:                  [P1, eq. 42]
///
///     m_k = a_k . t     n1 = m x e / |m x e|     n2 = m x n1     c_i = sum_k n_ik a_k . t
///
/// A weld of two cables keeps the cosine m of their tangents, c = t_1 . t_2 - m.
#pragma once

#include "integration/lie_group.hpp"
#include "natural_coordinates/product_row.hpp"

namespace kurbel {

struct CableWeld {
  VectorForm tangent;
  std::vector<VectorForm> axes;  ///< a_k, or the other tangent alone
  Eigen::Index first;            ///< index of n1 and n2, or of (m, 0, 0), among the extended parameters
  int least = 0;                 ///< of m, the axis e along which it has least

  bool keeps_directions() const { return axes.size() == 3; }
  Eigen::Index n_numbers() const { return keeps_directions() ? 6 : 3; }
  std::vector<ProductRow> rows() const;

  /// m, of vectors as they are at the start.
  template <class S>
  VectorX<S> products(const S* p, const VectorX<S>& x) const {
    VectorX<S> m(std::ssize(axes));
    for (Eigen::Index k = 0; k < m.size(); ++k) m[k] = dot(axis<S>(k, p, x), tangent.at<S>(p, x));
    return m;
  }
  /// x_bar += dm_k/dx
  template <class S>
  void add_gradient(Eigen::Index k, const S* p, const VectorX<S>& x, VectorX<S>& x_bar) const {
    axes[static_cast<std::size_t>(k)].add_transposed(p, tangent.at<S>(p, x), x_bar);
    tangent.add_transposed(p, axis<S>(k, p, x), x_bar);
  }
  /// The numbers of m.
  template <class S>
  VectorX<S> numbers(const VectorX<S>& m) const {
    VectorX<S> all = VectorX<S>::Zero(n_numbers());
    if (keeps_directions()) {
      const Vector3<S> n1 = across<S>(m) / length<S>(across<S>(m));
      all << n1, cross(m, n1);
    } else {
      all[0] = m[0];
    }
    return all;
  }
  /// Their variation with m.
  template <class S>
  VectorX<S> variation(const VectorX<S>& m, const VectorX<S>& m_dot) const {
    VectorX<S> all = VectorX<S>::Zero(n_numbers());
    if (keeps_directions()) {
      const S size = length<S>(across<S>(m));
      const Vector3<S> n1 = across<S>(m) / size, across_dot = across<S>(m_dot),
                       n1_dot = (across_dot - n1 * dot(n1, across_dot)) / size;
      all << n1_dot, cross(m_dot, n1) + cross(m, n1_dot);
    } else {
      all[0] = m_dot[0];
    }
    return all;
  }

 private:
  template <class S>
  Vector3<S> axis(Eigen::Index k, const S* p, const VectorX<S>& x) const {
    return axes[static_cast<std::size_t>(k)].at<S>(p, x);
  }
  template <class S>
  Vector3<S> across(const VectorX<S>& m) const {
    return cross(m, Vector3<S>(Vector3<S>::Unit(least)));
  }
  template <class S>
  static S length(const Vector3<S>& a) {
    using std::sqrt;
    return sqrt(dot(a, a));
  }
};

/// sum_k p[first + k] a_k
inline VectorForm combination(const std::vector<VectorForm>& axes, Eigen::Index first) {
  VectorForm sum;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const Eigen::Index parameter = first + static_cast<Eigen::Index>(k);
    for (VectorForm::Term term : axes[k].terms) {
      term.parameter = parameter;
      sum.terms.push_back(term);
    }
    if (!axes[k].constant.isZero(0.0)) sum.reaches.push_back({axes[k].constant, parameter});
  }
  return sum;
}

inline std::vector<ProductRow> CableWeld::rows() const {
  if (keeps_directions())
    return {{{{1.0, combination(axes, first), tangent}}}, {{{1.0, combination(axes, first + 3), tangent}}}};
  VectorForm cosine;
  cosine.places.push_back({1.0, first});
  return {{{{1.0, tangent, axes.front()}, {-1.0, fixed_form(Vector3d::UnitX()), cosine}}}};
}

}  // namespace kurbel
