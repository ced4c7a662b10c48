#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "fem/place.hpp"
#include "fem/selection.hpp"
#include "tests/input_error.hpp"
#include "tests/parts/part_texts.hpp"

namespace kurbel::fem::test {
namespace {

using kurbel::test::arm_geo;
using kurbel::test::cylinder_geo;
using kurbel::test::mesh_of;
using testing::HasSubstr;

MeshSpec unit_square(int n) {
  MeshSpec spec;
  spec.size = {1.0, 1.0, 0.0};
  spec.divisions = {n, n, 1};
  return spec;
}

TEST(Place, MeasuresTheDistanceToItsShape) {
  const Vector3d x(3.0, 4.0, 2.0);
  Box box;
  box.upper[0] = 0.0, box.upper[1] = 0.0;
  EXPECT_DOUBLE_EQ(distance_to(box, x), 5.0);
  EXPECT_DOUBLE_EQ(distance_to(Cylinder{.outer = 1.0}, x), 4.0);
  EXPECT_DOUBLE_EQ(distance_to(Cylinder{.inner = 7.0, .outer = 9.0}, x), 2.0);
  EXPECT_DOUBLE_EQ(distance_to(Cylinder{.outer = 2.0, .upper = -2.0}, x), 5.0);
  EXPECT_DOUBLE_EQ(distance_to(Cylinder{.outer = 9.0}, x), -4.0);
  EXPECT_DOUBLE_EQ(distance_to(Sphere{.centre = {3.0, 4.0, 0.0}, .outer = 0.5}, x), 1.5);
  EXPECT_DOUBLE_EQ(distance_to(HalfSpace{.normal = {0.0, 0.0, 2.0}}, x), -2.0);
  const Polygon triangle{.corners = {{0.0, 0.0}, {2.0, 0.0}, {0.0, 2.0}}, .axis = 2};
  EXPECT_DOUBLE_EQ(distance_to(triangle, {0.5, 0.5, 9.0}), -0.5);
  EXPECT_DOUBLE_EQ(distance_to(triangle, {2.0, 2.0, 0.0}), std::numbers::sqrt2);
  const Polygon across_x{.corners = {{4.0, 1.0}, {6.0, 1.0}, {6.0, 5.0}}, .axis = 0};  // y, z
  EXPECT_LT(distance_to(across_x, {0.0, 5.5, 2.0}), 0.0);
  EXPECT_DOUBLE_EQ(
      distance_to(AllOf{{Sphere{.outer = 1.0}, HalfSpace{.normal = -Vector3d::UnitX()}}}, {0.5, 0.0, 0.0}),
      0.5);
  EXPECT_DOUBLE_EQ(distance_to(AnyOf{{Sphere{.outer = 1.0}, Sphere{.outer = 2.0}}}, {3.0, 0.0, 0.0}), 1.0);
  EXPECT_DOUBLE_EQ(distance_to(Not{{Sphere{.outer = 1.0}}}, Vector3d::Zero()), 1.0);
}

TEST(Place, HasTheElementsAndNodesOfItsShape) {
  const Mesh mesh(unit_square(40));
  const double disc = static_cast<double>(mesh.elements_in(Cylinder{.outer = 0.5}).size()) / 1600.0;
  EXPECT_NEAR(disc, std::numbers::pi / 16.0, 0.005);
  const Place ring = AllOf{{Cylinder{.outer = 0.5}, Not{{Cylinder{.outer = 0.25}}}}};
  const Place same = Cylinder{.inner = 0.25, .outer = 0.5};
  EXPECT_EQ(mesh.elements_in(ring), mesh.elements_in(same));
  const Place halves = AnyOf{
      {HalfSpace{{0.25, 0.0, 0.0}, -Vector3d::UnitX()}, HalfSpace{{0.75, 0.0, 0.0}, Vector3d::UnitX()}}};
  EXPECT_EQ(mesh.elements_in(halves).size(), 800u);
  EXPECT_EQ(mesh.nodes_in(HalfSpace{{1.0, 0.0, 0.0}, Vector3d::UnitX()}).size(), 41u);
}

// Programs write coordinates with single precision or six digits.
TEST(Place, HasNodesWhoseCoordinatesAreRounded) {
  const auto mesh = mesh_of("arm.geo", arm_geo);
  const double left = mesh->positions().row(0).minCoeff();
  Box exact, rounded;
  exact.lower[0] = exact.upper[0] = left;
  rounded.lower[0] = rounded.upper[0] = left * (1.0 - 1e-6);
  EXPECT_FALSE(mesh->nodes_in(exact).empty());
  EXPECT_EQ(mesh->nodes_in(rounded), mesh->nodes_in(exact));
}

TEST(Place, OfABearingHasTheFacesOfItsCircle) {
  const auto mesh = mesh_of("arm.geo", arm_geo);
  const Place circle = Cylinder{.point = {0.2, 0.0, 0.0}, .outer = 0.008};
  const NodeSet by_shape = marker_nodes({"pin", circle, MarkerSpec::Weights::area}, *mesh);
  const NodeSet by_name = marker_nodes({"pin", SetName{"right"}, MarkerSpec::Weights::area}, *mesh);
  EXPECT_EQ(by_shape.nodes, by_name.nodes);
  EXPECT_EQ(by_shape.weights, by_name.weights);
  int surface = 0;
  for (int s = 1; s <= std::ssize(surfaces(*mesh)); ++s) {
    if (mesh->nodes_in(SurfaceNumber{s}) == by_name.nodes) surface = s;
  }
  ASSERT_GT(surface, 0);
  const NodeSet by_number = marker_nodes({"pin", SurfaceNumber{surface}, MarkerSpec::Weights::area}, *mesh);
  EXPECT_EQ(by_number.weights, by_name.weights);
  double length = 0.0;
  Vector3d centre = Vector3d::Zero();
  for (std::size_t i = 0; i < by_name.nodes.size(); ++i) {
    length += by_name.weights[i];
    centre += by_name.weights[i] * mesh->positions().col(by_name.nodes[i]);
  }
  EXPECT_LT((centre / length - Vector3d(0.2, 0.0, 0.0)).norm(), 1e-9);
}

TEST(Place, OfASurfaceHasNoFaceAcrossItsEdge) {
  const auto mesh = mesh_of("cylinder.geo", cylinder_geo, 0.3);
  for (int s = 1; s <= 3; ++s) {
    for (const ElementFace& face : faces_in(*mesh, SurfaceNumber{s})) {
      const FacePlace own{static_cast<int>(face.element), static_cast<int>(face.index)};
      EXPECT_TRUE(std::ranges::binary_search(surfaces(*mesh)[static_cast<std::size_t>(s) - 1], own));
    }
  }
}

TEST(Place, NamesWhatTheMeshDoesNotHave) {
  const auto mesh = mesh_of("arm.geo", arm_geo);
  EXPECT_THAT(missing_name(*mesh, Not{{SetName{"rihgt"}}}),
              HasSubstr("\"rihgt\" is none of the mesh; did you mean \"right\"?"));
  EXPECT_THAT(missing_name(*mesh, AnyOf{{SetName{"right"}, SurfaceNumber{99}}}),
              HasSubstr("surface 99 does not exist"));
  EXPECT_EQ(missing_name(*mesh, SetName{"right"}), "");
  EXPECT_THAT(missing_name(Mesh(unit_square(1)), SetName{"right"}), HasSubstr("has no sets"));
  expect_input_error([&] { return mesh->nodes_in(SetName{"rihgt"}); }, {"did you mean"});
}

TEST(Place, TellsWhatIsNearest) {
  const Mesh mesh(unit_square(2));
  EXPECT_EQ(nearest_to(Cylinder{.point = {2.0, 0.5, 0.0}, .outer = 0.5}, mesh.positions(), "node"),
            "the nearest node is at (1, 0.5, 0), 0.5 m away");
  EXPECT_EQ(nearest_to(SetName{"x"}, mesh.positions(), "node"), "");
}

}  // namespace
}  // namespace kurbel::fem::test
