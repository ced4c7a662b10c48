#include "app/motion_records.hpp"

#include <fmt/format.h>

#include "app/command_context.hpp"
#include "app/histories.hpp"
#include "app/results.hpp"
#include "output/csv_tables.hpp"
#include "output/line_plot.hpp"
#include "output/log.hpp"
#include "problem/criterion_text.hpp"
#include "problem/criterion_units.hpp"
#include "sensitivity/direct_differentiation.hpp"

namespace kurbel {

namespace {

/// Replaces the results of an earlier run, and tells of the design and its criteria.
void begin(RunDirectory& folder, const EvaluationChain& chain, const ChainResult& result) {
  folder.begin();
  open_log_file(folder / "run.log");
  log_reduction(chain, result);
  log_criteria(chain.problem());
}

/// gradient.csv: d psi / d variable, and the same of every function that [constraints] bounds.
void write_gradients(const std::filesystem::path& path, const EvaluationChain& chain,
                     const DesignSpace& space, const VariableTable& table, const std::vector<Design>& bars) {
  const Problem& problem = chain.problem();
  std::vector<GradientColumn> gradients = {
      {{"gradient", unit_of(problem, problem.objective)}, space.variables().pullback(bars.front())}};
  for (std::size_t j = 1; j < bars.size(); ++j) {
    const CriterionConstraint& function = chain.function(j - 1);
    gradients.push_back(
        {{function.label(), unit_of(problem, function.terms)}, space.variables().pullback(bars[j])});
  }
  write_gradient_table(path, table, gradients);
}

/// gradient_over_time.csv and .png: of the objective by the variables that are one number each, what the motion
/// up to each instant contributes to it; the last instant has the gradient.                     [P4, Fig. 2]
/// @return a failure, and no file, where it is not finite
/// @throws InputError if no variable is one number, or the integrator has no direct differentiation
Status write_gradient_over_time(const RunDirectory& folder, const EvaluationChain& chain,
                                const DesignSpace& space, const ChainResult& result) {
  const auto& scalars = space.variables().scalars();
  if (scalars.empty())
    throw InputError("--over-time shows gradients by [variables] that are one number each; there are none");
  StepResidual<double>& steps = result.motion->steps();
  const SparseMatrix numbers = result.motion->directions({}).p_dot;
  MatrixXd directions(numbers.rows(), std::ssize(scalars));
  for (std::size_t i = 0; i < scalars.size(); ++i)
    directions.col(static_cast<Eigen::Index>(i)) = numbers.col(scalars[i].second);
  const auto objectives = result.motion->objectives(result.trajectory, chain.requested());
  const MatrixXd time_history =
      gradient_over_time<double>(steps, result.trajectory, *objectives.front(), directions);

  for (Eigen::Index k = 0; k < time_history.cols(); ++k) {
    if (time_history.col(k).allFinite()) continue;
    return Failure{.what = "the gradient over time is not a finite number",
                   .where = "psi",
                   .advice = "check the numbers of the input for extreme values, or reduce integrator.step",
                   .time = result.trajectory.t[k]};
  }

  const std::string psi = unit_of(chain.problem(), chain.problem().objective);
  const std::vector<std::string>& units = space.variables().table().units;
  std::vector<TimeColumn> columns;
  LinePlot plot;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const VectorXd own = time_history.row(static_cast<Eigen::Index>(i)).transpose();
    columns.push_back({{"d psi / d " + scalars[i].first,
                        unit_of_derivative(psi, units[static_cast<std::size_t>(scalars[i].second)])},
                       own});
    if (plot.panels.size() < plot_most_panels)
      plot.panels.push_back(
          {"", "d psi / d " + scalars[i].first, {{"", result.trajectory.t, own, {}, {}}}, {}});
  }
  write_time_table_csv(folder / "gradient_over_time.csv", result.trajectory.t, columns);
  if (chain.problem().output.picture) write_line_plot(folder / "gradient_over_time.png", plot);
  return {};
}

}  // namespace

/// Gradients of psi and of every function that [constraints] bounds, but those at one of several instants.
std::vector<NamedGradient> named_gradients(const EvaluationChain& chain, const DesignSpace& space,
                                           const VectorXd& x, const std::vector<Design>& bars) {
  const Problem& problem = chain.problem();
  std::vector<NamedGradient> all;
  const auto add = [&](const std::string& name, const std::vector<CriterionTerm>& terms, const Design& bar) {
    all.push_back({name, unit_of(problem, terms), bar, space.pullback(x, bar)});
  };
  add("psi", problem.objective, bars.front());
  for (std::size_t j = 1; j < bars.size(); ++j) {
    const CriterionConstraint& function = chain.function(j - 1);
    if (!function.instant) add(function.label(), function.terms, bars[j]);
  }
  return all;
}

void write_simulation(RunDirectory& folder, const Study& study, const StudyMotion& motion) {
  const EvaluationChain& chain = study.chain();
  const Problem& problem = study.problem();
  const auto& [result, tables, status] = motion;
  RunFile run = RunFile::create(folder / "run.h5", file_header(problem, "run", "simulate"));
  if (result.motion) {
    for (const NamedSid& body : result.motion->sids()) run.set_sid(body.name, body.sid);
  }
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    if (chain.body(i)) run.add_density(problem.bodies[i].name, 0, result.design.bodies[i].density);
  }
  if (problem.output.trajectory && result.motion) {
    if (auto trajectory = result.motion->body_trajectories(result.trajectory))
      run.set_trajectory(*trajectory);
  }
  run.set_status(status.failed() ? "failed: " + status.message() : "finished");
  run.checkpoint();
  const DesignSpace& space = study.space();
  if (space.variables().size() > 0)
    write_variables(folder / "variables.csv", space.variable_table(space.start()));
  if (!result.motion) return write_answer(folder, chain, result);
  write_histories(folder, chain, result, tables);
}

void SimulationRecord::simulated(const StudyMotion& motion) {
  EvaluationChain& chain = study_.chain();
  begin(folder_, chain, motion.result);
  write_simulation(folder_, study_, motion);
  if (motion.result.motion && study_.problem().output.motion) draw_motion(folder_, chain, motion.result);
}

void GradientRecord::differentiated(const StudyGradients& at) {
  const EvaluationChain& chain = study_.chain();
  const DesignSpace& space = study_.space();
  const ChainResult& result = at.motion.result;
  begin(folder_, chain, result);
  if (!space.bodies().empty()) write_fields(at);
  if (space.variables().size() > 0) {
    const VariableTable table = space.variable_table(at.x);
    write_variables(folder_ / "variables.csv", table);
    write_gradients(folder_ / "gradient.csv", chain, space, table, at.bars);
  }
  if (!result.motion) return write_answer(folder_, chain, result);
  write_histories(folder_, chain, result, at.motion.tables);
  if (over_time_) status_ = write_gradient_over_time(folder_, chain, space, result);
  if (status_.failed()) return;
  write_adjoint(folder_, chain, result, ConstraintRows(chain));
  write_adjoint_constraints(folder_, chain, result);
}

/// gradient.vtu and sensitivity.png.
void GradientRecord::write_fields(const StudyGradients& at) {
  const EvaluationChain& chain = study_.chain();
  const DesignSpace& space = study_.space();
  const ChainResult& result = at.motion.result;
  std::vector<FieldArray> fields = design_arrays(space, result.design);
  const std::vector<NamedGradient> gradients = named_gradients(chain, space, at.x, at.bars);
  for (const NamedGradient& one : gradients) {
    const std::string of = &one == &gradients.front() ? "" : "_" + one.name;
    fields.push_back(cell_array("sensitivity" + of, space, one.bar.densities(), one.unit));
    fields.push_back(cell_array("design_sensitivity" + of, space, space.scatter(one.by_variables), one.unit));
  }
  write_design_fields(folder_ / "gradient.vtu", {chain, space, result.design, start_poses(result)},
                      std::move(fields));
  if (!chain.problem().output.picture) return;
  write_sensitivity_pictures(
      folder_, folder_ / "sensitivity.png", chain,
      {space, result.design, at.bars.front().densities(),
       picture_title(chain.problem().title, with_unit("d psi / d density", gradients.front().unit))});
}

}  // namespace kurbel
