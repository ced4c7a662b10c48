/// Problems that a program states key by key.
#include "problem/problem_builder.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <type_traits>

#include "tests/input_error.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;

const std::string text = R"(title = "Pendulum \"A\""
gravity = [0.0, -9.81, 0.0]

[bodies.rod]
type = "rigid"
mass = 2.0
centre_of_mass = [0.4, 0.0, 0.0]
inertia = [0.01, 0.05, 0.05]

[bodies.rod.initial]
angular_velocity = [0.0, 0.0, "60 rpm"]

[joints.bearing]
type = "revolute"
from = "ground"
to = "rod"

[loads.push]
marker = "rod"
force = [{type = "harmonic", amplitude = 4.0, frequency = 2.0}, 0.0, 0.0]

[integrator]
t1 = 1.0
step = 0.01
)";

/// Says what the text says.
ProblemBuilder pendulum() {
  ProblemBuilder input("pendulum");
  input.set("title", "Pendulum \"A\"").set("gravity", Vector3d(0.0, -9.81, 0.0));
  input.set("bodies.rod", InputTable{{"type", "rigid"}, {"mass", 2.0}, {"centre_of_mass", {0.4, 0.0, 0.0}}});
  input.set("bodies.rod.inertia", std::vector<double>{0.01, 0.05, 0.05});
  input.set("bodies.rod.initial.angular_velocity", {0.0, 0.0, "60 rpm"});
  input.set("joints.bearing", InputTable{{"type", "revolute"}, {"from", "ground"}, {"to", "rod"}});
  input.set("loads.push.marker", "rod");
  const InputTable harmonic = {{"type", "harmonic"}, {"amplitude", 4.0}, {"frequency", 2.0}};
  input.set("loads.push.force", {harmonic, 0.0, 0.0});
  input.set("integrator.t1", 1.0).set("integrator.step", 0.01);
  return input;
}

TEST(ProblemBuilder, SaysWhatAFileSays) {
  const std::string of_text = TomlDocument::parse(text, "pendulum", ".").root.to_toml();
  EXPECT_EQ(TomlDocument::parse(pendulum().text(), "pendulum", ".").root.to_toml(), of_text);
  const Problem problem = pendulum().problem();
  EXPECT_EQ(problem.document->root.to_toml(), of_text);
  EXPECT_EQ(problem.document->directory, fs::current_path());
  EXPECT_EQ(problem.title, "Pendulum \"A\"");
  EXPECT_EQ(problem.system.gravity, Vector3d(0.0, -9.81, 0.0));
  EXPECT_DOUBLE_EQ(problem.system.bodies.at(0).initial.angular_velocity[2], 2.0 * EIGEN_PI);
}

TEST(ProblemBuilder, LaterValuesReplaceAndTablesAreMerged) {
  ProblemBuilder input = pendulum();
  input.set("bodies.rod", InputTable{{"mass", 3}}).set("gravity.1", -1.62).set("joints.bearing.damping", 0.1);
  const Problem problem = input.problem();
  EXPECT_EQ(problem.system.gravity, Vector3d(0.0, -1.62, 0.0));
  EXPECT_EQ(problem.system.bodies.at(0).sid.refmod.mass, 3.0);
  EXPECT_EQ(problem.system.joints.size(), 1u);
  EXPECT_NE(input.text().find("damping = 0.1"), std::string::npos) << input.text();
  const InputTable free{{"type", "point"}, {"mass", 2}};
  expect_input_error([&] { input.set("joints.bearing", InputValue(free).replacing()).problem(); },
                     {"joints.bearing.from is missing"});
}

TEST(ProblemBuilder, RefusesWhatNoValueMayBe) {
  expect_input_error([] { InputValue(std::numeric_limits<std::uint64_t>::max()); }, {"at most 63 bits"});
  expect_input_error(
      [] {
        InputValue(InputTable{{"mass", 1.0}, {"mass", 2.0}});
      },
      {"has the key mass twice"});
  static_assert(!std::is_constructible_v<InputValue, char>);
  static_assert(!std::is_constructible_v<InputValue, const int*>);
  static_assert(!std::is_constructible_v<InputValue, std::nullptr_t>);
}

TEST(ProblemBuilder, MessagesNameTheKeyAndTheCallThatSetIt) {
  ProblemBuilder input = pendulum();
  input.set("bodies.rod.mass", -2.0);
  const std::string place = std::string(__FILE__) + ":" + std::to_string(__LINE__ - 1);
  expect_input_error([&] { input.problem(); }, {place + ": bodies.rod.mass = -2.0 must be positive"});
  input = pendulum();
  input.set("bodies.rod", InputTable{{"masss", 2.0}}, TomlPlace{"script", 0});
  expect_input_error([&] { input.problem(); },
                     {"script: unknown key bodies.rod.masss; did you mean bodies.rod.mass?"});
  expect_input_error([&] { ProblemBuilder("nothing").set("bodies.rod.type", "rigid").problem(); },
                     {"bodies.rod.mass is missing"});
}

TEST(ProblemBuilder, RefusesWhatIsNoKey) {
  ProblemBuilder input = pendulum();
  for (const char* key : {"", ".", "a b", "bodies.", "a = 1 #", "a\nb", "[x]", "a = 1\nb", "x # "}) {
    expect_input_error([&] { input.set(key, 1.0); }, {"is not a key; write names between dots"});
  }
  expect_input_error([&] { input.set("title.x", 1.0); }, {"title is text, not a table"});
  expect_input_error([&] { input.set("gravity.3", 1.0); }, {"gravity has no element 3"});
  expect_input_error([&] { input.set("include", "base.toml"); }, {"include is a key of files"});
  input.set("bodies.\"a.b\".type", "rigid");
  EXPECT_NE(input.text().find("[bodies.\"a.b\"]"), std::string::npos);
}

TEST(ProblemBuilder, FilesAreLookedForInItsDirectory) {
  ProblemBuilder input("crank", "/nowhere");
  input.set("bodies.crank", InputTable{{"type", "sid"}, {"file", "crank.sid"}});
  expect_input_error([&] { input.problem(); }, {"/nowhere/crank.sid"});
}

}  // namespace
}  // namespace kurbel
