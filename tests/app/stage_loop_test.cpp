/// Projections that become steeper, on designs that a steep one takes apart.
#include "study/stage_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>

#include "app/optimization_record.hpp"
#include "app/provenance.hpp"
#include "problem/problem.hpp"
#include "tests/shipped_inputs.hpp"
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
  bool stop_requested() const override { return is_stopped; }
  std::function<bool()> fails = [] { return false; };
  bool is_stopped = false;
};

/// The small crank with beta = 1, 2, 4. Its evaluations fail where `fails` tells so by beta.
struct Continued {
  /// @param folder      of a run; one that exists is resumed
  /// @param stop_after  the number of evaluations after which the run is interrupted
  explicit Continued(const std::filesystem::path& folder, std::function<bool(double beta)> fails,
                     int stop_after = 1000)
      : run(std::filesystem::exists(folder) ? RunDirectory::of_run(folder)
                                            : RunDirectory(folder, {"optimize", false})) {
    failing.fails = [this, fails] { return fails(record.steepness()); };
    const bool is_resumed = std::filesystem::exists(folder);
    if (is_resumed) record.resume();
    RecordedNlp recorded(
        failing,
        [&](int index, const VectorXd& x, const Evaluation& e, const Status& s) {
          record.evaluated({index, x, e, s, study.program().last()});
          if (!s.failed()) steepness.push_back(record.steepness());
          failing.is_stopped = index + 1 == stop_after;
        },
        is_resumed ? record.source() : RecordedNlp::Source{},
        [](const std::string& message) { ADD_FAILURE() << message; });
    StageLoop stages(study.chain(), study.space(), study.program(), recorded, record);
    result = stages.run();
    if (record.begun()) {
      EXPECT_FALSE(record.finish(result).failed());
    }
    stage_results = stages.stages();
    n_replayed = recorded.n_replayed();
  }
  Study study{read_problem(
      test::input("flexible_crank_small.toml"),
      {"bodies.crank.mesh.divisions=[20,4]", "projection.beta_max=4", "projection.beta_interval=3",
       "optimizer.stop.iterations=12", "output.picture=false", "output.motion=false"})};
  Failing failing{study.program()};
  RunDirectory run;
  const std::atomic<bool> never{false};
  OptimizationRecord record{study, run, provenance_of(study.problem()), true, never};
  std::vector<double> steepness;  // of the evaluations that succeed
  OptimizerResult result;
  std::vector<StageResult> stage_results;
  int n_replayed = 0;
};

/// The first design fails with beta = 4 until one of a beta between 2 and 4 was evaluated.
class FailsAtFirst {
 public:
  bool operator()(double beta) {
    *was_between_ = *was_between_ || (beta > 2.0 && beta < 4.0);
    return beta == 4.0 && !*was_between_;
  }

 private:
  std::shared_ptr<bool> was_between_ = std::make_shared<bool>(false);
};

TEST(Continuation, GoesThroughABetaInBetweenWhereTheNextOneFailsAtFirst) {
  const TemporaryFolder folder;
  const Continued run(folder / "run", FailsAtFirst());
  EXPECT_TRUE(run.result.feasible);
  EXPECT_EQ(run.steepness.back(), 4.0);
  EXPECT_THAT(run.steepness, testing::Contains(std::sqrt(8.0)));
  EXPECT_TRUE(std::is_sorted(run.steepness.begin(), run.steepness.end()));
}

/// The same betas follow from the failures that the run kept.
TEST(Continuation, GoesThroughTheSameBetasWhereItIsResumed) {
  const TemporaryFolder folder;
  const Continued whole(folder / "whole", FailsAtFirst());
  constexpr int stop_after = 20;  // with beta = 4
  const FailsAtFirst fails;
  {
    const Continued interrupted(folder / "run", fails, stop_after);
    EXPECT_EQ(interrupted.result.reason, StopReason::interrupted);
    EXPECT_EQ(interrupted.steepness.back(), 4.0);
  }
  const Continued resumed(folder / "run", fails);
  EXPECT_EQ(resumed.n_replayed, stop_after);
  EXPECT_EQ(resumed.result.x, whole.result.x);
  EXPECT_EQ(resumed.result.evaluation.objective, whole.result.evaluation.objective);
}

TEST(Continuation, EndsWithTheLastBetaThatCanBeSimulated) {
  const TemporaryFolder folder;
  testing::internal::CaptureStderr();
  const Continued run(folder / "run", [](double beta) { return beta > 2.0; });
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      testing::HasSubstr("warning: the continuation ends at beta = 2, before 4: its design cannot be"));
  EXPECT_EQ(run.steepness.back(), 2.0);
  EXPECT_TRUE(run.result.feasible);
  EXPECT_NE(run.result.reason, StopReason::failure);
  EXPECT_GT(run.result.evaluation.objective, 0.0);
  EXPECT_THAT(run.result.message,
              testing::HasSubstr("its design cannot be simulated with beta above 2 (it falls to pieces"));
  EXPECT_EQ(run.stage_results.at(0).objective, run.result.evaluation.objective);
}

TEST(Continuation, FailsWhereItsFirstDesignDoes) {
  const TemporaryFolder folder;
  const Continued run(folder / "run", [](double) { return true; });
  EXPECT_EQ(run.result.reason, StopReason::failure);
  EXPECT_THAT(run.steepness, testing::IsEmpty());
}

}  // namespace
}  // namespace kurbel
