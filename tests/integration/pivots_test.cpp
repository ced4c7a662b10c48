#include "integration/pivots.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/types.hpp"

namespace kurbel {
namespace {

bool is_regular_matrix(const MatrixXd& A) {
  return is_regular(Eigen::PartialPivLU<MatrixXd>(A));
}

/// Mass and inertia of a body with a constraint, in kg and m or, factor for factor, in g and mm.
MatrixXd constrained_body(double of_length, double of_mass) {
  MatrixXd A(3, 3);
  A << 0.8 * of_mass, 0.1 * of_mass * of_length, 1.0,                                      //
      0.1 * of_mass * of_length, 1e-4 * of_mass * of_length * of_length, 0.2 * of_length,  //
      1.0, 0.2 * of_length, 0.0;
  return A;
}

TEST(Pivots, TellASingularMatrixInAnyUnits) {
  for (const double of_length : {1.0, 1e3}) {
    for (const double of_mass : {1.0, 1e3, 1e-3}) {
      MatrixXd A = constrained_body(of_length, of_mass);
      EXPECT_TRUE(is_regular_matrix(A));
      A.row(1) = 3.0 * of_length * A.row(0);
      EXPECT_FALSE(is_regular_matrix(A));
    }
  }
}

TEST(Pivots, OfVeryDifferentUnitsAreNoSingularity) {
  const VectorXd scales = VectorXd(Eigen::Vector3d(1e9, 1.0, 1e-9));
  const MatrixXd A = scales.asDiagonal() * constrained_body(1.0, 1.0) * scales.asDiagonal();
  EXPECT_TRUE(is_regular_matrix(A)) << "the ratio of its pivots is some 1e-36";
}

TEST(Pivots, OfRoundingErrorsAndOfNothingAreNone) {
  MatrixXd A(2, 2);
  A << 1.0, 1.0 / 3.0, 3.0, 1.0;  // the second pivot is what rounding leaves
  EXPECT_FALSE(is_regular_matrix(A));
  EXPECT_FALSE(is_regular_matrix(MatrixXd::Zero(2, 2)));
  EXPECT_FALSE(is_regular_matrix(MatrixXd::Constant(2, 2, std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE(is_regular_matrix(MatrixXd::Identity(2, 2)));
}

}  // namespace
}  // namespace kurbel
