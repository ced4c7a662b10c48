/// @file
/// Linear systems of an implicit step of a second-order DAE:
///
///     K = [M + c_v f_v + c_x f_x T,  C^T;  C T,  0]        T = d(x o exp(xi))/dxi
///
/// where C^T may be of another position than C; dense, or sparse with an order of elimination that is found once.
#pragma once

#include <Eigen/LU>
#include <optional>

#include "integration/integrator_options.hpp"
#include "integration/second_order_dae.hpp"
#include "integration/sparse_lu.hpp"

namespace kurbel {

/// Whether the systems of these Jacobians are solved faster by sparse factors than by dense ones.
template <class Scalar>
bool is_sparse(const DaeJacobians<Scalar>& structure);

template <class Scalar>
class SaddlePointSolver {
 public:
  using Vec = VectorX<Scalar>;
  using Matrix = MatrixX<Scalar>;

  /// @param structure  has the blocks of all Jacobians to come
  SaddlePointSolver(const DaeJacobians<Scalar>& structure, LinearSolver form);

  bool is_sparse() const { return sparse_.has_value(); }

  /// Chooses order and pivots anew at the next factorization, so that solutions do not depend, by rounding
  /// errors, on what was factorized before.
  void forget() {
    if (sparse_) sparse_->lu.forget();
  }
  /// @return whether K is regular
  bool factorize(const DaeJacobians<Scalar>& jacobians, const std::vector<RetractionBlock<Scalar>>& blocks,
                 double c_v, double c_x) {
    return factorize(jacobians, jacobians.C, blocks, c_v, c_x);
  }
  /// @param C_of_reactions  the C of C^T, with the blocks of the other
  bool factorize(const DaeJacobians<Scalar>& jacobians, const BlockMatrix<Scalar>& C_of_reactions,
                 const std::vector<RetractionBlock<Scalar>>& blocks, double c_v, double c_x);

  /// K solution = rhs, one column or several.
  void solve(const Vec& rhs, Vec& solution) const;
  void solve(const Matrix& rhs, Matrix& solution) const;
  /// K^T solution = rhs; rhs serves as memory.
  void solve_transposed(Vec& rhs, Vec& solution) const;

 private:
  struct Dense {
    explicit Dense(Eigen::Index n) : K(Matrix::Zero(n, n)), lu(n) {}
    Matrix K;
    Eigen::PartialPivLU<Matrix> lu;
  };
  /// K as blocks, where these stand among the entries of the same matrix by columns, and its factors.
  struct Sparse {
    explicit Sparse(const DaeJacobians<Scalar>& structure);
    BlockMatrix<Scalar> K;
    std::vector<int> places;  ///< in `columns`, of each value of K
    Eigen::SparseMatrix<Scalar> columns;
    SparseLu<Scalar> lu;
  };
  using Blocks = std::vector<RetractionBlock<Scalar>>;
  void assemble(const DaeJacobians<Scalar>& jacobians, const BlockMatrix<Scalar>& C_of_reactions,
                const Blocks& blocks, double c_v, double c_x, Matrix& K) const;
  void assemble(const DaeJacobians<Scalar>& jacobians, const BlockMatrix<Scalar>& C_of_reactions,
                const Blocks& blocks, double c_v, double c_x, BlockMatrix<Scalar>& K) const;
  template <class Columns>
  void solve_columns(const Columns& rhs, Columns& solution) const;

  Eigen::Index n_v_, n_c_;
  std::optional<Dense> dense_;
  std::optional<Sparse> sparse_;
};

}  // namespace kurbel
