/// Several manoeuvres in one problem: [cases.*].
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <filesystem>

#include "base/files.hpp"
#include "design_functions.hpp"
#include "evaluation/evaluation_chain.hpp"
#include "run_program.hpp"
#include "tests/input_error.hpp"
#include "tests/problem/arm_text.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

const std::string gravity_text = "gravity = [0.0, -9.81, 0.0]\n";
const std::string arm_criteria = R"(
[joints.brake]
type = "revolute"
from = "arm.tip"
to = "load"
[bodies.load]
type = "rigid"
mass = 0.5
inertia = [1e-3, 1e-3, 1e-3]
[bodies.load.initial]
position = [0.4, 0.0, 0.0]
[outputs.tip]
type = "position"
marker = "arm.tip"
[[objective]]
type = "control-energy"
time = "integral"
weight = 0.01
[[objective]]
type = "output"
output = "tip"
target = [0.1, 0.3, 0.0]
form = "half-square"
time = "integral"
[constraints.criteria.way]
type = "velocity"
marker = "arm.tip"
component = "y"
time = "instants"
intervals = 2
upper = 5.0
[constraints.criteria.arrival]
type = "output"
output = "tip"
time = "final"
equals = [0.2, 0.3, 0.0]
[constraints.criteria.energy]
type = "kinetic-energy"
time = "mean"
upper = 10.0
cases = "sum"
[constraints.criteria.speed]
type = "kinetic-energy"
time = "p-norm"
exponent = 8
upper = 20.0
cases = ["heavy"]
)";
const std::string two_cases = R"(
[cases.light]
weight = 0.5
[cases.heavy]
weight = 2.0
gravity = [1.0, -9.81, 0.0]
[cases.heavy.bodies.load]
mass = 1.5
)";

Problem problem_of(const std::string& text) {
  return read_problem(TomlDocument::parse(text, "arm.toml", ".", {"integrator.t1=0.2"}));
}

/// A problem, simulated at its start.
struct Simulated {
  explicit Simulated(const std::string& text) : Simulated(problem_of(text)) {}
  explicit Simulated(Problem of) : problem(std::move(of)), chain(problem) {
    EXPECT_FALSE(chain.reduce(chain.nominal(BodyFields(chain.n_bodies())), at).failed());
    EXPECT_FALSE(chain.simulate(at).failed());
    EXPECT_FALSE(chain.gradients(at, gradients).failed());
  }
  std::size_t place(const std::string& label) const {
    const auto& functions = chain.model().functions();
    for (std::size_t i = 0; i < functions.size(); ++i) {
      if (functions[i].label() == label) return i;
    }
    throw std::runtime_error("no constraint " + label);
  }
  double value(const std::string& label) const { return at.values[1 + place(label)].value; }
  VectorXd gradient(const std::string& label) const { return gradients[1 + place(label)].system; }
  Problem problem;
  EvaluationChain chain;
  ChainResult at;
  std::vector<Design> gradients;
};

std::string without_cases_of_constraints(std::string text) {
  for (const std::string line : {"cases = \"sum\"\n", "cases = [\"heavy\"]\n"})
    text.erase(text.find(line), line.size());
  return text;
}

/// The arm, and each of its cases as a problem of its own.
struct Cases : testing::Test {
  std::string arm = std::string(arm_text) + motor_text + arm_criteria;
  std::string alone = without_cases_of_constraints(arm);
  std::string heavy_arm = [&] {
    std::string text = alone;
    return text.replace(text.find("mass = 0.5"), 10, "mass = 1.5");
  }();
  Simulated both{gravity_text + arm + two_cases}, light{gravity_text + alone},
      heavy{"gravity = [1.0, -9.81, 0.0]\n" + heavy_arm};
};

TEST_F(Cases, AreTheProblemsThatTheyState) {
  EXPECT_DOUBLE_EQ(both.at.psi, 0.5 * light.at.psi + 2.0 * heavy.at.psi);
  for (const std::string label : {"way@0.1", "way@0.2", "arrival.x", "arrival.y"}) {
    EXPECT_EQ(both.value("light." + label), light.value(label)) << label;
    EXPECT_EQ(both.value("heavy." + label), heavy.value(label)) << label;
    EXPECT_NE(light.value(label), heavy.value(label)) << label;
  }
  EXPECT_DOUBLE_EQ(both.value("energy"), 0.5 * light.value("energy") + 2.0 * heavy.value("energy"));
  EXPECT_EQ(both.value("heavy.speed"), heavy.value("speed"));
  EXPECT_EQ(both.problem.constraints.criteria.size(), 2 * 3 + 2 * 3 + 1 + 1);
}

TEST_F(Cases, HaveTheGradientsOfThoseProblems) {
  const auto expect_same = [](const VectorXd& a, const VectorXd& b) {
    EXPECT_LT((a - b).norm(), 1e-13 * b.norm());
  };
  expect_same(both.gradients[0].system, 0.5 * light.gradients[0].system + 2.0 * heavy.gradients[0].system);
  for (const std::string label : {"way@0.1", "arrival.y"}) {
    expect_same(both.gradient("light." + label), light.gradient(label));
    expect_same(both.gradient("heavy." + label), heavy.gradient(label));
  }
  expect_same(both.gradient("energy"), 0.5 * light.gradient("energy") + 2.0 * heavy.gradient("energy"));
}

TEST_F(Cases, NameTheirTimeHistoriesOutputsAndTrueExtremes) {
  const std::vector<OutputHistory> outputs = both.at.motion->outputs(both.at.trajectory);
  ASSERT_EQ(outputs.size(), 2);
  EXPECT_EQ(outputs[0].name, "light.tip");
  EXPECT_EQ(outputs[1].values, heavy.at.motion->outputs(heavy.at.trajectory)[0].values);
  const CriterionValues own = both.at.values[1 + both.place("heavy.speed")];
  EXPECT_EQ(own.high, heavy.at.values[1 + heavy.place("speed")].high);
  const auto trajectory = both.at.motion->body_trajectories(both.at.trajectory);
  ASSERT_TRUE(trajectory);
  EXPECT_EQ(trajectory->bodies[0].name, "light.arm");
  EXPECT_EQ(trajectory->bodies.size(), 4);
}

const std::string mass_criteria = R"(
[[objective]]
type = "mass"
body = "arm"
weight = 3.0
[constraints.criteria.weight]
type = "mass"
body = "arm"
upper = 9.0
[constraints.criteria.weight_in_both]
type = "mass"
body = "arm"
upper = 9.0
cases = "sum"
[constraints.criteria.load]
type = "mass"
body = "load"
upper = 9.0
[constraints.criteria.loads]
type = "mass"
body = "load"
upper = 9.0
cases = "sum"
)";

/// The arm is one part in both cases; the load is another one in each of them.
TEST_F(Cases, CountAMassThatNoneOfThemChangesOnce) {
  const Simulated with_mass(gravity_text + arm + mass_criteria + two_cases);
  const double mass = with_mass.value("weight");
  EXPECT_GT(mass, 0.0);
  EXPECT_NEAR(with_mass.at.psi, both.at.psi + 3.0 * mass, 1e-14 * with_mass.at.psi);
  EXPECT_NEAR(with_mass.at.values[0].high, with_mass.at.psi, 1e-14 * with_mass.at.psi);
  EXPECT_DOUBLE_EQ(with_mass.value("weight_in_both"), mass);
  EXPECT_DOUBLE_EQ(with_mass.value("light.load"), 0.5);
  EXPECT_DOUBLE_EQ(with_mass.value("heavy.load"), 1.5);
  EXPECT_DOUBLE_EQ(with_mass.value("loads"), 0.5 * 0.5 + 2.0 * 1.5);
  const VectorXd of_mass = with_mass.gradients[0].system - both.gradients[0].system;
  EXPECT_LT((of_mass - 3.0 * with_mass.gradient("weight")).norm(), 1e-12 * of_mass.norm());
  EXPECT_GT(of_mass.norm(), 0.0);
}

/// psi of the cases, and of p-norm and KS over them.
TEST_F(Cases, MayBeJoinedByASmoothMaximum) {
  const std::array<double, 2> w = {0.5, 2.0}, psi = {light.at.psi, heavy.at.psi};
  const Simulated norm(gravity_text + arm + two_cases +
                       "[over_cases]\nobjective = \"p-norm\"\nexponent = 6\n");
  EXPECT_NEAR(norm.at.psi, std::pow(w[0] * std::pow(psi[0], 6) + w[1] * std::pow(psi[1], 6), 1.0 / 6.0),
              1e-13 * norm.at.psi);
  EXPECT_EQ(norm.at.values[0].high, std::max(psi[0], psi[1]));
  const Simulated ks(gravity_text + arm + two_cases + "[over_cases]\nobjective = \"ks\"\nexponent = 30\n");
  EXPECT_NEAR(ks.at.psi, std::log(w[0] * std::exp(30 * psi[0]) + w[1] * std::exp(30 * psi[1])) / 30.0, 1e-13);
  for (const Simulated* of : {&norm, &ks}) {
    EvaluationChain chain(of->problem);
    ChainResult at;
    ASSERT_FALSE(chain.reduce(chain.nominal(BodyFields(chain.n_bodies())), at).failed());
    ASSERT_FALSE(chain.simulate(at).failed());
    std::vector<Design> found;
    ASSERT_FALSE(chain.gradients(at, true, SensitivityOptions::Method::finite_differences, found).failed());
    for (std::size_t j = 0; j < found.size(); ++j) {
      const VectorXd& exact = of->gradients[j].system;
      EXPECT_LT((found[j].system - exact).norm(), 1e-6 * (1.0 + exact.norm())) << j;
    }
  }
}

TEST_F(Cases, HoldTheConstraintsThatAStageNames) {
  const Problem problem = problem_of(arm + two_cases +
                                     "[stages.first]\nobjective = { type = \"control-energy\", time = "
                                     "\"integral\" }\nconstraints = [\"arrival\", \"energy\"]\n");
  std::vector<std::string> labels;
  for (const std::size_t i : problem.first_stages[0].constraints)
    labels.push_back(problem.constraints.criteria[i].label());
  EXPECT_THAT(labels, ::testing::UnorderedElementsAre("light.arrival.x", "light.arrival.y", "light.arrival.z",
                                                      "heavy.arrival.x", "heavy.arrival.y", "heavy.arrival.z",
                                                      "energy"));
}

/// A row that `arrival` wants elsewhere at the end, in another case.
TEST_F(Cases, MayEndAtPlacesOfTheirOwn) {
  const std::string own = R"([constraints.criteria.elsewhere]
type = "output"
output = "tip"
component = "x"
time = "final"
equals = 0.25
cases = ["light"]
)";
  const auto text = [&](const std::string& cases) {
    std::string changed = arm;
    const std::string equals = "equals = [0.2, 0.3, 0.0]\n";
    return changed.insert(changed.find(equals) + equals.size(), cases) + own + two_cases;
  };
  const Problem problem = problem_of(text("cases = [\"heavy\"]\n"));
  EXPECT_EQ(problem.constraints.criteria.size(), 2 * 3 + 3 + 1 + 1 + 1);
  for (const std::string both : {"", "cases = [\"heavy\", \"light\"]\n"}) {
    EXPECT_THAT(input_error_message([&] { problem_of(text(both)); }),
                ::testing::HasSubstr("constraints.criteria.elsewhere.equals repeats the end position"));
  }
}

TEST_F(Cases, AreRefusedWhereTheyChangeWhatAllShare) {
  const auto message = [&](const std::string& cases) {
    return input_error_message([&] { problem_of(arm + cases); });
  };
  using ::testing::HasSubstr;
  EXPECT_THAT(message("[cases.a.integrator]\nstep = 0.1\n"),
              HasSubstr("cases.a.integrator is the same in all cases"));
  EXPECT_THAT(message("[cases.a.bodies.arm]\nmass = 2.0\n"),
              HasSubstr("cases.a.bodies.arm.mass is designed by variables.mass"));
  EXPECT_THAT(message("[cases.a.bodies.arm.markers.tip]\nposition = [1.0, 0.0, 0.0]\n"),
              HasSubstr(fmt::format("arm.toml:{}: cases.a.bodies.arm.markers belongs to the part",
                                    1 + std::ranges::count(arm, '\n'))));
  EXPECT_THAT(message("[cases.a.bodies.leg]\nmass = 2.0\n"),
              HasSubstr("cases.a.bodies.leg is none of [bodies.*]"));
  EXPECT_THAT(message("[cases.a.bodies.load]\nmass = -2.0\n"), HasSubstr("bodies.load.mass = -2"));
  EXPECT_THAT(message("[cases.a]\nwait = 1.0\n"), HasSubstr("unknown key wait"));
  EXPECT_THAT(message("[cases.a]\nweight = 0\n"), HasSubstr("cases.a.weight = 0 must be positive"));
  EXPECT_THAT(message("[cases.a]\n"),
              HasSubstr("constraints.criteria.speed.cases names heavy, which is none of [cases.*]"));
  EXPECT_THAT(message("[cases.heavy]\n[over_cases]\nexponent = 3\n"), HasSubstr("over_cases.exponent"));
  EXPECT_THAT(message("[cases.heavy]\n[over_cases]\nobjectives = \"sum\"\n"),
              HasSubstr("over_cases.objectives; did you mean"));
  EXPECT_THAT(message(""), HasSubstr("constraints.criteria.energy.cases needs [cases.NAME]"));
  EXPECT_THAT(message("[over_cases]\nobjective = \"sum\"\n"), HasSubstr("over_cases needs [cases.NAME]"));
}

TEST(CasesOfPoints, AreTheProblemsThatTheyState) {
  const std::string pendulum = std::string(KURBEL_SOURCE_DIR) + "/inputs/papers/spring_pendulum.toml";
  const auto simulated = [&](std::vector<std::string> overrides) {
    for (const char* coarse : {"integrator.step=1e-2", "constraints.criteria.length.intervals=4",
                               "controls.ux.start=1.0", "controls.uz.start=2.0"})
      overrides.emplace_back(coarse);
    return Simulated(read_problem(pendulum, overrides));
  };
  const Simulated both = simulated({"cases.here.weight=1.0", "cases.there.gravity=[0.0, 1.0, -3.0]",
                                    "cases.there.bodies.mass.initial.velocity=[1.0, 0.0, 0.0]"}),
                  here = simulated({}),
                  there =
                      simulated({"gravity=[0.0, 1.0, -3.0]", "bodies.mass.initial.velocity=[1.0, 0.0, 0.0]"});
  EXPECT_EQ(both.at.psi, here.at.psi + there.at.psi);
  for (const std::string label : {"arrival.x", "rest.z", "length@2.5"}) {
    EXPECT_EQ(both.value("here." + label), here.value(label)) << label;
    EXPECT_EQ(both.value("there." + label), there.value(label)) << label;
    EXPECT_NE(here.value(label), there.value(label)) << label;
    EXPECT_EQ(both.gradient("there." + label), there.gradient(label)) << label;
  }
}

const std::string two_speeds = std::string(KURBEL_SOURCE_DIR) + "/inputs/cranks/crank_two_speeds.toml";

TEST(CasesOfAFlexibleCrank, HaveGradientsByDensitiesThatEqualDifferences) {
  const Problem problem = read_problem(
      two_speeds, {"bodies.crank.mesh.divisions=[10, 2]", "bodies.crank.regions.bearing.x=[0.17, 0.2]",
                   "integrator.t1=0.5", "integrator.step=0.01", "constraints.criteria.stress.type=von-mises",
                   "constraints.criteria.stress.body=crank", "constraints.criteria.stress.time=p-norm",
                   "constraints.criteria.stress.exponent=8", "constraints.criteria.stress.upper=1e7",
                   "constraints.criteria.stress.scaling=none"});
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const std::atomic<bool> interrupted = false;
  ProblemNlp nlp(chain, space, interrupted);
  const VectorXd x = VectorXd::LinSpaced(space.start().size(), 0.5, 0.9);
  const test::Functions at = test::functions_at(nlp, x);
  ASSERT_EQ(at.values.size(), 1 + 1 + 2) << "psi, volume, the stress in two cases";
  const VectorXd d = VectorXd::LinSpaced(x.size(), -1.0, 2.0);
  const VectorXd exact = at.gradients * d, found = test::differences(nlp, x, d, 1e-3);
  for (Eigen::Index i = 0; i < exact.size(); ++i)
    EXPECT_NEAR(found[i], exact[i], 2e-7 * std::abs(exact[i])) << i;
}

TEST(CasesOfAFlexibleCrank, GoOnBitForBitAfterAnInterruption) {
  const TemporaryFolder folder;
  const auto at = [&](const char* name) { return (folder.path() / name).string(); };
  const std::string small =
      two_speeds + " --quiet --set bodies.crank.mesh.divisions='[20, 4]' --set output.motion=false";
  const auto run = [](const std::string& arguments) {
    EXPECT_EQ(test::run("optimize " + arguments).exit_code, 0);
  };
  run(small + " --set optimizer.stop.iterations=4 --output " + at("whole"));
  run(small + " --set optimizer.stop.iterations=2 --output " + at("parts"));
  run("--resume " + at("parts") + " --quiet --set optimizer.stop.iterations=4");
  EXPECT_EQ(read_text_file(at("parts") + "/history.csv"), read_text_file(at("whole") + "/history.csv"));
}

TEST(CasesOfAFlexibleCrank, AreOptimizedAndDrawnByTheProgram) {
  const TemporaryFolder folder;
  const std::string out = (folder.path() / "run").string();
  const test::Outcome outcome =
      test::run("optimize " + two_speeds + " --output " + out +
                " --set bodies.crank.mesh.divisions='[20, 4]' --set optimizer.stop.iterations=3");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  for (const char* film : {"motion_fast.pvd", "motion_heavy.pvd", "density.pvd", "run.h5"})
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "run" / film)) << film;
}

}  // namespace
}  // namespace kurbel
