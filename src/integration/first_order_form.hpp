/// @file
/// Equations of second order without constraints and with a constant mass matrix, as such of first order:
///
///     x_dot = v,   M v_dot = F(t, x, v; p),       state (x, v)                       [P2, eqs 28-30]
///
/// for one-step methods. With y = (y_x, y_v) and b likewise, (I - gamma f_y) y = b is
///
///     (M - gamma F_v - gamma^2 F_x) y_v = M b_v + gamma F_x b_x,    y_x = b_x + gamma y_v
#pragma once

#include <Eigen/LU>

#include "base/shared.hpp"
#include "integration/constant_mass_dae.hpp"
#include "integration/first_order_ode.hpp"

namespace kurbel {

template <class Scalar>
class FirstOrderForm final : public FirstOrderOde<Scalar> {
 public:
  using Base = FirstOrderOde<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Matrix;
  using typename Base::Segment;
  using typename Base::Vec;
  using typename Base::Workspace;

  /// @param model  without constraints
  explicit FirstOrderForm(Shared<const ConstantMassDae<Scalar>> model);
  /// Factorizes M anew, to be called after the parameters of the model changed.
  void update();

  Eigen::Index n_x() const override { return 2 * n_; }
  const Vec& parameters() const override { return model_.parameters(); }
  Eigen::Index end_parameter() const override { return model_.end_parameter(); }
  std::unique_ptr<Workspace> make_workspace() const override;
  void initial_state(Eigen::Ref<Vec> y0) const override;
  void pullback_initial(const ConstColumns& y_bar, Columns p_bar) const override;
  void push_forward_initial(const ConstColumns& p_dot, Columns y_dot) const override;
  void right_hand_side(const OneSidedTime& at, const Segment& y, Workspace& ws,
                       Eigen::Ref<Vec> f) const override;
  void linearize(const OneSidedTime& at, const Segment& y, Workspace& ws) const override;
  void pullback(Workspace& ws, const ConstColumns& f_bar, Columns y_bar, Columns p_bar) const override;
  void push_forward(Workspace& ws, const ConstColumns& y_dot, const ConstColumns& p_dot,
                    Columns f_dot) const override;
  bool factorize(double gamma, Workspace& ws) const override;
  void solve(Workspace& ws, Columns b) const override;
  void solve_transposed(Workspace& ws, Columns b) const override;
  std::string state_name(Eigen::Index i) const override;

 private:
  class Work;

  /// out = M^-1 b, where masses in points alone make M diagonal.
  template <class B, class Out>
  void solve_mass(const B& b, Out&& out) const {
    if (is_diagonal_) {
      out = M_.diagonal().cwiseInverse().asDiagonal() * b;
    } else {
      out = M_lu_.solve(b);
    }
  }

  Shared<const ConstantMassDae<Scalar>> shared_;
  const ConstantMassDae<Scalar>& model_;  ///< *shared_
  Eigen::Index n_;                        ///< of x
  Matrix M_;
  Eigen::PartialPivLU<Matrix> M_lu_;
  bool is_diagonal_ = false;
};

}  // namespace kurbel
