#include "app/memory_of_runs.hpp"

#include <algorithm>

#include "problem/checks.hpp"

namespace kurbel {

/// The program with its libraries takes 100 MB; reduction, gradient and files of a mesh take 2.3 times what its solver alone
/// takes at least: runs of the shipped inputs, from 8000 quadrilaterals to a million hexahedra, took 0.8 to 1.3 times this.
MemoryEstimate memory_of_run(const Problem& problem, Eigen::Index n_state) {
  constexpr double of_program = 1e8, of_run = 2.3;
  double meshes = 0.0, others = least_memory_of_dense_systems(problem);
  for (const ProblemBody& body : problem.bodies) {
    if (body.type == ProblemBody::Type::flexible) meshes += least_memory(problem, body.flexible);
  }
  if (problem.integrator.step > 0.0)
    others += sizeof(double) * static_cast<double>(n_state) * (problem.integrator.n_steps() + 1.0);
  return {.least = meshes + others, .usual = of_program + of_run * meshes + others};
}

double address_space_of_blas(int threads) {
  constexpr double buffer = 135e6;  // 128 MiB and its alignment
  return buffer * (threads + 1);
}

bool fits_beside(std::span<const RunningMemory> running, double estimated, double excess, double available) {
  for (const RunningMemory& run : running) {
    if (run.estimated > 0.0) excess = std::max(excess, run.held / run.estimated);
  }
  double needed = excess * estimated;
  for (const RunningMemory& run : running) needed += std::max(0.0, excess * run.estimated - run.held);
  return needed <= available;
}

}  // namespace kurbel
