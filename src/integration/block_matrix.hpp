/// @file
/// A matrix of which only some dense blocks differ from zero, at places that are fixed once: the Jacobian of a
/// mechanism, whose bodies know of each other by joints and force elements only.
///
/// Small matrices are stored in full, blocks being views of it: nothing is dearer there than without blocks.
#pragma once

#include <cassert>
#include <cstdint>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "base/types.hpp"

namespace kurbel {

template <class Scalar>
class BlockMatrix {
 public:
  using Index = Eigen::Index;
  using Matrix = MatrixX<Scalar>;
  using View = Eigen::Map<Matrix, 0, Eigen::OuterStride<>>;
  using ConstView = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;

  /// The place of a block in the matrix, and that of its entries in memory, column by column.
  struct Block {
    Index row, col, rows, cols;
    Index first, stride;  ///< of the values
  };

  BlockMatrix() = default;
  BlockMatrix(Index rows, Index cols) : rows_(rows), cols_(cols) {}
  /// Constructs a matrix without known zeros.
  static BlockMatrix dense(Index rows, Index cols) {
    BlockMatrix A(rows, cols);
    A.add_block(0, 0, rows, cols);
    A.store_full();
    return A;
  }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }

  /// A block of zeros; the one that stands there if that was added before. Blocks do not overlap. Takes views
  /// their validity.
  void add_block(Index row, Index col, Index rows, Index cols) {
    assert(!is_full_ && row >= 0 && col >= 0 && row + rows <= rows_ && col + cols <= cols_);
    if (rows == 0 || cols == 0 || !at_.try_emplace(key(row, col), blocks_.size()).second) return;
    blocks_.push_back({row, col, rows, cols, values_.size(), rows});
    values_.conservativeResize(values_.size() + rows * cols);
    values_.tail(rows * cols).setZero();
  }
  /// Gives every entry a place in memory, and sets those of blocks to zero.
  void store_full() {
    is_full_ = true;
    values_.setZero(rows_ * cols_);
    for (Block& b : blocks_) b.first = b.row + rows_ * b.col, b.stride = rows_;
  }

  const std::vector<Block>& blocks() const { return blocks_; }
  /// Entries of the blocks, or of the whole matrix if it is full.
  const VectorX<Scalar>& values() const { return values_; }
  VectorX<Scalar>& values() { return values_; }
  /// Number of entries in blocks.
  Index n_entries() const {
    Index n = 0;
    for (const Block& b : blocks_) n += b.rows * b.cols;
    return n;
  }

  View view(const Block& b) { return {values_.data() + b.first, b.rows, b.cols, stride(b.stride)}; }
  ConstView view(const Block& b) const {
    return {values_.data() + b.first, b.rows, b.cols, stride(b.stride)};
  }
  /// A block that was added.
  View block(Index row, Index col, Index rows, Index cols) {
    if (is_full_) return {values_.data() + row + rows_ * col, rows, cols, stride(rows_)};
    const auto found = at_.find(key(row, col));
    assert(found != at_.end() && blocks_[found->second].rows == rows && blocks_[found->second].cols == cols);
    return view(blocks_[found->second]);
  }

  bool is_full() const { return is_full_; }
  /// All entries, if they are stored.
  Eigen::Map<const Matrix> full() const {
    assert(is_full_);
    return {values_.data(), rows_, cols_};
  }
  Matrix to_dense() const {
    Matrix A = Matrix::Zero(rows_, cols_);
    for (const Block& b : blocks_) A.block(b.row, b.col, b.rows, b.cols) = view(b);
    return A;
  }

  void set_zero() { values_.setZero(); }

  /// y += factor A x, for vectors or several columns.
  template <class X, class Y>
  void add_product(double factor, const X& x, Y&& y) const {
    multiply<ColumnsOf<X>>(factor, x, y);
  }
  /// y += factor A^T x
  template <class X, class Y>
  void add_transposed_product(double factor, const X& x, Y&& y) const {
    multiply_transposed<ColumnsOf<X>>(factor, x, y);
  }

 private:
  /// The matrix or vector that a view belongs to: the products are compiled once for both.
  template <class X>
  using ColumnsOf = std::conditional_t<bool(X::IsVectorAtCompileTime), VectorX<Scalar>, Matrix>;
  template <class Columns>
  void multiply(double factor, const Eigen::Ref<const Columns>& x, Eigen::Ref<Columns> y) const;
  template <class Columns>
  void multiply_transposed(double factor, const Eigen::Ref<const Columns>& x, Eigen::Ref<Columns> y) const;

  /// Calls act(view, rows, cols). Blocks between two vectors of the plane or of R^3 and between two rigid bodies, of which
  /// mechanisms have many, are known to the compiler.
  template <class Action>
  void with_view(const Block& b, const Action& act) const {
    if (b.rows == 3 && b.cols == 3) {
      act(square_view<3>(b), Eigen::fix<3>, Eigen::fix<3>);
    } else if (b.rows == 2 && b.cols == 2) {
      act(square_view<2>(b), Eigen::fix<2>, Eigen::fix<2>);
    } else if (b.rows == 6 && b.cols == 6) {
      act(square_view<6>(b), Eigen::fix<6>, Eigen::fix<6>);
    } else {
      act(view(b), b.rows, b.cols);
    }
  }
  template <int n>
  auto square_view(const Block& b) const {
    return Eigen::Map<const Eigen::Matrix<Scalar, n, n>, 0, Eigen::OuterStride<>>(values_.data() + b.first,
                                                                                  stride(b.stride));
  }
  static Eigen::OuterStride<> stride(Index s) { return Eigen::OuterStride<>(s); }
  std::int64_t key(Index row, Index col) const { return row + rows_ * col; }

  Index rows_ = 0, cols_ = 0;
  bool is_full_ = false;
  std::vector<Block> blocks_;
  std::unordered_map<std::int64_t, std::size_t> at_;  ///< index of a block by its place
  VectorX<Scalar> values_;
};

}  // namespace kurbel
