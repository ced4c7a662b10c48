/// One objective of several cases, and its slopes.
#include "problem/over_cases.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace kurbel
