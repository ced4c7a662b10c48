#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "app/command_context.hpp"
#include "app/commands.hpp"
#include "app/control_commands.hpp"
#include "app/criteria_report.hpp"
#include "app/info_numbers.hpp"
#include "app/results.hpp"
#include "output/file_info.hpp"
#include "output/log.hpp"

namespace kurbel {

namespace {

void log_balance(const ChainResult& result) {
  const auto ws = result.system->make_workspace();
  const auto at = [&](Eigen::Index k) {
    return result.integrator->layout().instant<double>(result.trajectory.t[k], result.trajectory.y.col(k));
  };
  const Eigen::Index last = result.trajectory.n_stored - 1;
  const auto start = result.system->energy(at(0), *ws), end = result.system->energy(at(last), *ws);
  log_info(fmt::format(
      "energy at the start and at the end, J: kinetic {:.6g}, {:.6g}; elastic {:.6g}, {:.6g}; "
      "gravitational {:.6g}, {:.6g}",
      start.kinetic, end.kinetic, start.elastic, end.elastic, start.gravitational, end.gravitational));
  const auto momentum = result.system->momentum(at(last), *ws);
  log_info(fmt::format(
      "momentum at the end: linear ({:.6g}) N s, angular about the inertial origin ({:.6g}) N m s",
      fmt::join(momentum.linear, ", "), fmt::join(momentum.angular, ", ")));
}

void write_simulation(const RunDirectory& folder, const EvaluationChain& chain, const ChainResult& result,
                      const std::string& status) {
  const Problem& problem = chain.problem();
  RunFile run = RunFile::create(folder.run_h5(), file_header(problem, "run", "simulate"));
  for (const BodySpec& body : result.system->spec().bodies) run.set_sid(body.name, body.sid);
  for (std::size_t i = 0; i < chain.n_bodies(); ++i) {
    if (chain.body(i)) run.add_density(problem.bodies[i].name, 0, result.design.bodies[i].density);
  }
  if (problem.output.trajectory) run.set_trajectory(run_trajectory(result));
  run.set_status(status);
  run.checkpoint();
  write_controls(folder, chain, result);
  if (problem.output.motion) write_motion(folder.motion_pvd(), chain, result);
}

}  // namespace

int run_simulate(const CommandLine& args) {
  TomlDocument document = read_document(args);
  if (is_control_problem(document)) return simulate_controls(std::move(document), args);
  const Problem problem = read_problem(std::move(document));
  require_simulation_problem(problem);
  RunDirectory folder = run_directory(args, input_files(args, problem));
  EvaluationChain chain(problem);
  const DesignSpace space = evaluation_space(chain, args);

  ChainResult result;
  if (Status s = chain.reduce(space.at(space.start()), result)) return fail(*s);
  const Status status = chain.simulate(result);
  if (result.trajectory.n_stored == 0) return fail(*status);

  folder.begin();
  open_log_file(folder.log());
  log_reduction(chain, result);
  write_simulation(folder, chain, result, status ? "failed: " + status->message() : "finished");
  const SimulationReport report = chain.report(result);
  log_info(fmt::format(
      "{} steps, {:.3g} Newton iterations per step; largest constraint violation {:.2g}, largest drift "
      "of the constraints' velocity {:.2g}",
      result.trajectory.n_stored - 1, report.newton_iterations_per_step, report.position_defect,
      report.velocity_drift));
  log_balance(result);
  nlohmann::json numbers{{"steps", result.trajectory.n_stored - 1},
                         {"newton_iterations_per_step", report.newton_iterations_per_step},
                         {"position_defect", report.position_defect},
                         {"velocity_drift", report.velocity_drift},
                         {"seconds", to_json(result.times)}};
  if (!problem.objective.empty() && !status) {
    log_info(fmt::format("psi = {:.12g}", result.psi));
    numbers["psi"] = result.psi;
  }
  if (!status) report_criteria(problem, result.values, numbers);
  warn_of_oscillation(problem);
  write_json(args, std::move(numbers));
  folder.finish(status ? "failed" : "finished");
  if (status) {
    log_info(fmt::format("the motion up to there is in {}", folder.path().string()));
    return fail(*status);
  }
  log_info(fmt::format("results are in {}", folder.path().string()));
  return 0;
}

int run_info(const CommandLine& args) {
  Console::standard().print(describe_file(args.file));
  if (!args.json.empty()) write_json(args, info_numbers(args.file));
  return 0;
}

}  // namespace kurbel
