// MMA and GCMMA with variables of different kinds: a stiff variable does not hold back a thousand soft ones.
#include <gtest/gtest.h>

#include "optimizers/mma_approximation.hpp"
#include "tests/optimizers/toy_problems.hpp"

namespace kurbel {
namespace {

using namespace toys;

/// minimize (1/n) sum c_i / x_i + 1e3 z^2 under a volume. The soft variables x and the least objective are those of reciprocal(n).
class StiffBesideSoft : public Nlp {
 public:
  explicit StiffBesideSoft(bool has_groups) : soft_(reciprocal(n)), has_groups_(has_groups) {
    lower_.resize(n + 1), upper_.resize(n + 1);
    lower_ << soft_.lower(), -1.0;
    upper_ << soft_.upper(), 1.0;
    best = soft_.best / double(n);
  }

  Index n_variables() const override { return n + 1; }
  Index n_constraints() const override { return 1; }
  const VectorXd& lower() const override { return lower_; }
  const VectorXd& upper() const override { return upper_; }
  std::vector<int> variable_groups() const override {
    std::vector<int> groups(n + 1, 0);
    groups.back() = 7;  // numbers of groups may have gaps
    return has_groups_ ? groups : std::vector<int>{};
  }

  Status evaluate(const VectorXd& x, Evaluation& out) override {
    Evaluation soft;
    const Status status = soft_.evaluate(x.head(n), soft);
    out.objective = soft.objective / double(n) + stiffness * x[n] * x[n];
    out.gradient.resize(n + 1);
    out.gradient << soft.gradient / double(n), 2.0 * stiffness * x[n];
    out.constraints = soft.constraints;
    out.constraint_gradients.setZero(1, n + 1);
    out.constraint_gradients.leftCols(n) = soft.constraint_gradients;
    return status;
  }

  VectorXd start() const {
    VectorXd start(n + 1);
    start << soft_.start, 0.8;
    return start;
  }

  static constexpr Index n = 1000;
  double best;

 private:
  static constexpr double stiffness = 1e3;
  ToyProblem soft_;
  bool has_groups_;
  VectorXd lower_, upper_;
};

/// Iterations until the objective is within 1 % of the least one, or `limit`.
int iterations_to_optimum(const std::string& method, bool has_groups, int limit) {
  StiffBesideSoft problem(has_groups);
  OptimizerOptions options;
  options.method = method;
  options.max_iterations = limit;
  options.design_change = 0.0;
  return make_optimizer(options)
      ->minimize(problem, problem.start(),
                 [&](const IterationReport& report) {
                   return report.evaluation->objective > 1.01 * problem.best ||
                          report.evaluation->constraints.maxCoeff() > 1e-6;
                 })
      .iterations;
}

// The conservatism that the stiff variable needs holds back the others, unless they have one of their own.
TEST(MmaGroups, KeepAStiffVariableFromHoldingBackAThousandSoftOnes) {
  for (const char* method : {"mma", "gcmma"}) {
    const int with = iterations_to_optimum(method, true, 100);
    EXPECT_LT(with, 20) << method;
    EXPECT_EQ(iterations_to_optimum(method, false, 5 * with), 5 * with) << method;
  }
}

/// x_0^2 k_0 / 2 + x_1^2 k_1 / 2 about (1, 1), of which a trial of MMA lacks nearly all curvature.
class TwoGroups : public testing::Test {
 protected:
  MmaFunctions functions_at(const VectorXd& x) const {
    MmaFunctions f{VectorXd(1), MatrixXd(1, 2), 0};
    f.values << 0.5 * x.cwiseAbs2().dot(curvatures_);
    f.gradients.row(0) = x.cwiseProduct(curvatures_).transpose();
    return f;
  }
  const VectorXd x_ = VectorXd::Ones(2), lower_ = VectorXd::Constant(2, -10.0), upper_ = -lower_;
  const VectorXd curvatures_ = Eigen::Vector2d(1e4, 1.0);
  const VariableGroups groups_{{0, 1}};
};

// Both groups reach the quadratic function in as many trials as one would: no trial is spent on the wrong one.
TEST_F(TwoGroups, BecomeConservativeEachByItsOwnCurvature) {
  MmaAsymptotes asymptotes(10.0);
  asymptotes.update(x_);
  const MmaFunctions here = functions_at(x_);
  MmaApproximation approximation(x_, here, groups_, false, {});
  int trials = 1;
  for (; trials < 20; ++trials) {
    const MmaTrial trial = approximation.minimize({lower_, upper_, asymptotes, 5.0});
    const MmaFunctions there = functions_at(trial.x);
    if (approximation.is_conservative(there.values)) break;
    const MatrixXd before = approximation.rho();
    approximation.become_more_conservative(trial, there);
    EXPECT_GE((approximation.rho().array() / before.array()).minCoeff(), 1.1 * (1.0 - 1e-12));
  }
  EXPECT_LT(trials, 8);
  const double ratio = approximation.rho()(0, 0) / approximation.rho()(0, 1);
  EXPECT_GT(ratio, 1e3);
  EXPECT_LT(ratio, 1e5);
}

// All groups raise their rho as one would where no gradient explains the error, as at a kink or a jump.
TEST_F(TwoGroups, ShareWhatNoGradientTellsOf) {
  MmaAsymptotes asymptotes(10.0);
  asymptotes.update(x_);
  const MmaFunctions here = functions_at(x_);
  MmaApproximation approximation(x_, here, groups_, false, MatrixXd::Constant(1, 2, 1e4));
  const MmaTrial trial = approximation.minimize({lower_, upper_, asymptotes, 5.0});
  MmaFunctions there = here;
  there.values[0] += 1e3;
  there.gradients.row(0) = -1e6 * (trial.x - x_).transpose();
  approximation.become_more_conservative(trial, there);
  EXPECT_GT(approximation.rho()(0, 0), 1.1e4);
  EXPECT_NEAR(approximation.rho()(0, 0), approximation.rho()(0, 1), 1e-9 * approximation.rho()(0, 0));
}

// A group along which the gradient tells of too much curvature bears nothing, and takes nothing from the others' shares.
TEST_F(TwoGroups, ShareByThoseAlongWhichCurvatureLacks) {
  MmaAsymptotes asymptotes(10.0);
  asymptotes.update(x_);
  const MmaFunctions here = functions_at(x_);
  const auto rho_by = [&](double second) {
    MmaApproximation approximation(x_, here, groups_, false, MatrixXd::Constant(1, 2, 1e4));
    const MmaTrial trial = approximation.minimize({lower_, upper_, asymptotes, 5.0});
    MmaFunctions there = here;
    there.values[0] += 1e3;
    const Eigen::Vector2d products(1e9, second);  // with the step; those of the approximation are none beside
    there.gradients.row(0) = products.cwiseQuotient(trial.x - x_).transpose();
    approximation.become_more_conservative(trial, there);
    return approximation.rho();
  };
  const MatrixXd none = rho_by(0.0), less = rho_by(-1e8);
  EXPECT_GT(none(0, 0), 1.2e4);
  EXPECT_NEAR(less(0, 0), none(0, 0), 1e-6 * none(0, 0));
  EXPECT_NEAR(less(0, 1), 1.1e4, 1e-8);
}

}  // namespace
}  // namespace kurbel
