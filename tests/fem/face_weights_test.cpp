/// @file
/// Markers on quadratic elements: weights of the nodes by the area around them.
#include <gtest/gtest.h>

#include <numbers>
#include <numeric>

#include "fem/faces.hpp"
#include "quadratic_meshes.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;

NodeSet weighted(const Mesh& mesh, const Box& box) {
  return marker_nodes({"end", box, MarkerSpec::Weights::area}, mesh);
}

double total(const NodeSet& set) {
  return std::accumulate(set.weights.begin(), set.weights.end(), 0.0);
}

/// The weight of the node at a place; NaN if the set has none there.
double weight_at(const Mesh& mesh, const NodeSet& set, const Vector3d& place) {
  for (std::size_t i = 0; i < set.nodes.size(); ++i) {
    if ((mesh.positions().col(set.nodes[i]) - place).norm() < 1e-12) return set.weights[i];
  }
  return std::numeric_limits<double>::quiet_NaN();
}

TEST(QuadraticFaceWeights, AreThoseOfSimpsonsRuleOnEdges) {
  for (const Split split : {Split::none, Split::all}) {
    const auto mesh = quadratic_mesh(*free_mesh(unit_box(2, 2), split, 0.0));
    const NodeSet end = weighted(*mesh, plane(0, 1.0));
    ASSERT_EQ(end.nodes.size(), 5u);
    const std::vector<double> expected = {1.0 / 12.0, 4.0 / 12.0, 2.0 / 12.0, 4.0 / 12.0, 1.0 / 12.0};
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(weight_at(*mesh, end, {1.0, 0.25 * static_cast<double>(i), 0.0}), expected[i], 1e-15);
    }
  }
}

TEST(QuadraticFaceWeights, OfCornersAreNegativeOnQuadrilateralsAndZeroOnTriangles) {
  const auto quadrilateral = quadratic_mesh(*free_mesh(unit_box(3, 1), Split::none, 0.0));
  const NodeSet face = weighted(*quadrilateral, plane(0, 1.0));
  ASSERT_EQ(face.nodes.size(), 8u);
  EXPECT_NEAR(weight_at(*quadrilateral, face, {1.0, 0.0, 1.0}), -1.0 / 12.0, 1e-15);
  EXPECT_NEAR(weight_at(*quadrilateral, face, {1.0, 0.5, 1.0}), 1.0 / 3.0, 1e-15);
  const auto triangles = quadratic_mesh(*free_mesh(unit_box(3, 1), Split::all, 0.0));
  const NodeSet pair = weighted(*triangles, plane(0, 1.0));
  ASSERT_EQ(pair.nodes.size(), 9u);
  EXPECT_NEAR(weight_at(*triangles, pair, {1.0, 0.0, 1.0}), 0.0, 1e-15);
  EXPECT_NEAR(weight_at(*triangles, pair, {1.0, 0.5, 1.0}), 1.0 / 6.0, 1e-15);
  EXPECT_NEAR(weight_at(*triangles, pair, {1.0, 0.5, 0.5}), 1.0 / 3.0, 1e-15);
}

/// The mean of a quadratic field over a plane surface, wherever the nodes are.
TEST(QuadraticFaceWeights, IntegrateQuadraticFieldsExactlyOnTrianglesOfAnyShape) {
  const auto mesh = quadratic_mesh(*free_mesh(unit_box(3, 3), Split::all, 0.3));
  const NodeSet end = weighted(*mesh, plane(0, 1.0));
  EXPECT_NEAR(total(end), 1.0, 1e-14);
  double y2 = 0.0, yz = 0.0;
  for (std::size_t i = 0; i < end.nodes.size(); ++i) {
    const Vector3d x = mesh->positions().col(end.nodes[i]);
    y2 += end.weights[i] * x[1] * x[1], yz += end.weights[i] * x[1] * x[2];
  }
  EXPECT_NEAR(y2, 1.0 / 3.0, 1e-14);
  EXPECT_NEAR(yz, 1.0 / 4.0, 1e-14);
}

/// A rigid motion of the nodes is read off as it is, though weights are negative.
TEST(QuadraticFaceWeights, LeaveRigidMotionsExact) {
  for (const Split split : {Split::none, Split::all}) {
    const auto mesh = quadratic_mesh(*free_mesh(unit_box(3, 2), split, 0.3));
    const NodeOrder order(mesh->n_nodes(), {});
    const MarkerOperator end("end", weighted(*mesh, plane(0, 1.0)), mesh->positions(), 3, order);
    const Vector3d u(0.1, -0.2, 0.3), theta(0.4, 0.5, -0.6);
    NodalFields fields(mesh->n_nodes(), 3);
    for (Index i = 0; i < mesh->n_nodes(); ++i) {
      const Vector3d r = mesh->positions().col(order.node_at(i)) - end.position();
      fields.row(i) = (u + theta.cross(r)).transpose();
    }
    MatrixXd Phi, Psi;
    end.apply(fields, 0, 3, Phi, Psi);
    EXPECT_LT((Phi - u).norm(), 1e-14);
    EXPECT_LT((Psi - theta).norm(), 1e-13);
  }
}

/// The whole surface of half a tube of radii 1/2 and 1 and height 1; the error falls with the fourth power.
TEST(QuadraticFaceWeights, ConvergeToTheAreaOfACurvedSurface) {
  const auto error = [](int n, Split split) {
    MeshSpec box = unit_box(3, 1);
    box.divisions = {1, 2 * n, 1};
    const auto mesh = quadratic_mesh(*free_mesh(box, split, 0.0), [](const Vector3d& x) {
      const double r = 1.0 - 0.5 * x[0], angle = -std::numbers::pi * x[1];
      return Vector3d(r * std::cos(angle), r * std::sin(angle), x[2]);
    });
    const double cylinders = 1.5 * std::numbers::pi, rings = 0.75 * std::numbers::pi, rectangles = 1.0;
    return std::abs(total(weighted(*mesh, {})) - cylinders - rings - rectangles);
  };
  for (const Split split : {Split::none, Split::all}) EXPECT_LT(error(4, split), error(2, split) / 12.0);
}

TEST(QuadraticFaceWeights, WithinTheBodyArePositive) {
  for (const Split split : {Split::none, Split::all}) {
    const auto mesh = quadratic_mesh(*free_mesh(unit_box(3, 2), split, 0.0));
    Box centre;
    for (std::size_t d = 0; d < 3; ++d) centre.lower[d] = centre.upper[d] = 0.5;
    const NodeSet set = weighted(*mesh, centre);
    ASSERT_EQ(set.nodes.size(), 1u);
    EXPECT_GT(set.weights[0], 0.0);
  }
}

class QuadraticBody : public testing::TestWithParam<std::tuple<int, Split>> {
 protected:
  const int dim = std::get<0>(GetParam());
  const Split split = std::get<1>(GetParam());
  const FlexibleBodySpec box = dim == 2 ? crank(6, 3, 3, true) : bar({3, 2, 2}, {0.2, 0.05, 0.03}, 3, true);
};
INSTANTIATE_TEST_SUITE_P(Of, QuadraticBody,
                         testing::Values(std::tuple(2, Split::none), std::tuple(2, Split::every_other),
                                         std::tuple(2, Split::all), std::tuple(3, Split::none),
                                         std::tuple(3, Split::all)));

/// A stretched bar without lateral contraction has one stress if its load is that of a constant traction.
TEST_P(QuadraticBody, StretchesWithTheStressOfABar) {
  FlexibleBodySpec spec = on_quadratic_mesh(box, split, dim == 3 && split == Split::none ? 0.0 : 0.2);
  spec.n_normal_modes = 0;
  spec.material.poisson_ratio = 0.0;
  spec.attachments = {{spec.markers[0].name, {true, false, false}, {}}};
  spec.markers[0].weights = MarkerSpec::Weights::area;
  FlexibleBody body(spec);
  const ReducedBody r = reduced(body, VectorXd::Ones(body.n_elements()));
  const Vector3d size = box.mesh.size;
  const double area = dim == 2 ? size[1] * box.mesh.thickness : size[1] * size[2];
  const double stiffness = box.material.youngs_modulus * area / size[0];
  const double phi = r.markers[0].Phi(0, 0);
  EXPECT_NEAR(phi * phi / r.lambda[0], 1.0 / stiffness, 1e-12 / stiffness);
}

TEST_P(QuadraticBody, HasMassCentreAndInertiaOfTheBox) {
  FlexibleBody free(on_quadratic_mesh(box, split)), boxed(box);
  const Sid sid = reduced(free, VectorXd::Ones(free.n_elements())).sid;
  const Sid expected = reduced(boxed, VectorXd::Ones(boxed.n_elements())).sid;
  EXPECT_NEAR(sid.refmod.mass, expected.refmod.mass, 1e-12 * expected.refmod.mass);
  EXPECT_LT((sid.mdCM.M0 - expected.mdCM.M0).norm(), 1e-12 * expected.mdCM.M0.norm());
  EXPECT_LT((sid.J.M0 - expected.J.M0).norm(), 1e-12 * expected.J.M0.norm());
}

}  // namespace
}  // namespace kurbel::fem::test
