/// Several cases of modes and of frequency responses: poses and loads.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "arm_text.hpp"
#include "beam_text.hpp"
#include "modes_text.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

using Eigen::Index;
using test::answer;
using test::Arm;
using test::formulations;
using test::study_of;

std::string analysis(const std::string& name, const std::string& formulation) {
  return "analysis = \"" + name + "\"\nformulation = \"" + formulation + "\"\n";
}

const std::string range = "[frequency_response]\nfrom = 0.5\nto = 12.0\npoints = 24\n";
const std::string output = R"([outputs.hand]
type = "position"
marker = "forearm.hand"
axes = ["y"]
)";
/// @param of_case  "cases.NAME.", or nothing
std::string push(const std::string& of_case, const char* direction) {
  return fmt::format("[{}loads.push]\nmarker = \"forearm.hand\"\nforce = {}\n", of_case, direction);
}
constexpr const char *up = R"([0.0, {type = "harmonic", amplitude = 3.0}, 0.0])",
                     *aside = R"([{type = "harmonic", amplitude = 2.0}, 0.0, 0.0])";
/// Numbers that both cases share; the mass moves the equilibrium.
const std::string variables = R"([variables.mass]
quantity = "bodies.forearm.mass"
lower = 0.5
upper = 1.5
[variables.damping]
quantity = "torsion_springs.elbow.damping"
lower = 0.01
upper = 2.0
)";

Arm damped() {
  Arm arm;
  arm.d1 = 0.7, arm.d2 = 0.3;
  return arm;
}

std::string responses(const std::string& formulation, const std::string& loads, const std::string& more) {
  return analysis("frequency-response", formulation) +
         damped().text(test::in_equilibrium + range + output + variables + loads + more, 0.02);
}

const std::string amplitude = R"([objective]
type = "position"
marker = "forearm.hand"
amplitude = "p-norm"
exponent = 8.0
[constraints.criteria.single]
type = "position"
marker = "forearm.hand"
component = "y"
amplitude = "at-frequency"
frequency = 3.3
upper = 10.0
scale = 1.0
)";
const std::string worst = "[over_cases]\nobjective = \"p-norm\"\nexponent = 6.0\n";

Evaluation evaluation_of(const std::string& text) {
  Study study = study_of(text);
  Evaluation found;
  test::require(study.evaluate(study.start(), found));
  return found;
}

std::string two_loads(const std::string& formulation, const std::string& more) {
  return responses(formulation, push("cases.up.", up) + push("cases.aside.", aside), more);
}

TEST(CasesOfResponses, HaveTheValuesAndGradientsOfTheProblemsThatTheyState) {
  for (const char* formulation : formulations) {
    const Evaluation both = evaluation_of(two_loads(formulation, amplitude)),
                     first = evaluation_of(responses(formulation, push("", up), amplitude)),
                     second = evaluation_of(responses(formulation, push("", aside), amplitude));
    EXPECT_NEAR(both.objective, first.objective + second.objective, 1e-14) << formulation;
    EXPECT_LT((both.gradient - first.gradient - second.gradient).norm(), 1e-12 * both.gradient.norm())
        << formulation;
    ASSERT_EQ(both.constraints.size(), 2);
    EXPECT_NEAR(both.constraints[0], first.constraints[0], 1e-14) << formulation;
    EXPECT_NEAR(both.constraints[1], second.constraints[0], 1e-14) << formulation;
  }
}

TEST(CasesOfResponses, HaveExactGradientsOfTheirWorst) {
  const std::string text = two_loads("semi-recursive", amplitude + worst);
  Study study = study_of(text);
  const VectorXd x = study.start();
  Evaluation at, plus, minus;
  test::require(study.evaluate(x, at));
  constexpr double h = 1e-5;
  for (Index i = 0; i < x.size(); ++i) {
    const VectorXd step = h * VectorXd::Unit(x.size(), i);
    test::require(study.find_values(x + step, plus));
    test::require(study.find_values(x - step, minus));
    EXPECT_NEAR(at.gradient[i], (plus.objective - minus.objective) / (2.0 * h), 1e-7 * at.gradient.norm());
  }
}

TEST(CasesOfResponses, AreColumnsOfOneTable) {
  Study study = study_of(two_loads("floating-frame", amplitude));
  const ChainResult at = answer(study, study.start());
  const std::vector<ResultTable> tables = at.motion->tables();
  ASSERT_EQ(tables.size(), 3U);
  EXPECT_EQ(tables[0].name, "modes_up");
  EXPECT_EQ(tables[1].name, "modes_aside");
  EXPECT_EQ(tables[2].name, "response");
  ASSERT_EQ(tables[2].columns.size(), 5U);
  EXPECT_EQ(tables[2].columns[1].name, "up.hand.y");
  EXPECT_EQ(tables[2].columns[3].name, "aside.hand.y");
  Study second = study_of(responses("floating-frame", push("", aside), amplitude));
  const ChainResult alone = answer(second, second.start());
  const MatrixXd expected = alone.motion->tables().at(1).values.rightCols(2);
  EXPECT_LT((tables[2].values.rightCols(2) - expected).norm(), 1e-12 * expected.norm());
}

TEST(CasesOfResponses, HaveAnExcitationEach) {
  const std::string text = responses("floating-frame", push("cases.up.", up) + "[cases.quiet]\n", amplitude);
  const auto line = 1 + std::ranges::count(text.substr(0, text.find("[cases.quiet]")), '\n');
  EXPECT_EQ(input_error_message([&] { study_of(text); }),
            fmt::format("beam.toml:{}: cases.quiet has no load or drive of type = \"harmonic\"; a frequency "
                        "response needs an excitation",
                        line));
}

/// The lowest frequency of an arm in two poses, against that of each pose alone, in closed form.
TEST(CasesOfModes, AreTheModesOfSeveralPoses) {
  const std::string lowest = "[objective]\ntype = \"frequency\"\nweight = -1.0\n";
  Arm arm;
  arm.g = 0.0;
  Arm stretched = arm;
  stretched.q2 = -0.2;
  const Eigen::Vector2d free = stretched.free_angles();
  const double sum = stretched.q1 + stretched.q2;
  const std::string pose = fmt::format(R"([cases.bent]
[cases.stretched.bodies.forearm.initial]
rotation = [0.0, 0.0, {}]
[cases.stretched.torsion_springs.elbow]
from = "upper.elbow"
to = "forearm"
stiffness = {}
free_angle = {}
)",
                                       sum, stretched.k2, free[1]);
  for (const char* formulation : formulations) {
    Study study = study_of(analysis("modes", formulation) + arm.text(lowest + pose));
    const ChainResult at = answer(study, study.start());
    const std::vector<std::pair<std::string, double>> numbers = at.motion->summarize(at.trajectory).numbers;
    const auto number = [&](const std::string& name) {
      return std::ranges::find(numbers, name, &std::pair<std::string, double>::first)->second;
    };
    EXPECT_NEAR(number("bent.frequency_1"), std::abs(arm.poles()[0]) / (2.0 * EIGEN_PI), 1e-7);
    EXPECT_NEAR(number("stretched.frequency_1"), std::abs(stretched.poles()[0]) / (2.0 * EIGEN_PI), 1e-7);
  }
}

/// An equilibrium that is unstable, as the upper link stands on a soft spring, is no failure where nothing is asked of it.
TEST(CasesOfModes, NeedNoStabilityThatIsAskedOfOthers) {
  Arm firm;
  firm.q1 = 1.3;
  Arm soft = firm;
  soft.k1 = 2.0;
  const auto text = [&](const char* cases) {
    return analysis("modes", "floating-frame") +
           firm.text(fmt::format(R"([objective]
type = "mass"
body = "forearm"
[variables.mass]
quantity = "bodies.forearm.mass"
lower = 0.5
upper = 1.5
[constraints.criteria.stiff]
type = "frequency"
lower = 0.1
{}
[cases.firm]
[cases.soft.torsion_springs.shoulder]
from = "ground"
to = "upper"
stiffness = {}
free_angle = {}
)",
                                 cases, soft.k1, soft.free_angles()[0]));
  };
  Evaluation at;
  Study of_all = study_of(text(""));
  EXPECT_THAT(of_all.evaluate(of_all.start(), at).message(), testing::HasSubstr("unstable"));
  Study of_one = study_of(text("cases = [\"firm\"]"));
  test::require(of_one.evaluate(of_one.start(), at));
  EXPECT_EQ(at.constraints.size(), 1);
}

/// Two equal pendulums have modes that coincide. A function that counts the first alone then has no derivative.
TEST(CasesOfModes, NameTheOneWhoseModesCoincide) {
  std::string text = analysis("modes", "floating-frame") + R"(gravity = [0.0, -9.81, 0.0]
[objective]
type = "frequency"
weight = -1.0
[variables.length]
quantity = "bodies.left.centre_of_mass"
component = "x"
lower = 0.1
upper = 0.8
[cases.apart.bodies.right]
mass = 3.0
[cases.twins]
)";
  for (const char* name : {"left", "right"})
    text += fmt::format(R"([bodies.{0}]
type = "rigid"
mass = 2.0
centre_of_mass = [0.4, 0.0, 0.0]
inertia = [0.01, 0.05, 0.05]
initial.rotation = [0.0, 0.0, {1}]
[joints.{0}]
type = "revolute"
from = "ground"
to = "{0}"
)",
                        name, -0.5 * EIGEN_PI);
  Study study = study_of(text);
  Evaluation at;
  const std::string message = study.evaluate(study.start(), at).message();
  EXPECT_THAT(message, testing::HasSubstr("modes 1 and 2 coincide"));
  EXPECT_THAT(message, testing::HasSubstr("case twins"));
  EXPECT_THAT(message, testing::Not(testing::HasSubstr("apart")));
  test::require(study.find_values(study.start(), at));
}

}  // namespace
}  // namespace kurbel
