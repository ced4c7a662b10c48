/// Tyres, roads, and numbers that are tied to each other: what is read, and every way to get it wrong.
#include <gtest/gtest.h>

#include "bad_input.hpp"
#include "every_key.hpp"
#include "mistake.hpp"
#include "problem/problem.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

class BadTyre : public testing::TestWithParam<Mistake> {};

TEST_P(BadTyre, IsRefusedWithLineKeyAndWhatIsAllowed) {
  const std::string text = changed(GetParam(), cart_text);
  EXPECT_EQ(error_of(text), expected(GetParam(), text, "crank.toml"));
}

const Mistake mistakes[] = {
    {"unknown_wheel", "wheel = \"front\"", "wheel = \"frnt\"",
     "tyres.front.wheel names the body \"frnt\", which does not exist; did you mean \"front\"?"},
    {"unknown_marker", "wheel = \"front\"", "wheel = \"front.hub\"",
     "tyres.front.wheel names the marker \"hub\", which front does not have; allowed: \"origin\""},
    {"unknown_carrier", "wheel = \"front\"\ncarrier = \"frame\"", "wheel = \"front\"\ncarrier = \"fram\"",
     "tyres.front.carrier names the body \"fram\", which does not exist; did you mean \"frame\"?",
     "carrier = \"fram\""},
    {"wheel_carries_itself", "wheel = \"front\"\ncarrier = \"frame\"",
     "wheel = \"front\"\ncarrier = \"front\"",
     "tyres.front.carrier = \"front\" is the wheel itself; name the body that carries it",
     "carrier = \"front\""},
    {"carried_by_the_ground", "wheel = \"front\"\ncarrier = \"frame\"",
     "wheel = \"front\"\ncarrier = \"ground\"",
     "tyres.front.carrier is on the ground; name a body that moves", "carrier = \"ground\""},
    {"no_radius", "radius = 0.3\nstiffness = 1e4\ndamping", "stiffness = 1e4\ndamping",
     "tyres.front.radius is missing; it must be a number above 0", "[tyres.front]"},
    {"no_smoothing", "smoothing = 0.001", "smoothing = 0.0", "tyres.front.smoothing = 0.0 must be positive"},
    {"profile", "profile = \"sine\"", "profile = \"sinus\"",
     "road.profile = \"sinus\" is unknown; allowed: \"flat\", \"step\", \"sine\", \"table\""},
    {"profile_without_its_key", "wavelength = 2.0\n", "",
     "road.wavelength is missing; it must be a number above 0", "[road]"},
    {"key_of_another_profile", "start = 0.7", "width = 0.7",
     "road.width = 0.7 needs profile = \"step\", not \"sine\""},
    {"unknown_tyre_of_a_criterion", "tyre = \"rear\"", "tyre = \"reer\"",
     "outputs.load.tyre = \"reer\" is no tyre; did you mean \"rear\"?"},
    {"unknown_spring_of_a_criterion", "spring = \"rope\"", "spring = \"robe\"",
     "objective.spring = \"robe\" is no spring; did you mean \"rope\"?"},
    {"force_of_no_rod", "type = \"spring-length\"\nspring = \"rope\"\ntime = \"mean\"",
     "type = \"rod-force\"\njoint = \"front\"\ntime = \"mean\"",
     "objective.joint = \"front\" is no rod (type = \"distance\")", "joint = \"front\""},
    {"reaction_of_a_rod",
     "[objective]\ntype = \"spring-length\"\nspring = \"rope\"\ntime = \"mean\"\ntarget = 0.3",
     "[joints.stay]\ntype = \"distance\"\nfrom = \"ground\"\nto = \"frame\"\n"
     "[objective]\ntype = \"reaction-force\"\njoint = \"stay\"\ntime = \"mean\"",
     "objective.type does not exist for stay, which is a rod; take \"rod-force\"",
     "type = \"reaction-force\""},
    {"angle_of_what_does_not_turn", "type = \"spring-length\"\nspring = \"rope\"\ntime = \"mean\"",
     "type = \"joint-angle\"\njoint = \"front\"\ntime = \"mean\"",
     "objective.joint = \"front\" is no hinge, which locks rx and ry and leaves rz free",
     "joint = \"front\""},
    {"unknown_body_of_an_attitude", "body = \"frame\"", "body = \"fram\"",
     "outputs.roll.body = \"fram\" is no body; did you mean \"frame\"?"},
    {"tied_twice", "\"tyres.rear.stiffness\"", "\"tyres.front.stiffness\"",
     "variables.stiffness.quantity = [\"tyres.front.stiffness\", \"tyres.front.stiffness\"] names the same "
     "number twice"},
    {"tied_numbers_differ", "-bodies.frame.markers.rear.position", "bodies.frame.markers.rear.position",
     "variables.base.quantity = [\"bodies.frame.markers.front.position\", "
     "\"bodies.frame.markers.rear.position\"] ties numbers that differ in the file, 0.5 and -0.5",
     "quantity = [\"bodies"},
    {"tied_to_what_varies",
     "-bodies.frame.markers.rear.position\"]\ncomponent = \"x\"\nlower = 0.4\nupper = 0.6",
     "-bodies.frame.markers.rear.position\"]\ncomponent = \"x\"\nlower = 0.4\nupper = 0.6\n[variables.k]\n"
     "quantity = \"tyres.rear.stiffness\"\nlower = 1e3\nupper = 1e5",
     "variables.k.quantity = \"tyres.rear.stiffness\" is varied by stiffness already",
     "quantity = \"tyres.rear.stiffness\""},
};

INSTANTIATE_TEST_SUITE_P(Input, BadTyre, testing::ValuesIn(mistakes),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ReadTyres, TakesWhatIsGivenAndUsualNumbersOtherwise) {
  const SystemSpec system = read_problem(TomlDocument::parse(cart_text, "cart.toml", ".")).system;
  ASSERT_EQ(system.tyres.size(), 2u);
  const TyreSpec &front = system.tyres[0], &rear = system.tyres[1];
  EXPECT_EQ(front.wheel.body, "front");
  EXPECT_EQ(front.carrier, "frame");
  EXPECT_EQ(front.slope, 8.0);
  EXPECT_EQ(front.shape, 1.4);
  EXPECT_EQ(front.slip_speed, 0.4);
  EXPECT_EQ(rear.friction, 1.0);
  EXPECT_EQ(rear.slope, 10.0);
  EXPECT_EQ(rear.smoothing, 0.002);
  EXPECT_NEAR(system.road.height->at(1.7).value, 0.02, 1e-15);
}

TEST(TiedQuantities, FollowTheFirstOneOrItsNegative) {
  const Problem problem = read_problem(TomlDocument::parse(cart_text, "cart.toml", "."));
  const DesignVariable &stiffness = problem.design.variables[0], &base = problem.design.variables[1];
  ASSERT_EQ(stiffness.tied.size(), 1u);
  EXPECT_EQ(stiffness.tied[0].quantity, (SystemQuantity::of<&TyreSpec::stiffness>(1)));
  EXPECT_EQ(stiffness.tied[0].sign, 1.0);
  ASSERT_EQ(base.tied.size(), 1u);
  EXPECT_EQ(base.tied[0].sign, -1.0);
  EXPECT_EQ(base.start, 0.5);
}

}  // namespace
}  // namespace kurbel
