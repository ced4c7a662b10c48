/// One objective of several cases, and its slopes.
#include "problem/over_cases.hpp"

#include <gtest/gtest.h>

#include "problem/problem.hpp"

namespace kurbel {
namespace {

using Functional = OverCases::Functional;

// Signs and weights of all cases count in the slopes.
TEST(OverCases, HasTheSlopesOfItsDifferences) {
  const VectorXd weights = Eigen::Vector3d(0.5, 2.0, 1.0), psi = Eigen::Vector3d(1.3, -1.1, 0.7);
  for (const OverCases& over : {OverCases{Functional::sum, 0.0}, OverCases{Functional::p_norm, 4.0},
                                OverCases{Functional::kreisselmeier_steinhauser, 2.0}}) {
    VectorXd slopes;
    over.value(weights, psi, &slopes);
    for (Eigen::Index c = 0; c < psi.size(); ++c) {
      const double h = 1e-5;
      const VectorXd step = h * VectorXd::Unit(psi.size(), c);
      const double difference =
          (over.value(weights, psi + step) - over.value(weights, psi - step)) / (2.0 * h);
      EXPECT_NEAR(slopes[c], difference, 1e-8) << c;
    }
  }
}

// A mass that no case changes is bounded once; one that a case changes, in every case.
TEST(OverCases, BoundAMassOnceUnlessACaseChangesIt) {
  const std::string text =
      "[bodies.a]\ntype = \"rigid\"\nmass = 1.0\ninertia = [1e-3, 1e-3, 1e-3]\n"
      "[integrator]\nt1 = 0.2\nstep = 0.01\n"
      "[objective]\ntype = \"kinetic-energy\"\ntime = \"mean\"\n"
      "[constraints.criteria.light]\ntype = \"mass\"\nbody = \"a\"\nupper = "
      "2.0\n[cases.one]\n[cases.other]\n";
  const auto constraints = [](const std::string& of) {
    return read_problem(TomlDocument::parse(of, "ball.toml", ".", {})).constraints.criteria;
  };
  ASSERT_EQ(constraints(text).size(), 1U);
  EXPECT_EQ(constraints(text).front().of_case, "");
  const std::vector<CriterionConstraint> changed = constraints(text + "bodies.a.mass = 1.5\n");
  ASSERT_EQ(changed.size(), 2U);
  EXPECT_EQ(changed.back().of_case, "other");
}

}  // namespace
}  // namespace kurbel
