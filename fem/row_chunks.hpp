/// @file
/// Work on tall blocks of vectors, a chunk of rows at a time: in threads, and in one pass over the memory for all that is
/// done to a chunk, which fits into a cache. Results do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"

namespace kurbel::fem {

inline constexpr Eigen::Index rows_of_chunk = 1024, chunks_of_run = 16;

/// Calls act(first row, number of rows, scratch) on all chunks, those of a run one after another.
/// @param make_scratch  () -> memory of a run, which act gets
template <class MakeScratch, class Act>
void for_row_chunks(Eigen::Index n_rows, const MakeScratch& make_scratch, const Act& act) {
  constexpr Eigen::Index rows_of_run = rows_of_chunk * chunks_of_run;
  parallel_for((n_rows + rows_of_run - 1) / rows_of_run, 1, [&](Eigen::Index run, Eigen::Index end) {
    for (; run < end; ++run) {
      auto&& scratch = make_scratch(run);
      const Eigen::Index last = std::min(n_rows, (run + 1) * rows_of_run);
      for (Eigen::Index first = run * rows_of_run; first < last; first += rows_of_chunk)
        act(first, std::min(rows_of_chunk, last - first), scratch);
    }
  });
}

template <class Act>
void for_row_chunks(Eigen::Index n_rows, const Act& act) {
  for_row_chunks(
      n_rows, [](Eigen::Index) { return 0; },
      [&](Eigen::Index first, Eigen::Index count, int) { act(first, count); });
}

/// Adds up what add(first row, number of rows, sum) adds to the sum of a run, rows x columns.
template <class Add>
MatrixXd sum_over_rows(Eigen::Index n_rows, Eigen::Index rows, Eigen::Index columns, const Add& add) {
  constexpr Eigen::Index rows_of_run = rows_of_chunk * chunks_of_run;
  std::vector<MatrixXd> sums(static_cast<std::size_t>((n_rows + rows_of_run - 1) / rows_of_run),
                             MatrixXd::Zero(rows, columns));
  for_row_chunks(
      n_rows, [&](Eigen::Index run) -> MatrixXd& { return sums[static_cast<std::size_t>(run)]; }, add);
  MatrixXd total = MatrixXd::Zero(rows, columns);
  for (const MatrixXd& sum : sums) total += sum;
  return total;
}

using Columns = Eigen::Ref<MatrixXd>;
using ConstColumns = Eigen::Ref<const MatrixXd>;

/// A^T B in threads.
inline MatrixXd gram_in_chunks(ConstColumns a, ConstColumns b) {
  return sum_over_rows(a.rows(), a.cols(), b.cols(),
                       [&](Eigen::Index first, Eigen::Index count, MatrixXd& sum) {
                         sum.noalias() += a.middleRows(first, count).transpose() * b.middleRows(first, count);
                       });
}

/// a_k^T b_k of every column k in threads.
inline VectorXd dots_in_chunks(ConstColumns a, ConstColumns b) {
  return sum_over_rows(
             a.rows(), 1, a.cols(),
             [&](Eigen::Index first, Eigen::Index count, MatrixXd& sum) {
               sum += a.middleRows(first, count).cwiseProduct(b.middleRows(first, count)).colwise().sum();
             })
      .transpose();
}

/// y -= A c in threads.
inline void subtract_in_chunks(ConstColumns a, const MatrixXd& c, Columns y) {
  for_row_chunks(y.rows(), [&](Eigen::Index first, Eigen::Index count) {
    y.middleRows(first, count).noalias() -= a.middleRows(first, count) * c;
  });
}

}  // namespace kurbel::fem
