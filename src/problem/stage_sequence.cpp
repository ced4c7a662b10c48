#include "problem/stage_sequence.hpp"

#include <algorithm>
#include <cmath>

namespace kurbel {

std::vector<StageStep> sequence_of(const Problem& problem) {
  const ProjectionOptions& projection = problem.projection;
  const bool sharpens = projection.type != ProjectionOptions::Type::none;
  const std::vector<Stage> stages = problem.stages();
  std::vector<StageStep> sequence;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::size_t first = sequence.size();
    StageStep step{.stage = i, .optimizer = stages[i].optimizer};
    int left = step.optimizer.max_iterations;
    for (double beta = projection.beta_start;
         sharpens && left > projection.beta_interval && beta < projection.beta_max; beta *= 2.0) {
      step.steepness = beta, step.optimizer.max_iterations = projection.beta_interval;
      sequence.push_back(step);
      left -= projection.beta_interval;
      ++step.number;
    }
    if (sharpens)
      step.steepness = std::min(std::ldexp(projection.beta_start, step.number - 1), projection.beta_max);
    step.optimizer.max_iterations = left;
    sequence.push_back(step);
    for (std::size_t k = first; k < sequence.size(); ++k) sequence[k].count = step.number;
  }
  return sequence;
}

}  // namespace kurbel
