#include "optimizers/best_design.hpp"

#include <gtest/gtest.h>

namespace kurbel {
namespace {

Evaluation evaluation(double objective, double equality, double inequality) {
  Evaluation e;
  e.objective = objective;
  e.constraints = (VectorXd(2) << equality, inequality).finished();
  return e;
}

bool consider(BestDesign& best, double objective, double equality, double inequality) {
  return best.consider(VectorXd::Constant(1, objective), evaluation(objective, equality, inequality));
}

TEST(Infeasibility, CountsBothSidesOfEqualitiesAndOneOfInequalities) {
  EXPECT_DOUBLE_EQ(infeasibility(evaluation(0.0, -0.3, -0.5), 1), 0.3);
  EXPECT_DOUBLE_EQ(infeasibility(evaluation(0.0, -0.3, 0.5), 1), 0.5);
  EXPECT_DOUBLE_EQ(infeasibility(evaluation(0.0, -0.3, -0.5), 0), 0.0);
  EXPECT_DOUBLE_EQ(infeasibility(Evaluation{}, 0), 0.0);
}

TEST(BestDesign, PrefersTheSmallerViolationThenFeasibilityThenTheLowerObjective) {
  BestDesign best(1, 1e-6);
  EXPECT_TRUE(best.empty());
  EXPECT_FALSE(best.feasible());
  EXPECT_TRUE(consider(best, 5.0, 0.0, 0.2));
  EXPECT_FALSE(consider(best, 1.0, 0.3, 0.0));
  EXPECT_TRUE(consider(best, 9.0, -0.1, 0.0));
  EXPECT_FALSE(best.feasible());
  EXPECT_TRUE(consider(best, 20.0, 9e-7, -1.0));
  EXPECT_TRUE(best.feasible());
  EXPECT_FALSE(consider(best, 1.0, 2e-6, -1.0));
  EXPECT_FALSE(consider(best, 20.0, 0.0, -1.0));  // equal objective: the first stays
  EXPECT_TRUE(consider(best, 19.0, 0.0, 1e-7));
  EXPECT_EQ(best.x()[0], 19.0);
  EXPECT_EQ(best.evaluation().objective, 19.0);
}

}  // namespace
}  // namespace kurbel
