#include "mechanism/composed_function.hpp"

#include <utility>

namespace kurbel {

namespace {

class Scaled final : public TimeFunction {
 public:
  Scaled(TimeFunctionPtr function, double factor) : function_(std::move(function)), factor_(factor) {}
  TimeValue at(double t) const override {
    const TimeValue f = function_->at(t);
    return {factor_ * f.value, factor_ * f.rate, factor_ * f.acceleration};
  }
  double value(const OneSidedTime& t) const override { return factor_ * function_->value(t); }
  std::vector<double> jumps(double from, double to) const override { return function_->jumps(from, to); }
  TimeRange range() const override { return function_->range(); }
  bool is_constant() const override { return function_->is_constant(); }
  bool is_excitation() const override { return function_->is_excitation(); }

 private:
  TimeFunctionPtr function_;
  double factor_;
};

class Composed final : public TimeFunction {
 public:
  Composed(TimeFunctionPtr outer, TimeFunctionPtr inner)
      : outer_(std::move(outer)), inner_(std::move(inner)) {}
  TimeValue at(double t) const override {
    const TimeValue x = inner_->at(t), f = outer_->at(x.value);
    return {f.value, f.rate * x.rate, f.acceleration * x.rate * x.rate + f.rate * x.acceleration};
  }
  TimeRange range() const override { return inner_->range(); }
  bool is_constant() const override { return inner_->is_constant() || outer_->is_constant(); }

 private:
  TimeFunctionPtr outer_, inner_;
};

}  // namespace

TimeFunctionPtr scaled(TimeFunctionPtr function, double factor) {
  return std::make_shared<Scaled>(std::move(function), factor);
}

TimeFunctionPtr composed(TimeFunctionPtr outer, TimeFunctionPtr inner) {
  return std::make_shared<Composed>(std::move(outer), std::move(inner));
}

}  // namespace kurbel
