/// @file
/// The stages of an optimization, each in the steps of its continuation.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/optimization_record.hpp"
#include "base/timer.hpp"
#include "evaluation/problem_nlp.hpp"
#include "optimizers/recorded_nlp.hpp"
#include "problem/stage_sequence.hpp"

namespace kurbel {

class OptimizationStages {
 public:
  /// All must outlive the stages.
  OptimizationStages(EvaluationChain& chain, DesignSpace& space, ProblemNlp& nlp, RecordedNlp& recorded,
                     OptimizationRecord& record)
      : chain_(chain), space_(space), nlp_(nlp), recorded_(recorded), record_(record) {}

  /// @return the last result, its x and evaluation over all variables of the space and all constraints
  OptimizerResult run();
  /// The results of the stages that have ended, an object each.
  const nlohmann::json& numbers() const { return numbers_; }

 private:
  struct Counts {
    void add(const OptimizerResult& result);
    std::string text() const;
    int iterations = 0, evaluations = 0;
  };

  std::string prefix(const Stage& stage) const;
  void begin(const Stage& stage, const StageStep& step, std::size_t count);
  bool run_step(const Stage& stage, const StageStep& step);
  OptimizerResult minimize(const Stage& stage, const StageStep& step);
  void report(const Stage& stage, const OptimizerResult& result);
  void warn_if_worse(const Stage& stage, const OptimizerResult& result, double violation) const;

  /// The first design of a stage.
  struct Start {
    double objective, violation;
  };

  EvaluationChain& chain_;
  DesignSpace& space_;
  ProblemNlp& nlp_;
  RecordedNlp& recorded_;
  OptimizationRecord& record_;
  Timer timer_;
  VectorXd x_;              ///< over all variables
  OptimizerResult result_;  ///< of the last step
  Counts all_, of_stage_;
  OptimizerOptions between_;  ///< of the steps before the last one
  std::optional<Start> start_;
  int first_row_ = 0;  ///< of the history, of the stage
  nlohmann::json numbers_ = nlohmann::json::array();
};

}  // namespace kurbel
