#include "output/surface_picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/output/vtk_reading.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

/// Pixels of a picture that are not white.
double drawn_pixels(const std::filesystem::path& path) {
  const ReadImage image = read_png(path);
  return static_cast<double>(std::ranges::count_if(image.pixels, [](const auto& p) { return p[0] < 255; }));
}

/// A disc of radius 1 as one face, with corners and middles of edges on its circle. Two more points, which no face has, make all
/// pictures of discs alike in scale.
NumberedSurfaces disc(CellBlock::Kind kind, int n_corners) {
  const int n = 2 * n_corners;
  NumberedSurfaces surfaces;
  surfaces.numbers = {1};
  surfaces.grid.points.resize(3, n + 2);
  surfaces.grid.points.rightCols<2>() << -1.5, 1.5, -1.5, 1.5, 0.0, 0.0;
  for (int a = 0; a < n; ++a) {
    const double angle = 2.0 * std::numbers::pi * (a < n_corners ? a : a - n_corners + 0.5) / n_corners;
    surfaces.grid.points.col(a) << std::cos(angle), std::sin(angle), 0.0;
  }
  const bool is_quadratic =
      kind == CellBlock::Kind::quadratic_triangle || kind == CellBlock::Kind::quadratic_quadrilateral;
  surfaces.grid.cells.push_back({kind, Eigen::VectorXi::LinSpaced(is_quadratic ? n : n_corners, 0,
                                                                  is_quadratic ? n - 1 : n_corners - 1)});
  return surfaces;
}

/// Area within the parabolas through the nodes, relative to that of the polygon of the corners, less the sixteenth of what
/// lies beyond the polygon that four straight parts of an edge miss.
double drawn_by_polygon(int n) {
  const double half = std::numbers::pi / n, chord = 2.0 * std::sin(half), sagitta = 1.0 - std::cos(half);
  const double polygon = 0.5 * n * std::sin(2.0 * half), beyond = n * 2.0 / 3.0 * chord * sagitta;
  return 1.0 + 15.0 / 16.0 * beyond / polygon;
}

TEST(SurfacePicture, DrawsQuadraticFacesCurved) {
  using Kind = CellBlock::Kind;
  const TemporaryFolder folder;
  const auto pixels = [&](Kind kind, int n_corners) {
    const std::filesystem::path path = folder.path() / "surfaces.png";
    write_surfaces_png(path, disc(kind, n_corners), 1200);
    return drawn_pixels(path);
  };
  constexpr double rounding = 0.02;  // of borders to pixels, and the circles of the numbers
  const double quadrilateral = pixels(Kind::quadratic_quadrilateral, 4) / pixels(Kind::quadrilateral, 4);
  EXPECT_NEAR(quadrilateral, drawn_by_polygon(4), rounding * quadrilateral);
  const double triangle = pixels(Kind::quadratic_triangle, 3) / pixels(Kind::triangle, 3);
  EXPECT_NEAR(triangle, drawn_by_polygon(3), rounding * triangle);
}

TEST(SurfacePicture, PutsNumbersAwayFromOtherSurfaces) {
  constexpr int n = 3, length = 600;  // a plate of 3 x 3 squares; the one in the middle is another surface
  NumberedSurfaces plate;
  plate.grid.points.resize(3, (n + 1) * (n + 1));
  for (int i = 0; i <= n; ++i) {
    for (int j = 0; j <= n; ++j) plate.grid.points.col(i + (n + 1) * j) << i, j, 0.0;
  }
  CellBlock squares{CellBlock::Kind::quadrilateral, Eigen::MatrixXi(4, n * n)};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const int first = i + (n + 1) * j;
      squares.corners.col(i + n * j) << first, first + 1, first + n + 2, first + n + 1;
    }
  }
  plate.grid.cells.push_back(squares);
  plate.numbers = {1, 1, 1, 1, 2, 1, 1, 1, 1};
  const TemporaryFolder folder;
  const auto labels = write_surfaces_png(folder.path() / "surfaces.png", plate, length);
  ASSERT_EQ(labels.size(), 2u);
  const double distance = std::hypot(labels[0].x - labels[1].x, labels[0].y - labels[1].y);
  EXPECT_GT(distance, 0.2 * length) << "the middle square is a third of the plate wide";
}

TEST(SurfacePicture, HasALegendAboveInAsManyLinesAsItNeeds) {
  const TemporaryFolder folder;
  const auto height_with = [&](const std::vector<std::string>& legend) {
    NumberedSurfaces surfaces = disc(CellBlock::Kind::quadrilateral, 4);
    surfaces.legend = legend;
    write_surfaces_png(folder.path() / "surfaces.png", surfaces, 400);
    return read_png(folder.path() / "surfaces.png").height;
  };
  const int without = height_with({}), line = height_with({"plane: 1"}) - without;
  EXPECT_GT(line, 0);
  EXPECT_EQ(height_with({"plane: 1", "cone: 2"}) - without, line);
  std::string many = "plane: 1";
  for (int i = 2; i <= 60; ++i) many += ", " + std::to_string(i);
  EXPECT_GE(height_with({many}) - without, 3 * line);
}

}  // namespace
}  // namespace kurbel
