/// @file
/// Rows of a stiffness in the memory of one process, and solutions with all of them (PETSc).
#pragma once

#include <petscksp.h>

#include <vector>

#include "fem/petsc_share.hpp"

namespace kurbel::fem {

/// @throws std::bad_alloc, or std::runtime_error with PETSc's message, if a call of PETSc failed
void require_petsc(PetscErrorCode code);

/// K as a matrix of PETSc, which every process holds a share of, with conjugate gradients and smoothed aggregation
/// (GAMG) about the rigid-body motions. Of quadratic elements, the linear ones on their vertices are the first coarse
/// grid, below which the aggregation begins. Every process calls the same functions in the same order. Columns are whole
/// vectors in the order of the rows in the first process, null in the others.
class StiffnessRows {
 public:
  StiffnessRows(MPI_Comm processes, StiffnessShare share);
  ~StiffnessRows();
  StiffnessRows(const StiffnessRows&) = delete;
  StiffnessRows& operator=(const StiffnessRows&) = delete;

  /// Assembles K and sets up the preconditioner. The result does not depend on former designs.
  /// @param E         by element of the share, Pa
  /// @param matrices  by class of element, stiffness with E = 1, column major
  /// @param springs   rows, of all processes
  /// @return false if an entry of the diagonal is not positive
  bool update(const std::vector<double>& E, const std::vector<const double*>& matrices,
              const std::vector<int>& springs);

  void multiply(const double* x, double* K_x);  ///< without springs
  void precondition(const double* r, double* z);

  struct Solution {
    int iterations;
    const char* reason;  ///< why the iteration ended, PETSc's word
    bool has_converged;
  };
  Solution solve(const double* b, double* x, double tolerance);

  double memory() const;  ///< of all processes, bytes

 private:
  void count_neighbours();
  void make_matrix();
  bool has_linear_grid() const { return !share_.vertex_begin.empty(); }
  const char* prefix() const;  // of PETSc's options
  const int* ends_of(int own_node) const { return share_.ends.data() + 2 * own_node; }
  void make_interpolation();
  void make_solver();
  void make_linear_grid(PC cycle);
  void set_rigid_motions(Mat K, const std::vector<double>& positions) const;
  void add_elements(const std::vector<double>& E, const std::vector<const double*>& matrices);
  bool add_springs(const std::vector<int>& springs);
  void scatter(const double* column, Vec to);
  void gather(Vec from, double* column);

  MPI_Comm processes_;
  StiffnessShare share_;
  int first_node_ = 0, end_node_ = 0;
  std::vector<int> n_rows_, first_row_;    // by process
  std::vector<PetscInt> n_own_, n_other_;  // neighbours of every node of the share
  Mat K_ = nullptr;
  Mat from_vertices_ = nullptr;  // nodes by vertices; null without a grid of linear elements
  Vec x_ = nullptr, y_ = nullptr;
  KSP solver_ = nullptr;
  std::vector<PetscInt> spring_rows_;  // of this process, from its first row
  std::vector<double> spring_stiffness_;
};

}  // namespace kurbel::fem
