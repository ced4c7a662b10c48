/// Problems as nonlinear programs: variables, scaling, structure, stages.
#include "evaluation/problem_nlp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/numerics.hpp"

namespace kurbel {
namespace {

/// The spring pendulum with a coarse time mesh.
Problem pendulum(std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.begin(), {"integrator.step=1e-2", "constraints.criteria.length.intervals=50"});
  return read_problem(std::string(KURBEL_SOURCE_DIR) + "/inputs/papers/spring_pendulum.toml", overrides);
}

std::vector<std::string> all_controls(const std::string& key, const std::string& value) {
  std::vector<std::string> overrides;
  for (const char* control : {"ux", "uy", "uz"})
    overrides.push_back("controls." + std::string(control) + "." + key + "=" + value);
  return overrides;
}

const std::atomic<bool> never = false;

/// A problem and its program.
struct Program {
  explicit Program(Problem of)
      : problem(std::move(of)),
        chain(problem),
        space(DesignSpace::of_problem(chain.bodies(), {})),
        nlp(chain, space, never) {}
  Problem problem;
  EvaluationChain chain;
  DesignSpace space;
  ProblemNlp nlp;
};

class Structure : public testing::TestWithParam<const char*> {};

// Entries outside of the structure that the optimizer is told are exactly zero; what is left out is the
// future.
TEST_P(Structure, HoldsEveryEntryThatIsNotZero) {
  for (const char* method : {"explicit-euler", "implicit-euler", "trapezoidal", "runge-kutta-4"}) {
    SCOPED_TRACE(method);
    Program program(pendulum([&] {
      auto overrides = all_controls("interpolation", GetParam());
      overrides.push_back("integrator.method=" + std::string(method));
      return overrides;
    }()));
    ProblemNlp& nlp = program.nlp;
    Evaluation e;
    const VectorXd x =
        VectorXd::Constant(nlp.n_variables(), 0.5) + test::random_vector(nlp.n_variables(), 0.2, 1);
    ASSERT_FALSE(nlp.evaluate(x, e).failed());
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

// Its step ends with the value before the jump, so that the instant of the jump has nothing of the value after it.
TEST(StructureOfControls, HasAConstantFromTheStepThatBeginsWithItOn) {
  std::vector<std::string> overrides = all_controls("interpolation", "\"constant\"");
  for (const std::string& nodes : all_controls("nodes", "10")) overrides.push_back(nodes);
  const Program program(pendulum(overrides));
  const int n_equalities = static_cast<int>(program.nlp.n_equalities());
  std::vector<int> first(10, 1000);
  for (const auto& [row, variable] : program.nlp.constraint_sparsity()) {
    if (row < n_equalities || variable >= 10) continue;
    int& of_node = first[static_cast<std::size_t>(variable)];
    of_node = std::min(of_node, row - n_equalities);
  }
  for (int node = 0; node < 10; ++node)
    EXPECT_EQ(first[static_cast<std::size_t>(node)], 5 * node + 1) << node;
}

TEST(ConstraintRows, NameTheWorstByTheSizeOfWhatAnEqualityMisses) {
  const Program program(
      read_problem(std::string(KURBEL_SOURCE_DIR) + "/inputs/papers/cart_least_energy.toml", {}));
  const ConstraintRows& rows = program.nlp.rows();
  VectorXd values = VectorXd::Constant(rows.size(), 0.1);
  values[1] = -0.5;
  EXPECT_EQ(rows.worst(values), rows[1].name + " misses by 0.5");
  EXPECT_EQ(rows.worst_row(values), 1);
}

TEST(ProblemNlp, ScalesBoundedVariablesToTheUnitIntervalAndBack) {
  const Program program(pendulum());
  EXPECT_EQ(program.nlp.lower(), VectorXd::Zero(30));
  EXPECT_EQ(program.nlp.upper(), VectorXd::Ones(30));
  const VectorXd x = test::random_vector(30, 0.5, 2).array() + 0.5;
  const VectorXd z = program.space.at(x).system;
  EXPECT_LT((z - (11.0 * x.array() - 5.5).matrix()).lpNorm<Eigen::Infinity>(), 1e-14);
}

TEST(ProblemNlp, EqualitiesStandBeforeTheMacroMesh) {
  const Program program(pendulum());
  EXPECT_EQ(program.nlp.n_equalities(), 6);
  ASSERT_EQ(program.nlp.n_constraints(), 6 + 51);
  EXPECT_EQ(program.nlp.rows()[0].bound, 2.0);
  EXPECT_EQ(program.nlp.rows()[6].factor, 1.0 / 12.0);  // [P2, eq. 59]
}

TEST(ProblemNlp, VariesOnlyWhatItsStageSays) {
  Program program(read_problem(std::string(KURBEL_SOURCE_DIR) + "/inputs/robots/flexible_scara.toml"));
  ProblemNlp& nlp = program.nlp;
  EXPECT_EQ(nlp.n_variables(), 46);
  EXPECT_EQ(nlp.n_constraints(), 4 + 4 * 101);
  EXPECT_EQ(nlp.n_equalities(), 4);
  nlp.begin(0, program.space.start());
  EXPECT_EQ(nlp.n_variables(), 42);
  EXPECT_EQ(nlp.n_constraints(), 4);
  const VectorXd heights = program.space.at(program.space.start()).system.head(4);
  const VectorXd moved = program.space.at(nlp.full(VectorXd::Constant(42, 0.25))).system;
  EXPECT_EQ(moved.head(4), heights) << "heights stay";
  EXPECT_EQ(moved.tail(42), VectorXd::Constant(42, -2.5));
}

// What a record keeps has the same columns and rows in every stage.
TEST(ProblemNlp, ExpandsAndReducesEvaluationsOfAStage) {
  Program program(read_problem(std::string(KURBEL_SOURCE_DIR) + "/inputs/robots/flexible_scara.toml",
                               {"integrator.step=1e-2"}));
  ProblemNlp& nlp = program.nlp;
  const Eigen::Index n_all = nlp.n_constraints();
  nlp.begin(0, program.space.start());
  const Evaluation e{1.5, test::random_vector(42, 1.0, 1), test::random_vector(4, 1.0, 2),
                     test::random_vector(4, 1.0, 3) * test::random_vector(42, 1.0, 4).transpose(),
                     test::random_vector(3 * 5, 1.0, 5)};
  const Evaluation all = nlp.expanded(e);
  EXPECT_EQ(all.gradient.size(), 46);
  EXPECT_TRUE(all.gradient.head(4).isZero(0.0));
  EXPECT_EQ(all.constraints.size(), n_all);
  EXPECT_EQ(all.constraint_gradients.rows(), n_all);
  const Evaluation back = nlp.reduced(all);
  EXPECT_EQ(back.objective, e.objective);
  EXPECT_EQ(back.gradient, e.gradient);
  EXPECT_EQ(back.constraints, e.constraints);
  EXPECT_EQ(back.constraint_gradients, e.constraint_gradients);
  EXPECT_EQ(back.diagnostics, e.diagnostics);
}

// The gradient is by x in [0, 1], 11 N wide.
TEST(ProblemNlp, GradientIsThatOfItsOwnVariables) {
  Program program(pendulum());
  ProblemNlp& nlp = program.nlp;
  const VectorXd x = VectorXd::Constant(30, 0.6), d = test::random_vector(30, 1.0, 3);
  Evaluation e, plus, minus;
  const double h = 1e-5;
  ASSERT_FALSE(nlp.evaluate(x, e).failed());
  ASSERT_FALSE(nlp.evaluate(x + h * d, plus).failed());
  ASSERT_FALSE(nlp.evaluate(x - h * d, minus).failed());
  const double difference = (plus.objective - minus.objective) / (2.0 * h);
  EXPECT_NEAR(e.gradient.dot(d), difference, 1e-7 * std::abs(difference));  // J is quadratic: rounding alone
  const VectorXd rows = (plus.constraints - minus.constraints) / (2.0 * h);
  EXPECT_LT((e.constraint_gradients * d - rows).lpNorm<Eigen::Infinity>(),
            1e-6 * rows.lpNorm<Eigen::Infinity>());
}

}  // namespace
}  // namespace kurbel
