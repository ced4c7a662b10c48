#include "base/numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kurbel {
namespace {

TEST(Numbers, AreReadWithAPointAndAnExponent) {
  EXPECT_EQ(parse_number("0.5"), 0.5);
  EXPECT_EQ(parse_number("+1e-3"), 1e-3);
  EXPECT_EQ(parse_number("-.25"), -0.25);
  EXPECT_EQ(parse_number("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parse_number("nan").value()));
  EXPECT_EQ(parse_integer("+17"), 17);
}

TEST(Numbers, AreNothingUnlessTheWholeTextIsOne) {
  for (const char* text :
       {"", " 1", "1 ", "1,5", "1.5m", "0x10", "1e", "--1", "+-1", "++1", "1e999", "one"}) {
    EXPECT_FALSE(parse_number(text)) << text;
    EXPECT_FALSE(parse_integer(text)) << text;
  }
  EXPECT_FALSE(parse_integer("1.0"));
  EXPECT_FALSE(parse_finite_number("inf"));
  EXPECT_FALSE(parse_finite_number("nan"));
}

}  // namespace
}  // namespace kurbel
