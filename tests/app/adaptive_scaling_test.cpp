/// Bounds that hold for true extremes, on a toy whose optimum under them is known.
#include "evaluation/adaptive_scaling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>
#include <stdexcept>

#include "formulation/criterion_values.hpp"
#include "optimizers/recorded_nlp.hpp"

namespace kurbel {
namespace {

/// F_k = cos^4(a_k) / x_1 + sin^4(a_k) / x_2 over some steps, at most 2 by its p-norm: of least x_1 + x_2.
class Toy final : public Nlp {
 public:
  static constexpr int n_steps = 40;
  static constexpr double p = 6.0;

  VectorXd time_history(const VectorXd& x) const { return a_.cos().pow(4) / x[0] + a_.sin().pow(4) / x[1]; }

  Eigen::Index n_variables() const override { return 2; }
  Eigen::Index n_constraints() const override { return 1; }
  const VectorXd& lower() const override { return lower_; }
  const VectorXd& upper() const override { return upper_; }
  Status evaluate(const VectorXd& x, Evaluation& out) override {
    ++n_requested;
    const Eigen::ArrayXd F = time_history(x).array();
    const double psi = std::pow(F.pow(p).mean(), 1.0 / p);
    const Eigen::ArrayXd slope = (F / psi).pow(p - 1.0) / n_steps;
    out.objective = x.sum();
    out.gradient = VectorXd::Ones(2);
    out.constraints = VectorXd::Constant(1, psi / bound - 1.0);
    out.constraint_gradients.resize(1, 2);
    out.constraint_gradients << -(slope * a_.cos().pow(4)).sum() / (bound * x[0] * x[0]),
        -(slope * a_.sin().pow(4)).sum() / (bound * x[1] * x[1]);
    const double peak = F.maxCoeff();
    out.diagnostics = to_diagnostics({{x.sum(), x.sum(), x.sum()}, {psi, peak, peak}});
    return {};
  }

  double bound = 2.0;
  int n_requested = 0;

 private:
  const Eigen::ArrayXd a_ = Eigen::ArrayXd::LinSpaced(n_steps, 0.0, std::numbers::pi / 2.0);
  VectorXd lower_ = VectorXd::Constant(2, 0.05), upper_ = VectorXd::Constant(2, 10.0);
};

/// The only constraint, at most 2, corrected by a factor or by a shift.
std::vector<AdaptiveRow> bounded(bool by_factor) {
  return {{"F", 0, 1, 1.0 / 2.0, 2.0, by_factor}};
}

OptimizerOptions options_of(const std::string& method, int iterations = 200) {
  OptimizerOptions options;
  options.method = method, options.max_iterations = iterations;
  options.design_change = 1e-5, options.kkt_residual = 1e-7;
  return options;
}

struct AdaptiveRun {
  OptimizerResult result;
  std::vector<VectorXd> designs;
};

AdaptiveRun run_of(const OptimizerOptions& options, Nlp& nlp, bool by_factor) {
  AdaptiveNlp adaptive(nlp, bounded(by_factor), options);
  EXPECT_TRUE(adaptive.corrects());
  AdaptiveRun run;
  run.result =
      minimize_adaptively(options, adaptive, Eigen::Vector2d(1.0, 4.0), [&](const IterationReport& report) {
        EXPECT_EQ(report.iteration, static_cast<int>(run.designs.size()));
        run.designs.push_back(*report.x);
        return true;
      });
  return run;
}

/// By a factor and by a shift. The largest F is that at an end, so that the optimum is (1/2, 1/2).
TEST(AdaptiveScaling, LeadsToTheBoundOfTheTruePeak) {
  for (const std::string method : {"mma", "gcmma", "mma-bfgs", "ccsa", "nlopt-mma", "ipopt"}) {
    for (const bool by_factor : {true, false}) {
      SCOPED_TRACE(method);
      Toy toy;
      const OptimizerResult result = run_of(options_of(method), toy, by_factor).result;
      const double peak = toy.time_history(result.x).maxCoeff();
      EXPECT_TRUE(result.feasible) << result.message;
      EXPECT_LE(peak, 2.0 * (1.0 + 1e-6));
      EXPECT_GE(peak, 2.0 * 0.998);  // twice the margin
      EXPECT_NEAR(result.evaluation.constraints[0], peak / 2.0 - 1.0, 1e-14);
      EXPECT_NEAR(result.evaluation.objective, 1.0, 0.02);
    }
  }
}

TEST(AdaptiveScaling, IsWhatABoundedAggregateLacks) {
  Toy toy;
  const OptimizerResult result =
      make_optimizer(options_of("mma"))->minimize(toy, Eigen::Vector2d(1.0, 4.0), {});
  EXPECT_TRUE(result.feasible);
  EXPECT_GT(toy.time_history(result.x).maxCoeff(), 2.2);
}

TEST(AdaptiveScaling, KeepsTheFunctionUntilItIsRenewed) {
  for (const bool by_factor : {true, false}) {
    Toy toy;
    AdaptiveNlp adaptive(toy, bounded(by_factor), options_of("ccsa"));
    const VectorXd start = Eigen::Vector2d(0.5, 5.0), x = Eigen::Vector2d(0.5, 0.6);
    Evaluation e, ahead, behind;
    ASSERT_FALSE(adaptive.evaluate(start, e).failed());
    const double margin = 5e-4;
    EXPECT_NEAR(e.constraints[0], toy.time_history(start).maxCoeff() / 2.0 - 1.0 + margin, 1e-14);
    ASSERT_FALSE(adaptive.evaluate(x, e).failed());
    adaptive.accept(x, e);
    for (int i = 0; i < 2; ++i) {
      const VectorXd step = 1e-5 * VectorXd::Unit(2, i);
      ASSERT_FALSE(adaptive.evaluate(x + step, ahead).failed());
      ASSERT_FALSE(adaptive.evaluate(x - step, behind).failed());
      const double difference = (ahead.constraints[0] - behind.constraints[0]) / 2e-5;
      EXPECT_NEAR(e.constraint_gradients(0, i), difference, 1e-8) << i;
    }
    EXPECT_GT(adaptive.drift(), 0.01);
    adaptive.renew();
    ASSERT_FALSE(adaptive.evaluate(x, e).failed());
    EXPECT_NEAR(e.constraints[0], toy.time_history(x).maxCoeff() / 2.0 - 1.0 + margin, 1e-14);
  }
}

TEST(AdaptiveScaling, HalvesCorrectionsThatSwingBack) {
  Toy toy;
  AdaptiveNlp adaptive(toy, bounded(true), options_of("ccsa"));
  const VectorXd there = Eigen::Vector2d(0.5, 5.0), here = Eigen::Vector2d(0.5, 0.6);
  const auto psi = [&](const VectorXd& x) {
    return std::pow(toy.time_history(x).array().pow(Toy::p).mean(), 1.0 / Toy::p);
  };
  const auto factor = [&](const VectorXd& x) { return toy.time_history(x).maxCoeff() / psi(x); };
  Evaluation e;
  for (const VectorXd& x : {there, here, there}) {
    ASSERT_FALSE(adaptive.evaluate(x, e).failed());
    adaptive.accept(x, e);
    adaptive.renew();
  }
  ASSERT_FALSE(adaptive.evaluate(there, e).failed());
  const double margin = 5e-4, halfway = 0.5 * (factor(there) + factor(here));
  EXPECT_GT(std::abs(factor(there) - factor(here)), 0.05);
  EXPECT_NEAR(e.constraints[0], halfway * psi(there) / 2.0 - 1.0 + margin, 1e-13);
}

/// MMA remembers no values: every design that it moves to has its own true peak in the row, without a restart.
TEST(AdaptiveScaling, ReportsThePeakAtEachDesignOfMma) {
  for (const bool by_factor : {true, false}) {
    Toy toy;
    const OptimizerOptions options = options_of("mma");
    AdaptiveNlp adaptive(toy, bounded(by_factor), options);
    int reports = 0;
    minimize_adaptively(options, adaptive, Eigen::Vector2d(1.0, 4.0), [&](const IterationReport& report) {
      EXPECT_NEAR(report.evaluation->constraints[0], toy.time_history(*report.x).maxCoeff() / 2.0 - 1.0,
                  1e-14);
      ++reports;
      return true;
    });
    EXPECT_GT(reports, 5);
  }
}

TEST(AdaptiveScaling, ComesToRestUnderMma) {
  for (const bool by_factor : {true, false}) {
    Toy toy;
    const OptimizerOptions options = options_of("mma");
    AdaptiveNlp adaptive(toy, bounded(by_factor), options);
    std::vector<std::string> corrections;
    const OptimizerResult result =
        minimize_adaptively(options, adaptive, Eigen::Vector2d(1.0, 4.0), [&](const IterationReport&) {
          corrections.push_back(adaptive.corrections());
          return true;
        });
    ASSERT_GT(corrections.size(), 5u);
    EXPECT_NE(corrections.front(), corrections.back());
    for (std::size_t i = corrections.size() - 3; i < corrections.size(); ++i)
      EXPECT_EQ(corrections[i], corrections.back()) << "the optimum is one of functions that stay";
    EXPECT_LT(result.kkt_residual, 1.5e-3) << "twice the margin: " << result.message;
    EXPECT_LT(adaptive.drift(), 5e-4);
  }
}

// The search holds its own function at the bound; the true peak may be below it by as much as corrections may drift. At
// x_1 = x_2 the gradient of the aggregate is along that of the objective.
TEST(AdaptiveScaling, GivesAMultiplierToAPeakJustBelowItsBound) {
  const auto residual_where_peak_is = [](double share_of_bound) {
    Toy toy;
    const OptimizerOptions options = options_of("mma", 0);
    AdaptiveNlp adaptive(toy, bounded(true), options);
    return minimize_adaptively(options, adaptive, VectorXd::Constant(2, 0.5 / share_of_bound), {})
        .kkt_residual;
  };
  EXPECT_NEAR(residual_where_peak_is(0.995), 0.005, 1e-6) << "the distance from the bound";
  EXPECT_GT(residual_where_peak_is(0.98), 0.4);
}

// A loose residual ends searches at once, though the functions were scaled anew at their last design.
TEST(AdaptiveScaling, EndsWhereSearchesFindNoStep) {
  for (double kkt_residual = 1.0; kkt_residual > 1e-4; kkt_residual *= 0.9) {
    SCOPED_TRACE(kkt_residual);
    Toy toy;
    OptimizerOptions options = options_of("mma");
    options.kkt_residual = kkt_residual;
    AdaptiveNlp adaptive(toy, bounded(true), options);
    int n_told = 0;
    const auto tell = [&](const std::string&) {
      if (++n_told > 100) throw std::runtime_error("scaled anew without end");
    };
    const OptimizerResult result =
        minimize_adaptively(options, adaptive, Eigen::Vector2d(1.0, 4.0), {}, tell);
    EXPECT_EQ(result.reason, StopReason::kkt_residual) << result.message;
    EXPECT_LE(n_told, 10);
  }
}

TEST(AdaptiveScaling, GivesMmaTheFunctionsThatItWillEvaluate) {
  for (const bool by_factor : {true, false}) {
    Toy toy;
    AdaptiveNlp adaptive(toy, bounded(by_factor), options_of("mma"));
    Evaluation before, e, again;
    ASSERT_FALSE(adaptive.evaluate(Eigen::Vector2d(0.5, 5.0), before).failed());
    const VectorXd x = Eigen::Vector2d(0.5, 0.6);
    ASSERT_FALSE(adaptive.evaluate(x, e).failed());
    adaptive.moved_to(x, e);
    ASSERT_FALSE(adaptive.evaluate(x, again).failed());
    EXPECT_EQ(e.constraints, again.constraints);
    EXPECT_EQ(e.constraint_gradients, again.constraint_gradients);
    const double margin = 5e-4;
    EXPECT_NEAR(e.constraints[0], toy.time_history(x).maxCoeff() / 2.0 - 1.0 + margin, 1e-14);

    // It has kept no evaluation of the design before the last one.
    const VectorXd former = Eigen::Vector2d(0.5, 0.52);
    Evaluation raw;
    ASSERT_FALSE(toy.evaluate(former, raw).failed());
    ASSERT_FALSE(adaptive.evaluate(former, e).failed());
    ASSERT_FALSE(adaptive.evaluate(Eigen::Vector2d(0.5, 0.7), again).failed());
    adaptive.moved_to(former, e);
    const double peak = toy.time_history(former).maxCoeff() / 2.0,
                 factor = by_factor ? peak / (raw.constraints[0] + 1.0) : 1.0;
    EXPECT_NEAR(e.constraints[0], peak - 1.0 + margin, 1e-14);
    EXPECT_LT((e.constraint_gradients - factor * raw.constraint_gradients).norm(), 1e-14);
  }
}

TEST(AdaptiveScaling, EvaluatesNoDesignTwice) {
  for (const std::string method : {"mma", "nlopt-mma", "ipopt"}) {
    Toy toy;
    const OptimizerResult result = run_of(options_of(method), toy, true).result;
    EXPECT_EQ(result.evaluations, toy.n_requested) << method;
  }
}

/// Interrupted after any number of evaluations, the run goes on as if it had not been.
TEST(AdaptiveScaling, FollowsFromRecordedEvaluations) {
  for (const std::string method : {"mma", "nlopt-mma", "ipopt"}) {
    Toy toy;
    std::vector<RecordedEvaluation> record;
    RecordedNlp first(toy, [&](int, const VectorXd& x, const Evaluation& evaluation, const Status& status) {
      record.push_back({x, evaluation, status});
    });
    const AdaptiveRun whole = run_of(options_of(method), first, true);
    ASSERT_GT(record.size(), 8u);
    for (std::size_t n = 1; n < record.size(); ++n) {
      RecordedNlp again(toy, {}, [&](int i) -> std::optional<RecordedEvaluation> {
        if (static_cast<std::size_t>(i) >= n) return {};
        return record[static_cast<std::size_t>(i)];
      });
      const AdaptiveRun resumed = run_of(options_of(method), again, true);
      EXPECT_EQ(again.n_replayed(), static_cast<int>(n));
      EXPECT_EQ(resumed.designs, whole.designs) << method << " after " << n;
      EXPECT_EQ(resumed.result.x, whole.result.x);
    }
  }
}

TEST(AdaptiveScaling, EndsAtTheLimitOfIterations) {
  Toy toy;
  const AdaptiveRun run = run_of(options_of("mma", 3), toy, true);
  EXPECT_EQ(run.result.reason, StopReason::iterations);
  EXPECT_EQ(run.result.ending, "the limit of 3 iterations is reached");
  EXPECT_EQ(run.result.iterations, 3);
  EXPECT_EQ(run.designs.size(), 4u);
}

}  // namespace
}  // namespace kurbel
