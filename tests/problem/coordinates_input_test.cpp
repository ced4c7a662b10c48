// [coordinates]: planar where the mechanism stays in its plane, shared where nobody asks for the reaction.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bad_input.hpp"

namespace kurbel {
namespace {

using testing::HasSubstr;

const std::string crank_in_a_plane = R"(
formulation = "natural-coordinates"
gravity = [0.0, -9.81, 0.0]
coordinates = { planar = true, shared = true }
[bodies.crank]
type = "rigid"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[beams.rod]
start = [0.3, 0.0, 0.2]
end = [1.0, 0.0, 0.2]
section = { shape = "square", side = 0.05 }
youngs_modulus = 1e7
density = 4000.0
[joints.axle]
type = "revolute"
from = "ground"
to = "crank"
[joints.pin]
type = "spherical"
from = "ground"
to = "rod.start"
[integrator]
t1 = 0.1
step = 0.01
[objective]
type = "position"
marker = "rod.end"
time = "integral"
)";

std::string error_in_a_plane(const std::string& override_) {
  return error_of(crank_in_a_plane, {override_});
}

TEST(Coordinates, AreThoseOfAPlaneOnlyWhereTheMechanismStaysInIt) {
  EXPECT_TRUE(read(crank_in_a_plane).system.planar);
  const std::string advice =
      " is not in the plane z = 0, in which coordinates.planar = true has the mechanism move";
  for (const auto& [override_, key] : std::vector<std::pair<std::string, std::string>>{
           {"gravity=[0.0, 0.0, -9.81]", "gravity"},
           {"bodies.crank.initial.rotation=[0.1, 0.0, 0.0]", "bodies.crank.initial.rotation"},
           {"bodies.crank.initial.velocity=[0.1, 0.0, 1.0]", "bodies.crank.initial.velocity"},
           {"bodies.crank.initial.angular_velocity=[0.0, 1.0, 1.0]", "bodies.crank.initial.angular_velocity"},
           {"beams.rod.type=\"spatial\"", "beams.rod.type"},
           {"beams.rod.end=[1.0, 0.0, 0.3]", "beams.rod.end"},
           {"beams.rod.velocity=[0.0, 0.0, 0.3]", "beams.rod.velocity"},
           {"beams.rod.angular_velocity=[1.0, 0.0, 0.3]", "beams.rod.angular_velocity"},
           {"loads.push={marker=\"rod.end\", force=[0.0, 0.0, 1.0]}", "loads.push"},
           {"loads.push={marker=\"crank\", torque=[1.0, 0.0, 0.0]}", "loads.push"},
           {"loads.push={marker=\"crank\", torque=[0.0, 1.0, 0.0]}", "loads.push"}})
    EXPECT_THAT(error_in_a_plane(override_), HasSubstr(key + advice)) << override_;
  EXPECT_THAT(
      error_in_a_plane("variables.up={quantity=\"beams.rod.start\", component=\"z\", lower=0.0, upper=1.0}"),
      HasSubstr("variables.up moves the mechanism out of the plane z = 0"));
  EXPECT_EQ(
      error_in_a_plane("variables.in={quantity=\"beams.rod.start\", component=\"y\", lower=-0.1, upper=0.1}"),
      "no InputError");
}

TEST(Coordinates, AreSharedWhereNobodyAsksForTheReaction) {
  const auto joints_of = [](const std::string& more) { return read(crank_in_a_plane + more).system.joints; };
  for (const JointSpec& joint : joints_of("")) EXPECT_TRUE(joint.shares_coordinates) << joint.name;
  const std::vector<JointSpec> joints =
      joints_of("[outputs.pull]\ntype = \"reaction-force\"\njoint = \"pin\"\n");
  EXPECT_TRUE(joints[0].shares_coordinates);
  EXPECT_FALSE(joints[1].shares_coordinates);
}

TEST(Coordinates, AreChosenInNaturalCoordinatesAlone) {
  EXPECT_THAT(error_in_a_plane("formulation=\"floating-frame\""), HasSubstr("beams.rod.type must be"));
  EXPECT_THAT(error_of("coordinates = { planar = true }\n[bodies.b]\ntype = \"rigid\"\nmass = 1.0\ninertia = "
                       "[1.0, 1.0, 1.0]\n"),
              HasSubstr("coordinates needs formulation = \"natural-coordinates\""));
}

}  // namespace
}  // namespace kurbel
