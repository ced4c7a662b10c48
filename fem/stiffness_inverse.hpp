/// @file
/// The stiffness of a body and its inverse, for one design after the other: the seam behind which a factor, a
/// multigrid method or a distributed solver stands.
#pragma once

#include <memory>
#include <vector>

#include "fem/assembly.hpp"

namespace kurbel::fem {

/// K on the free degrees of freedom (position * dim + direction), n square. Blocks of vectors are n x any, column
/// major; an argument and a result are not the same memory. One thread at a time.
class StiffnessInverse {
 public:
  using Block = Eigen::Ref<MatrixXd>;
  using ConstBlock = Eigen::Ref<const MatrixXd>;

  virtual ~StiffnessInverse() = default;

  enum class Outcome { ok, singular, out_of_memory };
  /// Takes the stiffness of a new design. All that follows needs an outcome `ok`.
  /// @param E        n_elements, Pa
  /// @param springs  degrees of freedom that are supported besides, each by a spring of about the stiffness that is
  ///                 there; solve() and precondition() see them, multiply() does not
  virtual Outcome update(const VectorXd& E, const std::vector<Eigen::Index>& springs) = 0;

  /// K x.
  virtual void multiply(ConstBlock x, Block K_x) const = 0;

  /// x = K^-1 b for all columns together, each to an error of `tolerance` relative to its own, in the norm of the
  /// energy; an exact inverse has no need of it.
  /// @param x  where an iteration starts, overwritten
  /// @return   iterations spent; 0 of an exact inverse
  /// @throws std::bad_alloc if there is no memory for the workspace, n x (number of columns)
  virtual int solve(ConstBlock b, Block x, double tolerance) = 0;

  /// z, near K^-1 r: a symmetric positive definite operator. Of an exact inverse it is K^-1.
  virtual void precondition(ConstBlock r, Block z) = 0;
  /// Whether precondition() is K^-1 but for rounding errors.
  virtual bool is_exact() const = 0;
  /// Of solve(), relative: the tolerance that it reaches on any body.
  virtual double accuracy() const = 0;
  /// What rounding in the sums over elements may change the energies u_k^T K u_k by, to first order: eps |u|^T |K| |u|,
  /// with the springs. It is large against the energy of a part that hangs on a part a million times softer.
  virtual VectorXd energy_errors(ConstBlock u) const = 0;
  /// Bytes held.
  virtual double memory() const = 0;
};

/// By a sparse Cholesky factor (fem/cholesky.hpp): exact, symbolic analysis once.
/// @param assembly  of the body; must outlive the result
/// @throws InputError if the factor does not fit into memory
std::unique_ptr<StiffnessInverse> make_direct_inverse(const Assembly& assembly);

}  // namespace kurbel::fem
