/// The sets of a mesh that fits a shape.
#include "app/fitted_mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "app/body_shape.hpp"
#include "base/files.hpp"
#include "fem/selection.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

/// Area of the faces in a place, m^2, and their mean position.
struct Wall {
  double area = 0.0;
  Vector3d centre = Vector3d::Zero();
};

Wall wall_in(const fem::Mesh& mesh, const fem::Place& place) {
  Wall wall;
  for (const fem::ElementFace& face : fem::faces_in(mesh, place)) {
    const VectorXd weights = fem::face_weights(mesh, face);
    const std::vector<int> nodes = fem::nodes_of(mesh, face);
    for (std::size_t k = 0; k < nodes.size(); ++k)
      wall.centre += weights[static_cast<Eigen::Index>(k)] * mesh.positions().col(nodes[k]);
    wall.area += weights.sum();
  }
  wall.centre /= wall.area;
  return wall;
}

struct Bearing {
  int surface;
  double x, radius;  // m
};
constexpr Bearing bearings[] = {{6, 0.0, 0.020}, {7, 0.3, 0.013}};

/// The forearm, solid. Its mesh has some six elements around the smaller hole, and its shape twice as many sides.
Study solid_forearm() {
  return Study::read(test::input("robot_link.toml"), {"bodies.forearm.mesh.size=0.014", "design.start=1.0"});
}

void expect_whole_walls(const fem::FlexibleBody& body, const Shape& shape) {
  const auto fitted = fitted_mesh(body, shape, 0.0);
  for (const Bearing& bearing : bearings) {
    SCOPED_TRACE(bearing.surface);
    const Wall before = wall_in(body.mesh(), fem::SurfaceNumber{bearing.surface});
    const Wall after = wall_in(*fitted, fem::SetName{set_of_surface(body.mesh(), bearing.surface)});
    EXPECT_NEAR(after.area, before.area, 0.05 * before.area);
    EXPECT_LT((after.centre - before.centre).norm(), 0.02 * bearing.radius);
  }
}

// On the walls of holes nodes between corners lie beside the faces of the mesh that the part was designed on.
TEST(FittedMesh, HasTheWholeWallsOfRoundHolesInItsSets) {
  const Study study = solid_forearm();
  const ShapesOfResult shapes(study);
  const CutBody& body = shapes.bodies().front();
  expect_whole_walls(shapes.model(body), shapes.make(body));
}

// Gmsh, too, places corners of its elements beside the faces of the design: by 0.08 mm in robot_link.toml, whose tool was then
// 0.86 mm from the axis of its bearing.
TEST(FittedMesh, HasTheWallsWhoseNodesAreBesideTheDesignedFaces) {
  const Study study = solid_forearm();
  const ShapesOfResult shapes(study);
  const CutBody& body = shapes.bodies().front();
  Shape shape = shapes.make(body);
  int n_moved = 0;
  for (auto x : shape.surface.points.colwise()) {
    for (const Bearing& bearing : bearings) {
      const double r = std::hypot(x[0] - bearing.x, x[1]);
      if (std::abs(r - bearing.radius) > 1e-4 || std::abs(x[2]) > 0.009) continue;  // but those of the rims
      const double moved = 1.0 - 1e-4 / r;
      x[0] = bearing.x + moved * (x[0] - bearing.x), x[1] *= moved, ++n_moved;
    }
  }
  EXPECT_GT(n_moved, 10);
  expect_whole_walls(shapes.model(body), shape);
}

/// A cube of six tetrahedra. The nodes of one of the two triangles on its top are a set; its right angle is its first corner.
const char* const cube_inp = R"(*NODE
1, 0.0, 0.0, 0.0
2, 1.0, 0.0, 0.0
3, 1.0, 1.0, 0.0
4, 0.0, 1.0, 0.0
5, 0.0, 0.0, 1.0
6, 1.0, 0.0, 1.0
7, 1.0, 1.0, 1.0
8, 0.0, 1.0, 1.0
*ELEMENT, TYPE=C3D4
1, 1, 2, 3, 7
2, 1, 6, 2, 7
3, 1, 3, 4, 7
4, 1, 4, 8, 7
5, 6, 5, 7, 1
6, 1, 8, 5, 7
*NSET, NSET=half_of_the_top
5, 6, 7
)";
const char* const cube_toml = R"(analysis = "static"
objective = { type = "compliance", body = "cube" }
constraints.volume_fraction = 1.0
design = { bodies = ["cube"], start = 1.0 }
filter = { type = "none" }
[bodies.cube]
type = "flexible"
mesh.file = "cube.inp"
material = { youngs_modulus = "70 GPa", poisson_ratio = 0.3, density = 2700.0 }
supports.floor = { z = 0.0, fixed = ["x", "y", "z"] }
markers.top.set = "half_of_the_top"
[loads.weight]
marker = "cube.top"
force = [0.0, 0.0, "-1 kN"]
)";

TEST(FittedMesh, EndsItsSetsWhereTrianglesEnd) {
  const TemporaryFolder folder;
  write_text_file(folder / "cube.inp", cube_inp);
  write_text_file(folder / "cube.toml", cube_toml);
  const Study study = Study::read((folder / "cube.toml").string());
  const ShapesOfResult shapes(study);
  const CutBody& body = shapes.bodies().front();
  const auto fitted = fitted_mesh(shapes.model(body), shapes.make(body), 0.0);
  const auto& sets = fitted->parts().sets;
  const auto half = std::ranges::find(sets, "half_of_the_top", &fem::MeshSet::name);
  ASSERT_NE(half, sets.end());
  const std::vector<int>& nodes = half->nodes;
  EXPECT_GE(std::ssize(nodes), 6);  // corners and the middles between them
  for (const int node : nodes) {
    const Vector3d x = fitted->positions().col(node);
    EXPECT_NEAR(x.z(), 1.0, 1e-9);
    EXPECT_LE(x.y(), x.x() + 2e-4);  // nodes within 1e-4 of an edge are in the set
  }
}

/// A strip of two elements that are 25 times as long as high. The nodes of its upper edge are a set.
const char* const strip_inp = R"(*NODE
1, 0.0, 0.0, 0.0
2, 0.5, 0.0, 0.0
3, 1.0, 0.0, 0.0
4, 0.0, 0.02, 0.0
5, 0.5, 0.02, 0.0
6, 1.0, 0.02, 0.0
*ELEMENT, TYPE=CPS4
1, 1, 2, 5, 4
2, 2, 3, 6, 5
*NSET, NSET=upper
4, 5, 6
)";
const char* const strip_toml = R"(analysis = "static"
objective = { type = "compliance", body = "strip" }
constraints.volume_fraction = 1.0
design = { bodies = ["strip"], start = 1.0 }
filter = { type = "none" }
[bodies.strip]
type = "flexible"
mesh = { file = "strip.inp", thickness = 0.01 }
material = { youngs_modulus = "70 GPa", poisson_ratio = 0.3, density = 2700.0 }
supports.wall = { x = 0.0, fixed = ["x", "y"] }
markers.upper.set = "upper"
[loads.weight]
marker = "strip.upper"
force = [0.0, "-1 N", 0.0]
)";

// The lower edge is within a tenth of the length of the fitted triangles.
TEST(FittedMesh, DoesNotTakeTheOtherSideOfAThinStrip) {
  const TemporaryFolder folder;
  write_text_file(folder / "strip.inp", strip_inp);
  write_text_file(folder / "strip.toml", strip_toml);
  const Study study = Study::read((folder / "strip.toml").string());
  const ShapesOfResult shapes(study);
  const CutBody& body = shapes.bodies().front();
  const auto fitted = fitted_mesh(shapes.model(body), shapes.make(body), 0.01);
  const auto& sets = fitted->parts().sets;
  const auto upper = std::ranges::find(sets, "upper", &fem::MeshSet::name);
  ASSERT_NE(upper, sets.end());
  EXPECT_GE(std::ssize(upper->nodes), 5);  // corners and the middles between them
  for (const int node : upper->nodes) EXPECT_NEAR(fitted->positions()(1, node), 0.02, 1e-9);
}

}  // namespace
}  // namespace kurbel
