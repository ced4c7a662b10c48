#include "formulation/branch_warnings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/integration/two_branches.hpp"

namespace kurbel::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The warnings about a motion with these positions at equidistant instants.
/// @param stride  of the instants whose constraints are known beforehand
std::vector<std::string> warnings(const NodeSpec& spec, double from, double to, int n_steps,
                                  const std::function<VectorXd(double)>& position, int stride = 1) {
  const NodeMechanism<double> system(spec, spec.numbers());
  Trajectory<double> trajectory;
  trajectory.t = VectorXd::LinSpaced(n_steps + 1, from, to);
  trajectory.y = MatrixXd::Zero(2 * system.n_x(), n_steps + 1);
  trajectory.n_stored = n_steps + 1;
  for (int k = 0; k <= n_steps; ++k) trajectory.y.col(k).head(system.n_x()) = position(trajectory.t[k]);
  BranchWarnings branches(system, trajectory);
  const auto ws = system.make_workspace();
  const VectorXd rest = VectorXd::Zero(system.n_v()), no_lambda = VectorXd::Zero(system.n_c());
  ConstraintDerivatives<double> constraints;
  constraints.resize(system.n_v(), system.n_c());
  for (int k = 1; k <= n_steps; k += stride) {
    const VectorXd x = trajectory.y.col(k).head(system.n_x());
    system.constraint_derivatives({trajectory.t[k], x, rest, rest, no_lambda}, *ws, constraints);
    branches.add(k, constraints.C);
  }
  return branches.warnings();
}

// The slide turns back at pi / 2, with both branches 11 mm apart: a step that ends there in the middle of a dead centre.
TEST(BranchWarnings, NameTheStepsThatEndOnAnotherBranch) {
  const CrankAndSlide mechanism;
  for (const int stride : {1, 7}) {
    SCOPED_TRACE(stride);
    const auto told = [&](int n_steps, double leaves) {
      return warnings(
          mechanism.spec(), 1.0, 2.0, n_steps,
          [&](double t) { return mechanism.position(t, t < leaves ? 1.0 : -1.0); }, stride);
    };
    EXPECT_THAT(told(100, 1.571),
                ElementsAre(AllOf(HasSubstr("node 1"),
                                  HasSubstr("from its position at t = 1.56 s to that at 1.58 s"))));
    EXPECT_THAT(told(1000, 1.5705),
                ElementsAre(AllOf(HasSubstr("node 1"), HasSubstr("t = 1.569 s to that at 1.571 s"))));
    EXPECT_THAT(told(100, 3.0), IsEmpty());
    EXPECT_THAT(told(1000, 3.0), IsEmpty());
  }
}

// A motion that goes straight on through the gap has no kink. The dead centre is found beside rows of another point that nearly
// depend on each other at all times.
TEST(BranchWarnings, NameStepsThatGoStraightThroughTheGapBetweenBranches) {
  const CrankAndSlide mechanism;
  NodeSpec spec = mechanism.spec();
  const Vector3d other(std::cos(1e-2), std::sin(1e-2), 0.0);
  spec.n_nodes = 3;
  for (NodeSpec::Product& product : spec.products)
    product.u.conservativeResizeLike(VectorXd::Zero(3)), product.w = product.u;
  for (NodeSpec::Drive& drive : spec.drives) drive.u.conservativeResizeLike(VectorXd::Zero(3));
  spec.masses.push_back({2, 2, 2.0}), spec.falls.push_back(false);
  spec.products.push_back({VectorXd::Unit(3, 2), VectorXd::Unit(3, 2), 0.0, true, 1.0});
  spec.drives.push_back({VectorXd::Unit(3, 2), 0, other.x()});
  const auto position = [&](double leaves) {
    return [&, leaves](double t) {
      return VectorXd((VectorXd(9) << mechanism.position(t, t < leaves ? 1.0 : -1.0), other).finished());
    };
  };
  for (const int n_steps : {8, 40, 80}) {
    SCOPED_TRACE(n_steps);
    EXPECT_THAT(warnings(spec, 0.97, 2.17, n_steps, position(1.571)), ElementsAre(HasSubstr("node 1")));
    EXPECT_THAT(warnings(spec, 0.97, 2.17, n_steps, position(3.0)), IsEmpty());
  }
}

// Far from dead centres only the kink of the motion tells where to look.
TEST(BranchWarnings, FindAnotherBranchFarFromDeadCentres) {
  CrankAndSlide mechanism;
  mechanism.travel = 0.6;
  const auto position = [&](double leaves) {
    return [&mechanism, leaves](double t) { return mechanism.position(t, t < leaves ? -1.0 : 1.0); };
  };
  EXPECT_THAT(warnings(mechanism.spec(), 0.8, 1.4, 60, position(1.005)),
              ElementsAre(AllOf(HasSubstr("node 1"), HasSubstr("t = 0.99 s to that at 1.01 s"))));
  EXPECT_THAT(warnings(mechanism.spec(), 0.8, 1.4, 60, position(2.0)), IsEmpty());
}

TEST(BranchWarnings, SpareMotionsThatGoStraightOnWhereBranchesCross) {
  const Parallelogram mechanism;
  for (const int n_steps : {20, 37, 51, 400}) {
    for (const bool is_parallel : {true, false}) {
      SCOPED_TRACE(n_steps);
      const auto straight = [&](double t) { return mechanism.position(t, is_parallel); };
      EXPECT_THAT(warnings(mechanism.spec(), -0.5, 0.5, n_steps, straight), IsEmpty());
      const auto bent = [&](double t) { return mechanism.position(t, (t < 0.0) == is_parallel); };
      EXPECT_THAT(warnings(mechanism.spec(), -0.5, 0.5, n_steps, bent), ElementsAre(HasSubstr("node 1")));
    }
  }
}

}  // namespace
}  // namespace kurbel::test
