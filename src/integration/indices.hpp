/// @file
/// Rows and columns of a matrix by their indices, without the copies of these that Eigen's views keep: nothing is
/// allocated where the memory has the size already.
#pragma once

#include <Eigen/LU>
#include <vector>

#include "integration/retraction_block.hpp"

namespace kurbel {

using Indices = std::vector<Eigen::Index>;

template <class In, class Matrix>
void gather(const In& in, const Indices& rows, const Indices& columns, Matrix& out) {
  out.resize(std::ssize(rows), std::ssize(columns));
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      out(Eigen::Index(i), Eigen::Index(j)) = in(rows[i], columns[j]);
  }
}

template <class In, class Matrix>
void gather_rows(const In& in, const Indices& rows, Matrix& out) {
  out.resize(std::ssize(rows), in.cols());
  for (Eigen::Index j = 0; j < in.cols(); ++j) {
    for (std::size_t i = 0; i < rows.size(); ++i) out(Eigen::Index(i), j) = in(rows[i], j);
  }
}

/// Copies of rows and of columns, which take memory of their own.
template <class Matrix>
Matrix rows_of(const Matrix& in, const Indices& rows) {
  Matrix out;
  gather_rows(in, rows, out);
  return out;
}
template <class Matrix>
Matrix columns_of(const Matrix& in, const Indices& columns) {
  Matrix out(in.rows(), std::ssize(columns));
  for (std::size_t j = 0; j < columns.size(); ++j) out.col(Eigen::Index(j)) = in.col(columns[j]);
  return out;
}

/// Rows of out += factor in
template <class Matrix, class Out>
void add_to_rows(double factor, const Matrix& in, const Indices& rows, Out&& out) {
  for (Eigen::Index j = 0; j < in.cols(); ++j) {
    for (std::size_t i = 0; i < rows.size(); ++i) out(rows[i], j) += factor * in(Eigen::Index(i), j);
  }
}

/// x <- (L U)^-1 x, or its transpose, for one column. Written out, as Eigen's substitution prepares blocks of columns, which
/// takes longer than small systems themselves.
template <class Matrix, class Vector>
void substitute(const Matrix& LU, Vector&& x) {
  const Eigen::Index n = x.size();
  for (Eigen::Index j = 0; j < n; ++j) {
    const auto x_j = x[j];
    for (Eigen::Index i = j + 1; i < n; ++i) x[i] -= LU(i, j) * x_j;
  }
  for (Eigen::Index j = n; j-- > 0;) {
    const auto x_j = x[j] /= LU(j, j);
    for (Eigen::Index i = 0; i < j; ++i) x[i] -= LU(i, j) * x_j;
  }
}
template <class Matrix, class Vector>
void substitute_transposed(const Matrix& LU, Vector&& x) {
  const Eigen::Index n = x.size();
  const auto known = [&](Eigen::Index first, Eigen::Index j, Eigen::Index size) {
    return (LU.col(j).segment(first, size).transpose() * x.segment(first, size)).value();
  };
  for (Eigen::Index j = 0; j < n; ++j) x[j] = (x[j] - known(0, j, j)) / LU(j, j);
  for (Eigen::Index j = n; j-- > 0;) x[j] -= known(j + 1, j, n - 1 - j);
}

/// x <- A^-1 x
/// @param scratch  of the same size
template <class Matrix>
void solve_in_place(const Eigen::PartialPivLU<Matrix>& lu, Matrix& x, Matrix& scratch) {
  const auto& order = lu.permutationP().indices();
  scratch.resize(x.rows(), x.cols());
  for (Eigen::Index i = 0; i < x.rows(); ++i) scratch.row(order[i]) = x.row(i);
  x.swap(scratch);
  if (x.cols() == 1) return substitute(lu.matrixLU(), x.col(0));
  lu.matrixLU().template triangularView<Eigen::UnitLower>().solveInPlace(x);
  lu.matrixLU().template triangularView<Eigen::Upper>().solveInPlace(x);
}

/// x <- A^-T x
/// @param scratch  of the same size
template <class Matrix>
void solve_transposed(const Eigen::PartialPivLU<Matrix>& lu, Matrix& x, Matrix& scratch) {
  if (x.cols() == 1) {
    substitute_transposed(lu.matrixLU(), x.col(0));
  } else {
    lu.matrixLU().template triangularView<Eigen::Upper>().transpose().solveInPlace(x);
    lu.matrixLU().template triangularView<Eigen::UnitLower>().transpose().solveInPlace(x);
  }
  const auto& order = lu.permutationP().indices();
  scratch.resize(x.rows(), x.cols());
  for (Eigen::Index i = 0; i < x.rows(); ++i) scratch.row(i) = x.row(order[i]);
  x.swap(scratch);
}

/// out <- T x, or Ad x, or their transposes times x; coordinates without a block stay.
template <class S>
void turn(const std::vector<RetractionBlock<S>>& blocks, const MatrixX<S>& x,
          typename RetractionBlock<S>::Derivative RetractionBlock<S>::*derivative, bool transposed,
          MatrixX<S>& out) {
  out = x;
  for (const RetractionBlock<S>& block : blocks) {
    auto rows = out.middleRows(block.offset, block.size());
    const auto in = x.middleRows(block.offset, block.size());
    const auto& D = block.*derivative;
    if (transposed) {
      rows.noalias() = D.transpose() * in;
    } else {
      rows.noalias() = D * in;
    }
  }
}

}  // namespace kurbel
