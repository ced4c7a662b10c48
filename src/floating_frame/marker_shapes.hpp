/// @file
/// Shapes of a marker whose displacement is of second order, u = R + Phi q + q^T Gamma q / 2.
///
/// Block l of Phi1 (3 x n_q) holds Gamma_kl in column k. The parameters count as independent, so that Gamma
/// is symmetrised where it acts: with B(a, b) = sum_l Gamma_l a b_l,
///
///     u = R + Phi q + B(q, q) / 2,   Phi at q = Phi + (B(., q) + B(q, .)) / 2 = du/dq
#pragma once

#include "floating_frame/parameters.hpp"

namespace kurbel {

template <class S>
using ShapesMap = Eigen::Map<const Eigen::Matrix<S, 3, Eigen::Dynamic>>;

/// Block l of Phi1, 3 x n_q; also of its bar.
template <class S>
auto second_order_block(const MarkerLayout& layout, S* p, Eigen::Index l) {
  using Block =
      std::conditional_t<std::is_const_v<S>, const Eigen::Matrix<std::remove_const_t<S>, 3, Eigen::Dynamic>,
                         Eigen::Matrix<S, 3, Eigen::Dynamic>>;
  const Eigen::Index n = layout.Phi1.cols;
  return Eigen::Map<Block>(p + layout.Phi1.offset + 3 * n * l, 3, n);
}

/// B(a, b).
template <class S, class A, class B>
Vector3<S> second_order_product(const MarkerLayout& layout, const S* p, const A& a, const B& b) {
  Vector3<S> sum = Vector3<S>::Zero();
  for (Eigen::Index l = 0; l < layout.Phi1.cols; ++l) sum += second_order_block(layout, p, l) * a * b[l];
  return sum;
}

/// Column l of (B(., a) + B(a, .)) / 2.
template <class S, class A>
Vector3<S> second_order_column(const MarkerLayout& layout, const S* p, const A& a, Eigen::Index l) {
  Vector3<S> sum = second_order_block(layout, p, l) * a;
  for (Eigen::Index m = 0; m < layout.Phi1.cols; ++m) sum += second_order_block(layout, p, m).col(l) * a[m];
  return 0.5 * sum;
}

/// out += factor (Phi at q)^T F.        (n_q)
template <class S, class Q, class Out>
void add_shapes_transposed(const MarkerLayout& layout, const S* p, const Q& q, const Vector3<S>& F,
                           double factor, Out&& out) {
  out.noalias() += factor * (view<3>(layout.Phi, p).transpose() * F);
  if (!layout.second_order()) return;
  for (Eigen::Index l = 0; l < layout.Phi1.cols; ++l)
    out[l] += factor * (second_order_column(layout, p, q, l).transpose() * F).value();
}

/// K += factor * sum_d F_d Gamma_kl,d, symmetrised: the derivative of (Phi at q)^T F by q.    (n_q square)
template <class S, class Block>
void add_second_order_stiffness(const MarkerLayout& layout, const S* p, const Vector3<S>& F, double factor,
                                Block&& K) {
  for (Eigen::Index l = 0; l < layout.Phi1.cols; ++l) {
    const auto Gamma = second_order_block(layout, p, l);
    K.col(l).noalias() += (0.5 * factor) * (Gamma.transpose() * F);
    K.row(l).noalias() += (0.5 * factor) * (F.transpose() * Gamma);
  }
}

/// Adds the transpose of B(a, b) by Phi1, times `factor`.
template <class S, class A, class B>
void add_second_order_bar(const MarkerLayout& layout, const Vector3<S>& bar, const A& a, const B& b,
                          double factor, S* p_bar) {
  for (Eigen::Index l = 0; l < layout.Phi1.cols; ++l) {
    const Vector3<S> part = (factor * b[l]) * bar;
    second_order_block(layout, p_bar, l).noalias() += part * a.transpose();
  }
}

}  // namespace kurbel
