/// @file
/// Widths of members from above: bars of all places and meshes, plates, regions, and the gradient.
#include "fem/largest_members.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "drawn_elements.hpp"
#include "fem/length_scale.hpp"
#include "free_meshes.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;

MeshSpec box(int n_x, int n_y, int n_z = 0) {
  MeshSpec spec;
  spec.dim = n_z > 0 ? 3 : 2;
  spec.divisions = {n_x, n_y, std::max(n_z, 1)};
  for (Index d = 0; d < spec.dim; ++d) spec.size[d] = spec.divisions[static_cast<std::size_t>(d)];
  return spec;
}

/// A bar across the mesh, from a place on its x axis on.
VectorXd bar(const Mesh& mesh, double from, double width) {
  return VectorXd::NullaryExpr(mesh.n_elements(), [&](Index e) {
    const double x = mesh.centres()(0, e);
    return x > from && x < from + width ? 1.0 : 0.0;
  });
}

/// The narrowest bar that is refused. It begins at the side of the mesh, or grows around the middle of it.
double narrowest_refused(const LargestMembers& members, const Mesh& mesh, bool at_side) {
  const double length = mesh.positions().row(0).maxCoeff();
  for (double width = 2.0; width < length; width += 1.0) {
    const double from = at_side ? 0.0 : 0.5 * (length - width);
    if (members.excess(bar(mesh, from, width)) > LargestMembers::most_excess) return width;
  }
  return length;
}

TEST(LargestMembers, LetBarsPassUpToTheirWidth) {
  const Mesh mesh(box(60, 40));
  const LargestMembers members(mesh, {}, 12.0);
  for (const bool at_side : {false, true}) {
    const double refused = narrowest_refused(members, mesh, at_side);
    EXPECT_GT(refused, 12.0) << at_side;
    EXPECT_LE(refused, 14.0) << at_side;
  }
  EXPECT_EQ(members.excess(bar(mesh, 24.0, 11.0)), 0.0);
  EXPECT_GT(members.excess(VectorXd::Ones(mesh.n_elements())), 0.5);
}

TEST(LargestMembers, AreTheSameOnFreeMeshesAndInSpace) {
  const auto triangles = free_mesh(box(60, 40), Split::all, 0.2);
  EXPECT_NEAR(narrowest_refused(LargestMembers(*triangles, {}, 12.0), *triangles, false), 13.0, 1.0);
  EXPECT_NEAR(narrowest_refused(LargestMembers(*triangles, {}, 12.0), *triangles, true), 13.0, 1.0);
  const Mesh solid(box(30, 16, 16));
  EXPECT_NEAR(narrowest_refused(LargestMembers(solid, {}, 8.0), solid, false), 9.0, 1.0);
  EXPECT_NEAR(narrowest_refused(LargestMembers(solid, {}, 8.0), solid, true), 9.0, 1.0);
}

// The faces of a plate are no reason for its members to count as narrow.
TEST(LargestMembers, AreMeasuredInThePlaneOfAPlate) {
  const Mesh plate(box(60, 30, 4));
  EXPECT_NEAR(narrowest_refused(LargestMembers(plate, {}, 12.0), plate, false), 13.0, 1.0);
  EXPECT_NEAR(narrowest_refused(LargestMembers(plate, {}, 12.0), plate, true), 13.0, 1.0);
}

TEST(LargestMembers, DoNotCountInRegionsThatAreStated) {
  const Mesh mesh(box(60, 40));
  Region boss;
  boss.place = Box{{0.0, 0.0, 0.0}, {20.0, 40.0, 0.0}};
  const VectorXd wide = bar(mesh, 0.0, 20.0);
  EXPECT_GT(LargestMembers(mesh, {}, 12.0).excess(wide), LargestMembers::most_excess);
  EXPECT_EQ(LargestMembers(mesh, {boss}, 12.0).excess(wide), 0.0);
  boss.kind = Region::Kind::voided;
  EXPECT_GT(LargestMembers(mesh, {boss}, 12.0).excess(bar(mesh, 20.0, 20.0)), LargestMembers::most_excess);
}

/// A void is 5 % of a ball around the axis of the widest bar, whose radius is that distance.
TEST(LargestMembers, CountFromTheRadiusAwayFromRegionsOn) {
  const Mesh mesh(box(60, 40));
  Region boss;
  boss.place = Box{{0.0, 0.0, 0.0}, {20.0, 40.0, 0.0}};
  const double radius = 6.0 / distance_of_share(0.5 * (1.0 - 0.05), 2), last_centre = 19.5;
  const LargestMembers members(mesh, {boss}, 12.0);
  ASSERT_GT(radius, 7.0);
  for (Index e = 0; e < mesh.n_elements(); ++e)
    EXPECT_EQ(members.counts(e), mesh.centres()(0, e) - last_centre >= radius) << mesh.centres()(0, e);
}

TEST(LargestMembers, HaveTheirGradient) {
  for (const auto& mesh :
       {free_mesh(box(30, 20), Split::every_other, 0.2), free_mesh(box(30, 20), Split::none, 0.0)}) {
    const LargestMembers members(*mesh, {}, 8.0);
    const VectorXd noise = random_matrix(mesh->n_elements(), 1, 7);
    const VectorXd rho = (bar(*mesh, 5.0, 15.0).array() * 0.8 + 0.1 + 0.1 * noise.array()).matrix();
    const VectorXd along = random_matrix(mesh->n_elements(), 1, 8);
    constexpr double h = 1e-5;
    const double difference = (members.excess(rho + h * along) - members.excess(rho - h * along)) / (2.0 * h);
    EXPECT_GT(members.excess(rho), LargestMembers::most_excess);
    EXPECT_NEAR(members.gradient(rho).dot(along), difference, 1e-7 * std::abs(difference));
  }
}

}  // namespace
}  // namespace kurbel::fem::test
