/// Mechanisms that their joints hold more than once, as their user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
using ::testing::HasSubstr;

/// A rigid slider-crank in its plane, and the same with a third revolute joint, which holds it there again.
const std::string balanced = test::input("balanced_crank.toml");
const std::string of_revolutes = R"( --set 'joints.wrist.lock=["tx","ty","tz","rx","ry"]')";
const std::string undriven = R"( --set 'joints.bearing={type="revolute",from="ground",to="crank"}')";
const std::string driven_slider =
    R"( --set 'joints.guide.drive={dof="tx",type="constant-rate",value=0.4,rate=-0.1}')";

/// A slider-crank with a flexible crank.
const std::string flexible =
    test::input("flexible_crank_small.toml") +
    " --set bodies.crank.mesh.divisions=[24,6] --set bodies.crank.regions.bearing.x=[0.19,0.2]"
    " --set integrator.step=1e-2";
const std::string held_in_plane_again = R"( --set 'joints.slider.lock=["ty","tz"]')";

double psi_in(const std::filesystem::path& json) {
  return nlohmann::json::parse(read_text_file(json))["psi"].get<double>();
}

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(Overconstrained, MechanismsAreOptimizedAsWithoutWhatIsRedundantAndTheLogSaysSoOnce) {
  const TemporaryFolder folder;
  const std::string message =
      "redundant constraints are removed: joint wrist (ry), joint guide (rx), joint guide (ry).";
  std::vector<double> psi;
  for (const std::string& joints : {std::string(), of_revolutes}) {
    const Outcome o =
        run("optimize " + balanced + joints + " --set optimizer.stop.iterations=3 --overwrite --output " +
            (folder / "run").string() + " --json " + (folder / "run.json").string());
    ASSERT_EQ(o.exit_code, 0) << o.text;
    const std::size_t expected = joints.empty() ? 0 : 1;
    EXPECT_EQ(count_of(message, o.text), expected) << o.text;
    EXPECT_EQ(count_of(message, read_text_file(folder / "run" / "run.log")), expected);
    EXPECT_TRUE(std::filesystem::exists(folder / "run" / "motion.pvd"));
    psi.push_back(psi_in(folder / "run.json"));
  }
  EXPECT_NEAR(psi[1], psi[0], 1e-8 * psi[0]);
}

TEST(Overconstrained, FlexibleMechanismsHaveGradientsThatAgreeWithDifferences) {
  const TemporaryFolder folder;
  const Outcome o =
      run("gradient " + flexible + held_in_plane_again + " --check 2 --output " + (folder / "run").string());
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, HasSubstr("redundant constraints are removed: joint "));
  EXPECT_THAT(o.text, HasSubstr("the gradient agrees with the differences"));
}

TEST(Overconstrained, MechanismsHaveARigidTwin) {
  const std::string twin =
      R"( --set 'objective={type="position",marker="crank.pin",target="rigid-twin",form="half-square",time="mean"}')";
  const TemporaryFolder folder;
  std::vector<double> psi;
  for (const std::string& joints : {std::string(), held_in_plane_again}) {
    const Outcome o = run("simulate " + flexible + twin + joints + " --overwrite --output " +
                          (folder / "run").string() + " --json " + (folder / "run.json").string());
    ASSERT_EQ(o.exit_code, 0) << o.text;
    psi.push_back(psi_in(folder / "run.json"));
  }
  EXPECT_GT(psi[0], 0.0);
  EXPECT_NEAR(psi[1], psi[0], 1e-8 * psi[0]);
}

TEST(Overconstrained, MechanismsThatNothingDrivesHaveNoRigidTwin) {
  const TemporaryFolder folder;
  const Outcome o =
      run("simulate " + balanced + of_revolutes + undriven +
          R"( --set 'variables={crank_mass={quantity="bodies.crank.mass",lower=0.5,upper=3.0}}')"
          R"( --set 'objective={type="position",marker="rod.end",target="rigid-twin",time="mean"}')"
          " --output " +
          (folder / "run").string());
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr("these leave 1 degree of freedom"));
}

TEST(Overconstrained, StartsInADeadCentreAreRefused) {
  const TemporaryFolder folder;
  const Outcome o =
      run("simulate " + balanced + undriven + driven_slider + " --output " + (folder / "run").string());
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr("balanced_crank.toml:49: joints.pin: singular position (dead centre): at the "
                                "start joint pin (tx) is determined by joint bearing (tx)"));
}

/// Two ball joints, one above the other: a hinge of space, of which the plane needs one.
TEST(Overconstrained, JointsThatSayTheSameInThePlaneAreNamedByWhateverLooks) {
  const TemporaryFolder folder;
  write_text_file(folder / "door.toml", R"(
formulation = "natural-coordinates"
coordinates = { planar = true }
[ground.markers]
low = { position = [0.0, 0.0, 0.0] }
high = { position = [0.0, 0.0, 0.4] }
[bodies.door]
type = "rigid"
mass = 1.0
centre_of_mass = [0.3, 0.0, 0.0]
inertia = [0.1, 0.1, 0.1]
[bodies.door.markers]
high = { position = [0.0, 0.0, 0.4] }
[joints.lower]
type = "spherical"
from = "ground.low"
to = "door"
[joints.upper]
type = "spherical"
from = "ground.high"
to = "door.high"
[integrator]
t1 = 0.1
step = 0.01
)");
  const std::string file = (folder / "door.toml").string();
  for (const std::string& command :
       {"check " + file, "simulate " + file + " --output " + (folder / "run").string()}) {
    const Outcome o = run(command);
    EXPECT_EQ(o.exit_code, 2) << o.text;
    EXPECT_THAT(o.text,
                HasSubstr("door.toml:18: joints.upper: redundant constraints: joint upper (tx), joint upper "
                          "(ty) are already determined by joint lower (tx), joint lower (ty)"));
  }
}

// The rocker stands where no coupler reaches it: that is said first, and behind it that joints hold the plane twice.
TEST(Overconstrained, MechanismThatIsFarFromAssembledSaysByHowMuch) {
  const TemporaryFolder folder;
  write_text_file(folder / "four_bar.toml", R"(
[bodies.crank]
type = "rigid"
mass = 0.3
centre_of_mass = [0.025, 0.0, 0.0]
inertia = [1e-5, 1e-4, 1e-4]
markers.tip.position = [0.05, 0.0, 0.0]
[bodies.coupler]
type = "rigid"
mass = 0.1
inertia = [1e-5, 1e-4, 1e-4]
centre_of_mass = [0.06, 0.0, 0.0]
markers.pin.position = [0.12, 0.0, 0.0]
initial.position = [0.05, 0.0, 0.0]
[bodies.rocker]
type = "rigid"
mass = 0.4
centre_of_mass = [0.05, 0.0, 0.0]
inertia = [1e-5, 4e-4, 4e-4]
markers.end.position = [0.1, 0.0, 0.0]
initial.position = [0.14, 0.0, 0.0]
initial.rotation = [0.0, 0.0, 1.2]
[ground.markers.pivot]
position = [0.14, 0.0, 0.0]
[joints]
shaft = { type = "revolute", from = "ground", to = "crank", drive = { dof = "rz", type = "constant-rate", rate = 60.0 } }
pin = { type = "revolute", from = "crank.tip", to = "coupler" }
bearing = { type = "revolute", from = "coupler.pin", to = "rocker.end" }
pivot = { type = "revolute", from = "ground.pivot", to = "rocker" }
[integrator]
t1 = 0.4
step = 1e-3
)");
  const Outcome o = run("check " + (folder / "four_bar.toml").string());
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text,
              HasSubstr(": joints.bearing: the positions given miss joint bearing (tx) by 0.089 m or rad. "
                        "Correct its markers, or position and rotation in [bodies.*.initial]; if these"));
}

// The start of the tool is found from the arm: from its own axes, which are more than a right angle away, it would be half a turn off.
TEST(Overconstrained, BodiesWithoutAStatedRotationFollowTheirFixedJoints) {
  const TemporaryFolder folder;
  write_text_file(folder / "tool.toml", R"(
gravity = [0.0, -9.81, 0.0]
[bodies.arm]
type = "rigid"
mass = 1.0
centre_of_mass = [0.2, 0.0, 0.0]
inertia = [0.01, 0.02, 0.02]
markers.tip.position = [0.4, 0.0, 0.0]
initial = { rotation = [0.0, 0.0, 2.6] }
[bodies.tool]
type = "rigid"
mass = 0.5
centre_of_mass = [0.1, 0.05, 0.0]
inertia = [0.001, 0.002, 0.002]
[joints.shoulder]
type = "revolute"
from = "ground"
to = "arm"
[joints.seat]
type = "fixed"
from = "arm.tip"
to = "tool"
[integrator]
t1 = 0.1
step = 1e-3
[objective]
type = "position"
marker = "tool"
axes = ["y"]
time = "final"
)");
  const auto psi = [&](const std::string& settings) {
    const Outcome o = run("simulate " + (folder / "tool.toml").string() + settings + " --output " +
                          (folder / "run").string() + " --json " + (folder / "psi.json").string());
    EXPECT_EQ(o.exit_code, 0) << o.text;
    return nlohmann::json::parse(read_text_file(folder / "psi.json"))["psi"].get<double>();
  };
  for (const char* formulation : {"floating-frame", "semi-recursive", "natural-coordinates"}) {
    const std::string chosen = std::string(" --set 'formulation=\"") + formulation + "\"'";
    EXPECT_NEAR(psi(chosen), psi(chosen + " --set bodies.tool.initial.rotation=[0.0,0.0,2.6]"), 1e-9)
        << formulation;
  }
}

TEST(Overconstrained, StartsThatLeadToJointsHalfATurnOffAreRefused) {
  const TemporaryFolder folder;
  write_text_file(folder / "turned.toml", R"(
[bodies.arm]
type = "rigid"
mass = 1.0
centre_of_mass = [0.2, 0.0, 0.0]
inertia = [0.01, 0.02, 0.02]
initial = { rotation = [2.9, 0.0, 0.0] }
[joints.hold]
type = "fixed"
from = "ground"
to = "arm"
[integrator]
t1 = 0.1
step = 1e-2
)");
  for (const char* joint : {"", " --set 'joints.hold.type=\"revolute\"'"}) {
    for (const char* formulation : {"floating-frame", "semi-recursive", "natural-coordinates"}) {
      const Outcome o =
          run("simulate " + (folder / "turned.toml").string() + joint + " --set 'formulation=\"" +
              formulation + "\"' --output " + (folder / "run").string());
      EXPECT_EQ(o.exit_code, 2) << o.text;
      EXPECT_THAT(o.text, HasSubstr("joints.hold: its frames point in opposite directions"));
    }
  }
}

TEST(Overconstrained, StartsThatCannotBeAssembledNameTheJointThatTheyMissMost) {
  const TemporaryFolder folder;
  write_text_file(folder / "short.toml", R"(
[bodies.arm]
type = "rigid"
mass = 1.0
centre_of_mass = [0.2, 0.0, 0.0]
inertia = [0.01, 0.02, 0.02]
markers.tip.position = [0.4, 0.0, 0.0]
[ground.markers.rail]
position = [0.0, 0.5, 0.0]
[joints.hinge]
type = "revolute"
from = "ground"
to = "arm"
[joints.guide]
lock = ["ty"]
from = "arm.tip"
to = "ground.rail"
[integrator]
t1 = 0.1
step = 1e-2
)");
  const std::string simulate = "simulate " + (folder / "short.toml").string();
  const Outcome o = run(simulate + " --output " + (folder / "run").string());
  EXPECT_EQ(o.exit_code, 3) << o.text;
  EXPECT_THAT(o.text, HasSubstr("those given miss joint guide (ty) by 0.5"));
  EXPECT_THAT(o.text, HasSubstr("correct the markers of this joint"));
}

TEST(Overconstrained, MotionsThatNeedWhatWasSetAsideNameItAndTheTime) {
  const TemporaryFolder folder;
  const Outcome o = run("simulate " + balanced + driven_slider + " --output " + (folder / "run").string());
  EXPECT_EQ(o.exit_code, 3) << o.text;
  EXPECT_THAT(o.text, HasSubstr("removed as redundant is violated by"));
  EXPECT_THAT(o.text, HasSubstr("in joint guide (tx), at t = 0.006 s"));
}

/// What lies on the joints out of the plane depends on which rows are removed, and these on the lengths.
TEST(Overconstrained, RunsGoOnWithTheRowsThatWereSetAsideWhenTheyBegan) {
  const TemporaryFolder folder;
  const auto in_folder = [&](const char* name) { return (folder / name).string(); };
  write_text_file(folder / "lying.toml", R"(
gravity = [0.0, 0.0, -9.81]
[bodies.crank]
type = "rigid"
mass = 1.0
centre_of_mass = [0.05, 0.0, 0.0]
inertia = [1e-4, 1e-3, 1e-3]
markers.pin.position = [0.18, 0.0, 0.0]
[bodies.rod]
type = "rigid"
mass = 1.0
centre_of_mass = [0.15, 0.0, 0.0]
inertia = [1e-4, 8e-3, 8e-3]
markers.end.position = [0.2, 0.0, 0.0]
initial = { position = [0.18, 0.0, 0.0] }
[bodies.slider]
type = "rigid"
mass = 0.5
inertia = [1e-3, 1e-3, 1e-3]
initial = { position = [0.38, 0.0, 0.0] }
[joints.bearing]
type = "revolute"
from = "ground"
to = "crank"
drive = { dof = "rz", type = "constant-rate", rate = 20.0, value = 0.3 }
[joints.pin]
type = "revolute"
from = "crank.pin"
to = "rod"
[joints.wrist]
type = "revolute"
from = "rod.end"
to = "slider"
[joints.guide]
lock = ["ty", "tz", "rx", "ry", "rz"]
from = "ground"
to = "slider"
[integrator]
t1 = 0.05
step = 1e-3
[objective]
type = "reaction-moment"
joint = "bearing"
component = "y"
time = "p-norm"
exponent = 2
[variables.length]
quantity = "bodies.crank.markers.pin.position"
component = "x"
lower = 0.02
upper = 0.18
[optimizer]
method = "ccsa"
)");
  const std::string lying = in_folder("lying.toml");
  const auto optimize = [&](const std::string& what, const std::string& iterations) {
    const Outcome o = run("optimize " + what + " --set optimizer.stop.iterations=" + iterations);
    ASSERT_EQ(o.exit_code, 0) << o.text;
  };
  optimize(lying + " --output " + in_folder("whole"), "3");
  optimize(lying + " --output " + in_folder("parts"), "1");
  // Where the run goes on from, other rows would be removed.
  const auto redundant = [&](const std::string& options) {
    const Outcome o = run("simulate " + lying + options + " --output " + in_folder("s"));
    const std::size_t at = o.text.find("are removed: ");
    return o.text.substr(at, o.text.find('.', at) - at);
  };
  EXPECT_NE(redundant(" --variables " + in_folder("parts/variables.csv")), redundant(""));
  optimize("--resume " + in_folder("parts"), "3");
  EXPECT_EQ(read_text_file(folder / "parts/history.csv"), read_text_file(folder / "whole/history.csv"));
}

}  // namespace
}  // namespace kurbel
