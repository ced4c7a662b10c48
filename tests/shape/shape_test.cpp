/// Shapes of designs: closed, of the requested volume, smooth, and in place where they are held.
#include "shape/shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "base/errors.hpp"
#include "parts/mesh_file.hpp"
#include "shape/boundary.hpp"
#include "shape/shape_mesh.hpp"
#include "tests/shape/box_field.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

const Vector3d middle(0.5, 0.5, 0.5);

double within(double radius, const Vector3d& x, int dim) {
  return distance(x, middle, dim) < radius ? 1.0 : 0.0;
}

void expect_solid(const Surface& surface, int pieces = 1) {
  const SurfaceFaults faults = find_faults(surface);
  EXPECT_EQ(faults.open_edges, 0);
  EXPECT_EQ(faults.crowded_edges, 0);
  EXPECT_EQ(faults.turned_edges, 0);
  EXPECT_EQ(faults.flat_triangles, 0);
  EXPECT_EQ(count_pieces(surface), pieces);
}

TEST(Shape, OfABallIsABallOfTheRequestedVolume) {
  const double volume = 4.0 / 3.0 * std::numbers::pi * std::pow(0.3, 3);
  const Shape shape =
      make_shape(box({20, 20, 20}, [](const Vector3d& x) { return within(0.3, x, 3); }), {volume});
  expect_solid(shape.surface);
  EXPECT_NEAR(shape.volume, volume, 1e-4 * volume);
  EXPECT_NEAR(enclosed_volume(shape.surface), volume, 1e-4 * volume);
  // Densities of zero and one alone make steps of an element, 0.05, in caps of four by four.
  double sum = 0.0;
  for (const auto& point : shape.surface.points.colwise()) {
    const double error = (point - middle).norm() - 0.3;
    EXPECT_LT(std::abs(error), 0.25 * 0.05);
    sum += error * error;
  }
  EXPECT_LT(std::sqrt(sum / static_cast<double>(shape.surface.points.cols())), 0.1 * 0.05);
}

TEST(Shape, OfAFlatRingIsExtruded) {
  const double area = std::numbers::pi * (0.16 - 0.04);
  const auto ring = [](const Vector3d& x) { return within(0.4, x, 2) - within(0.2, x, 2); };
  const Shape shape = make_shape(box({40, 40, 0}, ring), {0.01 * area, 0.01});
  expect_solid(shape.surface);
  EXPECT_NEAR(enclosed_volume(shape.surface), 0.01 * area, 1e-4 * 0.01 * area);
  EXPECT_EQ(shape.surface.points.row(2).maxCoeff(), 0.005);
  EXPECT_EQ(shape.surface.points.row(2).minCoeff(), -0.005);
}

TEST(Shape, HasCavitiesAndSeveralPieces) {
  const auto shell = [](const Vector3d& x) { return within(0.4, x, 3) - within(0.2, x, 3); };
  const Shape hollow = make_shape(box({20, 20, 20}, shell), {0.2});
  expect_solid(hollow.surface);
  const auto bars = [](const Vector3d& x) { return std::abs(x.x() - 0.5) > 0.2 ? 1.0 : 0.0; };
  expect_solid(make_shape(box({10, 10, 10}, bars), {0.6}).surface, 2);
}

// Smoothing goes forth and back; back, it would carry cuts that are close to the side of the mesh out of it.
TEST(Shape, StaysWithinTheBoxOfItsMesh) {
  for (const Cells& cells : {Cells{24, 24, 0}, Cells{12, 12, 12}}) {
    const int n = cells[0];
    const auto scalloped = [n](const Vector3d& x) {
      return x.y() < 1.0 - 1.1 / n ? 1.0 : 0.42 + 0.2 * std::sin(9.0 * x.x()) * std::cos(7.0 * x.z());
    };
    for (const double volume : {0.92, 0.94, 0.96, 0.98}) {
      const Shape shape = make_shape(box(cells, scalloped), {volume, cells[2] == 0 ? 1.0 : 0.0});
      const auto points = shape.surface.points.topRows(cells[2] == 0 ? 2 : 3);
      EXPECT_GE(points.minCoeff(), 0.0);
      EXPECT_LE(points.maxCoeff(), 1.0);
    }
  }
}

// Cells on one side of an oblique plane: their faces are up to 0.8 of an edge away from the plane in the middle between them.
TEST(DrawnSurface, HasNoStepsOfCells) {
  const int n = 12;
  const Vector3d normal = Vector3d(1.0, 0.7, 0.4).normalized();
  const auto height = [&](const Vector3d& x) { return normal.dot(x - middle); };
  const Surface shown =
      drawn_surface(box({n, n, n}, [&](const Vector3d& x) { return height(x) < 0.0 ? 1.0 : 1e-3; }));
  expect_solid(shown);
  int n_inside = 0;
  for (const auto& x : shown.points.colwise()) {
    if (x.minCoeff() < 1.5 / n || x.maxCoeff() > 1.0 - 1.5 / n) continue;  // beside the faces of the mesh
    ++n_inside;
    EXPECT_LT(std::abs(height(x)), 0.2 / n);
  }
  EXPECT_GT(n_inside, 100);
}

TEST(DrawnSurface, HasNoTrianglesWhereNothingIsSolid) {
  EXPECT_EQ(drawn_surface(box({4, 4, 4}, [](const Vector3d&) { return 0.4; })).triangles.cols(), 0);
}

// Where no density varies the level of the picture is that of the shape, whatever volume is asked for.
TEST(DrawnSurface, OfWhatIsSolidIsItsShape) {
  DensityField field = box({6, 6, 6}, [](const Vector3d&) { return 1.0; });
  set_role(field, CellRole::empty, [](const Vector3d& x) { return x.x() > 0.5 && x.y() > 0.5; });
  set_role(field, CellRole::solid, [](const Vector3d& x) { return x.x() < 0.5 || x.y() < 0.5; });
  const Surface shown = drawn_surface(field), shape = make_shape(field, {0.75}).surface;
  EXPECT_EQ(shown.points, shape.points);
  EXPECT_EQ(shown.triangles, shape.triangles);
}

// Without a design that varies, the shape is the mesh.
TEST(Shape, OfWhatIsSolidKeepsItsFacesEdgesAndCorners) {
  for (const Cells& cells : {Cells{6, 6, 0}, Cells{6, 6, 6}}) {
    DensityField field = box(cells, [](const Vector3d& x) { return x.x() < 0.4 ? 1.0 : 1e-3; });
    set_role(field, CellRole::solid, [](const Vector3d& x) { return x.x() > 0.67 && x.y() < 0.5; });
    set_role(field, CellRole::empty, [](const Vector3d& x) { return x.x() < 0.17; });
    const double thickness = cells[2] == 0 ? 1.0 : 0.0;
    const Shape shape = make_shape(field, {0.4, thickness});
    expect_solid(shape.surface, 2);
    const auto has = [&](const Vector3d& x) {
      for (const auto& point : shape.surface.points.colwise())
        if (distance(point, x, 2) < 1e-12) return true;
      return false;
    };
    EXPECT_TRUE(has({4.0 / 6.0, 0.5, 0.0})) << "a corner of the solid region, inside of the mesh";
    EXPECT_TRUE(has({1.0, 0.0, 0.0}));
    EXPECT_NEAR(shape.surface.points.row(0).minCoeff(), 1.0 / 6.0, 1e-12) << "the face of the empty region";
  }
}

// Two solid regions have an edge in common and nothing else. A surface with four faces there is none of a solid.
TEST(Shape, JoinsRegionsThatTouchInALine) {
  DensityField field = box({6, 6, 6}, [](const Vector3d&) { return 1e-3; });
  set_role(field, CellRole::solid, [](const Vector3d& x) {
    return x.z() < 0.5 && std::abs(x.x() - 0.5) < 0.35 && (x.x() < 0.5) == (x.y() < 0.5);
  });
  const Shape shape = make_shape(field, {0.168});
  expect_solid(shape.surface);
}

// The level passes through a solid region that varied material meets halfway.
TEST(Shape, IsClosedWhereVariedMaterialMeetsASolidRegion) {
  for (const Cells& cells : {Cells{9, 8, 0}, Cells{9, 8, 7}}) {
    DensityField field = box(cells, [](const Vector3d& x) {
      return distance(x, {0.0, 0.3, 0.4}, 3) < 0.8 ? 1.0 : 0.0;
    });
    set_role(field, CellRole::solid, [](const Vector3d& x) { return x.x() > 0.5 && x.x() < 0.8; });
    double volume = 0.0;
    for (Eigen::Index e = 0; e < field.density.size(); ++e)
      volume += field.volume[e] *
                (field.role[static_cast<std::size_t>(e)] == CellRole::solid ? 1.0 : field.density[e]);
    const Shape shape = make_shape(field, {volume, cells[2] == 0 ? 1.0 : 0.0});
    expect_solid(shape.surface);
    EXPECT_NEAR(enclosed_volume(shape.surface), volume, 2e-4 * volume);
  }
}

TEST(Shape, IsClosedOnMeshesOfWedgesAndPyramids) {
  // A cube of six pyramids around its middle beside one of two wedges.
  DensityField field;
  field.mesh.points.resize(3, 13);
  for (int p = 0; p < 12; ++p) field.mesh.points.col(p) << p / 4, (p % 4) / 2, p % 2;
  field.mesh.points.col(12) << 0.5, 0.5, 0.5;
  Eigen::MatrixXi pyramids(5, 6), wedges(6, 2);
  pyramids << 0, 4, 0, 2, 0, 1,  //
      1, 6, 4, 3, 2, 5,          //
      3, 7, 5, 7, 6, 7,          //
      2, 5, 1, 6, 4, 3,          //
      12, 12, 12, 12, 12, 12;
  wedges << 4, 5,  //
      6, 7,        //
      8, 9,        //
      5, 4,        //
      7, 6,        //
      9, 8;
  wedges.col(1) << 8, 6, 10, 9, 7, 11;
  field.mesh.cells = {{CellBlock::Kind::pyramid, pyramids}, {CellBlock::Kind::wedge, wedges}};
  field.density = VectorXd::Ones(8), field.density.tail(2).setConstant(0.1);
  field.volume = VectorXd::Constant(8, 1.0 / 6.0), field.volume.tail(2).setConstant(0.5);
  field.role.assign(8, CellRole::varied);
  field.is_held.assign(13, false);
  const Boundary boundary = cut_at(divide(field), 0.5);
  expect_solid({boundary.points, boundary.faces});
  const double volume = enclosed_volume({boundary.points, boundary.faces});
  EXPECT_NEAR(volume, 1.0, 0.1) << "the cube of pyramids, with some of the other one";
}

TEST(Shape, LeavesOutCrumbsThatNothingHolds) {
  for (const Cells& cells : {Cells{20, 20, 0}, Cells{12, 12, 12}}) {
    const double middle_z = cells[2] == 0 ? 0.0 : 0.5;
    DensityField field = box(cells, [&](const Vector3d& x) {
      return x.x() < 0.5 || distance(x, {0.8, 0.5, middle_z}, 3) < 0.12 ? 1.0 : 0.0;
    });
    for (Eigen::Index p = 0; p < field.mesh.points.cols(); ++p)
      field.is_held[static_cast<std::size_t>(p)] = field.mesh.points(0, p) == 0.0;
    const Shape shape = make_shape(field, {0.5, cells[2] == 0 ? 1.0 : 0.0});
    EXPECT_EQ(shape.n_crumbs, 1);
    expect_solid(shape.surface);
    EXPECT_LT(shape.surface.points.row(0).maxCoeff(), 0.6);
  }
}

// Points have a density of at most a quarter to a half around a member of one element.
TEST(Shape, TellsWhatItHasLostOfThinMembers) {
  const auto thick = [](const Vector3d& x) { return x.x() < 0.5 ? 1.0 : 0.0; };
  EXPECT_EQ(make_shape(box({20, 20, 0}, thick), {0.5, 1.0}).lost, 0.0);
  const auto with_diagonal = [&](const Vector3d& x) {
    return x.x() < 0.5 || std::abs(x.x() - 0.5 - x.y()) < 0.01 ? 1.0 : 0.0;
  };
  EXPECT_NEAR(make_shape(box({20, 20, 0}, with_diagonal), {0.525, 1.0}).lost, 8.0 / 400.0, 1e-12)
      << "of ten elements, but for the one beside the thick part and the one at the edge";
}

TEST(Shape, OfAGreyDesignIsRefused) {
  const auto grey = [](const Vector3d&) { return 0.3; };
  EXPECT_THROW(make_shape(box({4, 4, 0}, grey), {0.3, 1.0}), ShapeFailure);
}

/// A ring and a rod beside it, both without a hole but the ring's.
double ring_and_rod(const Vector3d& x) {
  const double r = (x - Vector3d(0.4, 0.5, x.z())).norm();
  const bool is_ring = r > 0.15 && r<0.3, is_rod = x.x()> 0.8 && x.x() < 0.95 && x.y() > 0.1 && x.y() < 0.9;
  return is_ring || is_rod ? 1.0 : 0.01;
}

TEST(ShapeMesh, FillsPiecesWithHoles) {
  const DensityField field = box({40, 40, 0}, ring_and_rod);
  const double volume = 0.1 * field.volume.dot((field.density.array() > 0.5).cast<double>().matrix());
  const Shape shape = make_shape(field, {.volume = volume, .thickness = 0.1});
  const TemporaryFolder folder;
  const MeshFile content = mesh_within(shape, 0.025, folder / "");
  const auto mesh = make_mesh(content, "shape", 0.1);
  EXPECT_EQ(mesh->kind_of(0), fem::ElementKind::tri6);
  EXPECT_NEAR(mesh->volumes().sum(), shape.volume, 5e-3 * shape.volume);
}

TEST(ShapeMesh, KeepsPointsThatAreHeld) {
  DensityField field =
      box({40, 20, 0}, [](const Vector3d& x) { return std::abs(x.y() - 0.5) < 0.3 ? 1.0 : 0.01; });
  std::vector<Eigen::Index> held;
  for (Eigen::Index p = 0; p < field.mesh.points.cols(); ++p) {
    const Vector3d x = field.mesh.points.col(p);
    const bool is_held =
        (x.x() < 1e-9 && std::abs(x.y() - 0.5) < 0.29) || (x - Vector3d(0.5, 0.5, 0.0)).norm() < 1e-9;
    field.is_held[static_cast<std::size_t>(p)] = is_held;
    if (is_held) held.push_back(p);
  }
  ASSERT_GT(held.size(), 5u);
  const Shape shape = make_shape(field, {.volume = 0.06, .thickness = 0.1});
  const TemporaryFolder folder;
  const auto mesh = make_mesh(mesh_within(shape, 0.05, folder / ""), "shape", 0.1);
  for (const Eigen::Index p : held) {
    const double nearest =
        (mesh->positions().colwise() - field.mesh.points.col(p)).colwise().norm().minCoeff();
    EXPECT_LT(nearest, 1e-12) << field.mesh.points.col(p).transpose();
  }
}

TEST(ShapeMesh, SaysThatAShapeCannotBeMeshed) {
  Shape bow_tie;
  bow_tie.outline.points.resize(3, 4);
  bow_tie.outline.points << 0.0, 1.0, 1.0, 0.0,  //
      0.0, 1.0, 0.0, 1.0,                        //
      0.0, 0.0, 0.0, 0.0;
  bow_tie.outline.faces.resize(2, 4);
  bow_tie.outline.faces << 0, 1, 2, 3,  //
      1, 2, 3, 0;
  bow_tie.outline.inner = Eigen::MatrixXi(3, 2);
  bow_tie.outline.inner << 0, 0, 1, 2, 2, 3;
  bow_tie.outline.is_cut.assign(4, false);
  bow_tie.outline.is_held.assign(4, false);
  const TemporaryFolder folder;
  EXPECT_THROW(mesh_within(bow_tie, 0.5, folder / ""), ShapeFailure);
}

TEST(ShapeMesh, FillsSolids) {
  const DensityField field = box({12, 12, 12}, [](const Vector3d& x) {
    return (x - Vector3d(0.5, 0.5, x.z())).norm() < 0.2 ? 0.01 : 1.0;  // a block with a hole
  });
  const Shape shape = make_shape(field, {.volume = 0.87});
  const TemporaryFolder folder;
  const auto mesh = make_mesh(mesh_within(shape, 0.1, folder / ""), "shape", 0.0);
  EXPECT_EQ(mesh->kind_of(0), fem::ElementKind::tet10);
  EXPECT_NEAR(mesh->volumes().sum(), shape.volume, 1e-2 * shape.volume);
  EXPECT_NEAR(mesh->positions().maxCoeff(), 1.0, 1e-12);
}

/// A ball of n x n squares on each of six faces, whose radii scatter by 5 %.
Surface uneven_ball(int n) {
  Surface ball;
  std::vector<Vector3d> points;
  std::vector<std::array<int, 3>> triangles;
  std::map<std::array<int, 3>, int> numbers;
  unsigned state = 1;
  const auto point = [&](const std::array<int, 3>& at) {
    const auto [entry, is_new] = numbers.try_emplace(at, static_cast<int>(points.size()));
    if (is_new) {
      state = 1664525u * state + 1013904223u;
      const double radius = 0.95 + 0.1 * state / 4294967296.0;
      points.push_back(radius * (2.0 / n * Vector3d(at[0], at[1], at[2]) - Vector3d::Ones()).normalized());
    }
    return entry->second;
  };
  const auto add_square = [&](int u, int v, int level, std::size_t axis) {
    std::array<int, 4> corners{};
    for (std::size_t k = 0; k < 4; ++k) {
      std::array<int, 3> at{};
      at[axis] = level;
      at[(axis + 1) % 3] = u + (k == 1 || k == 2 ? 1 : 0);
      at[(axis + 2) % 3] = v + (k > 1 ? 1 : 0);
      corners[k] = point(at);
    }
    if (level == 0) std::ranges::reverse(corners);
    triangles.push_back({corners[0], corners[1], corners[2]});
    triangles.push_back({corners[0], corners[2], corners[3]});
  };
  for (int u = 0; u < n; ++u) {
    for (int v = 0; v < n; ++v) {
      for (const int level : {0, n}) {
        for (std::size_t axis = 0; axis < 3; ++axis) add_square(u, v, level, axis);
      }
    }
  }
  ball.points.resize(3, std::ssize(points));
  for (std::size_t i = 0; i < points.size(); ++i) ball.points.col(static_cast<Eigen::Index>(i)) = points[i];
  ball.triangles.resize(3, std::ssize(triangles));
  for (std::size_t t = 0; t < triangles.size(); ++t)
    ball.triangles.col(static_cast<Eigen::Index>(t)) = Eigen::Vector3i(triangles[t].data());
  return ball;
}

// Edges at every turn of 40 degrees leave pieces of this surface that Gmsh refuses. The elements are larger than its triangles.
TEST(ShapeMesh, FillsSolidsWithAnUnevenSurface) {
  Shape shape;
  shape.surface = uneven_ball(12);
  ASSERT_TRUE(find_faults(shape.surface).is_closed());
  shape.volume = enclosed_volume(shape.surface);
  ASSERT_NEAR(shape.volume, 4.0 / 3.0 * std::numbers::pi, 0.1);
  const TemporaryFolder folder;
  const auto mesh = make_mesh(mesh_within(shape, 0.3, folder / ""), "shape", 0.0);
  EXPECT_NEAR(mesh->volumes().sum(), shape.volume, 0.03 * shape.volume);
}

}  // namespace
}  // namespace kurbel
