#include <fmt/format.h>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/criteria_report.hpp"
#include "app/cut_report.hpp"
#include "app/file_report.hpp"
#include "app/motion_records.hpp"
#include "app/results.hpp"
#include "evaluation/adaptive_scaling.hpp"
#include "optimizers/best_design.hpp"
#include "output/log.hpp"
#include "plausibility/implausible_values.hpp"

namespace kurbel {

namespace {

/// The design as it is, evaluated, and its cut, which the caller simulates.
CutComparison cut_of_design(EvaluationChain& chain, const Design& grey) {
  if (chain.problem().design.bodies.empty())
    throw InputError("--cut: no densities vary; name a body with a mesh in design.bodies");
  ChainResult result;
  Status status = chain.reduce(grey, result);
  if (!status.failed()) status = chain.simulate(result);
  if (status.failed()) log_warning("the design itself cannot be simulated: " + status.message());
  return {grey, status.failed() ? AllValues() : values_of_all(chain, result),
          cut_to_solid_and_void(chain.bodies(), grey)};
}

/// Psi, criteria, and by how much they violate their bounds.
void report_values(EvaluationChain& chain, const DesignSpace& space, const ChainResult& result,
                   Report& report) {
  if (!chain.problem().objective.empty()) report.say("psi = {:.12g}", named("psi", result.psi));
  report_criteria(chain, space, result.design, result.values, report);
  const ConstraintRows rows(chain);
  if (rows.size() == 0) return;
  Evaluation at;
  at.constraints = judged_values(chain, rows, space, result);
  const double violation = infeasibility(at, rows.n_equalities());
  report["violation"] = violation;
  if (violation > chain.problem().optimizer.feasibility)
    report.say("largest violation of a constraint: {}", rows.worst(at.constraints));
}

}  // namespace

int run_simulate(const CommandLine& args) {
  Problem read = read_problem(read_document(args));
  require_simulation_problem(read);
  RunDirectory folder = run_directory(args, input_files(args, read));
  Study study = evaluation_study(std::move(read), args);
  EvaluationChain& chain = study.chain();
  const DesignSpace& space = study.space();
  log_warnings(implausible_mechanism(study.problem()));

  Design design = space.at(space.start());
  std::optional<CutComparison> comparison;
  if (args.cut) {
    comparison = cut_of_design(chain, design);
    design = comparison->cut.design;
  }
  SimulationRecord record(study, folder);
  ChainResult result;
  const Status status = study.simulate(design, record, result);
  const bool is_motion = chain.has_motion();
  if (is_motion ? result.trajectory.n_stored == 0 : status.failed()) return fail(status.failure());

  Report report = log_report();
  const bool moves = study.problem().analysis == Analysis::motion;
  if (moves) report.say("{} steps", named("steps", result.trajectory.n_stored - 1));
  const MotionSummary summary = summary_of(result);
  report.lines(summary.lines);
  for (const auto& [name, value] : summary.numbers) report[name] = value;
  report["seconds"] = to_json(result.times);
  if (!status.failed()) report_values(chain, space, result, report);
  if (comparison) {
    if (!status.failed()) comparison->cut_values = values_of_all(chain, result);
    comparison->failure = status.message();
    comparison->seconds = result.times.reduction + result.times.simulation;
    comparison->poses = start_poses(result);
    write_cut(folder, chain, space, *comparison);
    report_cut(chain, space, *comparison, report);
  }
  warn_of_oscillation(study.problem());
  warn_of_idle_processes(study.problem());
  write_json(args, report);
  folder.finish(status.failed() ? "failed" : "finished");
  if (status.failed()) {
    report.say("{} is in {}", moves ? "the motion up to there" : "what was found before",
               folder.path().string());
    return fail(status.failure());
  }
  report.say("results are in {}", folder.path().string());
  return 0;
}

int run_info(const CommandLine& args) {
  require_json_is_no_input(args, {args.file});
  Report report = console_report(args);
  report_file(args.file, report);
  write_json(args, report);
  return 0;
}

}  // namespace kurbel
