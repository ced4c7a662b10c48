/// @file
/// The stages of an optimization, each in the steps of its continuation.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/timer.hpp"
#include "evaluation/problem_nlp.hpp"
#include "optimizers/recorded_nlp.hpp"
#include "optimizers/verdict.hpp"
#include "problem/stage_sequence.hpp"
#include "study/cut_trial.hpp"
#include "study/islands.hpp"
#include "study/static_loads.hpp"
#include "study/study_events.hpp"

namespace kurbel {

/// The result of a stage.
struct StageResult {
  std::string name;
  double objective, violation;
  bool feasible;
  Verdict verdict;
  double kkt_residual;
  std::string message;
  int iterations, evaluations;
};

class StageLoop {
 public:
  /// @param recorded  a record of `nlp`, whose sink calls evaluated()
  StageLoop(EvaluationChain& chain, DesignSpace& space, ProblemNlp& nlp, RecordedNlp& recorded,
            StudyEvents& events)
      : chain_(chain),
        space_(space),
        nlp_(nlp),
        recorded_(recorded),
        events_(events),
        static_loads_(chain, space, nlp, recorded) {}

  /// @return the last result, its x and evaluation over all variables of the space and all constraints
  OptimizerResult run();
  /// True if a design could be evaluated. If none could, the result is that of the first attempt.
  bool begun() const { return begun_; }
  /// Results of the stages that have ended.
  const std::vector<StageResult>& stages() const { return results_; }

 private:
  struct Counts {
    void add(const OptimizerResult& result);
    std::string text() const;
    int iterations = 0, evaluations = 0;
  };

  /// A design of the last step, with the result of its cut.
  struct Candidate {
    CutTrial cut;
    VectorXd x;
    OptimizerResult result;
    std::optional<double> grey_bound;
  };

  static bool goes_on(StopReason reason);
  /// True if densities vary that are projected.
  static bool is_projected(const Stage& stage, const StageStep& step);
  /// True if not even the first design could be evaluated.
  static bool cannot_begin(const OptimizerResult& result);

  std::string prefix(const Stage& stage) const;
  void begin(const Stage& stage, const StageStep& step, std::size_t count);
  void set_steepness(double beta);
  bool run_step(const Stage& stage, const StageStep& step);
  double own_violation(const Evaluation& evaluation) const;
  bool is_too_grey_alone() const;
  bool can_bound_grey_level(const Stage& stage) const;
  bool is_short_of_material() const;
  void find_sound_design(const Stage& stage, const StageStep& step);
  OptimizerResult minimize_with_enough(const Stage& stage, const StageStep& step);
  void bound_late_grey_level(const Stage& stage, const StageStep& step);
  bool fails_when_cut(const IterationReport& report);
  void finish_last_step(const Stage& stage, const StageStep& step);
  void remove_islands(const Stage& stage, const StageStep& step);
  bool repeat_without_islands(const Stage& stage, const StageStep& step, IslandTreatment treatment);
  bool make_cut_hold(const Stage& stage, const StageStep& step);
  void bound_grey_level(std::optional<double> bound);
  Candidate candidate(const OptimizerResult& result);
  /// @param most_violation  of the constraints of the problem by the first design; above it the minimization is given up.
  ///                        Negative: the first design is evaluated alone, without a report
  OptimizerResult minimize(const Stage& stage, const StageStep& step,
                           double most_violation = std::numeric_limits<double>::infinity());
  OptimizerResult minimize(const OptimizerOptions& options, const VectorXd& x,
                           const IterationCallback& report_iteration);
  void report(const Stage& stage, const OptimizerResult& result, bool is_last_step);
  void advise_least_width(const Stage& stage, const Verdict& verdict, bool is_last_step);
  void warn_if_worse(const Stage& stage, const OptimizerResult& result, double violation) const;

  /// The first design of a stage.
  struct Start {
    double objective, violation;
  };

  EvaluationChain& chain_;
  DesignSpace& space_;
  ProblemNlp& nlp_;
  RecordedNlp& recorded_;
  StudyEvents& events_;
  StaticLoads static_loads_;  ///< where the strategy of the problem asks for them
  Timer timer_;
  VectorXd x_;              ///< over all variables
  OptimizerResult result_;  ///< of the last step
  Counts all_, of_stage_;
  OptimizerOptions between_;  ///< of the steps before the last one
  std::optional<Start> start_;
  int first_row_ = 0;        ///< number of the first iteration of the stage, through all stages
  int last_iteration_ = -1;  ///< that was reported
  double steepness_ = 0.0;
  std::optional<double> grey_bound_;
  std::optional<Candidate> sound_;  ///< the best design of the last step whose cut holds, or stands
  bool tries_cuts_ = false;         ///< every few iterations
  int next_trial_ = 0;              ///< the iteration from which on the next feasible design is tried
  int gives_up_at_ = 0;       ///< the iteration at which a minimization ends if no cut has held meanwhile
  bool cut_failed_ = false;   ///< which ended the last minimization
  bool is_given_up_ = false;  ///< the last minimization, for its first design
  bool begun_ = false;
  std::vector<StageResult> results_;
};

}  // namespace kurbel
