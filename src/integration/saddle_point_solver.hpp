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

/// True if the systems of these Jacobians are solved faster by sparse factors than by dense ones.
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
  void forget();
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
  /// Entries of K by columns, and the factors of those that have differed from zero since forget(): M consists of
  /// multiples of the unit matrix, joints along the axes see one coordinate each, and in a plane half of all is nothing.
  struct Sparse {
    explicit Sparse(const DaeJacobians<Scalar>& structure);
    /// The factors' pattern grows by entries that no longer are zero, and later by all that are like them.
    void keep_nonzeros();
    std::vector<bool> next_pattern();
    void take_values();

    Eigen::SparseMatrix<Scalar> all;           ///< all that Jacobians have places for
    std::vector<int> f_x, f_v, M, C, C_T;      ///< indices in `all` of the values of each, and of C^T
    std::vector<int> likes;                    ///< by index in `all`: the same number where entries are alike
    BlockMatrix<Scalar> f_x_turned, C_turned;  ///< f_x T and C T
    std::vector<int> kept, dropped;            ///< indices in `all`
    int n_patterns = 0;
    Eigen::SparseMatrix<Scalar> columns;  ///< those kept
    SparseLu<Scalar> lu;
  };
  using Blocks = std::vector<RetractionBlock<Scalar>>;
  void assemble(const DaeJacobians<Scalar>& jacobians, const BlockMatrix<Scalar>& C_of_reactions,
                const Blocks& blocks, double c_v, double c_x, Matrix& K) const;
  void assemble(const DaeJacobians<Scalar>& jacobians, const BlockMatrix<Scalar>& C_of_reactions,
                const Blocks& blocks, double c_v, double c_x, Sparse& sparse) const;
  template <class Columns>
  void solve_columns(const Columns& rhs, Columns& solution) const;

  Eigen::Index n_v_, n_c_;
  std::optional<Dense> dense_;
  std::optional<Sparse> sparse_;
};

}  // namespace kurbel
