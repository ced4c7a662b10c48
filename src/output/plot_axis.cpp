#include "output/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kurbel {
namespace {

/// 1, 2 or 5 times a power of ten, about a sixth of the extent.
double round_step(double extent) {
  const double power = std::pow(10.0, std::floor(std::log10(extent / 6.0)));
  const double mantissa = extent / 6.0 / power;
  return power * (mantissa < 1.4 ? 1.0 : mantissa < 3.2 ? 2.0 : mantissa < 7.1 ? 5.0 : 10.0);
}

}  // namespace

std::string PlotAxis::factor() const {
  return exponent == 0 ? "" : fmt::format("×10^{}", exponent);
}

double PlotAxis::label_length() const {
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step))));
  return static_cast<double>(std::max(fmt::formatted_size("{:.{}f}", low, decimals),
                                      fmt::formatted_size("{:.{}f}", high, decimals)));
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
  if ((largest < 1e-2 || largest >= 1e4) && largest > 1e-290) {
    axis.exponent = 3 * static_cast<int>(std::floor(std::log10(largest) / 3.0));
    axis.unit = std::pow(10.0, axis.exponent);
  }
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

}  // namespace kurbel
