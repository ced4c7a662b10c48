#include "fem/cholesky.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

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

}  // namespace
}  // namespace kurbel::fem
