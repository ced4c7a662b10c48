#include "integration/saddle_point_solver.hpp"

#include <gtest/gtest.h>

namespace kurbel {
namespace {

/// Two bodies of 6 and 3 + 2 coordinates with one joint of 3 rows, the latter turning by 3 of its own.
template <class S>
struct Example {
  Example() {
    const BlockMatrix<S> square(11, 11);
    jacobians = {square, square, square, BlockMatrix<S>(3, 11)};
    for (BlockMatrix<S>* A : {&jacobians.f_x, &jacobians.f_v, &jacobians.M}) {
      A->add_block(0, 0, 6, 6), A->add_block(6, 6, 5, 5);
    }
    jacobians.f_x.add_block(0, 6, 6, 5), jacobians.f_x.add_block(6, 0, 5, 6);
    jacobians.C.add_block(0, 0, 3, 6), jacobians.C.add_block(0, 6, 3, 5);
    std::srand(3);
    for (BlockMatrix<S>* A : {&jacobians.f_x, &jacobians.f_v, &jacobians.M, &jacobians.C})
      A->values().setRandom();
    blocks = {{0, MatrixX<S>::Random(6, 6), MatrixX<S>::Random(6, 6)},
              {7, MatrixX<S>::Random(3, 3), MatrixX<S>::Random(3, 3)}};
  }
  /// K of the file under test, written out.
  MatrixX<S> matrix() const {
    MatrixX<S> T = MatrixX<S>::Identity(11, 11), K = MatrixX<S>::Zero(14, 14);
    for (const auto& b : blocks) T.block(b.offset, b.offset, b.size(), b.size()) = b.T;
    const MatrixX<S> C = jacobians.C.to_dense();
    K.topLeftCorner(11, 11) =
        jacobians.M.to_dense() + c_v * jacobians.f_v.to_dense() + c_x * jacobians.f_x.to_dense() * T;
    K.topRightCorner(11, 3) = C.transpose();
    K.bottomLeftCorner(3, 11) = C * T;
    return K;
  }
  DaeJacobians<S> full() const {
    DaeJacobians<S> out = jacobians;
    out.store_full();
    for (auto [from, to] : {std::pair(&jacobians.f_x, &out.f_x), std::pair(&jacobians.f_v, &out.f_v),
                            std::pair(&jacobians.M, &out.M), std::pair(&jacobians.C, &out.C)}) {
      for (const auto& b : from->blocks()) to->block(b.row, b.col, b.rows, b.cols) = from->view(b);
    }
    return out;
  }
  DaeJacobians<S> jacobians;
  std::vector<RetractionBlock<S>> blocks;
  const double c_v = 0.3, c_x = 0.7;
};

template <class S>
void expect_solutions(LinearSolver form) {
  const Example<S> example;
  const DaeJacobians<S> jacobians = form == LinearSolver::dense ? example.full() : example.jacobians;
  SaddlePointSolver<S> solver(jacobians, form);
  ASSERT_EQ(solver.is_sparse(), form == LinearSolver::sparse);
  ASSERT_TRUE(solver.factorize(jacobians, example.blocks, example.c_v, example.c_x));
  const MatrixX<S> K = example.matrix(), B = MatrixX<S>::Random(14, 2);
  const VectorX<S> b = B.col(0);
  MatrixX<S> X;
  VectorX<S> x(14), y(14), memory = b;
  solver.solve(B, X);
  solver.solve(b, x);
  solver.solve_transposed(memory, y);
  EXPECT_LT((K * X - B).norm(), 1e-12);
  EXPECT_LT((K * x - b).norm(), 1e-12);
  EXPECT_LT((K.transpose() * y - b).norm(), 1e-12);
}

TEST(SaddlePointSolver, SolvesDenseAndSparseWithRetractionBlocksOfAnySize) {
  for (const LinearSolver form : {LinearSolver::dense, LinearSolver::sparse}) {
    expect_solutions<double>(form);
    expect_solutions<Complex>(form);
  }
}

TEST(SaddlePointSolver, TakesReactionsOfAnotherPosition) {
  const Example<double> example;
  for (const LinearSolver form : {LinearSolver::dense, LinearSolver::sparse}) {
    const DaeJacobians<double> jacobians = form == LinearSolver::dense ? example.full() : example.jacobians;
    BlockMatrix<double> C_of_reactions = jacobians.C;
    C_of_reactions.values() = jacobians.C.values().array().square() + 1.0;
    SaddlePointSolver<double> solver(jacobians, form);
    ASSERT_TRUE(solver.factorize(jacobians, C_of_reactions, example.blocks, example.c_v, example.c_x));
    MatrixXd K = example.matrix();
    K.topRightCorner(11, 3) = C_of_reactions.to_dense().transpose();
    const VectorXd b = VectorXd::Random(14);
    VectorXd x(14), y(14), memory = b;
    solver.solve(b, x);
    solver.solve_transposed(memory, y);
    EXPECT_LT((K * x - b).norm(), 1e-12);
    EXPECT_LT((K.transpose() * y - b).norm(), 1e-12);
  }
}

TEST(SaddlePointSolver, FollowsEntriesThatAppearOneAfterTheOther) {
  Example<double> example;
  const DaeJacobians<double> all = example.jacobians;
  for (BlockMatrix<double>* A : {&example.jacobians.f_x, &example.jacobians.f_v}) A->set_zero();
  SaddlePointSolver<double> solver(all, LinearSolver::sparse);
  const VectorXd b = VectorXd::Random(14);
  for (Eigen::Index k = 0; k < all.f_x.values().size(); ++k) {
    example.jacobians.f_x.values()[k] = all.f_x.values()[k];
    ASSERT_TRUE(solver.factorize(example.jacobians, example.blocks, example.c_v, example.c_x));
    VectorXd x(14), y(14), memory = b;
    solver.solve(b, x);
    solver.solve_transposed(memory, y);
    EXPECT_LT((example.matrix() * x - b).norm(), 1e-11) << k;
    EXPECT_LT((example.matrix().transpose() * y - b).norm(), 1e-11) << k;
  }
}

TEST(SaddlePointSolver, TellsASingularMatrix) {
  Example<double> example;
  for (const auto& b : example.jacobians.C.blocks()) {
    auto C = example.jacobians.C.view(b);
    C.row(2) = 2.0 * C.row(0);  // exactly, whatever the order of elimination
  }
  for (const LinearSolver form : {LinearSolver::dense, LinearSolver::sparse}) {
    const DaeJacobians<double> jacobians = form == LinearSolver::dense ? example.full() : example.jacobians;
    SaddlePointSolver<double> solver(jacobians, form);
    EXPECT_FALSE(solver.factorize(jacobians, example.blocks, example.c_v, example.c_x));
  }
}

}  // namespace
}  // namespace kurbel
