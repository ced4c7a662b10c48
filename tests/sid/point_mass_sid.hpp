/// @file
/// A body of point masses: every coefficient by its own sum, as an independent model of standard input data.
#pragma once

#include "sid/sid.hpp"

namespace kurbel {

/// @param masses  n
/// @param r       3 x n
/// @param Phi     n matrices 3 x n_q
/// @param K       n_q x n_q
Sid point_mass_sid(const VectorXd& masses, const MatrixXd& r, const std::vector<MatrixXd>& Phi,
                   const MatrixXd& K);

/// Adds what a second-order displacement q^T Gamma q / 2 of the masses brings.
/// @param Gamma  n matrices 3 x n_q^2, column k n_q + l, symmetric in (k, l)
void add_second_order_displacement(Sid& sid, const VectorXd& masses, const MatrixXd& r,
                                   const std::vector<MatrixXd>& Gamma);

/// Symmetric in (k, l), with entries in [-size, size]. Deterministic.
std::vector<MatrixXd> random_second_order_shapes(Eigen::Index n, Eigen::Index n_q, double size,
                                                 unsigned seed);

/// Random masses, places, shapes and stiffness; two nodes, "pin" and "tip". Deterministic.
Sid random_sid(Eigen::Index n_q, unsigned seed = 1);

/// The same with a random second-order displacement.
Sid random_stiffened_sid(Eigen::Index n_q, unsigned seed = 1);

/// All coefficients, names and structures are the same, bit for bit.
bool identical(const Sid& a, const Sid& b);

}  // namespace kurbel
