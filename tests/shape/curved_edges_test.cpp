/// Curved edges of quadratic cells, which shapes follow by way of their middles.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <set>
#include <utility>

#include "fem/element_kind.hpp"
#include "shape/shape.hpp"

namespace kurbel {
namespace {

/// A ring of quadratic triangles between two circles around the origin, n around.
DensityField ring_of_quadratic_triangles(int n, double inner, double outer) {
  DensityField field;
  field.mesh.points.resize(3, 6 * n);
  Eigen::MatrixXi corners(6, 2 * n);
  const auto place = [&](double radius, double k) {
    const double angle = 2.0 * std::numbers::pi * k / n;
    return Vector3d(radius * std::cos(angle), radius * std::sin(angle), 0.0);
  };
  // Points of a spoke: inner, outer, middle of the spoke; then the middles of the inner arc, the outer one and the diagonal behind it.
  for (int k = 0; k < n; ++k) {
    const int p = 6 * k, q = 6 * ((k + 1) % n);
    field.mesh.points.middleCols(p, 6) << place(inner, k), place(outer, k), place(0.5 * (inner + outer), k),
        place(inner, k + 0.5), place(outer, k + 0.5), 0.5 * (place(inner, k) + place(outer, k + 1));
    corners.col(2 * k) << p, p + 1, q + 1, p + 2, p + 4, p + 5;
    corners.col(2 * k + 1) << p, q + 1, q, p + 5, q + 2, p + 3;
  }
  field.mesh.cells = {{CellBlock::Kind::quadratic_triangle, corners}};
  field.density = VectorXd::Ones(2 * n), field.volume = VectorXd::Ones(2 * n);
  field.role.assign(static_cast<std::size_t>(2 * n), CellRole::solid);
  field.is_held.assign(static_cast<std::size_t>(6 * n), true);
  return field;
}

TEST(CurvedEdges, OfQuadraticTrianglesAreFollowed) {
  constexpr int n = 12;
  constexpr double inner = 0.3, outer = 0.5, thickness = 0.1;
  // The boundaries are polygons with a corner at each end and in the middle of the arcs.
  const double area = n * std::sin(std::numbers::pi / n) * (outer * outer - inner * inner);
  const Shape shape = make_shape(ring_of_quadratic_triangles(n, inner, outer),
                                 {.volume = thickness * area, .thickness = thickness});
  EXPECT_NEAR(shape.volume, thickness * area, 1e-12);
  EXPECT_EQ(shape.outline.faces.cols(), 4 * n);
  EXPECT_TRUE(find_faults(shape.surface).is_closed());
  EXPECT_NEAR(enclosed_volume(shape.surface), shape.volume, 1e-12);
  for (const auto& edge : shape.outline.faces.colwise()) {
    for (const int point : edge) {
      const double r = shape.outline.points.col(point).norm();
      EXPECT_LT(std::min(std::abs(r - inner), std::abs(r - outer)), 1e-12);
    }
  }
}

/// Six quadratic triangles around the origin, the left two of them solid. The edge between these is bent.
DensityField hexagon_with_a_bent_edge() {
  DensityField field;
  field.mesh.points.resize(3, 19);
  Eigen::MatrixXi corners(6, 6);
  const auto place = [](double radius, double k) {
    return Vector3d(radius * std::cos(k * std::numbers::pi / 3.0),
                    radius * std::sin(k * std::numbers::pi / 3.0), 0.0);
  };
  field.mesh.points.col(0).setZero();
  for (int k = 0; k < 6; ++k) {
    const int next = (k + 1) % 6;
    field.mesh.points.col(1 + k) = place(1.0, k), field.mesh.points.col(7 + k) = place(0.5, k);
    field.mesh.points.col(13 + k) = 0.5 * (place(1.0, k) + place(1.0, next));
    corners.col(k) << 0, 1 + k, 1 + next, 7 + k, 13 + k, 7 + next;
  }
  field.mesh.points.col(10).y() += 0.1;  // between the origin and (-1, 0)
  field.mesh.cells = {{CellBlock::Kind::quadratic_triangle, corners}};
  field.density = field.volume = VectorXd::Ones(6);
  field.role.assign(6, CellRole::varied);
  field.role[2] = field.role[3] = CellRole::solid;
  field.is_held.assign(19, false);
  return field;
}

// The border of the solid place passes by the origin, which moves there. The middle of the bent edge lies where this has been.
TEST(CurvedEdges, OfAPointThatHasMovedAreStraight) {
  DensityField field = hexagon_with_a_bent_edge();
  const std::pair<const int, int> bent{0, 4};
  EXPECT_TRUE(divide(field).middles.contains(bent));
  field.is_in_solid_place = [](const Vector3d& x) { return x.x() <= -0.05; };
  const Simplices simplices = divide(field);
  EXPECT_NEAR(simplices.points(0, 0), -0.05, 1e-9);
  EXPECT_TRUE(simplices.is_held[0]);
  EXPECT_EQ(Vector3d(simplices.points.col(4)), Vector3d(field.mesh.points.col(4)));
  EXPECT_FALSE(simplices.middles.contains(bent));
}

/// A solid tetrahedron, the edges of which are bent outwards where bits of a number are set.
DensityField bent_tetrahedron(unsigned bent, double by) {
  DensityField field;
  field.mesh.points.resize(3, 10);
  field.mesh.points.leftCols(4) << Vector3d::Zero(), Eigen::Matrix3d::Identity();
  const Vector3d centre = field.mesh.points.leftCols(4).rowwise().mean();
  for (Eigen::Index k = 0; k < 6; ++k) {
    const auto& [a, b] = fem::simplex_edges[static_cast<std::size_t>(k)];
    const Vector3d middle = 0.5 * (field.mesh.points.col(a) + field.mesh.points.col(b));
    field.mesh.points.col(4 + k) = middle + ((bent >> k) % 2 == 1 ? by : 0.0) * (middle - centre);
  }
  field.mesh.cells = {{CellBlock::Kind::quadratic_tetrahedron, Eigen::VectorXi::LinSpaced(10, 0, 9)}};
  field.density = field.volume = VectorXd::Ones(1);
  field.role = {CellRole::solid};
  field.is_held.assign(10, true);
  return field;
}

/// Volume between the faces of a boundary.
double volume_of(const Boundary& boundary) {
  double volume = 0.0;
  for (const auto& face : boundary.faces.colwise()) {
    const Vector3d a = boundary.points.col(face[0]), b = boundary.points.col(face[1]),
                   c = boundary.points.col(face[2]);
    volume += a.dot(b.cross(c)) / 6.0;
  }
  return volume;
}

// A face has none to three such edges, and any of its corners may be the first one.
TEST(CurvedEdges, OfATetrahedronAreFollowedInEveryCombination) {
  for (unsigned bent = 0; bent < 64; ++bent) {
    SCOPED_TRACE(bent);
    const DensityField field = bent_tetrahedron(bent, 0.2);
    const Simplices simplices = divide(field);
    Boundary boundary = cut_at(simplices, 0.5);
    round_curved_edges(boundary, simplices);
    const int n_bent = std::popcount(bent);
    EXPECT_EQ(boundary.points.cols(), 4 + n_bent);
    EXPECT_EQ(boundary.faces.cols(), 4 + 2 * n_bent);  // an edge has two faces
    EXPECT_EQ(std::ssize(boundary.is_cut), boundary.faces.cols());
    std::set<std::pair<int, int>> edges;
    for (const auto& face : boundary.faces.colwise()) {
      for (int k = 0; k < 3; ++k) EXPECT_TRUE(edges.insert({face[k], face[(k + 1) % 3]}).second);
    }
    for (const auto& [a, b] : edges) EXPECT_TRUE(edges.contains({b, a}));
    // A middle makes a tetrahedron over each face of its edge; two of them on one face make the volume depend on its diagonal.
    if (n_bent > 1) continue;
    double volume = 1.0 / 6.0;
    for (Eigen::Index k = 0; k < 6; ++k) {
      if ((bent >> k) % 2 == 0) continue;
      const auto& [a, b] = fem::simplex_edges[static_cast<std::size_t>(k)];
      for (int c = 0; c < 4; ++c) {
        if (c == a || c == b) continue;
        const Vector3d from = field.mesh.points.col(a);
        Eigen::Matrix3d sides;
        sides << field.mesh.points.col(b) - from, field.mesh.points.col(c) - from,
            field.mesh.points.col(4 + k) - from;
        volume += std::abs(sides.determinant()) / 6.0;
      }
    }
    EXPECT_NEAR(volume_of(boundary), volume, 1e-15);
  }
}

}  // namespace
}  // namespace kurbel
