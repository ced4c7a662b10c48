/// Gradients of responses to harmonic loads and drives: against differences, by numbers of parts and by densities.
#include <gtest/gtest.h>

#include "beam_text.hpp"
#include "response_text.hpp"

namespace kurbel {
namespace {

using test::Arm;
using test::formulations;
using test::response;
using test::response_range;
using test::shaken_hand;
using test::study_of;

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
const std::string variables = test::arm_variables + R"([variables.hand]
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
    Study study = study_of(response(
        formulation, arm.text(test::in_equilibrium + few + shaken_hand + functions + variables, 0.02)));
    EXPECT_LT(test::gradient_error(study, study.start(), 3), 1e-7) << formulation;
  }
}

TEST(GradientsOfResponses, ToABaseThatShakesAreExact) {
  for (const char* formulation : formulations) {
    Study study = study_of(
        response(formulation, few + test::oscillator("type = \"harmonic\", amplitude = 0.02, phase = 0.3",
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
  // Values have rounding of some 1e-8, as those of modes; shorter steps would show it, and longer ones their order.
  EXPECT_LT(test::gradient_error(study, x, 2, 5e-3), 1e-5);
}

/// A hinge that a drive holds does not move; what the drive carries does.
TEST(GradientsOfResponses, AreThereWhereNothingMoves) {
  for (const char* formulation : {"floating-frame", "semi-recursive"}) {
    Study study = study_of(response(formulation, response_range + R"([bodies.rod]
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

}  // namespace
}  // namespace kurbel
