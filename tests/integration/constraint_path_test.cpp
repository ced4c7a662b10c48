#include "integration/constraint_path.hpp"

#include <gtest/gtest.h>

#include "two_branches.hpp"

namespace kurbel::test {
namespace {

using Place = ConstraintPath::Place;

/// C of the constraints at a place at rest.
MatrixXd constraint_jacobian(const NodeMechanism<double>& system, const Place& at) {
  const auto ws = system.make_workspace();
  const VectorXd rest = VectorXd::Zero(system.n_v()), no_lambda = VectorXd::Zero(system.n_c());
  ConstraintDerivatives<double> constraints;
  constraints.resize(system.n_v(), system.n_c());
  system.constraint_derivatives({at.t, at.x, rest, rest, no_lambda}, *ws, constraints);
  return constraints.C;
}

double volume(const NodeSpec& spec) {
  const NodeMechanism<double> system(spec, spec.numbers());
  const Place at{0.0, spec.x};
  return std::exp(ConstraintPath(system, at).log_volume(constraint_jacobian(system, at)));
}

/// One point at a distance of 1 m from the origin, at an angle to the x axis along which its place is given.
NodeSpec point_on_a_rod(double angle) {
  NodeSpec spec;
  spec.n_nodes = 1;
  spec.masses = {{0, 0, 2.0}};
  spec.products = {{VectorXd::Ones(1), VectorXd::Ones(1), 0.0, true, 1.0}};
  spec.drives = {{VectorXd::Ones(1), 0, std::cos(angle)}};
  spec.falls = {false};
  spec.x = Vector3d(std::cos(angle), std::sin(angle), 0.0), spec.v = Vector3d::Zero();
  return spec;
}

TEST(ConstraintPath, MeasuresWaysByTheRootsOfMasses) {
  const CrankAndSlide mechanism;
  const NodeSpec spec = mechanism.spec();
  const NodeMechanism<double> system(spec, spec.numbers());
  const VectorXd x_0 = mechanism.position(1.0, 1.0), x_1 = mechanism.position(1.2, -1.0);
  const VectorXd way = ConstraintPath(system, {1.0, x_0}).way(x_0, x_1);
  EXPECT_NEAR((way.head(3) - 1.0 * (x_1 - x_0).head(3)).norm(), 0.0, 1e-15);
  EXPECT_NEAR((way.tail(3) - 2.0 * (x_1 - x_0).tail(3)).norm(), 0.0, 1e-15);
}

TEST(ConstraintPath, GivesCoordinatesWithoutMassTheSmallestOne) {
  CrankAndSlide mechanism;
  mechanism.mass_of_slide = 0.0;
  const NodeSpec spec = mechanism.spec();
  const NodeMechanism<double> system(spec, spec.numbers());
  const VectorXd x_0 = VectorXd::Zero(6), x_1 = VectorXd::Ones(6);
  EXPECT_EQ(ConstraintPath(system, {1.0, mechanism.position(1.0, 1.0)}).way(x_0, x_1),
            VectorXd::Constant(6, 2.0));
}

// Two rows have the angle of the rod to the axis, whatever their lengths.
TEST(ConstraintPath, MeasuresVolumesByTheAngleBetweenRows) {
  for (const double angle : {1.2, 0.5, 1e-2, 1e-4}) {
    NodeSpec spec = point_on_a_rod(angle);
    spec.drives[0].u *= 1e3, spec.drives[0].place *= 1e3;
    EXPECT_NEAR(volume(spec), std::sin(angle), 1e-9);
  }
}

// One row holds a point along x, the other is that of a rod along x from it to another point. In coordinates times roots of
// masses, the rod's row is (-1 / sqrt(m_0), 1 / sqrt(m_1)).
TEST(ConstraintPath, MeasuresVolumesInTheMetricOfTheMass) {
  for (const double m_1 : {0.1, 1.0, 30.0}) {
    NodeSpec spec;
    spec.n_nodes = 2;
    spec.masses = {{0, 0, 2.0}, {1, 1, m_1}};
    const VectorXd rod = VectorXd::Unit(2, 1) - VectorXd::Unit(2, 0);
    spec.products = {{rod, rod, 0.0, true, 1.0}};
    spec.drives = {{VectorXd::Unit(2, 0), 0}};
    spec.falls = {false, false};
    spec.x = VectorXd::Unit(6, 3), spec.v = VectorXd::Zero(6);
    EXPECT_NEAR(volume(spec), std::sqrt(2.0 / (2.0 + m_1)), 1e-12);
  }
}

// The angle between the rows of the one point is seen beside a smaller one that never changes, between those of the other.
TEST(ConstraintPath, MeasuresVolumesBesideRowsThatAlwaysNearlyDepend) {
  for (const auto& [angle, small] : {std::pair(1.2, 1e-2), std::pair(0.5, 1e-2), std::pair(0.1, 1e-8)}) {
    NodeSpec spec;
    spec.n_nodes = 2;
    spec.x.resize(6), spec.v = VectorXd::Zero(6), spec.falls = {false, false};
    for (const auto& [node, own] : {std::pair(0, angle), std::pair(1, small)}) {
      const VectorXd u = VectorXd::Unit(2, node);
      spec.masses.push_back({node, node, 2.0});
      spec.products.push_back({u, u, 0.0, true, 1.0});
      spec.drives.push_back({u, 0, std::cos(own)});
      spec.x.segment<3>(3 * node) = Vector3d(std::cos(own), std::sin(own), 0.0);
    }
    EXPECT_NEAR(volume(spec) / (std::sin(angle) * std::sin(small)), 1.0, 1e-6);
  }
}

TEST(ConstraintPath, CountsConstraintsThatRepeatOthersOnce) {
  NodeSpec spec = point_on_a_rod(0.5);
  const double once = volume(spec);
  spec.products.push_back(spec.products[0]);
  spec.drives.push_back({-2.0 * VectorXd::Ones(1), 0, -2.0 * spec.drives[0].place});
  EXPECT_NEAR(volume(spec), once, 1e-12);
}

TEST(ConstraintPath, LeadsToPositionsOfTheSameBranch) {
  const CrankAndSlide mechanism;
  const NodeSpec spec = mechanism.spec();
  const NodeMechanism<double> system(spec, spec.numbers());
  ConstraintPath path(system, {1.0, spec.x});
  // The last two on either side of the dead centre, where both branches are 11 mm apart.
  for (const auto& [t_0, t_1] :
       {std::pair(1.0, 1.0), std::pair(1.0, 1.3), std::pair(1.3, 1.0), std::pair(1.3, 1.8)}) {
    for (const double branch : {1.0, -1.0}) {
      const auto left =
          path.way_left({t_0, mechanism.position(t_0, branch)}, {t_1, mechanism.position(t_1, branch)});
      ASSERT_TRUE(left) << t_0 << ' ' << t_1;
      EXPECT_LT(left->norm(),
                1e-4 * path.way(mechanism.position(1.0, 1.0), mechanism.position(1.3, 1.0)).norm());
    }
  }
}

// The walk stays on the branch of its start, although the other one comes close. What is left is the way between the branches.
TEST(ConstraintPath, DoesNotLeadToAnotherBranch) {
  for (const double travel : {0.79, 0.799, 0.79999}) {
    CrankAndSlide mechanism;
    mechanism.travel = travel;
    const NodeSpec spec = mechanism.spec();
    const NodeMechanism<double> system(spec, spec.numbers());
    ConstraintPath path(system, {1.0, spec.x});
    for (const double branch : {1.0, -1.0}) {
      const VectorXd own = mechanism.position(1.8, branch), other = mechanism.position(1.8, -branch);
      const auto left = path.way_left({1.3, mechanism.position(1.3, branch)}, {1.8, other});
      ASSERT_TRUE(left) << travel;
      const VectorXd between = path.way(own, other);
      EXPECT_LT((*left - between).norm(), 1e-3 * between.norm()) << travel;
    }
  }
}

TEST(ConstraintPath, GoesStraightOnWhereBranchesCross) {
  const Parallelogram mechanism;
  const NodeSpec spec = mechanism.spec();
  const NodeMechanism<double> system(spec, spec.numbers());
  ConstraintPath path(system, {-0.5, spec.x});
  for (const bool is_parallel : {true, false}) {
    const Place from{-0.3, mechanism.position(-0.3, is_parallel)};
    const VectorXd own = mechanism.position(0.2, is_parallel), other = mechanism.position(0.2, !is_parallel);
    const double between = path.way(own, other).norm();
    const auto straight = path.way_left(from, {0.2, own}), bent = path.way_left(from, {0.2, other});
    ASSERT_TRUE(straight && bent) << is_parallel;
    EXPECT_LT(straight->norm(), 1e-3 * between) << is_parallel;
    EXPECT_NEAR(bent->norm(), between, 1e-3 * between) << is_parallel;
  }
}

// A place beside the constraints is met nearly as closely as they allow, which is along the rod.
TEST(ConstraintPath, ComesAsCloseAsConstraintsAllow) {
  NodeSpec spec = point_on_a_rod(0.5);
  spec.drives.clear();
  const NodeMechanism<double> system(spec, spec.numbers());
  ConstraintPath path(system, {0.0, spec.x});
  const Vector3d direction = Vector3d(0.2, 0.9, 0.4).normalized();
  const auto left = path.way_left({0.0, spec.x}, {0.0, 1.3 * direction});
  ASSERT_TRUE(left);
  EXPECT_NEAR(left->norm(), std::sqrt(2.0) * 0.3, 2e-3);
}

// The slide would come 0.1 m beyond the end of crank and rod.
TEST(ConstraintPath, EndsWhereConstraintsCannotBeMet) {
  CrankAndSlide mechanism;
  mechanism.travel = 0.9;
  const NodeSpec spec = mechanism.spec();
  const NodeMechanism<double> system(spec, spec.numbers());
  const double t_0 = std::asin(0.7 / 0.9), t_1 = 3.0 - t_0;
  ConstraintPath path(system, {t_0, mechanism.position(t_0, 1.0)});
  EXPECT_FALSE(path.way_left({t_0, mechanism.position(t_0, 1.0)}, {1.5, mechanism.position(t_0, -1.0)}));
  EXPECT_FALSE(path.way_left({t_0, mechanism.position(t_0, 1.0)}, {t_1, mechanism.position(t_1, 1.0)}));
}

}  // namespace
}  // namespace kurbel::test
