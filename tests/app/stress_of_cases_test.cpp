/// Stress criteria of several cases.
#include <gtest/gtest.h>

#include "crank.hpp"

namespace kurbel {
namespace {

// Two cases alike, of weights 1 and 2: three times one of them, whatever each contributes by its stresses.
TEST(StressOfCases, AddsUpInTheGradient) {
  const auto at = [](const std::vector<std::string>& cases) {
    std::vector<std::string> overrides = test::coarse_crank();
    overrides.insert(overrides.end(), {"integrator.t1=0.05", "gravity=[0.0,-9.81,0.0]",
                                       "objective={type=\"von-mises\", body=\"crank\", time=\"mean\"}"});
    overrides.insert(overrides.end(), cases.begin(), cases.end());
    const Problem problem = read_problem(test::input("flexible_crank.toml"), overrides);
    EvaluationChain chain(problem);
    const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
    return test::evaluate(chain, space, test::random_densities(space.n_variables(), 3));
  };
  const test::Evaluated one = at({}), both = at({"cases={a={weight=1.0}, b={weight=2.0}}"});
  ASSERT_GT(one.gradient.norm(), 0.0);
  EXPECT_NEAR(both.psi, 3.0 * one.psi, 1e-12 * both.psi);
  EXPECT_LT((both.gradient - 3.0 * one.gradient).norm(), 1e-9 * both.gradient.norm());
}

}  // namespace
}  // namespace kurbel
