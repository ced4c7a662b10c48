#include "optimizers/stopping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "optimizers/verdict.hpp"

namespace kurbel {

std::string iterations_are_reached(const OptimizerOptions& options) {
  if (options.name_of_iterations.empty())
    return fmt::format("the limit of {} iterations is reached", options.max_iterations);
  return fmt::format("the limit {} is reached", options.name_of_iterations);
}

std::string wall_time_is_reached(const OptimizerOptions& options) {
  if (options.name_of_wall_time.empty())
    return fmt::format("the time limit of {:g} s is reached", options.wall_time);
  return fmt::format("the limit {} is reached", options.name_of_wall_time);
}

std::optional<Stop> StoppingRules::after_evaluation(bool stop_requested) const {
  if (stop_requested) return Stop{StopReason::interrupted, "interrupted"};
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin_;
  if (options_.wall_time > 0.0 && elapsed.count() >= options_.wall_time)
    return Stop{StopReason::wall_time, wall_time_is_reached(options_)};
  return {};
}

bool StoppingRules::is_progressing(double objective, int iterations) {
  least_.push_back(least_.empty() ? objective : std::min(least_.back(), objective));
  const auto n = static_cast<std::size_t>(iterations);
  if (least_.size() <= n) return true;
  const double before = least_[least_.size() - 1 - n];
  return before - least_.back() >= options_.progress * std::abs(before);
}

std::optional<Stop> StoppingRules::after_iteration(const IterationReport& report, bool feasible,
                                                   bool change_counts) {
  if (feasible && options_.kkt_residual > 0.0 && report.kkt_residual <= options_.kkt_residual) {
    return Stop{StopReason::kkt_residual, fmt::format("the KKT residual {:.3g} is within {:g}",
                                                      report.kkt_residual, options_.kkt_residual)};
  }
  const bool small = report.iteration > 0 && change_counts && report.design_change <= options_.design_change;
  small_changes_ = small && options_.design_change > 0.0 ? small_changes_ + 1 : 0;
  if (feasible && small_changes_ >= options_.design_change_iterations) {
    return Stop{StopReason::design_change,
                fmt::format("the design changes by {:.3g}, within {:g}, for {} iterations",
                            report.design_change, options_.design_change, small_changes_)};
  }
  const bool is_optimal = report.kkt_residual <= converged_kkt_residual;
  const int iterations = options_.progress_iterations * (is_optimal ? 1 : options_.patience);
  if (feasible && options_.progress > 0.0 && !is_progressing(report.evaluation->objective, iterations)) {
    return Stop{StopReason::progress, fmt::format("the objective falls by less than {:g} % in {} iterations",
                                                  100.0 * options_.progress, iterations)};
  }
  if (report.iteration >= options_.max_iterations)
    return Stop{StopReason::iterations, iterations_are_reached(options_)};
  return {};
}

}  // namespace kurbel
