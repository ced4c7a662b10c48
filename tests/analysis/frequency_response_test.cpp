/// Responses to harmonic loads and drives: closed forms in all formulations, reductions, and motions that settle.
#include "analysis/frequency_response.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "beam_text.hpp"
#include "problem/damping.hpp"
#include "response_text.hpp"

namespace kurbel {
namespace {

using test::answer;
using test::Arm;
using test::formulations;
using test::oscillator;
using test::pendulum;
using test::response;
using test::response_range;
using test::shaken_hand;
using test::study_of;
using Complex = std::complex<double>;
using Eigen::Index;

constexpr double pi = EIGEN_PI;

/// The table of the response: frequencies, then amplitude and phase of each number.
MatrixXd response_of(const std::string& text) {
  Study study = study_of(text);
  const ChainResult at = answer(study, study.start());
  return at.motion->tables().at(1).values;
}

Complex number_of(const MatrixXd& table, Index row, Index number) {
  return std::polar(table(row, 1 + 2 * number), table(row, 2 + 2 * number) * pi / 180.0);
}

// Mass, stiffness and damping of the oscillator.
constexpr double m = 2.0, k = 900.0, d = 7.0;

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
      const MatrixXd found = response_of(
          response(formulation,
                   response_range + fmt::format("growth = {}\n", growth) +
                       oscillator("type = \"harmonic\", amplitude = 0.02, phase = 0.3", outputs_of_mass)));
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
    const MatrixXd found =
        response_of(response(formulation, response_range + oscillator("type = \"constant\", value = 0.0",
                                                                      outputs_of_mass + R"([loads.push]
marker = "mass"
force = [{type = "harmonic", amplitude = 4.0, phase = -1.1}, 0.0, -2.0]
)")));
    for (Index row = 0; row < found.rows(); ++row) {
      const Complex s(0.0, 2.0 * pi * found(row, 0)), x = std::polar(4.0, -1.1) / (m * s * s + d * s + k);
      EXPECT_LT(std::abs(number_of(found, row, 0) - x), 1e-9 * std::abs(x)) << formulation;
    }
  }
}

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
    const MatrixXd found =
        response_of(response(formulation, arm.text(response_range + shaken_hand + R"([outputs.hand]
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
    const MatrixXd found =
        response_of(response(formulation, arm.text(response_range + shaken_hand + R"([outputs.shoulder]
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
  Study study =
      study_of(response("floating-frame", arm.text(response_range + shaken_hand + R"([outputs.shoulder]
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
  const MatrixXd found = response_of(response(
      "floating-frame",
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

/// A pendulum without damping at its natural frequency, sqrt(g m c / J) / (2 pi).
TEST(FrequencyResponse, AtResonanceWithoutDampingIsRefused) {
  const double resonance = std::sqrt(2.0 * 9.81 * 0.4 / (0.05 + 2.0 * 0.4 * 0.4)) / (2.0 * pi);
  const std::string push =
      "[loads.push]\nmarker = \"rod\"\ntorque = [0.0, 0.0, {type = \"harmonic\", amplitude = 1.0}]\n";
  Study study = study_of(response(
      "floating-frame",
      pendulum(push + "[frequency_response]\nto = 9.0\nfrom = " + fmt::format("{:.15g}\n", resonance))));
  ChainResult result;
  EXPECT_NE(study.simulate(study.start(), result).message().find("a mode without damping is in resonance"),
            std::string::npos);
  Study beside =
      study_of(response("floating-frame", pendulum(push + "[frequency_response]\nfrom = 0.1\nto = 2.05\n"
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

}  // namespace
}  // namespace kurbel
