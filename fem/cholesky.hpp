/// @file
/// Sparse Cholesky factor of the stiffness: symbolic analysis by CHOLMOD once, numeric factor per design. Small factors are
/// CHOLMOD's; large ones are computed in threads (supernodal_factor.hpp). Only the source of this file includes CHOLMOD.
#pragma once

#include <memory>
#include <optional>

#include "base/types.hpp"

namespace kurbel::fem {

/// L L^T = P K P^T, supernodal, with a nested-dissection order of the nodes. Owns its workspace; solve() is
/// therefore not to be called from two threads at once.
class Cholesky {
 public:
  /// @param pattern     lower triangle; `block` consecutive unknowns belong to a node
  /// @throws InputError if the factor does not fit into memory
  Cholesky(const SparseMatrix& pattern, int block);
  ~Cholesky();

  enum class Outcome { ok, singular, out_of_memory };

  /// Numeric factor of K, whose pattern is that of the constructor. `singular` when a pivot is not positive
  /// or has lost all its digits against the diagonal entry it started from.
  Outcome factorize(const SparseMatrix& K);

  /// x = K^-1 b for all right-hand sides together. b, x: n x any, column major, not the same memory.
  /// Precondition: the last factorize() returned ok.
  /// @throws std::bad_alloc if there is no memory for the workspace. Of a small factor it is n x (number of right-hand
  ///         sides), and stays; of one computed in threads that of solve_supernodes(), which is freed.
  void solve(const MatrixXd& b, MatrixXd& x);
  void solve(const double* b, double* x, Eigen::Index n_rhs);

  /// Memory of the factor, with the places of the matrix's entries if it is computed in threads, bytes.
  double memory() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kurbel::fem
