#include "optimizers/recorded_nlp.hpp"

#include <gtest/gtest.h>

#include "tests/optimizers/toy_problems.hpp"

namespace kurbel {
namespace {

using namespace toys;

using Record = std::vector<RecordedEvaluation>;

/// A store as the program keeps it in a file: entries after a new one are void.
RecordedNlp::Sink into(Record& record) {
  return [&record](int index, const VectorXd& x, const Evaluation& e, const Status& status) {
    record.resize(index);
    record.push_back({x, status.failed() ? Evaluation{} : e, status});
  };
}

RecordedNlp::Source from(const Record& record) {
  return [record](int index) {
    return index < static_cast<int>(record.size()) ? std::optional(record[index]) : std::nullopt;
  };
}

struct Trace {
  Record record;                  ///< of all evaluations
  std::vector<VectorXd> designs;  ///< of all iterations
  std::vector<double> residuals;
  OptimizerResult result;
  int n_evaluated = 0;  ///< by the problem itself
  int n_replayed = 0;
  std::vector<std::string> warnings;
};

Trace run(const std::string& method, ToyProblem problem, const Record& replay, int max_iterations = 40) {
  Trace trace;
  trace.record = replay;
  RecordedNlp nlp(problem, into(trace.record), from(replay),
                  [&](const std::string& message) { trace.warnings.push_back(message); });
  OptimizerOptions options;
  options.method = method;
  options.design_change = 0.0;
  options.kkt_residual = 1e-9;
  options.max_iterations = max_iterations;
  trace.result = make_optimizer(options)->minimize(nlp, problem.start, [&](const IterationReport& report) {
    trace.designs.push_back(*report.x);
    trace.residuals.push_back(report.kkt_residual);
    return true;
  });
  trace.n_evaluated = problem.n_evaluated;
  trace.n_replayed = nlp.n_replayed();
  return trace;
}

void expect_same(const Trace& resumed, const Trace& full) {
  EXPECT_EQ(resumed.designs, full.designs);
  EXPECT_EQ(resumed.residuals, full.residuals);
  EXPECT_EQ(resumed.result.x, full.result.x);
  EXPECT_EQ(resumed.result.reason, full.result.reason);
  EXPECT_EQ(resumed.result.message, full.result.message);
  EXPECT_EQ(resumed.result.iterations, full.result.iterations);
  EXPECT_EQ(resumed.result.evaluations, full.result.evaluations);
  ASSERT_EQ(resumed.record.size(), full.record.size());
  for (std::size_t k = 0; k < full.record.size(); ++k) {
    EXPECT_EQ(resumed.record[k].x, full.record[k].x);
    EXPECT_EQ(resumed.record[k].evaluation.objective, full.record[k].evaluation.objective);
  }
  EXPECT_TRUE(resumed.warnings.empty());
}

class Resume : public testing::TestWithParam<std::string> {};

TEST_P(Resume, EqualsAnUninterruptedRunBitwise) {
  const auto problem = [] {
    return is_for_bounds_only(GetParam()) ? rosenbrock() : with_positive_sensitivities(200);
  };
  const Trace full = run(GetParam(), problem(), {});
  ASSERT_GE(full.record.size(), 8u);
  for (const int k : {1, 2, 5, 7}) {
    ToyProblem interrupted = problem();
    interrupted.stop_after = k;
    const Trace first = run(GetParam(), interrupted, {});
    EXPECT_EQ(first.result.reason, StopReason::interrupted);
    ASSERT_EQ(first.record.size(), static_cast<std::size_t>(k));
    const Trace resumed = run(GetParam(), problem(), first.record);
    expect_same(resumed, full);
    EXPECT_EQ(resumed.n_replayed, k);
    EXPECT_EQ(resumed.n_evaluated, static_cast<int>(full.record.size()) - k);
  }
}

TEST_P(Resume, ContinuesARunThatEndedAtItsLimitOfIterations) {
  const auto problem = [] {
    return is_for_bounds_only(GetParam()) ? rosenbrock() : with_positive_sensitivities();
  };
  const Trace first = run(GetParam(), problem(), {}, 3);
  const Trace resumed = run(GetParam(), problem(), first.record);
  EXPECT_EQ(resumed.n_replayed, static_cast<int>(first.record.size()));
  expect_same(resumed, run(GetParam(), problem(), {}));
}

TEST_P(Resume, NeedsNoEvaluationForACompleteRecord) {
  const auto problem = [] {
    return is_for_bounds_only(GetParam()) ? rosenbrock() : with_positive_sensitivities();
  };
  const Trace full = run(GetParam(), problem(), {});
  const Trace again = run(GetParam(), problem(), full.record);
  EXPECT_EQ(again.n_evaluated, 0);
  expect_same(again, full);
}

TEST_P(Resume, WarnsAndGoesOnWhereTheRecordDoesNotFit) {
  const auto problem = [] {
    return is_for_bounds_only(GetParam()) ? rosenbrock() : with_positive_sensitivities();
  };
  const Trace full = run(GetParam(), problem(), {});
  Record record(full.record.begin(), full.record.begin() + 6);
  record[3].x[0] = std::nextafter(record[3].x[0], 10.0);
  const Trace resumed = run(GetParam(), problem(), record);
  EXPECT_EQ(resumed.n_replayed, 3);
  ASSERT_EQ(resumed.warnings.size(), 1u);
  EXPECT_EQ(
      resumed.warnings[0],
      "evaluation 3 of the resumed optimization asks for another design than the interrupted run did: the "
      "recorded evaluations from there on are not used, and the result may differ from that of an "
      "uninterrupted run");
  EXPECT_EQ(resumed.designs, full.designs);
  EXPECT_EQ(resumed.record.size(), full.record.size());
  EXPECT_EQ(resumed.record[3].x, full.record[3].x);
}

INSTANTIATE_TEST_SUITE_P(Methods, Resume, testing::ValuesIn(optimizer_methods),
                         [](const auto& info) { return with_underscores(info.param); });

TEST(RecordedNlp, ReplaysFailuresToo) {
  for (const std::string method : {"oc", "ipopt"}) {
    ToyProblem p = with_positive_sensitivities();
    p.fail_at = 4;
    const Trace full = run(method, p, {});
    ASSERT_TRUE(full.record[3].status.failed());
    EXPECT_EQ(full.record[3].status.failure().what, "the toy broke");
    const Trace resumed =
        run(method, with_positive_sensitivities(), Record(full.record.begin(), full.record.begin() + 6));
    expect_same(resumed, full);
    EXPECT_EQ(resumed.n_replayed, 6);
  }
}

TEST(RecordedNlp, RefusesARecordOfAnotherProblem) {
  const Trace other = run("mma", rosenbrock(), {}, 5);
  const Trace resumed = run("mma", with_positive_sensitivities(), other.record, 5);
  EXPECT_EQ(resumed.n_replayed, 0);
  EXPECT_EQ(resumed.warnings.size(), 1u);

  Record record = run("mma", with_positive_sensitivities(), {}, 5).record;
  record[0].evaluation.constraints.resize(2);
  const Trace without = run("mma", with_positive_sensitivities(), record, 5);
  EXPECT_EQ(without.n_replayed, 0);
  ASSERT_EQ(without.warnings.size(), 1u);
  EXPECT_NE(without.warnings[0].find("another number of constraints"), std::string::npos);
}

TEST(RecordedNlp, IsTheWrappedProblemOtherwise) {
  ToyProblem p = hock_schittkowski_71();
  p.sparsity = {{0, 1}};
  p.stop_after = 1;
  RecordedNlp nlp(p, {});
  EXPECT_EQ(nlp.n_variables(), 4);
  EXPECT_EQ(nlp.n_constraints(), 2);
  EXPECT_EQ(nlp.n_equalities(), 1);
  EXPECT_EQ(nlp.lower(), p.lower());
  EXPECT_EQ(nlp.upper(), p.upper());
  EXPECT_EQ(nlp.constraint_sparsity(), p.sparsity);
  EXPECT_FALSE(nlp.stop_requested());
  EXPECT_FALSE(nlp.replaying());
  Evaluation e;
  EXPECT_FALSE(nlp.evaluate(p.start, e).failed());
  EXPECT_DOUBLE_EQ(e.objective, 16.0);
  EXPECT_TRUE(nlp.stop_requested());
}

}  // namespace
}  // namespace kurbel
