/// Bushings and stops: what is read, and every way to get it wrong.
#include <gtest/gtest.h>

#include "bad_input.hpp"
#include "every_key.hpp"
#include "mechanism/bushing.hpp"
#include "mistake.hpp"
#include "natural_text.hpp"
#include "problem/problem.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

class BadPairPart : public testing::TestWithParam<Mistake> {};

TEST_P(BadPairPart, IsRefusedWithLineKeyAndWhatIsAllowed) {
  const std::string text = changed(GetParam(), cart_text);
  EXPECT_EQ(error_of(text), expected(GetParam(), text, "crank.toml"));
}

const Mistake mistakes[] = {
    {"no_stiffness", "stiffness = [9.0, 8.0, 7.0, 6.0, 5.0, 4.0]\n", "",
     "bushings.mount.stiffness is missing; it must be a list of 6 numbers", "[bushings.mount]"},
    {"five_numbers", "stiffness = [9.0, 8.0, 7.0, 6.0, 5.0, 4.0]", "stiffness = [9.0, 8.0, 7.0, 6.0, 5.0]",
     "bushings.mount.stiffness = [9.0, 8.0, 7.0, 6.0, 5.0] must be a list of 6 numbers, not of 5"},
    {"gives_energy_away", "stiffness = [9.0,", "stiffness = [-9.0,",
     "bushings.mount.stiffness = [-9.0, 8.0, 7.0, 6.0, 5.0, 4.0] must be positive semidefinite, or the "
     "bushing would give energy away"},
    {"same_body", "[bushings.mount]\nfrom = \"ground\"", "[bushings.mount]\nfrom = \"frame\"",
     "bushings.mount.to is on the same body as from, \"frame\"", "to = \"frame\"\nstiffness = [9.0"},
    {"unknown_joint", "joint = \"plane\"", "joint = \"plan\"",
     "stops.bump.joint = \"plan\" is no joint; did you mean \"plane\"?"},
    {"locked_dof", "dof = \"tz\"", "dof = \"ty\"",
     "stops.bump.dof = \"ty\" is no free degree of freedom of joints.plane"},
    {"free_rotation", "dof = \"tz\"", "dof = \"ry\"",
     "stops.bump.dof = \"ry\" is not the rotation of a hinge; take rz of a joint that locks rx and ry"},
    {"limits_cross", "lower = -0.1\nupper = 0.2", "lower = 0.3\nupper = 0.2",
     "stops.bump.lower = 0.3 is above upper = 0.2", "lower = 0.3"},
    {"no_limit", "lower = -0.1\nupper = 0.2\n", "",
     "stops.bump has neither lower nor upper; give at least one", "[stops.bump]"},
    {"no_smoothing", "smoothing = 2e-2", "smoothing = 0.0", "stops.bump.smoothing = 0.0 must be positive"},
};
INSTANTIATE_TEST_SUITE_P(Every, BadPairPart, testing::ValuesIn(mistakes),
                         [](const auto& info) { return info.param.name; });

TEST(PairParts, AreReadWithTheirMatricesAndLimits) {
  const Problem problem = read_problem(TomlDocument::parse(cart_text, "cart.toml", "."));
  const BushingSpec& mount = problem.system.bushings.at(0);
  const auto D = bushing_matrix<double>(mount.damping);
  EXPECT_EQ(bushing_matrix<double>(mount.stiffness).diagonal(),
            (Vector6<double>() << 9, 8, 7, 6, 5, 4).finished());
  EXPECT_EQ(D(1, 5), 0.2);
  EXPECT_EQ(D(5, 1), 0.2);
  EXPECT_EQ(D(0, 1), 0.1);
  const StopSpec& bump = problem.system.stops.at(0);
  EXPECT_EQ(bump.from.body, "ground");
  EXPECT_EQ(bump.to.body, "frame");
  EXPECT_EQ(bump.dof, RelativeDof::tz);
  EXPECT_EQ(bump.lower, -0.1);
}

// A torque that depends on the angle within half a turn of the middle cannot have limits that are farther away.
TEST(PairParts, LimitsOfAHingeAreLessThanATurnApart) {
  const std::string hinge =
      "\n[bodies.door]\ntype = \"rigid\"\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]\n"
      "\n[joints.hinge]\ntype = \"revolute\"\nfrom = \"ground\"\nto = \"door\"\n"
      "\n[stops.door]\njoint = \"hinge\"\ndof = \"rz\"\nstiffness = 1.0\nsmoothing = 0.1\nlower = -90.0\n";
  const auto message = [&](const char* upper) { return error_of(cart_text + hinge + upper); };
  EXPECT_NE(message("upper = 90.0\n").find("stops.door.upper = 90.0 leaves 180 rad from lower = -90"),
            std::string::npos)
      << message("upper = 90.0\n");
  EXPECT_EQ(message("upper = -88.0\n").find("less than a turn apart"), std::string::npos);
}

TEST(PairParts, VaryByComponentOfTheirMatrix) {
  const std::string variable =
      "\n[variables.coupling]\nquantity = \"bushings.mount.damping\"\ncomponent = \"ty-rz\"\n"
      "lower = 0.0\nupper = 1.0\n";
  const Problem problem = read_problem(TomlDocument::parse(cart_text + variable, "cart.toml", "."));
  const DesignVariable& coupling = problem.design.variables.back();
  EXPECT_EQ(std::get<SystemQuantity>(coupling.quantity), SystemQuantity::of<&BushingSpec::damping>(0, 14));
  EXPECT_EQ(coupling.start, 0.2);
}

}  // namespace
}  // namespace kurbel
