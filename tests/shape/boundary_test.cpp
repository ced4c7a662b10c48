/// Boundaries of solids by themselves: smoothing, and what is held.
#include "shape/boundary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "shape/outline_loops.hpp"

namespace kurbel {
namespace {

const Eigen::AlignedBox3d twice_as_large(Vector3d(-2.0, -2.0, -2.0), Vector3d(2.0, 2.0, 2.0));

/// A polygon of cut edges around a flat body; radii of its points.
Boundary ring(const std::vector<double>& radii) {
  Boundary boundary;
  const auto n = static_cast<Eigen::Index>(radii.size());
  boundary.points = MatrixXd::Zero(3, n), boundary.faces.resize(2, n), boundary.inner.resize(3, 0);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
    boundary.points.col(i).head<2>() =
        radii[static_cast<std::size_t>(i)] * Eigen::Vector2d(std::cos(angle), std::sin(angle));
    boundary.faces.col(i) << static_cast<int>(i), static_cast<int>((i + 1) % n);
  }
  boundary.is_cut.assign(radii.size(), true), boundary.is_held.assign(radii.size(), false);
  return boundary;
}

/// Waves of at least some 12 points pass [G. Taubin]: a ring of 24 does not shrink, the steps of elements go.
TEST(Boundary, IsSmoothedWithoutShrinking) {
  Boundary round = ring(std::vector<double>(24, 1.0));
  smooth(round, 30, twice_as_large);
  for (Eigen::Index i = 0; i < 24; ++i) {
    EXPECT_GE(round.points.col(i).norm(), 1.0);
    EXPECT_LT(round.points.col(i).norm(), 1.05);
  }
  std::vector<double> steps;
  for (int i = 0; i < 24; ++i) steps.push_back(i % 2 == 0 ? 1.0 : 0.9);
  Boundary rough = ring(steps);
  smooth(rough, 30, twice_as_large);
  EXPECT_NEAR(rough.points.col(0).norm(), rough.points.col(1).norm(), 1e-3);
}

/// A point that is cut on an edge is held if both ends are.
TEST(Boundary, IsHeldWhereWholeEdgesAre) {
  Simplices triangle;
  triangle.points = MatrixXd::Zero(3, 3);
  triangle.points(0, 1) = triangle.points(1, 2) = 1.0;
  triangle.corners = Eigen::Vector3i(0, 1, 2);
  triangle.role = {CellRole::varied}, triangle.cell = {0};
  triangle.density = Eigen::Vector3d(0.0, 0.0, 1.0);
  for (const bool all : {false, true}) {
    triangle.is_held = {all, all, true}, triangle.is_blended.assign(3, false),
    triangle.is_walled.assign(3, false);
    const Boundary boundary = cut_at(triangle, 0.5);
    ASSERT_GE(boundary.points.cols(), 2);
    for (Eigen::Index i = 0; i < boundary.points.cols(); ++i) {
      const bool is_corner = boundary.points(1, i) > 0.9;
      EXPECT_EQ(boundary.is_held[static_cast<std::size_t>(i)], all || is_corner);
    }
  }
}

/// The corner is the first point of its loop, so that the point before it is the last one.
TEST(OutlineLoops, LeaveOutASmoothPointCloseToTheCornerAfterIt) {
  Boundary outline = ring(std::vector<double>(12, 1.0));
  outline.is_held[0] = true;
  outline.points.col(11) = 0.8 * outline.points.col(0) + 0.2 * outline.points.col(11);
  const OutlineLoops loops = find_outline_loops(outline, 1.0);
  ASSERT_EQ(loops.of_piece.size(), 1U);
  EXPECT_THAT(loops.of_piece.begin()->second.front().points,
              testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
}

}  // namespace
}  // namespace kurbel
