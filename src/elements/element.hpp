/// @file
/// The elements a system in natural coordinates is assembled from: contributions to M(xi) q_ddot = Q(q, v, u, xi).
///
/// An element sees its own coordinates, controls and parameters only (superscript (e)); the system gathers
/// them and scatters forces and derivatives.    [P2, eqs 28, 29, 31-44]
#pragma once

#include <memory>
#include <vector>

#include "base/types.hpp"

namespace kurbel {

/// The state that an element sees; views into the caller's vectors.
template <class Scalar>
struct ElementState {
  using Segment = Eigen::Ref<const VectorX<Scalar>>;
  Segment q;   ///< n_q^(e) coordinates, m or without unit (slopes)
  Segment v;   ///< n_q^(e), their rates
  Segment u;   ///< n_u^(e) controls, N or N m
  Segment xi;  ///< n_xi^(e) parameters, in the order that the element states
};

/// Derivatives of an element's force. Elements add to them.
template <class Scalar>
struct ForceDerivatives {
  void resize(Eigen::Index n_q, Eigen::Index n_u, Eigen::Index n_xi) {
    Q_q.setZero(n_q, n_q), Q_v.setZero(n_q, n_q), Q_u.setZero(n_q, n_u), Q_xi.setZero(n_q, n_xi);
  }
  MatrixX<Scalar> Q_q, Q_v;  ///< n_q x n_q
  MatrixX<Scalar> Q_u;       ///< n_q x n_u
  MatrixX<Scalar> Q_xi;      ///< n_q x n_xi
};

template <class Scalar>
class DynamicElement {
 public:
  using Vec = VectorX<Scalar>;
  using Matrix = MatrixX<Scalar>;
  using Segment = Eigen::Ref<const Vec>;

  virtual ~DynamicElement() = default;

  virtual Eigen::Index n_q() const = 0;
  virtual Eigen::Index n_u() const { return 0; }
  virtual Eigen::Index n_xi() const = 0;

  /// M^(e) += the element's mass matrix (n_q x n_q), constant in q.
  virtual void add_mass(const Segment& /*xi*/, Eigen::Ref<Matrix> /*M*/) const {}
  /// Ma_xi += d(M^(e) a)/d xi (n_q x n_xi).    [P2, eqs 41, 42]
  virtual void add_mass_derivative(const Segment& /*xi*/, const Segment& /*a*/,
                                   Eigen::Ref<Matrix> /*Ma_xi*/) const {}

  /// Q += the generalized force (n_q) on q.
  virtual void add_force(const ElementState<Scalar>& state, Eigen::Ref<Vec> Q) const = 0;
  virtual void add_derivatives(const ElementState<Scalar>& state, ForceDerivatives<Scalar>& out) const = 0;

  /// Potential energy, J; 0 for elements whose force has no potential.
  virtual Scalar potential(const ElementState<Scalar>& /*state*/) const { return Scalar(0); }
};

/// Derivatives of a state function. Functions add to them.
template <class Scalar>
struct FunctionDerivatives {
  void resize(Eigen::Index n_rows, Eigen::Index n_q, Eigen::Index n_xi) {
    h_q.setZero(n_rows, n_q), h_v.setZero(n_rows, n_q), h_xi.setZero(n_rows, n_xi);
  }
  MatrixX<Scalar> h_q, h_v;  ///< n_rows x n_q
  MatrixX<Scalar> h_xi;      ///< n_rows x n_xi
};

/// A function h(q, v, xi) of some coordinates, for costs, constraints and plots. Its state has no controls.
template <class Scalar>
class StateFunction {
 public:
  using Vec = VectorX<Scalar>;

  virtual ~StateFunction() = default;

  virtual Eigen::Index n_rows() const = 0;
  virtual Eigen::Index n_q() const = 0;
  virtual Eigen::Index n_xi() const = 0;

  virtual void value(const ElementState<Scalar>& state, Eigen::Ref<Vec> h) const = 0;
  virtual void add_derivatives(const ElementState<Scalar>& state, FunctionDerivatives<Scalar>& out) const = 0;
};

}  // namespace kurbel
