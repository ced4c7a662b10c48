#include "optimizers/verdict.hpp"

#include <gtest/gtest.h>

#include "tests/optimizers/toy_problems.hpp"

namespace kurbel {
namespace {

OptimizerResult result_of(StopReason reason, double kkt_residual, bool feasible = true) {
  OptimizerResult result;
  result.reason = reason;
  result.ending = "the limit of 7 iterations is reached";
  result.feasible = feasible;
  result.kkt_residual = kkt_residual;
  return result;
}

Verdict verdict(const OptimizerResult& result, bool is_last_step = true) {
  return verdict_on(result, is_last_step, "press on");
}

TEST(Verdict, AnOptimumIsAnOptimumHoweverTheRunEnded) {
  for (const StopReason reason : {StopReason::design_change, StopReason::solver, StopReason::iterations})
    EXPECT_EQ(verdict(result_of(reason, 8e-4)).outcome, Outcome::converged);
  EXPECT_EQ(verdict(result_of(StopReason::progress, 8e-4)).text, "converged: KKT residual 0.0008");
}

TEST(Verdict, TellsLimitsFromStallsAndFromMissingFeasibility) {
  EXPECT_EQ(verdict(result_of(StopReason::iterations, 0.02)).outcome, Outcome::limit);
  EXPECT_EQ(verdict(result_of(StopReason::wall_time, 0.02)).outcome, Outcome::limit);
  EXPECT_EQ(verdict(result_of(StopReason::solver, 0.7)).outcome, Outcome::stalled);
  EXPECT_EQ(verdict(result_of(StopReason::design_change, 0.7)).outcome, Outcome::stalled);
  EXPECT_EQ(verdict(result_of(StopReason::design_change, 0.0, false)).outcome, Outcome::infeasible);
  EXPECT_EQ(verdict(result_of(StopReason::interrupted, 0.0)).outcome, Outcome::interrupted);
  EXPECT_EQ(verdict(result_of(StopReason::failure, 0.0)).outcome, Outcome::failed);
}

TEST(Verdict, AnOptimumOfAnEarlierStepOfAContinuationIsNone) {
  EXPECT_EQ(verdict(result_of(StopReason::iterations, 8e-4), false).outcome, Outcome::limit);
  EXPECT_EQ(verdict(result_of(StopReason::progress, 8e-4), false).outcome, Outcome::stalled);
}

TEST(Verdict, NamesTheLimitThatEndedTheSearchForAFeasibleDesign) {
  const std::string text = verdict(result_of(StopReason::iterations, 0.7, false)).text;
  EXPECT_EQ(text.find("not feasible: the limit of 7 iterations is reached before"), 0u) << text;
  EXPECT_EQ(verdict(result_of(StopReason::solver, 0.7, false)).text.find("limit"), std::string::npos);
}

TEST(Verdict, NamesTheWayOnOfItsUser) {
  for (const auto& [reason, feasible] :
       {std::pair(StopReason::iterations, true), std::pair(StopReason::iterations, false),
        std::pair(StopReason::interrupted, true)}) {
    const std::string text = verdict(result_of(reason, 0.7, feasible)).text;
    EXPECT_NE(text.find("press on."), std::string::npos) << text;
  }
}

TEST(Verdict, IsThatOfTheBestDesignAndNotOfTheLast) {
  toys::ToyProblem beam = toys::cantilever_beam();
  OptimizerOptions options;
  options.max_iterations = 0;
  const OptimizerResult start = make_optimizer(options)->minimize(beam, beam.start, {});
  EXPECT_GT(start.kkt_residual, converged_kkt_residual);
  options.max_iterations = 200;
  const OptimizerResult end = make_optimizer(options)->minimize(beam, beam.start, {});
  EXPECT_EQ(verdict(end).outcome, Outcome::converged) << verdict(end).text;
}

}  // namespace
}  // namespace kurbel
