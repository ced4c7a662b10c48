/// @file
/// Memory of a run before it begins, and whether a further one fits beside those that go on.
#pragma once

#include <span>

#include "problem/problem.hpp"

namespace kurbel {

/// Estimated memory of a run, bytes.
struct MemoryEstimate {
  double least = 0.0;  ///< meshes, full matrices and motion alone
  double usual = 0.0;
};

/// Estimates the memory of a run from the numbers of the problem, without any mesh or matrix.
/// @param n_state  numbers that are stored for an instant; 0: not known, they count nothing
MemoryEstimate memory_of_run(const Problem& problem, Eigen::Index n_state = 0);

/// Address space of OpenBLAS for so many threads, bytes: a buffer for each when it is first called. If it gets none, it tries
/// again without an end; so there must be room for them before.
double address_space_of_blas(int threads);

/// A run in progress.
struct RunningMemory {
  double estimated = 0.0;  ///< bytes at the end
  double held = 0.0;       ///< bytes now
};

/// Says if a further run fits: running ones go on to take what they do not hold yet.
/// @param estimated  bytes of the further run
/// @param excess     largest memory of earlier runs relative to their estimates; a running one may exceed it already
/// @param available  bytes that nobody holds
bool fits_beside(std::span<const RunningMemory> running, double estimated, double excess, double available);

}  // namespace kurbel
