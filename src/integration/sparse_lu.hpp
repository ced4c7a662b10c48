/// @file
/// LU factors of a sparse matrix whose structure stays, by KLU (Davis and Palamadai Natarajan 2010): order
/// and pivots serve many factorizations.
#pragma once

#include <memory>

#include "base/types.hpp"

namespace kurbel {

template <class Scalar>
class SparseLu {
 public:
  using Matrix = Eigen::SparseMatrix<Scalar>;

  SparseLu();
  ~SparseLu();

  /// Factorizes with the order and the pivots of the last factorization, at a fifth of the price of choosing them; they
  /// are chosen at the first, and pivots where they no longer serve.
  /// @param A  square, compressed, of the same structure each time
  /// @return   whether the factors hold anything but rounding errors, as is_regular() in pivots.hpp has it
  bool factorize(const Matrix& A);
  /// The next factorization is the first again.
  void forget();

  /// columns <- A^-1 columns; NaN without factors.
  void solve(Eigen::Ref<MatrixX<Scalar>> columns) const;
  /// columns <- A^-T columns
  void solve_transposed(Eigen::Ref<MatrixX<Scalar>> columns) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace kurbel
