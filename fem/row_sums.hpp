/// @file
/// Inner products of nodal fields: sums over rows, of which a process may own a share. Rows meet here and in
/// row_chunks.hpp alone: a backend that distributes them has these sums to complete.
#pragma once

#include "base/types.hpp"

namespace kurbel::fem {

/// A^T B, by columns. A, B: n_rows x any.
template <class A, class B>
MatrixXd gram(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  return a.transpose() * b;
}

/// a_k^T b_k of every column k.
template <class A, class B>
VectorXd dots(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  return a.cwiseProduct(b).colwise().sum();
}

/// |a_k| of every column k.
template <class A>
VectorXd norms(const Eigen::MatrixBase<A>& a) {
  return a.colwise().norm();
}

}  // namespace kurbel::fem
