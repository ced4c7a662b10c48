/// @file
/// Solutions by a Cholesky factor of supernodes, in threads.
#pragma once

#include "fem/supernodes.hpp"

namespace kurbel::fem {

/// Solves L L^T P x = P b for all columns together. Each entry of L is read twice for up to 16 columns. Each subtree is
/// solved by one thread; its contributions to the rows above are added in the order of the subtrees. Within a supernode
/// above, rows are shared by threads on the way up, and columns on the way down. Bits do not depend on the number of
/// threads.
/// @param L     entries of the factor
/// @param b, x  n x n_rhs, column major, not the same memory
/// @throws std::bad_alloc if there is no memory for the workspace: up to 16 columns of n, the rows above each subtree, and
///                        n integers by thread
void solve_supernodes(const SupernodeTree& tree, const double* L, const double* b, double* x,
                      Eigen::Index n_rhs);

}  // namespace kurbel::fem
