#include "app/optimization_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "app/command_context.hpp"
#include "app/histories.hpp"
#include "base/digest.hpp"
#include "optimizers/best_design.hpp"
#include "output/log.hpp"
#include "problem/criterion_units.hpp"

namespace kurbel {

namespace {

/// Volume, mass and grey level of bodies with a mesh, if some are designed; behind the usual columns stand
/// the variables that are one number each, then the criteria of [constraints], then the peaks.
std::vector<TableColumn> history_columns(const Problem& problem, const DesignSpace& space) {
  const std::string psi = unit_of(problem, problem.objective);
  std::vector<TableColumn> columns = {{"evaluations"}, {"objective", psi}};
  if (!space.bodies().empty())
    columns.insert(columns.end(), {{"volume_fraction"}, {"mass", "kg"}, {"grey_level"}});
  columns.insert(columns.end(), {{"constraint_max"}, {"violation"}, {"design_change"}, {"kkt_residual"}});
  for (const auto& [name, place] : space.variables().scalars())
    columns.push_back({name, space.variables().table().units[static_cast<std::size_t>(place)]});
  const std::vector<CriterionConstraint>& criteria = problem.constraints.criteria;
  for (const CriterionConstraint& c : criteria)
    columns.push_back({name_in_tables(c.label()), unit_of(problem, c.terms)});
  for (const PeakColumn& column : peak_columns(problem)) {
    const std::string unit =
        column.function == 0 ? psi : unit_of(problem, criteria[column.function - 1].terms);
    columns.push_back({column.name + "_peak", unit});
  }
  return columns;
}

std::vector<std::string> names_of(const std::vector<TableColumn>& columns) {
  std::vector<std::string> names;
  for (const TableColumn& column : columns) names.push_back(column.name);
  return names;
}

const std::vector<TableColumn> timing_columns = {
    {"elapsed", "s"}, {"reduction", "s"}, {"simulation", "s"}, {"adjoint", "s"}, {"pullback", "s"}};

std::string digest_of_design(const VectorXd& x) {
  return digest_of(
      {reinterpret_cast<const char*>(x.data()), sizeof(double) * static_cast<std::size_t>(x.size())});
}

ProgressOptions progress_options(const Problem& problem, bool quiet) {
  const std::vector<Stage> stages = problem.stages();
  int iterations = static_cast<int>(stages.size()) - 1;  // the starts of later stages
  for (const Stage& stage : stages) iterations += stage.optimizer.max_iterations;
  return {quiet, iterations, problem.optimizer.wall_time};
}

}  // namespace

OptimizationRecord::OptimizationRecord(Study& study, RunDirectory& folder,
                                       std::vector<ProvenancePart> provenance, bool quiet,
                                       const std::atomic<bool>& interrupted)
    : study_(study),
      interrupted_(interrupted),
      chain_(study.chain()),
      space_(study.space()),
      folder_(folder),
      provenance_(std::move(provenance)),
      options_(study.problem().output),
      plot_(unit_of(study.problem(), study.problem().objective), !study.problem().design.bodies.empty()),
      progress_(progress_options(study.problem(), quiet)),
      has_fields_(!study.space().bodies().empty()) {}

void OptimizationRecord::info(const std::string& text) {
  log_info(text);
}
void OptimizationRecord::warning(const std::string& text) {
  log_warning(text);
}

void OptimizationRecord::begin() {
  folder_.begin();
  open_log_file(folder_ / "run.log");
  run_.emplace(RunFile::create(folder_ / "run.h5", file_header(chain_.problem(), "run", "optimize")));
  run_->set_provenance(provenance_);
  history_.emplace(folder_ / "history.csv", history_columns(chain_.problem(), space_));
  timing_.emplace(folder_ / "timing.csv", timing_columns);
  if (has_fields_) density_pvd_.emplace(folder_ / "density.pvd");
}

void OptimizationRecord::require_fitting_evaluations(const RunReader& reader) const {
  const Eigen::Index n = space_.n_variables(), m = nlp().n_all_constraints(),
                     n_numbers = nlp().n_all_diagnostics();
  for (Eigen::Index i = 0; i < reader.n_evaluations(); ++i) {
    const RunEvaluation e = reader.evaluation(i);
    const bool answers = !e.failure.empty() || (e.gradient.size() == n && e.constraints.size() == m);
    if (answers && e.failure.empty() && e.diagnostics.size() != n_numbers) {
      throw InputError(
          fmt::format("cannot resume {}: its run.h5 was written by another version of kurbel. "
                      "Begin the optimization anew.",
                      folder_.path().string()));
    }
    if (e.design.size() == n && answers) continue;
    throw InputError(
        fmt::format("cannot resume {}: evaluation {} in run.h5 has {} variables and {} constraints, the "
                    "problem has {} and {}",
                    folder_.path().string(), i, e.design.size(), e.constraints.size(), n, m));
  }
}

void OptimizationRecord::resume() {
  const RunReader reader(folder_ / "run.h5");
  require_same_provenance(folder_.path(), reader, provenance_);
  require_fitting_evaluations(reader);
  run_.emplace(RunFile::resume(reader));
  run_->checkpoint();
  folder_.begin_again();
  for (const auto& of_earlier_end : {folder_ / "final.vtu", folder_ / "cut.vtu"})
    std::filesystem::remove(of_earlier_end);
  open_log_file(folder_ / "run.log", true);
  history_.emplace(folder_ / "history.csv", history_columns(chain_.problem(), space_));
  timing_.emplace(folder_ / "timing.csv", timing_columns);
  if (has_fields_) density_pvd_.emplace(PvdCollection::of_files(folder_ / "density.pvd"));
}

RecordedNlp::Source OptimizationRecord::source() const {
  const auto reader = std::make_shared<RunReader>(folder_ / "run.h5");
  return [this, reader](int index) -> std::optional<RecordedEvaluation> {
    if (index >= reader->n_evaluations()) return std::nullopt;
    const RunEvaluation stored = reader->evaluation(index);
    // Of another stage: answers no question.
    if (stored.steepness != steepness_ || stored.stage != static_cast<int>(nlp().stage()))
      return RecordedEvaluation{};
    RecordedEvaluation recorded{nlp().reduced(stored.design), {}, {}};
    if (!stored.failure.empty()) {
      recorded.status = Failure{.what = stored.failure};
      return recorded;
    }
    recorded.evaluation = nlp().reduced({stored.objective, stored.gradient, stored.constraints,
                                         stored.constraint_gradients, stored.diagnostics});
    return recorded;
  };
}

void OptimizationRecord::evaluated(const StudyEvaluation& evaluation) {
  const auto& [index, x, values, status, result] = evaluation;
  if (!run_) {
    if (status.failed()) return;
    begin();
    log_reduction(chain_, result);
    log_criteria(chain_.problem());
    warn_of_inexact_gradient(chain_, result);
  }
  RunEvaluation kept;
  kept.design = nlp().full(x);
  kept.steepness = steepness_, kept.stage = static_cast<int>(nlp().stage());
  tell_trials(index, status);
  if (status.failed()) {
    kept.failure = status.message();
  } else {
    Evaluation all = nlp().expanded(values);
    kept.objective = all.objective;
    kept.gradient = std::move(all.gradient), kept.constraints = std::move(all.constraints);
    kept.constraint_gradients = std::move(all.constraint_gradients);
    kept.diagnostics = std::move(all.diagnostics);
  }
  run_->add_evaluation(index, kept);
  run_->checkpoint_if_due();
  last_times_ = result.times;
  total_times_.reduction += result.times.reduction;
  total_times_.simulation += result.times.simulation;
  total_times_.adjoint += result.times.adjoint;
  total_times_.pullback += result.times.pullback;
}

void OptimizationRecord::step_ended() {
  progress_.finish();
  since_iteration_ = 0;
}

void OptimizationRecord::tell_trials(int index, const Status& status) {
  // A few are usual in line searches.
  constexpr int many = 16, many_failures = 4;
  failed_in_a_row_ = status.failed() ? failed_in_a_row_ + 1 : 0;
  ++since_iteration_;
  const auto has_doubled = [](int n) { return std::has_single_bit(static_cast<unsigned>(n)); };
  if (status.failed())
    log_warning(
        fmt::format("the design of evaluation {} cannot be simulated: {}", index + 1, status.message()));
  if (failed_in_a_row_ >= many_failures && has_doubled(failed_in_a_row_)) {
    log_info(fmt::format("{} trials in a row cannot be simulated, evaluations {} to {}", failed_in_a_row_,
                         index + 2 - failed_in_a_row_, index + 1));
  } else if (since_iteration_ >= many && has_doubled(since_iteration_)) {
    log_info(fmt::format("{} trials since iteration {} were not accepted. The search goes on.",
                         since_iteration_, std::max(0, last_iteration_)));
  }
}

/// One place for all designs, so that a body does not move from one iteration to the next. Evaluations that are
/// replayed leave no motion; then the design is simulated.
const BodyPoses& OptimizationRecord::poses(const Design& design) {
  if (poses_) return *poses_;
  poses_.emplace();
  if (!chain_.has_motion()) return *poses_;
  if (const ChainResult& last = nlp().last(); last.motion && last.trajectory.n_stored > 0) {
    poses_ = start_poses(last);
    return *poses_;
  }
  ChainResult result;
  if (!chain_.reduce(design, result).failed() &&
      (!chain_.simulate(result).failed() || result.trajectory.n_stored > 0))
    poses_ = start_poses(result);
  return *poses_;
}

void OptimizationRecord::write_fields(int iteration, const std::string& file, const VectorXd& x,
                                      const Evaluation& evaluation, std::optional<int> of_design) {
  if (!has_fields_) return;
  const Design design = space_.at(x);
  std::vector<FieldArray> fields = design_arrays(space_, design);
  fields.push_back(cell_array("design", space_, space_.design(x)));
  const Problem& problem = chain_.problem();
  fields.push_back(cell_array("sensitivity", space_, space_.scatter(evaluation.gradient),
                              unit_of(problem, problem.stages()[nlp().stage()].objective)));
  const DesignFields of{chain_, space_, design, poses(design)};
  // The grid is written first: blocks without a grid are those of a result, which no resumed run takes up.
  write_design_fields(folder_.path() / file, of, fields, of_design);
  if (const std::filesystem::path own = folder_.density_vtu(iteration); own != file) {
    std::error_code ignored;  // of a longer earlier run
    std::filesystem::remove(folder_.path() / own, ignored);
  }
  std::string seen = file;
  if (space_.bodies().size() > 1) {
    seen = folder_.density_vtm(iteration);
    write_design_blocks(folder_.path() / seen, of, fields);
  }
  density_pvd_->add(iteration, seen);
  for (const std::size_t i : space_.bodies()) {
    run_->add_density(problem.bodies[i].name, iteration, design.bodies[i].density);
  }
}

void OptimizationRecord::write_history(int iteration, int evaluations, const IterationReport& report,
                                       const VectorXd& x, const Design& design) {
  VectorXd g = report.evaluation->constraints;
  g.head(nlp().n_equalities()) = g.head(nlp().n_equalities()).cwiseAbs();
  std::vector<double> values = {double(evaluations), report.evaluation->objective};
  if (has_fields_)
    values.insert(values.end(),
                  {space_.volume_fraction(design), space_.mass(design), space_.grey_level(design)});
  values.insert(values.end(),
                {g.size() > 0 ? g.maxCoeff() : 0.0, infeasibility(*report.evaluation, nlp().n_equalities()),
                 report.design_change, report.kkt_residual});
  const VariableTable variables = space_.variable_table(x);
  for (const auto& [name, place] : space_.variables().scalars()) values.push_back(variables.value[place]);
  const std::vector<CriterionValues> criteria =
      values_of_diagnostics(nlp().expanded(*report.evaluation).diagnostics);
  for (std::size_t i = 1; i <= chain_.functions().size(); ++i) values.push_back(criteria[i].value);
  for (const PeakColumn& column : peak_columns(chain_.problem()))
    values.push_back(peak_of(chain_.problem(), column, criteria));
  if (variables.value.size() > 0) write_variables(folder_ / "variables.csv", variables);
  history_->add_row(iteration, values);
  run_->add_history(iteration, names_of(history_columns(chain_.problem(), space_)), values);
  timing_->add_row(iteration, {timer_.seconds(), last_times_.reduction, last_times_.simulation,
                               last_times_.adjoint, last_times_.pullback});
}

void OptimizationRecord::iterated(const StudyIteration& told) {
  const auto& [iteration, evaluations, report] = told;
  since_iteration_ = 0;
  const int former = std::exchange(last_iteration_, iteration);
  // Iterations need not follow each other: under static loads each has many static ones.
  const auto is_due = [&](int every) { return iteration % every == 0 || iteration / every > former / every; };
  if (iteration == 0) first_objective_ = report.evaluation->objective;
  const VectorXd x = nlp().full(*report.x);
  const Design design = space_.at(x);
  write_history(iteration, evaluations, report, x, design);
  add_to_plot(iteration, report, design);
  if (options_.picture && is_due(10)) draw_plot();
  if (options_.every > 0 && is_due(options_.every))
    write_fields(iteration, folder_.density_vtu(iteration), x, nlp().expanded(*report.evaluation), iteration);
  iterations_[digest_of_design(x)] = iteration;
  run_->checkpoint_if_due();
  ProgressState state;
  state.iteration = iteration;
  state.objective = report.evaluation->objective;
  state.volume = space_.volume_fraction(design);
  state.change = report.design_change;
  state.phases = {{"reduction", last_times_.reduction},
                  {"simulation", last_times_.simulation},
                  {"adjoint", last_times_.adjoint},
                  {"pull-back", last_times_.pullback}};
  state.elapsed = timer_.seconds();
  state.grey = space_.grey_level(design);
  if (nlp().n_constraints() > 0) {
    const Evaluation& at = *report.evaluation;
    state.violation = infeasibility(at, nlp().n_equalities());
    if (state.violation > 0.0) state.violated = nlp().rows()[nlp().rows().worst_row(at.constraints)].name;
  }
  progress_.update(state);
}

void OptimizationRecord::add_to_plot(int iteration, const IterationReport& report, const Design& design) {
  if (!options_.picture) return;
  ConvergencePlot::Iteration at{
      iteration, report.evaluation->objective, {}, space_.grey_level(design), steepness_};
  for (Eigen::Index i = 0; i < report.evaluation->constraints.size(); ++i)
    at.constraints.emplace_back(nlp().rows()[i].name, report.evaluation->constraints[i]);
  plot_.add(std::move(at));
}

/// Draws unless pictures take more than a twentieth of the time, as they would where evaluations take milliseconds.
void OptimizationRecord::draw_plot() {
  constexpr double largest_share = 0.05;
  const double now = timer_.seconds();
  if (now < next_plot_) return;
  plot_.write(folder_ / "convergence.png");
  next_plot_ = now + (timer_.seconds() - now) / largest_share;
}

void OptimizationRecord::simulated(const StudyMotion& motion) {
  const auto& [final, tables, status] = motion;
  const Design& design = final.design;
  if (!status.failed()) {
    if (final.motion && chain_.n_bodies() > 0)
      write_sids(folder_ / "sid.h5", chain_, final, file_header(chain_.problem(), "sid", "optimize"));
    if (final.motion) {
      for (const NamedSid& body : final.motion->sids()) run_->set_sid(body.name, body.sid);
    }
    if (final.motion && options_.trajectory) {
      if (auto trajectory = final.motion->body_trajectories(final.trajectory))
        run_->set_trajectory(*trajectory);
    }
    const std::string title = picture_title(
        chain_.problem().title, result_iteration_ ? fmt::format("iteration {}", *result_iteration_) : "");
    if (options_.picture && has_fields_)
      write_density_pictures(folder_, folder_ / "density.png", chain_,
                             {space_, design, design.densities(), title}, poses(design));
    if (final.motion) write_adjoint(folder_, chain_, final, nlp().rows());
  }
  if (!final.motion) return write_answer(folder_, chain_, final);
  write_histories(folder_, chain_, final, tables);
  if (options_.motion) draw_motion(folder_, chain_, final);
}

Status OptimizationRecord::finish(const OptimizerResult& result) {
  Status written;
  if (result.evaluation.gradient.size() == space_.n_variables()) {
    if (const auto found = iterations_.find(digest_of_design(result.x)); found != iterations_.end())
      result_iteration_ = found->second;
    write_fields(last_iteration_ + 1, "final.vtu", result.x, result.evaluation, result_iteration_);
    if (space_.variables().size() > 0)
      write_variables(folder_ / "variables.csv", space_.variable_table(result.x));
    ChainResult final;
    written = study_.simulate(space_.at(result.x), *this, final);
  }
  if (density_pvd_) {
    // What the earlier end of a resumed run left between iterations that are stored.
    std::error_code ignored;
    for (const std::string& file : density_pvd_->drop_found())
      std::filesystem::remove(folder_.path() / file, ignored);
  }
  if (options_.picture) plot_.write(folder_ / "convergence.png");
  run_->set_status(status_of(result, way_on()));
  run_->checkpoint();
  folder_.finish(outcome_of(result));
  return written;
}

}  // namespace kurbel
