/// @file
/// Minimization by equivalent static loads [Kang, Park and Arora 2005], for comparison with exact gradients:
///
///     simulate the design -> its equivalent static loads -> static optimization under these -> simulate, and so on
///
/// until the loads change by less than one per cent or the objective cycles. The last design of every outer loop is
/// evaluated in the motion itself, with its gradient; history, stopping rules and verdict use these alone. Iterations and
/// evaluations include static ones.
#pragma once

#include <functional>
#include <string>

#include "evaluation/static_loads_nlp.hpp"
#include "optimizers/optimization_run.hpp"
#include "optimizers/recorded_nlp.hpp"

namespace kurbel {

class StaticLoads {
 public:
  /// @param recorded  a record of `program`
  StaticLoads(EvaluationChain& chain, const DesignSpace& space, const ProblemNlp& program,
              RecordedNlp& recorded)
      : chain_(chain), space_(space), program_(program), recorded_(recorded) {}

  /// Minimizes as an Optimizer. With Strategy::first_loads the loads are those of the first design that this object sees,
  /// and the result is the last design of the static optimization, better or not.
  /// @param tell  called with a sentence about every outer loop
  OptimizerResult minimize(const OptimizerOptions& options, const VectorXd& start,
                           const IterationCallback& callback,
                           const std::function<void(const std::string&)>& tell);

 private:
  struct Counts {
    int iterations = 0, evaluations = 0;
  };

  bool finds_once() const { return chain_.problem().strategy == Strategy::first_loads; }
  Status find_loads(const VectorXd& x);
  OptimizerResult optimize_statically(const OptimizerOptions& options, const VectorXd& x, Counts& counts);
  bool take(const OptimizerResult& found, OptimizationRun& run);

  EvaluationChain& chain_;
  const DesignSpace& space_;
  const ProblemNlp& program_;
  RecordedNlp& recorded_;
  LoadsOfBodies loads_;
};

}  // namespace kurbel
