#include "mechanism/excitation.hpp"

#include <cmath>

namespace kurbel {

namespace {

constexpr double end_of_phase = 0x1p100, quadrature = 0x1p200;

class Excitation final : public TimeFunction {
 public:
  Excitation(double amplitude, double phase)
      : in_phase_(amplitude * std::cos(phase)), in_quadrature_(amplitude * std::sin(phase)) {}
  TimeValue at(double t) const override {
    return {std::abs(t) < end_of_phase ? in_phase_ * t : in_quadrature_ * (t / quadrature), 0.0, 0.0};
  }
  bool is_excitation() const override { return true; }

 private:
  double in_phase_, in_quadrature_;
};

}  // namespace

TimeFunctionPtr excitation(double amplitude, double phase) {
  return std::make_shared<Excitation>(amplitude, phase);
}

double time_in_phase(double d) {
  return d;
}

double time_in_quadrature(double d) {
  return d * quadrature;
}

}  // namespace kurbel
