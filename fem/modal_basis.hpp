/// @file
/// The basis U of a reduction and the way back through it, for either kind: normal modes with attachment
/// modes (fem/modes.hpp), or fixed-interface modes with static answers (fem/interface_modes.hpp).
///
///     U^T M U = E,   U^T K U = diag(lambda)
///
/// For a psi that depends on the span of U only, U^T U_bar = 0, and on the displacements that the frame
/// allows,
///
///     d psi = sum(Y .* dM U) + sum(L .* dK U) + sum(P .* dB^T)
///
/// with fields Y and L for the change of the basis by that of the matrices, and P for that of the unit loads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fem/frame.hpp"
#include "fem/interface_modes.hpp"
#include "fem/modes.hpp"
#include "fem/row_sums.hpp"

namespace kurbel::fem {

/// A body as its frame holds it, at one design. Refers to its parts.
struct HeldBody {
  StiffnessInverse& K;
  const NodalMass& m;
  const ReferenceFrame& frame;
  const Assembly& assembly;
  const std::vector<MarkerOperator>& markers;
  const std::vector<UnitLoad>& loads;
  const MatrixXd& B_T;  ///< of the loads, n_free_dofs x n_loads

  /// @param interfaces  held besides, if any
  HeldPencil pencil(const InterfaceHold* interfaces = nullptr) const {
    return {{K, frame.projection(), interfaces}, m};
  }
  std::vector<std::string> load_names() const;
};

/// The normal modes that a basis keeps: those of the list, or, if it is empty, the n lowest.
struct ModeChoice {
  int n;
  const std::vector<int>& list;  ///< from 1, ascending
};

/// d psi / d U on the free degrees of freedom, and what it was formed from.
struct BasisBar {
  MatrixXd U;             ///< n_free_dofs x n_q
  VectorXd size;          ///< n_q: norms of the terms of U, before they cancel
  bool is_exact = false;  ///< U is without the part in the span of the basis, which was nothing but rounding

  void add(const MatrixXd& term) {
    U += term;
    size += norms(term);
  }
  /// Adds (K U)_k, some columns of K U from `first` on, times the rows of Ke_bar + Ke_bar^T.
  void add_stiffness(const MatrixXd& K_U, const MatrixXd& Ke_bar_sum, Eigen::Index first);
};

/// Adjoint variables of the modes, by which d psi / d U goes back to the matrices and the loads.
struct ModeAdjoint {
  MatrixXd mass;          ///< n_free_dofs x n_q: Y
  MatrixXd stiffness;     ///< n_free_dofs x n_q: L
  MatrixXd loads;         ///< n_free_dofs x n_loads: P, of a basis whose body may change its size
  MatrixXd X;             ///< n_free_dofs x n_a: adjoint of the static answers
  MatrixXd relief;        ///< R^T B^T T, n_rigid x n_a; Buckens' frame only, otherwise empty
  int cg_iterations = 0;  ///< of the block that it was solved in
};

/// Found at one design, constant from then on.
class ModalBasis {
 public:
  virtual ~ModalBasis() = default;

  /// Finds the basis of the body. Fails when a kept and an omitted mode have the same frequency, or when
  /// static answers are dependent.
  virtual Status find(const HeldBody& body, const ModeChoice& choice) = 0;
  /// The number of normal modes up to a frequency.
  /// @param limit  Hz
  /// Fails as count_modes_up_to, and when the interfaces are dependent.
  virtual Status count_modes(const HeldBody& body, double limit, int& n) = 0;

  /// The normal modes among what the basis is made of.
  const NormalModes& normal() const { return normal_; }
  virtual VectorXd lambda() const = 0;  ///< n_q, (rad/s)^2
  virtual MatrixXd shapes() const = 0;  ///< U, n_free_dofs x n_q
  /// Names of the elastic coordinates, n_q.
  virtual std::vector<std::string> names(const ModeChoice& choice) const = 0;

  /// Adds K U (Ke_bar + Ke_bar^T).
  virtual void add_stiffness_bar(const MatrixXd& Ke_bar_sum, BasisBar& bar) const = 0;
  /// Adjoint of find(), by conjugate gradients preconditioned with the inverse of K, all modes of all functions as one
  /// block.
  /// @param bars  of every function; overwritten
  /// @param out   as many
  /// Fails when they do not converge, which a nearly closed gap behind the last mode would explain.
  virtual Status solve_adjoints(const HeldBody& body, std::vector<BasisBar>& bars,
                                std::vector<ModeAdjoint>& out) const = 0;

 protected:
  Status find_normal(const HeldBody& body, const HeldPencil& held, const ModeChoice& choice);

  NormalModes normal_;
};

std::unique_ptr<ModalBasis> make_basis(BasisType type);

/// U = [Phi, Psi'], K Psi' = B^T T - M Phi D. What a change of T and D would do is left out, for it stays in
/// the span:
///
///     X = G U_bar_a,      (K - lambda_i M) v_i = P^T (U_bar_i - M X D_i^T),
///     Phi^T M v_i = 0,    P = E - Phi Phi^T M,                                        (docs/theory.md)
///     d psi = - sum_i (v_i^T dK - (lambda_i v_i - X D_i^T)^T dM) phi_i - sum_j X_j^T (dK Psi'_j - dB^T T_j)
///
/// Psi = G B^T in place of Psi' would give the same, as a difference of large numbers where some modes are
/// much softer than the others.
///
/// In Buckens' frame the displacements allowed change with the design. As R (lambda = 0) is among the modes
/// left out, v_i has a part along R, and with K Psi' = (E - M R R^T) B^T T - M Phi D, R^T M Psi' = 0 there is
/// added
///
///     - sum_j X_j^T dM R (R^T B^T T)_j - sum_j (R^T U_bar_j)^T R^T dM Psi'_j.
class NormalBasis : public ModalBasis {
 public:
  Status find(const HeldBody& body, const ModeChoice& choice) override;
  Status count_modes(const HeldBody& body, double limit, int& n) override;
  const AttachmentModes& attachment() const { return attachment_; }
  VectorXd lambda() const override;
  MatrixXd shapes() const override;
  std::vector<std::string> names(const ModeChoice& choice) const override;
  void add_stiffness_bar(const MatrixXd& Ke_bar_sum, BasisBar& bar) const override;
  Status solve_adjoints(const HeldBody& body, std::vector<BasisBar>& bars,
                        std::vector<ModeAdjoint>& out) const override;

 private:
  /// Finds what the changes of the matrices and of the loads are multiplied by.
  /// @param v  of the normal modes; out.X is that of the static answers
  void complete(const HeldBody& body, const BasisBar& bar, MatrixXd v, ModeAdjoint& out) const;

  AttachmentModes attachment_;
};

/// U = [Phi, Psi] Y with Psi = G B^T of combined loads, [Phi_bar, Psi_bar] = U_bar Y^T, X = G Psi_bar, v_i on
/// the displacements that the interfaces allow:
///
///     d psi = - sum_i v_i^T (dK - lambda_i dM) phi_i - sum_j X_j^T dK Psi_j
class CraigBamptonBasis : public ModalBasis {
 public:
  Status find(const HeldBody& body, const ModeChoice& choice) override;
  Status count_modes(const HeldBody& body, double limit, int& n) override;
  const CraigBamptonModes& modes() const { return modes_; }
  const BasisCombination& combination() const { return combination_; }
  VectorXd lambda() const override { return modes_.lambda; }
  MatrixXd shapes() const override { return modes_.U; }
  std::vector<std::string> names(const ModeChoice& choice) const override;
  void add_stiffness_bar(const MatrixXd& Ke_bar_sum, BasisBar& bar) const override;
  Status solve_adjoints(const HeldBody& body, std::vector<BasisBar>& bars,
                        std::vector<ModeAdjoint>& out) const override;

 private:
  Status hold(const HeldBody& body);

  InterfaceHold interfaces_;
  CraigBamptonModes modes_;
  BasisCombination combination_;
};

}  // namespace kurbel::fem
