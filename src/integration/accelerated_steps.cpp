#include "integration/accelerated_steps.hpp"

#include "base/instantiate.hpp"

namespace kurbel {

template <class S>
AcceleratedSteps<S>::AcceleratedSteps(Shared<const SecondOrderDae<S>> model, const IntegratorOptions& options,
                                      int n_accelerations)
    : Base(model, options, n_accelerations) {
  former_.w.setZero(this->layout_.n_v), former_.lambda.setZero(this->layout_.n_c);
  if (this->jumps_.empty()) return;
  jump_ = std::make_unique<ForceJump<S>>(*model, this->layout_, options.linear_solver);
  after_.setZero(this->layout_.n_state());
}

template <class S>
Status AcceleratedSteps<S>::step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) {
  if (!begins_at_jump(k)) return advance_and_remember(k, y_prev, y);
  const double t = this->time(k - 1);
  if (jump_->pass(t, y_prev, after_)) return advance_and_remember(k, after_, y);
  return this->failure(t, "the accelerations after a jump of the forces are undetermined",
                       this->layout_.w(after_),
                       "give every body mass and inertia, or check the joints for a dead centre");
}

template <class S>
Status AcceleratedSteps<S>::advance_and_remember(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) {
  Status status = advance(k, y_prev, y);
  former_.step = k, former_.w = this->layout_.w(y_prev), former_.lambda = this->layout_.lambda(y_prev);
  return status;
}

template <class S>
void AcceleratedSteps<S>::extrapolate(const Segment& y_prev, Eigen::Ref<Vec> y) const {
  const DaeStateLayout& l = this->layout_;
  l.w(y) = 2.0 * l.w(y_prev) - former_.w;
  l.lambda(y) = 2.0 * l.lambda(y_prev) - former_.lambda;
}

template <class S>
void AcceleratedSteps<S>::pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y,
                                        Columns y_bar, Columns p_bar) {
  if (!begins_at_jump(k)) return pull_back_advance(k, y_prev, y, y_bar, p_bar);
  const double t = this->time(k - 1);
  jump_->pass(t, y_prev, after_);
  pull_back_advance(k, after_, y, y_bar, p_bar);
  jump_->pullback(t, y_prev, after_, y_bar, p_bar);
}

template <class S>
void AcceleratedSteps<S>::push_forward_step(Eigen::Index k, const Segment& y_prev, const Segment& y,
                                            const ConstColumns& p_dot, Columns y_dot) {
  if (!begins_at_jump(k)) return push_forward_advance(k, y_prev, y, p_dot, y_dot);
  const double t = this->time(k - 1);
  jump_->pass(t, y_prev, after_);
  jump_->push_forward(t, y_prev, after_, p_dot, y_dot);
  push_forward_advance(k, after_, y, p_dot, y_dot);
}

template class AcceleratedSteps<InstantiatedScalar>;

}  // namespace kurbel
