#include "fem/opening.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drawn_elements.hpp"

namespace kurbel::fem::test {
namespace {

/// The drawing of what is left, its uppermost row first.
std::vector<std::string> opened(const std::vector<std::string>& rows, double diameter, int n_layers = 0,
                                MeshSurface surface = MeshSurface::bounds) {
  const DrawnElements drawn(rows, n_layers);
  const ElementSet left = opening(drawn.mesh, drawn.set, diameter, surface);
  std::vector<std::string> picture(rows.size(), std::string(rows.front().size(), '.'));
  const std::size_t n_x = rows.front().size(), n_y = rows.size();
  for (std::size_t e = 0; e < n_x * n_y; ++e) {
    if (left[e]) picture[n_y - 1 - e / n_x][e % n_x] = '#';
  }
  return picture;
}

const std::vector<std::string> thin_bridge = {"###......###",  //
                                              "############",  //
                                              "###......###"},
                               thick_bridge = {"###......###",  //
                                               "############",  //
                                               "############"};

TEST(Opening, RemovesABridgeOfOneElement) {
  EXPECT_EQ(opened(thin_bridge, 2.0), (std::vector<std::string>{"###......###",  //
                                                                "###......###",  //
                                                                "###......###"}));
}

TEST(Opening, KeepsABridgeOfTwoElementsUpToItsThickness) {
  EXPECT_EQ(opened(thick_bridge, 2.0), thick_bridge);
  // A wider disc does not fit any more; it loses the corners of the blocks besides, as discs do.
  const std::vector<std::string> left = opened(thick_bridge, 2.5);
  EXPECT_THAT(left[1].substr(3, 6), ::testing::StrEq("......"));
  EXPECT_THAT(left[2].substr(3, 6), ::testing::StrEq("......"));
  EXPECT_EQ(left[1][1], '#');
}

TEST(Opening, KeepsAllThatIsAsThickAsTheDiameter) {
  const std::vector<std::string> bar = {"........", "########", "########", "########", "........"};
  EXPECT_EQ(opened(bar, 2.0), bar);
  EXPECT_EQ(opened(bar, 3.0), bar);
  EXPECT_EQ(opened(bar, 3.1), (std::vector<std::string>(5, "........")));
}

const std::vector<std::string> thick_slab = {"....", "####", "####", "...."},
                               thin_slab = {"....", "####", "...."};

TEST(Opening, TakesBallsInSpace) {
  EXPECT_EQ(opened(thick_slab, 2.0, 4), thick_slab);
  EXPECT_EQ(opened(thin_slab, 2.0, 4), (std::vector<std::string>(3, "....")));
}

TEST(Opening, RemovesNoMoreWithASmallerBall) {
  EXPECT_EQ(opened(thick_slab, 1.5, 4), thick_slab)
      << "a ball around a node does not reach the centres of elements";
  EXPECT_EQ(opened(thin_slab, 1.5, 4), (std::vector<std::string>(3, "....")));
  EXPECT_EQ(opened(thin_slab, 1.0, 4), thin_slab);
}

TEST(Opening, OfAThinPlateLooksAtItsPlaneAlone) {
  EXPECT_EQ(opened(thin_bridge, 2.0, 1), opened(thin_bridge, 2.0));
  EXPECT_EQ(opened(thick_bridge, 2.0, 1), thick_bridge);
}

// A disc around a place above a shallow groove reaches into it; none within the mesh fits between its ground and its opening.
TEST(Opening, TakesDiscsBeyondASurfaceThatIsOpen) {
  const std::vector<std::string> groove = {"..########..",  //
                                           "............",  //
                                           "............",  //
                                           "............"};
  EXPECT_EQ(opened(groove, 3.0, 0, MeshSurface::is_open), (std::vector<std::string>{"...######...",  //
                                                                                    "............",  //
                                                                                    "............",  //
                                                                                    "............"}));
  EXPECT_EQ(opened(groove, 3.0), (std::vector<std::string>(4, "............")));
}

TEST(Opening, OfNothingIsNothing) {
  EXPECT_EQ(opened({"...", "..."}, 2.0), (std::vector<std::string>{"...", "..."}));
}

}  // namespace
}  // namespace kurbel::fem::test
