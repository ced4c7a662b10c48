/// @file
/// Moments of a displacement Phi q + q^T Gamma q / 2 that is of second order in q.
///
/// Ct1 and Cr1 hold one column per q_l: the column-major entries of an n_q x 3 matrix whose row k is the
/// moment of Gamma_kl. With Ct1_kl symmetric in (k, l),
///
///     mc = mdCM0 + mdCM1 q + q^T Ct1 q / 2,     d mc / d q_k = Ct at q, row k.
#pragma once

#include "floating_frame/parameters.hpp"

namespace kurbel {

/// sum_kl row k of block l, times a_k b_l: a moment of Gamma on two vectors of elastic coordinates.
template <class S, class A, class B>
Vector3<S> twice_contracted(const ParameterBlock& block, const S* p, const A& a, const B& b) {
  const Eigen::Index n = block.cols;
  Vector3<S> sum = Vector3<S>::Zero();
  for (Eigen::Index l = 0; l < n; ++l) {
    const Eigen::Map<const MatrixX<S>> moment(p + block.offset + 3 * n * l, n, 3);
    for (int d = 0; d < 3; ++d) sum[d] += (moment.col(d).transpose() * a).value() * b[l];
  }
  return sum;
}

/// d twice_contracted(a, a) / d a_l.
template <class S, class A>
Vector3<S> contraction_derivative(const ParameterBlock& block, const S* p, const A& a, Eigen::Index l) {
  const Eigen::Index n = block.cols;
  const Eigen::Map<const MatrixX<S>> own(p + block.offset + 3 * n * l, n, 3);
  Vector3<S> sum = own.transpose() * a;
  for (Eigen::Index m = 0; m < n; ++m) {
    const Eigen::Map<const MatrixX<S>> other(p + block.offset + 3 * n * m, n, 3);
    for (int d = 0; d < 3; ++d) sum[d] += other(l, d) * a[m];
  }
  return sum;
}

/// mc += q^T Ct1 q / 2.
template <class S, class Q>
void add_second_order_moment(const BodyLayout& b, const S* p, const Q& q, Vector3<S>& mc) {
  if (b.second_order()) mc += 0.5 * twice_contracted<S>(b.Ct1, p, q, q);
}

/// d mc / d q, 3 x n_q.
template <class S, class Q>
void moment_derivative(const BodyLayout& b, const S* p, const Q& q, MatrixX<S>& dmc) {
  dmc = view<3>(b.mdCM1, p);
  if (!b.second_order()) return;
  for (Eigen::Index l = 0; l < b.n_q; ++l) dmc.col(l) += 0.5 * contraction_derivative<S>(b.Ct1, p, q, l);
}

}  // namespace kurbel
