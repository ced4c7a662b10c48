/// Loads on surfaces, and loads over the angle of a joint.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "problem/problem.hpp"
#include "tests/problem/bad_input.hpp"
#include "tests/problem/crank_text.hpp"

namespace kurbel {
namespace {

using testing::HasSubstr;

const char* const pressure =
    "loads.oil={ type = \"pressure\", body = \"crank\", place = { y = 0.02 }, pressure = \"2 bar\" }";
const char* const over_angle =
    "loads.push.force=[{ type = \"table\", joint = \"bearing\", angle = \"[0, 180, 720] deg\", values = "
    "\"[0, 1, 0] kN\", "
    "beyond = \"repeat\", interpolation = \"linear\" }, 0.0, 0.0]";

Problem loaded_crank(std::vector<std::string> overrides) {
  overrides.emplace_back("bodies.crank.initial={}");  // its elastic coordinates are those without the load
  return read_problem(TomlDocument::parse(crank_text, "crank.toml", ".", overrides));
}

TEST(SurfaceLoadInput, OfPressureIsAForceAtAMarkerWithAnAttachmentMode) {
  const Problem problem = loaded_crank({pressure});
  const fem::FlexibleBodySpec& body = problem.bodies.front().flexible;
  ASSERT_EQ(body.combined_loads.size(), 1u);
  EXPECT_EQ(body.combined_loads[0].name, "load oil");
  EXPECT_EQ(body.markers.back().name, "oil(-y)");
  const MarkerLoadSpec& load = problem.system.loads.back();
  EXPECT_EQ(load.marker, (MarkerRef{"crank", "oil(-y)"}));
  EXPECT_EQ(load.frame, MarkerLoadSpec::Frame::body);
  EXPECT_NEAR(load.force[1]->at(0.0).value, -2e5 * 0.2 * 0.01, 1e-10);
  const Problem without = loaded_crank({pressure, "bodies.crank.modes.attachment=false"});
  EXPECT_TRUE(without.bodies.front().flexible.combined_loads.empty());
}

/// Then its attachment modes have the answer already.
TEST(SurfaceLoadInput, OnTheSurfaceOfAMarkerActsAtIt) {
  const Problem problem = loaded_crank(
      {"loads.oil={ type = \"pressure\", body = \"crank\", place = { x = 0.2 }, pressure = 1e5 }",
       "bodies.crank.markers.pin.weights=area"});
  EXPECT_TRUE(problem.bodies.front().flexible.combined_loads.empty());
  EXPECT_EQ(problem.system.loads.back().marker, (MarkerRef{"crank", "pin"}));
  EXPECT_NEAR(problem.system.loads.back().force[0]->at(0.0).value, -1e5 * 0.04 * 0.01, 1e-10);
}

/// The nodes move as a rigid body, so that force and moment at their marker are the whole load.
TEST(SurfaceLoadInput, OnARigidTieActsAtItsMarker) {
  const Problem problem = loaded_crank(
      {"loads.oil={ type = \"pressure\", body = \"crank\", place = { y = 0.02, x = [0.1, 0.2] }, "
       "pressure = 1e5 }",
       "bodies.crank.markers.lid={ y = 0.02, x = [0.06, 0.18], tie = \"rigid\" }",
       "loads.gas={ type = \"pressure\", body = \"crank\", place = { y = 0.02, x = [0.08, 0.12] }, "
       "pressure = 1e5 }"});
  const MarkerLoadSpec& load = problem.system.loads.back();
  EXPECT_EQ(load.marker, (MarkerRef{"crank", "lid"}));
  EXPECT_NEAR(load.force[1]->at(0.0).value, -1e5 * 0.04 * 0.01, 1e-10);
  EXPECT_NEAR(load.torque[2]->at(0.0).value, 1e5 * 0.04 * 0.01 * 0.02,
              1e-10);  // 0.02 m beside the mean, x = 0.12
  EXPECT_EQ(load.force[0], nullptr);
  EXPECT_EQ(problem.bodies.front().flexible.combined_loads.size(),
            1u);  // of oil, on nodes beside the tie, too
}

TEST(SurfaceLoadInput, TwiceOnOnePlaceHasOneAttachmentMode) {
  const Problem problem = loaded_crank(
      {pressure,
       "loads.gas={ type = \"pressure\", body = \"crank\", place = { y = 0.02 }, pressure = \"1 bar\" }"});
  EXPECT_EQ(problem.bodies.front().flexible.combined_loads.size(), 1u);
  EXPECT_EQ(problem.system.loads.back().marker.marker, "oil(-y)");
}

/// A load that others make up has their static answers; one in another ratio needs its own.
TEST(SurfaceLoadInput, HasNoModeThatOthersGive) {
  const auto on = [](const std::string& name, const std::string& place) {
    return fmt::format("loads.{}={{ type = \"pressure\", body = \"crank\", place = {}, pressure = 1e5 }}",
                       name, place);
  };
  const std::string
      lower = on("lower", "{ y = -0.02 }"),
      both = on("both", "{ any_of = [{ y = 0.02 }, { y = -0.02 }] }"),
      bearing =
          "loads.bearing={ type = \"bearing\", body = \"crank\", place = { any_of = [{ y = 0.02 }, { x = "
          "0.2 }] }, force = 1e3, direction = [-1.0, -0.2] }";
  EXPECT_EQ(loaded_crank({pressure, lower, both}).bodies.front().flexible.combined_loads.size(), 2u);
  const std::string corner = on("corner", "{ any_of = [{ y = 0.02 }, { x = 0.2 }] }");
  EXPECT_EQ(loaded_crank({corner, bearing}).bodies.front().flexible.combined_loads.size(), 2u);
}

TEST(SurfaceLoadInput, OfTwoCasesOnOneSurfaceHaveOneMode) {
  const auto in_case = [](const std::string& name, const std::string& load) {
    return fmt::format(
        "cases.{}.loads.{}={{ type = \"pressure\", body = \"crank\", place = {{ y = 0.02 }}, pressure = 1e5 "
        "}}",
        name, load);
  };
  const Problem problem = loaded_crank({in_case("hot", "oil"), in_case("cold", "gas")});
  EXPECT_EQ(problem.bodies.front().flexible.combined_loads.size(), 1u);
}

TEST(SurfaceLoadInput, OfACaseJoinsTheOthersInTheBasis) {
  const Problem problem =
      loaded_crank({"cases.hot.loads.oil={ type = \"pressure\", body = \"crank\", place = { y = 0.02 }, "
                    "pressure = \"2 bar\" }",
                    "cases.cold.gravity=[0, 0, 0]"});
  ASSERT_EQ(problem.cases.size(), 2u);
  EXPECT_EQ(problem.bodies.front().flexible.markers.back().name, "oil(-y)");
  EXPECT_EQ(problem.bodies.front().flexible.combined_loads.size(), 1u);
}

TEST(LoadOverAngle, IsATablePeriodicInTheDrivenAngle) {
  const Problem problem = loaded_crank({over_angle});
  const TimeFunction& force = *problem.system.loads.front().force[0];
  const TimeFunction& angle = *problem.system.joints.front().drives.front().motion;
  for (const double t : {0.1, 0.9, 1.3, 1.9}) {
    const double turned = std::fmod(angle.at(t).value, 4.0 * std::numbers::pi) * 180.0 / std::numbers::pi;
    const double expected = turned < 180.0 ? turned / 180.0 : (720.0 - turned) / 540.0;
    EXPECT_NEAR(force.at(t).value, 1000.0 * expected, 1e-9);
    const double h = 1e-5, difference = (force.at(t + h).value - force.at(t - h).value) / (2.0 * h);
    EXPECT_NEAR(force.at(t).rate, difference, 1e-4 * std::abs(difference));
  }
  EXPECT_THAT(problem.followed_joints, testing::ElementsAre("bearing"));
}

TEST(LoadOverAngle, OfAJointWithoutADriveIsATableOverThatAngle) {
  std::string change = over_angle;
  change.replace(change.find("bearing"), 7, "pin");
  change.replace(change.find("720"), 3, "360");
  const Problem problem = loaded_crank({change});
  const MarkerLoadSpec& load = problem.system.loads.front();
  ASSERT_TRUE(load.force_over[0]);
  EXPECT_EQ(load.force_over[0]->joint, "pin");
  EXPECT_EQ(load.force_over[0]->from, (MarkerRef{"crank", "pin"}));
  EXPECT_NEAR(load.force_over[0]->around, std::numbers::pi, 1e-12);
  EXPECT_NEAR(load.force[0]->at(0.5 * std::numbers::pi).value, 500.0, 1e-9);
  EXPECT_FALSE(load.force_over[1]);
  EXPECT_TRUE(problem.followed_joints.empty());
}

TEST(SurfaceLoadInput, IsRefusedByKeyWithWhatIsAllowed) {
  const auto message = [](const std::string& change, const std::string& second = "gravity=[0, 0, 0]") {
    return error_of(crank_text, {change, second});
  };
  EXPECT_THAT(
      message("loads.oil={ type = \"pressure\", body = \"rod\", place = { y = 0.02 }, pressure = 1e5 }"),
      HasSubstr("loads.oil.body = \"rod\" is no body of type \"flexible\", which has a surface; allowed: "
                "\"crank\""));
  EXPECT_THAT(
      message("loads.oil={ type = \"pressure\", body = \"crank\", place = { y = 0.03 }, pressure = 1e5 }"),
      HasSubstr("loads.oil.place has no whole edge of the surface; the nearest node is at (0, 0.02, 0)"));
  EXPECT_THAT(message("loads.oil={ type = \"bearing\", body = \"crank\", place = { y = 0.02 }, force = 1e5, "
                      "direction = [0.0, 1.0] }"),
              HasSubstr("loads.oil.direction pushes no face of the place"));
  EXPECT_THAT(message("loads.oil={ type = \"bearing\", body = \"crank\", place = { y = 0.02 }, force = 1e5, "
                      "direction = [0.0, 0.0] }"),
              HasSubstr("loads.oil.direction = [0.0, 0.0] has no length"));
  EXPECT_THAT(
      message(pressure,
              "variables.t={ quantity = \"bodies.crank.mesh.thickness\", lower = 0.005, upper = 0.02 }"),
      HasSubstr("variables.t.quantity changes the surface on which loads.oil acts"));
}

TEST(LoadOverAngle, IsRefusedByKeyWithWhatIsAllowed) {
  const auto message = [](const std::string& from, const std::string& to) {
    std::string change = over_angle;
    return error_of(crank_text, {change.replace(change.find(from), from.size(), to)});
  };
  EXPECT_THAT(message("\"bearing\"", "\"pin\""),
              HasSubstr("force.0.angle has a period of 720 degrees, of which no whole number makes a turn"));
  EXPECT_THAT(
      message("\"bearing\", angle = \"[0, 180, 720] deg\", values = \"[0, 1, 0] kN\", beyond = \"repeat\"",
              "\"pin\", angle = \"[0, 180, 720] deg\", values = \"[0, 1, 0] kN\", beyond = \"hold\""),
      HasSubstr("goes over 720 degrees, more than a turn"));
  std::string over_ball = over_angle;
  over_ball.replace(over_ball.find("bearing"), 7, "ball");
  EXPECT_THAT(error_of(crank_text,
                       {over_ball, "joints.ball={ type = \"spherical\", from = \"ground\", to = \"rod\" }"}),
              HasSubstr("joint = \"ball\" leaves no angle about its z axis free"));
  EXPECT_THAT(message("\"bearing\"", "\"baering\""), HasSubstr("is no joint; did you mean \"bearing\"?"));
  EXPECT_THAT(message("beyond = \"repeat\", ", ""),
              HasSubstr("beyond = \"refuse\", its default, does not go with angle"));
  EXPECT_THAT(message("\"linear\"", "\"constant\""), HasSubstr("jumps, at instants that are not known"));
  EXPECT_THAT(message("joint = \"bearing\", angle = \"[0, 180, 720] deg\"",
                      "joint = \"bearing\", t = [0.0, 1.0, 2.0]"),
              HasSubstr("needs angle in place of t"));
}

}  // namespace
}  // namespace kurbel
