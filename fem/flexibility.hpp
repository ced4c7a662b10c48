/// @file
/// Answers of an elastic body to loads, when it is held by its clamp, by the conditions of its reference
/// frame, or by its interfaces besides.
#pragma once

#include <Eigen/LU>

#include "fem/stiffness_inverse.hpp"

namespace kurbel::fem {

/// Conditions C u = 0, as many as there are rigid-body modes R, with C R = E. Q = E - R C takes the
/// rigid-body motion out of a displacement, Q^T makes a load balance itself by reactions along the rows of C.
struct FrameProjection {
  MatrixXd R;    ///< n_dofs x n_rigid
  MatrixXd C_T;  ///< n_dofs x n_rigid
};

/// Interfaces that are held besides: B u = 0, with the answers Psi to loads on B of the body without them.
struct InterfaceHold {
  MatrixXd B_T, Psi;                    ///< n_dofs x n_B, combinations of the unit loads with B Psi near E
  Eigen::PartialPivLU<MatrixXd> B_Psi;  ///< B Psi
};

/// The symmetric operator G, u = G f, by the inverse of the stiffness.
///
/// * clamped body: G = K^-1
/// * with the conditions of a frame: G = Q K_s^-1 Q^T, K_s the stiffness on statically determinate springs.
///   They are free of force under Q^T f, and Q takes out the rigid-body motion that they leave; so
///   K u = Q^T f and C u = 0, whatever the springs are.
/// * with interfaces held: G - Psi (B Psi)^-1 Psi^T = P G P^T of the G above, P = E - Psi (B Psi)^-1 B;
///   K u = f up to reactions along C and B.
///
/// On the displacements that satisfy the conditions K is definite and G its inverse. Refers to its arguments.
class Flexibility {
 public:
  Flexibility(StiffnessInverse& K, const FrameProjection* frame = nullptr,  // NOLINT: the simplest one
              const InterfaceHold* interfaces = nullptr)
      : K_(&K), frame_(frame), interfaces_(interfaces) {}

  /// Number of unknowns that the conditions and rigid ties remove.
  Eigen::Index n_conditions() const;

  /// u = G f for all columns, to rounding or as exactly as the inverse can. u is resized.
  void solve(const MatrixXd& f, MatrixXd& u) const;
  /// f, u: n_dofs x any, not the same memory.
  void solve(StiffnessInverse::ConstBlock f, StiffnessInverse::Block u) const;
  /// An approximation of G, symmetric, that takes the inverse's preconditioner in its place.
  void precondition(StiffnessInverse::ConstBlock f, StiffnessInverse::Block u) const;
  bool is_exact() const { return K_->is_exact(); }
  double accuracy() const { return K_->accuracy(); }  ///< of solve(), relative
  /// K u without the reactions along C and B: G K u = u of displacements that satisfy the conditions.
  void multiply(StiffnessInverse::ConstBlock u, StiffnessInverse::Block f) const;

  /// Takes the reactions along C and B, which G does not see, out of the loads: R^T f = 0, Psi^T f = 0.
  void take_out_reactions(StiffnessInverse::Block f) const;

 private:
  template <class Solve>
  void apply(StiffnessInverse::ConstBlock f, StiffnessInverse::Block u, const Solve& solve) const;

  StiffnessInverse* K_;
  const FrameProjection* frame_;
  const InterfaceHold* interfaces_;
};

}  // namespace kurbel::fem
