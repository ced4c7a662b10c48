#include <fmt/format.h>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/criteria_report.hpp"
#include "app/cut_report.hpp"
#include "app/finer_problem.hpp"
#include "app/interrupt.hpp"
#include "app/optimization_record.hpp"
#include "app/shape_problem.hpp"
#include "base/timer.hpp"
#include "keys/toml_parser.hpp"
#include "optimizers/best_design.hpp"
#include "optimizers/verdict.hpp"
#include "output/log.hpp"
#include "plausibility/implausible_values.hpp"

namespace kurbel {

namespace {

/// The input of the command line, or the one that a resumed run was started with, or that of the shape of a run, or of a run
/// on a finer mesh.
TomlDocument optimization_document(const CommandLine& args) {
  if (!args.shape.empty()) return shape_problem(args);
  if (!args.finer.empty()) return finer_problem(args);
  if (args.resume.empty()) {
    std::vector<std::string> overrides = args.overrides;
    // As an override the density file is part of what the run file keeps, and so of a resumed run.
    if (!args.density.empty()) {
      overrides.push_back(text_override("design.start", std::filesystem::absolute(args.density).string()));
    }
    CommandLine with_density = args;
    with_density.overrides = overrides;
    return read_document(with_density);
  }
  return document_of_run(args.resume, args.overrides);
}

const char* name_of_reason(StopReason reason) {
  switch (reason) {
    case StopReason::design_change:
      return "design_change";
    case StopReason::kkt_residual:
      return "kkt_residual";
    case StopReason::progress:
      return "progress";
    case StopReason::iterations:
      return "iterations";
    case StopReason::wall_time:
      return "wall_time";
    case StopReason::interrupted:
      return "interrupted";
    case StopReason::failure:
      return "failure";
    case StopReason::solver:
      break;
  }
  return "solver";
}

/// Repeats decisions that are made once for all designs, at the first design of the run that could be built,
/// not at the one that it goes on from, where it may differ.
void decide_as_before(const RunReader& run, Study& study) {
  if (!study.chain().has_motion()) return;
  for (Eigen::Index i = 0; i < run.n_evaluations(); ++i) {
    const RunEvaluation evaluation = run.evaluation(i);
    if (evaluation.steepness > 0.0) study.space().set_beta(evaluation.steepness);
    ChainResult result;
    if (!study.chain().reduce(study.space().at(evaluation.design), result).failed() &&
        !study.chain().make_motion(result).failed())
      return;
  }
}

nlohmann::json numbers_of(const std::vector<StageResult>& stages) {
  nlohmann::json numbers = nlohmann::json::array();
  for (const StageResult& stage : stages) {
    numbers.push_back({{"name", stage.name},
                       {"psi", stage.objective},
                       {"violation", stage.violation},
                       {"feasible", stage.feasible},
                       {"status", name_of(stage.verdict.outcome)},
                       {"kkt_residual", stage.kkt_residual},
                       {"message", stage.message},
                       {"iterations", stage.iterations},
                       {"evaluations", stage.evaluations}});
  }
  return numbers;
}

}  // namespace

int run_optimize(const CommandLine& args) {
  const bool resume = !args.resume.empty();
  std::optional<RunDirectory> folder;
  if (resume) folder.emplace(RunDirectory::of_run(args.resume));
  Problem read = read_problem(optimization_document(args));
  require_optimization_problem(read);
  std::vector<ProvenancePart> provenance = provenance_of(read);
  const std::vector<std::filesystem::path> inputs = input_files(args, read);
  if (resume) {
    folder->spare(inputs);
    require_usable_json(args, *folder, inputs);
  } else {
    folder.emplace(run_directory(args, inputs));
  }
  Study study(std::move(read));
  const Problem& problem = study.problem();
  EvaluationChain& chain = study.chain();
  const DesignSpace& space = study.space();
  for (const std::string& origin : space.origins()) log_info(origin);
  const InterruptGuard interrupt;
  OptimizationRecord record(study, *folder, std::move(provenance), args.quiet, interrupt.flag());
  if (resume) {
    record.resume();
    decide_as_before(RunReader(*folder / "run.h5"), study);
  } else {
    log_warnings(implausible_values(problem));
  }
  warn_of_oscillation(problem);
  warn_of_idle_processes(problem);
  const Timer timer;
  const StudyResult done = study.optimize(record, resume ? record.source() : RecordedNlp::Source{});
  const OptimizerResult& result = done.optimum;
  if (!record.begun())
    return fail(result.status.failed() ? result.status.failure() : Failure{.what = result.message});
  if (done.n_replayed > 0) log_info(fmt::format("{} evaluations were replayed", done.n_replayed));
  const Status written = record.finish(result);
  if (record.result_iteration())
    log_info(fmt::format("the result is the design of iteration {}", *record.result_iteration()));
  else if (result.evaluation.gradient.size() > 0)
    log_info("the result is a design that was tried between two iterations");
  const Design design = space.at(result.x);
  const double psi = result.evaluation.objective, first = record.first_objective();
  Report report = log_report();
  report.say(
      "psi = {:.12g}{}{}", psi,
      first != 0.0 && problem.first_stages.empty() ? fmt::format(" ({:.4g} of the start)", psi / first) : "",
      volume_of(space, design));
  report.say("results are in {}", folder->path().string());
  report.add({{"psi", psi},
              {"psi_start", first},
              {"volume_fraction", space.volume_fraction(design)},
              {"mass", space.mass(design)},
              {"feasible", result.feasible},
              {"stages", numbers_of(done.stages)},
              {"status", name_of(done.stages.back().verdict.outcome)},
              {"kkt_residual", result.kkt_residual},
              {"gradient_norm", result.evaluation.gradient.norm()},
              {"iterations", result.iterations},
              {"evaluations", result.evaluations},
              {"result_iteration",
               record.result_iteration() ? nlohmann::json(*record.result_iteration()) : nlohmann::json()},
              {"grey_level", space.grey_level(design)},
              {"replayed", done.n_replayed},
              {"stop_reason", name_of_reason(result.reason)},
              {"wall_seconds", timer.seconds()},
              {"seconds", to_json(record.total_times())}});
  if (result.evaluation.diagnostics.size() > 0) {
    const AllValues values = values_of_diagnostics(result.evaluation.diagnostics);
    report_criteria(chain, space, design, values, report);
    if (!problem.design.bodies.empty()) {
      const CutComparison comparison = compare_with_cut(chain, design, values);
      write_cut(*folder, chain, space, comparison);
      report_cut(chain, space, comparison, report);
    }
  }
  report_variables(problem, space, space.variable_table(result.x), {}, report);
  write_json(args, report);
  if (written.failed()) return fail(written.failure());
  return result.reason == StopReason::failure ? fail(result.status.failure()) : 0;
}

}  // namespace kurbel
