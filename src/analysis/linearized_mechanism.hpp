/// @file
/// A mechanism linearized about a state of rest y = (x, v = 0, v_dot = 0, lambda) of the equations
///
///     f(t, x, v, v_dot, lambda; p) = 0,    c(t, x; p) = 0:
///
///     M x'' + D x' + K x + G^T nu = 0,    G x = 0,
///     M = df/dv_dot,    D = df/dv,    K = df/dx,    G = dc/dx
///
/// with x now small displacements in tangent coordinates, nu changes of multipliers. K holds d(G^T lambda)/dx, for f holds
/// the reactions at the equilibrium: a pendulum that hangs from a joint owes its stiffness to them. Free of constraints,
/// with the columns of Z an orthonormal basis of the null space of G,
///
///     x = Z z,    (s^2 Z^T M Z + s Z^T D Z + Z^T K Z) z = 0
///
/// The derivative of an eigenvalue by anything, parameters and state alike, is that of the scalar
///
///     ds = -dP,    P(s) = w^T (s^2 M + s D + K) x + w^T G^T nu + mu^T G x
///
/// with vectors held, w^T (s^2 M + s D + K) + mu^T G = 0 and w^T (2 s M + D) x = 1. P is the derivative of w^T f + mu^T c
/// along the direction (x, s x, s^2 x, nu) of the state, so that dP follows from pull-backs of f and c on that line.
///
/// Harmonic loads and drives u exp(s t) force
///
///     P(s) x + G^T nu = -b u,    G x = -g u,    b = df/du,    g = dc/du,
///     z = l^T (x, s x, s^2 x, nu) + l_u u
///
/// with l the derivative of an observable by the state, and l_u by the excitations: in joint coordinates reactions are what the
/// loads leave to be carried. With w and mu the adjoint solution of l, dz is that of the scalar
///
///     w^T (P(s) x + G^T nu + b u) + mu^T (G x + g u) + z
///
/// vectors held: the derivative of w^T f + mu^T c + observable along the same line, on which u grows as well (excitation.hpp).
#pragma once

#include <functional>

#include "analysis/quadratic_pencil.hpp"
#include "integration/second_order_dae.hpp"

namespace kurbel {

/// A direction of the state, and what it is weighed with.
struct PencilVectors {
  std::complex<double> s;
  VectorXcd x, nu;  ///< n_v, n_c
  VectorXcd w, mu;  ///< n_v, n_c
  double u = 0.0;   ///< factor of the excitations
  VectorXcd l{};    ///< weights of observables
};

/// Observables of a mechanism's state.
/// @param t        at which excitations are read
/// @param weights  of them
/// @param y_bar    (n_tangent)      weighted derivatives by the state, added to
/// @param p_bar    (n_parameters)   explicitly by the parameters, added to
using Observed = std::function<void(double t, const VectorXd& y, const VectorXd& weights,
                                    Eigen::Ref<VectorXd> y_bar, Eigen::Ref<VectorXd> p_bar)>;

class LinearizedMechanism {
 public:
  /// @param model  must outlive it
  /// @param y      a column of states, as `layout` says
  LinearizedMechanism(const SecondOrderDae<double>& model, const DaeStateLayout& layout, double t,
                      VectorXd y);

  const SecondOrderDae<double>& model() const { return model_; }
  const DaeStateLayout& layout() const { return layout_; }
  double time() const { return t_; }
  const VectorXd& state() const { return y_; }
  const MatrixXd& M() const { return M_; }
  const MatrixXd& D() const { return D_; }
  const MatrixXd& K() const { return K_; }
  const MatrixXd& G() const { return G_; }
  const MatrixXd& Z() const { return Z_; }  ///< n_v x (degrees of freedom)
  bool is_finite() const { return M_.allFinite() && D_.allFinite() && K_.allFinite() && G_.allFinite(); }

  /// Z^T M Z, Z^T D Z, Z^T K Z
  QuadraticPencil reduced() const;
  /// The left and the right vector of a mode of reduced(), with their multipliers.
  PencilVectors full(const PencilMode& mode) const;

  /// Finds b and g.
  /// @param distance  of differences in u; b is linear in u where no drive is excited
  void excite(double distance);
  /// The steady response to the excitations times u: x and nu; without adjoint vectors.
  PencilVectors response(std::complex<double> s, double u) const;
  /// l_u of an observable.
  /// @param value  of the time at which excitations are read, in the state of rest
  std::complex<double> by_excitation(const std::function<double(double t)>& value) const;
  /// z of derivatives of an observable.
  /// @param l  (n_tangent)
  std::complex<double> observed(const PencilVectors& response, const Eigen::Ref<const VectorXd>& l,
                                std::complex<double> l_u) const;
  /// Sets the adjoint vectors of a sum of such z.
  /// @param l  (n_tangent)
  void add_adjoint(const VectorXcd& l, PencilVectors& response) const;

  /// Adds d Re(factor P(s)), as above; with observables that of the scalar above.
  /// @param y_bar  (n_tangent)      by the state
  /// @param p_bar  (n_parameters)   explicitly by the parameters
  /// @return       an estimate of the error, relative to the largest derivative, or, where all vanish, to the first
  ///               derivatives along the line: derivatives are differences of order 8 at the distance at which two of
  ///               them agree best
  double add_derivatives(const PencilVectors& at, std::complex<double> factor, Eigen::Ref<VectorXd> y_bar,
                         Eigen::Ref<VectorXd> p_bar, const Observed& observed = {}) const;

  /// The state displaced by xi (n_v), tangent coordinates.
  VectorXd displaced(const VectorXd& xi) const;

 private:
  /// Real vectors of PencilVectors.
  struct Line {
    VectorXd x, v, v_dot, nu, w, mu, l;
    double u;                     ///< the excitations at a distance of one
    double (*time)(double) = {};  ///< of the part of the excitations that belongs to the line
    const Observed* observed = {};
  };
  struct Bars {
    VectorXd y, p;
  };
  /// s^2 M + s D + K
  MatrixXcd dynamic_stiffness(std::complex<double> s) const;
  Bars bars_at(const Line& line, double distance, SecondOrderDae<double>::Workspace& ws,
               DaeJacobians<double>& jacobians) const;
  Bars difference(const Line& line, double distance, SecondOrderDae<double>::Workspace& ws,
                  DaeJacobians<double>& jacobians) const;
  /// @param unit  largest displacement of the complex line, of which this is the real or the imaginary part
  double add_along(const Line& line, double unit, Eigen::Ref<VectorXd> y_bar,
                   Eigen::Ref<VectorXd> p_bar) const;

  const SecondOrderDae<double>& model_;
  DaeStateLayout layout_;
  double t_;
  VectorXd y_;
  MatrixXd M_, D_, K_, G_, Z_;
  VectorXcd b_, g_;        ///< n_v, n_c; none without excitations
  double distance_ = 1.0;  ///< of differences in u
  MatrixXd G_inverse_;     ///< n_c x n_v: multipliers of forces, of least size
};

}  // namespace kurbel
