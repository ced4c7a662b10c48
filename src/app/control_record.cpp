#include "app/control_record.hpp"

#include "app/command_context.hpp"
#include "app/control_results.hpp"
#include "app/results.hpp"
#include "optimizers/best_design.hpp"
#include "output/log.hpp"

namespace kurbel {

namespace {

const std::vector<std::string> history_columns = {"evaluations", "objective", "violation", "design_change",
                                                  "kkt_residual"};

}  // namespace

ControlRecord::ControlRecord(const ControlProblem& problem, RunDirectory& folder, bool quiet)
    : problem_(problem), folder_(folder), progress_({quiet, 0, problem.stages.back().optimizer.wall_time}) {}

void ControlRecord::begin() {
  folder_.begin();
  open_log_file(folder_.log());
  run_.emplace(
      RunFile::create(folder_.run_h5(), file_header(*problem_.document, problem_.title, "run", "optimize")));
  run_->set_status("running");
  history_.emplace(folder_.history_csv(), history_columns);
}

void ControlRecord::add_iteration(const IterationReport& report, const ControlNlp& nlp) {
  if (!run_) begin();
  const double violation = infeasibility(*report.evaluation, nlp.n_equalities());
  const std::vector<double> values = {double(report.evaluations), report.evaluation->objective, violation,
                                      report.design_change, report.kkt_residual};
  history_->add_row(rows_, values);
  run_->add_history(rows_, history_columns, values);
  ++rows_;
  write_variables(folder_.variables_csv(), variable_table(problem_, nlp.full(*report.x)));
  run_->checkpoint_if_due();
  ProgressState state;
  state.iteration = report.iteration;
  state.objective = report.evaluation->objective;
  state.change = report.design_change;
  state.elapsed = timer_.seconds();
  state.violation = violation;
  progress_.update(state);
}

void ControlRecord::finish(const VectorXd& z, const OptimizerResult& result) {
  write_variables(folder_.variables_csv(), variable_table(problem_, z));
  ControlModel<double> model(problem_, problem_.stages.back());
  Trajectory<double> trajectory;
  const Status status = model.simulate(z, trajectory);
  write_histories(folder_, problem_, model, trajectory);
  if (!status) write_adjoint(folder_, problem_, model, trajectory);
  run_->set_status(status_of(result));
  run_->checkpoint();
  folder_.finish(outcome_of(result));
}

}  // namespace kurbel
