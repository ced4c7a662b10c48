/// @file
/// The events that a study tells while it works. Files, consoles and other programs listen; nothing depends on them.
#pragma once

#include <string>

#include "evaluation/evaluation_chain.hpp"
#include "optimizers/optimizer.hpp"
#include "study/motion_tables.hpp"

namespace kurbel {

/// One evaluation of an optimization.
struct StudyEvaluation {
  int index;                     ///< in the sequence of all, replayed ones included
  const VectorXd& x;             ///< of the variables that the stage varies
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

/// The motion of a design, or the answer to a question about its bodies, without tables.
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
  const std::vector<Design>& bars;  ///< first of the objective, then of the requested functions
};

/// Every call does nothing unless overridden. All come from the thread that works; exceptions pass through and end the
/// work.
class StudyEvents {
 public:
  virtual ~StudyEvents() = default;
  /// A sentence for whoever watches.
  virtual void info(const std::string& /*text*/) {}
  /// A sentence that asks for attention.
  virtual void warning(const std::string& /*text*/) {}
  /// The steepness of the projection from now on; 0: there is none.
  virtual void steepness_changed(double /*beta*/) {}
  virtual void evaluated(const StudyEvaluation&) {}
  virtual void iterated(const StudyIteration&) {}
  /// At least the start of a motion is known. Comes once per Study::simulate().
  virtual void simulated(const StudyMotion&) {}
  virtual void differentiated(const StudyGradients&) {}
  /// A step of a stage's continuation has ended.
  virtual void step_ended() {}
  /// Polled after each evaluation: true ends the work with what it has.
  virtual bool stop_requested() const { return false; }
};

}  // namespace kurbel
