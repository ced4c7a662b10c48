/// @file
/// Surfaces of triangles (.stl): which are filled, with which surfaces, and which are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "fem/selection.hpp"
#include "tests/input_error.hpp"
#include "tests/parts/part_texts.hpp"

namespace kurbel::test {
namespace {

using Triangle = std::array<Vector3d, 3>;
using Triangles = std::vector<Triangle>;

std::string stl_text(const Triangles& triangles) {
  std::string text = "solid part\n";
  for (const Triangle& triangle : triangles) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const Vector3d& x : triangle) {
      text += "vertex";
      for (const double coordinate : x) text += " " + std::to_string(coordinate);
      text += "\n";
    }
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid part\n";
}

/// A tetrahedron with edges of this length along the axes.
Triangles corner_of_cube(double edge = 1.0, const Vector3d& at = Vector3d::Zero()) {
  const Vector3d x = at + edge * Vector3d::UnitX(), y = at + edge * Vector3d::UnitY(),
                 z = at + edge * Vector3d::UnitZ();
  return {{at, y, x}, {at, x, z}, {at, z, y}, {x, y, z}};
}

/// Makes a tube: a rectangle between two radii and two heights turns around the z axis.
Triangles tube(double inner, double outer, double length, int n) {
  const std::array<std::array<double, 2>, 4> rectangle = {
      {{outer, 0.0}, {outer, length}, {inner, length}, {inner, 0.0}}};
  const auto point = [&](std::size_t corner, int i) {
    const auto [radius, z] = rectangle[corner % 4];
    const double angle = 2.0 * std::numbers::pi * (i % n) / n;
    return Vector3d(radius * std::cos(angle), radius * std::sin(angle), z);
  };
  Triangles triangles;
  for (std::size_t k = 0; k < 4; ++k) {
    for (int i = 0; i < n; ++i) {
      triangles.push_back({point(k, i), point(k, i + 1), point(k + 1, i + 1)});
      triangles.push_back({point(k, i), point(k + 1, i + 1), point(k + 1, i)});
    }
  }
  return triangles;
}

double area_of_tube(double inner, double outer, int n) {
  return 0.5 * n * std::sin(2.0 * std::numbers::pi / n) * (outer * outer - inner * inner);
}

void expect_stl_refused(const Triangles& triangles, const std::vector<std::string>& parts) {
  expect_input_error([&] { mesh_of("part.stl", stl_text(triangles)); }, parts);
}

TEST(TriangleSurface, OfFourTrianglesIsFilled) {
  const auto mesh = mesh_of("part.stl", stl_text(corner_of_cube()));
  EXPECT_NEAR(mesh->measures().sum(), 1.0 / 6.0, 1e-12);
  EXPECT_EQ(fem::surfaces(*mesh).size(), 4U);
}

TEST(TriangleSurface, HasItsPlanesAndBoresAsOneSurfaceEach) {
  const int n = 48;
  const auto mesh = mesh_of("part.stl", stl_text(tube(1.0, 2.0, 3.0, n)), 0.3);
  EXPECT_NEAR(mesh->measures().sum(), 3.0 * area_of_tube(1.0, 2.0, n), 0.2);
  EXPECT_EQ(fem::surfaces(*mesh).size(), 4U);
}

TEST(TriangleSurface, KeepsItsTrianglesWhereElementsOfTheDefaultSizeWouldLoseIt) {
  const int n = 24;
  const auto mesh = mesh_of("part.stl", stl_text(tube(1.0, 2.0, 100.0, n)));
  EXPECT_NEAR(mesh->measures().sum(), 100.0 * area_of_tube(1.0, 2.0, n), 1e-3);
  EXPECT_EQ(fem::surfaces(*mesh).size(), 4U);
}

TEST(TriangleSurface, IsRefusedIfItIsNotClosed) {
  Triangles open = corner_of_cube();
  open.pop_back();
  expect_stl_refused(open,
                     {"part.stl: its surface is not closed: 3 of its edges have a triangle on one side only",
                      "around (", "Export it again as a closed solid"});
  Triangles tube_with_hole = tube(1.0, 2.0, 3.0, 12);
  tube_with_hole.erase(tube_with_hole.begin() + 1);
  expect_stl_refused(tube_with_hole, {"not closed: 3 of its edges"});
}

TEST(TriangleSurface, IsRefusedIfItBranches) {
  Triangles twice = corner_of_cube();
  twice.push_back(twice.front());
  twice.push_back(twice.front());
  expect_stl_refused(twice, {"part.stl: its surface branches: 3 of its edges have more than two triangles"});
}

TEST(TriangleSurface, IsRefusedIfItPassesThroughItself) {
  Triangles both = corner_of_cube();
  for (const Triangle& triangle : corner_of_cube(0.8, {0.1, 0.1, -0.3})) both.push_back(triangle);
  expect_stl_refused(both,
                     {"part.stl: its surface passes through itself, such as around (", "Export it again"});
}

TEST(TriangleSurface, IsRefusedIfThereIsNone) {
  expect_stl_refused({}, {"part.stl: it has no triangles"});
}

}  // namespace
}  // namespace kurbel::test
