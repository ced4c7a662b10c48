#include "problem/stage_sequence.hpp"

#include <fmt/format.h>

namespace kurbel {

namespace {

// From one steepness of the projection to the next, where the design changes little more.
constexpr double beta_growth = 2.0;
constexpr double intermediate_progress = 5e-3;
constexpr int intermediate_iterations = 5;

}  // namespace

std::vector<StageStep> sequence_of(const Problem& problem) {
  const ProjectionOptions& projection = problem.projection;
  const std::vector<Stage> stages = problem.stages();
  std::vector<StageStep> sequence;
  double steepness = projection.beta_start;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::size_t first = sequence.size();
    StageStep step{.stage = i, .optimizer = stages[i].optimizer};
    if (projection.type != ProjectionOptions::Type::none && stages[i].vary == Vary::controls) {
      step.steepness = steepness;
    } else if (projection.type != ProjectionOptions::Type::none) {
      for (double beta = projection.beta_start; beta < projection.beta_max;
           beta *= beta_growth, ++step.number) {
        StageStep softer = step;
        softer.steepness = beta;
        softer.optimizer.near_optimum = step.number > 1;
        softer.optimizer.max_iterations = projection.beta_interval;
        softer.optimizer.name_of_iterations =
            fmt::format("projection.beta_interval = {}", projection.beta_interval);
        softer.optimizer.progress = intermediate_progress;
        softer.optimizer.progress_iterations = intermediate_iterations;
        softer.optimizer.patience = 1;
        sequence.push_back(softer);
      }
      step.steepness = steepness = projection.beta_max;
      step.optimizer.near_optimum = step.number > 1;
    }
    sequence.push_back(step);
    for (std::size_t k = first; k < sequence.size(); ++k) sequence[k].count = step.number;
  }
  return sequence;
}

}  // namespace kurbel
