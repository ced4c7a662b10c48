// MMA and GCMMA where NLopt's MMA gave up: starts that violate constraints, variables and functions of other sizes,
// degenerate constraints, designs that cannot be evaluated.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/optimizers/toy_problems.hpp"

namespace kurbel {
namespace {

using namespace toys;

OptimizerOptions options_of(const std::string& method) {
  OptimizerOptions options;
  options.method = method;
  options.max_iterations = 200;
  options.design_change = 0.0;
  options.kkt_residual = 1e-6;
  return options;
}

class Mma : public testing::TestWithParam<const char*> {
 protected:
  OptimizerResult minimize(Nlp& problem, const VectorXd& start) {
    return make_optimizer(options_of(GetParam()))->minimize(problem, start, {});
  }

  /// 1e-5: a violation of 1e-6 counts as none, and the multipliers are of order one.
  void expect_optimum(const ToyProblem& problem, const OptimizerResult& result) {
    EXPECT_TRUE(result.feasible) << result.message;
    EXPECT_NEAR(result.evaluation.objective, problem.best, 1e-5 * problem.best) << result.message;
  }
};

TEST_P(Mma, FindsSvanbergsPublishedOptima) {
  ToyProblem beam = cantilever_beam(), truss = two_bar_truss();
  EXPECT_NEAR(minimize(beam, beam.start).evaluation.objective, 1.3400, 5e-5);
  EXPECT_NEAR(minimize(truss, truss.start).evaluation.objective, 1.5087, 5e-5);
}

TEST_P(Mma, FindsTheOptimumFromStartsThatViolateConstraints) {
  for (const double size : {1.0, 2.0, 10.0}) {
    ToyProblem beam = cantilever_beam();
    expect_optimum(beam, minimize(beam, VectorXd::Constant(5, size)));
  }
  ToyProblem truss = two_bar_truss();
  expect_optimum(truss, minimize(truss, truss.lower()));
  ToyProblem volume = reciprocal(200);
  expect_optimum(volume, minimize(volume, VectorXd::Ones(200)));
}

/// The cantilever with x_j in units of 10^(j - 2), objective times 1e6, constraint times `factor`.
ToyProblem badly_scaled_beam(double factor) {
  const auto beam = std::make_shared<ToyProblem>(cantilever_beam());
  const VectorXd unit = (VectorXd(5) << 1e-2, 1e-1, 1.0, 1e1, 1e2).finished();
  ToyProblem p(unit.cwiseProduct(beam->lower()), unit.cwiseProduct(beam->upper()), 1, 0,
               [beam, unit, factor](const VectorXd& x, Evaluation& e) {
                 const Status status = beam->evaluate(x.cwiseQuotient(unit), e);
                 e.objective *= 1e6;
                 e.gradient = 1e6 * e.gradient.cwiseQuotient(unit);
                 e.constraints *= factor;
                 e.constraint_gradients = factor * e.constraint_gradients * unit.cwiseInverse().asDiagonal();
                 return status;
               });
  p.start = unit.cwiseProduct(beam->start);
  p.best = 1e6 * beam->best;
  return p;
}

TEST_P(Mma, FindsTheOptimumOfVariablesAndFunctionsOfOtherSizes) {
  for (const double factor : {0.1, 1.0, 100.0}) {
    ToyProblem beam = badly_scaled_beam(factor);
    OptimizerOptions options = options_of(GetParam());
    options.feasibility = 1e-6 * factor;
    options.kkt_residual = 0.0;
    options.progress = 1e-9;
    expect_optimum(beam, make_optimizer(options)->minimize(beam, beam.start, {}));
  }
}

TEST_P(Mma, TreatsConstraintsThatStandTwiceAndOnesWithoutGradient) {
  ToyProblem beam = cantilever_beam();
  ToyProblem degenerate(beam.lower(), beam.upper(), 3, 0, [&](const VectorXd& x, Evaluation& e) {
    Evaluation of_beam;
    const Status status = beam.evaluate(x, of_beam);
    e.objective = of_beam.objective;
    e.gradient = of_beam.gradient;
    e.constraints << of_beam.constraints[0], of_beam.constraints[0], -1.0;
    e.constraint_gradients.row(0) = e.constraint_gradients.row(1) = of_beam.constraint_gradients.row(0);
    return status;
  });
  degenerate.best = beam.best;
  expect_optimum(degenerate, minimize(degenerate, VectorXd::Constant(5, 2.0)));
}

// A density that is too small for a simulation: the designs beside the optimum cannot be evaluated.
TEST_P(Mma, GoesOnWithShorterStepsWhereADesignCannotBeEvaluated) {
  ToyProblem beam = cantilever_beam();
  int failures = 0;
  ToyProblem fragile(beam.lower(), beam.upper(), 1, 0, [&](const VectorXd& x, Evaluation& e) {
    if (x.sum() < 21.0) {
      ++failures;
      return Status{Failure{"too thin", "", ""}};
    }
    return beam.evaluate(x, e);
  });
  fragile.best = beam.best;
  expect_optimum(fragile, minimize(fragile, VectorXd::Constant(5, 10.0)));
  EXPECT_GT(failures, 0);
}

TEST_P(Mma, EndsAtTheLeastViolationWhereNoDesignIsFeasible) {
  ToyProblem p = infeasible();
  const OptimizerResult result = minimize(p, p.start);
  EXPECT_FALSE(result.feasible);
  EXPECT_LT((result.x - p.optimum).lpNorm<Eigen::Infinity>(), 1e-3);
}

/// Functions that an optimizer of no memory may see change: the constraint is scaled anew at each design.
class ScaledAnew : public ForwardingNlp {
 public:
  using ForwardingNlp::ForwardingNlp;
  Status evaluate(const VectorXd& x, Evaluation& out) override { return nlp_.evaluate(x, out); }
  void moved_to(const VectorXd& x, Evaluation& evaluation) override {
    Evaluation expected;
    EXPECT_FALSE(nlp_.evaluate(x, expected).failed());
    EXPECT_EQ(evaluation.objective, expected.objective);
    ++n_moves;
  }
  int n_moves = 0;
};

TEST_P(Mma, TellsTheProblemEachDesignThatItMovesTo) {
  ToyProblem beam = cantilever_beam();
  ScaledAnew told(beam);
  const OptimizerResult result = minimize(told, beam.start);
  EXPECT_GE(told.n_moves, result.iterations + 1);
}

/// The objectives of the designs that an optimizer moves to.
class Path : public ForwardingNlp {
 public:
  using ForwardingNlp::ForwardingNlp;
  Status evaluate(const VectorXd& x, Evaluation& out) override { return nlp_.evaluate(x, out); }
  void moved_to(const VectorXd& x, Evaluation& evaluation) override {
    const auto n_before = std::count(designs_.begin(), designs_.end(), x);
    const bool is_return = n_before > 0;
    n_returns += is_return;
    most_returns = std::max(most_returns, static_cast<int>(n_before));
    if (n_returns > 0 && !is_return) largest_rise = std::max(largest_rise, evaluation.objective - objective_);
    designs_.push_back(x), objective_ = evaluation.objective;
  }
  int n_returns = 0, most_returns = 0;  ///< to former designs, and to one of them
  double largest_rise = 0.0;            ///< from one design to the next, after the first return

 private:
  std::vector<VectorXd> designs_;
  double objective_ = 0.0;
};

/// A bowl with ripples that its gradient does not tell of, so that steps lead up as often as down.
TEST(MmaOnRipples, ImprovesEveryDesignOnceItHasReturnedToTheBest) {
  int n_returns = 0;
  for (const Eigen::Index n : {2, 3, 5}) {
    for (const double waves : {20.0, 40.0}) {
      ToyProblem bowl(-VectorXd::Ones(n), VectorXd::Ones(n), 1, 0, [&](const VectorXd& x, Evaluation& e) {
        e.objective = 1.0 + x.squaredNorm() + 0.1 * (waves * x.array()).sin().sum();
        e.gradient = 2.0 * x;
        e.constraints << -1.0;
        return Status{};
      });
      Path path(bowl);
      make_optimizer(options_of("mma"))->minimize(path, VectorXd::LinSpaced(n, 0.9, 0.7), {});
      n_returns += path.n_returns;
      EXPECT_LE(path.most_returns, 2) << "the third return to a design ends the run";
      EXPECT_LT(path.largest_rise, 1e-6) << "rounding of the solver of subproblems";
    }
  }
  EXPECT_GT(n_returns, 3);
}

/// minimize x.x on the circle of radius 1 about (2, 0, 0): tangent planes leave its curvature out.
TEST_P(Mma, FollowsACurvedEquality) {
  const VectorXd centre = VectorXd::Unit(3, 0) * 2.0, bound = VectorXd::Constant(3, 5.0);
  ToyProblem p(-bound, bound, 1, 1, [&](const VectorXd& x, Evaluation& e) {
    e.objective = x.squaredNorm();
    e.gradient = 2.0 * x;
    e.constraints << (x - centre).squaredNorm() - 1.0;
    e.constraint_gradients.row(0) = 2.0 * (x - centre).transpose();
    return Status{};
  });
  p.best = 1.0;
  for (const double size : {-4.0, 0.5, 4.0}) {
    const VectorXd start = (VectorXd(3) << size, 2.0, -size).finished();
    expect_optimum(p, minimize(p, start));
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Mma, testing::Values("mma", "gcmma", "mma-bfgs"),
                         [](const auto& info) { return with_underscores(info.param); });

/// A curved valley that ends at a constraint: each variable is coupled to its neighbour. Without that curvature steps along
/// the floor are as short as the walls are steep.
TEST_P(Mma, FollowsACurvedValleyByTheCurvatureOfItsLastSteps) {
  const bool is_everywhere = GetParam() == std::string("mma-bfgs");
  const Eigen::Index n = 20;
  ToyProblem valley(VectorXd::Constant(n, -2.0), VectorXd::Constant(n, 2.0), 1, 0,
                    [n](const VectorXd& x, Evaluation& e) {
                      e.objective = 1.0;
                      for (Eigen::Index i = 0; i + 1 < n; ++i) {
                        const double wall = x[i + 1] - x[i] * x[i], floor = 1.0 - x[i];
                        e.objective += 100.0 * wall * wall + floor * floor;
                        e.gradient[i] += -400.0 * x[i] * wall - 2.0 * floor;
                        e.gradient[i + 1] += 200.0 * wall;
                      }
                      e.constraints << (x.squaredNorm() - 8.0) / 8.0;
                      e.constraint_gradients.row(0) = x.transpose() / 4.0;
                      return Status{};
                    });
  OptimizerOptions options = options_of(GetParam());
  options.kkt_residual = 1e-5;
  int iterations[2];
  for (const bool is_near : {false, true}) {
    options.near_optimum = is_near;
    const OptimizerResult result = make_optimizer(options)->minimize(valley, VectorXd::Constant(n, 0.5), {});
    if (is_near || is_everywhere) {
      EXPECT_EQ(result.reason, StopReason::kkt_residual) << result.message;
    }
    iterations[is_near] = result.iterations;
  }
  if (is_everywhere)
    EXPECT_LT(iterations[0], 60);
  else
    EXPECT_LT(3 * iterations[1], iterations[0]);
}

/// B s = y for the last pair, B is symmetric and positive definite, and solve() inverts it.
/// From a design that is to be kept to, as that whose cut holds.
TEST_P(Mma, BeginsNearAnOptimumWithStepsAsShortAsAsked) {
  ToyProblem beam = cantilever_beam();
  const VectorXd range = beam.upper() - beam.lower();
  for (const double first_move : {0.2, 0.02}) {
    OptimizerOptions options = options_of(GetParam());
    options.near_optimum = true, options.first_move = first_move, options.max_iterations = 1;
    double moved = 0.0;
    make_optimizer(options)->minimize(beam, beam.start, [&](const IterationReport& report) {
      moved = (*report.x - beam.start).cwiseQuotient(range).cwiseAbs().maxCoeff();
      return true;
    });
    EXPECT_GT(moved, 0.0);
    EXPECT_LE(moved, first_move * (1.0 + 1e-9));
    if (first_move < 0.1) {
      EXPECT_GT(moved, 0.5 * first_move) << "which is shorter than the step to the optimum";
    }
  }
}

}  // namespace
}  // namespace kurbel
