#include "fem/cholesky.hpp"

#include <gtest/gtest.h>
#include <suitesparse/cholmod.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "base/thread_scope.hpp"
#include "fem/supernodal_factor.hpp"

namespace kurbel::fem {
namespace {

/// Lower triangle of 4 I plus the neighbours of a square grid, n x n nodes.
SparseMatrix grid_matrix(int n) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int k = i * n + j;
      entries.emplace_back(k, k, 4.1);
      if (j + 1 < n) entries.emplace_back(k + 1, k, -1.0);
      if (i + 1 < n) entries.emplace_back(k + n, k, -1.0);
    }
  }
  SparseMatrix A(n * n, n * n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

MatrixXd solution(const SparseMatrix& A) {
  Cholesky factor(A, 1);
  EXPECT_EQ(factor.factorize(A), Cholesky::Outcome::ok);
  const MatrixXd b = MatrixXd::Ones(A.rows(), 1);
  MatrixXd x;
  factor.solve(b, x);
  return x;
}

/// The order of the unknowns decides the last bits of the solution.
TEST(Cholesky, OrdersAlikeWhileOtherThreadsOrder) {
  const SparseMatrix A = grid_matrix(30);
  const MatrixXd expected = solution(A);
  std::vector<int> n_different(4, 0);
  std::vector<std::thread> threads;
  for (int& n : n_different) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) n += solution(A) != expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int n : n_different) EXPECT_EQ(n, 0);
}

/// Lower triangle of 6.1 I less the neighbours of a cube, n x n x n nodes: from n = 24 on with a factor that threads share.
SparseMatrix cube_matrix(int n) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n * n * n; ++i) {
    entries.emplace_back(i, i, 6.1 + 1e-3 * (i % 7));
    for (const auto& [place, step] : {std::pair{i % n, 1}, {i / n % n, n}, {i / n / n, n * n}})
      if (place + 1 < n) entries.emplace_back(i + step, i, -1.0);
  }
  SparseMatrix A(n * n * n, n * n * n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

/// CHOLMOD's own analysis and factor of a matrix.
struct OfCholmod {
  cholmod_common common{};
  cholmod_sparse A{};
  cholmod_factor* L = nullptr;

  explicit OfCholmod(const SparseMatrix& matrix) {
    cholmod_start(&common);
    common.supernodal = CHOLMOD_SUPERNODAL;
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_METIS;
    A.nrow = A.ncol = static_cast<std::size_t>(matrix.cols());
    A.nzmax = static_cast<std::size_t>(matrix.nonZeros());
    A.p = const_cast<int*>(matrix.outerIndexPtr());
    A.i = const_cast<int*>(matrix.innerIndexPtr());
    A.x = const_cast<double*>(matrix.valuePtr());
    A.stype = -1, A.itype = CHOLMOD_INT, A.xtype = CHOLMOD_REAL, A.dtype = CHOLMOD_DOUBLE;
    A.sorted = A.packed = 1;
    L = cholmod_analyze(&A, &common);
  }
  ~OfCholmod() {
    cholmod_free_factor(&L, &common);
    cholmod_finish(&common);
  }
  Supernodes supernodes() const {
    const auto ints = [](const void* array) { return static_cast<const int*>(array); };
    return {static_cast<int>(L->nsuper),
            static_cast<int>(L->n),
            ints(L->super),
            ints(L->pi),
            ints(L->px),
            ints(L->s),
            ints(L->Perm)};
  }
};

/// The largest difference of two factors on and below the diagonal.
double difference(const Supernodes& nodes, const double* a, const double* b) {
  double largest = 0.0;
  for (int s = 0; s < nodes.count; ++s) {
    const Eigen::Index n_rows = nodes.n_rows_of(s);
    for (Eigen::Index j = 0; j < nodes.n_columns_of(s); ++j) {
      for (Eigen::Index k = nodes.value_begin[s] + j * n_rows + j;
           k < nodes.value_begin[s] + (j + 1) * n_rows; ++k)
        largest = std::max(largest, std::abs(a[k] - b[k]));
    }
  }
  return largest;
}

TEST(SupernodalFactor, EqualsThatOfCholmod) {
  for (const SparseMatrix& A : {cube_matrix(24), grid_matrix(60)}) {
    OfCholmod other(A);
    const Supernodes nodes = other.supernodes();
    const SupernodeTree tree(nodes);
    std::vector<double> own(other.L->xsize);
    ASSERT_TRUE(factorize_supernodes(tree, PermutedEntries(A, nodes.order), A.valuePtr(), own.data()));
    ASSERT_TRUE(cholmod_factorize(&other.A, other.L, &other.common));
    // Entries are of the size 1; the order of some hundred terms of a sum differs.
    EXPECT_LT(difference(nodes, own.data(), static_cast<const double*>(other.L->x)), 1e-14);
  }
}

TEST(SupernodalFactor, CutsSubtreesThatHoldAllSupernodesBelowTheTopOnce) {
  const SparseMatrix A = cube_matrix(16);
  const OfCholmod other(A);
  const Supernodes nodes = other.supernodes();
  const SupernodeTree tree(nodes);
  std::vector<int> count(static_cast<std::size_t>(nodes.count), 0);
  for (const int s : tree.top()) ++count[static_cast<std::size_t>(s)];
  for (const SupernodeTree::Subtree& subtree : tree.subtrees()) {
    for (int s = subtree.first; s <= subtree.root; ++s) {
      ++count[static_cast<std::size_t>(s)];
      if (s == subtree.root) continue;
      const int parent = tree.of_column(nodes.rows_of(s)[nodes.n_columns_of(s)]);
      EXPECT_GT(parent, s);
      EXPECT_LE(parent, subtree.root);
    }
  }
  EXPECT_GT(tree.subtrees().size(), 8u);
  for (const int n : count) EXPECT_EQ(n, 1);
}

TEST(SupernodalSolve, SolvesForAnyNumberOfColumns) {
  const SparseMatrix A = cube_matrix(24);
  Cholesky factor(A, 1);
  ASSERT_EQ(factor.factorize(A), Cholesky::Outcome::ok);
  const MatrixXd expected = MatrixXd::Random(A.rows(), 21);
  const MatrixXd b = A.selfadjointView<Eigen::Lower>() * expected;
  for (const Eigen::Index n : {1, 3, 4, 5, 8, 11, 16, 21}) {
    MatrixXd x;
    factor.solve(b.leftCols(n), x);
    ASSERT_EQ(x.cols(), n);
    // The matrix is of the condition 100 at most.
    EXPECT_LT((x - expected.leftCols(n)).cwiseAbs().maxCoeff(), 1e-13) << n;
  }
}

TEST(Cholesky, HasTheSameBitsWithAnyNumberOfThreads) {
  const SparseMatrix A = cube_matrix(26);
  std::vector<MatrixXd> solutions;
  for (const int n : {1, 2, 5}) {
    const ThreadScope threads(n);
    solutions.push_back(solution(A));
  }
  EXPECT_LT((A.selfadjointView<Eigen::Lower>() * solutions[0] - MatrixXd::Ones(A.rows(), 1)).norm(), 1e-11);
  EXPECT_EQ(solutions[1], solutions[0]);
  EXPECT_EQ(solutions[2], solutions[0]);
}

TEST(Cholesky, FactorizesTheNextMatrixAnew) {
  SparseMatrix A = cube_matrix(24);
  Cholesky factor(A, 1);
  ASSERT_EQ(factor.factorize(A), Cholesky::Outcome::ok);
  A.coeffRef(0, 0) += 1.0;
  ASSERT_EQ(factor.factorize(A), Cholesky::Outcome::ok);
  MatrixXd x;
  factor.solve(MatrixXd::Ones(A.rows(), 1), x);
  EXPECT_EQ(x, solution(A));
}

TEST(Cholesky, FindsThatAnyPivotIsNotPositive) {
  const SparseMatrix A = cube_matrix(24);
  const Eigen::Index n = A.cols();
  Cholesky factor(A, 1);
  for (const Eigen::Index i : {Eigen::Index{0}, n / 2 + 12 * 24 + 12, n - 1}) {
    SparseMatrix B = A;
    B.coeffRef(i, i) = -1.0;
    EXPECT_EQ(factor.factorize(B), Cholesky::Outcome::singular) << i;
    B.coeffRef(i, i) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(factor.factorize(B), Cholesky::Outcome::singular) << i;
  }
  // A body that nothing holds: the sums of all rows vanish, and so does the last pivot, but for rounding.
  SparseMatrix loose = A;
  for (Eigen::Index i = 0; i < n; ++i) loose.coeffRef(i, i) = 0.0;
  const VectorXd sums = loose.selfadjointView<Eigen::Lower>() * VectorXd::Ones(n);
  for (Eigen::Index i = 0; i < n; ++i) loose.coeffRef(i, i) = -sums[i];
  EXPECT_EQ(factor.factorize(loose), Cholesky::Outcome::singular);
  EXPECT_EQ(factor.factorize(A), Cholesky::Outcome::ok);
}

}  // namespace
}  // namespace kurbel::fem
