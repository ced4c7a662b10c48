/// @file
/// Hamilton's equations of a mechanism, with impulses sigma of its constraints.               [P3, eqs 3-11]
///
/// For f = M(x) v_dot + h(x, v) - Q(t, x, v) + C^T lambda of a SecondOrderDae,
///
///     p = M v + C^T sigma,    C v + c_t = 0,    p_dot = g(t, x, v) + C_dot^T sigma,    sigma_dot = lambda,
///     g = Q - h + M_dot v
///
/// Any sigma(0) gives the same motion; with x, p follows from an ODE.
#pragma once

#include "integration/second_order_dae.hpp"

namespace kurbel {

/// Functions of a position, which the workspace holds with all that hangs on it.
template <class Scalar>
class CanonicalEquations {
 public:
  using Vec = VectorX<Scalar>;
  using Matrix = MatrixX<Scalar>;
  using Segment = Eigen::Ref<const Vec>;
  using Columns = Eigen::Ref<Matrix>;
  using Workspace = typename SecondOrderDae<Scalar>::Workspace;

  virtual ~CanonicalEquations() = default;

  virtual const SecondOrderDae<Scalar>& dae() const = 0;
  /// Not to be used for functions of dae() between calls of the functions below.
  virtual std::unique_ptr<Workspace> make_canonical_workspace() const = 0;

  /// Places the mechanism, and factorizes [M C^T; C 0].
  /// @return a coordinate without inertia; -1 if it is regular
  virtual Eigen::Index set_position(const OneSidedTime& t, const Segment& x, Workspace& ws) const = 0;
  /// c_t there
  virtual const Vec& constraint_rates(const Workspace& ws) const = 0;
  /// b <- [M C^T; C 0]^-1 b,    (n_v + n_c) x m
  virtual void solve(Workspace& ws, Columns b) const = 0;

  /// M v and g.
  virtual void momenta(const Segment& v, Workspace& ws, Eigen::Ref<Vec> p, Eigen::Ref<Vec> g) const = 0;

  // At the v of the last momenta():

  /// f(t, x, v, 0, 0)
  virtual void force(Workspace& ws, Eigen::Ref<Vec> f) const = 0;
  /// Adds d(w . g)/d(x, v, parameters).
  virtual void pull_back_rate(const Segment& w, Workspace& ws, Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                              Eigen::Ref<Vec> p_bar) const = 0;
  /// Adds d(w . M v)/d(x, v, parameters).
  virtual void pull_back_momentum(const Segment& w, Workspace& ws, Eigen::Ref<Vec> x_bar,
                                  Eigen::Ref<Vec> v_bar, Eigen::Ref<Vec> p_bar) const = 0;

  /// Adds d(w1 . c_dot + w2 . c_ddot)/d(x, v, parameters), at an instant without acceleration.
  /// @param ws  of make_canonical_workspace(); its position is lost
  virtual void pull_back_constraint_rates(const DaeInstant<Scalar>& at, const Segment& w1, const Segment& w2,
                                          Workspace& ws, Eigen::Ref<Vec> x_bar, Eigen::Ref<Vec> v_bar,
                                          Eigen::Ref<Vec> p_bar) const = 0;
};

}  // namespace kurbel
