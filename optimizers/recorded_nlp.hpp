/// @file
/// A record of all evaluations, and its replay to a restarted optimizer.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "optimizers/optimizer.hpp"

namespace kurbel {

/// One question of an optimizer and the answer it got.
struct RecordedEvaluation {
  VectorXd x;
  Evaluation evaluation;  ///< empty if the evaluation failed
  Status status;
};

/// A problem whose evaluations are recorded and, on resume, replayed.
///
/// The optimizers do not hand out their state, but they are deterministic: given the same start, options and
/// answers they ask the same questions. So a run is resumed by starting it again with the record of the
/// interrupted one: as long as the optimizer asks for the next recorded x (bitwise equal), it gets the
/// recorded answer, failures included, and the wrapped problem is not evaluated. After the record the problem
/// is evaluated again, and the run continues as if it had never been interrupted. At the first x that differs
/// (other start, other options, other machine) the rest of the record is dropped, with a warning.
///
/// Limits on iterations or time, and interruptions, only end a run; they do not influence the questions. They
/// may differ between a run and its resumption. Everything else in OptimizerOptions may not.
class RecordedNlp : public ForwardingNlp {
 public:
  /// Called after every new evaluation, not for replayed ones, with its position in the sequence of all
  /// evaluations: entries of a former record from that position on are void. Exceptions pass through.
  using Sink = std::function<void(int index, const VectorXd& x, const Evaluation&, const Status&)>;
  /// The record, requested once per position in ascending order from 0; empty after its end.
  using Source = std::function<std::optional<RecordedEvaluation>(int index)>;
  using Warning = std::function<void(const std::string& message)>;

  /// @param sink, source, warning  each may be empty
  RecordedNlp(Nlp& nlp, Sink sink, Source source = {}, Warning warning = {});

  Status evaluate(const VectorXd& x, Evaluation& out) override;

  int n_replayed() const { return n_replayed_; }
  /// True if the next evaluation may still come from the record.
  bool replaying() const { return static_cast<bool>(source_); }

 private:
  bool replay(const VectorXd& x, Evaluation& out, Status& status);
  void end_replay(const std::string& message);

  Sink sink_;
  Source source_;
  Warning warning_;
  int index_ = 0;
  int n_replayed_ = 0;
};

}  // namespace kurbel
