#include "output/plot_axis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kurbel {
namespace {

PlotAxis axis_of(double low, double high) {
  PlotSpan span;
  span.include(low);
  span.include(high);
  return span.axis(0.0);
}

TEST(PlotAxis, SetsPowersOfAThousandApartWhereNumbersGetLong) {
  EXPECT_EQ(axis_of(0.0, 1.1e7).factor(), "×10^6");
  EXPECT_DOUBLE_EQ(axis_of(0.0, 1.1e7).high, 11.0);
  EXPECT_EQ(axis_of(-2e-5, 1e-6).factor(), "×10^-6");
  EXPECT_EQ(axis_of(0.0, 9999.0).factor(), "");
  EXPECT_EQ(axis_of(0.0, 1e4).factor(), "×10^3");
  EXPECT_EQ(axis_of(0.0, 0.01).factor(), "");
}

TEST(PlotAxis, TicksAreAboutASixthOfTheAxisApartAtRoundNumbers) {
  for (double extent = 0.011; extent < 9000.0; extent *= 1.07) {
    const double step = axis_of(0.0, extent).step;
    EXPECT_GT(extent / step, 6.0 / 1.6) << extent;  // half way from 2 to 5 is a factor of 1.58
    EXPECT_LT(extent / step, 6.0 * 1.6) << extent;
    const double mantissa = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
    EXPECT_TRUE(std::abs(mantissa - 1) < 1e-9 || std::abs(mantissa - 2) < 1e-9 ||
                std::abs(mantissa - 5) < 1e-9)
        << step;
  }
}

TEST(PlotAxis, CountsTheCharactersOfItsNumbers) {
  EXPECT_EQ(axis_of(0.0, 1.2).label_length(), 3.0);   // 1.2
  EXPECT_EQ(axis_of(-4.0, 4.0).label_length(), 2.0);  // -4
  EXPECT_EQ(axis_of(0.0, 0.02).label_length(), 5.0);  // 0.015
  EXPECT_EQ(axis_of(800.0, 1200.0).label_length(), 4.0);
}

TEST(PlotSpan, OverlooksWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  PlotSpan span;
  for (const double value : {infinity, 2.0, -infinity, std::numeric_limits<double>::quiet_NaN(), 1.0})
    span.include(value);
  EXPECT_EQ(span.low, 1.0);
  EXPECT_EQ(span.high, 2.0);
  const PlotAxis nothing = axis_of(infinity, infinity);
  EXPECT_EQ(nothing.low, 0.0);
  EXPECT_EQ(nothing.high, 1.0);
}

}  // namespace
}  // namespace kurbel
