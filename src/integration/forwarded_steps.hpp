/// @file
/// Steps that hand everything on to others, for those that do something besides.
#pragma once

#include <string>
#include <vector>

#include "integration/step_residual.hpp"

namespace kurbel {

template <class Scalar>
class ForwardedSteps : public StepResidual<Scalar> {
 public:
  using Base = StepResidual<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Segment;
  using typename Base::Vec;

  explicit ForwardedSteps(Base& steps) : steps_(steps) {}

  Eigen::Index n_state() const override { return steps_.n_state(); }
  Eigen::Index n_tangent() const override { return steps_.n_tangent(); }
  Eigen::Index n_parameters() const override { return steps_.n_parameters(); }
  Eigen::Index n_steps() const override { return steps_.n_steps(); }
  double time(Eigen::Index k) const override { return steps_.time(k); }
  Eigen::Index end_parameter() const override { return steps_.end_parameter(); }
  double quadrature_weight(Eigen::Index k) const override { return steps_.quadrature_weight(k); }
  std::string place_not_finite(const Segment& y) const override { return steps_.place_not_finite(y); }
  std::vector<std::string> choices() const override { return steps_.choices(); }
  std::vector<std::string> warnings() const override { return steps_.warnings(); }

  Status initial_state(Eigen::Ref<Vec> y0) override { return steps_.initial_state(y0); }
  Status step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) override {
    return steps_.step(k, y_prev, y);
  }
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

 protected:
  Base& steps() const { return steps_; }

 private:
  Base& steps_;
};

}  // namespace kurbel
