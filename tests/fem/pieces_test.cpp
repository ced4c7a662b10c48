#include "fem/pieces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drawn_elements.hpp"

namespace kurbel::fem::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

/// A body that is clamped at its left edge and has the marker "pin" at its right one.
Pieces pieces_between(const DrawnElements& drawn) {
  const double right = drawn.mesh.positions().row(0).maxCoeff();
  return find_pieces(
      drawn.mesh, drawn.set,
      {{"clamp", nodes_at(drawn.mesh, 0, 0.0), true}, {"pin", nodes_at(drawn.mesh, 0, right)}});
}

TEST(Pieces, CountsABarAsOne) {
  const Pieces pieces = pieces_between(DrawnElements({"..........",  //
                                                      "##########",  //
                                                      ".........."}));
  EXPECT_EQ(pieces.n, 1);
  EXPECT_TRUE(pieces.is_whole());
}

TEST(Pieces, FindsAnIslandThatNothingHolds) {
  const Pieces pieces = pieces_between(DrawnElements({"....##....",  //
                                                      "..........",  //
                                                      "##########"}));
  EXPECT_EQ(pieces.n, 2);
  EXPECT_THAT(pieces.islands, ElementsAre(pieces.of_element[24])) << "the upper row";
  EXPECT_THAT(pieces.apart, IsEmpty());
  EXPECT_FALSE(pieces.is_whole());
}

TEST(Pieces, AreApartWhereTheyShareACornerAlone) {
  const Pieces flat = pieces_between(DrawnElements({"#####.....",  //
                                                    ".....#####"}));
  EXPECT_EQ(flat.n, 2);
  EXPECT_THAT(flat.apart, ElementsAre(Pair("clamp", "pin")));
  EXPECT_THAT(flat.islands, IsEmpty()) << "each is at a support";
  const Pieces solid = pieces_between(DrawnElements({"#####.....",  //
                                                     ".....#####"},
                                                    3));
  EXPECT_EQ(solid.n, 2) << "in 3D they share an edge, and no face";
  EXPECT_EQ(pieces_between(DrawnElements({"######....", ".....#####"}, 3)).n, 1);
}

TEST(Pieces, AtAClampAreHeldTogetherByIt) {
  const Pieces pieces = pieces_between(DrawnElements({"####......",  //
                                                      "..........",  //
                                                      "##########"}));
  EXPECT_EQ(pieces.n, 2);
  EXPECT_TRUE(pieces.is_whole());
}

TEST(Pieces, NameAMarkerThatNoPieceTouches) {
  const Pieces pieces = pieces_between(DrawnElements({"######....", "######...."}));
  EXPECT_EQ(pieces.n, 1);
  EXPECT_THAT(pieces.apart, ElementsAre(Pair("clamp", "pin")));
}

/// A marker moves with the mean of its nodes and holds nothing together.
TEST(Pieces, AtOneMarkerAreNotHeldTogetherByIt) {
  const DrawnElements drawn({"#####.....",  //
                             "..........",  //
                             "##########"});
  std::vector<int> far_end;
  for (const int node : nodes_at(drawn.mesh, 0, 5.0)) {
    if (drawn.mesh.positions()(1, node) > 1.5) far_end.push_back(node);
  }
  const Pieces pieces = find_pieces(
      drawn.mesh, drawn.set,
      {{"bearing", nodes_at(drawn.mesh, 0, 0.0)}, {"pin", nodes_at(drawn.mesh, 0, 10.0)}, {"nose", far_end}});
  EXPECT_THAT(pieces.apart, ElementsAre(Pair("pin", "nose")));
}

}  // namespace
}  // namespace kurbel::fem::test
