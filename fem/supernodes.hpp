/// @file
/// Supernodes of a sparse Cholesky factor, and their tree cut into parts that threads work on.
#pragma once

#include <vector>

#include "base/types.hpp"
#include "fem/blas.hpp"

namespace kurbel::fem {

/// Successive columns of L with the same rows below them, each supernode a dense matrix whose rows are those of its
/// columns first, and then those below. Refers to the arrays of CHOLMOD's analysis.
struct Supernodes {
  int count = 0, n_columns = 0;       ///< of supernodes, of all columns
  const int* first_column = nullptr;  ///< count + 1
  const int* row_begin = nullptr;     ///< count + 1, where the rows of a supernode begin in `rows`
  const int* value_begin = nullptr;   ///< count + 1, where its entries begin among those of L
  const int* rows = nullptr;          ///< ascending within a supernode
  const int* order = nullptr;         ///< n_columns: column of the matrix that is a column of L

  Eigen::Index n_columns_of(int s) const { return first_column[s + 1] - first_column[s]; }
  Eigen::Index n_rows_of(int s) const { return row_begin[s + 1] - row_begin[s]; }
  const int* rows_of(int s) const { return rows + row_begin[s]; }
  blas::Dense values_of(int s, double* L) const { return {L + value_begin[s], n_rows_of(s)}; }
};

/// The tree of supernodes. The parent of a supernode has, as a column, the first row below that supernode's own columns.
/// Subtrees with a small share of the work are cut off. They are independent, and each is treated by one thread; the
/// supernodes above, which are few and large, are each shared by all threads. The cut depends on the tree alone.
class SupernodeTree {
 public:
  /// Successive supernodes, the last one the root of all of them.
  struct Subtree {
    int first, root;
  };

  explicit SupernodeTree(const Supernodes& supernodes);

  const Supernodes& supernodes() const { return supernodes_; }
  /// Supernode of a column.
  int of_column(int column) const { return of_column_[static_cast<std::size_t>(column)]; }
  /// The subtrees that were cut off, in the order of decreasing work.
  const std::vector<Subtree>& subtrees() const { return subtrees_; }
  /// Supernodes above the subtrees, ascending.
  const std::vector<int>& top() const { return top_; }

 private:
  Supernodes supernodes_;
  std::vector<int> of_column_;
  std::vector<Subtree> subtrees_;
  std::vector<int> top_;
};

}  // namespace kurbel::fem
