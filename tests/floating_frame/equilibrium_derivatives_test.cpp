/// Every derivative of starts in static and quasi-static equilibrium.
#include <gtest/gtest.h>

#include "equilibrium_models.hpp"
#include "start_derivatives.hpp"

namespace kurbel {
namespace {

TEST(EquilibriumStart, HasDerivativesThatEqualComplexStepInEveryParameterAtRest) {
  test::expect_derivatives_of_start(test::mechanism_near_rest(), 0.1);
}

// The accelerations that drives ask for change with the position at which all others are zero.
TEST(EquilibriumStart, HasDerivativesThatEqualComplexStepWhereDrivesBeginToMove) {
  constexpr Eigen::Index every = 7;  // parameter, of some hundred
  test::expect_derivatives_of_start(test::mechanism_near_rest(3.0), 0.0, every);
}

TEST(EquilibriumStart, HasDerivativesThatEqualComplexStepInEveryParameterInMotion) {
  test::expect_derivatives_of_start(test::quasi_static_mechanism(), 0.1);
}

}  // namespace
}  // namespace kurbel
