#include "drawing/shapes.hpp"

#include <gtest/gtest.h>

namespace kurbel {
namespace {

/// Distances of the points of a shape from the line a + s e, and the range of s.
struct AroundAxis {
  AroundAxis(const UnstructuredGrid& grid, const Vector3d& a, const Vector3d& e) {
    const MatrixXd from_a = grid.points.colwise() - a;
    along = e.transpose() * from_a;
    radius = (from_a - e * along).colwise().norm();
  }
  Eigen::RowVectorXd along, radius;
};

double volume(const UnstructuredGrid& grid) {
  double six_times = 0.0;
  for (const CellBlock& block : grid.cells) {
    for (const auto& c : block.corners.colwise()) {
      const Vector3d a = grid.points.col(c[0]), b = grid.points.col(c[1]);
      six_times += a.cross(b).dot(grid.points.col(c[2]));
    }
  }
  return std::abs(six_times) / 6.0;
}

TEST(Shapes, ATubeHasItsEndsItsRadiusAndNoHoles) {
  const Vector3d a(0.1, 0.2, 0.3), b(0.4, 0.6, 0.3);
  const UnstructuredGrid grid = tube(a, b, 0.05);
  const AroundAxis around(grid, a, (b - a).normalized());
  for (Eigen::Index i = 0; i < grid.points.cols(); ++i) {
    const double s = around.along[i];
    EXPECT_LT(std::min(std::abs(s), std::abs(s - 0.5)), 1e-7) << "every point is on an end section";
  }
  EXPECT_NEAR(around.along.maxCoeff() - around.along.minCoeff(), 0.5, 1e-7);
  EXPECT_NEAR(around.radius.maxCoeff(), 0.05, 1e-7);
  const double sixteen_gon = 8.0 * std::sin(2.0 * EIGEN_PI / 16.0) * 0.05 * 0.05;
  EXPECT_NEAR(volume(grid), 0.5 * sixteen_gon, 1e-7);
}

TEST(Shapes, SolidsAreWhereTheyShouldBe) {
  const Vector3d centre(1.0, 2.0, 3.0);
  EXPECT_NEAR((sphere(centre, 0.1).points.colwise() - centre).colwise().norm().maxCoeff(), 0.1, 1e-12);
  EXPECT_NEAR(volume(box(centre, {0.1, 0.2, 0.3})), 6e-3, 1e-12);
  const AroundAxis pin(cylinder(centre, Vector3d::UnitX(), 0.1, 0.4), centre, Vector3d::UnitX());
  EXPECT_NEAR(pin.along.minCoeff(), -0.2, 1e-7);
  EXPECT_NEAR(pin.along.maxCoeff(), 0.2, 1e-7);
  const UnstructuredGrid support = pyramid(centre, -Vector3d::UnitZ(), 0.1);
  EXPECT_NEAR(support.points.row(2).maxCoeff(), 3.0, 1e-12);
  EXPECT_NEAR(support.points.row(2).minCoeff(), 2.9, 1e-12);
}

TEST(Shapes, ACoilReachesFromEndToEndWithItsRadiusWhateverItsLength) {
  for (const double length : {0.01, 1.0, 7.0}) {
    const Vector3d a(1.0, 0.0, 0.0), e = Vector3d(1.0, 2.0, 2.0) / 3.0, b = a + length * e;
    const UnstructuredGrid grid = coil(a, b, 0.1);
    const AroundAxis around(grid, a, e);
    EXPECT_NEAR(around.radius.maxCoeff(), 0.1, 0.013) << "half the wire";
    EXPECT_GT(around.radius.maxCoeff(), 0.1);
    EXPECT_LT((grid.points.colwise() - a).colwise().norm().minCoeff(), 0.013);
    EXPECT_LT((grid.points.colwise() - b).colwise().norm().minCoeff(), 0.013);
    EXPECT_GT(around.along.minCoeff(), -0.013);
    EXPECT_LT(around.along.maxCoeff(), length + 0.013);
  }
  EXPECT_TRUE(coil(Vector3d::Zero(), Vector3d::Zero(), 0.1).points.allFinite());
}

TEST(Shapes, AppendedShapesKeepTheirCorners) {
  UnstructuredGrid both = box(Vector3d::Zero(), Vector3d::Ones());
  const Eigen::Index n = both.points.cols();
  append(both,
         placed(box(Vector3d::Zero(), Vector3d::Ones()), Vector3d(5.0, 0.0, 0.0), Matrix3d::Identity()));
  ASSERT_EQ(both.cells.size(), 2u);
  EXPECT_EQ(both.cells[1].corners.minCoeff(), n);
  EXPECT_EQ(both.cells[1].corners.maxCoeff(), 2 * n - 1);
  EXPECT_NEAR(volume(both), 2.0, 1e-12);
}

}  // namespace
}  // namespace kurbel
