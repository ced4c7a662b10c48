/// Warnings of steps that leave joints, or hold their positions alone. A four-bar linkage starts 4 mm beside a dead centre, where
/// its coupler turns within microseconds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "run_program.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const char* const beside_a_dead_centre = R"([integrator]
t1 = 0.01
step = 1e-4
[bodies.crank]
type = "rigid"
mass = 0.2
inertia = [1e-3, 1e-3, 1e-3]
initial.rotation = [0.0, 0.0, -0.3]
markers.pin.position = [0.4, 0.0, 0.0]
[bodies.coupler]
type = "rigid"
mass = 0.4
inertia = [1e-2, 1e-2, 1e-2]
initial.position = [0.38213459565, -0.11820808266, 0.0]
initial.rotation = [0.0, 0.0, 0.173]
markers.pin.position = [0.4, 0.0, 0.0]
[ground.markers.anchor]
position = [1.1, 0.0, 0.0]
[joints.shaft]
type = "revolute"
from = "ground"
to = "crank"
drive = { dof = "rz", type = "table", t = [0.0, 0.01], values = [-0.3, 0.05] }
[joints.pin]
type = "revolute"
from = "crank.pin"
to = "coupler"
[joints.rod]
type = "distance"
from = "ground.anchor"
to = "coupler.pin"
)";

/// A crank that turns twice, a rocker of about its length, and a coupler as long as the ground: twice in a turn all links align.
const char* const with_change_points = R"([integrator]
t1 = 2.0
step = 0.02
[bodies.crank]
type = "rigid"
mass = 0.2
inertia = [1e-4, 2e-4, 2e-4]
centre_of_mass = [0.05, 0.0, 0.0]
initial.rotation = [0.0, 0.0, 0.6]
markers.pin.position = [0.1, 0.0, 0.0]
[bodies.coupler]
type = "rigid"
mass = 0.4
inertia = [1e-4, 3e-3, 3e-3]
centre_of_mass = [0.15, 0.0, 0.0]
initial.position = [0.0825335615, 0.0564642473, 0.0]
markers.pin.position = [0.3, 0.0, 0.0]
[bodies.rocker]
type = "rigid"
mass = 0.2
inertia = [1e-4, 2e-4, 2e-4]
centre_of_mass = [0.05, 0.0, 0.0]
initial.position = [0.3, 0.0, 0.0]
initial.rotation = [0.0, 0.0, 0.6]
markers.pin.position = [0.1, 0.0, 0.0]
[ground.markers.anchor]
position = [0.3, 0.0, 0.0]
[joints.shaft]
type = "revolute"
from = "ground"
to = "crank"
drive = { dof = "rz", type = "table", t = [0.0, 2.0], values = [0.6, 13.166370614359172] }
[joints.pin]
type = "revolute"
from = "crank.pin"
to = "coupler"
[joints.rod]
lock = ["tx", "ty"]
from = "coupler.pin"
to = "rocker.pin"
[joints.bearing]
type = "revolute"
from = "ground.anchor"
to = "rocker"
)";

std::string simulated(const std::string& formulation, const std::string& method, double step,
                      const char* linkage = beside_a_dead_centre, double rocker = 0.0) {
  const TemporaryFolder folder;
  write_text_file(folder / "linkage.toml", linkage);
  const test::Outcome o = test::run(
      "simulate " + (folder / "linkage.toml").string() + " --output " + (folder / "run").string() +
      " --set formulation='\"" + formulation + "\"' --set integrator.method='\"" + method +
      "\"' --set integrator.step=" + std::to_string(step) + " --set output.motion=false" +
      (rocker > 0.0 ? " --set bodies.rocker.markers.pin.position=[" + std::to_string(rocker) + ",0.0,0.0]"
                    : ""));
  EXPECT_EQ(o.exit_code, 0) << o.text;
  return o.text;
}

// Kinetic energies of 1e15 J and more, where it is 43 J, with positions that the joints hold to 1e-3 m and less.
TEST(LostJoints, AreToldWhereImplicitStepsHoldPositionsAlone) {
  for (const char* formulation : {"floating-frame", "semi-recursive"}) {
    SCOPED_TRACE(formulation);
    const std::string lost = "warning: the steps hold the positions of joint ";
    EXPECT_THAT(simulated(formulation, "generalized-alpha", 1e-4), HasSubstr(lost));
    const std::string resolved = simulated(formulation, "generalized-alpha", 1e-5);
    EXPECT_THAT(resolved, Not(HasSubstr(lost)));
    EXPECT_THAT(resolved, HasSubstr("kinetic 2499.34, 42.9263"));
  }
}

// The constraints of natural coordinates are those of another system.
TEST(LostJoints, AreSoughtInNaturalCoordinatesAndNotFound) {
  const std::string told = simulated("natural-coordinates", "generalized-alpha", 1e-5);
  EXPECT_THAT(told, Not(HasSubstr("warning")));
  EXPECT_THAT(told, HasSubstr("kinetic 2499.34, 42.9263"));
}

TEST(LostJoints, AreToldWhereExplicitStepsLeaveThem) {
  const std::string left = "warning: explicit steps leave joint rod";
  EXPECT_THAT(simulated("semi-recursive", "runge-kutta-4", 2e-3), HasSubstr(left));
  EXPECT_THAT(simulated("semi-recursive", "runge-kutta-4", 5e-5), Not(HasSubstr(left)));
}

// A rocker that is longer than the crank by a thousandth turns back beside the aligned position, and by long steps it goes on. That of a
// parallelogram goes on.
TEST(LostJoints, AreToldWhereStepsTakeAnotherBranchOfALoop) {
  const char* const told = "warning: the joints do not lead ";
  EXPECT_THAT(simulated("natural-coordinates", "trapezoidal", 0.05, with_change_points, 0.1001),
              AllOf(HasSubstr(told), HasSubstr("from its position at t = 0.8 s to that at 0.9 s")));
  EXPECT_THAT(simulated("natural-coordinates", "trapezoidal", 0.005, with_change_points, 0.1001),
              Not(HasSubstr(told)));
  for (const char* formulation : {"natural-coordinates", "semi-recursive", "floating-frame"}) {
    for (const char* method : {"trapezoidal", "generalized-alpha"}) {
      SCOPED_TRACE(std::string(formulation) + ", " + method);
      EXPECT_THAT(simulated(formulation, method, 0.05, with_change_points), Not(HasSubstr("warning")));
    }
  }
}

}  // namespace
}  // namespace kurbel
