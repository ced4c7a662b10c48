/// Gradients of modes of mechanisms: closed forms, differences, and modes that coincide.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/modes_model.hpp"
#include "arm_text.hpp"
#include "beam_text.hpp"
#include "modes_text.hpp"
#include "spatial_text.hpp"

namespace kurbel {
namespace {

using test::answer;
using test::Arm;
using test::beam;
using test::formulations;
using test::in;
using test::in_equilibrium;
using test::pendulum;
using test::study_of;

/// f^2 = m g c / (4 pi^2 (I + m c^2)); what differences along a line leave of exact pull-backs is rounding.
TEST(GradientsOfModes, HaveTheDerivativesOfAPendulum) {
  const double m = 2.0, c = 0.4, I = 0.05, g = 9.81, J = I + m * c * c,
               f = std::sqrt(m * g * c / J) / (2.0 * EIGEN_PI);
  const Eigen::Vector2d exact =
      Eigen::Vector2d(g * c * I, m * g * (I - m * c * c)) / (J * J * 8.0 * EIGEN_PI * EIGEN_PI * f);
  for (const char* formulation : formulations) {
    Study study = study_of(in(formulation, pendulum(in_equilibrium + R"([objective]
type = "frequency"
[variables.mass]
quantity = "bodies.rod.mass"
lower = 0.1
upper = 10.0
[variables.centre]
quantity = "bodies.rod.centre_of_mass"
component = "x"
lower = 0.01
upper = 1.0
)",
                                                    -1.3)));
    ChainResult at = answer(study, study.start());
    std::vector<Design> bars;
    test::require(study.chain().gradients(at, bars));
    const VectorXd gradient = study.space().pullback(study.start(), bars.front());
    // Variables run from 0 to 1 between their bounds.
    EXPECT_NEAR(gradient[0], 9.9 * exact[0], 1e-9 * exact.norm()) << formulation;
    EXPECT_NEAR(gradient[1], 0.99 * exact[1], 1e-9 * exact.norm()) << formulation;
    // The same, as the mechanism estimates it.
    const auto& motion = dynamic_cast<const ModesMotion&>(*at.motion);
    VectorXd y_bar = VectorXd::Zero(motion.mechanism().layout().n_tangent()),
             p_bar = VectorXd::Zero(motion.equations()->parameters().size());
    EXPECT_LT(motion.mechanism().add_derivatives(motion.mechanism().full(motion.modes().modes[0]), 1.0, y_bar,
                                                 p_bar),
              1e-10)
        << formulation;
  }
}

/// Numbers of all kinds, as objective and constraints that count modes and observe the equilibrium.
const std::string functions = R"([objective]
type = "frequency"
modes = 1
weight = -1.0
[constraints.criteria.both]
type = "frequency"
modes = [1, 2]
aggregate = "ks"
exponent = -0.7
lower = 0.1
[constraints.criteria.damping]
type = "damping-ratio"
modes = 2
lower = 0.001
[constraints.criteria.sum]
terms = [
  {type = "damping-ratio", modes = [1, 2], weight = 3.0},
  {type = "mass", body = "forearm", weight = 0.1}]
lower = 0.001
[constraints.criteria.hand]
type = "position"
marker = "forearm.hand"
component = "y"
lower = -1.0
)";

TEST(GradientsOfModes, HaveExactGradientsInEveryFormulation) {
  Arm arm;
  arm.d1 = 0.4, arm.d2 = 0.15;
  for (const char* formulation : formulations) {
    Study study = study_of(in(formulation, arm.text(in_equilibrium + functions + test::arm_variables, 0.02)));
    EXPECT_LT(test::gradient_error(study, study.start(), 3), 1e-7) << formulation;
  }
}

// Vectors of modes are real then, but for rounding.
TEST(GradientsOfModes, HaveExactGradientsWithProportionalDamping) {
  Arm arm;
  arm.g = 0.0, arm.d1 = 0.002 * arm.k1, arm.d2 = 0.002 * arm.k2;
  for (const char* formulation : formulations) {
    Study study = study_of(in(formulation, arm.text(in_equilibrium + functions + test::arm_variables, 0.02)));
    EXPECT_LT(test::gradient_error(study, study.start(), 3), 1e-7) << formulation;
  }
}

TEST(GradientsOfModes, HaveExactGradientsInSpace) {
  for (const char* formulation : formulations) {
    Study study = study_of(in(formulation, test::spatial_links));
    EXPECT_LT(test::gradient_error(study, study.start(), 3), 1e-7) << formulation;
  }
}

TEST(GradientsOfModes, OfAMassAloneNeedNoModes) {
  Study study = study_of(in("floating-frame", R"([bodies.rod]
type = "rigid"
mass = 2.0
inertia = [0.01, 0.05, 0.05]
[joints.bearing]
type = "fixed"
from = "ground"
to = "rod"
[objective]
type = "mass"
body = "rod"
[variables.mass]
quantity = "bodies.rod.mass"
lower = 0.1
upper = 10.0
)"));
  Evaluation at;
  ASSERT_FALSE(study.evaluate(study.start(), at).failed());
  EXPECT_DOUBLE_EQ(at.gradient[0], 9.9) << "of a variable from 0 to 1";
}

TEST(GradientsOfModes, HaveExactGradientsByDensities) {
  const std::string more = R"(gravity = [0.0, -9.81, 0.0]
[bodies.beam.damping]
beta = 1e-4
[bodies.payload]
type = "rigid"
mass = 0.2
inertia = [1e-4, 1e-4, 1e-4]
[bodies.payload.initial]
position = [1.0, 0.0, 0.0]
[joints.hinge]
type = "revolute"
from = "ground"
to = "beam"
[joints.grip]
type = "fixed"
from = "beam.tip"
to = "payload"
[torsion_springs.spring]
from = "ground"
to = "beam"
stiffness = 300.0
[initial]
state = "static-equilibrium"
[objective]
type = "frequency"
modes = [1, 2]
aggregate = "ks"
exponent = -0.1
weight = -1.0
[constraints.criteria.damping]
type = "damping-ratio"
modes = 2
lower = 1e-6
[constraints.criteria.height]
type = "position"
marker = "beam.tip"
component = "y"
lower = -1.0
[design]
bodies = ["beam"]
)";
  std::string text = beam("");
  text = text.substr(0, text.find('\n') + 1) + more.substr(0, more.find('\n') + 1) +
         text.substr(text.find('\n') + 1) + more.substr(more.find('\n') + 1);
  Study study = study_of(text, {"bodies.beam.mesh.divisions=[20, 2]"});
  VectorXd x = test::random_design(study.start().size(), 5);
  x = (0.5 + 0.5 * x.array()).matrix();
  // An equilibrium is found to some 1e-11 m, which shorter steps would show.
  EXPECT_LT(test::gradient_error(study, x, 2, 5e-3), 1e-5);
}

/// A point on a spring that pulls alike along all axes has modes that coincide.
TEST(GradientsOfModes, ThatCoincideHaveGradientsWhereTheyCountEqually) {
  const auto cross = [](const std::string& modes) {
    return in("natural-coordinates", R"([bodies.mass]
type = "point"
mass = 2.0
free = ["x", "y"]
[springs.net]
law = "linear"
from = "ground"
to = "mass"
stiffness = 50.0
[variables.stiffness]
quantity = "springs.net.stiffness"
lower = 1.0
upper = 100.0
[objective]
type = "frequency"
modes = )" + modes + "\n");
  };
  Study both = study_of(cross("[1, 2]"));
  EXPECT_LT(test::gradient_error(both, both.start(), 1), 1e-8);
  Study one = study_of(cross("1"));
  Evaluation at;
  EXPECT_NE(one.evaluate(one.start(), at).message().find("modes 1 and 2 coincide"), std::string::npos);
}

}  // namespace
}  // namespace kurbel
