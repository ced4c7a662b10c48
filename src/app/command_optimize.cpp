#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/criteria_report.hpp"
#include "app/cut_report.hpp"
#include "app/interrupt.hpp"
#include "app/optimization_record.hpp"
#include "app/optimization_stages.hpp"
#include "base/timer.hpp"
#include "optimizers/best_design.hpp"
#include "optimizers/recorded_nlp.hpp"
#include "optimizers/verdict.hpp"
#include "output/log.hpp"
#include "problem/toml_parser.hpp"

namespace kurbel {

namespace {

/// The input of the command line, or the one that a resumed run was started with.
TomlDocument optimization_document(const CommandLine& args) {
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
  const FileHeader header = RunReader(args.resume / "run.h5").header();
  std::vector<std::string> overrides = header.overrides;
  overrides.insert(overrides.end(), args.overrides.begin(), args.overrides.end());
  // Messages name the text that is read, which the file of that name may not have any more.
  const std::string shown = fmt::format("{} ({})", (args.resume / "run.h5").string(), header.input_name);
  TomlDocument document = TomlDocument::parse(header.input_text, shown, header.input_directory, overrides);
  document.file = header.input_name;
  return document;
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

/// What is decided once for all designs is decided anew at the first design of the run that could be built,
/// not at the one that it goes on from, where it may differ.
void decide_as_before(const RunReader& run, EvaluationChain& chain, DesignSpace& space) {
  for (Eigen::Index i = 0; i < run.n_evaluations(); ++i) {
    const RunEvaluation evaluation = run.evaluation(i);
    if (evaluation.steepness > 0.0) space.set_beta(evaluation.steepness);
    ChainResult result;
    if (!chain.reduce(space.at(evaluation.design), result).failed() && !chain.make_motion(result).failed())
      return;
  }
}

}  // namespace

int run_optimize(const CommandLine& args) {
  const bool resume = !args.resume.empty();
  std::optional<RunDirectory> folder;
  if (resume) folder.emplace(RunDirectory::of_run(args.resume));
  const Problem problem = read_problem(optimization_document(args));
  require_optimization_problem(problem);
  std::vector<ProvenancePart> provenance = provenance_of(problem);
  const std::vector<std::filesystem::path> inputs = input_files(args, problem);
  if (resume) {
    folder->spare(inputs);
    require_usable_json(args, *folder, inputs);
  } else {
    folder.emplace(run_directory(args, inputs));
  }
  EvaluationChain chain(problem);
  DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  for (const std::string& origin : space.origins()) log_info(origin);
  const InterruptGuard interrupt;
  ProblemNlp problem_nlp(chain, space, interrupt.flag());
  OptimizationRecord record(chain, space, problem_nlp, *folder, std::move(provenance), args.quiet);
  if (resume) {
    record.resume();
    decide_as_before(RunReader(folder->run_h5()), chain, space);
  }

  RecordedNlp nlp(
      problem_nlp,
      [&](int index, const VectorXd& x, const Evaluation& evaluation, const Status& status) {
        record.add_evaluation(index, x, evaluation, status, problem_nlp.last());
      },
      resume ? record.source() : RecordedNlp::Source{},
      [](const std::string& message) { log_warning(message); });
  warn_of_oscillation(problem);
  const Timer timer;
  OptimizationStages stages(chain, space, problem_nlp, nlp, record);
  const OptimizerResult result = stages.run();
  if (!record.begun())
    return fail(result.status.failed() ? result.status.failure() : Failure{.what = result.message});
  if (nlp.n_replayed() > 0) log_info(fmt::format("{} evaluations were replayed", nlp.n_replayed()));
  const Status written = record.finish(result);
  if (record.result_iteration())
    log_info(fmt::format("the result is the design of iteration {}", *record.result_iteration()));
  else if (result.evaluation.gradient.size() > 0)
    log_info("the result is a design that was tried between two iterations");
  const Design design = space.at(result.x);
  const double first = record.first_objective();
  log_info(fmt::format("psi = {:.12g}{}{}", result.evaluation.objective,
                       first != 0.0 && problem.first_stages.empty()
                           ? fmt::format(" ({:.4g} of the start)", result.evaluation.objective / first)
                           : "",
                       volume_of(space, design)));
  log_info(fmt::format("results are in {}", folder->path().string()));
  nlohmann::json numbers{
      {"psi", result.evaluation.objective},
      {"psi_start", record.first_objective()},
      {"volume_fraction", space.volume_fraction(design)},
      {"mass", space.mass(design)},
      {"feasible", result.feasible},
      {"stages", stages.numbers()},
      {"status", name_of(verdict_on(result).outcome)},
      {"kkt_residual", result.kkt_residual},
      {"gradient_norm", result.evaluation.gradient.norm()},
      {"iterations", result.iterations},
      {"evaluations", result.evaluations},
      {"result_iteration",
       record.result_iteration() ? nlohmann::json(*record.result_iteration()) : nlohmann::json()},
      {"grey_level", space.grey_level(design)},
      {"replayed", nlp.n_replayed()},
      {"stop_reason", name_of_reason(result.reason)},
      {"wall_seconds", timer.seconds()},
      {"seconds", to_json(record.total_times())}};
  if (result.evaluation.diagnostics.size() > 0) {
    const AllValues values = values_of_diagnostics(result.evaluation.diagnostics);
    report_criteria(chain, space, design, values, numbers);
    if (!problem.design.bodies.empty()) {
      const CutComparison comparison = compare_with_cut(chain, design, values);
      write_cut(*folder, chain, space, comparison);
      report_cut(chain, space, comparison, numbers);
    }
  }
  report_variables(problem, space, space.variable_table(result.x), {}, numbers);
  write_json(args, std::move(numbers));
  if (written.failed()) return fail(written.failure());
  return result.reason == StopReason::failure ? fail(result.status.failure()) : 0;
}

}  // namespace kurbel
