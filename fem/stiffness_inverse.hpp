/// @file
/// The stiffness of a body and its inverse, for one design after the other: the seam behind which a factor, a
/// multigrid method or a distributed solver stands.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "base/errors.hpp"
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

  /// Multiplies: K x.
  virtual void multiply(ConstBlock x, Block K_x) const = 0;

  /// Solves x = K^-1 b for all columns together, each to an error of `tolerance` relative to its own, in the norm of the
  /// energy; an exact inverse has no need of it.
  /// @param x  where an iteration starts, overwritten
  /// @return   iterations spent; 0 of an exact inverse
  /// @throws std::bad_alloc if there is no memory for the workspace, n x (number of columns)
  virtual int solve(ConstBlock b, Block x, double tolerance) = 0;

  /// Approximates z = K^-1 r by a symmetric positive definite operator. An exact inverse gives K^-1 r itself.
  virtual void precondition(ConstBlock r, Block z) = 0;
  /// True if precondition() is K^-1 but for rounding errors.
  virtual bool is_exact() const = 0;
  /// The relative tolerance that solve() reaches on any body.
  virtual double accuracy() const = 0;
  /// Bounds what rounding in the sums over elements does to the energies u_k^T K u_k, to first order: eps |u|^T |K| |u|,
  /// with the springs. It is large against the energy of a part that hangs on a part a million times softer.
  virtual VectorXd energy_errors(ConstBlock u) const = 0;
  /// The first solution since update() that missed its tolerance, if one did.
  virtual Status status() const { return {}; }
  /// Unknowns that rigid ties and supports take. Solutions and what is preconditioned satisfy both; their reactions are in
  /// no solution's load, so that K x and b differ by them.
  virtual Eigen::Index n_tied() const { return 0; }
  /// Memory that it holds, bytes.
  virtual double memory() const = 0;
};

/// Makes an exact inverse by a sparse Cholesky factor (fem/cholesky.hpp), whose symbolic analysis is made once.
/// @param assembly  of the body; must outlive the result
/// @throws InputError if the factor does not fit into memory
std::unique_ptr<StiffnessInverse> make_direct_inverse(const Assembly& assembly);

/// The same of a body with rigid ties u = T u_T (rigid_ties.hpp): x = T (T^T K T)^-1 T^T b.
/// @param T      n x (free unknowns)
/// @param block  consecutive unknowns of u_T that belong to a node
std::unique_ptr<StiffnessInverse> make_tied_inverse(const Assembly& assembly, SparseMatrix T, int block);

/// The most elements of a coarsest grid.
inline constexpr Eigen::Index coarsest_elements = 16500;

/// Makes the inverse of a box of equal elements by conjugate gradients with a multigrid cycle (fem/multigrid.hpp), without
/// an assembled matrix: time and memory grow with the number of elements.
/// @param assembly   of the box; must outlive the result
/// @param divisions  of the box
/// @param coarsest   most elements of the coarsest grid, which has a factor (grid_factor.hpp); members that this grid does
///                   not resolve cost iterations
/// @param held       degrees of freedom that supports hold: solutions vanish there, and the cycle has stiff springs
/// @throws InputError if the grids and the factor of the coarsest one do not fit into memory
std::unique_ptr<StiffnessInverse> make_multigrid_inverse(const Assembly& assembly,
                                                         const std::array<int, 3>& divisions,
                                                         Eigen::Index coarsest = coarsest_elements,
                                                         std::vector<Eigen::Index> held = {});

/// The message of a build without PETSc to those who want it; what they could do instead follows.
inline constexpr const char* without_petsc =
    "this kurbel was built without PETSc; build it with -DKURBEL_PETSC=ON (scripts/install.sh petsc-dev, "
    "then scripts/build.sh -DKURBEL_PETSC=ON)";

/// Makes the inverse of any mesh by PETSc: conjugate gradients with algebraic multigrid that knows the rigid-body motions,
/// by all processes of the run together (fem/processes.hpp).
/// @param assembly  of the body; must outlive the result
/// @param mesh      of the body
/// @throws InputError in a build without PETSc, and if there are more processes than nodes
std::unique_ptr<StiffnessInverse> make_petsc_inverse(const Assembly& assembly, const Mesh& mesh);

/// A maker of the inverse of a body from its assembly, which outlives it.
using MakeInverse = std::function<std::unique_ptr<StiffnessInverse>(const Assembly&)>;

}  // namespace kurbel::fem
