/// @file
/// LU factors of a sparse matrix whose structure stays, by KLU (Davis and Palamadai Natarajan 2010): columns
/// are ordered once, pivots are chosen at any factorization and may be kept by later ones.
#pragma once

#include <memory>

#include "base/types.hpp"

namespace kurbel {

template <class Scalar>
class SparseLu {
 public:
  using Matrix = Eigen::SparseMatrix<Scalar>;

  /// @param structure  square, compressed; its values do not matter
  explicit SparseLu(const Matrix& structure);
  ~SparseLu();

  /// Rows are divided by their largest entry, and pivots chosen by size.
  /// @param A  of the same structure
  /// @return   whether the factors hold anything but rounding errors, as is_regular() in pivots.hpp has it
  bool factorize(const Matrix& A);
  /// With the pivots of the last factorize(), at half the price; chooses new ones where those do not serve.
  bool refactorize(const Matrix& A);

  /// columns <- A^-1 columns; NaN without factors.
  void solve(Eigen::Ref<MatrixX<Scalar>> columns) const;
  /// columns <- A^-T columns
  void solve_transposed(Eigen::Ref<MatrixX<Scalar>> columns) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace kurbel
