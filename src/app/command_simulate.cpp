#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/criteria_report.hpp"
#include "app/cut_report.hpp"
#include "app/histories.hpp"
#include "app/info_numbers.hpp"
#include "app/results.hpp"
#include "evaluation/adaptive_scaling.hpp"
#include "optimizers/best_design.hpp"
#include "output/file_info.hpp"
#include "output/log.hpp"
#include "output/variables_writer.hpp"

namespace kurbel {

namespace {

void write_simulation(const RunDirectory& folder, EvaluationChain& chain, const DesignSpace& space,
                      const ChainResult& result, const MotionTables& tables, const std::string& status) {
  const Problem& problem = chain.problem();
  RunFile run = RunFile::create(folder.run_h5(), file_header(problem, "run", "simulate"));
  for (const NamedSid& body : result.motion->sids()) run.set_sid(body.name, body.sid);
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    if (chain.body(i)) run.add_density(problem.bodies[i].name, 0, result.design.bodies[i].density);
  }
  if (problem.output.trajectory) {
    if (auto trajectory = result.motion->body_trajectories(result.trajectory))
      run.set_trajectory(*trajectory);
  }
  run.set_status(status);
  run.checkpoint();
  if (space.variables().size() > 0)
    write_variables(folder.variables_csv(), space.variable_table(space.start()));
  write_histories(folder, chain, result, tables);
  if (problem.output.motion) draw_motion(folder, chain, result);
}

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

}  // namespace

int run_simulate(const CommandLine& args) {
  Problem read = read_problem(read_document(args));
  require_simulation_problem(read);
  RunDirectory folder = run_directory(args, input_files(args, read));
  Study study = evaluation_study(std::move(read), args);
  const Problem& problem = study.problem();
  EvaluationChain& chain = study.chain();
  const DesignSpace& space = study.space();

  ChainResult result;
  Design design = space.at(space.start());
  std::optional<CutComparison> comparison;
  if (args.cut) {
    comparison = cut_of_design(chain, design);
    design = comparison->cut.design;
  }
  if (Status s = chain.reduce(design, result); s.failed()) return fail(s.failure());
  Status status = chain.simulate(result);
  MotionTables tables;
  if (result.trajectory.n_stored > 0) {
    const Status s = find_tables(result, tables);
    if (s.failed() && !status.failed()) status = s;
  }
  if (result.trajectory.n_stored == 0) return fail(status.failure());

  folder.begin();
  open_log_file(folder.log());
  log_reduction(chain, result);
  log_criteria(problem);
  write_simulation(folder, chain, space, result, tables,
                   status.failed() ? "failed: " + status.message() : "finished");
  const MotionSummary summary = result.motion->summarize(result.trajectory);
  log_info(fmt::format("{} steps", result.trajectory.n_stored - 1));
  for (const std::string& line : summary.lines) log_info(line);
  nlohmann::json numbers{{"steps", result.trajectory.n_stored - 1}, {"seconds", to_json(result.times)}};
  for (const auto& [name, value] : summary.numbers) numbers[name] = value;
  if (!problem.objective.empty() && !status.failed()) {
    log_info(fmt::format("psi = {:.12g}", result.psi));
    numbers["psi"] = result.psi;
  }
  if (!status.failed()) {
    report_criteria(chain, space, result.design, result.values, numbers);
    const ConstraintRows rows(chain);
    if (rows.size() > 0) {
      Evaluation at;
      at.constraints = judged_values(chain, rows, space, result);
      const double violation = infeasibility(at, rows.n_equalities());
      numbers["violation"] = violation;
      if (violation > problem.optimizer.feasibility)
        log_info(fmt::format("largest violation of a constraint: {}", rows.worst(at.constraints)));
    }
  }
  if (comparison) {
    if (!status.failed()) comparison->cut_values = values_of_all(chain, result);
    comparison->failure = status.message();
    comparison->seconds = result.times.reduction + result.times.simulation;
    comparison->poses = result.motion->start_poses(result.trajectory);
    write_cut(folder, chain, space, *comparison);
    report_cut(chain, space, *comparison, numbers);
  }
  warn_of_oscillation(problem);
  write_json(args, std::move(numbers));
  folder.finish(status.failed() ? "failed" : "finished");
  if (status.failed()) {
    log_info(fmt::format("the motion up to there is in {}", folder.path().string()));
    return fail(status.failure());
  }
  log_info(fmt::format("results are in {}", folder.path().string()));
  return 0;
}

int run_info(const CommandLine& args) {
  require_json_is_no_input(args, {args.file});
  Console::standard().print(describe_file(args.file));
  if (!args.json.empty()) write_json(args, info_numbers(args.file));
  return 0;
}

}  // namespace kurbel
