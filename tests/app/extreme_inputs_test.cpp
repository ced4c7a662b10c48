/// Inputs that a reader takes and a motion cannot stand: no crash, no number in a file that is none, and a message that
/// names what is at fault.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::Outcome;
using test::run;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ExtremeInput : public testing::Test {
 protected:
  Outcome run_text(const std::string& command, const std::string& text, const std::string& options = "") {
    write_text_file(folder_ / "input.toml", text);
    const std::string file = (folder_ / "input.toml").string();
    return run(command + " " + file + options + output(command));
  }
  Outcome run_shipped(const std::string& command, const std::string& name, const std::string& options) {
    return run(command + " " + test::input(name) + options + output(command));
  }
  std::filesystem::path results() const { return folder_ / "run"; }
  nlohmann::json numbers() const { return nlohmann::json::parse(read_text_file(folder_ / "numbers.json")); }

 private:
  std::string output(const std::string& command) const {
    const std::string json = " --json " + (folder_ / "numbers.json").string();
    return command == "check" ? json : json + " --overwrite --output " + results().string();
  }
  TemporaryFolder folder_;
};

const std::string short_motion = R"(
[integrator]
t1 = 0.01
step = 0.001
)";

const std::string fixed_body = R"(
[bodies.b]
type = "rigid"
mass = 1.0
inertia = [1, 1, 1]
[joints.j]
type = "fixed"
from = "ground"
to = "b"
)" + short_motion;

TEST_F(ExtremeInput, CasesOfAMechanismWithoutJointCoordinatesAreSimulated) {
  const Outcome o = run_text(
      "simulate", "formulation = \"semi-recursive\"\n" + fixed_body + "[cases.a]\ngravity = [0, 0, -9.81]\n");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, HasSubstr("10 steps"));
}

const std::string held_point = R"(
formulation = "natural-coordinates"
[bodies.p]
type = "point"
initial.position = [0.0, 0.0, 1.0]
free = []
[objective]
type = "kinetic-energy"
time = "final"
)" + short_motion;

TEST_F(ExtremeInput, AMechanismWithoutAFreeCoordinateTakesEveryMethod) {
  for (const char* method : {"trapezoidal", "implicit-euler", "variational-midpoint", "generalized-alpha"}) {
    const std::string options = std::string(" --set 'integrator.method=\"") + method + "\"'";
    for (const char* command : {"check", "simulate"}) {
      const Outcome o = run_text(command, held_point, options);
      EXPECT_EQ(o.exit_code, 0) << method << o.text;
    }
  }
}

TEST_F(ExtremeInput, AGradientOverTimeOfCasesIsRefused) {
  const std::string free_body = R"(
[bodies.b]
type = "rigid"
mass = 1.0
inertia = [1, 1, 1]
[objective]
type = "kinetic-energy"
time = "final"
[variables.m]
quantity = "bodies.b.mass"
lower = 0.5
upper = 2.0
[cases.a]
weight = 2.0
)" + short_motion;
  const Outcome o = run_text("gradient", free_body, " --over-time");
  EXPECT_EQ(o.exit_code, 2);
  EXPECT_THAT(o.text, HasSubstr("cases: --over-time follows one motion"));
  EXPECT_FALSE(std::filesystem::exists(results()));
}

/// A pendulum whose spring has no length at the start.
const std::string sprung_pendulum = R"(
gravity = [0, -9.81, 0]
[bodies.b]
type = "rigid"
mass = 1.0
inertia = [1, 1, 1]
centre_of_mass = [0.2, 0, 0]
markers.e.position = [0.3, 0, 0]
[ground.markers.g]
position = [0.3, 0, 0]
[joints.j]
type = "revolute"
from = "ground"
to = "b"
[springs.s]
from = "ground.g"
to = "b.e"
stiffness = 100
free_length = 0.1
damping = 1
[outputs.way]
type = "position"
marker = "b.e"
[outputs.length]
type = "spring-length"
spring = "s"
[objective]
type = "output"
output = "way"
form = "half-square"
time = "integral"
[variables.k]
quantity = "springs.s.stiffness"
lower = 50
upper = 200
)" + short_motion;

const char* const formulations[] = {"floating-frame", "semi-recursive", "natural-coordinates"};

std::string in(const std::string& formulation) {
  return " --set 'formulation=\"" + formulation + "\"'";
}

TEST_F(ExtremeInput, ASpringWithoutLengthAtTheStartIsNamed) {
  const auto is_named = AllOf(
      HasSubstr(
          "input.toml:15: springs.s: its ends coincide at the start, so that its force has no direction; "),
      HasSubstr("or give free_length = 0"));
  for (const char* formulation : formulations) {
    for (const char* command : {"check", "simulate", "gradient"}) {
      const Outcome o = run_text(command, sprung_pendulum, in(formulation));
      EXPECT_EQ(o.exit_code, 2) << formulation << command;
      EXPECT_THAT(o.text, is_named);
    }
  }
  const Outcome of_case = run_text("simulate", sprung_pendulum + "[cases.a]\nweight = 2.0\n");
  EXPECT_EQ(of_case.exit_code, 2);
  EXPECT_THAT(of_case.text, is_named);
}

TEST_F(ExtremeInput, ASpringWithoutLengthAndWithoutFreeLengthHasNoForce) {
  for (const char* formulation : formulations) {
    const Outcome o =
        run_text("gradient", sprung_pendulum, in(formulation) + " --set springs.s.free_length=0.0 --check 1");
    EXPECT_EQ(o.exit_code, 0) << formulation << o.text;
    // Gravity alone turns the body to begin with: the arm moves by 0.3 m cos, J + m s^2 = 1.04.
    const double angle = 9.81 * 0.2 / 1.04 * 0.5 * 1e-4;
    EXPECT_NEAR(numbers()["psi"].get<double>(), 0.5 * 0.01 * 0.09, 0.09 * angle * 0.01);
  }
}

// Their force is the vector between their ends times a number, and zero where the ends coincide.
TEST_F(ExtremeInput, ASpringWithoutLengthOfALawThatNeedsNoDirectionPullsNothing) {
  for (const std::string& law :
       {std::string("law = \"linear\""), std::string("law = \"green-lagrange\"\nfree_length = 0.1")}) {
    std::string text = sprung_pendulum;
    text.replace(text.find("free_length = 0.1"), 17, law);
    for (const char* formulation : formulations) {
      const Outcome o = run_text("gradient", text, in(formulation) + " --check 1");
      EXPECT_EQ(o.exit_code, 0) << formulation << law << o.text;
      const double angle = 9.81 * 0.2 / 1.04 * 0.5 * 1e-4;
      EXPECT_NEAR(numbers()["psi"].get<double>(), 0.5 * 0.01 * 0.09, 0.09 * angle * 0.01);
    }
  }
}

const std::string points_in_one_place = R"(
formulation = "natural-coordinates"
[bodies.m]
type = "point"
mass = 1.0
initial.position = [1, 0, 0]
[bodies.h]
type = "point"
free = []
initial.position = [1, 0, 0]
[springs.s]
from = "h"
to = "m"
stiffness = 100
free_length = 0.1
[outputs.force]
type = "spring-force"
spring = "s"
)" + short_motion;

TEST_F(ExtremeInput, ASpringWithoutLengthBetweenPointsIsNamed) {
  for (const char* command : {"check", "simulate"}) {
    const Outcome o = run_text(command, points_in_one_place, " --set 'integrator.method=\"trapezoidal\"'");
    EXPECT_EQ(o.exit_code, 2) << command;
    EXPECT_THAT(o.text, AllOf(HasSubstr("springs.s: its ends coincide at the start"),
                              HasSubstr("or give free_length = 0")));
  }
}

TEST_F(ExtremeInput, AForceBetweenTwoPlacesThatCoincideIsNamed) {
  std::string text = sprung_pendulum;
  text.replace(text.find("[springs.s]"), text.find("[outputs.way]") - text.find("[springs.s]"),
               "[controls.f]\ntype = \"force\"\nfrom = \"ground.g\"\nto = \"b.e\"\nnodes = 3\nlower = "
               "-1\nupper = 1\n");
  text.erase(text.find("[outputs.length]"), text.find("[objective]") - text.find("[outputs.length]"));
  text.erase(text.find("[variables.k]"), text.find("[integrator]") - text.find("[variables.k]"));
  for (const char* formulation : formulations) {
    const Outcome o = run_text("gradient", text, in(formulation));
    EXPECT_EQ(o.exit_code, 2) << formulation;
    EXPECT_THAT(o.text,
                HasSubstr("controls.f: its ends coincide at the start, so that its force has no direction; "
                          "place them apart\n"));
  }
}

const std::string fast_body = R"(
[bodies.b]
type = "rigid"
mass = 1.0
inertia = [1, 1, 1]
initial.velocity = [1e307, 0, 0]
[integrator]
t1 = 40.0
step = 1.0
)";

// 18 s at 1e307 m/s end beyond the largest number.
TEST_F(ExtremeInput, AStateThatIsNotFiniteEndsTheMotionWithTimeAndBody) {
  for (const char* command : {"check", "simulate"}) {
    const Outcome o = run_text(command, fast_body);
    EXPECT_EQ(o.exit_code, 3) << command;
    EXPECT_THAT(o.text, HasSubstr("error: the state is not a finite number, in body b, at t = 18 s; check"));
  }
}

TEST_F(ExtremeInput, AnObservableThatIsNotFiniteEndsTheMotionBeforeItIsWritten) {
  const Outcome at_start =
      run_shipped("simulate", "spring_pendulum.toml", " --set springs.spring.free_length=1e300");
  EXPECT_EQ(at_start.exit_code, 3);
  EXPECT_THAT(at_start.text,
              HasSubstr("an observable is not a finite number, in energy.potential, at t = 0 s"));
  EXPECT_FALSE(std::filesystem::exists(results()));

  // Its energy is beyond the largest number from 1.34e154 m/s on.
  const std::string falling = R"(
gravity = [1e153, 0, 0]
[bodies.b]
type = "rigid"
mass = 1.0
inertia = [1, 1, 1]
[integrator]
t1 = 40.0
step = 1.0
)";
  const Outcome later = run_text("simulate", falling);
  EXPECT_EQ(later.exit_code, 3);
  EXPECT_THAT(later.text, HasSubstr("an observable is not a finite number, in energy."));
  EXPECT_THAT(later.text, HasSubstr("the motion up to there is in " + results().string()));
  const std::string table = read_text_file(results() / "histories.csv");
  EXPECT_THAT(table, AllOf(Not(HasSubstr("inf")), Not(HasSubstr("nan"))));
  EXPECT_THAT(later.text, Not(HasSubstr("40 steps")));
}

TEST_F(ExtremeInput, AGradientThatIsNotFiniteIsAFailure) {
  const std::string stiff = " --set springs.side.stiffness=1e300 --set integrator.t1=0.01";
  const Outcome o = run_shipped("gradient", "five_bar.toml", stiff);
  EXPECT_EQ(o.exit_code, 3) << o.text;
  EXPECT_THAT(o.text, HasSubstr("the derivative of psi is not a finite number, in side_length, at t = "));
  EXPECT_FALSE(std::filesystem::exists(results()));
  const Outcome of_cases = run_shipped("gradient", "five_bar.toml",
                                       stiff + " --set 'cases={light={gravity=[0.0,-1.0,0.0]},heavy={}}'");
  EXPECT_EQ(of_cases.exit_code, 3) << of_cases.text;
  EXPECT_THAT(of_cases.text, HasSubstr("is not a finite number, in side_length, at t = "));
  const Outcome optimum = run_shipped("optimize", "five_bar.toml", stiff);
  EXPECT_EQ(optimum.exit_code, 3) << optimum.text;
  EXPECT_THAT(optimum.text, HasSubstr("is not a finite number, in side_length"));
}

TEST_F(ExtremeInput, MoreNodesThanTheMemoryHoldsAreRefusedByTheirKey) {
  const std::string many = " --set controls.force.nodes=100000";
  const Outcome spline = run_shipped("simulate", "cart_least_energy.toml", many);
  EXPECT_EQ(spline.exit_code, 2);
  EXPECT_THAT(spline.text,
              HasSubstr("controls.force.nodes = 100000 are too many: the spline through them takes"));
  const Outcome energy = run_shipped("simulate", "cart_least_energy.toml",
                                     many + " --set 'controls.force.interpolation=\"linear\"'");
  EXPECT_EQ(energy.exit_code, 2);
  EXPECT_THAT(energy.text, HasSubstr("controls.force.nodes = 100000 makes a full matrix of the energy"));
}

/// A rod from the ground to a pivot on the ground.
const std::string rod_on_pivot = R"(
gravity = [0.0, -9.81, 0.0]
[bodies.b]
type = "rigid"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
centre_of_mass = [0.2, 0.0, 0.0]
[ground.markers.g]
position = [0.3, 0.2, 0.1]
[joints.j]
type = "revolute"
from = "ground"
to = "b"
[joints.rod]
type = "distance"
from = "ground.g"
to = "b"
[objective]
type = "kinetic-energy"
time = "final"
)" + short_motion;

TEST_F(ExtremeInput, ARedundantRodIsSetAsideInEveryFormulation) {
  for (const char* formulation : formulations) {
    ASSERT_EQ(run_text("check", rod_on_pivot, in(formulation)).exit_code, 0) << formulation;
    EXPECT_EQ(numbers()["redundant"], 1) << formulation;
    EXPECT_EQ(numbers()["degrees_of_freedom"], 1) << formulation;
    const Outcome o = run_text("simulate", rod_on_pivot, in(formulation));
    ASSERT_EQ(o.exit_code, 0) << o.text;
    EXPECT_THAT(o.text, HasSubstr("redundant constraints are removed: joint rod (distance)"));
    // m g s = 1.962 N m on 0.14 kg m^2: omega = 0.14 rad/s after 0.01 s.
    EXPECT_NEAR(numbers()["psi"].get<double>(), 0.5 * std::pow(1.962 * 0.01, 2) / 0.14, 1e-8);
  }
}

/// Whose modulus may vary over seven decades.
const std::string bending_beam = R"(
formulation = "natural-coordinates"
gravity = [0.0, -9.81, 0.0]
[beams.b]
type = "planar"
elements = 1
start = [0.0, 0.0, 0.0]
direction = [1.0, 0.0, 0.0]
length = 1.0
section.shape = "rectangle"
section.width = 0.05
section.height = 0.01
youngs_modulus = 1e8
poisson_ratio = 0.3
density = 1000.0
[joints.j]
type = "fixed"
from = "ground"
to = "b.start"
[integrator]
method = "trapezoidal"
t1 = 0.02
step = 0.0005
[objective]
type = "velocity"
marker = "b.end"
component = "y"
time = "final"
[variables.E]
quantity = "beams.b.youngs_modulus"
lower = 1e5
upper = 1e12
)";

TEST_F(ExtremeInput, ARightGradientAgreesWhereBoundsSpanDecades) {
  const Outcome o = run_text("gradient", bending_beam, " --check 1");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, HasSubstr("the gradient agrees with the differences"));
}

/// A wheel that turns by 0.2 rad in a step, against a spring too weak to hold it.
const std::string winding_spring = R"(
[bodies.wheel]
type = "rigid"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
initial = { angular_velocity = [0.0, 0.0, 20.0] }
[joints.axle]
type = "revolute"
from = "ground"
to = "wheel"
[torsion_springs.spring]
from = "ground"
to = "wheel"
stiffness = 0.1
free_angle = 0.5
[integrator]
t1 = 1.0
step = 0.01
)";

TEST_F(ExtremeInput, ATorsionSpringThatPassesHalfATurnEndsTheMotionWithItsTime) {
  for (const auto& [formulation, method] :
       {std::pair{"floating-frame", "generalized-alpha"}, std::pair{"semi-recursive", "trapezoidal"},
        std::pair{"hamiltonian", "dormand-prince"},
        std::pair{"natural-coordinates", "variational-midpoint"}}) {
    SCOPED_TRACE(formulation);
    const Outcome o =
        run_text("simulate", winding_spring,
                 std::string(" --set formulation=") + formulation + " --set integrator.method=" + method);
    EXPECT_EQ(o.exit_code, 3) << o.text;
    // 3.64 rad at 20 rad/s
    EXPECT_THAT(
        o.text,
        HasSubstr("the torsion spring spring passes half a turn from its free angle, where its torque "
                  "jumps, at t = 0.19 s"));
    EXPECT_TRUE(std::filesystem::exists(results() / "histories.csv"));
  }
}

TEST_F(ExtremeInput, ADamperThatTurnsOnHasNoTorqueThatJumps) {
  const Outcome o = run_text("simulate", winding_spring, " --set torsion_springs.spring.stiffness=0");
  EXPECT_EQ(o.exit_code, 0) << o.text;
}

}  // namespace
}  // namespace kurbel
