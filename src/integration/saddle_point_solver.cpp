#include "integration/saddle_point_solver.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "base/instantiate.hpp"
#include "integration/pivots.hpp"

namespace kurbel {

namespace {

using Index = Eigen::Index;

/// out = A T, for those columns of T that begin at `first`.
/// @param blocks  of T, in the order of their offsets
template <class S, class A, class Out>
void multiply_columns(const A& a, Index first, const std::vector<RetractionBlock<S>>& blocks, Out&& out) {
  auto block = std::lower_bound(blocks.begin(), blocks.end(), first,
                                [](const auto& b, Index offset) { return b.offset < offset; });
  Index next = 0;
  for (; block != blocks.end() && block->offset < first + a.cols(); ++block) {
    const Index begin = block->offset - first;
    out.middleCols(next, begin - next) = a.middleCols(next, begin - next);
    with_size(block->T, [&](const auto& T, auto n) {
      out.middleCols(begin, n).noalias() = a.middleCols(begin, n) * T;
    });
    next = begin + block->size();
  }
  out.rightCols(a.cols() - next) = a.rightCols(a.cols() - next);
}

/// The blocks of K.
template <class S>
BlockMatrix<S> saddle_point_blocks(const DaeJacobians<S>& jacobians) {
  const Index n_v = jacobians.C.cols(), n = n_v + jacobians.C.rows();
  BlockMatrix<S> K(n, n);
  for (const auto* matrix : {&jacobians.f_x, &jacobians.f_v, &jacobians.M}) {
    for (const auto& b : matrix->blocks()) K.add_block(b.row, b.col, b.rows, b.cols);
  }
  for (const auto& b : jacobians.C.blocks()) {
    K.add_block(n_v + b.row, b.col, b.rows, b.cols);
    K.add_block(b.col, n_v + b.row, b.cols, b.rows);
  }
  return K;
}

/// Calls visit(place, row, col) for all entries of a matrix's blocks, `place` among its values.
template <class S, class Visit>
void for_each_entry(const BlockMatrix<S>& A, const Visit& visit) {
  for (const auto& b : A.blocks()) {
    for (Index j = 0; j < b.cols; ++j) {
      for (Index i = 0; i < b.rows; ++i) visit(b.first + j * b.stride + i, b.row + i, b.col + j);
    }
  }
}

/// The same matrix by columns.
template <class S>
Eigen::SparseMatrix<S> by_columns(const BlockMatrix<S>& K) {
  std::vector<std::pair<Index, Index>> entries;
  for_each_entry(K, [&](Index, Index row, Index col) { entries.emplace_back(col, row); });
  std::sort(entries.begin(), entries.end());
  if (std::adjacent_find(entries.begin(), entries.end()) != entries.end())
    throw std::logic_error("blocks of Jacobians overlap");
  Eigen::SparseMatrix<S> columns(K.rows(), K.cols());
  columns.reserve(static_cast<Index>(entries.size()));
  Index last = -1;
  for (const auto& [col, row] : entries) {
    while (last < col) columns.startVec(++last);
    columns.insertBackByOuterInner(col, row) = S(0);
  }
  columns.finalize();
  return columns;
}

/// Indices of the values of a block matrix among those of a matrix by columns.
/// @param index_of  (row, col) -> (row, col) there
template <class S, class IndexOf>
std::vector<int> indices_in(const Eigen::SparseMatrix<S>& columns, const BlockMatrix<S>& A,
                            const IndexOf& index_of) {
  std::vector<int> indices(static_cast<std::size_t>(A.values().size()));
  const int* rows = columns.innerIndexPtr();
  for_each_entry(A, [&](Index index, Index own_row, Index own_col) {
    const auto [row, col] = index_of(own_row, own_col);
    const int *begin = rows + columns.outerIndexPtr()[col], *end = rows + columns.outerIndexPtr()[col + 1];
    indices[static_cast<std::size_t>(index)] = static_cast<int>(std::lower_bound(begin, end, row) - rows);
  });
  return indices;
}

/// Entries that are alike stand at the same place of blocks of the same size, on the diagonal or off it, of the same of
/// the four parts of K: what is zero by the geometry of one joint is so by that of another along the same axes.
template <class S>
std::vector<int> likes_in(const Eigen::SparseMatrix<S>& columns, const BlockMatrix<S>& K, Index n_v) {
  std::vector<int> likes(static_cast<std::size_t>(columns.nonZeros()));
  std::map<std::array<Index, 6>, int> numbers;
  const std::vector<int> indices =
      indices_in(columns, K, [](Index row, Index col) { return std::pair(row, col); });
  for (const auto& b : K.blocks()) {
    const Index part = (b.row < n_v ? 0 : 1) + (b.col < n_v ? 0 : 2), is_diagonal = b.row == b.col;
    for (Index j = 0; j < b.cols; ++j) {
      for (Index i = 0; i < b.rows; ++i) {
        const auto index = static_cast<std::size_t>(b.first + j * b.stride + i);
        const auto number = static_cast<int>(numbers.size());
        likes[static_cast<std::size_t>(indices[index])] =
            numbers.try_emplace({part, is_diagonal, b.rows, b.cols, i, j}, number).first->second;
      }
    }
  }
  return likes;
}

/// all[indices] += factor values
template <class S>
void scatter(const VectorX<S>& values, const std::vector<int>& indices, double factor, S* all) {
  for (std::size_t k = 0; k < indices.size(); ++k) all[indices[k]] += factor * values[static_cast<Index>(k)];
}

/// out = A T, of the same blocks.
template <class S>
void multiply_blocks(const BlockMatrix<S>& A, const std::vector<RetractionBlock<S>>& blocks,
                     BlockMatrix<S>& out) {
  for (const auto& b : A.blocks()) multiply_columns(A.view(b), b.col, blocks, out.view(b));
}

}  // namespace

template <class S>
bool is_sparse(const DaeJacobians<S>& structure) {
  constexpr double smallest = 60, largest_share = 0.3;  // docs/theory.md, time integration
  const auto n = static_cast<double>(structure.C.cols() + structure.C.rows());
  if (n < smallest) return false;
  return static_cast<double>(saddle_point_blocks(structure).n_entries()) < largest_share * n * n;
}

template <class S>
SaddlePointSolver<S>::SaddlePointSolver(const DaeJacobians<S>& structure, LinearSolver form)
    : n_v_(structure.C.cols()), n_c_(structure.C.rows()) {
  if (form == LinearSolver::automatic)
    form = kurbel::is_sparse(structure) ? LinearSolver::sparse : LinearSolver::dense;
  if (form == LinearSolver::dense) {
    dense_.emplace(n_v_ + n_c_);
  } else {
    sparse_.emplace(structure);
  }
}

template <class S>
SaddlePointSolver<S>::Sparse::Sparse(const DaeJacobians<S>& structure)
    : all(by_columns(saddle_point_blocks(structure))),
      f_x_turned(structure.f_x),
      C_turned(structure.C),
      columns(all.rows(), all.cols()) {
  const Index n_v = structure.C.cols();
  const auto same = [](Index row, Index col) { return std::pair(row, col); };
  f_x = indices_in(all, structure.f_x, same);
  f_v = indices_in(all, structure.f_v, same);
  M = indices_in(all, structure.M, same);
  C = indices_in(all, structure.C, [&](Index row, Index col) { return std::pair(n_v + row, col); });
  C_T = indices_in(all, structure.C, [&](Index row, Index col) { return std::pair(col, n_v + row); });
  likes = likes_in(all, saddle_point_blocks(structure), n_v);
}

/// Each pattern costs an order of elimination. The first ones have what differs from zero, the next ones what is like it,
/// for what cancels where a chain still hangs does so in one body after the other no longer; then all are kept.
template <class S>
std::vector<bool> SaddlePointSolver<S>::Sparse::next_pattern() {
  constexpr int n_of_nonzeros = 3, n_of_likes = 8;
  ++n_patterns;
  std::vector<bool> is_kept(likes.size(), n_patterns > n_of_likes);
  for (const int index : kept) is_kept[static_cast<std::size_t>(index)] = true;
  for (std::size_t k = 0; k < is_kept.size(); ++k) is_kept[k] = is_kept[k] || all.valuePtr()[k] != S(0);
  if (n_patterns <= n_of_nonzeros) return is_kept;
  std::vector<bool> is_like(is_kept.size());
  for (std::size_t k = 0; k < is_kept.size(); ++k) {
    if (is_kept[k]) is_like[static_cast<std::size_t>(likes[k])] = true;
  }
  for (std::size_t k = 0; k < is_kept.size(); ++k) is_kept[k] = is_like[static_cast<std::size_t>(likes[k])];
  return is_kept;
}

template <class S>
void SaddlePointSolver<S>::Sparse::keep_nonzeros() {
  const std::vector<bool> is_kept = next_pattern();
  kept.clear(), dropped.clear();
  columns.setZero();
  for (Index col = 0; col < all.cols(); ++col) {
    columns.startVec(col);
    for (int k = all.outerIndexPtr()[col]; k < all.outerIndexPtr()[col + 1]; ++k) {
      const bool keep = is_kept[static_cast<std::size_t>(k)];
      (keep ? kept : dropped).push_back(k);
      if (keep) columns.insertBackByOuterInner(col, all.innerIndexPtr()[k]) = S(0);
    }
  }
  columns.finalize();
  lu.forget();
}

template <class S>
void SaddlePointSolver<S>::Sparse::take_values() {
  const S* values = all.valuePtr();
  if (n_patterns == 0 || std::ranges::any_of(dropped, [&](int k) { return values[k] != S(0); }))
    keep_nonzeros();
  for (std::size_t k = 0; k < kept.size(); ++k) columns.valuePtr()[k] = values[kept[k]];
}

template <class S>
void SaddlePointSolver<S>::forget() {
  if (!sparse_) return;
  sparse_->lu.forget();
  sparse_->kept.clear();
  sparse_->n_patterns = 0;
}

template <class S>
bool SaddlePointSolver<S>::factorize(const DaeJacobians<S>& jacobians, const BlockMatrix<S>& C_of_reactions,
                                     const Blocks& blocks, double c_v, double c_x) {
  if (dense_) {
    assemble(jacobians, C_of_reactions, blocks, c_v, c_x, dense_->K);
    dense_->lu.compute(dense_->K);
    return is_regular(dense_->lu);
  }
  assemble(jacobians, C_of_reactions, blocks, c_v, c_x, *sparse_);
  sparse_->take_values();
  return sparse_->lu.factorize(sparse_->columns);
}

template <class S>
void SaddlePointSolver<S>::assemble(const DaeJacobians<S>& jacobians, const BlockMatrix<S>& C_of_reactions,
                                    const Blocks& blocks, double c_v, double c_x, Matrix& K) const {
  K.topRightCorner(n_v_, n_c_) = C_of_reactions.full().transpose();
  multiply_columns(jacobians.C.full(), 0, blocks, K.bottomLeftCorner(n_c_, n_v_));
  auto K_v = K.topLeftCorner(n_v_, n_v_);
  multiply_columns(jacobians.f_x.full(), 0, blocks, K_v);
  K_v *= c_x;
  K_v += jacobians.M.full();
  K_v += c_v * jacobians.f_v.full();
}

template <class S>
void SaddlePointSolver<S>::assemble(const DaeJacobians<S>& jacobians, const BlockMatrix<S>& C_of_reactions,
                                    const Blocks& blocks, double c_v, double c_x, Sparse& sparse) const {
  const BlockMatrix<S>*f_x = &jacobians.f_x, *C = &jacobians.C;
  if (!blocks.empty()) {
    multiply_blocks(*f_x, blocks, sparse.f_x_turned);
    multiply_blocks(*C, blocks, sparse.C_turned);
    f_x = &sparse.f_x_turned, C = &sparse.C_turned;
  }
  sparse.all.coeffs().setZero();
  S* K = sparse.all.valuePtr();
  scatter(f_x->values(), sparse.f_x, c_x, K);
  scatter(jacobians.f_v.values(), sparse.f_v, c_v, K);
  scatter(jacobians.M.values(), sparse.M, 1.0, K);
  scatter(C->values(), sparse.C, 1.0, K);
  scatter(C_of_reactions.values(), sparse.C_T, 1.0, K);
}

template <class S>
template <class Columns>
void SaddlePointSolver<S>::solve_columns(const Columns& rhs, Columns& solution) const {
  if (dense_) {
    solution = dense_->lu.solve(rhs);
  } else {
    solution = rhs;
    sparse_->lu.solve(solution);
  }
}

template <class S>
void SaddlePointSolver<S>::solve(const Vec& rhs, Vec& solution) const {
  solve_columns(rhs, solution);
}

template <class S>
void SaddlePointSolver<S>::solve(const Matrix& rhs, Matrix& solution) const {
  solve_columns(rhs, solution);
}

template <class S>
void SaddlePointSolver<S>::solve_transposed(Vec& rhs, Vec& solution) const {
  if (!dense_) {
    solution = rhs;
    sparse_->lu.solve_transposed(solution);
    return;
  }
  const auto& lu = dense_->lu;
  lu.matrixLU().template triangularView<Eigen::Upper>().transpose().solveInPlace(rhs);
  lu.matrixLU().template triangularView<Eigen::UnitLower>().transpose().solveInPlace(rhs);
  const auto& order = lu.permutationP().indices();
  for (Index i = 0; i < rhs.size(); ++i) solution[i] = rhs[order[i]];
}

template bool is_sparse(const DaeJacobians<InstantiatedScalar>&);
template class SaddlePointSolver<InstantiatedScalar>;

}  // namespace kurbel
