#include "output/plot_axis.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kurbel {
namespace {

using ::testing::ElementsAre;

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

PlotAxis logarithmic_axis_of(double low, double high) {
  PlotSpan span;
  span.include(low);
  span.include(high);
  return span.logarithmic_axis();
}

std::vector<std::string> labels_of(const PlotAxis& axis) {
  std::vector<std::string> labels;
  for (const PlotTick& tick : axis.logarithmic_ticks())
    if (!tick.label.empty()) labels.push_back(tick.label);
  return labels;
}

TEST(PlotAxis, HasDecadesFromAndToRoundNumbers) {
  EXPECT_THAT(labels_of(logarithmic_axis_of(10.5, 56.0)), ElementsAre("10", "20", "50", "100"));
  EXPECT_THAT(labels_of(logarithmic_axis_of(0.2, 3.0)), ElementsAre("0.2", "0.5", "1", "2", "5"));
  const PlotAxis micrometres = logarithmic_axis_of(3e-6, 1e-4);
  EXPECT_THAT(labels_of(micrometres), ElementsAre("2", "5", "10", "20", "50", "100"));
  EXPECT_EQ(micrometres.factor(), "×10^-6");
  const PlotAxis many = logarithmic_axis_of(2.5e-7, 4.0);
  EXPECT_THAT(labels_of(many), ElementsAre("10^-6", "10^-5", "10^-4", "10^-3", "10^-2", "10^-1", "10^0"));
  EXPECT_EQ(many.factor(), "");
  EXPECT_EQ(many.label_length(), 5.0);
}

TEST(PlotAxis, PlacesNumbersByTheirLogarithms) {
  PlotAxis axis = logarithmic_axis_of(1e-6, 1e-2);
  axis.first_pixel = 100.0, axis.last_pixel = 500.0;
  EXPECT_NEAR(axis.at(1e-6), 100.0, 1e-9);
  EXPECT_NEAR(axis.at(1e-3), 400.0, 1e-9);
  EXPECT_NEAR(axis.at(2e-3), 400.0 + 100.0 * std::log10(2.0), 1e-9);
  for (const PlotTick& tick : axis.logarithmic_ticks()) {
    if (tick.label != "10^-5") continue;
    EXPECT_NEAR(tick.pixel, 200.0, 1e-9);
  }
  EXPECT_TRUE(axis.has(1e-6));
  EXPECT_FALSE(axis.has(0.0) || axis.has(-1.0) || axis.has(9e-7) || axis.has(std::nan("")));
}

TEST(PlotAxis, OfOneNumberHasItsNeighbours) {
  EXPECT_THAT(labels_of(logarithmic_axis_of(2.0, 2.0)), ElementsAre("1", "2", "5"));
  EXPECT_THAT(labels_of(logarithmic_axis_of(3.0, 3.0)), ElementsAre("2", "5"));
  EXPECT_THAT(labels_of(PlotSpan().logarithmic_axis()), ElementsAre("1", "2", "5", "10"));
}

TEST(PlotAxis, OfDegreesHasMultiplesOf45) {
  const auto degrees = [](double low, double high) {
    PlotSpan span;
    span.include(low);
    span.include(high);
    return span.axis_of_degrees();
  };
  const PlotAxis narrow = degrees(177.4, 180.0);
  EXPECT_EQ(narrow.low, 135.0);
  EXPECT_EQ(narrow.high, 225.0);
  EXPECT_EQ(narrow.step, 45.0);
  const PlotAxis wide = degrees(-540.0, 10.0);  // more than eight times 45
  EXPECT_EQ(wide.low, -585.0);
  EXPECT_EQ(wide.high, 45.0);
  EXPECT_EQ(wide.step, 90.0);
  EXPECT_EQ(degrees(90.0, 90.0).low, 45.0);
  EXPECT_EQ(degrees(90.0, 90.0).high, 135.0);
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
