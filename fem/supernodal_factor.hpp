/// @file
/// Numeric Cholesky factor by supernodes, in threads.
#pragma once

#include <vector>

#include "fem/supernodes.hpp"

namespace kurbel::fem {

/// Entries of P K P^T on and below the diagonal by its columns: their rows, and where the values stand in K, whose pattern
/// stays.
struct PermutedEntries {
  std::vector<int> begin, row, source;

  /// @param K  lower triangle
  PermutedEntries(const SparseMatrix& K, const int* order);
  /// Bytes.
  double memory() const {
    return sizeof(int) * static_cast<double>(begin.size() + row.size() + source.size());
  }
};

/// Factorizes L L^T = P K P^T, left-looking: each supernode is
///
///     L_s = A_s - sum over d of L_d,below L_d,s^T,    L_ss L_ss^T = A_ss,    L_s,below = A_s,below L_ss^-T
///
/// where d are the supernodes with rows in the columns of s, in the order in which they become complete, `s` of L_d are
/// these rows, and `below` those and all that follow. Within a supernode, panels of rows are shared by threads. Bits do
/// not depend on the number of threads, for panels and sums depend on the supernodes alone.
/// @param L  entries of the factor, not set before
/// @return   true if all pivots are positive
/// @throws std::bad_alloc
bool factorize_supernodes(const SupernodeTree& tree, const PermutedEntries& entries, const double* K,
                          double* L);

}  // namespace kurbel::fem
