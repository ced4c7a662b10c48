/// Optimal control as a nonlinear program: variables, scaling, structure.
#include "evaluation/control_nlp.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/numerics.hpp"

namespace kurbel {
namespace {

/// The spring pendulum with a coarse time mesh.
ControlProblem pendulum(std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.begin(), {"integrator.step=1e-2", "constraints.length.intervals=50"});
  return read_control_problem(
      TomlDocument::read(std::string(KURBEL_SOURCE_DIR) + "/inputs/spring_pendulum.toml", overrides));
}

std::vector<std::string> all_controls(const std::string& key, const std::string& value) {
  std::vector<std::string> overrides;
  for (const char* control : {"ux", "uy", "uz"})
    overrides.push_back("controls." + std::string(control) + "." + key + "=" + value);
  return overrides;
}

const std::atomic<bool> never = false;

class Structure : public testing::TestWithParam<const char*> {};

// Entries outside of the structure that the optimizer is told are exactly zero; what is left out is the
// future.
TEST_P(Structure, HoldsEveryEntryThatIsNotZero) {
  for (const char* method : {"explicit-euler", "implicit-euler", "trapezoidal", "runge-kutta-4"}) {
    SCOPED_TRACE(method);
    const ControlProblem problem = pendulum([&] {
      auto overrides = all_controls("interpolation", GetParam());
      overrides.push_back("integrator.method=" + std::string(method));
      return overrides;
    }());
    ControlNlp nlp(problem, problem.stages.back(), start_of(problem), never);
    Evaluation e;
    const VectorXd x =
        VectorXd::Constant(nlp.n_variables(), 0.5) + test::random_vector(nlp.n_variables(), 0.2, 1);
    ASSERT_FALSE(nlp.evaluate(x, e));
    const auto entries = nlp.constraint_sparsity();
    const std::set<std::pair<int, int>> structure(entries.begin(), entries.end());
    EXPECT_EQ(structure.size(), entries.size()) << "no entry twice";
    for (int i = 0; i < e.constraint_gradients.rows(); ++i) {
      for (int j = 0; j < e.constraint_gradients.cols(); ++j) {
        if (structure.contains({i, j})) continue;
        EXPECT_EQ(e.constraint_gradients(i, j), 0.0) << i << ", " << j;
      }
    }
    const bool local = std::string(GetParam()) == "\"linear\"" || std::string(GetParam()) == "\"constant\"";
    const double share =
        static_cast<double>(entries.size()) / static_cast<double>(e.constraint_gradients.size());
    EXPECT_LT(share, local ? 0.7 : 1.0);
  }
}

INSTANTIATE_TEST_SUITE_P(, Structure,
                         testing::Values("\"natural\"", "\"clamped\"", "\"not-a-knot\"", "\"linear\"",
                                         "\"constant\""));

TEST(ControlNlp, ScalesBoundedVariablesToTheUnitIntervalAndBack) {
  const ControlProblem problem = pendulum();
  const ControlNlp nlp(problem, problem.stages.back(), start_of(problem), never);
  EXPECT_EQ(nlp.lower(), VectorXd::Zero(30));
  EXPECT_EQ(nlp.upper(), VectorXd::Ones(30));
  const VectorXd z = test::random_vector(30, 5.0, 2);
  EXPECT_LT((nlp.full(nlp.reduced(z)) - z).lpNorm<Eigen::Infinity>(), 1e-14);
}

TEST(ControlNlp, VariesOnlyWhatItsStageSays) {
  ControlProblem problem = read_control_problem(
      TomlDocument::read(std::string(KURBEL_SOURCE_DIR) + "/inputs/flexible_scara.toml", {}));
  const VectorXd z = start_of(problem);
  const ControlNlp reach(problem, problem.stages.front(), z, never);
  EXPECT_EQ(reach.n_variables(), 42);
  EXPECT_EQ(reach.n_constraints(), 4);
  const ControlNlp all(problem, problem.stages.back(), z, never);
  EXPECT_EQ(all.n_variables(), 46);
  EXPECT_EQ(all.n_constraints(), 4 + 4 * 101);
  EXPECT_EQ(all.n_equalities(), 4);
  const VectorXd moved = reach.full(VectorXd::Constant(42, 0.25));
  EXPECT_EQ(moved.head(4), z.head(4)) << "heights stay";
  EXPECT_EQ(moved.tail(42), VectorXd::Constant(42, -2.5));
}

// The gradient is by x in [0, 1], 11 N wide.
TEST(ControlNlp, GradientIsThatOfItsOwnVariables) {
  const ControlProblem problem = pendulum();
  ControlNlp nlp(problem, problem.stages.back(), start_of(problem), never);
  const VectorXd x = VectorXd::Constant(30, 0.6), d = test::random_vector(30, 1.0, 3);
  Evaluation e, plus, minus;
  const double h = 1e-5;
  ASSERT_FALSE(nlp.evaluate(x, e));
  ASSERT_FALSE(nlp.evaluate(x + h * d, plus));
  ASSERT_FALSE(nlp.evaluate(x - h * d, minus));
  const double difference = (plus.objective - minus.objective) / (2.0 * h);
  EXPECT_NEAR(e.gradient.dot(d), difference, 1e-7 * std::abs(difference));  // J is quadratic: rounding alone
  const VectorXd rows = (plus.constraints - minus.constraints) / (2.0 * h);
  EXPECT_LT((e.constraint_gradients * d - rows).lpNorm<Eigen::Infinity>(),
            1e-6 * rows.lpNorm<Eigen::Infinity>());
}

}  // namespace
}  // namespace kurbel
