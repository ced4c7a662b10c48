#include "mechanism/road.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "base/errors.hpp"

namespace kurbel {

namespace {

class Step final : public TimeFunction {
 public:
  Step(double height, double position, double width) : height_(height), position_(position), width_(width) {}
  TimeValue at(double x) const override {
    const double tanh = std::tanh((x - position_) / width_), slope = (1.0 - tanh * tanh) / width_;
    return {0.5 * height_ * (1.0 + tanh), 0.5 * height_ * slope, -height_ * tanh * slope / width_};
  }

 private:
  double height_, position_, width_;
};

class Sine final : public TimeFunction {
 public:
  Sine(double amplitude, double wavelength, double start)
      : amplitude_(amplitude), frequency_(2.0 * std::numbers::pi / wavelength), start_(start) {}
  TimeValue at(double x) const override {
    if (x <= start_) return {};
    const double angle = frequency_ * (x - start_);
    return {amplitude_ * (1.0 - std::cos(angle)), amplitude_ * frequency_ * std::sin(angle),
            amplitude_ * frequency_ * frequency_ * std::cos(angle)};
  }

 private:
  double amplitude_, frequency_, start_;
};

void require_positive(const char* what, double value) {
  if (!(value > 0.0)) throw InputError(fmt::format("the {} of a road must be positive, not {}", what, value));
}

}  // namespace

TimeFunctionPtr road_step(double height, double position, double width) {
  require_positive("width", width);
  return std::make_shared<Step>(height, position, width);
}

TimeFunctionPtr road_sine(double amplitude, double wavelength, double start) {
  require_positive("wavelength", wavelength);
  return std::make_shared<Sine>(amplitude, wavelength, start);
}

}  // namespace kurbel
