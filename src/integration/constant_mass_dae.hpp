/// @file
/// Mechanisms in coordinates of a vector space, x in R^n, v = x_dot, with a constant mass matrix:
///
///     M(p) v_dot = F(t, x, v; p) - C(x; p)^T lambda,      c(t, x; p) = 0,      C = dc/dx
///
/// Every row of c is a polynomial in x of degree two at most, plus a function of time: C is affine in x and does not
/// depend on t, so that the Hessians of c are constant and symmetric, and
///
///     (C v)_x = H(v) := C(v) - C(0)       c_dot = C v + c_t       c_ddot = C v_dot + H(v) v + c_tt
#pragma once

#include "integration/assembled_dae.hpp"

namespace kurbel {

/// The common part of the workspaces of such models.
template <class Scalar>
class ConstantMassWorkspace : public SecondOrderDae<Scalar>::Workspace {
 public:
  /// @param C  of make_jacobians()
  explicit ConstantMassWorkspace(BlockMatrix<Scalar> C) : C(std::move(C)) {}
  BlockMatrix<Scalar> C;  ///< of residual()
};

/// Their workspaces are ConstantMassWorkspaces.
template <class Scalar>
class ConstantMassDae : public AssembledDae<Scalar> {
 public:
  using Base = AssembledDae<Scalar>;
  using typename Base::Columns;
  using typename Base::ConstColumns;
  using typename Base::Segment;
  using typename Base::Vec;
  using Instant = DaeInstant<Scalar>;
  using Matrix = MatrixX<Scalar>;
  using Workspace = typename Base::Workspace;

  /// M (n_v x n_v), symmetric; may be singular where constraints hold the rest. Its blocks are those of M in
  /// make_jacobians(), in the same order.
  virtual const BlockMatrix<Scalar>& mass() const = 0;
  /// The units in which steps judge how far coordinates have moved from x (n_v), so that no decision depends on the unit of
  /// length: a length of the mechanism for positions, 1 for axes and slopes. Unless overridden, 1.
  virtual VectorXd coordinate_units(const Segment& x) const { return VectorXd::Ones(x.size()); }
  /// F (n_v), overwritten.
  virtual void force(const OneSidedTime& t, const Segment& x, const Segment& v, Workspace& ws,
                     Eigen::Ref<Vec> F) const = 0;
  /// f_x = -dF/dx and f_v = -dF/dv of out, overwritten; M and C of it are left alone.
  virtual void force_jacobians(const OneSidedTime& t, const Segment& x, const Segment& v, Workspace& ws,
                               DaeJacobians<Scalar>& out) const = 0;
  /// Tells what rounding took of x and v: forces and derivatives of them that this workspace has at (t, x, v)
  /// are those at x + dx and v + dv, until another instant is evaluated. In what is short and stiff the dx that x can not
  /// hold makes a difference. Unless overridden, all is as if it were zero.
  virtual void refine(const OneSidedTime& /*t*/, const Segment& /*x*/, const Segment& /*v*/,
                      const Segment& /*dx*/, const Segment& /*dv*/, Workspace& /*ws*/) const {}
  /// c (n_c) and C (n_c x n_v), overwritten.
  virtual void constraints(double t, const Segment& x, Workspace& ws, Eigen::Ref<Vec> c,
                           BlockMatrix<Scalar>& C) const = 0;
  /// dc/dt (n_c), overwritten.
  virtual void constraint_rate(double t, Workspace& ws, Eigen::Ref<Vec> c_t) const = 0;
  /// d^2c/dt^2 (n_c), overwritten.
  virtual void constraint_acceleration(double t, Workspace& ws, Eigen::Ref<Vec> c_tt) const = 0;
  /// K += weight d(C^T a)/dx, symmetric, in blocks that f_x of make_jacobians() has.
  virtual void add_reaction_jacobian(const Segment& x, const Segment& a, double weight, Workspace& ws,
                                     BlockMatrix<Scalar>& K) const = 0;

  /// p_bar += d(w . (M a - F))/dp
  virtual void pullback_motion(const OneSidedTime& t, const Segment& x, const Segment& v, const Segment& a,
                               const Segment& w, Workspace& ws, Eigen::Ref<Vec> p_bar) const = 0;
  /// The same of several w, a column each. Unless overridden, one after the other.
  virtual void pullback_motions(const OneSidedTime& t, const Segment& x, const Segment& v, const Segment& a,
                                const ConstColumns& w, Workspace& ws, Columns p_bar) const;
  /// p_bar += d(mu . c + w . C^T a)/dp
  virtual void pullback_positions(double t, const Segment& x, const Segment& mu, const Segment& w,
                                  const Segment& a, Workspace& ws, Eigen::Ref<Vec> p_bar) const = 0;

  /// out = d(M a - F)/dp p_dot. Unless overridden, row by row through pullback_motion().
  /// @param p_dot  (n_p x m)      @param out  (n_v x m)   overwritten
  virtual void push_forward_motion(const OneSidedTime& t, const Segment& x, const Segment& v,
                                   const Segment& a, const ConstColumns& p_dot, Workspace& ws,
                                   Columns out) const;
  /// c_p = dc/dp p_dot (n_c x m) and r_p = d(C^T a)/dp p_dot (n_v x m), overwritten. Unless overridden, row by
  /// row through pullback_positions().
  virtual void push_forward_positions(double t, const Segment& x, const Segment& a, const ConstColumns& p_dot,
                                      Workspace& ws, Columns c_p, Columns r_p) const;

  // What follows from these.

  Eigen::Index n_v() const final { return this->n_x(); }
  void residual(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c) const final;
  void jacobians(const Instant& at, Workspace& ws, DaeJacobians<Scalar>& out) const final;
  bool has_cheap_jacobians() const final { return true; }
  void linearize(const Instant& at, Workspace& ws, Eigen::Ref<Vec> f, Eigen::Ref<Vec> c,
                 DaeJacobians<Scalar>& out) const final;
  void pullback(const Instant& at, const Segment& mu_f, const Segment& mu_c, Workspace& ws,
                Eigen::Ref<Vec> p_bar) const final;
  void push_forward(const Instant& at, const ConstColumns& p_dot, Workspace& ws, Columns f_p,
                    Columns c_p) const final;
  void constraint_derivatives(const Instant& at, Workspace& ws,
                              ConstraintDerivatives<Scalar>& out) const final;
  void retract(const Segment& x, const Segment& xi, Eigen::Ref<Vec> x_new) const final { x_new = x + xi; }
  void increment(const Segment& x, const Segment& x_new, Eigen::Ref<Vec> xi) const final { xi = x_new - x; }
  void retraction_derivative(const Segment&, std::vector<RetractionBlock<Scalar>>& blocks) const final {
    blocks.clear();
  }

  /// ConstantMassStart: positions as given, velocities projected, accelerations of the equations of motion.
  std::unique_ptr<Start<Scalar>> make_start() const override;
  /// The velocity as given depends on the parameters alone.
  void given_velocity(const Segment& x, Eigen::Ref<Vec> v, Columns v_x) const final;
  bool is_position_given(Eigen::Index) const override { return true; }
  bool is_velocity_given(Eigen::Index) const override { return true; }
  bool is_rigid_coordinate(Eigen::Index) const override { return true; }

  /// M of jacobians(), overwritten.
  void copy_mass(BlockMatrix<Scalar>& M) const;
};

/// H(v), with the memory for it.
template <class Scalar>
class ConstraintCurvature {
 public:
  using Segment = Eigen::Ref<const VectorX<Scalar>>;
  using Workspace = typename SecondOrderDae<Scalar>::Workspace;

  /// @param C  with the blocks of C
  ConstraintCurvature(const ConstantMassDae<Scalar>& model, const BlockMatrix<Scalar>& C);
  /// Valid until the next call.
  const BlockMatrix<Scalar>& of(const Segment& v, Workspace& ws);

 private:
  const ConstantMassDae<Scalar>& model_;
  BlockMatrix<Scalar> H_, C0_;
  VectorX<Scalar> zero_, c_;
};

}  // namespace kurbel
