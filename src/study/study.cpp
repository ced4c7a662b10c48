#include "study/study.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/thread_scope.hpp"
#include "evaluation/adjoint_error.hpp"

namespace kurbel {

namespace {

DesignSpace make_space(const EvaluationChain& chain, Study::Variables variables,
                       const std::string& density_file) {
  return variables == Study::Variables::of_problem ? DesignSpace::of_problem(chain.bodies(), density_file)
                                                   : DesignSpace::to_evaluate(chain.bodies(), density_file);
}

/// Asks the listener whether to stop.
class Stoppable final : public ForwardingNlp {
 public:
  Stoppable(Nlp& nlp, const StudyEvents& events) : ForwardingNlp(nlp), events_(events) {}
  Status evaluate(const VectorXd& x, Evaluation& out) override { return nlp_.evaluate(x, out); }
  bool stop_requested() const override { return events_.stop_requested(); }

 private:
  const StudyEvents& events_;
};

}  // namespace

Study::Study(Problem problem, Variables variables, const std::string& density_file)
    : chain_(std::make_unique<EvaluationChain>(std::move(problem))),
      space_(std::make_unique<DesignSpace>(make_space(*chain_, variables, density_file))) {}

Study Study::read(const std::string& file, const std::vector<std::string>& overrides) {
  return Study(read_problem(file, overrides));
}

StudyVariable Study::variable(Eigen::Index i) const {
  const Eigen::Index number = i - space_->n_densities();
  if (number < 0) return {space_->name_of(i), "", space_->lower()[i], space_->upper()[i]};
  const VariableTable& table = space_->variables().table();
  return {table.names[static_cast<std::size_t>(number)], table.units[static_cast<std::size_t>(number)],
          table.lower[number], table.upper[number]};
}

ProblemNlp& Study::program() {
  if (!program_) program_ = std::make_unique<ProblemNlp>(*chain_, *space_, *never_);
  return *program_;
}

std::vector<std::string> Study::constraints() {
  std::vector<std::string> names;
  for (const ConstraintRow& row : program().rows()) names.push_back(row.name);
  return names;
}

void Study::require_length(const VectorXd& x) const {
  if (x.size() != n_variables())
    throw InputError(fmt::format("x has {} values, the problem has {} variables", x.size(), n_variables()));
}

Status Study::evaluate(const VectorXd& x, Evaluation& out) {
  require_length(x);
  const ThreadScope scope(threads_);
  return program().evaluate(program().reduced(x), out);
}

Status Study::find_values(const VectorXd& x, Evaluation& out) {
  require_length(x);
  const ThreadScope scope(threads_);
  return program().find_values(program().reduced(x), out);
}

std::vector<std::string> Study::outputs() const {
  std::vector<std::string> names;
  if (is_about_rest(problem().analysis)) return names;
  const auto add = [&](const Problem& problem, const std::string& prefix) {
    for (const Output& output : problem.outputs) {
      const std::vector<int> axes = axes_of(output.observable);
      for (const int axis : axes) names.push_back(prefix + output.name + "." + axis_name(axis));
      if (axes.empty()) names.push_back(prefix + output.name);
    }
  };
  if (problem().cases.empty()) add(problem(), "");
  for (const ProblemCase& own : problem().cases) add(*own.problem, own.name + ".");
  return names;
}

Status Study::pull_back(const VectorXd& x, const OutputSeeds& seeds, ChainResult& at, VectorXd& x_bar) {
  require_length(x);
  const ThreadScope scope(threads_);
  std::vector<Design> bars;
  if (Status s = chain_->output_gradients(at, seeds, bars); s.failed()) return s;
  x_bar = space_->pullback(x, bars.front());
  return {};
}

Status Study::simulate(const VectorXd& x, ChainResult& out) {
  require_length(x);
  const ThreadScope scope(threads_);
  if (Status s = chain_->reduce(space_->at(x), out); s.failed()) return s;
  return chain_->simulate(out);
}

Status Study::simulate(const Design& design, StudyEvents& events, ChainResult& out) {
  const ThreadScope scope(threads_);
  if (Status s = chain_->reduce(design, out); s.failed()) return s;
  Status status = chain_->simulate(out);
  MotionTables tables;
  if (!chain_->has_motion()) {
    if (!status.failed()) events.simulated({out, tables, status});
    return status;
  }
  if (out.trajectory.n_stored == 0) return status;
  if (Status s = find_tables(out, tables); s.failed() && !status.failed()) status = s;
  if (out.trajectory.n_stored > 0) events.simulated({out, tables, status});
  return status;
}

Status Study::differentiate(const VectorXd& x, StudyEvents& events, ChainResult& out,
                            std::vector<Design>& bars) {
  require_length(x);
  const ThreadScope scope(threads_);
  if (Status s = chain_->reduce(space_->at(x), out); s.failed()) return s;
  if (Status s = chain_->simulate_for_gradients(out); s.failed()) return s;
  if (Status s = chain_->gradients(out, bars); s.failed()) return s;
  if (Status s = measure_adjoint_errors(*chain_, *space_, x, out, bars); s.failed()) return s;
  MotionTables tables;
  const Status status = chain_->has_motion() ? find_tables(out, tables) : Status();
  if (!status.failed()) events.differentiated({x, {out, tables, status}, bars});
  return status;
}

StudyResult Study::optimize(StudyEvents& events, const RecordedNlp::Source& source) {
  const ThreadScope scope(threads_);
  require_optimization_problem(problem());
  Stoppable stoppable(program(), events);
  RecordedNlp recorded(
      stoppable,
      [&](int index, const VectorXd& x, const Evaluation& evaluation, const Status& status) {
        events.evaluated({index, x, evaluation, status, program_->last()});
      },
      source, [&](const std::string& message) { events.warning(message); });
  StageLoop loop(*chain_, *space_, *program_, recorded, events);
  OptimizerResult optimum = loop.run();
  return {std::move(optimum), loop.stages(), loop.begun(), recorded.n_replayed()};
}

}  // namespace kurbel
