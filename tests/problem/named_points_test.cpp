/// Points with names: what is placed at one moves with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "bad_input.hpp"
#include "every_key.hpp"
#include "natural_text.hpp"

namespace kurbel {
namespace {

using testing::HasSubstr;
using Kind = SystemQuantity::Kind;

Problem read(const std::string& text) {
  return read_problem(TomlDocument::parse(text, "frame.toml", "."));
}

TEST(NamedPoints, PlaceMarkersWhereTheyAreAtTheStart) {
  const SystemSpec system = read(natural_text).system;
  const std::vector<SidNode>& frame = system.bodies[0].sid.frame;
  EXPECT_LT((frame[0].origin.M0 - Vector3d(0.5, -0.1, 0.1)).norm(), 1e-15);  // turned by a quarter
  EXPECT_EQ(Vector3d(system.ground[0].origin.M0), Vector3d(0.0, 0.0, 1.0));
}

TEST(NamedPoints, MoveAllThatIsThereAndItsMirrorImage) {
  const DesignVariable wide = read(natural_text).design.variables[0];
  EXPECT_EQ(wide.start, 0.5);
  EXPECT_EQ(std::get<SystemQuantity>(wide.quantity), (SystemQuantity{Kind::marker, 0, 0, 0}));
  EXPECT_EQ(wide.sign, 1.0);
  EXPECT_EQ(wide.offset, 0.0);
  ASSERT_EQ(wide.tied.size(), 3u);
  EXPECT_EQ(wide.tied[0].quantity, (SystemQuantity::of<&BeamSpec::start>(0, 1)));
  EXPECT_EQ(wide.tied[0].sign, 1.0);
  EXPECT_EQ(wide.tied[1].quantity, (SystemQuantity{Kind::marker, 0, 1, 0}));
  EXPECT_EQ(wide.tied[1].sign, -1.0);
  EXPECT_EQ(wide.tied[2].quantity, (SystemQuantity::of<&BeamSpec::start>(1, 1)));
  EXPECT_EQ(wide.tied[2].sign, -1.0);
}

TEST(NamedPoints, MoveTheThreePlacesOfAnArc) {
  std::string text = natural_text;
  const std::string places = "start = [1.0, 0.0, 0.0]\nthrough = [1.7, 0.3, 0.0]\nend = [2.0, 1.0, 0.0]";
  const std::string names = "start = \"left\"\nthrough = \"top\"\nend = \"right\"";
  text.replace(text.find(places), places.size(), names);
  const Problem problem = read(text);
  const std::vector<DesignVariable>& variables = problem.design.variables;
  EXPECT_EQ(problem.system.beams[2].through, Vector3d(0.0, 0.0, 1.0));
  const auto moves = [](const DesignVariable& variable, const SystemQuantity& quantity) {
    return std::get<SystemQuantity>(variable.quantity) == quantity ||
           std::ranges::find(variable.tied, quantity, &TiedQuantity::quantity) != variable.tied.end();
  };
  EXPECT_TRUE(moves(variables[0], SystemQuantity::of<&BeamSpec::start>(2, 1)));
  EXPECT_TRUE(moves(variables[0], SystemQuantity::of<&BeamSpec::end>(2, 1)));
  EXPECT_TRUE(moves(variables[1], SystemQuantity::of<&BeamSpec::through>(2, 2)));
  EXPECT_THAT(error_of(text, {"variables.ends.quantity=\"beams.bow.through\""}),
              HasSubstr("variables.ends.quantity = \"beams.bow.through\" is at a point; vary "
                        "points.top.position"));
}

TEST(NamedPoints, AreMovedInFramesThatAreElsewhere) {
  std::string text = natural_text;
  const std::string y = "component = \"y\"\nlower = 0.3\nupper = 0.7",
                    x = "component = \"x\"\nlower = 0.1\nupper = 0.7";
  text.replace(text.find("\"-points"), 2, "\"").replace(text.find(y), y.size(), x);
  const DesignVariable forwards = read(text).design.variables[0];
  EXPECT_EQ(forwards.start, 0.2);
  EXPECT_EQ(std::get<SystemQuantity>(forwards.quantity), (SystemQuantity{Kind::marker, 0, 0, 1}));
  EXPECT_EQ(forwards.sign, -1.0);
  EXPECT_EQ(forwards.offset, 0.1);  // y = -(P_x - 0.1)
}

TEST(NamedPoints, TakeTheLengthsOfRodsWithThem) {
  const std::vector<JointSpec> joints = read(natural_text).system.joints;
  EXPECT_TRUE(joints[4].length_follows);
  EXPECT_FALSE(joints[5].length_follows);
  const auto follows = [](const std::string& marker) {
    std::string text = natural_text;
    const std::string stay = "from = \"ground\"\nto = \"plate.edge\"";
    text.replace(text.find(stay), stay.size(), "from = \"ground\"\nto = \"" + marker + "\"");
    return read(text).system.joints[5].length_follows;
  };
  EXPECT_TRUE(follows("left.node1"));  // between its start, which is at a point, and its end
  EXPECT_FALSE(follows("left.end"));
  EXPECT_FALSE(follows("bow.node3"));
}

}  // namespace
}  // namespace kurbel
