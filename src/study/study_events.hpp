/// @file
/// The events that a study reports while it works, to files, consoles and other programs.
#pragma once

#include <string>

#include "evaluation/evaluation_chain.hpp"
#include "optimizers/optimizer.hpp"
#include "study/motion_tables.hpp"

namespace kurbel {

/// One evaluation of an optimization.
struct StudyEvaluation {
  int index;                     ///< among all evaluations, with replayed ones
  const VectorXd& x;             ///< the variables that the stage varies
  const Evaluation& evaluation;  ///< empty after a failure
  const Status& status;
  const ChainResult& result;  ///< of the last evaluation that was computed
};

/// One design that the optimizer moved to.
struct StudyIteration {
  int iteration;    ///< counted through all stages; the start of a later stage is the end of the one before
  int evaluations;  ///< so far
  const IterationReport& report;
};

/// The motion of a design, or the answer of an analysis of its bodies alone, without tables.
struct StudyMotion {
  const ChainResult& result;
  const MotionTables& tables;
  const Status&
      status;  ///< of the simulation and of the tables; after a failure, trajectory.n_stored columns hold
};

/// The gradients of all functions at a design.
struct StudyGradients {
  const VectorXd& x;
  StudyMotion motion;
  const std::vector<Design>& bars;  ///< for the objective, then for the requested functions
};

/// Every function does nothing unless overridden. The working thread calls them; exceptions pass through and end the
/// work.
class StudyEvents {
 public:
  virtual ~StudyEvents() = default;
  /// A sentence for the log.
  virtual void info(const std::string& /*text*/) {}
  /// A warning.
  virtual void warning(const std::string& /*text*/) {}
  /// The new steepness of the projection; 0: there is no projection.
  virtual void steepness_changed(double /*beta*/) {}
  virtual void evaluated(const StudyEvaluation&) {}
  virtual void iterated(const StudyIteration&) {}
  /// At least the start of a motion is known. Called once per Study::simulate().
  virtual void simulated(const StudyMotion&) {}
  virtual void differentiated(const StudyGradients&) {}
  /// A step of a stage's continuation has ended.
  virtual void step_ended() {}
  /// Called after each evaluation; true ends the work with the results so far.
  virtual bool stop_requested() const { return false; }
  /// The way for the user to continue an optimization that ended early, for its verdict.
  virtual std::string way_on() const { return "begin again from its result"; }
};

}  // namespace kurbel
