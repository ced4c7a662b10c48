/// @file
/// Continuous models of the form    x_dot = X(x) v,   f(t, x, v, v_dot, lambda; p) = 0,   c(t, x; p) = 0
///
/// f contains the reactions C^T lambda, C = dc/dx. x lives on a Lie group; derivatives by x are taken along
/// left-trivialised tangent coordinates, those in which v is a velocity: c_dot = C v + dc/dt.
/// The model is immutable between calls of set_parameters; scratch memory is a Workspace of the caller's.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/types.hpp"
#include "integration/block_matrix.hpp"
#include "integration/dae_instant.hpp"
#include "integration/retraction_block.hpp"
#include "integration/start.hpp"

namespace kurbel {

/// Derivatives of f, and C.
template <class Scalar>
struct DaeJacobians {
  BlockMatrix<Scalar> f_x, f_v;  ///< n_v x n_v
  BlockMatrix<Scalar> M;         ///< n_v x n_v, df/dv_dot
  BlockMatrix<Scalar> C;         ///< n_c x n_v

  void store_full() {
    for (auto* matrix : {&f_x, &f_v, &M, &C}) matrix->store_full();
  }
};

/// Constraints, their total time derivatives, and derivatives of those; d c_ddot / d v_dot = d c_dot / d v =
/// C.
template <class Scalar>
struct ConstraintDerivatives {
  void resize(Eigen::Index n_v, Eigen::Index n_c) {
    for (auto* c : {&c0, &c1, &c2}) c->setZero(n_c);
    for (auto* m : {&C, &c1_x, &c2_x, &c2_v}) m->setZero(n_c, n_v);
  }
  VectorX<Scalar> c0, c1, c2;  ///< c, c_dot, c_ddot
  MatrixX<Scalar> C, c1_x, c2_x, c2_v;
};

/// Derivatives of c, c_dot and c_ddot along m directions of parameter space, n_c x m each.
template <class Scalar>
struct ConstraintDirections {
  void resize(Eigen::Index n_c, Eigen::Index m) {
    for (auto* c : {&c0, &c1, &c2}) c->setZero(n_c, m);
  }
  MatrixX<Scalar> c0, c1, c2;
};

template <class Scalar>
class CanonicalEquations;

template <class Scalar>
class SecondOrderDae {
 public:
  using Vec = VectorX<Scalar>;
  using Matrix = MatrixX<Scalar>;
  using Instant = DaeInstant<Scalar>;
  using Segment = Eigen::Ref<const Vec>;
  using Columns = Eigen::Ref<Matrix>;
  using ConstColumns = Eigen::Ref<const Matrix>;

  class Workspace {
   public:
    virtual ~Workspace() = default;
  };

  virtual ~SecondOrderDae() = default;

  virtual Eigen::Index n_x() const = 0;
  virtual Eigen::Index n_v() const = 0;
  virtual Eigen::Index n_c() const = 0;
  virtual const Vec& parameters() const = 0;
  /// Place among the parameters of the end of the motion, s; -1: it does not vary. Residuals do not depend on it but
  /// by the instants at which they are taken: functions of time keep their shares of the motion.
  virtual Eigen::Index end_parameter() const { return -1; }
  virtual std::unique_ptr<Workspace> make_workspace() const = 0;

  /// Instants within [from, to) at which f jumps, in any order.
  virtual std::vector<double> jumps(double /*from*/, double /*to*/) const { return {}; }
  /// Instants within [from, to) at which the rate of f jumps because a control is made of straight lines, in any order.
  virtual std::vector<double> kinks(double /*from*/, double /*to*/) const { return {}; }

  /// f (n_v) and c (n_c).
  virtual void residual(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c) const = 0;
  /// @param out  of make_jacobians(); overwritten
  virtual void jacobians(const Instant& at, Workspace& ws, DaeJacobians<Scalar>& out) const = 0;
  /// residual() and jacobians() at once, where they share work.
  virtual void linearize(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c,
                         DaeJacobians<Scalar>& out) const;
  /// True if linearize() takes hardly longer than residual(), so that factors of an earlier step save little.
  virtual bool has_cheap_jacobians() const { return false; }
  /// Zeros where the Jacobians have their blocks; unless overridden one block each.
  virtual DaeJacobians<Scalar> make_jacobians() const;

  /// p_bar += d(mu_f . f + mu_c . c)/dp
  virtual void pullback(const Instant& at, const Segment& mu_f, const Segment& mu_c, Workspace& ws,
                        Eigen::Ref<Vec> p_bar) const = 0;

  /// f_p = df/dp p_dot and c_p = dc/dp p_dot. Unless overridden, row by row through pullback().
  /// @param p_dot  (n_p x m)    directions of parameter space
  /// @param f_p    (n_v x m)    overwritten
  /// @param c_p    (n_c x m)    overwritten
  virtual void push_forward(const Instant& at, const ConstColumns& p_dot, Workspace& ws, Columns f_p,
                            Columns c_p) const;

  virtual void constraint_derivatives(const Instant& at, Workspace& ws,
                                      ConstraintDerivatives<Scalar>& out) const = 0;

  /// c0, c1 and c2 of them alone, where that is cheaper.
  virtual void constraint_values(const Instant& at, Workspace& ws, ConstraintDerivatives<Scalar>& out) const {
    constraint_derivatives(at, ws, out);
  }

  /// p_bar += d(w0 . c + w1 . c_dot + w2 . c_ddot)/dp
  virtual void pullback_constraints(const Instant& at, const Segment& w0, const Segment& w1,
                                    const Segment& w2, Workspace& ws, Eigen::Ref<Vec> p_bar) const = 0;

  /// p_bar += d(mu_f . f + w0 . c + w1 . c_dot + w2 . c_ddot)/dp: pullback() and pullback_constraints() at once,
  /// where they share work.
  virtual void pullback_levels(const Instant& at, const Segment& mu_f, const Segment& w0, const Segment& w1,
                               const Segment& w2, Workspace& ws, Eigen::Ref<Vec> p_bar) const;

  /// d(c, c_dot, c_ddot)/dp p_dot. Unless overridden, row by row through pullback_constraints().
  virtual void push_forward_constraints(const Instant& at, const ConstColumns& p_dot, Workspace& ws,
                                        ConstraintDirections<Scalar>& out) const;

  /// x o exp(xi), and its blocks in the order of offsets, each within the columns of one block of Jacobians.
  virtual void retract(const Segment& x, const Segment& xi, Eigen::Ref<Vec> x_new) const = 0;
  /// xi with x_new = x o exp(xi), for turns of less than half a revolution.
  virtual void increment(const Segment& x, const Segment& x_new, Eigen::Ref<Vec> xi) const = 0;
  virtual void retraction_derivative(const Segment& xi,
                                     std::vector<RetractionBlock<Scalar>>& blocks) const = 0;

  /// The motion's start, and its derivatives by the parameters.
  virtual std::unique_ptr<Start<Scalar>> make_start() const = 0;

  /// Hamilton's equations of the same mechanism, which must not outlive this; nullptr: there are none.
  /// @throws InputError if a body is flexible
  virtual std::shared_ptr<const CanonicalEquations<Scalar>> canonical() const { return nullptr; }

  /// Body of tangent coordinate i, for messages.
  virtual std::string coordinate_name(Eigen::Index i) const = 0;

  /// Tangent coordinate i, for users who name it: "crank.rz".
  virtual std::string coordinate_label(Eigen::Index i) const = 0;

  /// Joint and degree of freedom of row i of c, for messages.
  virtual std::string constraint_name(Eigen::Index i) const = 0;
};

}  // namespace kurbel
