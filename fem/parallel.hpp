/// @file
/// Loops over disjoint chunks on several threads.
///
/// The bits of a result do not depend on the number of threads, nor on which of them does what: chunks are
/// the same for any number, every chunk writes its own entries only, sums over chunks are added up in their
/// order, and the dense kernels of OpenBLAS below the sparse factorization, which cut their sums by the
/// number of threads, have one.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace kurbel::fem {

/// Number of threads for the loops of this module; all cores at the start. Values below 1 count as 1. Fewer
/// are taken where the system does not allow for as many.
void set_threads(int n);
int threads();

/// Leaves OpenBLAS at one thread from the start of the program on, not only from the first factorization:
/// over the small systems of an interior-point method several wait for each other, for seconds on a busy
/// machine.
void leave_one_blas_thread();

/// Calls body(begin, end) on chunks that cover [0, n), concurrently and in any order. The chunks depend on n
/// and grain only; none is smaller than `grain` unless n is. Of exceptions, the first to be thrown goes on to
/// the caller, after all threads have ended their chunks. Within `body`, another loop runs on the thread that
/// calls it.
void parallel_for(Eigen::Index n, Eigen::Index grain,
                  const std::function<void(Eigen::Index begin, Eigen::Index end)>& body);

}  // namespace kurbel::fem
