/// @file
/// Pressure and bearing loads on surfaces, and their shares as forces at markers.
#include "fem/surface_loads.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "exact_gradient.hpp"
#include "fem/faces.hpp"
#include "fem/stiffness_inverse.hpp"
#include "quadratic_meshes.hpp"

namespace kurbel::fem::test {
namespace {

using Eigen::Index;
using std::numbers::pi;

Vector3d resultant(const NodalForces& f) {
  return f.forces.rowwise().sum();
}

Vector3d moment(const NodalForces& f, const Mesh& mesh) {
  Vector3d sum = Vector3d::Zero();
  for (std::size_t i = 0; i < f.nodes.size(); ++i)
    sum += mesh.positions().col(f.nodes[i]).cross(f.forces.col(static_cast<Index>(i)));
  return sum;
}

/// A quarter of a tube between the radii 1 and 2, from 0 to 90 degrees about z; in the plane a quarter ring.
std::shared_ptr<const Mesh> quarter_tube(int dim, int n, Split split) {
  return quadratic_mesh(*free_mesh(unit_box(dim, n), split, 0.0), [](const Vector3d& x) {
    const double r = 1.0 + x[0], angle = 0.5 * pi * x[1];
    return Vector3d(r * std::cos(angle), r * std::sin(angle), x[2]);
  });
}

class SurfaceLoads : public testing::TestWithParam<std::tuple<int, Split>> {
 protected:
  const int dim = std::get<0>(GetParam());
  const Split split = std::get<1>(GetParam());
};
INSTANTIATE_TEST_SUITE_P(In, SurfaceLoads,
                         testing::Combine(testing::Values(2, 3), testing::Values(Split::none, Split::all)));

/// The surface of a body is closed, whatever its elements are.
TEST_P(SurfaceLoads, OfPressureAllAroundHaveNoResultantAndNoMoment) {
  for (const auto& mesh : {free_mesh(unit_box(dim, 3), split, 0.3), quarter_tube(dim, 3, split)}) {
    const NodalForces f = nodal_forces({.place = Place()}, *mesh, 0.1);
    const double size = f.forces.colwise().norm().sum();
    EXPECT_LT(resultant(f).norm(), 1e-13 * size);
    EXPECT_LT(moment(f, *mesh).norm(), 1e-13 * size);
  }
}

TEST_P(SurfaceLoads, OfPressureOnAPlanePushIntoTheBody) {
  const auto mesh = free_mesh(unit_box(dim, 3), split, 0.3);
  const NodalForces f = nodal_forces({.place = plane(0, 1.0)}, *mesh, 0.1);
  const double area = 0.1;  // of unit length times the thickness; in space the same factor
  EXPECT_NEAR(f.area, area, 1e-14);
  EXPECT_LT((resultant(f) - Vector3d(-area, 0.0, 0.0)).norm(), 1e-14);
  EXPECT_LT((moment(f, *mesh) - Vector3d(1.0, 0.5, dim == 2 ? 0.0 : 0.5).cross(resultant(f))).norm(), 1e-14);
  const std::vector<LoadShare> shares = shares_of(f);
  ASSERT_EQ(shares.size(), 1u);
  EXPECT_TRUE(
      is_same_mean(shares[0].set, marker_nodes({"end", plane(0, 1.0), MarkerSpec::Weights::area}, *mesh)));
}

/// Pressure in a quarter of a tube: (p r L, p r L) along x and y.
TEST_P(SurfaceLoads, OfPressureInATubePushOutward) {
  double before = 0.0;
  for (const int n : {2, 4}) {
    const auto mesh = quarter_tube(dim, n, split);
    const NodalForces f = nodal_forces({.place = Cylinder{.outer = 1.0 + 1e-6}}, *mesh, 1.0);
    const double error = (resultant(f) - Vector3d(1.0, 1.0, 0.0)).norm();
    EXPECT_LT(error, 1e-3);
    if (n == 4) {
      EXPECT_LT(error, before / 8.0 + 1e-14);  // at least of order 3
    }
    before = error;
  }
}

/// A pin that pushes along the middle of the quarter: c cos^2 over +- 45 degrees.
TEST_P(SurfaceLoads, OfAPinHaveTheDistributionOfACosine) {
  const auto mesh = quarter_tube(dim, 8, split);
  const Vector3d direction = Vector3d(1.0, 1.0, 0.0).normalized();
  const NodalForces f =
      nodal_forces({SurfaceLoad::Kind::bearing, Cylinder{.outer = 1.0 + 1e-6}, direction}, *mesh, 1.0);
  EXPECT_LT((resultant(f) - direction).norm(), 1e-12);
  // The force of an angle phi off the direction has the part c cos(phi) cos(phi) along it; over the outer 22.5 degrees:
  const double c = 1.0 / (pi / 4.0 + 0.5);
  double outer = 0.0;
  for (std::size_t i = 0; i < f.nodes.size(); ++i) {
    const Vector3d x = mesh->positions().col(f.nodes[i]);
    const double off = std::atan2(x[1], x[0]) - pi / 4.0;
    const double share = std::abs(std::abs(off) - pi / 8.0) < 1e-9 ? 0.5
                         : std::abs(off) > pi / 8.0                ? 1.0
                                                                   : 0.0;
    outer += share * direction.dot(f.forces.col(static_cast<Index>(i)));
  }
  const double expected = c * 2.0 * (0.5 * pi / 8.0 + 0.25 * (1.0 - std::sin(pi / 4.0)));
  // A node at the limit counts half, which is right to the square of the angle of an element, 1/8 of the quarter.
  EXPECT_NEAR(outer, expected, 0.02 * expected);
  EXPECT_TRUE(
      nodal_forces({SurfaceLoad::Kind::bearing, Cylinder{.outer = 1.0 + 1e-6}, -direction}, *mesh, 1.0)
          .nodes.empty());
}

TEST_P(SurfaceLoads, OfAPinDoNotPullAtTheOtherSide) {
  const auto mesh = free_mesh(unit_box(dim, 3), split, 0.3);
  const NodalForces f = nodal_forces({SurfaceLoad::Kind::bearing, Place(), Vector3d::UnitX()}, *mesh, 1.0);
  EXPECT_LT((resultant(f) - Vector3d::UnitX()).norm(), 1e-12);
  for (std::size_t i = 0; i < f.nodes.size(); ++i)
    EXPECT_TRUE(mesh->positions()(0, f.nodes[i]) == 0.0 || f.forces.col(static_cast<Index>(i)).isZero(1e-12));
}

TEST_P(SurfaceLoads, AreTheSumOfTheirShares) {
  const auto mesh = quarter_tube(dim, 3, split);
  const NodalForces f = nodal_forces({.place = Place()}, *mesh, 1.0);
  Mesh::Points sum = Mesh::Points::Zero(3, mesh->n_nodes()), expected = sum;
  for (std::size_t i = 0; i < f.nodes.size(); ++i)
    expected.col(f.nodes[i]) = f.forces.col(static_cast<Index>(i));
  for (const LoadShare& share : shares_of(f)) {
    double total = 0.0;
    for (const double weight : share.set.weights) total += weight;
    for (std::size_t i = 0; i < share.set.nodes.size(); ++i) {
      EXPECT_GT(share.set.weights[i], 0.0);
      sum(share.axis, share.set.nodes[i]) += share.force * share.set.weights[i] / total;
    }
  }
  EXPECT_LT((sum - expected).norm(), 1e-8 * expected.norm());
}

/// A body with a load on the surface of its hole, or on its top, as the program makes it.
FlexibleBodySpec loaded(FlexibleBodySpec spec, const SurfaceLoad& load) {
  const auto mesh = make_mesh(spec.mesh);
  CombinedLoadSpec combined{"load", {}};
  for (const LoadShare& share : shares_of(nodal_forces(load, *mesh, spec.mesh.thickness))) {
    MarkerSpec marker{"share" + std::to_string(combined.forces.size()), load.place};
    marker.set = std::make_shared<const NodeSet>(share.set);
    combined.forces.push_back({marker.name, share.force * Vector3d::Unit(share.axis)});
    spec.markers.push_back(marker);
  }
  spec.combined_loads = {combined};
  return spec;
}

FlexibleBodySpec loaded_tube(int dim) {
  FlexibleBodySpec spec = dim == 2 ? crank(2, 2, 3, false) : bar({2, 2, 2}, {0.1, 0.1, 0.1}, 3, false);
  spec.mesh = spec_of_given(quarter_tube(dim, 2, Split::all), dim == 2 ? 0.1 : 1.0);
  spec.clamp = plane(1, 0.0);
  spec.markers.clear();
  return loaded(spec, {.place = Cylinder{.outer = 1.0 + 1e-6}});
}

TEST(SurfaceLoad, HasItsStaticAnswerInTheBasis) {
  for (const int dim : {2, 3}) {
    const FlexibleBodySpec spec = loaded_tube(dim);
    FlexibleBody body(spec);
    const VectorXd rho = random_densities(body.n_elements(), 0.3, 4);
    const ReducedBody r = reduced(body, rho);
    ASSERT_EQ(r.lambda.size(), 4);
    VectorXd generalized = VectorXd::Zero(4);
    for (std::size_t m = 0; m < r.markers.size(); ++m)
      generalized += r.markers[m].Phi.transpose() * spec.combined_loads[0].forces[m].force;
    const double work = generalized.dot(r.lambda.cwiseInverse().cwiseProduct(generalized));

    const Mesh& mesh = body.mesh();
    const Assembly assembly(mesh, mesh.nodes_in(spec.clamp),
                            ShapeClasses(spec, make_mesh(spec.mesh), spec.mesh.size).matrices());
    const auto K = make_direct_inverse(assembly);
    ASSERT_EQ(K->update(element_factors(spec, nominal_design(spec, rho)).stiffness, {}),
              StiffnessInverse::Outcome::ok);
    const NodalForces f = nodal_forces({.place = Cylinder{.outer = 1.0 + 1e-6}}, mesh, spec.mesh.thickness);
    MatrixXd b = MatrixXd::Zero(assembly.n_free_dofs(), 1), u = b;
    for (std::size_t i = 0; i < f.nodes.size(); ++i) {
      const int position = assembly.order().position_of(f.nodes[i]);
      if (position >= assembly.order().n_free()) continue;
      b.col(0).segment(Index{position} * dim, dim) = f.forces.col(static_cast<Index>(i)).head(dim);
    }
    K->solve(b, u, 0.0);
    EXPECT_NEAR(work, b.col(0).dot(u.col(0)), 1e-8 * work);
  }
}

TEST(SurfaceLoad, HasGradientsThatEqualDifferences) {
  for (const int dim : {2, 3}) {
    const FlexibleBodySpec spec = loaded_tube(dim);
    const Index n = make_mesh(spec.mesh)->n_elements();
    expect_exact_gradient(spec, random_densities(n, 0.2, 5), dim == 2 ? 1 : 7);
  }
}

}  // namespace
}  // namespace kurbel::fem::test
