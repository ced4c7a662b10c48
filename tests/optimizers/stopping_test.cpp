#include "optimizers/stopping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "optimizers/verdict.hpp"
#include "tests/optimizers/toy_problems.hpp"

namespace kurbel {
namespace {

using namespace toys;

class EveryMethod : public testing::TestWithParam<std::string> {
 protected:
  /// A problem that every method can treat.
  static ToyProblem problem() {
    return is_for_bounds_only(GetParam()) ? rosenbrock() : with_positive_sensitivities();
  }

  static OptimizerOptions endless() {
    OptimizerOptions options;
    options.method = GetParam();
    options.design_change = 0.0;
    options.max_iterations = 500;
    return options;
  }
};

TEST_P(EveryMethod, StopsAtTheLimitOfIterations) {
  ToyProblem p = problem();
  OptimizerOptions options = endless();
  options.max_iterations = 4;
  const OptimizerResult result = make_optimizer(options)->minimize(p, p.start, {});
  EXPECT_EQ(result.reason, StopReason::iterations);
  EXPECT_EQ(result.iterations, 4);
  EXPECT_EQ(result.message, "the limit of 4 iterations is reached");
}

TEST_P(EveryMethod, NamesTheLimitThatEndsTheRun) {
  ToyProblem p = problem();
  OptimizerOptions options = endless();
  options.max_iterations = 4;  // what is left of 400
  options.name_of_iterations = "optimizer.stop.iterations = 400";
  options.name_of_wall_time = "optimizer.stop.wall_time = 3 s";
  EXPECT_EQ(make_optimizer(options)->minimize(p, p.start, {}).ending,
            "the limit optimizer.stop.iterations = 400 is reached");
  options.wall_time = 1e-9;
  EXPECT_EQ(make_optimizer(options)->minimize(p, p.start, {}).ending,
            "the limit optimizer.stop.wall_time = 3 s is reached");
}

TEST_P(EveryMethod, EvaluatesOnlyTheStartWithoutIterations) {
  ToyProblem p = problem();
  OptimizerOptions options = endless();
  options.max_iterations = 0;
  const OptimizerResult result = make_optimizer(options)->minimize(p, p.start, {});
  EXPECT_EQ(result.reason, StopReason::iterations);
  EXPECT_EQ(result.evaluations, 1);
  EXPECT_EQ(result.x, p.start);
}

TEST_P(EveryMethod, StopsWhenTheDesignStaysTheSame) {
  ToyProblem p = problem();
  OptimizerOptions options = endless();
  options.design_change = 1e-2;
  std::vector<double> changes;
  const OptimizerResult result = make_optimizer(options)->minimize(p, p.start, [&](const IterationReport& r) {
    changes.push_back(r.design_change);
    return true;
  });
  if (GetParam() == "auglag") {  // whose iterations include the trial points of line searches
    EXPECT_NE(result.reason, StopReason::design_change);
    return;
  }
  EXPECT_EQ(result.reason, StopReason::design_change);
  ASSERT_GE(changes.size(), 3u);
  EXPECT_LE(changes.back(), 1e-2);
  EXPECT_LE(changes[changes.size() - 2], 1e-2);
}

TEST_P(EveryMethod, StopsAtTheKktResidual) {
  ToyProblem p = problem();
  OptimizerOptions options = endless();
  options.kkt_residual = 1e-3;
  std::vector<bool> optimal;
  const OptimizerResult result = make_optimizer(options)->minimize(p, p.start, [&](const IterationReport& r) {
    const bool feasible = r.evaluation->constraints.size() == 0 || r.evaluation->constraints[0] <= 1e-6;
    optimal.push_back(feasible && r.kkt_residual <= 1e-3);
    return true;
  });
  EXPECT_EQ(result.reason, StopReason::kkt_residual);
  EXPECT_TRUE(optimal.back());
  EXPECT_EQ(std::count(optimal.begin(), optimal.end(), true), 1);
}

TEST_P(EveryMethod, StopsAtAStartThatIsOptimal) {
  ToyProblem p = problem();
  OptimizerOptions options = endless();
  options.kkt_residual = 1e-6;
  // In Rosenbrock's valley the KKT residual is scaled by the gradient at the start, here rounding: start
  // beside it.
  const VectorXd start = is_for_bounds_only(GetParam()) ? VectorXd::Constant(2, 2.0) : p.optimum;
  const OptimizerResult result = make_optimizer(options)->minimize(p, start, {});
  EXPECT_EQ(result.reason, StopReason::kkt_residual);
  if (!is_for_bounds_only(GetParam())) {
    EXPECT_EQ(result.iterations, 0);
  }
}

TEST_P(EveryMethod, StopsWhenTimeIsUp) {
  ToyProblem p = problem();
  ToyProblem slow(p.lower(), p.upper(), p.n_constraints(), p.n_equalities(),
                  [&p](const VectorXd& x, Evaluation& e) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                    return p.evaluate(x, e);
                  });
  OptimizerOptions options = endless();
  options.wall_time = 0.05;
  const OptimizerResult result = make_optimizer(options)->minimize(slow, p.start, {});
  EXPECT_EQ(result.reason, StopReason::wall_time);
  EXPECT_LE(result.evaluations, 3);  // the third one ends after 0.06 s at the earliest
}

TEST_P(EveryMethod, StopsWhenTheCallbackSaysSo) {
  ToyProblem p = problem();
  const OptimizerResult result = make_optimizer(endless())->minimize(
      p, p.start, [](const IterationReport& r) { return r.iteration < 3; });
  EXPECT_EQ(result.reason, StopReason::interrupted);
  EXPECT_EQ(result.iterations, 3);
  EXPECT_EQ(result.message, "interrupted");
}

TEST_P(EveryMethod, StopsAfterTheEvaluationInWhichItIsRequestedTo) {
  ToyProblem p = problem();
  p.stop_after = 4;
  const OptimizerResult result = make_optimizer(endless())->minimize(p, p.start, {});
  EXPECT_EQ(result.reason, StopReason::interrupted);
  EXPECT_EQ(p.n_evaluated, 4);
  EXPECT_LT(result.evaluation.objective, 1e300);
}

TEST_P(EveryMethod, ReturnsTheLeastInfeasibleDesignOfAnInfeasibleProblem) {
  ToyProblem p = infeasible();
  OptimizerOptions options;  // the default rules: an infeasible design must not count as converged
  options.method = GetParam();
  if (is_for_bounds_only(GetParam())) {
    EXPECT_THROW(make_optimizer(options)->minimize(p, p.start, {}), InputError);
    return;
  }
  const OptimizerResult result = make_optimizer(options)->minimize(p, p.start, {});
  EXPECT_EQ(result.reason, StopReason::solver);
  EXPECT_FALSE(result.feasible);
  // Ipopt's restoration phase is an interior-point method: it stays off the bounds by its tolerance.
  EXPECT_LT((result.x - p.optimum).lpNorm<Eigen::Infinity>(), 1e-6);
  EXPECT_NE(result.message.find("no design that was tried satisfies all constraints"), std::string::npos);
  EXPECT_NE(result.message.find("violates them by up to 2"), std::string::npos) << result.message;
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, testing::ValuesIn(optimizer_methods),
                         [](const auto& info) { return with_underscores(info.param); });

IterationReport report(int iteration, double change, double kkt = 1.0) {
  IterationReport r;
  r.iteration = iteration;
  r.design_change = change;
  r.kkt_residual = kkt;
  return r;
}

TEST(StoppingRules, WantConsecutiveSmallChangesThatCountAtAFeasibleDesign) {
  OptimizerOptions options;
  options.design_change = 0.1;
  options.design_change_iterations = 2;
  StoppingRules rules(options);
  EXPECT_FALSE(rules.after_iteration(report(0, 0.0), true, true));  // the start has no change
  EXPECT_FALSE(rules.after_iteration(report(1, 0.05), true, true));
  EXPECT_FALSE(rules.after_iteration(report(2, 0.20), true, true));
  EXPECT_FALSE(rules.after_iteration(report(3, 0.05), true, true));
  EXPECT_FALSE(rules.after_iteration(report(4, 0.05), true, false));
  EXPECT_FALSE(rules.after_iteration(report(5, 0.05), true, true));
  EXPECT_FALSE(rules.after_iteration(report(6, 0.05), false, true));
  const auto stop = rules.after_iteration(report(7, 0.05), true, true);
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->reason, StopReason::design_change);
}

/// One per cent in two iterations, once.
OptimizerOptions by_progress_alone() {
  OptimizerOptions options;
  options.design_change = 0.0;
  options.progress = 0.01;
  options.progress_iterations = 2;
  options.patience = 1;
  return options;
}

TEST(StoppingRules, EndWhereFeasibleDesignsHaveImprovedTooLittle) {
  StoppingRules rules(by_progress_alone());
  Evaluation evaluation;
  const auto stops = [&](int iteration, double objective, bool feasible) {
    evaluation.objective = objective;
    IterationReport r = report(iteration, 0.5);
    r.evaluation = &evaluation;
    return rules.after_iteration(r, feasible, true);
  };
  EXPECT_FALSE(stops(0, 10.0, true));
  EXPECT_FALSE(stops(1, 12.0, true));
  EXPECT_FALSE(stops(2, 9.8, true));   // 2 % below the start
  EXPECT_FALSE(stops(3, 1.0, false));  // does not count
  EXPECT_FALSE(stops(4, 9.81, true));  // 2 % below the second one and the start
  const auto stop = stops(5, 9.79, true);
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->reason, StopReason::progress);
  EXPECT_EQ(stop->message, "the objective falls by less than 1 % in 2 iterations");
}

// Progress is relative to the size of the objective, also below zero.
TEST(StoppingRules, EndWhereANegativeObjectiveFallsTooLittle) {
  StoppingRules rules(by_progress_alone());
  Evaluation evaluation;
  int iteration = 0;
  const auto stops = [&](double objective) {
    evaluation.objective = objective;
    IterationReport r = report(iteration++, 0.5);
    r.evaluation = &evaluation;
    return rules.after_iteration(r, true, true);
  };
  EXPECT_FALSE(stops(-10.0));
  EXPECT_FALSE(stops(-10.0));
  EXPECT_FALSE(stops(-10.2));
  EXPECT_FALSE(stops(-10.2));
  EXPECT_TRUE(stops(-10.29));
}

// A trial that is worse takes nothing from the progress of the one before.
TEST(StoppingRules, CountTheBestObjectiveSoFar) {
  StoppingRules rules(by_progress_alone());
  Evaluation evaluation;
  int iteration = 0;
  for (const double objective : {10.0, 10.0, 9.8, 9.99}) {
    evaluation.objective = objective;
    IterationReport r = report(iteration++, 0.5);
    r.evaluation = &evaluation;
    EXPECT_FALSE(rules.after_iteration(r, true, true)) << iteration;
  }
}

TEST(StoppingRules, AreMorePatientFarFromAnOptimum) {
  OptimizerOptions options;
  options.design_change = 0.0;
  options.progress = 0.01;
  options.progress_iterations = 2;
  options.patience = 3;
  for (const double kkt : {1.0, 2e-2, 1e-2, 1e-4}) {
    StoppingRules rules(options);
    Evaluation evaluation;
    evaluation.objective = 10.0;
    int last = 0;
    for (std::optional<Stop> stop; !stop; ++last) {
      IterationReport r = report(last, 0.5, kkt);
      r.evaluation = &evaluation;
      stop = rules.after_iteration(r, true, true);
      ASSERT_LT(last, 10);
    }
    EXPECT_EQ(last - 1, kkt > converged_kkt_residual ? 6 : 2) << kkt;
  }
}

TEST(StoppingRules, ForgetProgressMadeOnOtherFunctions) {
  OptimizerOptions options;
  options.progress = 0.01;
  options.progress_iterations = 2;
  options.patience = 1;
  StoppingRules rules(options);
  Evaluation evaluation;
  const auto stops = [&](int iteration, double objective) {
    evaluation.objective = objective;
    IterationReport r = report(iteration, 0.5);
    r.evaluation = &evaluation;
    return rules.after_iteration(r, true, true).has_value();
  };
  EXPECT_FALSE(stops(0, 1.0));
  EXPECT_FALSE(stops(1, 2.0));
  rules.begin_anew();
  EXPECT_FALSE(stops(2, 2.0));
  EXPECT_FALSE(stops(3, 1.9));
  EXPECT_FALSE(stops(4, 1.8));
  EXPECT_FALSE(stops(5, 1.8));
  EXPECT_TRUE(stops(6, 1.8));
}

TEST(StoppingRules, DoNotTakeAnInfeasibleDesignForOptimal) {
  OptimizerOptions options;
  options.kkt_residual = 0.1;
  StoppingRules rules(options);
  EXPECT_FALSE(rules.after_iteration(report(1, 1.0, 0.05), false, true));
  EXPECT_TRUE(rules.after_iteration(report(2, 1.0, 0.05), true, true));
}

TEST(StoppingRules, AreOffAtZero) {
  OptimizerOptions options;
  options.design_change = 0.0;
  StoppingRules rules(options);
  for (int k = 0; k < 10; ++k) EXPECT_FALSE(rules.after_iteration(report(k, 0.0, 0.0), true, true));
  EXPECT_FALSE(rules.after_evaluation(false));
}

}  // namespace
}  // namespace kurbel
