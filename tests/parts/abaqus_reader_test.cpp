#include "parts/abaqus_reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/input_error.hpp"
#include "tests/parts/part_texts.hpp"

namespace kurbel::test {
namespace {

using testing::ElementsAre;

/// Two squares side by side, the second of two triangles.
const std::string squares_inp = R"(** two squares
*Heading
 anything
*NODE, NSET=all
1, 0.0, 0.0
2, 1.0, 0.0
3, 2.0, 0.0
11, 0.0, 1.0
12, 1.0, 1.0
13, 2.0, 1.0
*ELEMENT, TYPE=CPS4R, ELSET=left
5, 1, 2,
12, 11
*Element, type=CPS3, elset=right
7, 2, 3, 13
8, 2, 13, 12
*NSET, NSET=bottom, GENERATE
1, 3
*NSET, NSET=corners
bottom, 13
*ELSET, ELSET=both
left, 8
*NSET, NSET=side, GENERATE
1, 11, 10
*STEP
*STATIC
0.1, 1.0
)";

TEST(AbaqusReader, ReadsNodesElementsAndSets) {
  const auto mesh = mesh_of("squares.inp", squares_inp);
  EXPECT_EQ(mesh->n_nodes(), 6);
  EXPECT_EQ(mesh->n_elements(), 3);
  EXPECT_NEAR(mesh->measures().sum(), 2.0, 1e-15);
  EXPECT_THAT(set_of(*mesh, "bottom").nodes, ElementsAre(0, 1, 2));
  EXPECT_THAT(set_of(*mesh, "corners").nodes, ElementsAre(0, 1, 2, 5));
  EXPECT_THAT(set_of(*mesh, "side").nodes, ElementsAre(0, 3));
  // Triangles come before quadrilaterals.
  EXPECT_EQ(mesh->kind_of(0), fem::ElementKind::tri3);
  EXPECT_THAT(set_of(*mesh, "left").elements, ElementsAre(2));
  EXPECT_THAT(set_of(*mesh, "both").elements, ElementsAre(1, 2));
  EXPECT_THAT(set_of(*mesh, "both").nodes, ElementsAre(0, 1, 3, 4, 5));
}

TEST(AbaqusReader, ReadsWedgesBesideHexahedra) {
  const auto mesh = mesh_of("wedge.inp", R"(*NODE
1, 0.0, 0.0, 0.0
2, 1.0, 0.0, 0.0
3, 1.0, 1.0, 0.0
4, 0.0, 1.0, 0.0
5, 0.0, 0.0, 1.0
6, 1.0, 0.0, 1.0
7, 1.0, 1.0, 1.0
8, 0.0, 1.0, 1.0
9, 2.0, 0.0, 0.0
10, 2.0, 0.0, 1.0
*ELEMENT, TYPE=C3D8
1, 1, 2, 3, 4, 5, 6, 7, 8
*ELEMENT, TYPE=C3D6
2, 2, 9, 3, 6, 10, 7
)");
  ASSERT_EQ(mesh->n_elements(), 2);
  EXPECT_NEAR(mesh->volumes().sum(), 1.5, 1e-14);
}

/// The middle of a line is its second node.
TEST(AbaqusReader, FindsTheFacesOfQuadraticLines) {
  const auto mesh = mesh_of("edge.inp", R"(*NODE
1, 0.0, 0.0
2, 1.0, 0.0
3, 1.0, 1.0
4, 0.0, 1.0
5, 0.5, 0.0
6, 1.0, 0.5
7, 0.5, 1.0
8, 0.0, 0.5
*ELEMENT, TYPE=CPS8
1, 1, 2, 3, 4, 5, 6, 7, 8
*ELEMENT, TYPE=T2D3, ELSET=edge
2, 2, 6, 3
)");
  const fem::MeshSet& edge = set_of(*mesh, "edge");
  EXPECT_THAT(edge.nodes, ElementsAre(1, 2, 5));
  EXPECT_EQ(edge.faces.size(), 1U);
}

TEST(AbaqusReader, TakesTheUnit) {
  const WrittenPart part("squares.inp", squares_inp);
  EXPECT_NEAR(read_part({.path = part.path(), .unit = 1e-3}, 1.0)->measures().sum(), 2e-6, 1e-20);
}

TEST(AbaqusReader, NamesFileAndLineOfAFault) {
  struct Fault {
    std::string from, to, message;
  };
  const std::vector<Fault> faults = {
      {"3, 2.0, 0.0", "3, 2.0, O.0", ":7: \"O.0\" is no coordinate"},
      {"3, 2.0, 0.0", "3", ":7: a node is its number and 2 or 3 coordinates"},
      {"3, 2.0, 0.0", "2, 2.0, 0.0", ":7: node 2 is there twice"},
      {"7, 2, 3, 13", "7, 2, 3, 14", ":15: element 7 has the node 14, which does not exist"},
      {"7, 2, 3, 13", "7, 2, 3", ":16: an element of type CPS3 has 3 nodes"},
      {"12, 11\n", "", ":12: element 5 has 2 of 4 nodes"},
      {"7, 2, 3, 13", "8, 2, 3, 13", ":16: element 8 is there twice"},
      {"type=CPS3", "type=CPE3", ":14: elements of type CPE3: write CPS, and state mesh.plane = \"strain\""},
      {"type=CPS3", "type=DC2D3", ":14: elements of type \"DC2D3\", which kurbel does not have"},
      {"left, 8", "left, 9", ":22: the set both has the element 9, which does not exist"},
      {"left, 8", "lift, 8", ":22: the set both names \"lift\", which is no number and no set"},
      {"1, 11, 10", "1, 18446744073709551615, 10", ":24: the set side has the node 21, which does not exist"},
      {"1, 11, 10", "18446744073709551615, 18446744073709551615",
       ":24: the set side has the node 18446744073709551615, which does not exist"},
      {"1, 11, 10", "11, 1", ":24: GENERATE needs a last number that is not below the first, and a step"}};
  for (const Fault& fault : faults) {
    std::string text = squares_inp;
    text.replace(text.find(fault.from), fault.from.size(), fault.to);
    expect_input_error([&] { mesh_of("squares.inp", text); }, {"squares.inp" + fault.message});
  }
}

TEST(AbaqusReader, PassesOverElementsOfWhichThereAreNone) {
  const auto mesh = mesh_of("squares.inp", squares_inp + "*ELEMENT, TYPE=C3D8, ELSET=solid\n");
  EXPECT_EQ(mesh->dim(), 2);
  EXPECT_EQ(mesh->n_elements(), mesh_of("squares.inp", squares_inp)->n_elements());
  expect_input_error([&] { mesh_of("cut.inp", "*NODE\n1, 0, 0\n2, 1, 0\n3, 0, 1\n*ELEMENT, TYPE=CPS3\n"); },
                     {"cut.inp: there are no elements"});
}

// Each level names the next one ten times: 10^19 ways lead to the last one.
TEST(AbaqusReader, TakesASetThatOthersNameOftenOnce) {
  constexpr int n_levels = 20;
  std::string text = squares_inp;
  for (int level = 0; level < n_levels; ++level) {
    text += fmt::format("*NSET, NSET=level{}\n", level);
    for (int i = 0; i < 10; ++i)
      text += level + 1 < n_levels ? fmt::format("level{}\n", level + 1) : std::string("bottom\n");
  }
  EXPECT_THAT(set_of(*mesh_of("squares.inp", text), "level0").nodes, ElementsAre(0, 1, 2));
  EXPECT_THAT(set_of(*mesh_of("squares.inp", squares_inp + "*NSET, NSET=own\nown, 2\n"), "own").nodes,
              ElementsAre(1));
  text += "*NSET, NSET=above\nlevel0\n";
  expect_input_error([&] { mesh_of("squares.inp", text); },
                     {"squares.inp", "sets that name each other are more than 20 deep"});
}

}  // namespace
}  // namespace kurbel::test
