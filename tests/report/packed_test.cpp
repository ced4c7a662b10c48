#include "report/packed.hpp"

#include <gtest/gtest.h>

namespace kurbel {
namespace {

TEST(Packed, TextsAreThoseOfRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Packed, NumbersAreLittleEndian) {
  EXPECT_EQ(packed(VectorXd::Constant(1, 1.0))["data"], base64(std::string_view("\0\0\x80\x3f", 4)));
  EXPECT_EQ(packed(Eigen::MatrixXi::Constant(1, 1, 258))["data"],
            base64(std::string_view("\x02\x01\0\0", 4)));
}

TEST(Packed, RangesGoFromTheLowestToTheHighestValue) {
  const nlohmann::json bytes = packed_coarsely(Eigen::Vector3d(-1.0, 0.0, 1.0));
  EXPECT_EQ(bytes["low"], -1.0);
  EXPECT_EQ(bytes["size"], 2.0);
  EXPECT_EQ(bytes["data"], base64(std::string_view("\0\x80\xff", 3)));
  EXPECT_EQ(packed_finely(Eigen::Vector2d(3.0, 3.0))["data"], base64(std::string_view("\0\0\0\0", 4)));
}

}  // namespace
}  // namespace kurbel
