#include "output/run_file.hpp"

#include <limits>

#include "base/files.hpp"
#include "sid/sid_hdf5.hpp"
#include "tests/input_error.hpp"
#include "tests/sid/point_mass_sid.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using Eigen::Index;
using ::testing::ElementsAre;

FileHeader header() {
  return {"", "", "Flexible crank", "optimize", "crank.toml", "title = 1\n", {"mesh.x=2"}};
}

RunEvaluation evaluation(int seed, Index n = 40, Index m = 2) {
  std::srand(static_cast<unsigned>(seed));
  return {.design = VectorXd::Random(n),
          .objective = 1.0 / (seed + 3),
          .gradient = VectorXd::Random(n),
          .constraints = VectorXd::Random(m),
          .constraint_gradients = MatrixXd::Random(m, n),
          .failure = "",
          .diagnostics = VectorXd::Random(3)};
}

bool identical(const RunEvaluation& a, const RunEvaluation& b) {
  return a.design == b.design && a.objective == b.objective && a.gradient == b.gradient &&
         a.constraints == b.constraints && a.constraint_gradients == b.constraint_gradients &&
         a.failure == b.failure && a.diagnostics == b.diagnostics;
}

BodyTrajectories trajectory() {
  BodyTrajectories t;
  t.times = VectorXd::LinSpaced(11, 0.0, 2.0);
  t.bodies = {
      {"crank", MatrixXd::Random(7 + 3, 11), MatrixXd::Random(6 + 3, 11), MatrixXd::Random(6 + 3, 11)},
      {"rod", MatrixXd::Random(7, 11), MatrixXd::Random(6, 11), MatrixXd::Random(6, 11)}};
  t.multipliers = MatrixXd::Random(4, 11);
  t.multiplier_names = {"pin tx", "pin ty", "pin tz", "slider ty"};
  return t;
}

TEST(RunFile, EverythingComesBack) {
  const TemporaryFolder folder;
  const BodyTrajectories t = trajectory();
  const VectorXd rho = VectorXd::Random(40);
  {
    RunFile run = RunFile::create(folder / "run.h5", header());
    run.set_sid("crank", random_sid(3));
    run.set_trajectory(t);
    run.add_density("crank", 0, rho);
    run.add_density("crank", 5, 2.0 * rho);
    run.add_history(0, {"objective", "volume"}, {0.1, 0.5});
    run.add_history(1, {"objective", "volume"}, {0.05, 0.4});
    run.add_evaluation(0, evaluation(0));
    run.add_evaluation(1, evaluation(1));
    run.set_status("finished");
    run.checkpoint();
  }
  const RunReader run(folder / "run.h5");
  EXPECT_EQ(run.header().title, "Flexible crank");
  EXPECT_EQ(run.header().input_text, "title = 1\n");
  EXPECT_THAT(run.header().overrides, ElementsAre("mesh.x=2"));
  EXPECT_EQ(run.status(), "finished");
  EXPECT_TRUE(identical(run.sid("crank"), random_sid(3)));
  EXPECT_THAT(run.sid_bodies(), ElementsAre("crank"));
  ASSERT_TRUE(run.has_trajectory());
  const BodyTrajectories back = run.trajectory();
  EXPECT_EQ(back.times, t.times);
  ASSERT_EQ(back.bodies.size(), 2u);
  EXPECT_EQ(back.bodies[1].name, "rod");
  EXPECT_EQ(back.bodies[0].pose, t.bodies[0].pose);
  EXPECT_EQ(back.bodies[0].velocity, t.bodies[0].velocity);
  EXPECT_EQ(back.bodies[1].acceleration, t.bodies[1].acceleration);
  EXPECT_EQ(back.multipliers, t.multipliers);
  EXPECT_EQ(back.multiplier_names, t.multiplier_names);
  EXPECT_THAT(run.density_bodies(), ElementsAre("crank"));
  EXPECT_THAT(run.density_iterations("crank"), ElementsAre(0, 5));
  EXPECT_EQ(run.density("crank", 1), 2.0 * rho);
  EXPECT_THAT(run.history_columns(), ElementsAre("iteration", "objective", "volume"));
  EXPECT_EQ(run.history(), (MatrixXd(2, 3) << 0, 0.1, 0.5, 1, 0.05, 0.4).finished());
  ASSERT_EQ(run.n_evaluations(), 2);
  EXPECT_TRUE(identical(run.evaluation(0), evaluation(0)));
  EXPECT_TRUE(identical(run.evaluation(1), evaluation(1)));
}

TEST(RunFile, ANewFileHasNothingYet) {
  const TemporaryFolder folder;
  RunFile::create(folder / "run.h5", header()).checkpoint();
  const RunReader run(folder / "run.h5");
  EXPECT_EQ(run.status(), "running");
  EXPECT_EQ(run.n_evaluations(), 0);
  EXPECT_FALSE(run.has_trajectory());
  EXPECT_TRUE(run.sid_bodies().empty() && run.density_bodies().empty() && run.history_columns().empty());
  EXPECT_EQ(run.history().size(), 0);
}

TEST(RunFile, TouchesNothingBeforeTheFirstCheckpoint) {
  const TemporaryFolder folder;
  write_text_file(folder / "run.h5", "an earlier run");
  {
    RunFile run = RunFile::create(folder / "run.h5", header());
    run.add_evaluation(0, evaluation(0));
  }
  EXPECT_EQ(read_text_file(folder / "run.h5"), "an earlier run");
}

TEST(RunFile, KeepsEveryCheckpointedEvaluation) {
  const TemporaryFolder folder;
  RunFile run = RunFile::create(folder / "run.h5", header());
  for (int i = 0; i < 6; ++i) {
    run.add_evaluation(i, evaluation(i));
    run.checkpoint();
    const RunReader reader(folder / "run.h5");  // as after kill -9
    ASSERT_EQ(reader.n_evaluations(), i + 1);
    for (int k = 0; k <= i; ++k) EXPECT_TRUE(identical(reader.evaluation(k), evaluation(k)));
  }
}

TEST(RunFile, ResumedEqualsUninterrupted) {
  const TemporaryFolder folder;
  const auto record = [](RunFile& run, int first, int last) {
    for (int i = first; i < last; ++i) {
      run.add_evaluation(i, evaluation(i));
      run.add_history(i, {"objective"}, {1.0 / (i + 1)});
      run.add_density("crank", i, VectorXd::Constant(8, i));
      run.checkpoint();
    }
  };
  {
    RunFile run = RunFile::create(folder / "a.h5", header());
    record(run, 0, 4);
  }
  RunFile run = RunFile::resume(RunReader(folder / "a.h5"));
  run.checkpoint();
  EXPECT_EQ(RunReader(folder / "a.h5").n_evaluations(), 4);
  for (const int i : {0, 1, 2, 1, 2, 3}) {  // iteration 1 again: what follows it is dropped
    run.add_history(i, {"objective"}, {1.0 / (i + 1)});
    run.add_density("crank", i, VectorXd::Constant(8, i));
  }
  record(run, 4, 7);
  const RunReader reader(folder / "a.h5");
  ASSERT_EQ(reader.n_evaluations(), 7);
  for (int i = 0; i < 7; ++i) EXPECT_TRUE(identical(reader.evaluation(i), evaluation(i)));
  EXPECT_EQ(reader.history().rows(), 7);
  EXPECT_THAT(reader.density_iterations("crank"), ElementsAre(0, 1, 2, 3, 4, 5, 6));
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(reader.history()(i, 0), i);
    EXPECT_EQ(reader.history()(i, 1), 1.0 / (i + 1));
    EXPECT_EQ(reader.density("crank", i), VectorXd::Constant(8, i));
  }
}

TEST(RunFile, KeepsFailedEvaluationsAndProblemsWithoutConstraints) {
  const TemporaryFolder folder;
  RunEvaluation failed = evaluation(1, 5, 0);
  failed.objective = std::numeric_limits<double>::quiet_NaN();
  failed.failure = "Newton's iteration does not converge, at t = 1.2 s";
  RunFile run = RunFile::create(folder / "run.h5", header());
  run.add_evaluation(0, evaluation(0, 5, 0));
  run.add_evaluation(1, failed);
  run.add_evaluation(2, evaluation(2, 5, 0));
  run.checkpoint();
  const RunReader reader(folder / "run.h5");
  EXPECT_TRUE(identical(reader.evaluation(0), evaluation(0, 5, 0)));
  EXPECT_EQ(reader.evaluation(1).failure, failed.failure);
  EXPECT_EQ(reader.evaluation(1).design, failed.design);
  EXPECT_TRUE(identical(reader.evaluation(2), evaluation(2, 5, 0)));
}

TEST(RunFile, ANewEvaluationVoidsStoredOnesFromItsNumberOn) {
  const TemporaryFolder folder;
  RunEvaluation failed = evaluation(2);
  failed.failure = "the gap closes";
  RunFile run = RunFile::create(folder / "run.h5", header());
  for (Index i = 0; i < 4; ++i) run.add_evaluation(i, i == 2 ? failed : evaluation(static_cast<int>(i)));
  run.checkpoint();
  run.add_evaluation(1, evaluation(7));
  run.add_evaluation(2, evaluation(8));
  run.checkpoint();
  const RunReader reader(folder / "run.h5");
  ASSERT_EQ(reader.n_evaluations(), 3);
  EXPECT_TRUE(identical(reader.evaluation(0), evaluation(0)));
  EXPECT_TRUE(identical(reader.evaluation(1), evaluation(7)));
  EXPECT_TRUE(identical(reader.evaluation(2), evaluation(8)));
}

TEST(RunFile, KeepsWhatItsEvaluationsDependOn) {
  const TemporaryFolder folder;
  RunFile run = RunFile::create(folder / "run.h5", header());
  run.set_provenance({{"bodies.rod.mass", "0.9"}, {"program", "kurbel 0.1.0"}});
  run.checkpoint();
  const std::vector<ProvenancePart> parts = RunReader(folder / "run.h5").provenance();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].name, "bodies.rod.mass");
  EXPECT_EQ(parts[0].value, "0.9");
  EXPECT_EQ(parts[1].value, "kurbel 0.1.0");
}

// An attribute holds 64 KB at most; 8000 overrides are 128 KB of references.
TEST(RunFile, KeepsAnInputOfAnyLength) {
  const TemporaryFolder folder;
  FileHeader long_header = header();
  long_header.input_text = std::string(1'000'000, 'x');
  long_header.overrides.assign(8000, "bodies.rod.mass=1.0");
  RunFile::create(folder / "run.h5", long_header).checkpoint();
  const RunReader reader(folder / "run.h5");
  EXPECT_EQ(reader.header().input_text, long_header.input_text);
  EXPECT_EQ(reader.header().overrides, long_header.overrides);
}

TEST(RunFile, AFailedEvaluationNeedsNoGradients) {
  const TemporaryFolder folder;
  RunEvaluation failed;
  failed.design = VectorXd::Ones(40);
  failed.failure = "the gap closes";
  RunFile run = RunFile::create(folder / "run.h5", header());
  Index number = 0;
  for (const RunEvaluation& e : {evaluation(0), failed, evaluation(2), failed})
    run.add_evaluation(number++, e);
  run.checkpoint();
  const RunReader reader(folder / "run.h5");
  ASSERT_EQ(reader.n_evaluations(), 4);
  EXPECT_EQ(reader.evaluation(1).failure, "the gap closes");
  EXPECT_EQ(reader.evaluation(1).design, failed.design);
  EXPECT_TRUE(identical(reader.evaluation(2), evaluation(2)));
  EXPECT_EQ(reader.evaluation(3).failure, "the gap closes");
}

TEST(RunFile, TheFirstCheckpointIsDueAtOnce) {
  const TemporaryFolder folder;
  RunFile run = RunFile::create(folder / "run.h5", header());
  run.add_evaluation(0, evaluation(0));
  run.checkpoint_if_due();
  EXPECT_EQ(RunReader(folder / "run.h5").n_evaluations(), 1);
}

TEST(RunFile, RefusesOtherFiles) {
  const TemporaryFolder folder;
  write_sid_file(folder / "sid.h5", {{"crank", random_sid(1)}});
  expect_input_error([&] { RunReader(folder / "sid.h5"); }, {"sid.h5", "not a run file"});
  expect_input_error([&] { RunReader(folder / "none.h5"); }, {"none.h5", "No such file"});
  RunFile::create(folder / "run.h5", header()).checkpoint();
  const std::string whole = read_text_file(folder / "run.h5");
  write_text_file(folder / "run.h5", whole.substr(0, whole.size() - 100));
  expect_input_error([&] { RunReader(folder / "run.h5"); }, {"run.h5", "truncated"});
}

}  // namespace
}  // namespace kurbel
