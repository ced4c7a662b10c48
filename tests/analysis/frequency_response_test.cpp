/// Responses to harmonic loads and drives: closed forms in all formulations, reductions, motions that settle, gradients.
#include "analysis/frequency_response.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "arm_text.hpp"
#include "beam_text.hpp"
#include "modes_text.hpp"
#include "problem/damping.hpp"
#include "tests/input_error.hpp"
#include "tests/problem/mistake.hpp"

namespace kurbel {
namespace {

using test::answer;
using test::Arm;
using test::formulations;
using test::pendulum;
using test::study_of;
using Complex = std::complex<double>;
using Eigen::Index;

constexpr double pi = EIGEN_PI;

std::string in(const std::string& formulation, const std::string& text) {
  return "analysis = \"frequency-response\"\nformulation = \"" + formulation + "\"\n" + text;
}

const std::string range = "[frequency_response]\nfrom = 0.5\nto = 12.0\npoints = 24\n";

/// The table of the response: frequencies, then amplitude and phase of each number.
MatrixXd response_of(const std::string& text) {
  Study study = study_of(text);
  const ChainResult at = answer(study, study.start());
  return at.motion->tables().at(1).values;
}

Complex number_of(const MatrixXd& table, Index row, Index number) {
  return std::polar(table(row, 1 + 2 * number), table(row, 2 + 2 * number) * pi / 180.0);
}

/// A mass on a spring with a damper to a base, which a drive moves.
constexpr double m = 2.0, k = 900.0, d = 7.0;
std::string oscillator(const std::string& drive, const std::string& more) {
  return R"([bodies.base]
type = "rigid"
mass = 5.0
inertia = [0.1, 0.1, 0.1]
[bodies.base.markers.anchor]
position = [-1.0, 0.0, 0.0]
[bodies.mass]
type = "rigid"
mass = 2.0
inertia = [0.1, 0.1, 0.1]
[joints.table]
lock = ["ty", "tz", "rx", "ry", "rz"]
from = "ground"
to = "base"
drive = {dof = "tx", )" +
         drive + R"(}
[joints.slide]
lock = ["ty", "tz", "rx", "ry", "rz"]
from = "base"
to = "mass"
[springs.coil]
from = "base.anchor"
to = "mass"
stiffness = 900.0
damping = 7.0
free_length = 1.0
)" + more;
}

const std::string outputs_of_mass = R"([outputs.place]
type = "position"
marker = "mass"
axes = ["x"]
[outputs.speed]
type = "velocity"
marker = "mass"
axes = ["x"]
[outputs.acceleration]
type = "acceleration"
marker = "mass"
axes = ["x"]
[outputs.spring]
type = "spring-force"
spring = "coil"
)";

TEST(FrequencyResponse, OfABaseThatShakesIsTheClosedForm) {
  for (const int growth : {0, -2}) {
    for (const char* formulation : formulations) {
      const MatrixXd found =
          response_of(in(formulation, range + fmt::format("growth = {}\n", growth) +
                                          oscillator("type = \"harmonic\", amplitude = 0.02, phase = 0.3",
                                                     outputs_of_mass)));
      for (Index row = 0; row < found.rows(); ++row) {
        const double omega = 2.0 * pi * found(row, 0);
        const Complex s(0.0, omega), base = std::polar(0.02 * std::pow(omega, growth), 0.3),
                                     x = base * (k + d * s) / (m * s * s + d * s + k),
                                     force = (k + d * s) * (x - base);
        const Complex exact[] = {x, s * x, s * s * x, force};
        for (Index j = 0; j < 4; ++j) {
          const double size = std::abs(exact[j]);
          const Complex z = number_of(found, row, j);
          // The sign of a spring's force is a convention.
          const double error = std::abs(z - exact[j]);
          EXPECT_LT(j < 3 ? error : std::min(error, std::abs(z + exact[j])), 1e-9 * size)
              << formulation << " " << j << " at " << found(row, 0) << " Hz";
        }
      }
    }
  }
}

TEST(FrequencyResponse, ToAForceIsTheClosedForm) {
  for (const char* formulation : formulations) {
    const MatrixXd found = response_of(in(
        formulation, range + oscillator("type = \"constant\", value = 0.0", outputs_of_mass + R"([loads.push]
marker = "mass"
force = [{type = "harmonic", amplitude = 4.0, phase = -1.1}, 0.0, -2.0]
)")));
    for (Index row = 0; row < found.rows(); ++row) {
      const Complex s(0.0, 2.0 * pi * found(row, 0)), x = std::polar(4.0, -1.1) / (m * s * s + d * s + k);
      EXPECT_LT(std::abs(number_of(found, row, 0) - x), 1e-9 * std::abs(x)) << formulation;
    }
  }
}

const std::string shaken_hand = R"([loads.shake]
marker = "forearm.hand"
force = [{type = "harmonic", amplitude = 0.7, phase = 0.5}, {type = "harmonic", amplitude = 2.0}, 0.0]
torque = [0.0, 0.0, {type = "harmonic", amplitude = 0.3, phase = 1.2}]
)";

/// z = J (K + s D - omega^2 M)^-1 J^T F
TEST(FrequencyResponse, OfATwoLinkArmUnderGravityIsTheClosedForm) {
  Arm arm;
  arm.d1 = 0.4, arm.d2 = 0.15;
  const double a = arm.q1, b = arm.q1 + arm.q2;
  Eigen::Matrix<double, 3, 2> J;  // of the hand's x, y and turn
  J << -arm.l1 * std::sin(a) - 0.25 * std::sin(b), -0.25 * std::sin(b),
      arm.l1 * std::cos(a) + 0.25 * std::cos(b), 0.25 * std::cos(b), 1.0, 1.0;
  const Eigen::Vector3cd F(std::polar(0.7, 0.5), 2.0, std::polar(0.3, 1.2));
  for (const char* formulation : formulations) {
    const MatrixXd found = response_of(in(formulation, arm.text(range + shaken_hand + R"([outputs.hand]
type = "position"
marker = "forearm.hand"
axes = ["x", "y"]
)")));
    for (Index row = 0; row < found.rows(); ++row) {
      const Complex s(0.0, 2.0 * pi * found(row, 0));
      const Eigen::Matrix2cd P =
          s * s * arm.M() + s * Eigen::Matrix2d(Eigen::Vector2d(arm.d1, arm.d2).asDiagonal()) + arm.K();
      const Eigen::Vector3cd z = J * (P.inverse() * (J.transpose() * F));
      for (Index j = 0; j < 2; ++j)
        EXPECT_LT(std::abs(number_of(found, row, j) - z[j]), 1e-8 * z.norm()) << formulation;
    }
  }
}

/// Joints carry what moves the links, less what the load does by itself: F + R = sum m s^2 z of the centres of mass. Along axes
/// that turn with a link, the weight at rest turns, too: A^T (R - turn x R_0).
TEST(FrequencyResponse, OfReactionsHasTheLoadItself) {
  Arm arm;
  arm.d1 = 0.4, arm.d2 = 0.15;
  const double a = arm.q1, b = arm.q1 + arm.q2;
  Eigen::Matrix2d J1, J2;  // of the centres of mass
  J1 << -arm.c1 * std::sin(a), 0.0, arm.c1 * std::cos(a), 0.0;
  J2 << -arm.l1 * std::sin(a) - arm.c2 * std::sin(b), -arm.c2 * std::sin(b),
      arm.l1 * std::cos(a) + arm.c2 * std::cos(b), arm.c2 * std::cos(b);
  Eigen::Matrix<double, 3, 2> J;  // of the hand's x, y and turn
  J << -arm.l1 * std::sin(a) - 0.25 * std::sin(b), -0.25 * std::sin(b),
      arm.l1 * std::cos(a) + 0.25 * std::cos(b), 0.25 * std::cos(b), 1.0, 1.0;
  const Eigen::Vector3cd F(std::polar(0.7, 0.5), 2.0, std::polar(0.3, 1.2));
  for (const char* formulation : formulations) {
    const MatrixXd found = response_of(in(formulation, arm.text(range + shaken_hand + R"([outputs.shoulder]
type = "reaction-force"
joint = "shoulder"
axes = ["x", "y"]
[outputs.elbow]
type = "reaction-force"
joint = "elbow"
axes = ["x", "y"]
)")));
    for (Index row = 0; row < found.rows(); ++row) {
      const Complex s(0.0, 2.0 * pi * found(row, 0));
      const Eigen::Matrix2cd P =
          s * s * arm.M() + s * Eigen::Matrix2d(Eigen::Vector2d(arm.d1, arm.d2).asDiagonal()) + arm.K();
      const Eigen::Vector2cd q = P.inverse() * (J.transpose() * F),
                             elbow = arm.m2 * s * s * (J2 * q) - F.head<2>(),
                             shoulder = arm.m1 * s * s * (J1 * q) + elbow;
      const auto along = [&](const Eigen::Vector2cd& R, double angle, Complex turn, double weight) {
        return (Eigen::Rotation2Dd(-angle).toRotationMatrix() * (R + Eigen::Vector2cd(turn * weight, 0.0)))
            .eval();
      };
      const Eigen::Vector2cd of_shoulder = along(shoulder, a, q[0], (arm.m1 + arm.m2) * arm.g),
                             of_elbow = along(elbow, b, q.sum(), arm.m2 * arm.g);
      for (Index j = 0; j < 2; ++j) {
        EXPECT_LT(std::abs(number_of(found, row, j) - of_shoulder[j]), 1e-7 * F.norm()) << formulation;
        EXPECT_LT(std::abs(number_of(found, row, 2 + j) - of_elbow[j]), 1e-7 * F.norm()) << formulation;
      }
    }
  }
}

/// Steps in time, which make accelerations and reactions oscillate, are none of a response.
TEST(FrequencyResponse, OfReactionsIsNotWarnedOfSteps) {
  const Arm arm;
  Study study = study_of(in("floating-frame", arm.text(range + shaken_hand + R"([outputs.shoulder]
type = "reaction-force"
joint = "shoulder"
)")));
  EXPECT_EQ(warning_of_oscillation(study.problem()), std::nullopt);
}

/// A clamped beam that its tip pushes: z = Phi (Ke + s De - omega^2 Me)^-1 Phi^T F; and that of slender beams.
TEST(FrequencyResponse, OfAFlexibleBodyIsThatOfItsReduction) {
  const std::string more = R"([frequency_response]
from = 2.0
to = 400.0
points = 30
spacing = "logarithmic"
[joints.wall]
type = "fixed"
from = "ground"
to = "beam"
[loads.push]
marker = "beam.tip"
force = [0.0, {type = "harmonic", amplitude = 3.0}, 0.0]
[outputs.tip]
type = "displacement"
marker = "beam.tip"
axes = ["y"]
)";
  Study study = study_of(test::beam(more, "frequency-response"));
  const ChainResult at = answer(study, study.start());
  const MatrixXd found = at.motion->tables().at(1).values;
  const Sid& sid = at.reduced[0].sid;
  const auto tip = std::ranges::find(sid.frame, "tip", &SidNode::name);
  ASSERT_NE(tip, sid.frame.end());
  const VectorXd phi = tip->phi.M0.row(1);
  const double EI = 7e10 * 0.01 * std::pow(0.02, 3) / 12.0, mass = 2700.0 * 0.02 * 0.01;
  for (Index row = 0; row < found.rows(); ++row) {
    const double omega = 2.0 * pi * found(row, 0);
    const MatrixXd P = sid.Ke.M0 - omega * omega * sid.Me.M0;
    const double exact = 3.0 * phi.dot(P.partialPivLu().solve(phi));
    EXPECT_NEAR(number_of(found, row, 0).real(), exact, 1e-8 * std::abs(exact)) << found(row, 0);
    const double lambda = std::pow(mass * omega * omega / EI, 0.25),
                 slender = 3.0 *
                           (std::cosh(lambda) * std::sin(lambda) - std::sinh(lambda) * std::cos(lambda)) /
                           (EI * std::pow(lambda, 3) * (1.0 + std::cosh(lambda) * std::cos(lambda)));
    if (found(row, 0) < 10.0) {
      EXPECT_NEAR(exact, slender, 2e-3 * std::abs(slender)) << found(row, 0);
    }
  }
}

/// A pendulum on a damped spring that a small torque swings: the last of its periods against the response.
TEST(FrequencyResponse, IsWhereAMotionSettles) {
  const std::string spring = R"([torsion_springs.spring]
from = "ground"
to = "rod"
stiffness = 30.0
damping = 2.0
[initial]
state = "static-equilibrium"
[outputs.angle]
type = "joint-angle"
joint = "bearing"
)";
  const auto push = [](const std::string& frequency) {
    return "[loads.push]\nmarker = \"rod\"\ntorque = [0.0, 0.0, {type = \"harmonic\", amplitude = 1e-3, "
           "phase = "
           "0.4" +
           frequency + "}]\n";
  };
  const MatrixXd found = response_of(
      in("floating-frame",
         pendulum("[frequency_response]\nfrom = 1.0\nto = 2.0\npoints = 2\n" + spring + push(""), -1.2)));
  Study study = study_of(pendulum(spring + push(", frequency = 2.0, fade_in = 0.5") + R"([integrator]
t1 = 6.0
step = 1e-3
rho_inf = 1.0
)",
                                  -1.2));
  const ChainResult at = answer(study, study.start());
  const OutputHistory history = at.motion->outputs(at.trajectory).front();
  constexpr Index n = 500;  // steps of a period
  Complex z = 0.0;
  for (Index j = 0; j < n; ++j) {
    const Index step = 6000 - n + j;
    z += history.values(0, step) * std::polar(2.0 / n, -2.0 * pi * 2.0 * 1e-3 * static_cast<double>(step));
  }
  z *= Complex(0.0, 1.0);  // a sin is Im(a exp)
  const Complex expected = number_of(found, 1, 0);
  EXPECT_LT(std::abs(z - expected), 1e-3 * std::abs(expected));
}

const std::string functions = R"([objective]
type = "position"
marker = "forearm.hand"
amplitude = "p-norm"
exponent = 8.0
[constraints.criteria.smooth]
type = "position"
marker = "forearm.hand"
component = "y"
amplitude = "ks"
exponent = 200.0
upper = 10.0
[constraints.criteria.single]
type = "acceleration"
marker = "forearm.hand"
axes = ["x", "y"]
amplitude = "at-frequency"
frequency = 3.3
upper = 10.0
[constraints.criteria.reaction]
type = "reaction-force"
joint = "shoulder"
amplitude = "at-frequency"
frequency = 1.7
upper = 1000.0
[constraints.criteria.sum]
terms = [
  {type = "joint-angle", joint = "elbow", amplitude = "at-frequency", frequency = 4.0, weight = 3.0},
  {type = "frequency", modes = 1, weight = 0.1},
  {type = "mass", body = "forearm", weight = 0.1}]
upper = 1000.0
)";
const std::string variables = R"([variables.shoulder_stiffness]
quantity = "torsion_springs.shoulder.stiffness"
lower = 1.0
upper = 1000.0
[variables.elbow_damping]
quantity = "torsion_springs.elbow.damping"
lower = 0.01
upper = 10.0
[variables.forearm_mass]
quantity = "bodies.forearm.mass"
lower = 0.1
upper = 10.0
[variables.centre]
quantity = "bodies.forearm.centre_of_mass"
component = "x"
lower = 0.01
upper = 1.0
[variables.elbow]
quantity = "bodies.upper.markers.elbow.position"
component = "x"
lower = 0.1
upper = 1.0
[variables.hand]
quantity = "bodies.forearm.markers.hand.position"
component = "x"
lower = 0.1
upper = 1.0
)";
const std::string few = "[frequency_response]\nfrom = 0.5\nto = 6.0\npoints = 6\n";

TEST(GradientsOfResponses, AreExactInEveryFormulation) {
  Arm arm;
  arm.d1 = 0.4, arm.d2 = 0.15;
  for (const char* formulation : formulations) {
    Study study = study_of(
        in(formulation, arm.text(test::in_equilibrium + few + shaken_hand + functions + variables, 0.02)));
    EXPECT_LT(test::gradient_error(study, study.start(), 3), 1e-7) << formulation;
  }
}

TEST(GradientsOfResponses, ToABaseThatShakesAreExact) {
  for (const char* formulation : formulations) {
    Study study =
        study_of(in(formulation, few + oscillator("type = \"harmonic\", amplitude = 0.02, phase = 0.3",
                                                  R"([objective]
type = "position"
marker = "mass"
component = "x"
amplitude = "p-norm"
exponent = 6.0
[variables.mass]
quantity = "bodies.mass.mass"
lower = 0.1
upper = 10.0
[variables.stiffness]
quantity = "springs.coil.stiffness"
lower = 10.0
upper = 10000.0
[variables.damping]
quantity = "springs.coil.damping"
lower = 0.1
upper = 100.0
)")));
    EXPECT_LT(test::gradient_error(study, study.start(), 3), 1e-7) << formulation;
  }
}

TEST(GradientsOfResponses, AreExactByDensities) {
  Study study = study_of(test::beam(R"([frequency_response]
from = 5.0
to = 60.0
points = 4
[bodies.beam.damping]
beta = 1e-4
[joints.hinge]
type = "revolute"
from = "ground"
to = "beam"
[torsion_springs.spring]
from = "ground"
to = "beam"
stiffness = 300.0
damping = 0.5
[loads.push]
marker = "beam.tip"
force = [0.0, {type = "harmonic", amplitude = 3.0}, 0.0]
[objective]
type = "position"
marker = "beam.tip"
amplitude = "p-norm"
exponent = 6.0
[constraints.criteria.bend]
type = "displacement"
marker = "beam.tip"
component = "y"
amplitude = "at-frequency"
frequency = 20.0
upper = 1.0
[design]
bodies = ["beam"]
)",
                                    "frequency-response"),
                         {"bodies.beam.mesh.divisions=[20, 2]"});
  VectorXd x = test::random_design(study.start().size(), 5);
  x = (0.5 + 0.5 * x.array()).matrix();
  // As of modes: values have rounding of some 1e-8, which shorter steps would show, and longer ones their order.
  EXPECT_LT(test::gradient_error(study, x, 2, 5e-3), 1e-5);
}

/// A pendulum without damping at its natural frequency, sqrt(g m c / J) / (2 pi).
TEST(FrequencyResponse, AtResonanceWithoutDampingIsRefused) {
  const double resonance = std::sqrt(2.0 * 9.81 * 0.4 / (0.05 + 2.0 * 0.4 * 0.4)) / (2.0 * pi);
  const std::string push =
      "[loads.push]\nmarker = \"rod\"\ntorque = [0.0, 0.0, {type = \"harmonic\", amplitude = 1.0}]\n";
  Study study = study_of(in("floating-frame", pendulum(push + "[frequency_response]\nto = 9.0\nfrom = " +
                                                       fmt::format("{:.15g}\n", resonance))));
  ChainResult result;
  EXPECT_NE(study.simulate(study.start(), result).message().find("a mode without damping is in resonance"),
            std::string::npos);
  Study beside = study_of(in("floating-frame", pendulum(push + "[frequency_response]\nfrom = 0.1\nto = 2.05\n"
                                                               "points = 20\n")));
  const ChainResult at = answer(beside, beside.start());
  EXPECT_EQ(at.motion->warnings(at.trajectory).size(), 1u);
}

/// A resonance of 10 Hz in the middle between two frequencies; its width at half power is that of -2 Re s.
TEST(FrequencyResponse, WarnsOfResonancesThatAreNarrowerThanFrequenciesAreApart) {
  const VectorXd frequencies = Eigen::Vector3d(5.0, 9.0, 11.0);  // Hz
  const auto warning = [&](double width) {
    const double real = -pi * width, size = 2.0 * pi * 10.0;
    return narrow_resonances(frequencies,
                             VectorXcd::Constant(1, Complex(real, std::sqrt(size * size - real * real))));
  };
  EXPECT_EQ(warning(2.1), "");
  EXPECT_EQ(warning(1.9),
            "the resonance at 10 Hz is 1.9 Hz wide, and frequencies of the response are 2 Hz apart there: "
            "its peak lies "
            "between them");
}

const std::string good = in("floating-frame", test::Arm().text(range + shaken_hand + R"([objective]
type = "position"
marker = "forearm.hand"
amplitude = "p-norm"
exponent = 8.0
[constraints.criteria.single]
type = "velocity"
marker = "forearm.hand"
amplitude = "at-frequency"
frequency = 3.0
upper = 1.0
)"));

std::string error_of(const std::string& text) {
  return input_error_message([&] { read_problem(TomlDocument::parse(text, "arm.toml", ".")); });
}

class BadResponses : public testing::TestWithParam<Mistake> {};

TEST_P(BadResponses, AreRefusedWithLineKeyAndWhatIsAllowed) {
  const std::string text = changed(GetParam(), good);
  EXPECT_EQ(error_of(text), expected(GetParam(), text, "arm.toml"));
}

const Mistake mistakes[] = {
    {"no_range", "[frequency_response]\nfrom = 0.5\nto = 12.0\npoints = 24\n", "",
     "frequency_response is missing; it must be a table", ""},
    {"order", "to = 12.0", "to = 0.2", "frequency_response.to = 0.2 must be above from"},
    {"points", "points = 24", "points = 1", "frequency_response.points = 1 is outside [2, 10000]"},
    {"from", "from = 0.5", "from = 0.0", "frequency_response.from = 0.0 must be positive"},
    {"spacing", "points = 24", "spacing = \"octaves\"",
     "frequency_response.spacing = \"octaves\" is unknown; allowed: \"linear\", \"logarithmic\""},
    {"growth", "points = 24", "growth = 3", "frequency_response.growth = 3 is outside [-2, 2]"},
    {"amplitude", "amplitude = \"p-norm\"", "amplitude = \"mean\"",
     "objective.amplitude = \"mean\" is unknown; allowed: \"p-norm\", \"ks\", \"at-frequency\""},
    {"rest", "amplitude = \"at-frequency\"\nfrequency = 3.0\n", "",
     "constraints.criteria.single.amplitude is missing; at rest this is zero",
     "[constraints.criteria.single]"},
    {"no_frequency", "frequency = 3.0\n", "",
     "constraints.criteria.single.frequency is missing; it must be a number above 0",
     "[constraints.criteria.single]"},
    {"bound", "upper = 1.0", "upper = -1.0",
     "constraints.criteria.single.upper = -1.0 is below zero, where an amplitude never is"},
    {"form", "exponent = 8.0", "exponent = 8.0\nform = \"magnitude\"",
     "objective.form = \"magnitude\" has no meaning for an amplitude", "form = "},
    {"time", "exponent = 8.0", "exponent = 8.0\ntime = \"mean\"",
     "objective.time = \"mean\" belongs to a motion, analysis = \"motion\"", "time = "},
    {"function", "{type = \"harmonic\", amplitude = 2.0}",
     "{type = \"harmonic\", amplitude = 2.0, frequency = 3.0}",
     "loads.shake.force.1 is a function of time; "
     "with "
     "analysis = \"frequency-response\" it is a number, or of type = \"harmonic\" without a frequency"},
    {"fade_in", "{type = \"harmonic\", amplitude = 2.0}",
     "{type = \"harmonic\", amplitude = 2.0, fade_in = 3.0}",
     "loads.shake.force.1.fade_in = 3.0 needs frequency"},
    {"analysis", "\"frequency-response\"", "\"modes\"",
     "frequency_response = {from = 0.5, to = 12.0, points = 24} needs analysis = \"frequency-response\"",
     "[frequency_response]"},
};
INSTANTIATE_TEST_SUITE_P(Every, BadResponses, testing::ValuesIn(mistakes),
                         [](const auto& info) { return info.param.name; });

/// A hinge that a drive holds does not move; what the drive carries does.
TEST(GradientsOfResponses, AreThereWhereNothingMoves) {
  for (const char* formulation : {"floating-frame", "semi-recursive"}) {
    Study study = study_of(in(formulation, range + R"([bodies.rod]
type = "rigid"
mass = 2.0
inertia = [0.01, 0.05, 0.05]
[bodies.rod.markers.end]
position = [0.4, 0.0, 0.0]
[joints.bearing]
type = "revolute"
from = "ground"
to = "rod"
drive = {dof = "rz", type = "constant", value = 0.2}
[loads.shake]
marker = "rod.end"
force = [0.0, {type = "harmonic", amplitude = 2.0}, 0.0]
[objective]
type = "drive-torque"
joint = "bearing"
amplitude = "at-frequency"
frequency = 3.0
[variables.arm]
quantity = "bodies.rod.markers.end.position"
component = "x"
lower = 0.2
upper = 1.2
)"));
    Evaluation found;
    test::require(study.evaluate(study.start(), found));
    EXPECT_NEAR(found.objective, 0.8 * std::cos(0.2), 1e-8) << formulation;
    EXPECT_NEAR(found.gradient[0], 2.0 * std::cos(0.2), 1e-7) << formulation;
  }
}

TEST(Excitations, BelongToAFrequencyResponse) {
  std::string text = good.substr(good.find('\n') + 1);
  text.erase(text.find(range), range.size());
  text = text.substr(0, text.find("[objective]"));
  EXPECT_NE(error_of(text).find("loads.shake.force.0.frequency is missing; it must be a number above 0"),
            std::string::npos)
      << error_of(text);
  std::string still = good;
  still.erase(still.find(shaken_hand), shaken_hand.size());
  EXPECT_NE(error_of(still).find("a frequency response needs an excitation"), std::string::npos)
      << error_of(still);
}

}  // namespace
}  // namespace kurbel
