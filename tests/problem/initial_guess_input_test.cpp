/// Every way to get design.initial_guess wrong.
#include <gtest/gtest.h>

#include "mistake.hpp"
#include "problem/problem.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

/// Read alone, without the count of freedoms: the ball has three that no end is for.
const char* const good = R"(formulation = "semi-recursive"
[bodies.cart]
type = "rigid"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[bodies.ball]
type = "rigid"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
[joints.slider]
type = "prismatic"
from = "ground"
to = "cart"
[joints.socket]
type = "spherical"
from = "cart"
to = "ball"
[controls.force]
type = "force"
marker = "cart"
direction = [0.0, 0.0, 1.0]
nodes = 3
lower = -1.0
upper = 1.0
[objective]
type = "position"
marker = "cart"
component = "z"
time = "final"
[design.initial_guess]
type = "point-to-point"
joints.slider.end = 0.5
[integrator]
t1 = 1.0
step = 0.1
)";

void read(const std::string& text) {
  read_problem(TomlDocument::parse(text, "cart.toml", "."));
}

TEST(InitialGuess, NamesJointsAndWhereTheyEnd) {
  const Problem problem = read_problem(TomlDocument::parse(good, "cart.toml", "."));
  ASSERT_EQ(problem.design.joint_ends.size(), 1u);
  EXPECT_EQ(problem.design.joint_ends[0].joint, "slider");
  EXPECT_EQ(problem.design.joint_ends[0].value, 0.5);
}

class BadInitialGuess : public testing::TestWithParam<Mistake> {};

TEST_P(BadInitialGuess, IsRefusedWithLineKeyAndWhatIsAllowed) {
  const std::string text = changed(GetParam(), good);
  EXPECT_EQ(input_error_message([&] { read(text); }), expected(GetParam(), text, "cart.toml"));
}

const Mistake mistakes[] = {
    {"no_type", "type = \"point-to-point\"\n", "",
     "design.initial_guess.type is missing; it must be one of point-to-point", "[design.initial_guess]"},
    {"unknown_type", "\"point-to-point\"", "\"straight\"",
     "design.initial_guess.type = \"straight\" is unknown; allowed: \"point-to-point\""},
    {"unknown_joint", "joints.slider.end", "joints.slidr.end",
     "design.initial_guess.joints.slidr is no joint; did you mean slider?"},
    {"joint_of_three_freedoms", "joints.slider.end", "joints.socket.end",
     "design.initial_guess.joints.socket is a joint that neither turns about its z axis alone nor slides "
     "along it"},
    {"angle_of_a_slider", "end = 0.5", "end = \"30 deg\"",
     "design.initial_guess.joints.slider.end = \"30 deg\" has a unit of another kind; allowed: m, cm, mm, "
     "um, in, ft"},
};
INSTANTIATE_TEST_SUITE_P(Every, BadInitialGuess, testing::ValuesIn(mistakes),
                         [](const auto& info) { return info.param.name; });

TEST(InitialGuess, NeedsControlsToGiveThemValues) {
  std::string text = good;
  const std::size_t begin = text.find("[controls.force]"), end = text.find("[objective]");
  text.erase(begin, end - begin);
  EXPECT_EQ(input_error_message([&] { read(text); }),
            "cart.toml:23: design.initial_guess needs [controls], which it gives their first values");
}

}  // namespace
}  // namespace kurbel
