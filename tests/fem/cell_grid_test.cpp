/// @file
/// Points found around a place.
#include "fem/cell_grid.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace kurbel::fem::test {
namespace {

std::set<int> found_around(const CellGrid& grid, const Vector3d& place) {
  std::set<int> found;
  grid.find(place, [&](int point) { return found.insert(point), false; });
  return found;
}

TEST(CellGrid, FindsThePointsInTheCubesAroundAPlace) {
  const Mesh::Points points{{0.0, 1.0, 2.0, 3.0}, {0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}};
  const CellGrid grid(points, 1.0);
  EXPECT_EQ(found_around(grid, {1.5, 0.0, 0.0}), (std::set{0, 1, 2}));
  EXPECT_EQ(found_around(grid, {-0.5, -0.5, -0.5}), std::set{0});
  EXPECT_EQ(found_around(grid, {3.0, 1.5, 0.0}), (std::set{2, 3}));
}

// Gmsh asks for the size of elements at such places while it computes a mesh.
TEST(CellGrid, FindsNothingFarFromAllPointsOrWhereNoPlaceIs) {
  const Mesh::Points points = Mesh::Points::Zero(3, 1);
  const CellGrid grid(points, 1.0);
  for (const double x :
       {-2.5, 2.5, -1e300, 1e300, std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_EQ(found_around(grid, {x, 0.0, 0.0}), std::set<int>{}) << x;
    EXPECT_FALSE(grid.has_within({0.0, 0.0, x}, 1.0)) << x;
  }
}

}  // namespace
}  // namespace kurbel::fem::test
