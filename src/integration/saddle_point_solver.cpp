#include "integration/saddle_point_solver.hpp"

#include <algorithm>
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

/// The same matrix by columns.
/// @param places  of each value of K among those of the columns
template <class S>
Eigen::SparseMatrix<S> by_columns(const BlockMatrix<S>& K, std::vector<int>& places) {
  struct Entry {
    Index col, row, place;
  };
  std::vector<Entry> entries;
  for (const auto& b : K.blocks()) {
    for (Index j = 0; j < b.cols; ++j) {
      for (Index i = 0; i < b.rows; ++i)
        entries.push_back({b.col + j, b.row + i, b.first + j * b.stride + i});
    }
  }
  const auto at = [](const Entry& e) { return std::pair(e.col, e.row); };
  std::sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) { return at(a) < at(b); });
  if (std::adjacent_find(entries.begin(), entries.end(),
                         [&](const auto& a, const auto& b) { return at(a) == at(b); }) != entries.end()) {
    throw std::logic_error("blocks of Jacobians overlap");
  }
  Eigen::SparseMatrix<S> columns(K.rows(), K.cols());
  columns.reserve(static_cast<Index>(entries.size()));
  places.resize(entries.size());
  Index col = -1;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    while (col < entries[k].col) columns.startVec(++col);
    columns.insertBackByOuterInner(entries[k].col, entries[k].row) = S(0);
    places[static_cast<std::size_t>(entries[k].place)] = static_cast<int>(k);
  }
  columns.finalize();
  return columns;
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
    : K(saddle_point_blocks(structure)), columns(by_columns(K, places)) {}

template <class S>
bool SaddlePointSolver<S>::factorize(const DaeJacobians<S>& jacobians, const BlockMatrix<S>& C_of_reactions,
                                     const Blocks& blocks, double c_v, double c_x) {
  if (dense_) {
    assemble(jacobians, C_of_reactions, blocks, c_v, c_x, dense_->K);
    dense_->lu.compute(dense_->K);
    return is_regular(dense_->lu);
  }
  assemble(jacobians, C_of_reactions, blocks, c_v, c_x, sparse_->K);
  S* values = sparse_->columns.valuePtr();
  for (std::size_t k = 0; k < sparse_->places.size(); ++k)
    values[sparse_->places[k]] = sparse_->K.values()[static_cast<Index>(k)];
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
                                    const Blocks& blocks, double c_v, double c_x, BlockMatrix<S>& K) const {
  K.set_zero();
  for (const auto& b : jacobians.f_x.blocks()) {
    auto out = K.block(b.row, b.col, b.rows, b.cols);
    multiply_columns(jacobians.f_x.view(b), b.col, blocks, out);
    out *= c_x;
  }
  for (const auto& b : jacobians.f_v.blocks())
    K.block(b.row, b.col, b.rows, b.cols) += c_v * jacobians.f_v.view(b);
  for (const auto& b : jacobians.M.blocks()) K.block(b.row, b.col, b.rows, b.cols) += jacobians.M.view(b);
  for (const auto& b : jacobians.C.blocks()) {
    multiply_columns(jacobians.C.view(b), b.col, blocks, K.block(n_v_ + b.row, b.col, b.rows, b.cols));
    K.block(b.col, n_v_ + b.row, b.cols, b.rows) = C_of_reactions.view(b).transpose();
  }
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
