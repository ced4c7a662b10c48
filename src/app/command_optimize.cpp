#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/control_commands.hpp"
#include "app/criteria_report.hpp"
#include "app/interrupt.hpp"
#include "app/optimization_record.hpp"
#include "base/timer.hpp"
#include "evaluation/adaptive_scaling.hpp"
#include "optimizers/recorded_nlp.hpp"
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

/// Iterations of one stage of the projection's continuation and its steepness; a single stage without
/// projection.
struct Stage {
  double beta;
  int iterations;
};

std::vector<Stage> stages_of(const Problem& problem) {
  const ProjectionOptions& projection = problem.projection;
  const int all = problem.optimizer.max_iterations;
  if (projection.type == ProjectionOptions::Type::none) return {{0.0, all}};
  std::vector<Stage> stages;
  int left = all;
  for (double beta = projection.beta_start; left > 0; beta *= 2.0) {
    const bool last = beta >= projection.beta_max;
    stages.push_back(
        {std::min(beta, projection.beta_max), last ? left : std::min(left, projection.beta_interval)});
    left -= stages.back().iterations;
    if (last) break;
  }
  return stages;
}

const char* name_of_reason(StopReason reason) {
  switch (reason) {
    case StopReason::design_change:
      return "design_change";
    case StopReason::kkt_residual:
      return "kkt_residual";
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

/// Runs the stages one after the other, each from the end of the one before.
OptimizerResult run_stages(const Problem& problem, DesignSpace& space, Nlp& nlp, OptimizationRecord& record) {
  const Timer timer;
  OptimizerResult result;
  result.x = space.start();
  for (const Stage& stage : stages_of(problem)) {
    record.set_steepness(stage.beta);
    if (stage.beta > 0.0) {
      space.set_beta(stage.beta);
      log_info(fmt::format("projection with beta = {:g}", stage.beta));
    }
    OptimizerOptions options = problem.optimizer;
    options.max_iterations = stage.iterations;
    if (options.wall_time > 0.0) options.wall_time = std::max(1e-3, options.wall_time - timer.seconds());
    const int iterations = result.iterations, evaluations = result.evaluations;
    const IterationCallback report_iteration = [&](const IterationReport& report) {
      record.add_iteration(report, iterations, evaluations);
      return true;
    };
    AdaptiveNlp adaptive(nlp, problem.constraints, options.feasibility);
    result = adaptive.corrects() ? minimize_adaptively(options, adaptive, result.x, report_iteration)
                                 : make_optimizer(options)->minimize(nlp, result.x, report_iteration);
    result.iterations += iterations;
    result.evaluations += evaluations;
    const bool goes_on = result.reason == StopReason::design_change ||
                         result.reason == StopReason::kkt_residual ||
                         result.reason == StopReason::iterations || result.reason == StopReason::solver;
    if (!goes_on) break;
  }
  return result;
}

}  // namespace

int run_optimize(const CommandLine& args) {
  const bool resume = !args.resume.empty();
  std::optional<RunDirectory> folder;
  if (resume) folder.emplace(RunDirectory::of_run(args.resume));
  TomlDocument document = optimization_document(args);
  if (is_control_problem(document)) return optimize_controls(std::move(document), args);
  const Problem problem = read_problem(std::move(document));
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
  DesignSpace space = DesignSpace::of_problem(chain, {});
  const InterruptGuard interrupt;
  DesignNlp design_nlp(chain, space, interrupt.flag());
  OptimizationRecord record(chain, space, *folder, std::move(provenance), args.quiet);
  if (resume) record.resume();

  RecordedNlp nlp(
      design_nlp,
      [&](int index, const VectorXd& x, const Evaluation& evaluation, const Status& status) {
        record.add_evaluation(index, x, evaluation, status, design_nlp.last());
      },
      resume ? record.source() : RecordedNlp::Source{},
      [](const std::string& message) { log_warning(message); });
  warn_of_oscillation(problem);
  const Timer timer;
  OptimizerResult result = run_stages(problem, space, nlp, record);
  record.finish_progress();
  if (!record.begun()) return fail(result.failure.value_or(Failure{.what = result.message}));

  log_info(fmt::format("{} after {} iterations and {} evaluations{}", result.message, result.iterations,
                       result.evaluations,
                       nlp.n_replayed() > 0 ? fmt::format(" ({} of them replayed)", nlp.n_replayed()) : ""));
  if (!result.feasible)
    log_warning("no design that satisfies the constraints was found; this is the least infeasible one");
  record.finish(result);
  const Design design = space.at(result.x);
  const double first = record.first_objective();
  log_info(fmt::format(
      "psi = {:.12g}{}{}", result.evaluation.objective,
      first != 0.0 ? fmt::format(" ({:.4g} of the start)", result.evaluation.objective / first) : "",
      volume_of(space, design)));
  log_info(fmt::format("results are in {}", folder->path().string()));
  nlohmann::json numbers{{"psi", result.evaluation.objective},
                         {"psi_start", record.first_objective()},
                         {"volume_fraction", space.volume_fraction(design)},
                         {"mass", space.mass(design)},
                         {"feasible", result.feasible},
                         {"gradient_norm", result.evaluation.gradient.norm()},
                         {"iterations", result.iterations},
                         {"evaluations", result.evaluations},
                         {"replayed", nlp.n_replayed()},
                         {"stop_reason", name_of_reason(result.reason)},
                         {"wall_seconds", timer.seconds()},
                         {"seconds", to_json(record.total_times())}};
  if (result.evaluation.remarks.size() > 0)
    report_criteria(problem, values_of_remarks(result.evaluation.remarks), numbers);
  report_variables(space, space.variable_table(result.x), {}, numbers);
  write_json(args, std::move(numbers));
  return result.reason == StopReason::failure ? fail(*result.failure) : 0;
}

}  // namespace kurbel
