#include "keys/other_format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keys/toml_parser.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// The message for a file of this name and content as a problem.
std::string refusal(const std::string& file, const std::string& text) {
  return input_error_message([&] { parse_toml(text, file); });
}

TEST(OtherFormat, OfAGeometryIsNamedWithTheKeyThatTakesIt) {
  EXPECT_EQ(
      refusal("parts/arm.geo", "// an arm\nlc = 0.1;\n"),
      "parts/arm.geo: this is a geometry of Gmsh, not a problem file (TOML). Name it in a problem file, "
      "as the part of a body: mesh = { file = \"arm.geo\" }. `kurbel check parts/arm.geo` shows its size and "
      "its surfaces");
}

TEST(OtherFormat, OfARobotIsNamedWithTheCommandThatReadsIt) {
  EXPECT_THAT(refusal("arm.urdf", "<robot name=\"arm\"/>"), HasSubstr("`kurbel import arm.urdf`"));
  EXPECT_THAT(refusal("arm.xacro", "<?xml version=\"1.0\"?>\n<robot name=\"arm\"/>"),
              HasSubstr("with `xacro`"));
}

TEST(OtherFormat, IsRecognizedByTheTextWhereTheNameSaysNothing) {
  EXPECT_THAT(refusal("arm.txt", "ISO-10303-21;\nHEADER;\n"), HasSubstr("a geometry of STEP"));
  EXPECT_THAT(refusal("arm", "$MeshFormat\n4.1 0 8\n"), HasSubstr("a mesh of Gmsh"));
  EXPECT_THAT(refusal("arm", "*Heading\n an arm\n"), HasSubstr("a mesh of Abaqus"));
  EXPECT_THAT(refusal("arm", "solid arm\nfacet normal 0 0 1\n"), HasSubstr("(STL)"));
  EXPECT_THAT(refusal("arm.xml", "<?xml version=\"1.0\"?>\n<!-- an arm -->\n<VTKFile type=\"x\">"),
              HasSubstr("a mesh of VTK"));
  EXPECT_THAT(refusal("arm.xml", "<?xml version=\"1.0\"?>\n\n<robot name=\"arm\">"),
              HasSubstr("`kurbel import arm.xml`"));
  EXPECT_THAT(refusal("run", "\x89HDF\r\n"), HasSubstr("`kurbel info run`"));
}

TEST(OtherFormat, OfDrawingsThatAreNotReadSaysWhatToExport) {
  EXPECT_THAT(refusal("Arm.SLDPRT", std::string("\xd0\xcf\x11\xe0", 4)),
              AllOf(HasSubstr("another program"), HasSubstr("Export a drawing as .step")));
}

TEST(OtherFormat, OfMeshesThatGmshReadsIsConvertedByIt) {
  const std::string unv = "    -1\n  2411\n         1         1         1        11\n";
  EXPECT_THAT(refusal("arm.unv", unv),
              AllOf(HasSubstr("a universal file"), HasSubstr(": `gmsh arm.unv -save -o arm.msh`")));
  EXPECT_THAT(refusal("arm.toml", unv), HasSubstr("name it arm.unv, then `gmsh arm.unv -save -o arm.msh`"));
  EXPECT_THAT(refusal("arm.dat", "SOL 101\nCEND\nBEGIN BULK\n"), HasSubstr("name it arm.bdf"));
  EXPECT_THAT(refusal("arm.mesh", "MeshVersionFormatted 2\nDimension 3\n"), HasSubstr("a mesh of Medit"));
}

// `kurbel check arm.txt` would show this message again.
TEST(OtherFormat, OfAPartWithoutItsEndingNamesTheEnding) {
  EXPECT_THAT(
      refusal("arm.txt", "ISO-10303-21;\n"),
      AllOf(HasSubstr("a geometry of STEP"), HasSubstr("has to end in .step"), Not(HasSubstr("mesh ="))));
}

TEST(OtherFormat, OfTextsAndBinariesThatAreNoPartsSaysWhatToDo) {
  EXPECT_THAT(refusal("arm.json", "{\"bodies\": {}}"), AllOf(HasSubstr("JSON"), HasSubstr("`kurbel new`")));
  EXPECT_THAT(refusal("arm.yaml", "bodies:\n - arm\n"), HasSubstr("YAML"));
  EXPECT_THAT(refusal("arm.toml", "<!DOCTYPE html>\n<html>"), HasSubstr("a page of the web"));
  EXPECT_THAT(refusal("arm.xml", "<?xml version=\"1.0\"?>\n<mujoco model=\"arm\">"),
              HasSubstr("reads robots in URDF"));
  EXPECT_THAT(refusal("arm.zip", "PK\x03\x04"), HasSubstr("Unpack it"));
  EXPECT_THAT(refusal("arm.3mf", "PK\x03\x04"), HasSubstr("another program"));
  EXPECT_THAT(refusal("arm.med", "\x89HDF\r\n"), HasSubstr("another program"));
  EXPECT_THAT(refusal("arm.toml",
                      "\xff\xfe"
                      "a"),
              HasSubstr("Save it as UTF-8"));
  EXPECT_THAT(refusal("arm.toml", "# K\xf6rper\n"), HasSubstr("Save the file as UTF-8"));
  EXPECT_THAT(refusal("arm.bin", std::string("\x01\x00\x02", 3)), HasSubstr("a binary file"));
}

// Coordinates such as 1.5 2.5 look like a key of many parts.
TEST(OtherFormat, IsSaidBeforeTheFaultsOfItsText) {
  std::string numbers;
  for (int i = 0; i < 30; ++i) numbers += "1.5 ";
  EXPECT_THAT(refusal("arm.inp", numbers), HasSubstr("a mesh of Abaqus"));
  EXPECT_THAT(refusal("arm.toml", numbers), HasSubstr("more than 20 parts"));
}

TEST(OtherFormat, DoesNotHideTheFaultsOfTomlOrRefuseWhatIsToml) {
  EXPECT_THAT(refusal("arm.toml", "a = \n"), AllOf(StartsWith("arm.toml:1:"), HasSubstr("not valid TOML")));
  EXPECT_NO_THROW(parse_toml("a = 1\n", "arm.inp"));
  EXPECT_EQ(other_format("a = <robot>", "arm.toml"), "");
}

}  // namespace
}  // namespace kurbel
