#include "integration/block_matrix.hpp"

#include <gtest/gtest.h>

namespace kurbel {
namespace {

/// 5 x 6, with blocks of several shapes, one of them requested twice.
template <class S>
BlockMatrix<S> example(bool full) {
  BlockMatrix<S> A(5, 6);
  A.add_block(0, 0, 2, 3);
  A.add_block(2, 3, 3, 1);
  A.add_block(0, 0, 2, 3);
  A.add_block(0, 4, 2, 2);
  if (full) A.store_full();
  A.set_zero();
  A.block(0, 0, 2, 3) += MatrixX<S>::Random(2, 3);
  A.block(2, 3, 3, 1) += MatrixX<S>::Random(3, 1);
  A.block(0, 4, 2, 2) += MatrixX<S>::Random(2, 2);
  A.block(0, 0, 2, 3) += MatrixX<S>::Random(2, 3);
  return A;
}

TEST(BlockMatrix, HoldsItsBlocksAndZerosElsewhere) {
  std::srand(1);
  const MatrixXd A = example<double>(false).to_dense();
  EXPECT_TRUE(A.block(2, 0, 3, 3).isZero(0.0));
  EXPECT_TRUE(A.block(0, 3, 2, 1).isZero(0.0));
  EXPECT_GT(A.block(0, 0, 2, 3).cwiseAbs().minCoeff(), 0.0);
  EXPECT_GT(A.block(2, 3, 3, 1).cwiseAbs().minCoeff(), 0.0);
  std::srand(1);
  const auto full = example<double>(true);
  EXPECT_EQ(full.to_dense(), A);
  EXPECT_EQ(MatrixXd(full.full()), A);
  EXPECT_EQ(full.n_entries(), 6 + 3 + 4);
}

template <class S>
void expect_products_of_a_dense_matrix(bool full) {
  const BlockMatrix<S> A = example<S>(full);
  const MatrixX<S> dense = A.to_dense();
  for (const Eigen::Index m : {1, 3}) {
    const MatrixX<S> x = MatrixX<S>::Random(6, m), y = MatrixX<S>::Random(5, m);
    MatrixX<S> Ax = y, Aty = x;
    A.add_product(-2.0, x, Ax);
    A.add_transposed_product(0.5, y, Aty);
    EXPECT_LT((Ax - (y - 2.0 * dense * x)).norm(), 1e-14);
    EXPECT_LT((Aty - (x + 0.5 * dense.transpose() * y)).norm(), 1e-14);
  }
}

TEST(BlockMatrix, MultipliesAsADenseMatrix) {
  for (const bool full : {false, true}) {
    expect_products_of_a_dense_matrix<double>(full);
    expect_products_of_a_dense_matrix<Complex>(full);
  }
}

}  // namespace
}  // namespace kurbel
