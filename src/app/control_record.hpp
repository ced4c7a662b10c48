/// @file
/// Everything that an optimal-control run leaves on disk while it runs, and its progress line.
#pragma once

#include <optional>

#include "base/timer.hpp"
#include "evaluation/control_nlp.hpp"
#include "output/history_csv.hpp"
#include "output/progress.hpp"
#include "output/run_directory.hpp"
#include "output/run_file.hpp"

namespace kurbel {

class ControlRecord {
 public:
  /// All arguments must outlive the record. Nothing is written before the first iteration.
  ControlRecord(const ControlProblem& problem, RunDirectory& folder, bool quiet);

  /// history.csv, run.h5 and variables.csv after each iteration: what was reached survives a crash.
  /// Rows are counted through all stages, the start of each included.
  void add_iteration(const IterationReport& report, const ControlNlp& nlp);
  void finish_progress() { progress_.finish(); }
  /// Simulates the result once more and writes its histories, pictures, motion and adjoint variables.
  void finish(const VectorXd& z, const OptimizerResult& result);

  bool begun() const { return run_.has_value(); }

 private:
  void begin();

  const ControlProblem& problem_;
  RunDirectory& folder_;
  Timer timer_;
  std::optional<RunFile> run_;
  std::optional<HistoryCsv> history_;
  Progress progress_;
  int rows_ = 0;
};

}  // namespace kurbel
