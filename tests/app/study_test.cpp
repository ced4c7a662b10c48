/// The library's centre: problems read and filled, evaluated, optimized, listened to.
#include "study/study.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/thread_scope.hpp"
#include "free_meshes.hpp"
#include "study/study_functions.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

const std::vector<std::string> small = {"bodies.crank.mesh.divisions=[20,4]",
                                        "bodies.crank.regions.bearing.x=[0.18,0.2]",
                                        "integrator.step=2e-3",
                                        "optimizer.stop.iterations=6",
                                        "projection.beta_max=2",
                                        "projection.beta_interval=3"};

Study small_crank() {
  return Study::read(test::input("flexible_crank_small.toml"), small);
}

/// As a program fills it: all of its members, and no document.
Problem without_document(Problem problem) {
  problem.document = Problem().document;
  for (ProblemCase& own : problem.cases)
    own.problem = std::make_shared<const Problem>(without_document(*own.problem));
  return problem;
}

class Heard : public StudyEvents {
 public:
  void warning(const std::string& text) override { warnings.push_back(text); }
  void info(const std::string& text) override { texts.push_back(text); }
  void steepness_changed(double beta) override { betas.push_back(beta); }
  void evaluated(const StudyEvaluation& at) override {
    EXPECT_EQ(at.index, n_evaluations++);
    if (!at.status.failed()) {
      EXPECT_EQ(at.evaluation.objective, at.result.psi);
    }
  }
  void iterated(const StudyIteration& at) override {
    EXPECT_EQ(at.iteration, n_iterations++);
    EXPECT_EQ(at.evaluations, n_evaluations);
  }
  void step_ended() override { ++n_steps; }
  bool stop_requested() const override { return n_evaluations >= stop_after; }

  std::vector<std::string> warnings, texts;
  std::vector<double> betas;
  int n_evaluations = 0, n_iterations = 0, n_steps = 0, stop_after = 1000;
};

TEST(Study, PullsBackAFunctionOfItsOutputs) {
  std::vector<std::string> overrides = small;
  overrides.push_back("outputs.tip={type=\"displacement\",marker=\"crank.pin\",axes=[\"x\",\"y\"]}");
  overrides.push_back("outputs.energy={type=\"compliance\",body=\"crank\"}");
  Study study = Study::read(test::input("flexible_crank_small.toml"), overrides);
  EXPECT_EQ(study.outputs(), (std::vector<std::string>{"tip.x", "tip.y", "energy"}));
  // J = sum_k (tip_y(t_k) / 1 mm)^2
  const auto find = [&](const VectorXd& x, ChainResult& at, OutputSeeds& seeds) {
    EXPECT_FALSE(study.simulate(x, at).failed());
    const MatrixXd tip = 1e3 * at.motion->outputs(at.trajectory)[0].values;
    seeds = {MatrixXd::Zero(2, tip.cols()), {}};
    seeds[0].row(1) = 2e3 * tip.row(1);
    return tip.row(1).squaredNorm();
  };
  const VectorXd x = study.start();
  ChainResult at, beside;
  OutputSeeds seeds, ignored;
  const double J = find(x, at, seeds);
  VectorXd gradient;
  ASSERT_FALSE(study.pull_back(x, seeds, at, gradient).failed());
  ASSERT_EQ(gradient.size(), study.n_variables());
  const VectorXd direction = gradient.normalized();
  const double h = 1e-4, slope = gradient.norm();
  const double difference =
      (find(x + h * direction, beside, ignored) - find(x - h * direction, beside, ignored)) / (2.0 * h);
  EXPECT_GT(slope, 1e-6 * J);
  EXPECT_NEAR(slope, difference, 1e-6 * slope);  // differences have an error of h^2 here

  EXPECT_THROW(study.pull_back(x, {seeds[0]}, at, gradient), InputError);
  seeds[0].conservativeResize(2, 3);
  EXPECT_THROW(study.pull_back(x, seeds, at, gradient), InputError);
}

TEST(Study, NamesItsVariablesAndConstraints) {
  Study study = small_crank();
  EXPECT_THAT(study.variable(0).name, testing::StartsWith("crank "));
  EXPECT_EQ(study.variable(0).upper, 1.0);
  EXPECT_THAT(study.constraints(), testing::ElementsAre("volume_fraction"));
  EXPECT_LT(study.n_variables(), 80) << "regions are no variables";
  std::vector<std::string> with_length = small;
  with_length.push_back(
      "variables.height={quantity=\"bodies.crank.mesh.size\", component=\"y\", lower=0.03, upper=0.06}");
  const Study sized = Study::read(test::input("flexible_crank_small.toml"), with_length);
  const StudyVariable height = sized.variable(sized.n_variables() - 1);
  EXPECT_EQ(height.name, "height");
  EXPECT_EQ(height.unit, "m");
  EXPECT_EQ(height.lower, 0.03);
  EXPECT_EQ(sized.upper()[sized.n_variables() - 1], 1.0) << "scaled between its bounds";
}

TEST(Study, RefusesDesignsOfAnotherLength) {
  Study study = small_crank();
  Evaluation at;
  ChainResult result;
  std::vector<Design> bars;
  Heard heard;
  for (const Eigen::Index n : {Eigen::Index{0}, Eigen::Index{3}, study.n_variables() + 1}) {
    const VectorXd x = VectorXd::Constant(n, 0.5);
    EXPECT_THROW((void)study.evaluate(x, at), InputError);
    EXPECT_THROW((void)study.find_values(x, at), InputError);
    EXPECT_THROW((void)study.simulate(x, result), InputError);
    EXPECT_THROW((void)study.differentiate(x, heard, result, bars), InputError);
  }
  EXPECT_FALSE(study.evaluate(study.start(), at).failed());
}

TEST(Study, HasUnitsBoundsAndScalesOfItsFunctions) {
  std::vector<std::string> bounded = small;
  bounded.push_back(
      "constraints.criteria.swing={type=\"joint-angle\",joint=\"pin\",time=\"final\",lower=-2.0,upper=20.0}");
  bounded.push_back("constraints.mass=\"300 g\"");
  Study study = Study::read(test::input("flexible_crank_small.toml"), bounded);
  const std::vector<StudyFunction> functions = functions_of(study);
  std::vector<std::string> texts;
  for (const StudyFunction& f : functions)
    texts.push_back(fmt::format("{} [{}] {:g} {:g}", f.name, f.unit, f.bound, f.scale));
  EXPECT_THAT(texts, testing::ElementsAre("objective [J s] 0 1", "volume_fraction [] 0.5 0.5",
                                          "mass [kg] 0.3 0.3", "swing [rad] 20 20", "swing [rad] -2 -2"));
  Evaluation at;
  ASSERT_FALSE(study.find_values(study.start(), at).failed());
  const auto value = [&](std::size_t i) {
    return functions[i].bound + functions[i].scale * at.constraints[static_cast<Eigen::Index>(i) - 1];
  };
  EXPECT_NEAR(value(2), 0.3, 1e-9) << "the start is as heavy as it may be";
  EXPECT_NEAR(value(3), value(4), 1e-12) << "one angle with two bounds";
}

TEST(Study, HasTheGradientOfItsDifferences) {
  Study study = small_crank();
  const VectorXd x = study.start();
  Evaluation at;
  ASSERT_FALSE(study.evaluate(x, at).failed());
  const VectorXd direction =
      VectorXd::NullaryExpr(x.size(), [](Eigen::Index i) { return std::sin(double(i + 1)); });
  const auto psi = [&](double h) {
    ChainResult result;
    EXPECT_FALSE(study.simulate(x + h * direction, result).failed());
    return result.psi;
  };
  constexpr double h = 1e-4;  // second order, 1e-7 of the slope
  EXPECT_EQ(psi(0.0), at.objective);
  const double slope = at.gradient.dot(direction);
  EXPECT_NEAR((psi(h) - psi(-h)) / (2.0 * h), slope, 1e-5 * std::abs(slope));
}

TEST(Study, TellsWhatItDoes) {
  Study study = small_crank();
  Heard heard;
  const StudyResult result = study.optimize(heard);
  EXPECT_TRUE(result.begun);
  EXPECT_EQ(result.optimum.evaluations, heard.n_evaluations);
  EXPECT_EQ(heard.n_steps, 2);
  EXPECT_THAT(heard.betas, testing::ElementsAre(1.0, 2.0));
  ASSERT_EQ(result.stages.size(), 1u);
  EXPECT_EQ(result.stages[0].objective, result.optimum.evaluation.objective);
  EXPECT_EQ(result.stages[0].evaluations, heard.n_evaluations);
  EXPECT_THAT(heard.texts, testing::Contains(testing::HasSubstr("projection with beta = 2")));
}

/// Motions and gradients that a study tells, and the threads that it works with.
class Motions : public StudyEvents {
 public:
  void simulated(const StudyMotion& at) override {
    EXPECT_FALSE(at.status.failed());
    EXPECT_EQ(at.tables.t.size(), at.result.trajectory.n_stored);
    EXPECT_FALSE(at.tables.histories.empty());
    psi = at.result.psi, n_threads = threads();
  }
  void differentiated(const StudyGradients& at) override {
    EXPECT_FALSE(at.motion.tables.histories.empty());
    n_functions = at.bars.size(), n_threads = threads();
  }
  double psi = 0.0;
  std::size_t n_functions = 0;
  int n_threads = 0;
};

TEST(Study, TellsOfMotionsAndOfGradients) {
  Study study = small_crank();
  Evaluation at;
  ASSERT_FALSE(study.evaluate(study.start(), at).failed());
  Motions told;
  ChainResult result;
  ASSERT_FALSE(study.simulate(study.space().at(study.start()), told, result).failed());
  EXPECT_EQ(told.psi, at.objective);
  EXPECT_EQ(told.n_functions, 0u);
  std::vector<Design> bars;
  ASSERT_FALSE(study.differentiate(study.start(), told, result, bars).failed());
  EXPECT_EQ(told.n_functions, 1u);
  EXPECT_LE((study.space().pullback(study.start(), bars[0]) - at.gradient).norm(),
            1e-12 * at.gradient.norm());
}

TEST(Study, HasThreadsOfItsOwn) {
  const int before = threads();
  Study study = small_crank();
  Motions told;
  ChainResult result;
  study.set_threads(before + 2);
  ASSERT_FALSE(study.simulate(study.space().at(study.start()), told, result).failed());
  EXPECT_EQ(told.n_threads, before + 2);
  EXPECT_EQ(threads(), before);
  const ThreadScope scope(before + 5);
  int elsewhere = 0;
  std::thread([&] { elsewhere = threads(); }).join();
  EXPECT_EQ(elsewhere, before) << "another thread does not notice";
}

TEST(Study, StopsWhenItsListenerWantsItTo) {
  Study study = small_crank();
  Heard heard;
  heard.stop_after = 2;
  const StudyResult result = study.optimize(heard);
  EXPECT_EQ(heard.n_evaluations, 2);
  EXPECT_EQ(result.optimum.reason, StopReason::interrupted);
}

TEST(Study, OfAProblemFilledInCodeIsThatOfItsFile) {
  struct Example {
    const char* file;
    std::vector<std::string> overrides;
  };
  for (const auto& [file, overrides] :
       {Example{"flexible_crank_small.toml", small}, Example{"spring_pendulum.toml", {}},
        Example{"crank_two_speeds.toml",
                {"bodies.crank.mesh.divisions=[10,2]", "bodies.crank.regions.bearing.x=[0.17,0.2]",
                 "integrator.step=5e-3"}}}) {
    Problem read = read_problem(test::input(file), overrides);
    Problem filled = without_document(read);
    ASSERT_NO_THROW(check_problem(filled)) << file;
    Study of_file(std::move(read)), of_code(std::move(filled));
    Evaluation a, b;
    ASSERT_FALSE(of_file.evaluate(of_file.start(), a).failed());
    ASSERT_FALSE(of_code.evaluate(of_code.start(), b).failed());
    EXPECT_EQ(a.objective, b.objective) << file;
    EXPECT_EQ(a.gradient, b.gradient) << file;
  }
}

/// A mesh of triangles and distorted quadrilaterals, markers by area, through the whole chain.
TEST(Study, TakesABodyWhoseMeshIsGiven) {
  Problem problem =
      without_document(read_problem(test::input("flexible_crank_small.toml"),
                                    {"bodies.crank.mesh.divisions=[12,4]",
                                     "bodies.crank.regions.bearing.x=[0.18,0.2]", "integrator.step=5e-3"}));
  fem::FlexibleBodySpec& crank = problem.bodies[0].flexible;
  crank = fem::test::on_free_mesh(crank, fem::test::Split::every_other);
  for (fem::MarkerSpec& marker : crank.markers) marker.weights = fem::MarkerSpec::Weights::area;
  ASSERT_NO_THROW(check_problem(problem));
  Study study(std::move(problem));
  EXPECT_EQ(study.chain().body(0)->n_elements(), 72) << "24 quadrilaterals and 48 triangles";
  const VectorXd x = study.start();
  Evaluation at;
  ASSERT_FALSE(study.evaluate(x, at).failed());
  const VectorXd direction = at.gradient.normalized();
  constexpr double h = 1e-3;  // second order, some 1e-6 of the slope
  std::vector<double> psi;
  ChainResult result;
  for (const double side : {-1.0, 1.0}) {
    ASSERT_FALSE(study.simulate(x + side * h * direction, result).failed());
    psi.push_back(result.psi);
  }
  EXPECT_NEAR((psi[1] - psi[0]) / (2.0 * h), at.gradient.norm(), 1e-4 * at.gradient.norm());
  study.chain().draw(result, [&](const std::string&, MotionFrames& frames) {
    ASSERT_GT(frames.n_frames(), 1u);
    const NamedBlock& drawn = frames.blocks(frames.n_frames() - 1).front();
    EXPECT_EQ(drawn.name, "crank");
    EXPECT_EQ(drawn.grid.n_cells(), 72);
  });
}

// A result keeps what its motion is made of: the model, and the problem with its stresses.
TEST(Study, LeavesResultsThatOutliveIt) {
  ChainResult result;
  RequestedFunctions objective;
  {
    Study study = small_crank();
    ASSERT_FALSE(study.simulate(study.start(), result).failed());
    objective.stage = study.chain().requested().stage;
  }
  const std::vector<CriterionValues> values = result.motion->values(result.trajectory, objective);
  EXPECT_EQ(values.front().value, result.psi);
  EXPECT_EQ(result.motion->model().problem().bodies.front().name, "crank");
}

TEST(Study, OfAProblemFilledInCodeNamesTheKeyThatIsWrong) {
  Problem problem = without_document(read_problem(test::input("flexible_crank_small.toml"), small));
  problem.bodies[0].flexible.mesh.size[0] = 1e45;
  try {
    check_problem(problem);
    FAIL() << "a body of the size of a galaxy was taken";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("bodies.crank.mesh: size [1e+45, "));
  }
}

}  // namespace
}  // namespace kurbel
