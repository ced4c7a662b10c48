/// @file
/// Files that cannot be used: one message with the file, and with its number of an element or node.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "base/files.hpp"
#include "parts/brep_check.hpp"
#include "parts/step_check.hpp"
#include "tests/input_error.hpp"
#include "tests/parts/part_texts.hpp"

namespace kurbel::test {
namespace {

/// A square of two triangles, with numbers of its own for nodes and elements.
const std::string square_msh = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
5
11 0 0 0
12 1 0 0
13 1 1 0
14 0 1 0
15 9 9 0
$EndNodes
$Elements
2
21 2 2 1 1 11 12 13
22 2 2 1 1 11 13 14
$EndElements
)";

std::string with(const std::string& from, const std::string& to) {
  std::string text = square_msh;
  return text.replace(text.find(from), from.size(), to);
}

void expect_refused(const std::string& name, const std::string& text, const std::vector<std::string>& parts) {
  std::vector<std::string> all = parts;
  all.push_back(name);
  expect_input_error([&] { mesh_of(name, text); }, all);
}

TEST(BadParts, AGoodOneIsRead) {
  const auto mesh = mesh_of("square.msh", square_msh);
  EXPECT_EQ(mesh->n_nodes(), 4) << "without the node that no element has";
  EXPECT_NEAR(mesh->measures().sum(), 1.0, 1e-15);
}

TEST(BadParts, AreNotThereOrOfNoKnownKind) {
  expect_input_error([] { read_part({.path = "nowhere/part.msh"}, 1.0); },
                     {"nowhere/part.msh does not exist, or is no file"});
  expect_refused("part.iges", "",
                 {"a part is one of .msh", "Export a drawing as .step", "`gmsh FILE -save -o PART.msh`"});
  expect_refused("empty.msh", "", {});
}

TEST(BadParts, AreDrawingsThatAreCutOff) {
  testing::internal::CaptureStdout();
  expect_refused("part.brep",
                 "DBRep_DrawableShape\n\nCASCADE Topology V1, (c) Matra-Datavision\nLocations 3\n", {});
  expect_refused("part.step", "ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n",
                 {"it is damaged, cut off or of another format than its name says"});
  expect_refused("part.stl", std::string(84, '\0') + std::string(400, 'a'),
                 {"it is damaged, cut off or of another format than its name says"});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "") << "OpenCASCADE prints what it finds";
}

TEST(BadParts, HaveInvertedOrFlatElements) {
  expect_refused("square.msh", with("22 2 2 1 1 11 13 14", "22 2 2 1 1 11 14 13"),
                 {"element 22 (tri3)", "inverted or degenerate"});
  expect_refused("square.msh", with("14 0 1 0", "14 0.5 0.5 0"), {"element 22", "degenerate"});
}

TEST(BadParts, AreTurnedOverAsAWhole) {
  std::string text = with("22 2 2 1 1 11 13 14", "22 2 2 1 1 11 14 13");
  const std::string first = "21 2 2 1 1 11 12 13";
  text.replace(text.find(first), first.size(), "21 2 2 1 1 11 13 12");
  EXPECT_NEAR(mesh_of("square.msh", text)->measures().sum(), 1.0, 1e-15) << "it was drawn from below";
}

TEST(BadParts, HaveNodesTwice) {
  std::string text = with("15 9 9 0", "15 1 1 0");
  const std::string second = "22 2 2 1 1 11 13 14";
  text.replace(text.find(second), second.size(), "22 2 2 1 1 11 15 14");
  expect_refused("square.msh", text, {"nodes 13 and 15 are both at (1, 1, 0) m", "Coherence"});
}

TEST(BadParts, DoNotLieInAPlane) {
  expect_refused("square.msh", with("13 1 1 0", "13 1 1 0.5"), {"do not lie in a plane", "volume elements"});
}

TEST(BadParts, HaveNodesThatDoNotExistOrAreNoNumbers) {
  expect_refused("square.msh", with("11 13 14\n", "11 13 99\n"), {"99"});
  expect_refused("square.msh", with("13 1 1 0", "13 1 nan 0"), {});
}

TEST(BadParts, AreCutOff) {
  for (const std::size_t length :
       {square_msh.find("13 1 1"), square_msh.find("$EndNodes"), square_msh.find("22 2 2")})
    expect_refused("square.msh", square_msh.substr(0, length), {});
}

TEST(BadParts, HaveElementsOfOtherTypesOrNone) {
  const std::string nine = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
9
1 0 0 0
2 2 0 0
3 2 2 0
4 0 2 0
5 1 0 0
6 2 1 0
7 1 2 0
8 0 1 0
9 1 1 0
$EndNodes
$Elements
1
31 10 2 1 1 1 2 3 4 5 6 7 8 9
$EndElements
)";
  expect_refused("nine.msh", nine, {"element 31 is a", "it has tri3, quad4"});
  expect_refused("line.geo", "Point(1) = {0, 0, 0}; Point(2) = {1, 0, 0}; Line(1) = {1, 2};\n",
                 {"no surface or volume"});
}

TEST(BadParts, OfAGeometryTellWhatGmshSays) {
  expect_refused("wrong.geo", "Point(1) = {0, 0, 0};\nLine(1) = {1, 2};\n", {"Unknown"});
  expect_refused("typo.geo", "Pont(1) = {0, 0, 0};\n", {"line 1"});
  expect_refused("open.step", "ISO-10303-21;\nHEADER;\n", {});
}

/// Gmsh would end the program at the first of them.
TEST(BadParts, OfFormatFourHaveNodesThatExist) {
  const std::string whole =
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 "
      "0\n$EndNodes\n"
      "$Elements\n1 1 1 1\n2 1 2 1\n7 1 2 3 \n$EndElements\n";
  EXPECT_NEAR(mesh_of("triangle.msh", whole)->measures().sum(), 0.5, 1e-15);
  std::string with_blank_lines = whole;
  for (const char* const at : {"1 3 1 3", "1 0 0\n", "7 1 2"})
    with_blank_lines.insert(with_blank_lines.find(at), "\n \r\n");
  EXPECT_NEAR(mesh_of("triangle.msh", with_blank_lines)->measures().sum(), 0.5, 1e-15);
  const auto expect_fault = [&](const std::string& from, const std::string& to, const std::string& message) {
    std::string text = whole;
    expect_refused("triangle.msh", text.replace(text.find(from), from.size(), to), {message});
  };
  expect_fault("7 1 2 3", "7 1 -1 3", ".msh:17: element 7 has the node -1, which does not exist");
  expect_fault("7 1 2 3", "7 1 2.5 3", ".msh:17: \"7 1 2.5 3 \" is no list of whole numbers");
  expect_fault("2 1 2 1\n7", "2 1 2 9\n7", ".msh:18: \"$EndElements\" is no list of whole numbers");
  expect_refused("triangle.msh", whole.substr(0, whole.find("\n2\n3\n")), {".msh:7: the file is cut off"});
}

/// Replaces a part of a text, at which a check then has to fail with the message.
void expect_fault_in(std::string text, const std::string& from, const std::string& to,
                     const std::function<void(const std::string&)>& check, const std::string& message) {
  const std::size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  expect_input_error([&] { check(text); }, {message});
}

/// The library behind Gmsh would end the program at some of them.
TEST(BadParts, OfStepAreWhole) {
  const std::string whole =
      "ISO-10303-21;\nHEADER; /* #9 */ ENDSEC;\nDATA;\n#1 = DIRECTION('it''s #8',(0.,0.,1.));\n"
      "#2 /* of #9 */ = AXIS(#1,\n#1);\nENDSEC;\nEND-ISO-10303-21;\n";
  EXPECT_NO_THROW(check_step(whole, "whole.step"));
  const auto expect_fault = [&](const std::string& from, const std::string& to, const std::string& message) {
    expect_fault_in(
        whole, from, to, [](const std::string& text) { check_step(text, "part.step"); },
        "part.step" + message);
  };
  expect_fault("ISO-10303-21;\nH", "H", ":1: is no STEP file");
  expect_fault("END-ISO-10303-21;", "", ":9: is cut off");
  expect_fault("\n#1);", "\n#3);", ":6: refers to the entity #3, which does not exist");
  expect_fault("#2 /*", "#1 /*", ":5: has the entity #1 of line 4 again");
  expect_fault("#2 /*", "#99999999999 /*", ":5: has an entity with too large a number");
  expect_fault("\n#1);", "\n#);", ":6: has a # without the number");
  expect_fault("1.));", "1.),');", ":4: a text in quotes does not end");
  expect_fault("of #9 */", "of #9", ":5: a comment does not end");
}

/// OpenCASCADE would end the program at the first and at the second one.
TEST(BadParts, OfStepHaveEntitiesOfTheKindsThatShapesNeed) {
  const std::string whole =
      "ISO-10303-21;\nDATA;\n#1=CARTESIAN_POINT('',(0.,0.,0.));\n#2=DIRECTION('',(0.,0.,1.));\n"
      "#3=AXIS2_PLACEMENT_3D('',#1,#2,$);\n#4=PLANE('',#3);\n#5=(BOUNDED_CURVE()CURVE());\nENDSEC;\nEND-ISO-"
      "10303-21;\n";
  EXPECT_NO_THROW(check_step(whole, "part.step"));
  const auto expect_fault = [&](const std::string& from, const std::string& to, const std::string& message) {
    expect_fault_in(
        whole, from, to, [](const std::string& text) { check_step(text, "part.step"); },
        "part.step" + message);
  };
  expect_fault("DIRECTION", "DIRECTIOM",
               ":4: has an entity DIRECTIOM, which is unknown; did you mean DIRECTION?");
  expect_fault("#1,#2", "#2,#2",
               ":5: AXIS2_PLACEMENT_3D refers to #2, a DIRECTION, where CARTESIAN_POINT is needed");
  expect_fault("'',#3", "'',#1",
               ":6: PLANE refers to #1, a CARTESIAN_POINT, where AXIS2_PLACEMENT_3D is needed");
  expect_fault("PLANE(", "PLANE-", ":6: the parenthesis behind the entity PLANE is missing");
  expect_fault("'',#3", "''9#3", ":6: a comma or parenthesis is missing behind a text in quotes");
  expect_fault("#1,#2", "#1 #2", ":5: a comma or parenthesis is missing before #2");
  EXPECT_NO_THROW(check_step(std::string(whole).replace(whole.find("PLANE"), 5, "OF_MINE"), "part.step"))
      << "a name that is like no other one may be one of another edition of the standard";
}

/// OpenCASCADE would read some of them without end.
TEST(BadParts, OfBrepAreWhole) {
  const std::string whole =
      "DBRep_DrawableShape\n\nCASCADE Topology V1, (c) Matra-Datavision\nLocations 0\nCurve2ds 0\nCurves 0\n"
      "Polygon3D 0\nSurfaces 0\nTriangulations 0\n\nTShapes 2\nVe\n1e-7\n0 0 0\n0 "
      "0\n\n0101101\n*\nCo\n\n1100000\n+2 0 *\n\n+1 0 \n";
  EXPECT_NO_THROW(check_brep(whole, "whole.brep"));
  const auto check = [](const std::string& text) { check_brep(text, "part.brep"); };
  const auto expect_cut_off = [&](const std::string& at, const std::string& message) {
    expect_input_error([&] { check(whole.substr(0, whole.find(at))); }, {"part.brep" + message});
  };
  expect_cut_off("\nCASCADE", ":1: is no BREP file as text");
  expect_cut_off("Surfaces", ":8: is damaged or cut off: it has no section Surfaces");
  expect_cut_off("+2", ":22: is cut off: it has 1 of the 2 shapes");
  expect_cut_off("+1", ":24: is cut off: the shape that it holds is not named");
  const auto expect_fault = [&](const std::string& from, const std::string& to, const std::string& message) {
    expect_fault_in(whole, from, to, check, "part.brep" + message);
  };
  expect_fault("TShapes 2", "TShapes x", ":11: \"x\" is no number of shapes");
  expect_fault("Curves 0", "Curves e", ":6: is damaged: \"e\" is no number");
  expect_fault("+2 0", "- 0", ":22: is damaged: \"-\" is no number");
}

/// Drawings of OpenCASCADE itself have all kinds of words; one wrong letter in them is told.
TEST(BadParts, SpareWholeDrawings) {
  const TemporaryFolder folder;
  for (const auto& [name, from, to, words] :
       {std::array{"ball.step", "SPHERICAL_", "SPHERICAI_", "did you mean SPHERICAL_SURFACE?"},
        std::array{"ball.brep", "TShapes", "TShopes", "is no number"}}) {
    const std::string file = (folder.path() / name).string();
    mesh_of("ball.geo", octant_geo + "Save \"" + file + "\";\n");
    const std::string drawn = read_text_file(file);
    EXPECT_GT(mesh_of(name, drawn)->n_elements(), 0);
    std::string damaged = drawn;
    const std::size_t at = damaged.find(from);
    ASSERT_NE(at, std::string::npos);
    expect_refused(name, damaged.replace(at, std::string(from).size(), to), {words});
  }
}

TEST(BadParts, LeaveNothingBehindForTheNextOne) {
  expect_refused("typo.geo", "Pont(1) = {0, 0, 0};\nPoint(2) = {1, 0, 0\n", {"line 1"});
  EXPECT_GT(mesh_of("arm.geo", arm_geo)->n_elements(), 0);
}

TEST(BadParts, HaveASizeThatMakesTooManyElements) {
  expect_input_error([] { mesh_of("arm.geo", arm_geo, 1e-9); }, {"a size of 1e-09 m gives up to"});
}

TEST(BadParts, HaveASizeOnlyWhereTheyAreMeshed) {
  const WrittenPart part("square.msh", square_msh);
  expect_input_error([&] { read_part(part.file(0.1), 1.0); }, {"it is meshed already"});
}

}  // namespace
}  // namespace kurbel::test
