/// @file
/// Runge-Kutta methods, the Euler methods among them, for mechanisms in coordinates of a vector space without constraints.
#pragma once

#include "integration/dae_steps.hpp"
#include "integration/first_order_form.hpp"
#include "integration/runge_kutta.hpp"

namespace kurbel {

/// y = (x, v): the steps hold no accelerations.
template <class Scalar>
class FirstOrderSteps final : public DaeSteps<Scalar> {
 public:
  using Base = DaeSteps<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Segment;
  using typename Base::Vec;

  /// @param model  without constraints
  FirstOrderSteps(Shared<const ConstantMassDae<Scalar>> model, const IntegratorOptions& options)
      : Base(model, options, 0), form_(model), steps_(form_, this->options_) {}

  /// @return a failure that names a coordinate without mass
  Status initial_state(Eigen::Ref<Vec> y0) override;
  Status step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) override;
  void pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                     Columns p_bar) override {
    steps_.pullback_step(k, y_prev, y, y_bar, p_bar);
  }
  void pullback_initial(const Segment& y0, const ConstColumns& y_bar, Columns p_bar) override {
    steps_.pullback_initial(y0, y_bar, p_bar);
  }
  void push_forward_step(Eigen::Index k, const Segment& y_prev, const Segment& y, const ConstColumns& p_dot,
                         Columns y_dot) override {
    steps_.push_forward_step(k, y_prev, y, p_dot, y_dot);
  }
  void push_forward_initial(const Segment& y0, const ConstColumns& p_dot, Columns y_dot) override {
    steps_.push_forward_initial(y0, p_dot, y_dot);
  }

 private:
  FirstOrderForm<Scalar> form_;
  RungeKutta<Scalar> steps_;
};

}  // namespace kurbel
