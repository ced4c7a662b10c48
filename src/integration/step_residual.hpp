/// @file
/// The seam of time integration and sensitivity analysis: one-step methods r_k(y_{k-1}, y_k; p) = 0.
///
/// An integrator composes a continuous model into a StepResidual; the discrete adjoint is written once, on
/// it. y may lie on a manifold: derivatives by y are taken along its tangent coordinates.
#pragma once

#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/types.hpp"

namespace kurbel {

/// A discrete solution: column k is y_k. After a failed simulation, the n_stored columns before it are valid.
template <class Scalar>
struct Trajectory {
  MatrixX<Scalar> y;  ///< n_state x (n_steps + 1)
  VectorXd t;         ///< n_steps + 1, s
  Eigen::Index n_stored = 0;

  double span() const { return t[t.size() - 1] - t[0]; }  ///< s
};

template <class Scalar>
class StepResidual {
 public:
  using Vec = VectorX<Scalar>;
  using Matrix = MatrixX<Scalar>;
  using RowVector = Eigen::Matrix<Scalar, 1, Eigen::Dynamic>;
  using Segment = Eigen::Ref<const Vec>;
  using Columns = Eigen::Ref<Matrix>;  ///< some columns of a matrix, to be changed in place
  using ConstColumns = Eigen::Ref<const Matrix>;

  virtual ~StepResidual() = default;

  virtual Eigen::Index n_state() const = 0;
  virtual Eigen::Index n_tangent() const = 0;
  virtual Eigen::Index n_parameters() const = 0;
  virtual Eigen::Index n_steps() const = 0;
  virtual double time(Eigen::Index k) const = 0;
  /// Place among the parameters of the end of the motion t_N, with which the length of the steps changes, h = (t_N -
  /// t_0) / N; -1: it is given.
  virtual Eigen::Index end_parameter() const { return -1; }
  /// The body, coordinate or joint of the first entry of a state that is not finite, for messages; may be empty.
  virtual std::string place_not_finite(const Segment& /*y*/) const { return {}; }
  /// Choices of the steps, and warnings of what makes them less accurate; for the steps taken last, for
  /// the log.
  virtual std::vector<std::string> choices() const { return {}; }
  virtual std::vector<std::string> warnings() const { return {}; }

  /// Weight of the value at t_k in an integral over time; of the order of the method.
  virtual double quadrature_weight(Eigen::Index k) const = 0;

  /// y_0(p).
  virtual Status initial_state(Eigen::Ref<Vec> y0) = 0;
  /// Solves r_k(y_{k-1}, y_k; p) = 0 for y_k.
  virtual Status step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) = 0;

  /// Backwards through step k, for several criteria at once. With mu = (dr/dy_k)^-T y_bar:
  ///     y_bar <- -(dr/dy_{k-1})^T mu,    p_bar += -(dr/dp)^T mu
  /// @param y_bar  (n_tangent x m)     on entry d psi/d y_k, on return its contribution to d psi/d y_{k-1}
  /// @param p_bar  (n_parameters x m)
  virtual void pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                             Columns p_bar) = 0;
  /// p_bar += (d y_0/d p)^T y_bar. Call with the y_0 of the last initial_state().
  virtual void pullback_initial(const Segment& y0, const ConstColumns& y_bar, Columns p_bar) = 0;

  /// Forwards through step k, for several directions in parameter space at once:
  ///     y_dot <- -(dr/dy_k)^-1 (dr/dy_{k-1} y_dot + dr/dp p_dot)
  /// @param p_dot  (n_parameters x m)
  /// @param y_dot  (n_tangent x m)     on entry that of y_{k-1}, on return that of y_k
  /// @throws InputError if the integrator has no direct differentiation
  virtual void push_forward_step(Eigen::Index k, const Segment& y_prev, const Segment& y,
                                 const ConstColumns& p_dot, Columns y_dot);
  /// y_dot = d y_0/d p p_dot. Call with the y_0 of the last initial_state().
  virtual void push_forward_initial(const Segment& y0, const ConstColumns& p_dot, Columns y_dot);

 protected:
  // The length of a step, h, where it varies with t_N: dh/dt_N = h / (t_N - t_0).

  bool varies_length() const { return end_parameter() >= 0; }
  /// p_bar += (d psi/dh) dh/dp
  /// @param bar  h d psi/dh
  void add_length_bar(const Scalar& bar, Eigen::Ref<Vec> p_bar) const {
    p_bar[end_parameter()] += bar / (time(n_steps()) - time(0));
  }
  /// dh/h along directions of parameter space, (1 x m).
  RowVector length_directions(const ConstColumns& p_dot) const {
    return p_dot.row(end_parameter()) / (time(n_steps()) - time(0));
  }
};

template <class Scalar>
void StepResidual<Scalar>::push_forward_step(Eigen::Index, const Segment&, const Segment&,
                                             const ConstColumns&, Columns) {
  throw InputError("this integrator has no direct differentiation; use the adjoint method");
}

template <class Scalar>
void StepResidual<Scalar>::push_forward_initial(const Segment&, const ConstColumns&, Columns) {
  throw InputError("this integrator has no direct differentiation; use the adjoint method");
}

/// A failure where the state at the end of step k is not finite.
template <class Scalar>
Status check_finite(const StepResidual<Scalar>& integrator, Eigen::Index k,
                    const Eigen::Ref<const VectorX<Scalar>>& y) {
  if (y.allFinite()) return {};
  return Failure{.what = "the state is not a finite number",
                 .where = integrator.place_not_finite(y),
                 .advice = "check the numbers of the input for extreme values, or reduce integrator.step",
                 .time = integrator.time(k)};
}

/// Integrates from the initial state to the end. What was computed before a failure stays in the trajectory.
template <class Scalar>
Status simulate(StepResidual<Scalar>& integrator, Trajectory<Scalar>& trajectory) {
  const Eigen::Index n = integrator.n_steps();
  trajectory.y.resize(integrator.n_state(), n + 1);
  trajectory.t.resize(n + 1);
  trajectory.n_stored = 0;
  for (Eigen::Index k = 0; k <= n; ++k) trajectory.t[k] = integrator.time(k);
  if (Status s = integrator.initial_state(trajectory.y.col(0)); s.failed()) return s;
  if (Status s = check_finite<Scalar>(integrator, 0, trajectory.y.col(0)); s.failed()) return s;
  trajectory.n_stored = 1;
  for (Eigen::Index k = 1; k <= n; ++k) {
    if (Status s = integrator.step(k, trajectory.y.col(k - 1), trajectory.y.col(k)); s.failed()) return s;
    if (Status s = check_finite<Scalar>(integrator, k, trajectory.y.col(k)); s.failed()) return s;
    trajectory.n_stored = k + 1;
  }
  return {};
}

}  // namespace kurbel
