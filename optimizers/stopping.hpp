/// @file
/// The rules by which every optimizer stops, whatever its backend has of its own.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "optimizers/optimizer.hpp"

namespace kurbel {

/// Why to stop, with the numbers that led to it.
struct Stop {
  StopReason reason = StopReason::solver;
  std::string message;
};

/// "the limit optimizer.stop.iterations = 400 is reached", the limit named as the options say.
std::string iterations_are_reached(const OptimizerOptions& options);
std::string wall_time_is_reached(const OptimizerOptions& options);

/// The stopping rules of OptimizerOptions for one run. Time counts from construction: a resumed run has the
/// full time again. No rule influences the designs that are visited, only how many of them.
class StoppingRules {
 public:
  explicit StoppingRules(const OptimizerOptions& options)
      : options_(options), begin_(std::chrono::steady_clock::now()) {}

  /// Interruption and wall time.
  std::optional<Stop> after_evaluation(bool stop_requested) const;

  /// Optimality, design change and the number of iterations. Change and optimality end a run only at a
  /// feasible design.
  /// @param change_counts  false when this step says nothing about convergence; the design change starts anew
  std::optional<Stop> after_iteration(const IterationReport& report, bool feasible, bool change_counts);

  /// Forgets former designs, whose functions were others.
  void begin_anew() { least_.clear(), small_changes_ = 0; }

 private:
  /// True if the feasible designs, of which this is the next, have improved enough in so many iterations.
  bool is_progressing(double objective, int iterations);

  OptimizerOptions options_;
  std::chrono::steady_clock::time_point begin_;
  int small_changes_ = 0;
  std::vector<double> least_;  ///< least objective of the feasible designs, after each of them
};

}  // namespace kurbel
