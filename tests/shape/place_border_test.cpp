/// Borders of solid and void places that run through cells: shapes follow them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include "shape/shape.hpp"
#include "tests/shape/box_field.hpp"

namespace kurbel {
namespace {

double radius_of(const Vector3d& x) {
  return std::hypot(x.x() - 0.5, x.y() - 0.5);
}

/// A boss of radius 0.3 along z in the middle of nothing, by its cells.
DensityField boss(const Cells& cells) {
  DensityField field = box(cells, [](const Vector3d&) { return 1e-3; });
  set_role(field, CellRole::solid, [](const Vector3d& x) { return radius_of(x) < 0.3; });
  return field;
}

double volume_of(const DensityField& field, CellRole role) {
  double volume = 0.0;
  for (std::size_t e = 0; e < field.role.size(); ++e) {
    if (field.role[e] == role) volume += field.volume[static_cast<Eigen::Index>(e)];
  }
  return volume;
}

/// The largest distance of the wall of a boss or hole from the circle.
double roughness(const Shape& shape, double radius = 0.3) {
  double largest = 0.0;
  for (const auto& triangle : shape.surface.triangles.colwise()) {
    const auto z = shape.surface.points(2, triangle);
    if (z.maxCoeff() - z.minCoeff() < 1e-12) continue;  // of the ends
    for (const int point : triangle) {
      const double off = std::abs(radius_of(shape.surface.points.col(point)) - radius);
      if (off < 0.1) largest = std::max(largest, off);  // else of another wall
    }
  }
  return largest;
}

TEST(PlaceBorder, IsFollowedToItsOwnAccuracy) {
  for (const Cells& cells : {Cells{20, 20, 0}, Cells{12, 12, 5}}) {
    const ShapeOptions options{std::numbers::pi * 0.09, cells[2] == 0 ? 1.0 : 0.0};
    DensityField field = boss(cells);
    field.is_in_solid_place = [](const Vector3d& x) { return radius_of(x) <= 0.3; };
    const Shape shape = make_shape(field, options);
    EXPECT_TRUE(find_faults(shape.surface).is_closed());
    EXPECT_EQ(count_pieces(shape.surface), 1);
    EXPECT_LT(roughness(shape), 1e-9);
    EXPECT_NEAR(enclosed_volume(shape.surface), options.volume, 0.01 * options.volume);
    // The steps of the cells otherwise.
    field.is_in_solid_place = nullptr;
    const ShapeOptions of_cells{volume_of(field, CellRole::solid), options.thickness};
    EXPECT_GT(roughness(make_shape(field, of_cells)), 0.2 / cells[0]);
  }
}

// A point that is held, such as one of a bearing, is on no wall of the shape if the border is elsewhere, and does not move.
TEST(PlaceBorder, MovesNoPointThatIsHeld) {
  DensityField field = boss({20, 20, 0});
  field.is_held.assign(field.is_held.size(), true);
  field.is_in_solid_place = [](const Vector3d& x) { return radius_of(x) <= 0.3; };
  const Simplices simplices = divide(field);
  EXPECT_EQ(MatrixXd(simplices.points.leftCols(field.mesh.points.cols())), field.mesh.points);
  field.is_held.assign(field.is_held.size(), false);
  EXPECT_NE(MatrixXd(divide(field).points.leftCols(field.mesh.points.cols())), field.mesh.points);
}

/// A hole of radius 0.3 along z in the middle of a plate, by its cells.
DensityField hole(const Cells& cells, const std::function<double(const Vector3d&)>& density_at) {
  DensityField field = box(cells, density_at);
  set_role(field, CellRole::empty, [](const Vector3d& x) { return radius_of(x) < 0.3; });
  return field;
}

double full(const Vector3d&) {
  return 1.0;
}

TEST(PlaceBorder, IsTheWallOfAHole) {
  for (const Cells& cells : {Cells{20, 20, 0}, Cells{12, 12, 5}}) {
    const ShapeOptions options{1.0 - std::numbers::pi * 0.09, cells[2] == 0 ? 1.0 : 0.0};
    DensityField field = hole(cells, full);
    const ShapeOptions of_cells{volume_of(field, CellRole::varied), options.thickness};
    EXPECT_GT(roughness(make_shape(field, of_cells)), 0.2 / cells[0]) << "the steps of the cells";
    field.is_in_void_place = [](const Vector3d& x) { return radius_of(x) <= 0.3; };
    const Shape shape = make_shape(field, options);
    EXPECT_TRUE(find_faults(shape.surface).is_closed());
    EXPECT_EQ(count_pieces(shape.surface), 1);
    EXPECT_LT(roughness(shape), 1e-9);
    EXPECT_NEAR(enclosed_volume(shape.surface), options.volume, 0.01 * options.volume);
  }
}

// The hole is stated within the boss, which is solid around it and has nothing around itself.
TEST(PlaceBorder, IsThatOfAHoleInABoss) {
  for (const Cells& cells : {Cells{24, 24, 0}, Cells{16, 16, 4}}) {
    DensityField field = box(cells, [](const Vector3d&) { return 1e-3; });
    set_role(field, CellRole::solid, [](const Vector3d& x) { return radius_of(x) < 0.4; });
    set_role(field, CellRole::empty, [](const Vector3d& x) { return radius_of(x) < 0.17; });
    field.is_in_void_place = [](const Vector3d& x) { return radius_of(x) <= 0.17; };
    field.is_in_solid_place = [](const Vector3d& x) {
      return radius_of(x) >= 0.17 - 1e-9 && radius_of(x) <= 0.4;
    };
    const ShapeOptions options{std::numbers::pi * (0.16 - 0.0289), cells[2] == 0 ? 1.0 : 0.0};
    const Shape shape = make_shape(field, options);
    EXPECT_TRUE(find_faults(shape.surface).is_closed());
    EXPECT_EQ(count_pieces(shape.surface), 1);
    EXPECT_LT(roughness(shape, 0.17), 1e-8);
    EXPECT_LT(roughness(shape, 0.4), 1e-8);
    EXPECT_NEAR(enclosed_volume(shape.surface), options.volume, 0.015 * options.volume);
  }
}

// Bars along x end at the hole; a crumb that only its wall touches is left out.
TEST(PlaceBorder, IsTheWallOfAHoleAtWhichMembersEnd) {
  for (const Cells& cells : {Cells{40, 40, 0}, Cells{20, 20, 4}}) {
    DensityField field = hole(cells, [](const Vector3d& x) {
      const bool is_crumb = std::abs(x.x() - 0.5) < 0.06 && x.y() > 0.8 && x.y() < 0.87;
      return std::abs(x.y() - 0.5) < 0.15 || is_crumb ? 1.0 : 1e-3;
    });
    for (Eigen::Index i = 0; i < field.mesh.points.cols(); ++i)
      field.is_held[static_cast<std::size_t>(i)] = std::abs(field.mesh.points(0, i) - 0.5) > 0.5 - 1e-9;
    field.is_in_void_place = [](const Vector3d& x) { return radius_of(x) <= 0.3; };
    const double half = std::asin(0.5), segment = 0.09 * (2.0 * half - std::sin(2.0 * half)) / 2.0;
    const double within = 0.3 * (1.0 - 2.0 * 0.3 * std::cos(half)) - 2.0 * segment;
    const Shape shape = make_shape(field, {within, cells[2] == 0 ? 1.0 : 0.0});
    EXPECT_TRUE(find_faults(shape.surface).is_closed());
    EXPECT_EQ(count_pieces(shape.surface), 2);
    EXPECT_EQ(shape.n_crumbs, 1);
    const double chord = 1.0 / (4.0 * 0.3 * cells[0] * cells[0]);  // of a diagonal in the circle: its height
    for (const auto& point : shape.surface.points.colwise()) EXPECT_GT(radius_of(point), 0.3 - chord);
  }
}

/// The largest angle by which an outline, with the solid to its left, turns right; rad.
double sharpest_notch(const Boundary& outline) {
  std::map<int, Vector3d> leaving;
  for (const auto& edge : outline.faces.colwise())
    leaving[edge[0]] = outline.points.col(edge[1]) - outline.points.col(edge[0]);
  double sharpest = 0.0;
  for (const auto& edge : outline.faces.colwise()) {
    const Vector3d here = leaving.at(edge[0]), next = leaving.at(edge[1]);
    sharpest = std::max(sharpest, -std::atan2(here.cross(next).z(), here.dot(next)));
  }
  return sharpest;
}

// A bar along x meets the boss under 70 degrees. Its corners are rounded with material; the boss stays round beside them.
TEST(PlaceBorder, IsBlendedWithVariedMaterialThatMeetsIt) {
  constexpr double half_width = 0.1, corner = 1.23;  // rad: acos(half_width / 0.3)
  for (const Cells& cells : {Cells{40, 40, 0}, Cells{20, 20, 4}}) {
    DensityField field = boss(cells);
    for (Eigen::Index e = 0; e < field.density.size(); ++e) {
      if (std::abs(centre_of(field, e).y() - 0.5) < half_width) field.density[e] = 1.0;
    }
    field.is_in_solid_place = [](const Vector3d& x) { return radius_of(x) <= 0.3; };
    const double bars = 4.0 * half_width * (0.5 - 0.3 * std::sin(corner));
    const double segments = 0.09 * (std::numbers::pi - 2.0 * corner - std::sin(2.0 * corner));
    const double volume = std::numbers::pi * 0.09 + bars - segments;
    const double chord = 1.0 / (4.0 * 0.3 * cells[0] * cells[0]);  // of a diagonal in the circle: its height
    const Shape shape = make_shape(field, {volume, cells[2] == 0 ? 1.0 : 0.0});
    EXPECT_TRUE(find_faults(shape.surface).is_closed());
    EXPECT_EQ(count_pieces(shape.surface), 1);
    EXPECT_LT(cells[2] == 0 ? sharpest_notch(shape.outline) : 0.0, 0.6 * corner);
    for (const auto& triangle : shape.surface.triangles.colwise()) {
      const auto z = shape.surface.points(2, triangle);
      if (z.maxCoeff() - z.minCoeff() < 1e-12) continue;  // of the ends
      for (const int point : triangle) {
        const Vector3d x = shape.surface.points.col(point);
        EXPECT_GT(radius_of(x), 0.3 - chord);
        const bool is_beside = std::abs(x.y() - 0.5) > 0.25;
        EXPECT_LT(is_beside ? radius_of(x) : 0.3, 0.3 + 1e-9);
      }
    }
  }
}

// Varied material meets an oblique region, and flows into it.
TEST(PlaceBorder, IsClosedWhereVariedMaterialMeetsIt) {
  const auto oblique = [](const Vector3d& x) {
    const double at = x.x() + 0.3 * x.y() + 0.2 * x.z();
    return at > 0.6 && at < 0.9;
  };
  for (const Cells& cells : {Cells{9, 8, 0}, Cells{9, 8, 7}}) {
    DensityField field = box(cells, [](const Vector3d& x) {
      return distance(x, {0.0, 0.3, 0.4}, 3) < 0.8 ? 1.0 : 0.0;
    });
    set_role(field, CellRole::solid, oblique);
    field.is_in_solid_place = oblique;
    double volume = volume_of(field, CellRole::solid);
    for (Eigen::Index e = 0; e < field.density.size(); ++e) {
      if (field.role[static_cast<std::size_t>(e)] == CellRole::varied)
        volume += field.volume[e] * field.density[e];
    }
    const Shape shape = make_shape(field, {volume, cells[2] == 0 ? 1.0 : 0.0});
    const SurfaceFaults faults = find_faults(shape.surface);
    EXPECT_TRUE(faults.is_closed());
    EXPECT_EQ(faults.flat_triangles, 0);
    EXPECT_EQ(count_pieces(shape.surface), 1);
    EXPECT_NEAR(enclosed_volume(shape.surface), volume, 2e-4 * volume);
  }
}

/// Simplices with a place are those without one.
void expect_no_change(DensityField field, const std::function<bool(const Vector3d&)>& place,
                      CellRole role = CellRole::solid) {
  const Simplices before = divide(field);
  (role == CellRole::solid ? field.is_in_solid_place : field.is_in_void_place) = place;
  const Simplices after = divide(field);
  EXPECT_EQ(after.points, before.points);
  EXPECT_EQ(after.corners, before.corners);
  EXPECT_EQ(after.role, before.role);
  EXPECT_EQ(after.density, before.density);
  EXPECT_EQ(after.is_held, before.is_held);
}

TEST(PlaceBorder, ChangesNothingWhereItLiesBetweenCells) {
  for (const Cells& cells : {Cells{6, 6, 0}, Cells{6, 6, 6}}) {
    DensityField field = box(cells, [](const Vector3d& x) { return x.x() < 0.4 ? 1.0 : 1e-3; });
    const auto right = [](const Vector3d& x) { return x.x() > 4.0 / 6.0 - 1e-9; };
    for (const CellRole role : {CellRole::solid, CellRole::empty}) {
      set_role(field, role, right);
      expect_no_change(field, right, role);
    }
  }
}

// A set of the mesh has no points by coordinates.
TEST(PlaceBorder, KeepsSolidCellsWithoutAPointInside) {
  expect_no_change(boss({6, 6, 0}), [](const Vector3d&) { return false; });
  expect_no_change(boss({6, 6, 4}), [](const Vector3d&) { return false; });
}

// A boss in a void: no corner of its cells beyond the border makes material.
TEST(PlaceBorder, HasNoMaterialBeyondItInAVoid) {
  for (const Cells& cells : {Cells{20, 20, 0}, Cells{12, 12, 5}}) {
    DensityField field = boss(cells);
    set_role(field, CellRole::empty, [](const Vector3d& x) { return radius_of(x) >= 0.3; });
    field.is_in_solid_place = [](const Vector3d& x) { return radius_of(x) <= 0.3; };
    const double within = cells[2] == 0 ? 0.2741 : 0.2672;  // of the cells, in the circle
    const Shape shape = make_shape(field, {within, cells[2] == 0 ? 1.0 : 0.0});
    EXPECT_TRUE(find_faults(shape.surface).is_closed());
    for (const auto& point : shape.surface.points.colwise()) EXPECT_LT(radius_of(point), 0.3 + 1e-9);
  }
}

// The cells of a set beside a region keep their faces, although they have points on its border.
TEST(PlaceBorder, KeepsSolidCellsBesideThePlace) {
  for (const Cells& cells : {Cells{6, 6, 0}, Cells{6, 6, 6}}) {
    DensityField field = box(cells, [](const Vector3d&) { return 1e-3; });
    const auto right = [](const Vector3d& x) { return x.x() > 0.5 - 1e-9; };
    set_role(field, CellRole::solid, right);
    set_role(field, CellRole::solid, [](const Vector3d& x) { return x.x() > 0.3 && x.x() < 0.5; });
    expect_no_change(field, right);
  }
}

}  // namespace
}  // namespace kurbel
