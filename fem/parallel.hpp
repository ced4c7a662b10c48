/// @file
/// Loops over disjoint chunks on several threads. Every chunk writes its own entries only, so that results do
/// not depend on the number of threads.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace kurbel::fem {

/// Number of threads for the loops of this module and for OpenBLAS below the sparse factorization; all cores
/// at the start. OpenBLAS is left at one thread otherwise: in a solve several get into each other's way.
/// Values below 1 count as 1. The bits of a result are reproducible for a given number.
void set_threads(int n);
int threads();

/// Leaves OpenBLAS at one thread from the start of the program on, not only from the first factorization:
/// over the small systems of an interior-point method several wait for each other, for seconds on a busy
/// machine.
void leave_one_blas_thread();

/// Calls body(begin, end) on chunks that cover [0, n), concurrently; no chunk is smaller than `grain` unless
/// n is.
void parallel_for(Eigen::Index n, Eigen::Index grain,
                  const std::function<void(Eigen::Index begin, Eigen::Index end)>& body);

}  // namespace kurbel::fem
