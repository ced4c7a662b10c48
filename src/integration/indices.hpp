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

/// act(x), or of its one column: known as such, that is not packed into blocks.
template <class Matrix, class Action>
void with_columns(Matrix& x, const Action& act) {
  if (x.cols() == 1) {
    act(x.col(0));
  } else {
    act(x);
  }
}

/// x <- A^-1 x
/// @param scratch  of the same size
template <class Matrix>
void solve_in_place(const Eigen::PartialPivLU<Matrix>& lu, Matrix& x, Matrix& scratch) {
  const auto& order = lu.permutationP().indices();
  scratch.resize(x.rows(), x.cols());
  for (Eigen::Index i = 0; i < x.rows(); ++i) scratch.row(order[i]) = x.row(i);
  x.swap(scratch);
  with_columns(x, [&](auto&& columns) {
    lu.matrixLU().template triangularView<Eigen::UnitLower>().solveInPlace(columns);
    lu.matrixLU().template triangularView<Eigen::Upper>().solveInPlace(columns);
  });
}

/// x <- A^-T x
/// @param scratch  of the same size
template <class Matrix>
void solve_transposed(const Eigen::PartialPivLU<Matrix>& lu, Matrix& x, Matrix& scratch) {
  with_columns(x, [&](auto&& columns) {
    lu.matrixLU().template triangularView<Eigen::Upper>().transpose().solveInPlace(columns);
    lu.matrixLU().template triangularView<Eigen::UnitLower>().transpose().solveInPlace(columns);
  });
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
