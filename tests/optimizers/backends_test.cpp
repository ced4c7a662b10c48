// One family of toy problems with known optima, through every backend that can treat them.
#include <gtest/gtest.h>

#include "tests/optimizers/toy_problems.hpp"

namespace kurbel {
namespace {

using namespace toys;

struct Case {
  std::string name;
  std::function<ToyProblem()> make;
  std::vector<std::string> methods;
};

// Two volumes, one for each half of the variables, with the sparse gradients declared.
ToyProblem two_volumes() {
  const Separable s = reciprocal_data(20);
  Separable first{s.c.head(10), s.d.head(10), s.lower.head(10), s.upper.head(10), 4.0};
  Separable second{s.c.tail(10), s.d.tail(10), s.lower.tail(10), s.upper.tail(10), 6.0};
  ToyProblem p(s.lower, s.upper, 2, 0, [s](const VectorXd& x, Evaluation& e) {
    e.objective = (s.c.array() / x.array()).sum();
    e.gradient = -s.c.array() / x.array().square();
    e.constraints << x.head(10).sum() / 4.0 - 1.0, x.tail(10).sum() / 6.0 - 1.0;
    e.constraint_gradients.row(0).head(10).setConstant(1.0 / 4.0);
    e.constraint_gradients.row(1).tail(10).setConstant(1.0 / 6.0);
    return Status{};
  });
  for (int i = 0; i < 20; ++i) p.sparsity.emplace_back(i / 10, i);
  p.start = VectorXd::Constant(20, 0.3);
  p.optimum.resize(20);
  p.optimum << first.optimum(), second.optimum();
  p.best = (s.c.array() / p.optimum.array()).sum();
  return p;
}

// Variables 3 and 4 are frozen by equal bounds.
ToyProblem frozen() {
  Separable s = reciprocal_data(20);
  s.lower[3] = s.upper[3] = 1.0;
  s.lower[4] = s.upper[4] = 0.01;
  ToyProblem p = separable(s);
  p.start[3] = 1.0;
  p.start[4] = 0.01;
  return p;
}

// HS 71 is not convex and its start is infeasible; one of its constraints is an equality.
const std::vector<std::string> all_but_oc = {"mma",       "gcmma",  "mma-bfgs", "ccsa",
                                             "nlopt-mma", "auglag", "ipopt"};
const std::vector<std::string> constrained = {"oc",   "mma",       "gcmma",  "mma-bfgs",
                                              "ccsa", "nlopt-mma", "auglag", "ipopt"};
const std::vector<Case> cases = {
    {"CantileverBeam", cantilever_beam, all_but_oc},
    {"TwoBarTruss", two_bar_truss, all_but_oc},
    {"StiffestBeam", stiffest_beam, constrained},
    {"Reciprocal", [] { return reciprocal(); }, constrained},
    {"ReciprocalOf2000",
     [] { return reciprocal(2000); },
     {"oc", "mma", "gcmma", "mma-bfgs", "ccsa", "nlopt-mma", "ipopt"}},
    {"PositiveSensitivities", [] { return with_positive_sensitivities(); }, constrained},
    {"PositiveSensitivitiesOf2000",
     [] { return with_positive_sensitivities(2000); },
     {"oc", "mma", "gcmma", "mma-bfgs", "ccsa", "nlopt-mma", "ipopt"}},
    {"InactiveVolume", [] { return with_inactive_volume(); }, constrained},
    {"TwoVolumes", two_volumes, all_but_oc},
    {"FrozenVariables", frozen, constrained},
    {"HockSchittkowski71", hock_schittkowski_71, {"mma", "gcmma", "mma-bfgs", "auglag", "ipopt"}},
    {"Rosenbrock", [] { return rosenbrock(); }, {"bfgs", "lbfgs", "auglag", "ipopt"}},
    {"RosenbrockOnItsBound",
     [] { return rosenbrock(0.5); },
     {"bfgs", "lbfgs", "mma", "gcmma", "mma-bfgs", "ccsa", "nlopt-mma", "auglag", "ipopt"}},
};

using Parameter = std::pair<Case, std::string>;

std::vector<Parameter> combinations() {
  std::vector<Parameter> all;
  for (const Case& c : cases)
    for (const std::string& method : c.methods) all.emplace_back(c, method);
  return all;
}

class EveryBackend : public testing::TestWithParam<Parameter> {};

TEST_P(EveryBackend, FindsTheKnownOptimum) {
  ToyProblem problem = GetParam().first.make();
  OptimizerOptions options;
  options.method = GetParam().second;
  options.max_iterations = 500;
  options.design_change = 0.0;
  options.kkt_residual = 1e-6;
  const OptimizerResult result = make_optimizer(options)->minimize(problem, problem.start, {});

  // 1e-5: designs may violate constraints by 1e-6, which lowers f by that times the multiplier (of order f);
  // auglag ends its inner minimizations at relative changes of 1e-9 in f, MMA's dual solver is about as
  // exact.
  EXPECT_TRUE(result.feasible);
  EXPECT_NEAR(result.evaluation.objective, problem.best, 1e-5 * std::max(1.0, std::abs(problem.best)));
  // Around an optimum f grows with the square of the distance: sqrt(1e-5) for variables of order one.
  EXPECT_LT((result.x - problem.optimum).lpNorm<Eigen::Infinity>(), 3e-3 * problem.optimum.maxCoeff());
  EXPECT_TRUE((result.x.array() >= problem.lower().array()).all() &&
              (result.x.array() <= problem.upper().array()).all());
}

TEST_P(EveryBackend, EvaluatesNoDesignTwiceInARowAndReportsEachIterationOnce) {
  ToyProblem problem = GetParam().first.make();
  OptimizerOptions options;
  options.method = GetParam().second;
  options.max_iterations = 15;
  options.design_change = 0.0;
  int reports = 0;
  const OptimizerResult result =
      make_optimizer(options)->minimize(problem, problem.start, [&](const IterationReport& report) {
        EXPECT_EQ(report.iteration, reports++);
        EXPECT_EQ(report.evaluations, problem.n_evaluated);
        if (report.iteration == 0) {
          EXPECT_EQ(*report.x, problem.start);
        }
        return true;
      });
  EXPECT_EQ(reports, result.iterations + 1);
  EXPECT_EQ(result.evaluations, problem.n_evaluated);
  for (std::size_t k = 1; k < problem.requested.size(); ++k)
    EXPECT_NE(problem.requested[k], problem.requested[k - 1]);
}

INSTANTIATE_TEST_SUITE_P(Toys, EveryBackend, testing::ValuesIn(combinations()), [](const auto& info) {
  return info.param.first.name + "_" + with_underscores(info.param.second);
});

/// f = sum_i c_i x_i^2 / 2 with curvatures c from 1 to 10^4. With exact line searches BFGS needs a step for each
/// of 60 variables; L-BFGS has forgotten the first ones by then.
TEST(QuasiNewton, BfgsForgetsNoStep) {
  const VectorXd c =
      Eigen::ArrayXd::LinSpaced(60, 0.0, 4.0).unaryExpr([](double e) { return std::pow(10.0, e); });
  const auto evaluations = [&](const std::string& method) {
    ToyProblem p(VectorXd::Constant(60, -10.0), VectorXd::Constant(60, 10.0), 0, 0,
                 [&](const VectorXd& x, Evaluation& e) {
                   e.objective = 0.5 * (c.array() * x.array().square()).sum();
                   e.gradient = c.cwiseProduct(x);
                   return Status{};
                 });
    OptimizerOptions options;
    options.method = method, options.max_iterations = 1000;
    options.design_change = 0.0, options.kkt_residual = 1e-7;
    const OptimizerResult result = make_optimizer(options)->minimize(p, VectorXd::Ones(60), {});
    EXPECT_EQ(result.reason, StopReason::kkt_residual) << method << ": " << result.message;
    return result.evaluations;
  };
  EXPECT_LT(1.5 * evaluations("bfgs"), evaluations("lbfgs"));
}

TEST(ToyProblems, BeamHasThePublishedOptimum) {
  // K. Svanberg (1987): weight 1.340 (1.33996 in later papers), x = (6.016, 5.309, 4.494, 3.502, 2.153)
  const ToyProblem beam = cantilever_beam();
  EXPECT_NEAR(beam.best, 1.33996, 5e-6);
  const VectorXd published = (VectorXd(5) << 6.016, 5.309, 4.494, 3.502, 2.153).finished();
  EXPECT_LT((beam.optimum - published).lpNorm<Eigen::Infinity>(), 1e-3);
}

TEST(ToyProblems, PositiveSensitivitiesPutVariablesOnTheLowerBound) {
  const ToyProblem p = with_positive_sensitivities();
  EXPECT_EQ((p.optimum.array() == 0.01).count(), 5);
  EXPECT_NEAR(p.optimum.sum(), 10.0, 1e-9);
  EXPECT_LT(with_inactive_volume().optimum.sum(), 0.9 * 20.0);
}

// The start is stationary for the objective but for rounding, as no control at all is for the signal energy.
/// The optimum has a variable on its bound, from which Ipopt moves a start inwards.
TEST(Ipopt, StaysNearAnOptimumThatItIsToldOf) {
  const auto first_step = [](bool near_optimum) {
    ToyProblem p = hock_schittkowski_71();
    OptimizerOptions options;
    options.method = "ipopt", options.max_iterations = 1, options.near_optimum = near_optimum;
    double change = 0.0;
    make_optimizer(options)->minimize(p, p.optimum, [&](const IterationReport& report) {
      change = std::max(change, report.design_change);
      return true;
    });
    return change;
  };
  EXPECT_GT(first_step(false), 5e-3);
  EXPECT_LT(first_step(true), 1e-3);
}

/// Twenty targets beyond bounds of one side. How far Ipopt goes in its first step depends on the number of bounds.
TEST(Ipopt, BeginsAlikeWithUpperBoundsAndLowerOnes) {
  const VectorXd targets = VectorXd::LinSpaced(20, 1.1, 3.0), ones = VectorXd::Ones(20);
  const auto second_design = [&](double side) {
    const VectorXd none = VectorXd::Constant(20, side * -infinity), bounds = side * ones;
    ToyProblem p(none.cwiseMin(bounds), none.cwiseMax(bounds), 0, 0, [&](const VectorXd& x, Evaluation& e) {
      e.objective = 0.5 * (x - side * targets).squaredNorm();
      e.gradient = x - side * targets;
      return Status{};
    });
    OptimizerOptions options;
    options.method = "ipopt", options.max_iterations = 3, options.near_optimum = true;
    const VectorXd start = side * 0.99 * ones;
    make_optimizer(options)->minimize(p, start, [](const IterationReport&) { return true; });
    for (const VectorXd& x : p.requested) {
      if ((x - start).norm() > 1e-6) return x;
    }
    return start;
  };
  const VectorXd below = second_design(1.0), above = second_design(-1.0);
  EXPECT_GT((below - 0.99 * ones).norm(), 1e-3);
  EXPECT_LT((below + above).norm(), 1e-9);
}

/// The least x_0 on 5 x_1 = 3 + sin(4 pi x_0), from a start near this curve, as a duration from a motion that nearly arrives.
TEST(Ipopt, StaysNearAStartThatNearlySatisfiesEqualities) {
  ToyProblem p(VectorXd::Zero(2), VectorXd::Ones(2), 1, 1, [](const VectorXd& x, Evaluation& e) {
    constexpr double wave = 4.0 * EIGEN_PI;
    e.objective = x[0];
    e.gradient[0] = 1.0;
    e.constraints[0] = 5.0 * x[1] - 3.0 - std::sin(wave * x[0]);
    e.constraint_gradients << -wave * std::cos(wave * x[0]), 5.0;
    return Status{};
  });
  OptimizerOptions options;
  options.method = "ipopt";
  double first_change = 0.0, most_violated = 0.0;
  const VectorXd start = (VectorXd(2) << 0.8, (3.1 + std::sin(3.2 * EIGEN_PI)) / 5.0).finished();
  const OptimizerResult result =
      make_optimizer(options)->minimize(p, start, [&](const IterationReport& report) {
        if (report.iteration == 1) first_change = report.design_change;
        most_violated = std::max(most_violated, std::abs(report.evaluation->constraints[0]));
        return true;
      });
  EXPECT_TRUE(result.feasible);
  EXPECT_NEAR(result.x[0], 0.0, 1e-6);
  EXPECT_LT(first_change, 0.2);
  EXPECT_LE(most_violated, 1.5);
}

TEST(Optimizers, MeasureTheKktResidualByTheLargestGradientSoFar) {
  ToyProblem p(VectorXd::Constant(2, -1.0), VectorXd::Constant(2, 1.0), 1, 1,
               [](const VectorXd& x, Evaluation& e) {
                 e.objective = x[0] * x[0] + 3.0 * x[1] * x[1] + 1e-18 * x[0];
                 e.gradient << 2.0 * x[0] + 1e-18, 6.0 * x[1];
                 e.constraints[0] = x.sum() - 1.0;
                 e.constraint_gradients.setOnes();
                 return Status{};
               });
  OptimizerOptions options;
  options.method = "ipopt";
  options.design_change = 0.0;
  double last = 1.0;
  const OptimizerResult result =
      make_optimizer(options)->minimize(p, VectorXd::Zero(2), [&](const IterationReport& report) {
        last = report.kkt_residual;
        return true;
      });
  EXPECT_NEAR(result.evaluation.objective, 0.75, 1e-8);
  EXPECT_LT(last, 1e-6);
}

}  // namespace
}  // namespace kurbel
