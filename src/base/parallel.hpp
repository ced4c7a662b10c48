/// @file
/// Loops over disjoint chunks on several threads.
///
/// The bits of a result do not depend on the number of threads, nor on which of them does what: chunks are
/// the same for any number, every chunk writes its own entries only, and sums over chunks are added up in their
/// order.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace kurbel {

/// Number of threads for loops that the calling thread begins; all cores at the start. Values below 1 count as 1.
/// Fewer are taken where the system does not allow for as many. For a while: base/thread_scope.hpp.
void set_threads(int n);
int threads();

/// Calls body(begin, end) on chunks that cover [0, n), concurrently and in any order. The chunks depend on n
/// and grain only; none is smaller than `grain` unless n is. The first exception that is thrown passes on to
/// the caller, after all threads have ended their chunks. Within `body`, and while another thread has a loop of its
/// own, a loop runs on the thread that calls it. Allocates no memory if `body` is a std::ref, but for the first
/// threads.
void parallel_for(Eigen::Index n, Eigen::Index grain,
                  const std::function<void(Eigen::Index begin, Eigen::Index end)>& body);

}  // namespace kurbel
