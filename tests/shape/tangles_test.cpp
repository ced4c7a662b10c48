/// Boundaries that pass through themselves: found, and mended where smoothing made them so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <numbers>
#include <random>
#include <set>

#include "shape/boundary.hpp"
#include "shape/shape.hpp"
#include "shape/shape_mesh.hpp"
#include "shape/shape_step.hpp"
#include "tests/shape/box_field.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using Eigen::Index;

bool crosses_itself(const Boundary& boundary) {
  return find_crossing(boundary).has_value();
}

/// Two tetrahedra, the second one moved; `joint` of its corners are the first one's. A density has its level at all faces.
Boundary two_tetrahedra(const Vector3d& way, int joint = 0) {
  Boundary boundary;
  boundary.is_cut.assign(8, true);
  boundary.points.resize(3, 8);
  boundary.points.leftCols(4) << 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1;
  boundary.points.rightCols(4) = boundary.points.leftCols(4).colwise() + way;
  boundary.faces.resize(3, 8);
  boundary.faces.leftCols(4) << 0, 0, 0, 1, 2, 1, 3, 2, 1, 3, 2, 3;
  boundary.faces.rightCols(4) = boundary.faces.leftCols(4).array() + 4;
  for (int corner = 0; corner < joint; ++corner) {
    boundary.faces.rightCols(4) =
        (boundary.faces.rightCols(4).array() == corner + 4).select(corner, boundary.faces.rightCols(4));
  }
  return boundary;
}

TEST(Tangles, AreFacesThatPassThroughEachOther) {
  EXPECT_FALSE(crosses_itself(two_tetrahedra({1.01, 0.0, 0.0})));
  EXPECT_FALSE(crosses_itself(two_tetrahedra({0.5, 0.5, 0.01})));
  EXPECT_TRUE(crosses_itself(two_tetrahedra({0.3, 0.2, 0.1})));
  EXPECT_TRUE(crosses_itself(two_tetrahedra({-0.3, 0.1, 0.2})));
}

TEST(Tangles, AreFacesWithAPointInCommonThatPassThroughEachOther) {
  EXPECT_TRUE(crosses_itself(two_tetrahedra({0.3, 0.2, 0.1}, 1)));
  Boundary apart = two_tetrahedra({0.0, 0.0, 0.0}, 1);
  apart.points.rightCols(3) *= -1.0;
  EXPECT_FALSE(crosses_itself(apart));
}

TEST(Tangles, AreNotMeshed) {
  const Boundary boundary = two_tetrahedra({0.3, 0.2, 0.1});
  Shape shape;
  shape.surface = {boundary.points, boundary.faces};
  shape.crossing = find_crossing(boundary);
  const TemporaryFolder folder;
  EXPECT_THAT([&] { (void)mesh_within(shape, 0.2, folder / ""); },
              testing::ThrowsMessage<ShapeFailure>(testing::HasSubstr("passes through itself at (")));
}

TEST(Tangles, AreToldWithTheirCause) {
  using testing::HasSubstr;
  Boundary boundary = two_tetrahedra({0.3, 0.2, 0.1});
  Shape shape;
  shape.crossing = find_crossing(boundary);
  EXPECT_THAT(crossing_message(shape), HasSubstr(") m. Raise filter.radius or refine the mesh"));
  boundary.is_cut.assign(8, false);
  shape.crossing = find_crossing(boundary);
  EXPECT_THAT(crossing_message(shape),
              HasSubstr(", as the mesh of the part or a border of its regions does. Change these there"));
  for (int face = 0; face < 8; ++face) {
    boundary.is_cut.assign(8, true);
    boundary.is_cut[static_cast<std::size_t>(face)] = false;
    EXPECT_FALSE(find_crossing(boundary)->is_of_mesh) << face;
  }
}

/// Squares with one corner in common.
Shape touching_squares() {
  Shape shape;
  Boundary& outline = shape.outline;
  outline.points.resize(3, 7);
  outline.points << 0, 1, 1, 0, 2, 2, 1, 0, 0, 1, 1, 1, 2, 2, 0, 0, 0, 0, 0, 0, 0;
  outline.faces.resize(2, 8);
  outline.faces << 0, 1, 2, 3, 2, 4, 5, 6, 1, 2, 3, 0, 4, 5, 6, 2;
  outline.is_cut.assign(8, true), outline.is_held.assign(7, false);
  return shape;
}

TEST(Tangles, AreNoSolidsOfCad) {
  const TemporaryFolder folder;
  Shape shape = touching_squares();
  const auto write = [&] { (void)write_step(folder / "a.step", shape, 0.1, folder / ""); };
  EXPECT_THAT(write, testing::ThrowsMessage<ShapeFailure>(
                         testing::HasSubstr("it touches itself in a point, (1, 1) m. Raise filter.radius")));
  shape.outline.is_cut.assign(8, false);
  EXPECT_THAT(write, testing::ThrowsMessage<ShapeFailure>(testing::HasSubstr(
                         "(1, 1) m, as the mesh of the part or a border of its regions does")));
  shape.crossing = Crossing{Vector3d::Zero(), false};
  EXPECT_THAT(write, testing::ThrowsMessage<ShapeFailure>(testing::HasSubstr("passes through itself")));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.step"));
}

TEST(Tangles, AreLinesOfAFlatBodyThatCross) {
  Boundary boundary;
  boundary.points.resize(3, 4);
  boundary.points << 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0;
  boundary.faces.resize(2, 4);
  boundary.faces << 0, 1, 2, 3, 1, 2, 3, 0;
  boundary.is_cut.assign(4, true);
  EXPECT_FALSE(crosses_itself(boundary));
  boundary.points.col(2).swap(boundary.points.col(3));
  EXPECT_TRUE(crosses_itself(boundary));
}

/// Waves of random directions and lengths from three elements on, sharpened: members and gaps of all widths, and solid corners.
DensityField waves(const Cells& cells, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1.0, 1.0);
  const int dim = cells[2] == 0 ? 2 : 3;
  std::vector<Vector3d> numbers;
  for (int k = 0; k < 12; ++k) {
    Vector3d direction(any(random), any(random), dim == 2 ? 0.0 : any(random));
    numbers.emplace_back(2.0 * std::numbers::pi * cells[0] / 3.0 * direction);
  }
  DensityField field = box(cells, [&](const Vector3d& x) {
    double sum = 0.0;
    for (std::size_t k = 0; k < numbers.size(); ++k)
      sum += std::cos(numbers[k].dot(x) + static_cast<double>(k));
    return 0.5 + 0.5 * std::tanh(4.0 * sum);
  });
  set_role(field, CellRole::solid,
           [&](const Vector3d& x) { return (x - Vector3d(0.2, 0.3, x.z())).norm() < 0.15; });
  return field;
}

// All is solid in a part whose surface moves: there is no density to filter.
TEST(Tangles, OfAPartWithoutDensitiesHaveItsOffsetsForARemedy) {
  DensityField field = waves({6, 6, 6}, 1);
  const Shape of_densities =
      make_shape(field, {.volume = (field.density.array() >= 0.5).cast<double>().mean()});
  EXPECT_STREQ(remedy_of(of_densities), "Raise filter.radius or refine the mesh, and optimize again");
  field.role.assign(field.role.size(), CellRole::solid);
  field.density.setOnes();
  Shape shape = make_shape(field, {.volume = 1.0});
  EXPECT_FALSE(shape.crossing.has_value());
  shape.crossing = Crossing{Vector3d::Zero(), true};
  EXPECT_THAT(crossing_message(shape), testing::HasSubstr("Bound the offsets of mesh.surface more closely"));
}

// Smoothing alone makes some of these boundaries pass through themselves, or turns triangles of flat sides over.
TEST(Tangles, AreTakenOutOfSmoothedBoundaries) {
  int n_crossing = 0;
  for (const Cells& cells : {Cells{40, 40, 0}, Cells{14, 14, 14}}) {
    for (unsigned seed = 0; seed < 8; ++seed) {
      const Simplices simplices = divide(waves(cells, seed));
      Boundary boundary = cut_at(simplices, 0.5);
      if (!boundary.crowded.empty()) continue;
      const MatrixXd before = boundary.points;
      EXPECT_FALSE(crosses_itself(boundary));
      smooth(boundary, 20, Eigen::AlignedBox3d(Vector3d::Zero(), Vector3d::Ones()));
      const MatrixXd smoothed = boundary.points;
      if (crosses_itself(boundary)) ++n_crossing;
      untangle(boundary, before);
      EXPECT_FALSE(crosses_itself(boundary)) << cells[2] << " seed " << seed;
      for (const auto& t : boundary.inner.colwise()) {
        const auto edge = [&](Index k) {
          return Vector3d(boundary.points.col(t[k]) - boundary.points.col(t[0]));
        };
        EXPECT_GT(edge(1).cross(edge(2)).z(), 0.0) << "seed " << seed;
      }
      const Index n_moved = ((boundary.points - smoothed).colwise().norm().array() > 0.0).count();
      EXPECT_LT(n_moved, boundary.points.cols() / 5) << cells[2] << " seed " << seed;
    }
  }
  EXPECT_GE(n_crossing, 4);
}

// Gaps are filled and thin members are made thicker at points of the mesh: then smoothing makes no boundary cross.
TEST(Tangles, AreGoneOnceNarrowPlacesAreSolid) {
  for (const Cells& cells : {Cells{40, 40, 0}, Cells{12, 12, 12}}) {
    int n_crossing = 0, n_left = 0;
    for (unsigned seed = 0; seed < 12; ++seed) {
      const Simplices simplices = divide(waves(cells, seed));
      std::set<int> solid;
      bool crosses = false;
      for (int round = 0; round < 6; ++round) {
        Boundary boundary = cut_at(simplices, 0.5, {solid.begin(), solid.end()});
        const MatrixXd before = boundary.points;
        smooth(boundary, 20, Eigen::AlignedBox3d(Vector3d::Zero(), Vector3d::Ones()));
        crosses = crosses_itself(boundary);
        if (round == 0) n_crossing += crosses;
        solid.merge(narrow_points(boundary, before));
      }
      n_left += crosses;
    }
    EXPECT_GE(n_crossing, 4) << cells[2];
    EXPECT_EQ(n_left, 0) << cells[2];
  }
}

// Cut at the same level and smoothed alone, boundaries of both kinds cross.
TEST(Tangles, AreNotInShapes) {
  std::set<int> kinds_that_crossed;
  for (const Cells& cells : {Cells{40, 40, 0}, Cells{12, 12, 12}}) {
    for (unsigned seed = 20; seed < 26; ++seed) {
      const DensityField field = waves(cells, seed);
      const double share = (field.density.array() >= 0.5).cast<double>().mean();
      const double thickness = cells[2] == 0 ? 0.05 : 1.0;
      const Shape shape = make_shape(field, {.volume = share * thickness, .thickness = thickness});
      EXPECT_FALSE(shape.crossing.has_value()) << cells[2] << " seed " << seed;
      Boundary boundary = cut_at(divide(field), shape.level);
      smooth(boundary, 20, Eigen::AlignedBox3d(Vector3d::Zero(), Vector3d::Ones()));
      if (crosses_itself(boundary)) kinds_that_crossed.insert(cells[2]);
    }
  }
  EXPECT_EQ(kinds_that_crossed.size(), 2);
}

}  // namespace
}  // namespace kurbel
