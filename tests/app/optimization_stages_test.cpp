/// Projections that become steeper, on designs that a steep one takes apart.
#include "app/optimization_stages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "evaluation/design_space.hpp"
#include "problem/problem.hpp"
#include "shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

/// A problem of which some evaluations fail.
class Failing final : public ForwardingNlp {
 public:
  using ForwardingNlp::ForwardingNlp;
  Status evaluate(const VectorXd& x, Evaluation& out) override {
    if (fails()) return Failure{.what = "it falls to pieces"};
    return nlp_.evaluate(x, out);
  }
  std::function<bool()> fails = [] { return false; };
};

/// The small crank with beta = 1, 2, 4, of which the evaluations fail that `fails` tells by beta.
struct Continued {
  explicit Continued(std::function<bool(double beta)> fails) {
    failing.fails = [this, fails] { return fails(record.steepness()); };
    result = stages.run();
  }
  TemporaryFolder folder;
  std::atomic<bool> interrupted{false};
  Problem problem = read_problem(test::input("flexible_crank_small.toml"),
                                 {"bodies.crank.mesh.divisions=[20,4]", "projection.beta_max=4",
                                  "projection.beta_interval=3", "optimizer.stop.iterations=12"});
  EvaluationChain chain{problem};
  DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ProblemNlp nlp{chain, space, interrupted};
  Failing failing{nlp};
  RunDirectory run{folder / "run", {"optimize", false}};
  OptimizationRecord record{chain, space, nlp, run, {}, true};
  std::vector<double> steepness;  // of the evaluations that succeed
  RecordedNlp recorded{failing, [this](int index, const VectorXd& x, const Evaluation& e, const Status& s) {
                         record.add_evaluation(index, x, e, s, nlp.last());
                         if (!s.failed()) steepness.push_back(record.steepness());
                       }};
  OptimizationStages stages{chain, space, nlp, recorded, record};
  OptimizerResult result;
};

TEST(Continuation, GoesThroughABetaInBetweenWhereTheNextOneFailsAtFirst) {
  bool was_between = false;
  const Continued run([&](double beta) {
    was_between = was_between || (beta > 2.0 && beta < 4.0);
    return beta == 4.0 && !was_between;
  });
  EXPECT_TRUE(was_between);
  EXPECT_TRUE(run.result.feasible);
  EXPECT_EQ(run.steepness.back(), 4.0);
  EXPECT_THAT(run.steepness, testing::Contains(std::sqrt(8.0)));
  EXPECT_TRUE(std::is_sorted(run.steepness.begin(), run.steepness.end()));
}

TEST(Continuation, EndsWithTheLastBetaThatCanBeSimulated) {
  const Continued run([](double beta) { return beta > 2.0; });
  EXPECT_EQ(run.steepness.back(), 2.0);
  EXPECT_TRUE(run.result.feasible);
  EXPECT_NE(run.result.reason, StopReason::failure);
  EXPECT_GT(run.result.evaluation.objective, 0.0);
  EXPECT_THAT(run.result.message,
              testing::HasSubstr("with beta above 2 its design cannot be simulated (it falls to pieces"));
  EXPECT_EQ(run.stages.numbers()[0]["psi"], run.result.evaluation.objective);
}

TEST(Continuation, FailsWhereItsFirstDesignDoes) {
  const Continued run([](double) { return true; });
  EXPECT_EQ(run.result.reason, StopReason::failure);
  EXPECT_THAT(run.steepness, testing::IsEmpty());
}

}  // namespace
}  // namespace kurbel
