#include "mechanism/composed_function.hpp"

#include <cmath>
#include <utility>

namespace kurbel {

namespace {

/// A function that may follow the end of the motion.
class FollowingFunction : public TimeFunction {
 public:
  virtual bool follows() const = 0;
  virtual TimeFunctionPtr in_motion(double t0, double t1) const = 0;
};

class Scaled final : public FollowingFunction {
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
  bool follows() const override { return is_relative(*function_); }
  TimeFunctionPtr in_motion(double t0, double t1) const override {
    return scaled(kurbel::in_motion(function_, t0, t1), factor_);
  }

 private:
  TimeFunctionPtr function_;
  double factor_;
};

class Composed final : public FollowingFunction {
 public:
  Composed(TimeFunctionPtr outer, TimeFunctionPtr inner)
      : outer_(std::move(outer)), inner_(std::move(inner)) {}
  TimeValue at(double t) const override {
    const TimeValue x = inner_->at(t), f = outer_->at(x.value);
    return {f.value, f.rate * x.rate, f.acceleration * x.rate * x.rate + f.rate * x.acceleration};
  }
  TimeRange range() const override { return inner_->range(); }
  bool is_constant() const override { return inner_->is_constant() || outer_->is_constant(); }
  bool follows() const override { return is_relative(*inner_); }
  TimeFunctionPtr in_motion(double t0, double t1) const override {
    return composed(outer_, kurbel::in_motion(inner_, t0, t1));
  }

 private:
  TimeFunctionPtr outer_, inner_;
};

class Relative final : public FollowingFunction {
 public:
  Relative(TimeFunctionPtr of_share, double t0, double t1)
      : of_share_(std::move(of_share)), t0_(t0), span_(t1 - t0) {}
  TimeValue at(double t) const override {
    const TimeValue f = of_share_->at(share(t));
    return {f.value, f.rate / span_, f.acceleration / (span_ * span_)};
  }
  double value(const OneSidedTime& t) const override { return of_share_->value({share(t.t), t.from_left}); }
  std::vector<double> jumps(double from, double to) const override {
    std::vector<double> times = of_share_->jumps(share(from), share(to));
    for (double& t : times) t = time(t);
    return times;
  }
  TimeRange range() const override {
    const TimeRange shares = of_share_->range();
    return {time(shares.begin), time(shares.end)};
  }
  bool is_constant() const override { return of_share_->is_constant(); }
  bool follows() const override { return true; }
  TimeFunctionPtr in_motion(double t0, double t1) const override { return relative(of_share_, t0, t1); }

 private:
  /// The ends of the motion are those of a table that is held beyond them, in spite of rounding.
  double share(double t) const {
    constexpr double rounding = 1e-12;
    const double share = (t - t0_) / span_, nearest = std::round(share);
    return std::abs(share - nearest) < rounding ? nearest : share;
  }
  double time(double share) const { return t0_ + span_ * share; }

  TimeFunctionPtr of_share_;
  double t0_, span_;
};

}  // namespace

TimeFunctionPtr scaled(TimeFunctionPtr function, double factor) {
  return std::make_shared<Scaled>(std::move(function), factor);
}

TimeFunctionPtr composed(TimeFunctionPtr outer, TimeFunctionPtr inner) {
  return std::make_shared<Composed>(std::move(outer), std::move(inner));
}

TimeFunctionPtr relative(TimeFunctionPtr of_share, double t0, double t1) {
  return std::make_shared<Relative>(std::move(of_share), t0, t1);
}

TimeFunctionPtr in_motion(const TimeFunctionPtr& function, double t0, double t1) {
  const auto* follower = dynamic_cast<const FollowingFunction*>(function.get());
  return follower && follower->follows() ? follower->in_motion(t0, t1) : function;
}

bool is_relative(const TimeFunction& function) {
  const auto* follower = dynamic_cast<const FollowingFunction*>(&function);
  return follower && follower->follows();
}

}  // namespace kurbel
