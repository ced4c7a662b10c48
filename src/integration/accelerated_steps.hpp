/// @file
/// Steps that carry accelerations from one to the next: where forces jump between two of them, the second one begins
/// with the accelerations after the jump (force_jump.hpp). The state that is stored is the one before the jump.
#pragma once

#include "integration/dae_steps.hpp"
#include "integration/force_jump.hpp"

namespace kurbel {

template <class Scalar>
class AcceleratedSteps : public DaeSteps<Scalar> {
 public:
  using Base = DaeSteps<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Segment;
  using typename Base::Vec;

  Status step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) final;
  void pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                     Columns p_bar) final;
  void push_forward_step(Eigen::Index k, const Segment& y_prev, const Segment& y, const ConstColumns& p_dot,
                         Columns y_dot) final;

 protected:
  /// @param n_accelerations  at least 1, see DaeSteps
  AcceleratedSteps(Shared<const SecondOrderDae<Scalar>> model, const IntegratorOptions& options,
                   int n_accelerations);

  // As step(), pullback_step() and push_forward_step(), from the state after a jump.
  virtual Status advance(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) = 0;
  virtual void pull_back_advance(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                                 Columns p_bar) = 0;
  virtual void push_forward_advance(Eigen::Index k, const Segment& y_prev, const Segment& y,
                                    const ConstColumns& p_dot, Columns y_dot) = 0;

  /// True if the last step taken is the one before step k, and no forces jump between them.
  bool can_extrapolate(Eigen::Index k) const { return k > 1 && former_.step == k - 1 && !begins_at_jump(k); }
  /// Sets w and lambda of y to those that continue the last step linearly.
  /// @pre can_extrapolate(k)
  void extrapolate(const Segment& y_prev, Eigen::Ref<Vec> y) const;

 private:
  bool begins_at_jump(Eigen::Index k) const { return jump_ && this->jumps_.has(this->time(k - 1)); }
  Status advance_and_remember(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y);

  std::unique_ptr<ForceJump<Scalar>> jump_;  ///< if there are any
  Vec after_;                                ///< the state after the jump under way
  /// The start of the last step taken.
  struct Former {
    Eigen::Index step = 0;  ///< its number; 0: none
    Vec w, lambda;
  };
  Former former_;
};

}  // namespace kurbel
