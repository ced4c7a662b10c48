#include "output/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace kurbel {
namespace {

/// 1, 2 or 5 times a power of ten, about a sixth of the extent.
double round_step(double extent) {
  const double power = std::pow(10.0, std::floor(std::log10(extent / 6.0)));
  const double mantissa = extent / 6.0 / power;
  return power * (mantissa < 1.4 ? 1.0 : mantissa < 3.2 ? 2.0 : mantissa < 7.1 ? 5.0 : 10.0);
}

/// The power of 1000 at the end of an axis, where its numbers would be long otherwise.
int common_exponent(double largest) {
  const bool is_long = (largest < 1e-2 || largest >= 1e4) && largest > 1e-290;
  return is_long ? 3 * static_cast<int>(std::floor(std::log10(largest) / 3.0)) : 0;
}

constexpr double labelled_decades = 3.0;  ///< beyond, only powers of ten have labels
constexpr double rounding = 1e-9;         ///< of a logarithm

/// Logarithms of 1, 2 and 5 times the powers of ten around a number: the last one below it and the first one above
/// it. The number itself counts as both.
std::array<double, 2> round_neighbours(double log_value) {
  const double power = std::floor(log_value + rounding);
  double below = power, above = power;
  for (const double mantissa : {1.0, 2.0, 5.0, 10.0}) {
    above = power + std::log10(mantissa);
    if (above >= log_value - rounding) break;
    below = above;
  }
  return {std::abs(above - log_value) <= rounding ? above : below, above};
}

}  // namespace

std::string PlotAxis::factor() const {
  return exponent == 0 ? "" : fmt::format("×10^{}", exponent);
}

double PlotAxis::label_length() const {
  if (logarithmic) {
    std::size_t longest = 0;
    for (const PlotTick& tick : logarithmic_ticks()) longest = std::max(longest, tick.label.size());
    return static_cast<double>(longest);
  }
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step))));
  return static_cast<double>(std::max(fmt::formatted_size("{:.{}f}", low, decimals),
                                      fmt::formatted_size("{:.{}f}", high, decimals)));
}

bool PlotAxis::has(double value) const {
  if (!std::isfinite(value)) return false;
  return !logarithmic || (value > 0.0 && std::log10(value / unit) >= low - rounding);
}

double PlotAxis::at(double value) const {
  const double place = logarithmic ? std::log10(value / unit) : value / unit;
  return first_pixel + (place - low) / (high - low) * (last_pixel - first_pixel);
}

std::vector<PlotTick> PlotAxis::logarithmic_ticks() const {
  const bool is_long = high - low > labelled_decades;
  std::vector<PlotTick> ticks;
  for (int power = static_cast<int>(std::floor(low + rounding)); power <= high + rounding; ++power) {
    for (int mantissa = 1; mantissa <= 9; ++mantissa) {
      const double value = mantissa * std::pow(10.0, power), place = std::log10(value);
      if (place < low - rounding || place > high + rounding) continue;
      PlotTick tick{at(value * unit), ""};
      if (is_long) {
        if (mantissa == 1) tick.label = fmt::format("10^{}", power);
      } else if (mantissa == 1 || mantissa == 2 || mantissa == 5) {
        tick.label = fmt::format("{:.6g}", value);
      }
      ticks.push_back(std::move(tick));
    }
  }
  return ticks;
}

void PlotSpan::include(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

PlotAxis PlotSpan::axis(double margin) const {
  PlotAxis axis;
  if (low > high) return axis;
  const double largest = std::max(std::abs(low), std::abs(high));
  axis.exponent = common_exponent(largest);
  axis.unit = std::pow(10.0, axis.exponent);
  const double size = largest / axis.unit;
  axis.low = low / axis.unit;
  axis.high = high / axis.unit;
  double spare = margin * (axis.high - axis.low);
  if (axis.high - axis.low <= 1e-9 * size || size < 1e-200) {  // constant but for rounding
    spare = size < 1e-200 ? 1.0 : 0.5 * size;
  }
  axis.low -= spare;
  axis.high += spare;
  axis.step = round_step(axis.high - axis.low);
  return axis;
}

PlotAxis PlotSpan::logarithmic_axis() const {
  if (low > high) return PlotSpan{1.0, 10.0}.exact_logarithmic_axis();
  PlotSpan round{std::log10(low), std::log10(high)};
  round = {round_neighbours(round.low)[0], round_neighbours(round.high)[1]};
  if (round.high - round.low < rounding)  // a single number, which is round
    round = {round_neighbours(round.low - 0.1)[0], round_neighbours(round.high + 0.1)[1]};
  return PlotSpan{std::pow(10.0, round.low), std::pow(10.0, round.high)}.exact_logarithmic_axis();
}

PlotAxis PlotSpan::exact_logarithmic_axis() const {
  PlotAxis axis;
  axis.logarithmic = true;
  axis.low = std::log10(low);
  axis.high = std::log10(high);
  if (axis.high - axis.low > labelled_decades) return axis;
  axis.exponent = common_exponent(high);
  axis.unit = std::pow(10.0, axis.exponent);
  axis.low -= axis.exponent;
  axis.high -= axis.exponent;
  return axis;
}

PlotAxis PlotSpan::axis_of_degrees() const {
  constexpr double eighth = 45.0, spare = 9.0;
  PlotAxis axis;
  axis.low = -eighth, axis.high = eighth, axis.step = eighth;
  if (low > high) return axis;
  axis.low = eighth * std::floor((low - spare) / eighth);
  axis.high = eighth * std::ceil((high + spare) / eighth);
  while (axis.high - axis.low > 8.0 * axis.step) axis.step *= 2.0;
  return axis;
}

}  // namespace kurbel
