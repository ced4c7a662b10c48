/// @file
/// Routines of the BLAS and of LAPACK on lower triangles, column major. Several threads may call them at once if each call
/// runs on the thread that calls it (blas_may_be_called_in_threads()).
#pragma once

#include <Eigen/Core>

namespace kurbel::fem::blas {

/// Part of a matrix in memory: the first entry, and the distance of columns.
struct Dense {
  double* data;
  Eigen::Index stride;

  Dense at(Eigen::Index row, Eigen::Index column) const { return {data + row + column * stride, stride}; }
};

/// C := a A B^T + b C, A: m x k, B: n x k.
void multiply_transposed(Eigen::Index m, Eigen::Index n, Eigen::Index k, double a, Dense A, Dense B, double b,
                         Dense C);

/// C := a A A^T + b C, lower triangle, A: n x k.
void multiply_by_itself(Eigen::Index n, Eigen::Index k, double a, Dense A, double b, Dense C);

/// B := B L^-T, B: m x n, L: n x n.
void divide_by_transposed(Eigen::Index m, Eigen::Index n, Dense L, Dense B);

/// A := L with L L^T = A, lower triangle, n x n.
/// @return the first column whose pivot is not positive; n if there is none
Eigen::Index factorize(Eigen::Index n, Dense A);

}  // namespace kurbel::fem::blas
