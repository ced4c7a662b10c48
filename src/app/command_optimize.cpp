#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/criteria_report.hpp"
#include "app/cut_report.hpp"
#include "app/interrupt.hpp"
#include "app/optimization_record.hpp"
#include "base/timer.hpp"
#include "evaluation/adaptive_scaling.hpp"
#include "optimizers/best_design.hpp"
#include "optimizers/recorded_nlp.hpp"
#include "optimizers/verdict.hpp"
#include "output/log.hpp"
#include "problem/stage_sequence.hpp"
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

bool goes_on(StopReason reason) {
  return reason == StopReason::design_change || reason == StopReason::kkt_residual ||
         reason == StopReason::progress || reason == StopReason::iterations || reason == StopReason::solver;
}

/// The stages of a problem, in the steps of their continuation.
class Stages {
 public:
  Stages(EvaluationChain& chain, DesignSpace& space, ProblemNlp& nlp, RecordedNlp& recorded,
         OptimizationRecord& record)
      : chain_(chain), space_(space), nlp_(nlp), recorded_(recorded), record_(record) {}

  /// @return the last result, its x and evaluation over all variables of the space and all constraints
  OptimizerResult run() {
    const std::vector<Stage> stages = chain_.problem().stages();
    VectorXd x = space_.start();
    OptimizerResult result;
    Counts all, of_stage;
    std::optional<std::size_t> exhausted;  // the stage whose iterations are used up
    for (const StageStep& step : sequence_of(chain_.problem())) {
      if (exhausted == step.stage) continue;
      const Stage& stage = stages[step.stage];
      if (step.is_first()) {
        if (stages.size() > 1)
          log_info(fmt::format("{}{} of {}, at most {} iterations", prefix(stage), step.stage + 1,
                               stages.size(), stage.optimizer.max_iterations));
        nlp_.begin(step.stage, x);
        of_stage = {};
        start_.reset();
        // The start of a later stage is an iteration of its own: its objective and constraints are others.
        first_row_ = record_.last_iteration() + 1;
      }
      result = run_step(stage, step, nlp_.reduced(x), all, of_stage);
      all.add(result), of_stage.add(result);
      if (!record_.begun()) break;
      x = nlp_.full(result.x);
      if (of_stage.iterations >= stage.optimizer.max_iterations) exhausted = step.stage;
      if (exhausted == step.stage && !step.is_last()) {
        log_warning(fmt::format(
            "the limit {} ends the continuation at beta = {:g}, before {:g}. Raise this limit.",
            stage.optimizer.name_of_iterations, step.steepness, chain_.problem().projection.beta_max));
      }
      const bool goes_further = goes_on(result.reason);
      if (step.is_last() || exhausted == step.stage || !goes_further) {
        if (step.count > 1) log_info(fmt::format("{} in all steps of the projection", of_stage.text()));
        report(stage, result, of_stage);
      }
      if (!goes_further) break;
    }
    if (stages.size() > 1 && numbers_.size() == stages.size())
      log_info(fmt::format("{} in all stages", all.text()));
    if (record_.begun()) {
      result.x = x;
      if (result.evaluation.gradient.size() == nlp_.n_variables())
        result.evaluation = nlp_.expanded(result.evaluation);
    }
    result.iterations = all.iterations, result.evaluations = all.evaluations;
    return result;
  }
  /// Of each stage.
  const nlohmann::json& numbers() const { return numbers_; }

 private:
  struct Counts {
    void add(const OptimizerResult& result) {
      iterations += result.iterations, evaluations += result.evaluations;
    }
    std::string text() const {
      return fmt::format("{} iterations and {} evaluations", iterations, evaluations);
    }
    int iterations = 0, evaluations = 0;
  };

  /// Before what is said of a stage, where there are several.
  std::string prefix(const Stage& stage) const {
    if (chain_.problem().first_stages.empty()) return "";
    return stage.name.empty() ? "the problem itself: " : fmt::format("stage {}: ", stage.name);
  }

  OptimizerResult run_step(const Stage& stage, const StageStep& step, const VectorXd& x, const Counts& all,
                           const Counts& of_stage) {
    record_.set_steepness(step.steepness);
    if (step.steepness > 0.0) {
      space_.set_beta(step.steepness);
      log_info(fmt::format("projection with beta = {:g}: step {} of {}, at most {} iterations",
                           step.steepness, step.number, step.count, step.optimizer.max_iterations));
    }
    OptimizerOptions options = step.optimizer;
    if (const int left = stage.optimizer.max_iterations - of_stage.iterations; left <= options.max_iterations)
      options.max_iterations = left, options.name_of_iterations = stage.optimizer.name_of_iterations;
    if (options.wall_time > 0.0) options.wall_time = std::max(1e-3, options.wall_time - timer_.seconds());
    const IterationCallback report_iteration = [&](const IterationReport& report) {
      if (!start_)
        start_ = Start{report.evaluation->objective, infeasibility(*report.evaluation, nlp_.n_equalities())};
      record_.add_iteration(report, first_row_ + of_stage.iterations, all.evaluations);
      return true;
    };
    AdaptiveNlp adaptive(recorded_, adaptive_rows(chain_, nlp_.rows()), options);
    OptimizerResult result = adaptive.corrects()
                                 ? minimize_adaptively(options, adaptive, x, report_iteration)
                                 : make_optimizer(options)->minimize(recorded_, x, report_iteration);
    if (!record_.begun()) return result;
    record_.finish_progress();
    log_info(fmt::format("{}{}{} after {} iterations and {} evaluations{}", prefix(stage),
                         step.steepness > 0.0 ? fmt::format("beta = {:g}: ", step.steepness) : "",
                         result.message, result.iterations, result.evaluations,
                         step.count > 1 ? " of this step" : ""));
    return result;
  }

  void report(const Stage& stage, const OptimizerResult& result, const Counts& of_stage) {
    const double violation = infeasibility(result.evaluation, nlp_.n_equalities());
    if (!result.feasible && result.evaluation.constraints.size() > 0) {
      log_warning(fmt::format(
          "{}no design that satisfies the constraints was found; this is the least infeasible one: {}",
          prefix(stage), nlp_.rows().worst(result.evaluation.constraints)));
    }
    OptimizerResult of_all_steps = result;
    of_all_steps.iterations = of_stage.iterations;
    const Verdict verdict = verdict_on(of_all_steps);
    if (verdict.outcome == Outcome::converged)
      log_info(prefix(stage) + verdict.text);
    else
      log_warning(prefix(stage) + verdict.text);
    warn_if_worse(stage, result, violation);
    numbers_.push_back({{"name", stage.name},
                        {"psi", result.evaluation.objective},
                        {"violation", violation},
                        {"feasible", result.feasible},
                        {"status", name_of(verdict.outcome)},
                        {"kkt_residual", result.kkt_residual},
                        {"message", result.message},
                        {"iterations", of_stage.iterations},
                        {"evaluations", of_stage.evaluations}});
  }

  /// Tells if a stage ends at a design that is worse than the one it began with.
  void warn_if_worse(const Stage& stage, const OptimizerResult& result, double violation) const {
    if (!start_) return;
    const bool was_feasible = start_->violation <= chain_.problem().optimizer.feasibility;
    if (was_feasible && (!result.feasible || result.evaluation.objective > start_->objective)) {
      log_warning(fmt::format("{}the result is worse than the start: psi is {:.6g} in place of {:.6g}",
                              prefix(stage), result.evaluation.objective, start_->objective));
    } else if (!was_feasible && !result.feasible && violation > start_->violation) {
      log_warning(fmt::format(
          "{}the result is worse than the start: it violates constraints by {:.3g} in place of {:.3g}",
          prefix(stage), violation, start_->violation));
    }
  }

  /// The first design of a stage.
  struct Start {
    double objective, violation;
  };

  EvaluationChain& chain_;
  DesignSpace& space_;
  ProblemNlp& nlp_;
  RecordedNlp& recorded_;
  OptimizationRecord& record_;
  Timer timer_;
  std::optional<Start> start_;
  int first_row_ = 0;  ///< of the history, of the stage
  nlohmann::json numbers_ = nlohmann::json::array();
};

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
  Stages stages(chain, space, problem_nlp, nlp, record);
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
  if (result.evaluation.remarks.size() > 0) {
    const AllValues values = values_of_remarks(result.evaluation.remarks);
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
