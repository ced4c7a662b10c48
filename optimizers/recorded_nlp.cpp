#include "optimizers/recorded_nlp.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace kurbel {
namespace {

bool bitwise_equal(const VectorXd& a, const VectorXd& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(double) * a.size()) == 0;
}

bool fits(const RecordedEvaluation& record, const Nlp& nlp) {
  if (record.status.failed()) return true;
  const Evaluation& e = record.evaluation;
  const auto n = nlp.n_variables(), m = nlp.n_constraints();
  return e.gradient.size() == n && e.constraints.size() == m && e.constraint_gradients.rows() == m &&
         (m == 0 || e.constraint_gradients.cols() == n);
}

}  // namespace

RecordedNlp::RecordedNlp(Nlp& nlp, Sink sink, Source source, Warning warning)
    : ForwardingNlp(nlp), sink_(std::move(sink)), source_(std::move(source)), warning_(std::move(warning)) {}

Status RecordedNlp::evaluate(const VectorXd& x, Evaluation& out) {
  Status status;
  if (source_ && replay(x, out, status)) {
    ++index_;
    ++n_replayed_;
    return status;
  }
  status = nlp_.evaluate(x, out);
  const int index = index_++;
  if (sink_) sink_(index, x, out, status);
  return status;
}

bool RecordedNlp::replay(const VectorXd& x, Evaluation& out, Status& status) {
  std::optional<RecordedEvaluation> record = source_(index_);
  if (!record) {
    source_ = {};
    return false;
  }
  if (!bitwise_equal(record->x, x)) {
    end_replay("asks for another design than the interrupted run did");
    return false;
  }
  if (!fits(*record, nlp_)) {
    end_replay("has another number of constraints or variables than the recorded one");
    return false;
  }
  out = std::move(record->evaluation);
  status = std::move(record->status);
  return true;
}

void RecordedNlp::end_replay(const std::string& message) {
  source_ = {};
  if (!warning_) return;
  warning_(
      fmt::format("evaluation {} of the resumed optimization {}: the recorded evaluations from there on are "
                  "not used, and the result may differ from that of an uninterrupted run",
                  index_, message));
}

}  // namespace kurbel
