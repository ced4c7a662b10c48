#include "parts/read_part.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numbers>
#include <set>

#include "fem/selection.hpp"
#include "fem/surface_shape.hpp"
#include "fem/surfaces.hpp"
#include "parts/gmsh_reader.hpp"
#include "tests/input_error.hpp"
#include "tests/parts/part_texts.hpp"

namespace kurbel::test {
namespace {

using fem::Mesh;
using fem::MeshSet;
using std::numbers::pi;

double length_of(const Mesh& mesh, const std::vector<fem::FacePlace>& faces) {
  double length = 0.0;
  for (const fem::FacePlace& face : faces) length += fem::face_weights(mesh, fem::face_at(mesh, face)).sum();
  return length;
}

TEST(ReadPart, MeshesAGeometryAndKeepsItsGroups) {
  const auto mesh = mesh_of("arm.geo", arm_geo);
  EXPECT_EQ(mesh->dim(), 2);
  EXPECT_EQ(mesh->kind_of(0), fem::ElementKind::tri6);
  // The arcs of 12 elements and more are parabolas; the error of their area is of fourth order.
  const double area = 0.2 * 0.04 + pi * 0.02 * 0.02 - 2.0 * pi * 0.008 * 0.008;
  EXPECT_NEAR(mesh->measures().sum(), area, 1e-4 * area);
  ASSERT_EQ(mesh->parts().sets.size(), 3u);
  const MeshSet& bearing = set_of(*mesh, "left bearing");
  EXPECT_TRUE(bearing.elements.empty());
  EXPECT_NEAR(length_of(*mesh, bearing.faces), 2.0 * pi * 0.008, 1e-3 * 2.0 * pi * 0.008);
  for (const int node : bearing.nodes) EXPECT_NEAR(mesh->positions().col(node).norm(), 0.008, 1e-9);
  EXPECT_EQ(std::ssize(set_of(*mesh, "body").elements), mesh->n_elements());
}

/// The largest edge of elements within a distance of a place, and beyond another one.
std::pair<double, double> edges(const Mesh& mesh, const std::function<double(const Vector3d&)>& distance,
                                double near, double far) {
  std::pair<double, double> largest{0.0, 0.0};
  for (Eigen::Index e = 0; e < mesh.n_elements(); ++e) {
    const double at = distance(mesh.centres().col(e));
    const fem::ElementTopology& topology = fem::topology(mesh.kind_of(e));
    for (const auto& [a, b] : topology.edges) {
      const Mesh::Nodes nodes = mesh.nodes_of(e);
      const double length = (mesh.positions().col(nodes[a]) - mesh.positions().col(nodes[b])).norm();
      if (at < near) largest.first = std::max(largest.first, length);
      if (at > far) largest.second = std::max(largest.second, length);
    }
  }
  return largest;
}

TEST(ReadPart, MeshesFinerNearNamedPlaces) {
  const WrittenPart arm("arm.geo", arm_geo);
  PartFile file = arm.file(0.01);
  const Eigen::Index coarse = read_part(file, 1.0)->n_elements();
  file.near = {{.set = "right", .size = 0.001, .distance = 0.02}};
  const auto mesh = read_part(file, 1.0);
  EXPECT_GT(mesh->n_elements(), 2 * coarse);
  const auto from_hole = [](const Vector3d& x) { return (x - Vector3d(0.2, 0.0, 0.0)).norm() - 0.008; };
  const auto [near, far] = edges(*mesh, from_hole, 0.002, 0.06);
  EXPECT_LT(near, 0.0035);
  EXPECT_GT(far, 0.006);

  const WrittenPart cylinder("cylinder.geo", cylinder_geo);
  PartFile solid = cylinder.file(0.2);
  const auto plain = read_part(solid, 1.0);
  // The surface is that of the lower end, wherever the geometry numbers it.
  int number = 0;
  for (const auto& faces : fem::surfaces(*plain)) {
    ++number;
    const fem::SurfaceShape shape = fem::shape_of(*plain, faces);
    if (shape.kind == fem::SurfaceShape::Kind::plane && shape.centre[0] < 0.5) break;
  }
  solid.near = {{.surface = number, .size = 0.05, .distance = 0.5}};
  const auto finer = read_part(solid, 1.0);
  const auto [at_end, beyond] = edges(
      *finer, [](const Vector3d& x) { return x[0]; }, 0.05, 0.7);
  EXPECT_LT(at_end, 0.12);
  EXPECT_GT(beyond, 0.12);
  EXPECT_GT(finer->n_elements(), 2 * plain->n_elements());
}

TEST(ReadPart, MeshesFinerPlacesInAnyUnitOfTheDrawing) {
  const WrittenPart arm("arm.geo", arm_geo);
  const auto elements = [&](double unit) {
    PartFile file = arm.file(0.01 * unit);
    file.unit = unit;
    file.near = {{.set = "right", .size = 0.001 * unit, .distance = 0.02 * unit}};
    return read_part(file, 1.0)->n_elements();
  };
  EXPECT_EQ(elements(1e-3), elements(1.0));
}

TEST(ReadPart, RefusesFinerPlacesThatAreNone) {
  const WrittenPart arm("arm.geo", arm_geo);
  const auto refused = [&](std::optional<double> size, const FinerPlace& place, const std::string& message) {
    PartFile file = arm.file(size);
    file.near = {place};
    expect_input_error([&] { read_part(file, 1.0); }, {"arm.geo", message});
  };
  refused(0.01, {.set = "rigth", .size = 0.001, .distance = 0.01},
          "no set \"rigth\" of curves; did you mean");
  refused(0.01, {.surface = 99, .size = 0.001, .distance = 0.01}, "no surface 99; they are numbered up to");
  refused(0.01, {.set = "right", .size = 0.02, .distance = 0.01}, "is above that of the part");
  refused({}, {.set = "right", .size = 0.001, .distance = 0.01}, "`near` needs `size`");
}

/// The corners on the inner circle at the outer end of the pipe of the housing.
Eigen::Index corners_of_pipe(const Mesh& mesh, double unit) {
  std::set<int> corners;
  for (const fem::ElementFace& face : fem::surface_faces(mesh)) {
    for (const int node : face.corners) {
      if (node < 0) continue;
      const Vector3d x = mesh.positions().col(node) / unit;
      if (std::abs(x[0] + 0.1) < 1e-6 && std::abs(std::hypot(x[1] - 3.0, x[2] - 2.0) - 0.8) < 1e-6)
        corners.insert(node);
    }
  }
  return std::ssize(corners);
}

TEST(ReadPart, MeshesHolesOfADrawingRoundIfItStatesNoSize) {
  const WrittenPart housing("housing.geo", housing_geo);
  const std::filesystem::path step = housing.path().parent_path() / "housing.step";
  constexpr double millimetre = 1e-3;
  make_step(housing.path(), step, millimetre);
  EXPECT_GE(corners_of_pipe(*read_part({.path = step}, 1.0), millimetre), 12);
  EXPECT_LT(corners_of_pipe(*read_part({.path = step, .size = 0.6e-3}, 1.0), millimetre), 12)
      << "a size that is stated counts alone";
}

TEST(ReadPart, MeshesCurvesFinerWhereElementsWouldFold) {
  const WrittenPart housing("housing.geo", housing_geo);
  for (const double size : {0.8, 0.9, 1.0, 1.2}) {  // with Gmsh 4.8 the first two fold
    SCOPED_TRACE(size);
    const double volume = read_part(housing.file(size), 1.0)->measures().sum();
    const double walls = 8.0 * 6.0 * 4.0 - 7.4 * 5.4 * 3.7, wall = 0.3, length = 2.0;
    const double pipe = pi * (1.2 * 1.2 - 0.8 * 0.8) * (length - wall) - pi * 0.8 * 0.8 * wall;
    EXPECT_NEAR(volume, walls + pipe, 2e-3 * volume);
  }
}

TEST(ReadPart, ListsTheSurfacesOfTheGeometry) {
  const auto mesh = mesh_of("cylinder.geo", cylinder_geo, 0.1);
  ASSERT_EQ(mesh->parts().surfaces.size(), 3u);
  int n_planes = 0;
  for (const auto& faces : fem::surfaces(*mesh)) {
    const fem::SurfaceShape shape = fem::shape_of(*mesh, faces);
    if (shape.kind == fem::SurfaceShape::Kind::plane) {
      ++n_planes;
      EXPECT_NEAR(std::abs(shape.axis[0]), 1.0, 1e-9);
      EXPECT_NEAR(shape.area, pi * 0.09, 1e-3 * pi * 0.09);
      continue;
    }
    EXPECT_EQ(shape.kind, fem::SurfaceShape::Kind::cylinder);
    EXPECT_NEAR(shape.radius, 0.3, 1e-4);
    EXPECT_NEAR(shape.axis[0], 1.0, 1e-4);
    EXPECT_NEAR(shape.area, 0.6 * pi, 1e-3 * 0.6 * pi);
    EXPECT_LT(shape.centre.tail<2>().norm(), 1e-4);
  }
  EXPECT_EQ(n_planes, 2);
}

// A cone with its tip, and a countersink, as CAD draws them.
TEST(ReadPart, NamesTheConesOfAGeometry) {
  const auto mesh = mesh_of("cones.geo", R"(SetFactory("OpenCASCADE");
Cone(1) = {0, 0, 0, 0, 0, 2, 1, 0};
Box(2) = {-2, -2, -1, 4, 4, 1};
BooleanUnion(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
Cone(4) = {0, 0, -1, 0, 0, 0.5, 0.8, 0.3};
BooleanDifference(5) = { Volume{3}; Delete; }{ Volume{4}; Delete; };
)",
                            0.25);
  std::vector<fem::SurfaceShape> cones;
  for (const auto& faces : fem::surfaces(*mesh)) {
    const fem::SurfaceShape shape = fem::shape_of(*mesh, faces);
    EXPECT_NE(shape.kind, fem::SurfaceShape::Kind::free);
    if (shape.kind == fem::SurfaceShape::Kind::cone) cones.push_back(shape);
  }
  std::ranges::sort(cones, {}, &fem::SurfaceShape::area);
  ASSERT_EQ(cones.size(), 2u);
  const auto expect_cone = [](const fem::SurfaceShape& cone, double narrow, double wide, double length) {
    const double rise = wide - narrow, area = pi * (narrow + wide) * std::hypot(rise, length);
    EXPECT_NEAR(cone.half_angle, std::atan2(rise, length), 1e-6);
    EXPECT_NEAR(cone.radii[0], narrow, 1e-6);
    EXPECT_NEAR(cone.radii[1], wide, 1e-6);
    EXPECT_NEAR(cone.axis[2], -1.0, 1e-9) << "towards the opening";
    EXPECT_NEAR(cone.area, area, 2e-3 * area);
  };
  expect_cone(cones[0], 0.3, 0.8, 0.5);
  EXPECT_LT((cones[0].apex - Vector3d(0.0, 0.0, -0.2)).norm(), 1e-6);
  expect_cone(cones[1], 0.0, 1.0, 2.0);
  EXPECT_LT((cones[1].apex - Vector3d(0.0, 0.0, 2.0)).norm(), 1e-6);
}

// A boss on a plate, rounded above and with a fillet below.
TEST(ReadPart, NamesTheToriOfFilletsAndTheirNeighbours) {
  const auto mesh = mesh_of("boss.geo", R"(SetFactory("OpenCASCADE");
Box(1) = {-3, -3, -1, 6, 6, 1};
Cylinder(2) = {0, 0, 0, 0, 0, 3, 1};
BooleanUnion(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
below() = Curve In BoundingBox {-1.1, -1.1, -0.1, 1.1, 1.1, 0.1};
above() = Curve In BoundingBox {-1.1, -1.1, 2.9, 1.1, 1.1, 3.1};
Fillet{3}{below(), above()}{0.4, 0.3}
)",
                            0.3);
  using Kind = fem::SurfaceShape::Kind;
  std::map<Kind, std::vector<fem::SurfaceShape>> found;
  for (const auto& faces : fem::surfaces(*mesh)) {
    const fem::SurfaceShape shape = fem::shape_of(*mesh, faces);
    found[shape.kind].push_back(shape);
  }
  EXPECT_EQ(found[Kind::plane].size(), 7u);
  ASSERT_EQ(found[Kind::cylinder].size(), 1u);
  EXPECT_NEAR(found[Kind::cylinder][0].radius, 1.0, 1e-6);
  std::vector<fem::SurfaceShape>& tori = found[Kind::torus];
  ASSERT_EQ(tori.size(), 2u);
  std::ranges::sort(tori, {}, [](const fem::SurfaceShape& torus) { return torus.centre[2]; });
  const auto expect_torus = [](const fem::SurfaceShape& torus, double height, double ring, double tube) {
    EXPECT_LT((torus.centre - Vector3d(0.0, 0.0, height)).norm(), 1e-6);
    EXPECT_LT((torus.axis - Vector3d::UnitZ()).norm(), 1e-6);
    EXPECT_NEAR(torus.ring_radius, ring, 1e-6);
    EXPECT_NEAR(torus.radius, tube, 1e-6);
  };
  expect_torus(tori[0], 0.4, 1.4, 0.4);
  expect_torus(tori[1], 2.7, 0.7, 0.3);
}

TEST(ReadPart, FindsTheSurfacesOfAMeshByTheirNormals) {
  const auto mesh = mesh_of("cylinder.geo", cylinder_geo, 0.1);
  const auto found = fem::smooth_surfaces(*mesh);
  ASSERT_EQ(found.size(), 3u);
  for (const auto& faces : found) {
    const auto same = std::ranges::find(mesh->parts().surfaces, faces);
    EXPECT_NE(same, mesh->parts().surfaces.end());
  }
}

TEST(ReadPart, TakesTheOrderAndTheSizeThatAreAskedFor) {
  const auto coarse = mesh_of("arm.geo", arm_geo, 0.006, 1), fine = mesh_of("arm.geo", arm_geo, 0.003, 1);
  EXPECT_EQ(coarse->kind_of(0), fem::ElementKind::tri3);
  EXPECT_GT(fine->n_elements(), 3 * coarse->n_elements());
}

TEST(ReadPart, AsksForTheUnitWhereElementsWouldBeTooMany) {
  const WrittenPart part("box.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 200, 100, 5};\n");
  expect_input_error([&] { read_part({.path = part.path(), .size = 0.003}, 1.0); },
                     {"box.geo", "the part is 200 m long, so that a size of 0.003 m gives up to",
                      "State the unit of the drawing in mesh.unit, such as \"mm\""});
}

TEST(ReadPart, TakesTheUnitThatIsStated) {
  const WrittenPart part("box.geo", "SetFactory(\"OpenCASCADE\");\nBox(1) = {0, 0, 0, 20, 10, 5};\n");
  const auto mesh = read_part({.path = part.path(), .size = 0.005, .unit = 1e-3}, 1.0);
  EXPECT_NEAR(mesh->volumes().sum(), 0.02 * 0.01 * 0.005, 1e-15);
  EXPECT_EQ(mesh->kind_of(0), fem::ElementKind::tet10);
}

TEST(ReadPart, HasHexahedraAndWedgesOfExtrudedGeometries) {
  const std::string base =
      "Point(1) = {0, 0, 0, 0.5}; Point(2) = {1, 0, 0, 0.5}; Point(3) = {1, 1, 0, 0.5};\n"
      "Point(4) = {0, 1, 0, 0.5}; Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {3, 4};\n"
      "Line(4) = {4, 1}; Curve Loop(1) = {1, 2, 3, 4}; Plane Surface(1) = {1};\n";
  const std::string rise = "Extrude {0, 0, 2} { Surface{1}; Layers{4}; Recombine; }\n";
  const auto wedges = mesh_of("wedges.geo", base + rise, {}, 1);
  EXPECT_EQ(wedges->kind_of(0), fem::ElementKind::wedge6);
  EXPECT_NEAR(wedges->volumes().sum(), 2.0, 1e-12);
  const std::string squares = "Transfinite Surface{1}; Recombine Surface{1};\n";
  const auto hexahedra = mesh_of("hexahedra.geo", base + squares + rise, {}, 2);
  EXPECT_EQ(hexahedra->kind_of(0), fem::ElementKind::hex20);
  EXPECT_NEAR(hexahedra->volumes().sum(), 2.0, 1e-12);
  for (Eigen::Index e = 0; e < hexahedra->n_elements(); ++e) {
    const auto& edges = fem::topology(fem::ElementKind::hex20).edges;
    const Mesh::Points x = hexahedra->positions()(Eigen::all, hexahedra->nodes_of(e));
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const Vector3d middle = 0.5 * (x.col(edges[i][0]) + x.col(edges[i][1]));
      // Gmsh places nodes on lines to 1e-12; another one is 0.2 away.
      EXPECT_LT((x.col(8 + static_cast<Eigen::Index>(i)) - middle).norm(), 1e-9);
    }
  }
}

}  // namespace
}  // namespace kurbel::test
