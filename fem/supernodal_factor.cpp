#include "fem/supernodal_factor.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "base/parallel.hpp"
#include "base/pool.hpp"

namespace kurbel::fem {

namespace {

using blas::Dense;
using Eigen::Index;

// Rows of a supernode that a thread takes at once, and their share of all rows where that is between these: each panel
// costs another copy of the columns that it is multiplied by.
constexpr Index fewest_rows = 256, most_rows = 1024, share_of_rows = 6;
constexpr Index block_columns = 256;  // of a supernode that become complete together
constexpr Index chunk_columns = 64;   // columns that a thread sets before the updates

/// A supernode that has rows in the columns of another one: the rows [begin, end) of it are these.
struct Update {
  int d;
  Index begin, end;
};

struct Product {
  VectorXd values;
  std::vector<int> places;
};

/// Memory of one sequence of supernodes.
struct Workspace {
  std::vector<int> place;  ///< of a row of the matrix among those of the supernode
  std::vector<Update> updates;
  bool is_shared = false;  ///< by threads
};

class Factorization {
 public:
  Factorization(const SupernodeTree& tree, const PermutedEntries& entries, const double* K, double* L)
      : tree_(tree),
        nodes_(tree.supernodes()),
        entries_(entries),
        K_(K),
        L_(L),
        first_update_(static_cast<std::size_t>(nodes_.count), -1),
        next_update_(static_cast<std::size_t>(nodes_.count), -1),
        next_row_(static_cast<std::size_t>(nodes_.count)) {}

  bool run() {
    const auto& subtrees = tree_.subtrees();
    parallel_for(std::ssize(subtrees), 1, [&](Index i, Index end) {
      std::unique_ptr<Workspace> workspace = workspaces_.take();
      for (; i < end; ++i) {
        const SupernodeTree::Subtree& tree = subtrees[static_cast<std::size_t>(i)];
        for (int s = tree.first; s <= tree.root && !failed_; ++s) factorize(s, tree.root, *workspace);
      }
      workspaces_.give(std::move(workspace));
    });
    // The supernodes above get the updates of the subtrees, in the order of the supernodes.
    std::vector<int> complete;
    for (const SupernodeTree::Subtree& tree : subtrees)
      for (int s = tree.first; s <= tree.root; ++s) complete.push_back(s);
    std::sort(complete.begin(), complete.end());
    for (const int s : complete) announce(s, nodes_.count);
    std::unique_ptr<Workspace> workspace = workspaces_.take();
    workspace->is_shared = true;
    for (const int s : tree_.top()) {
      if (!failed_) factorize(s, nodes_.count, *workspace);
    }
    return !failed_;
  }

 private:
  int& first_update(int s) { return first_update_[static_cast<std::size_t>(s)]; }
  int& next_update(int s) { return next_update_[static_cast<std::size_t>(s)]; }
  Index& next_row(int s) { return next_row_[static_cast<std::size_t>(s)]; }

  /// Puts d on the list of the supernode whose columns have its next rows, if that is not above `last`.
  void announce(int d, int last) {
    if (next_row(d) >= nodes_.n_rows_of(d)) return;
    const int s = tree_.of_column(nodes_.rows_of(d)[next_row(d)]);
    if (s > last) return;
    next_update(d) = std::exchange(first_update(s), d);
  }

  void factorize(int s, int last, Workspace& workspace) {
    workspace.place.resize(static_cast<std::size_t>(nodes_.n_columns));
    const int* const rows = nodes_.rows_of(s);
    for (Index i = 0; i < nodes_.n_rows_of(s); ++i)
      workspace.place[static_cast<std::size_t>(rows[i])] = static_cast<int>(i);
    set_entries(s, workspace);
    find_updates(s, workspace);
    subtract_updates(s, workspace);
    divide(s, workspace.is_shared);
    for (const Update& update : workspace.updates) {
      next_row(update.d) = update.end;
      announce(update.d, last);
    }
    next_row(s) = nodes_.n_columns_of(s);
    announce(s, last);
  }

  /// The entries of K, and zeros elsewhere.
  void set_entries(int s, const Workspace& workspace) {
    const Dense L_s = nodes_.values_of(s, L_);
    parallel_for(nodes_.n_columns_of(s), chunk_columns, [&](Index j, Index end) {
      for (; j < end; ++j) {
        double* const column = L_s.at(0, j).data;
        std::fill(column, column + nodes_.n_rows_of(s), 0.0);
        const std::size_t j_K = static_cast<std::size_t>(nodes_.first_column[s] + j);
        for (int k = entries_.begin[j_K]; k < entries_.begin[j_K + 1]; ++k) {
          const std::size_t entry = static_cast<std::size_t>(k);
          column[workspace.place[static_cast<std::size_t>(entries_.row[entry])]] = K_[entries_.source[entry]];
        }
      }
    });
  }

  void find_updates(int s, Workspace& workspace) {
    workspace.updates.clear();
    for (int d = first_update(s); d >= 0; d = next_update(d)) {
      const int *const rows = nodes_.rows_of(d), *const begin = rows + next_row(d);
      const int* const end = std::lower_bound(begin, rows + nodes_.n_rows_of(d), nodes_.first_column[s + 1]);
      workspace.updates.push_back({d, begin - rows, end - rows});
    }
    std::reverse(workspace.updates.begin(), workspace.updates.end());
  }

  /// Rows of a supernode: act(first row, end), in threads if it is shared. The last rows, which have most entries, are the
  /// first.
  template <class Act>
  static void for_panels(Index begin, Index end, bool is_shared, const Act& act) {
    const Index n = end - begin;
    parallel_for(n, is_shared ? std::clamp(n / share_of_rows, fewest_rows, most_rows) : n,
                 [&](Index i, Index i_end) { act(end - i_end, end - i); });
  }

  void subtract_updates(int s, const Workspace& workspace) {
    if (workspace.updates.empty()) return;
    for_panels(0, nodes_.n_rows_of(s), workspace.is_shared, [&](Index first, Index end) {
      std::unique_ptr<Product> product = products_.take();
      for (const Update& update : workspace.updates)
        subtract(s, update, first, end, workspace.place.data(), *product);
      products_.give(std::move(product));
    });
  }

  /// Subtracts L_d,below L_d,s^T from the rows [first, end) of a supernode, as far as they are below its diagonal.
  void subtract(int s, const Update& update, Index first, Index end, const int* place, Product& product) {
    const auto [d, columns_begin, columns_end] = update;
    const int *const rows = nodes_.rows_of(d), *const rows_end = rows + nodes_.n_rows_of(d);
    const auto row_at = [&](Index limit) {
      return std::partition_point(rows + columns_begin, rows_end,
                                  [&](int row) { return place[row] < limit; }) -
             rows;
    };
    const Index a = first == 0 ? columns_begin : row_at(first);
    const Index b = end == nodes_.n_rows_of(s) ? rows_end - rows : row_at(end);
    if (a == b) return;
    const Index n_left =
        std::min(a, columns_end) - columns_begin;  // columns before the diagonal of these rows
    const Index n_square = std::max<Index>(0, std::min(b, columns_end) - a);
    const Index n_rows = b - a, n_columns = n_left + n_square;
    if (product.values.size() < n_rows * n_columns) product.values.resize(n_rows * n_columns);
    const Dense C{product.values.data(), n_rows};
    multiply(d, a, n_rows, columns_begin, n_left, n_square, C);
    product.places.resize(static_cast<std::size_t>(n_rows));
    for (Index i = 0; i < n_rows; ++i) product.places[static_cast<std::size_t>(i)] = place[rows[a + i]];
    const Dense L_s = nodes_.values_of(s, L_);
    for (Index j = 0; j < n_columns; ++j) {
      const Index top = std::max<Index>(0, j - n_left);
      scatter(C.at(0, j).data, top, product.places, L_s.at(0, place[rows[columns_begin + j]]).data);
    }
  }

  /// C := the rows [first, first + n_rows) of L_d times the transpose of `n_left` rows from `left` on, and then of its own
  /// first `n_square` rows, of which the upper triangle is not set.
  void multiply(int d, Index first, Index n_rows, Index left, Index n_left, Index n_square, Dense C) {
    const Index depth = nodes_.n_columns_of(d);
    const Dense L_d = nodes_.values_of(d, L_);
    if (n_left > 0)
      blas::multiply_transposed(n_rows, n_left, depth, 1.0, L_d.at(first, 0), L_d.at(left, 0), 0.0, C);
    if (n_square > 0) blas::multiply_by_itself(n_square, depth, 1.0, L_d.at(first, 0), 0.0, C.at(0, n_left));
    if (n_square > 0 && n_square < n_rows) {
      blas::multiply_transposed(n_rows - n_square, n_square, depth, 1.0, L_d.at(first + n_square, 0),
                                L_d.at(first, 0), 0.0, C.at(n_square, n_left));
    }
  }

  /// Subtracts a column, from row `top` on, at the places of its rows.
  static void scatter(const double* column, Index top, const std::vector<int>& places, double* to) {
    const Index n_rows = std::ssize(places);
    const int* const place = places.data();
    if (place[n_rows - 1] - place[0] == n_rows - 1) {
      for (Index i = top; i < n_rows; ++i) to[place[0] + i] -= column[i];
    } else {
      for (Index i = top; i < n_rows; ++i) to[place[i]] -= column[i];
    }
  }

  /// The dense factor of a supernode, right-looking by blocks of columns.
  void divide(int s, bool is_shared) {
    const Dense L_s = nodes_.values_of(s, L_);
    const Index n_rows = nodes_.n_rows_of(s), n_columns = nodes_.n_columns_of(s);
    for (Index j = 0; j < n_columns; j += block_columns) {
      const Index width = std::min(block_columns, n_columns - j), next = j + width;
      if (blas::factorize(width, L_s.at(j, j)) < width) {
        failed_ = true;
        return;
      }
      if (next == n_rows) return;
      for_panels(next, n_rows, is_shared, [&](Index first, Index end) {
        blas::divide_by_transposed(end - first, width, L_s.at(j, j), L_s.at(first, j));
      });
      if (next == n_columns) return;
      for_panels(next, n_rows, is_shared, [&](Index first, Index end) {
        const Index square = std::min(first, n_columns), square_end = std::min(end, n_columns);
        const Dense A = L_s.at(first, j);
        if (square > next) {
          blas::multiply_transposed(end - first, square - next, width, -1.0, A, L_s.at(next, j), 1.0,
                                    L_s.at(first, next));
        }
        if (square_end <= first) return;
        blas::multiply_by_itself(square_end - first, width, -1.0, A, 1.0, L_s.at(first, first));
        if (square_end == end) return;
        blas::multiply_transposed(end - square_end, square_end - first, width, -1.0, L_s.at(square_end, j), A,
                                  1.0, L_s.at(square_end, first));
      });
    }
  }

  const SupernodeTree& tree_;
  const Supernodes& nodes_;
  const PermutedEntries& entries_;
  const double* K_;
  double* L_;
  std::vector<int> first_update_, next_update_;  ///< lists of the supernodes that update one
  std::vector<Index> next_row_;                  ///< the first row of a supernode that has not updated yet
  Pool<Workspace> workspaces_;
  Pool<Product> products_;
  std::atomic<bool> failed_ = false;
};

}  // namespace

PermutedEntries::PermutedEntries(const SparseMatrix& K, const int* order)
    : begin(static_cast<std::size_t>(K.cols()) + 2, 0),
      row(static_cast<std::size_t>(K.nonZeros())),
      source(row.size()) {
  std::vector<int> place(static_cast<std::size_t>(K.cols()));
  for (Index i = 0; i < K.cols(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
  const auto for_each = [&](const auto& act) {
    for (Index j = 0; j < K.cols(); ++j) {
      for (int k = K.outerIndexPtr()[j]; k < K.outerIndexPtr()[j + 1]; ++k) {
        const auto [column, row_] = std::minmax(place[static_cast<std::size_t>(j)],
                                                place[static_cast<std::size_t>(K.innerIndexPtr()[k])]);
        act(static_cast<std::size_t>(column), row_, k);
      }
    }
  };
  for_each([&](std::size_t column, int, int) { ++begin[column + 2]; });
  for (std::size_t i = 2; i < begin.size(); ++i) begin[i] += begin[i - 1];
  for_each([&](std::size_t column, int row_, int k) {
    const std::size_t entry = static_cast<std::size_t>(begin[column + 1]++);
    row[entry] = row_, source[entry] = k;
  });
  begin.pop_back();
}

bool factorize_supernodes(const SupernodeTree& tree, const PermutedEntries& entries, const double* K,
                          double* L) {
  return Factorization(tree, entries, K, L).run();
}

}  // namespace kurbel::fem
