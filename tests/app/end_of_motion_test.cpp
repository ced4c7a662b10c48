/// The end of the motion as a variable: its gradients in every formulation by every integrator.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "../input_error.hpp"
#include "design_functions.hpp"

namespace kurbel {
namespace {

/// Two links under gravity, moved by torques in two kinds of time histories; a spring from the ground with a damper.
const std::string arm = R"(
gravity = [0.0, -9.81, 0.5]
[bodies.upper]
type = "rigid"
mass = 1.2
centre_of_mass = [0.15, 0.01, 0.0]
inertia = [5.0e-4, 1.2e-2, 1.2e-2]
markers.elbow.position = [0.3, 0.0, 0.0]
initial.rotation = [0.0, 0.0, -0.5]
initial.angular_velocity = [0.0, 0.0, 0.7]
[bodies.lower]
type = "rigid"
mass = 0.7
centre_of_mass = [0.1, 0.0, 0.02]
inertia = [5.0e-4, 5.0e-3, 5.0e-3]
markers.hand.position = [0.25, 0.0, 0.0]
initial.rotation = [0.0, 0.0, 0.9]
[joints.shoulder]
type = "revolute"
from = "ground"
to = "upper"
[joints.elbow]
type = "revolute"
from = "upper.elbow"
to = "lower"
[springs.s]
from = "ground"
to = "lower.hand"
stiffness = 30.0
damping = 0.8
free_length = 0.3
[controls.shoulder]
type = "torque"
joint = "shoulder"
nodes = 5
start = [3.0, -1.0, 2.0, 0.5, 1.0]
lower = -20.0
upper = 20.0
[controls.elbow]
type = "torque"
joint = "elbow"
nodes = 4
interpolation = "INTERPOLATION"
start = [1.0, 0.4, -0.5, 0.3]
lower = -20.0
upper = 20.0
[[objective]]
type = "reaction-force"
joint = "elbow"
form = "half-square"
time = "integral"
weight = 1e-3
[[objective]]
type = "kinetic-energy"
time = "integral"
[constraints.criteria.angle]
type = "joint-angle"
joint = "elbow"
time = "instants"
intervals = 4
upper = 9.0
)";

/// Two masses on springs, which natural coordinates have without constraints.
const std::string points = R"(
formulation = "natural-coordinates"
gravity = [0.5, 0.0, -9.81]
[bodies.one]
type = "point"
mass = 0.8
initial = { position = [0.5, 0.1, -0.8], velocity = [0.2, 0.4, 0.0] }
[bodies.hand]
type = "point"
mass = 0.5
initial = { position = [0.6, 0.1, -1.4], velocity = [0.2, 0.4, 0.0] }
[springs.upper]
from = "ground"
to = "one"
stiffness = 60.0
damping = 0.4
free_length = 0.9
[springs.lower]
from = "one"
to = "hand"
stiffness = 40.0
damping = 0.3
free_length = 0.5
[controls.pull]
type = "force"
marker = "hand"
direction = [1.0, 0.5, 0.0]
nodes = 5
interpolation = "INTERPOLATION"
start = [1.0, -1.0, 2.0, 0.5, 0.0]
[[objective]]
type = "kinetic-energy"
time = "integral"
)";

const std::string requested = R"(
[variables.t1]
quantity = "integrator.t1"
lower = 0.2
upper = 0.6
[[objective]]
type = "duration"
weight = 2.0
[[objective]]
type = "control-energy"
time = "integral"
weight = 0.1
[constraints.criteria.effort]
type = "control-energy"
time = "mean"
upper = 9.0
[constraints.criteria.arrival]
type = "position"
marker = "HAND"
time = "final"
equals = [0.4, 0.2, -1.5]
scale = 1.0
[constraints.criteria.way]
type = "velocity"
marker = "HAND"
component = "x"
time = "ks"
exponent = 3.0
upper = 9.0
scaling = "none"
[constraints.criteria.accelerations]
type = "acceleration"
marker = "HAND"
time = "p-norm"
exponent = 4.0
upper = 900.0
scaling = "none"
[constraints.criteria.time]
type = "duration"
upper = 9.0
)";

/// @param by  does not contain the word
std::string with(std::string text, const std::string& word, const std::string& by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word))
    text.replace(at, word.size(), by);
  return text;
}

/// A wheel and a slide that tables drive, springs from both to the hand, a load that jumps, and a hand that has to follow
/// a table: all over shares of the motion.
const std::string tables = R"(
[bodies.wheel]
type = "rigid"
mass = 0.4
centre_of_mass = [0.02, 0.0, 0.0]
inertia = [1.0e-3, 1.0e-3, 2.0e-3]
markers.rim.position = [0.1, 0.05, 0.0]
[joints.axle]
type = "revolute"
from = "ground"
to = "wheel"
[joints.axle.drive]
dof = "rz"
type = "table"
times = "relative"
t = [0.0, 0.4, 1.0]
values = [0.1, 0.5, 1.3]
[bodies.slide]
type = "rigid"
mass = 0.3
inertia = [1.0e-3, 1.0e-3, 1.0e-3]
[joints.rail]
type = "prismatic"
from = "ground"
to = "slide"
[joints.rail.drive]
dof = "tz"
type = "table"
times = "relative"
t = [-0.1, 0.5, 1.0]
values = [0.0, 30.0, -20.0]
unit = "mm"
interpolation = "clamped"
beyond = "hold"
[springs.rim]
from = "wheel.rim"
to = "lower.hand"
stiffness = 50.0
damping = 0.5
free_length = 0.2
[springs.slide]
from = "slide"
to = "lower.hand"
stiffness = 40.0
damping = 0.3
free_length = 0.1
[loads.push]
marker = "lower.hand"
force = [{ type = "table", times = "relative", t = [0.0, 0.3, 1.0], values = [1.0, -2.0, 3.0] }, { type = "table", times = "relative", t = [0.0, 0.5, 1.0], values = [2.0, -1.0, 0.0], interpolation = "constant" }, 0.0]
[constraints.criteria.tracking]
type = "position"
marker = "lower.hand"
time = "integral"
form = "half-square"
target = [{ type = "table", times = "relative", t = [0.0, 0.6, 1.0], values = [0.1, 0.5, 0.3] }, 0.2, 0.0]
upper = 9.0
[constraints.criteria.axle]
type = "drive-torque"
joint = "axle"
time = "p-norm"
exponent = 4.0
upper = 900.0
scaling = "none"
[constraints.criteria.rim]
type = "acceleration"
marker = "wheel.rim"
time = "mean"
upper = 900.0
[constraints.criteria.rail]
type = "reaction-force"
joint = "rail"
time = "final"
upper = 900.0
)";

const std::string turning = R"(
[variables.turn]
quantity = "joints.axle.drive.values"
lower = -2.0
upper = 2.0
)";

struct Case {
  const char* name;
  const char* formulation;  ///< "": of the text
  const char* integrator;
  bool is_of_points = false;
  const char* interpolation = "natural";
  bool has_tables = false;
};

std::string text_of(const Case& own, const char* method) {
  std::string text = own.is_of_points ? points : fmt::format("formulation = \"{}\"\n", own.formulation) + arm;
  text = with(text + requested + (own.has_tables ? tables : ""), "HAND",
              own.is_of_points ? "hand" : "lower.hand");
  if (own.is_of_points && std::string(own.integrator).find("variational") == std::string::npos) {
    // The states of steps of first order hold no accelerations.
    const std::size_t from = text.find("[constraints.criteria.accelerations]");
    text.erase(from, text.find("[constraints.criteria.time]") - from);
  }
  return with(text, "INTERPOLATION", own.interpolation) +
         fmt::format("[integrator]\nt1 = 0.4\nstep = 0.01\nmethod = {}\n[sensitivity]\nmethod = \"{}\"\n",
                     own.integrator, method);
}

class EndOfMotion : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Every, EndOfMotion,
    testing::Values(
        Case{"FloatingFrameGeneralizedAlpha", "floating-frame", "\"generalized-alpha\"\nrho_inf = 0.7"},
        Case{"FloatingFrameMatrixR", "floating-frame", "\"trapezoidal\"", false, "constant"},
        Case{"HamiltonianRungeKutta", "hamiltonian", "\"runge-kutta-4\"", false, "constant"},
        Case{"SemiRecursiveGeneralizedAlpha", "semi-recursive", "\"generalized-alpha\"", false, "linear"},
        Case{"SemiRecursiveMatrixR", "semi-recursive", "\"trapezoidal\""},
        Case{"JointHamiltonianRungeKutta", "joint-hamiltonian", "\"runge-kutta-4\"", false, "linear"},
        Case{"NaturalVariational", "natural-coordinates", "\"variational-midpoint\""},
        Case{"NaturalVariationalExplicit", "natural-coordinates", "\"variational-midpoint\"\nalpha = 0.3",
             false, "constant"},
        Case{"NaturalVariationalImplicit", "natural-coordinates", "\"variational-midpoint\"\nalpha = 1.0"},
        Case{"NaturalGeneralizedAlpha", "natural-coordinates", "\"generalized-alpha\""},
        Case{"NaturalMatrixR", "natural-coordinates", "\"trapezoidal\""},
        Case{"TablesFloatingFrame", "floating-frame", "\"generalized-alpha\"", false, "natural", true},
        Case{"TablesFloatingFrameMatrixR", "floating-frame", "\"trapezoidal\"", false, "natural", true},
        Case{"TablesHamiltonian", "hamiltonian", "\"runge-kutta-4\"", false, "natural", true},
        Case{"TablesSemiRecursive", "semi-recursive", "\"generalized-alpha\"", false, "natural", true},
        Case{"TablesSemiRecursiveMatrixR", "semi-recursive", "\"trapezoidal\"", false, "natural", true},
        Case{"TablesJointHamiltonian", "joint-hamiltonian", "\"runge-kutta-4\"", false, "natural", true},
        Case{"TablesNaturalVariational", "natural-coordinates", "\"variational-midpoint\"", false, "natural",
             true},
        Case{"TablesNatural", "natural-coordinates", "\"generalized-alpha\"", false, "natural", true},
        Case{"PointsMatrixR", "", "\"trapezoidal\"", true},
        Case{"PointsRungeKutta", "", "\"runge-kutta-4\"", true},
        Case{"PointsExplicitEuler", "", "\"explicit-euler\"", true, "constant"},
        Case{"PointsImplicitEuler", "", "\"implicit-euler\"", true, "constant"},
        Case{"PointsVariational", "", "\"variational-midpoint\"", true}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_P(EndOfMotion, HasGradientsOfDifferences) {
  for (const char* method : {"discrete-adjoint", "direct"}) {
    test::ProgramOfText own(text_of(GetParam(), method));
    const test::Functions at = test::functions_at(own.nlp, own.x);
    const VectorXd by_end = VectorXd::Unit(own.x.size(), 0);
    // Matrix R chooses other coordinates in natural coordinates where the motion is 0.4 % longer or shorter.
    const VectorXd expected = test::differences(own.nlp, own.x, by_end, 1e-3);
    for (Eigen::Index j = 0; j < expected.size(); ++j)
      EXPECT_NEAR(at.gradients(j, 0), expected[j],
                  2e-7 * std::max({1.0, std::abs(expected[j]), std::abs(at.values[j])}))
          << method << ", function " << j;
  }
}

// A motion that ends later is the same as one that was meant to.
TEST_P(EndOfMotion, MovesAsIfTheEndHadBeenGiven) {
  const std::string text = text_of(GetParam(), "discrete-adjoint");
  test::ProgramOfText own(text),
      other(with(with(text, "t1 = 0.4\n", "t1 = 0.5\n"), "step = 0.01\n", "step = 0.0125\n"));
  VectorXd x = own.x;
  x[0] = (0.5 - 0.2) / (0.6 - 0.2);
  ASSERT_NEAR(other.x[0], x[0], 1e-14);
  const test::Functions a = test::functions_at(own.nlp, x), b = test::functions_at(other.nlp, other.x);
  for (Eigen::Index j = 0; j < a.values.size(); ++j) {
    EXPECT_NEAR(a.values[j], b.values[j], 1e-9 * std::max(1.0, std::abs(b.values[j]))) << j;
    EXPECT_NEAR(a.gradients(j, 0), b.gradients(j, 0), 1e-7 * std::max(1.0, std::abs(b.gradients(j, 0)))) << j;
  }
}

std::string refusal(const std::string& text) {
  return input_error_message([&] { read_problem(TomlDocument::parse(text, "motion.toml", ".")); });
}

TEST(EndOfMotion, RefusesByNameWhatCannotFollowIt) {
  const Case own{"", "floating-frame", "\"generalized-alpha\""};
  const std::string text = text_of(own, "discrete-adjoint");
  EXPECT_EQ(refusal(text), "no InputError");
  const auto expect = [](const std::string& message, const char* key, const char* why) {
    EXPECT_NE(message.find(key), std::string::npos) << message;
    EXPECT_NE(message.find(why), std::string::npos) << message;
  };
  expect(refusal(with(text, "method = \"discrete-adjoint\"", "method = \"continuous-adjoint\" ")),
         "sensitivity.method", "discrete-adjoint");
  expect(refusal(with(with(text, "\"floating-frame\"", "\"hamiltonian\""), "\"generalized-alpha\"",
                      "\"dormand-prince\"")),
         "integrator.method", "runge-kutta-4");
  expect(refusal(text +
                 "[loads.push]\nmarker = \"lower.hand\"\nforce = [{ type = \"harmonic\", amplitude = 1.0, "
                 "frequency = 2.0 }, 0.0, 0.0]\n"),
         "loads.push", "varies in time");
  expect(
      refusal(text +
              "[loads.push]\nmarker = \"lower.hand\"\nforce = [{ type = \"table\", t = [0.0, 0.6], values = "
              "[1.0, 2.0] }, 0.0, 0.0]\n"),
      "loads.push", "times = \"relative\"");
  expect(refusal(text + tables + turning), "variables.turn.quantity", "varies a drive");
  expect(refusal(with(text + tables, "t = [0.0, 0.4, 1.0]", "t = [0.0, 0.3, 0.4]")), "joints.axle.drive.t",
         "from 0, the start of the motion, to 1, its end");
  expect(refusal(with(text, "integrator.t1", "integrator.step")), "quantity", "integrator.t1");
  std::string given = text;
  const std::size_t from = given.find("[variables.t1]");
  given.erase(from, given.find("[[objective]]", from) - from);
  expect(refusal(given), "duration", "integrator.t1");
  expect(refusal(with(text, "lower = 0.2\n", "lower = -0.2\n")), "lower", "0");
}

// Over a motion whose end is given, shares are times.
TEST(RelativeTables, AreTablesOverTheTimesOfTheMotion) {
  const Case own{"", "floating-frame", "\"generalized-alpha\"", false, "natural", true};
  std::string text = text_of(own, "discrete-adjoint");
  for (const auto& [from, to] :
       {std::pair{"[variables.t1]", "[[objective]]"}, {"[constraints.criteria.time]", "[bodies.wheel]"}}) {
    const std::size_t begin = text.find(from);
    text.erase(begin, text.find(to, begin) - begin);
  }
  text = with(text, "[[objective]]\ntype = \"duration\"\nweight = 2.0\n", "") + turning;
  std::string absolute = text;
  for (const auto& [shares, times] : {std::pair{"t = [0.0, 0.4, 1.0]", "t = [0.0, 0.16, 0.4]"},
                                      {"t = [-0.1, 0.5, 1.0]", "t = [-0.04, 0.2, 0.4]"},
                                      {"t = [0.0, 0.3, 1.0]", "t = [0.0, 0.12, 0.4]"},
                                      {"t = [0.0, 0.5, 1.0]", "t = [0.0, 0.2, 0.4]"},
                                      {"t = [0.0, 0.6, 1.0]", "t = [0.0, 0.24, 0.4]"},
                                      {"\"relative\"", "\"absolute\""}})
    absolute = with(absolute, shares, times);
  test::ProgramOfText a(text), b(absolute);
  const test::Functions relative = test::functions_at(a.nlp, a.x), given = test::functions_at(b.nlp, b.x);
  ASSERT_EQ(relative.values.size(), given.values.size());
  EXPECT_LT((relative.values - given.values).norm(), 1e-12 * given.values.norm());
  EXPECT_LT((relative.gradients - given.gradients).norm(), 1e-12 * given.gradients.norm());
}

}  // namespace
}  // namespace kurbel
