/// @file
/// Everything that an optimization leaves on disk while it runs, and its progress line.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>

#include "app/convergence_plot.hpp"
#include "app/provenance.hpp"
#include "app/results.hpp"
#include "base/timer.hpp"
#include "optimizers/recorded_nlp.hpp"
#include "output/csv_tables.hpp"
#include "output/progress.hpp"
#include "output/pvd_collection.hpp"
#include "output/run_directory.hpp"
#include "study/study.hpp"

namespace kurbel {

class OptimizationRecord final : public StudyEvents {
 public:
  /// Nothing is written before the first evaluation has succeeded.
  /// @param provenance   of the problem, as its files were when they were read
  /// @param interrupted  polled after each evaluation
  OptimizationRecord(Study& study, RunDirectory& folder, std::vector<ProvenancePart> provenance, bool quiet,
                     const std::atomic<bool>& interrupted);

  /// Goes on in the folder of an interrupted run, once all that it keeps has been read and found to belong to
  /// this problem.
  /// @throws InputError if the run cannot be continued; nothing in the folder has changed then
  void resume();
  /// The evaluations of the run that is resumed.
  RecordedNlp::Source source() const;

  void info(const std::string& text) override;
  void warning(const std::string& text) override;
  void steepness_changed(double beta) override { steepness_ = beta; }
  void evaluated(const StudyEvaluation& evaluation) override;
  void iterated(const StudyIteration& iteration) override;
  /// Writes what belongs to the result.
  void simulated(const StudyMotion& motion) override;
  /// Ends the progress line.
  void step_ended() override;
  std::string way_on() const override { return "continue the run with --resume"; }
  bool stop_requested() const override { return interrupted_; }
  /// Evaluates the result once more and writes what belongs to it: fields, motion, SID, trajectory,
  /// histories, pictures.
  /// @param result  over all variables of the space
  Status finish(const OptimizerResult& result);

  double steepness() const { return steepness_; }
  bool begun() const { return run_.has_value(); }
  double first_objective() const { return first_objective_; }
  /// The last of the iterations whose design the result is; none if it lies between two of them.
  std::optional<int> result_iteration() const { return result_iteration_; }
  const ChainTimes& total_times() const { return total_times_; }

 private:
  const ProblemNlp& nlp() const { return study_.program(); }
  void begin();
  void require_fitting_evaluations(const RunReader& reader) const;
  /// @param of_design  whose design it is; none: it lies between two
  void write_fields(int iteration, const std::string& file, const VectorXd& x, const Evaluation& evaluation,
                    std::optional<int> of_design);
  void write_history(int iteration, int evaluations, const IterationReport& report, const VectorXd& x,
                     const Design& design);
  void add_to_plot(int iteration, const IterationReport& report, const Design& design);
  void draw_plot();
  const BodyPoses& poses(const Design& design);
  /// Tells of trials that fail, or that lead to no iteration: each time when their number has doubled.
  void tell_trials(int index, const Status& status);

  Study& study_;
  const std::atomic<bool>& interrupted_;
  EvaluationChain& chain_;
  const DesignSpace& space_;
  RunDirectory& folder_;
  std::vector<ProvenancePart> provenance_;
  const OutputOptions& options_;
  Timer timer_;
  std::optional<RunFile> run_;
  std::optional<HistoryCsv> history_, timing_;
  ConvergencePlot plot_;
  double next_plot_ = 0.0;  ///< s, as timer_ tells, before which none is drawn
  std::optional<PvdCollection> density_pvd_;
  Progress progress_;
  const bool has_fields_;  ///< of bodies with a mesh that are designed
  ChainTimes last_times_, total_times_;
  std::optional<BodyPoses> poses_;  ///< at the start of the first design whose fields are written
  double first_objective_ = 0.0;
  double steepness_ = 0.0;
  int last_iteration_ = -1;
  int failed_in_a_row_ = 0, since_iteration_ = 0;  ///< evaluations
  std::map<std::string, int> iterations_;          ///< by the digest of their designs
  std::optional<int> result_iteration_;
};

}  // namespace kurbel
