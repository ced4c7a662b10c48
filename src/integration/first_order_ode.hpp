/// @file
/// Continuous models of the form    x_dot = f(t, x, p),   x(t_0) = x_0(p)    [P2, eq. 5]
///
/// x are states, p parameters; controls are functions of time whose nodes stand among the parameters. The
/// model is immutable between calls of set_parameters; scratch memory is a Workspace of the caller's.
/// Derivatives are evaluated once per point into the workspace; then they are only applied, to several
/// columns at once, so that a model may keep them in the form that suits it.
#pragma once

#include <memory>
#include <string>

#include "base/types.hpp"
#include "integration/one_sided_time.hpp"

namespace kurbel {

template <class Scalar>
class FirstOrderOde {
 public:
  using Vec = VectorX<Scalar>;
  using Matrix = MatrixX<Scalar>;
  using Segment = Eigen::Ref<const Vec>;
  using Columns = Eigen::Ref<Matrix>;
  using ConstColumns = Eigen::Ref<const Matrix>;

  class Workspace {
   public:
    virtual ~Workspace() = default;
  };

  virtual ~FirstOrderOde() = default;

  virtual Eigen::Index n_x() const = 0;
  /// p (n_p).
  virtual const Vec& parameters() const = 0;
  /// The same as SecondOrderDae::end_parameter().
  virtual Eigen::Index end_parameter() const { return -1; }
  virtual std::unique_ptr<Workspace> make_workspace() const = 0;

  virtual void initial_state(Eigen::Ref<Vec> x0) const = 0;
  /// p_bar += (dx_0/dp)^T x_bar
  virtual void pullback_initial(const ConstColumns& x_bar, Columns p_bar) const = 0;
  /// x_dot = dx_0/dp p_dot
  virtual void push_forward_initial(const ConstColumns& p_dot, Columns x_dot) const = 0;

  /// f (n_x).
  virtual void right_hand_side(const OneSidedTime& at, const Segment& x, Workspace& ws,
                               Eigen::Ref<Vec> f) const = 0;

  /// Evaluates the derivatives at a point; all functions below apply those of the last call.
  virtual void linearize(const OneSidedTime& at, const Segment& x, Workspace& ws) const = 0;

  /// x_bar = f_x^T f_bar,   p_bar += f_p^T f_bar
  virtual void pullback(Workspace& ws, const ConstColumns& f_bar, Columns x_bar, Columns p_bar) const = 0;
  /// f_dot = f_x x_dot + f_p p_dot
  virtual void push_forward(Workspace& ws, const ConstColumns& x_dot, const ConstColumns& p_dot,
                            Columns f_dot) const = 0;

  /// Factorizes I - gamma f_x. @return false if it is singular to working precision
  virtual bool factorize(double gamma, Workspace& ws) const = 0;
  /// b <- (I - gamma f_x)^-1 b
  virtual void solve(Workspace& ws, Columns b) const = 0;
  /// b <- (I - gamma f_x)^-T b
  virtual void solve_transposed(Workspace& ws, Columns b) const = 0;

  /// Name of state i, for messages and tables.
  virtual std::string state_name(Eigen::Index i) const = 0;
};

}  // namespace kurbel
