#include "fem/supernodal_solve.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/parallel.hpp"
#include "base/pool.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

constexpr Index columns_at_once = 4;   // of L, which stay in registers with their right-hand sides
constexpr Index solved_columns = 256;  // of a supernode that are solved for together
constexpr Index chunk_rows = 256, chunk_groups = 8, permuted_rows = 4096;

/// Right-hand sides are treated 8 or 4 at once, the last ones filled up with zeros. Those of a row of the matrix are
/// neighbours in memory. A single one is treated by products of matrices and vectors.
constexpr Index widest = 8, narrowest = 4;
constexpr Index most_together = 16;  // more would take more memory, and hardly less time

Index filled_up(Index n_rhs) {
  return n_rhs == 1 ? 1 : (n_rhs + narrowest - 1) / narrowest * narrowest;
}

/// Up to four columns of a supernode. Those that are missing are the first one again.
struct ColumnGroup {
  std::array<const double*, columns_at_once> begin;
  Index count;

  ColumnGroup(blas::Dense L, Index first, Index end) : count(std::min(columns_at_once, end - first)) {
    for (Index c = 0; c < columns_at_once; ++c)
      begin[static_cast<std::size_t>(c)] = L.at(0, first + (c < count ? c : 0)).data;
  }
  double operator()(Index row, Index column) const { return begin[static_cast<std::size_t>(column)][row]; }
};

template <int width>
using Rhs = Eigen::Array<double, width, 1>;
template <int width>
using RhsAt = Eigen::Map<Rhs<width>>;

/// Rows of right-hand sides in memory.
struct Rows {
  double* data;
  Index stride;

  double* at(Index row) const { return data + row * stride; }
};

/// Sums that a subtree subtracts from the rows above it. All of these rows are in the border of its root.
struct Border {
  std::vector<int> place;  ///< of a row of the matrix in the border
  std::vector<int> rows;   ///< places of the rows of one supernode; those within the subtree are not set
  Rows sums{};
};

/// to_i -= sum over c of L_ic y_c for the rows [begin, end) of a supernode.
template <int width>
void subtract(const ColumnGroup& L, const double* y, Index stride, const int* rows, Index begin, Index end,
              const Rows& to, Index offset) {
  std::array<Rhs<width>, columns_at_once> y_c;
  for (Index c = 0; c < columns_at_once; ++c) {
    y_c[static_cast<std::size_t>(c)].setZero();
    if (c < L.count) y_c[static_cast<std::size_t>(c)] = Eigen::Map<const Rhs<width>>(y + c * stride);
  }
  for (Index i = begin; i < end; ++i) {
    RhsAt<width> row(to.at(rows[i]) + offset);
    row -= (L(i, 0) * y_c[0] + L(i, 1) * y_c[1]) + (L(i, 2) * y_c[2] + L(i, 3) * y_c[3]);
  }
}

/// y_c -= sum over i of L_ic z_i for the rows [begin, end) of a supernode.
template <int width>
void subtract_transposed(const ColumnGroup& L, double* y, Index stride, const int* rows, Index begin,
                         Index end, const Rows& z, Index offset) {
  std::array<Rhs<width>, columns_at_once> sum;
  for (Rhs<width>& s : sum) s.setZero();
  for (Index i = begin; i < end; ++i) {
    const Rhs<width> z_i = Eigen::Map<const Rhs<width>>(z.at(rows[i]) + offset);
    sum[0] += L(i, 0) * z_i;
    sum[1] += L(i, 1) * z_i;
    sum[2] += L(i, 2) * z_i;
    sum[3] += L(i, 3) * z_i;
  }
  for (Index c = 0; c < L.count; ++c) RhsAt<width>(y + c * stride) -= sum[static_cast<std::size_t>(c)];
}

/// Calls act(offset, width) for all right-hand sides, where width is a constant.
template <class Act>
void for_widths(Index n_rhs, const Act& act) {
  if (n_rhs == 1) return act(Index{0}, std::integral_constant<int, 1>());
  Index offset = 0;
  for (; n_rhs - offset >= widest; offset += widest) act(offset, std::integral_constant<int, widest>());
  for (; offset < n_rhs; offset += narrowest) act(offset, std::integral_constant<int, narrowest>());
}

class SupernodalSolution {
 public:
  SupernodalSolution(const SupernodeTree& tree, const double* L, Index n_rhs)
      : tree_(tree),
        nodes_(tree.supernodes()),
        L_(const_cast<double*>(L)),
        n_rhs_(n_rhs),
        width_(filled_up(n_rhs)),
        y_(width_, nodes_.n_columns) {}

  void run(const double* b, double* x) {
    for_rows([&](Index i) {
      for (Index k = 0; k < n_rhs_; ++k) y_(k, i) = b[nodes_.order[i] + k * nodes_.n_columns];
      for (Index k = n_rhs_; k < width_; ++k) y_(k, i) = 0.0;
    });
    go_up();
    go_down();
    for_rows([&](Index i) {
      for (Index k = 0; k < n_rhs_; ++k) x[nodes_.order[i] + k * nodes_.n_columns] = y_(k, i);
    });
  }

 private:
  template <class Act>
  void for_rows(const Act& act) const {
    parallel_for(nodes_.n_columns, permuted_rows, [&](Index i, Index end) {
      for (; i < end; ++i) act(i);
    });
  }
  Rows y() { return {y_.data(), width_}; }
  /// A single right-hand side from a row on.
  Eigen::Map<VectorXd> single(int row, Index count) { return {y().at(row), count}; }
  /// Rows and columns of a supernode.
  static Eigen::Map<const MatrixXd, 0, Eigen::OuterStride<>> part(blas::Dense L, Index row, Index row_end,
                                                                  Index column, Index column_end) {
    return {L.at(row, column).data, row_end - row, column_end - column, Eigen::OuterStride<>(L.stride)};
  }
  /// The rows of a subtree's root below its columns: those above the subtree that it has entries in.
  const int* border_of(int root) const { return nodes_.rows_of(root) + nodes_.n_columns_of(root); }
  Index n_border(int root) const { return nodes_.n_rows_of(root) - nodes_.n_columns_of(root); }

  /// L y = b.
  void go_up() {
    const auto& subtrees = tree_.subtrees();
    std::vector<MatrixXd> sums(subtrees.size());
    Pool<Border> borders;
    parallel_for(std::ssize(subtrees), 1, [&](Index i, Index end) {
      std::unique_ptr<Border> border = borders.take();
      for (; i < end; ++i)
        go_up(subtrees[static_cast<std::size_t>(i)], *border, sums[static_cast<std::size_t>(i)]);
      borders.give(std::move(border));
    });
    for (std::size_t i = 0; i < subtrees.size(); ++i) {
      const int* const rows = border_of(subtrees[i].root);
      for (Index r = 0; r < sums[i].cols(); ++r) y_.col(rows[r]) += sums[i].col(r);
    }
    Border none;
    for (const int s : tree_.top()) go_up(s, nodes_.n_columns, none);
  }

  /// @param sums  of a row of the border in a column, set here
  void go_up(const SupernodeTree::Subtree& subtree, Border& border, MatrixXd& sums) {
    const Index n = n_border(subtree.root);
    const int* const rows = border_of(subtree.root);
    border.place.resize(static_cast<std::size_t>(nodes_.n_columns));
    for (Index r = 0; r < n; ++r) border.place[static_cast<std::size_t>(rows[r])] = static_cast<int>(r);
    sums.setZero(width_, n);
    border.sums = {sums.data(), width_};
    const int end_column = nodes_.first_column[subtree.root + 1];
    for (int s = subtree.first; s <= subtree.root; ++s) go_up(s, end_column, border);
  }

  /// @param end_column  from this row on, the border takes what is subtracted
  void go_up(int s, int end_column, Border& border) {
    const blas::Dense L = nodes_.values_of(s, L_);
    const int *const rows = nodes_.rows_of(s), *const rows_end = rows + nodes_.n_rows_of(s);
    const Index n_rows = rows_end - rows, n_columns = nodes_.n_columns_of(s);
    const Index n_inside = std::lower_bound(rows, rows_end, end_column) - rows;
    border.rows.resize(static_cast<std::size_t>(n_rows));
    for (Index i = n_inside; i < n_rows; ++i)
      border.rows[static_cast<std::size_t>(i)] = border.place[static_cast<std::size_t>(rows[i])];
    const int* const above = border.rows.data();
    for (Index block = 0; block < n_columns; block += solved_columns) {
      const Index block_end = std::min(n_columns, block + solved_columns);
      for (Index j = block; j < block_end; j += columns_at_once) {
        const ColumnGroup columns(L, j, block_end);
        const Index next = j + columns.count;
        double* const y_j = y().at(rows[j]);
        for_widths(width_, [&](Index offset, auto width) {
          for (Index c = 0; c < columns.count; ++c) {
            RhsAt<width> y_c(y_j + c * width_ + offset);
            for (Index k = 0; k < c; ++k) y_c -= columns(j + c, k) * RhsAt<width>(y_j + k * width_ + offset);
            y_c /= columns(j + c, c);
          }
          subtract<width>(columns, y_j + offset, width_, rows, next, block_end, y(), offset);
        });
      }
      parallel_for(n_rows - block_end, chunk_rows, [&](Index i, Index end) {
        const Index first = block_end + i, last = block_end + end;
        const Index middle = std::clamp(n_inside, first, last);
        if (width_ == 1) {
          const VectorXd product =
              part(L, first, last, block, block_end) * single(rows[block], block_end - block);
          for (Index r = first; r < middle; ++r) *y().at(rows[r]) -= product[r - first];
          for (Index r = middle; r < last; ++r) *border.sums.at(above[r]) -= product[r - first];
          return;
        }
        for (Index j = block; j < block_end; j += columns_at_once) {
          const ColumnGroup columns(L, j, block_end);
          const double* const y_j = y().at(rows[j]);
          for_widths(width_, [&](Index offset, auto width) {
            subtract<width>(columns, y_j + offset, width_, rows, first, middle, y(), offset);
            subtract<width>(columns, y_j + offset, width_, above, middle, last, border.sums, offset);
          });
        }
      });
    }
  }

  /// L^T x = y.
  void go_down() {
    for (auto s = tree_.top().rbegin(); s != tree_.top().rend(); ++s) go_down(*s);
    const auto& subtrees = tree_.subtrees();
    parallel_for(std::ssize(subtrees), 1, [&](Index i, Index end) {
      for (; i < end; ++i) {
        const auto [first, root] = subtrees[static_cast<std::size_t>(i)];
        for (int s = root; s >= first; --s) go_down(s);
      }
    });
  }

  void go_down(int s) {
    const blas::Dense L = nodes_.values_of(s, L_);
    const int* const rows = nodes_.rows_of(s);
    const Index n_rows = nodes_.n_rows_of(s), n_columns = nodes_.n_columns_of(s);
    const auto subtract_rows = [&](Index j, Index block_end, Index begin, Index end) {
      const ColumnGroup columns(L, j, block_end);
      for_widths(width_, [&](Index offset, auto width) {
        subtract_transposed<width>(columns, y().at(rows[j]) + offset, width_, rows, begin, end, y(), offset);
      });
    };
    for (Index block = (n_columns - 1) / solved_columns * solved_columns; block >= 0;
         block -= solved_columns) {
      const Index block_end = std::min(n_columns, block + solved_columns);
      const Index n_groups = (block_end - block + columns_at_once - 1) / columns_at_once;
      VectorXd below(width_ == 1 ? n_rows - block_end : 0);
      for (Index r = 0; r < below.size(); ++r) below[r] = *y().at(rows[block_end + r]);
      parallel_for(n_groups, chunk_groups, [&](Index group, Index end) {
        if (width_ == 1) {
          const Index first = block + group * columns_at_once;
          const Index last = std::min(block_end, block + end * columns_at_once);
          single(rows[first], last - first).noalias() -=
              part(L, block_end, n_rows, first, last).transpose() * below;
          return;
        }
        for (; group < end; ++group)
          subtract_rows(block + group * columns_at_once, block_end, block_end, n_rows);
      });
      for (Index group = n_groups - 1; group >= 0; --group) {
        const Index j = block + group * columns_at_once;
        const ColumnGroup columns(L, j, block_end);
        subtract_rows(j, block_end, j + columns.count, block_end);
        double* const y_j = y().at(rows[j]);
        for (Index c = columns.count - 1; c >= 0; --c) {
          Eigen::Map<VectorXd> y_c(y_j + c * width_, width_);
          for (Index k = c + 1; k < columns.count; ++k)
            y_c -= columns(j + k, c) * Eigen::Map<const VectorXd>(y_j + k * width_, width_);
          y_c /= columns(j + c, c);
        }
      }
    }
  }

  const SupernodeTree& tree_;
  const Supernodes& nodes_;
  double* L_;
  Index n_rhs_, width_;
  MatrixXd y_;  ///< right-hand sides of a row of P K P^T in a column
};

}  // namespace

void solve_supernodes(const SupernodeTree& tree, const double* L, const double* b, double* x, Index n_rhs) {
  const Index n = tree.supernodes().n_columns;
  for (Index first = 0; first < n_rhs; first += most_together)
    SupernodalSolution(tree, L, std::min(most_together, n_rhs - first)).run(b + first * n, x + first * n);
}

}  // namespace kurbel::fem
