#include "app/optimization_record.hpp"

#include "app/command_context.hpp"
#include "output/log.hpp"

namespace kurbel {

namespace {

const std::vector<std::string> history_columns = {
    "evaluations", "objective", "volume_fraction", "mass", "constraint_max", "design_change", "kkt_residual"};
const std::vector<std::string> timing_columns = {"elapsed", "reduction", "simulation", "adjoint", "pullback"};

ProgressOptions progress_options(const Problem& problem, bool quiet) {
  return {quiet, problem.optimizer.max_iterations, problem.optimizer.wall_time};
}

}  // namespace

OptimizationRecord::OptimizationRecord(EvaluationChain& chain, const DesignSpace& space, RunDirectory& folder,
                                       bool quiet)
    : chain_(chain),
      space_(space),
      folder_(folder),
      options_(chain.problem().output),
      progress_(progress_options(chain.problem(), quiet)),
      grid_(design_grid(chain, space)) {}

void OptimizationRecord::begin() {
  folder_.begin();
  open_log_file(folder_.log());
  run_.emplace(RunFile::create(folder_.run_h5(), file_header(chain_.problem(), "run", "optimize")));
  run_->set_status("running");
  history_.emplace(folder_.history_csv(), history_columns);
  timing_.emplace(folder_.timing_csv(), timing_columns);
  density_pvd_.emplace(folder_.density_pvd());
}

void OptimizationRecord::resume() {
  folder_.resume();
  open_log_file(folder_.log(), true);
  run_.emplace(RunFile::resume(folder_.run_h5()));
  run_->set_status("running");
  history_.emplace(HistoryCsv::resume(folder_.history_csv(), history_columns, 0));
  timing_.emplace(HistoryCsv::resume(folder_.timing_csv(), timing_columns, 0));
  density_pvd_.emplace(PvdCollection::resume(folder_.density_pvd(), 0.0));
}

RecordedNlp::Source OptimizationRecord::source() const {
  const auto reader = std::make_shared<RunReader>(folder_.run_h5());
  return [reader](int index) -> std::optional<RecordedEvaluation> {
    if (index >= reader->n_evaluations()) return std::nullopt;
    const RunEvaluation stored = reader->evaluation(index);
    RecordedEvaluation recorded{stored.design, {}, {}};
    if (!stored.failure.empty()) {
      recorded.failure = Failure{.what = stored.failure};
      return recorded;
    }
    recorded.evaluation = {stored.objective, stored.gradient, stored.constraints,
                           stored.constraint_gradients};
    return recorded;
  };
}

void OptimizationRecord::add_evaluation(const VectorXd& x, const Evaluation& evaluation, const Status& status,
                                        const ChainResult& result) {
  if (!run_) {
    if (status) return;
    begin();
    log_reduction(chain_, result, space_.densities(x));
  }
  run_->add_evaluation({x, evaluation.objective, evaluation.gradient, evaluation.constraints,
                        evaluation.constraint_gradients, status ? status->message() : ""});
  run_->checkpoint_if_due();
  last_times_ = result.times;
  total_times_.reduction += result.times.reduction;
  total_times_.simulation += result.times.simulation;
  total_times_.adjoint += result.times.adjoint;
  total_times_.pullback += result.times.pullback;
}

void OptimizationRecord::write_fields(int iteration, const VectorXd& x, const Evaluation& evaluation) {
  const std::string file = folder_.density_vtu(iteration);
  write_vtu(
      folder_.path() / file, grid_,
      {cell_array("density", space_, space_.densities(x)), cell_array("design", space_, space_.design(x)),
       cell_array("sensitivity", space_, space_.scatter(evaluation.gradient))});
  density_pvd_->add(iteration, file);
}

void OptimizationRecord::write_history(int iteration, int evaluations, const IterationReport& report,
                                       double volume_fraction, double mass) {
  const VectorXd& g = report.evaluation->constraints;
  const std::vector<double> values = {double(evaluations),
                                      report.evaluation->objective,
                                      volume_fraction,
                                      mass,
                                      g.size() > 0 ? g.maxCoeff() : 0.0,
                                      report.design_change,
                                      report.kkt_residual};
  history_->add_row(iteration, values);
  run_->add_history(iteration, history_columns, values);
  timing_->add_row(iteration, {timer_.seconds(), last_times_.reduction, last_times_.simulation,
                               last_times_.adjoint, last_times_.pullback});
}

void OptimizationRecord::add_iteration(const IterationReport& report, int iterations, int evaluations) {
  // The start of a later stage is the end of the one before.
  const int iteration = iterations + report.iteration;
  if (iteration <= last_iteration_) return;
  last_iteration_ = iteration;
  if (iteration == 0) first_objective_ = report.evaluation->objective;
  const BodyFields densities = space_.densities(*report.x);
  const double volume_fraction = space_.volume_fraction(densities);
  write_history(iteration, evaluations + report.evaluations, report, volume_fraction, space_.mass(densities));
  if (options_.every > 0 && iteration % options_.every == 0) {
    write_fields(iteration, *report.x, *report.evaluation);
    for (const std::size_t i : space_.bodies()) {
      run_->add_density(chain_.problem().bodies[i].name, iteration, densities[i]);
    }
  }
  run_->checkpoint_if_due();
  progress_.update({iteration,
                    report.evaluation->objective,
                    volume_fraction,
                    report.design_change,
                    {{"reduction", last_times_.reduction},
                     {"simulation", last_times_.simulation},
                     {"adjoint", last_times_.adjoint},
                     {"pull-back", last_times_.pullback}},
                    timer_.seconds()});
}

void OptimizationRecord::write_result(const OptimizerResult& result) {
  ChainResult final;
  const BodyFields densities = space_.densities(result.x);
  if (chain_.reduce(densities, final) || chain_.simulate(final)) return;
  write_sids(folder_.sid_h5(), chain_, final, file_header(chain_.problem(), "sid", "optimize"));
  for (const BodySpec& body : final.system->spec().bodies) run_->set_sid(body.name, body.sid);
  if (options_.trajectory) run_->set_trajectory(run_trajectory(final));
  if (options_.picture) write_pictures(folder_.density_png(), chain_, space_, densities, write_density_png);
  if (options_.motion) write_motion(folder_.motion_pvd(), chain_, final, densities);
}

void OptimizationRecord::finish(const OptimizerResult& result) {
  if (result.evaluation.gradient.size() == space_.n_variables()) {
    write_fields(last_iteration_ + 1, result.x, result.evaluation);
    const BodyFields densities = space_.densities(result.x);
    for (const std::size_t i : space_.bodies()) {
      run_->add_density(chain_.problem().bodies[i].name, last_iteration_ + 1, densities[i]);
    }
    write_result(result);
  }
  run_->set_status(status_of(result));
  run_->checkpoint();
}

}  // namespace kurbel
