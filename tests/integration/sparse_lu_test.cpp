#include "integration/sparse_lu.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

namespace kurbel {
namespace {

template <class S>
Eigen::SparseMatrix<S> columns_of(const MatrixX<S>& dense) {
  Eigen::SparseMatrix<S> A = dense.sparseView();
  A.makeCompressed();
  return A;
}

/// A band of random numbers with a zero diagonal block, as constraints bring it.
template <class S>
MatrixX<S> saddle_point(Eigen::Index n) {
  MatrixX<S> A = MatrixX<S>::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = std::max<Eigen::Index>(0, i - 4); j < std::min(n, i + 5); ++j) {
      if (i % 3 != 2 || j % 3 != 2) A.block(i, j, 1, 1).setRandom();
    }
  }
  return A;
}

template <class S>
void expect_solutions_of_dense_factors() {
  SparseLu<S> lu;
  for (int k = 0; k < 3; ++k) {  // the later ones with the order, and perhaps the pivots, of the first
    const MatrixX<S> A = saddle_point<S>(30), B = MatrixX<S>::Random(30, 6);
    ASSERT_TRUE(lu.factorize(columns_of(A)));
    MatrixX<S> X = B, Y = B;
    lu.solve(X);
    lu.solve_transposed(Y);
    EXPECT_LT((A * X - B).norm(), 1e-11 * X.norm()) << k;
    EXPECT_LT((A.transpose() * Y - B).norm(), 1e-11 * Y.norm()) << k;
  }
}

TEST(SparseLu, SolvesAsDenseFactorsDo) {
  expect_solutions_of_dense_factors<double>();
  expect_solutions_of_dense_factors<Complex>();
}

TEST(SparseLu, ChoosesOtherPivotsWhereTheOldOnesVanish) {
  SparseLu<double> lu;
  MatrixXd A(3, 3);
  A << 4.0, 1.0, 0.5, 1.0, 3.0, 1.0, 0.5, 1.0, 5.0;
  ASSERT_TRUE(lu.factorize(columns_of(A)));
  A << 1e-13, 1.0, 0.5, 1.0, 1e-13, 1.0, 0.5, 1.0, 1e-13;
  ASSERT_TRUE(lu.factorize(columns_of(A)));
  MatrixXd x = A * Vector3d(1.0, -2.0, 3.0);
  lu.solve(x);
  EXPECT_LT((x - Vector3d(1.0, -2.0, 3.0)).norm(), 1e-14);
}

TEST(SparseLu, TellsASingularMatrixByItsPivots) {
  SparseLu<double> lu;
  const double third = 1.0 / 3.0;
  MatrixXd A(3, 3);
  A << 1.0, third, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0, 2.0;  // what rounding leaves
  EXPECT_FALSE(lu.factorize(columns_of(A)));
  EXPECT_FALSE(lu.factorize(columns_of<double>(MatrixXd::Constant(3, 3, 1.0))));
  MatrixXd scaled(3, 3);  // of very different units
  scaled << 1e9, 1.0, 0.0, 1.0, 1e-8, 1e-13, 0.0, 1e-13, 1e-17;
  lu.forget();
  EXPECT_TRUE(lu.factorize(columns_of(scaled)));
  scaled(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(lu.factorize(columns_of(scaled)));
}

}  // namespace
}  // namespace kurbel
