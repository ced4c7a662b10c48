/// Stress criteria of several cases, and several ones of a body.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "crank.hpp"

namespace kurbel {
namespace {

/// The crank with some densities, at an objective.
test::Evaluated evaluated(const std::string& objective, const std::vector<std::string>& more = {}) {
  std::vector<std::string> overrides = test::coarse_crank();
  overrides.insert(overrides.end(),
                   {"integrator.t1=0.05", "gravity=[0.0,-9.81,0.0]", "objective=" + objective});
  overrides.insert(overrides.end(), more.begin(), more.end());
  const Problem problem = read_problem(test::input("flexible_crank.toml"), overrides);
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  return test::evaluate(chain, space, test::random_densities(space.n_variables(), 3));
}

// Two cases alike, of weights 1 and 2: three times one of them, whatever each contributes by its stresses.
TEST(StressOfCases, AddsUpInTheGradient) {
  const std::string stress = "{type=\"von-mises\", body=\"crank\", time=\"mean\"}";
  const test::Evaluated one = evaluated(stress),
                        both = evaluated(stress, {"cases={a={weight=1.0}, b={weight=2.0}}"});
  ASSERT_GT(one.gradient.norm(), 0.0);
  EXPECT_NEAR(both.psi, 3.0 * one.psi, 1e-12 * both.psi);
  EXPECT_LT((both.gradient - 3.0 * one.gradient).norm(), 1e-9 * both.gradient.norm());
}

TEST(StressTerms, OfOneBodyAddUpEachWithItsRelaxation) {
  const auto term = [](double relaxation, double weight) {
    return fmt::format("{{type=\"von-mises\", body=\"crank\", time=\"mean\", relaxation={}, weight={}}}",
                       relaxation, weight);
  };
  const test::Evaluated little = evaluated(term(0.2, 1.0)), much = evaluated(term(0.8, 1.0)),
                        both = evaluated("[" + term(0.2, 1.0) + ", " + term(0.8, 2.0) + "]");
  ASSERT_GT(std::abs(little.psi - much.psi), 0.01 * much.psi);
  EXPECT_NEAR(both.psi, little.psi + 2.0 * much.psi, 1e-12 * both.psi);
  EXPECT_LT((both.gradient - little.gradient - 2.0 * much.gradient).norm(), 1e-9 * both.gradient.norm());
}

}  // namespace
}  // namespace kurbel
