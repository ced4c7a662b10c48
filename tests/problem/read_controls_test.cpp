/// [controls.*] of a mechanism in the floating frame: what is read, and every way to get it wrong.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "arm_text.hpp"
#include "base/files.hpp"
#include "problem/problem.hpp"
#include "tests/input_error.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

const std::string drum_text = R"(
[ground.markers.post]
position = [0.4, 0.5, 0.0]
[joints.drum]
type = "fixed"
from = "ground.post"
to = "arm.tip"
[controls.c]
)";

Problem read_with(const std::string& control, const std::vector<std::string>& overrides = {}) {
  return read_problem(TomlDocument::parse(arm_text + drum_text + control, "arm.toml", ".", overrides));
}

TEST(ReadControls, NodesAreVariablesBetweenTheirBounds) {
  const Problem p =
      read_with("type = \"torque\"\njoint = \"hinge\"\nnodes = 5\nlower = -3.0\nupper = 4.0\nstart = 0.5");
  ASSERT_EQ(p.system.controls.size(), 1u);
  EXPECT_EQ(p.system.controls[0].nodes, VectorXd::Constant(5, 0.5));
  ASSERT_EQ(p.system.motors.size(), 1u);
  EXPECT_TRUE(p.system.motors[0].is_rotary);
  EXPECT_EQ(p.system.motors[0].to.body, "arm");
  ASSERT_EQ(p.design.variables.size(), 5u);
  EXPECT_EQ(p.design.variables[1].name, "c(0.5 s)");
  EXPECT_EQ(p.design.variables[1].lower, -3.0);
  EXPECT_EQ(p.design.variables[1].upper, 4.0);
  const auto& node = std::get<SystemQuantity>(p.design.variables[1].quantity);
  EXPECT_TRUE(node.is<&ControlSpec::nodes>());
  EXPECT_EQ(node.component, 1);
  EXPECT_TRUE(p.design.bodies.empty());
}

TEST(ReadControls, ForceActsAtAMarkerOrBetweenTwo) {
  const Problem at =
      read_with("type = \"force\"\nmarker = \"arm.tip\"\nframe = \"body\"\ndirection = [0, 2, 0]\nnodes = 3");
  ASSERT_EQ(at.system.loads.size(), 1u);
  EXPECT_EQ(at.system.loads[0].frame, MarkerLoadSpec::Frame::body);
  ASSERT_EQ(at.system.loads[0].controls.size(), 1u);
  EXPECT_EQ(at.system.loads[0].controls[0].force, Vector3d(0.0, 2.0, 0.0));
  EXPECT_EQ(at.design.variables[0].lower, -std::numeric_limits<double>::infinity());
  const Problem between = read_with("type = \"force\"\nfrom = \"ground.post\"\nto = \"arm.tip\"\nnodes = 3");
  ASSERT_EQ(between.system.motors.size(), 1u);
  EXPECT_FALSE(between.system.motors[0].is_rotary);
}

/// A control of three nodes at 0, 1 and 2 s that starts with a column of a table.
std::string started_by(const std::string& table, const std::string& column, const std::string& more = "") {
  const TemporaryFolder folder;
  write_text_file(folder.path() / "held.csv", table);
  const std::string control = "type = \"force\"\nmarker = \"arm.tip\"\ndirection = [0, 1, 0]\nnodes = 3\n" +
                              more + "\nstart = { file = \"held.csv\", column = \"" + column + "\" }";
  try {
    const Problem p = read_problem(TomlDocument::parse(arm_text + drum_text + control, "arm.toml",
                                                       folder.path(), {"integrator.t1=2.0"}));
    const VectorXd& u = p.system.controls[0].nodes;
    return fmt::format("{:.9g} {:.9g} {:.9g}", u[0], u[1], u[2]);
  } catch (const InputError& e) {
    std::string message = e.what();
    const std::size_t at = message.find(folder.path().string());
    return at == std::string::npos ? message : message.replace(at, folder.path().string().size() + 1, "");
  }
}

TEST(ReadControls, StartIsAColumnOfATableOverTime) {
  const std::string table = "t [s],other,drive.z [N]\n0,7,1.0\n0.5,7,1.5\r\n1.5,7,2.5\n2.0,7,3\n";
  EXPECT_EQ(started_by(table, "drive.z"), "1 2 3");
  const auto mistake = [&](const std::string& text, const std::string& column, const std::string& more = "") {
    const std::string message = started_by(text, column, more);
    return message.substr(message.find("controls.c"));
  };
  EXPECT_EQ(mistake(table, "drive.y"),
            "controls.c.start.column = \"drive.y\" is no column of held.csv beside its times; did you mean "
            "\"drive.z\"?");
  EXPECT_EQ(mistake("t [s],drive.z [N]\n0,1\n1,2\n", "drive.z"),
            "controls.c.start.file = \"held.csv\" runs from 0 s to 1 s; the control from 0 s to 2 s");
  EXPECT_EQ(mistake("t [s],drive.z [N]\n0,1\n2\n", "drive.z"),
            "controls.c.start.file = \"held.csv\" has no number or no later time in line 3");
  EXPECT_EQ(mistake("t [s],drive.z [N]\n0,1\n0,2\n", "drive.z"),
            "controls.c.start.file = \"held.csv\" has no number or no later time in line 3");
  EXPECT_EQ(mistake("t [s],drive.z [N]\n0,1\n", "drive.z"),
            "controls.c.start.file = \"held.csv\" has no two instants");
  EXPECT_EQ(mistake(table, "drive.z", "upper = 2.0"),
            "controls.c.start.column = \"drive.z\" reaches from 1 to 3, outside the bounds of the control");
}

struct Mistake {
  const char* name;
  const char* control;
  const char* message;  ///< ends so, behind the line
};

void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

class BadControl : public testing::TestWithParam<Mistake> {};

TEST_P(BadControl, IsRefusedWithLineKeyAndWhatIsAllowed) {
  const std::string message = input_error_message([&] { read_with(GetParam().control); });
  EXPECT_THAT(message, testing::MatchesRegex("arm.toml:[0-9]+: .*"));
  EXPECT_THAT(message, testing::EndsWith(GetParam().message));
}

const Mistake mistakes[] = {
    {"unknown_joint", "type = \"torque\"\njoint = \"hing\"\nnodes = 3",
     "controls.c.joint = \"hing\" is no joint; did you mean \"hinge\"?"},
    {"joint_without_a_free_rotation", "type = \"torque\"\njoint = \"drum\"\nnodes = 3",
     "controls.c.joint = \"drum\" has no motor: a torque acts in a joint that leaves the rotation rz free"},
    {"no_length", "type = \"force\"\nmarker = \"arm.tip\"\ndirection = [0, 0, 0]\nnodes = 3",
     "controls.c.direction = [0, 0, 0] has no length"},
    {"on_the_ground", "type = \"force\"\nmarker = \"ground.post\"\ndirection = [1, 0, 0]\nnodes = 3",
     "controls.c.marker is on the ground, where a load does nothing"},
    {"too_few_nodes", "type = \"torque\"\njoint = \"hinge\"\nnodes = 1",
     "controls.c.nodes = 1 does not fit: a control has 1 nodes; this interpolation needs at least 2"},
    {"crossed_bounds", "type = \"torque\"\njoint = \"hinge\"\nnodes = 3\nlower = 1\nupper = 0",
     "controls.c.upper = 0 crosses the other bound; lower = 1, upper = 0"},
};

INSTANTIATE_TEST_SUITE_P(ReadControls, BadControl, testing::ValuesIn(mistakes),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace kurbel
