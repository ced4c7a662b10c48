#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_context.hpp"
#include "app/control_commands.hpp"
#include "app/control_record.hpp"
#include "app/control_results.hpp"
#include "app/gradient_report.hpp"
#include "app/interrupt.hpp"
#include "base/timer.hpp"
#include "evaluation/control_nlp.hpp"
#include "optimizers/best_design.hpp"
#include "output/log.hpp"

namespace kurbel {

namespace {

VectorXd start_variables(const ControlProblem& problem, const CommandLine& args) {
  const VectorXd start = start_of(problem);
  return args.variables.empty() ? start : read_variables(args.variables, variable_table(problem, start));
}

void refuse_density(const CommandLine& args) {
  if (!args.density.empty()) {
    throw InputError(
        "--density belongs to problems with flexible bodies in a floating frame; here, --variables "
        "FILE gives a start");
  }
}

/// The row that is violated most, for messages.
std::string worst_row(const ControlProblem& problem, const ControlModel<double>& model, const VectorXd& c) {
  Eigen::Index worst = 0;
  double largest = -1.0;
  for (Eigen::Index i = 0; i < c.size(); ++i) {
    const double v = i < model.n_equalities() ? std::abs(c[i]) : c[i];
    if (v > largest) largest = v, worst = i;
  }
  return fmt::format("{} misses by {:.3g}", row_name(problem, model, static_cast<std::size_t>(worst)),
                     largest);
}

void require_objective(const ControlProblem& problem) {
  if (problem.stages.back().cost.empty())
    throw problem.error("objective", "is missing; give a table with a type");
}

void require_optimizable(const ControlProblem& problem) {
  require_objective(problem);
  if (start_of(problem).size() == 0) {
    throw problem.error("", "has neither [controls.NAME] nor [variables.NAME]: there is nothing to optimize");
  }
}

/// A stage whose optimizer can not treat its constraints is refused before anything is computed.
void check_optimizer(const ControlProblem& problem, const ControlStage& stage) {
  const ControlModel<double> model(problem, stage);
  if (const auto reason = why_unsuitable(
          stage.optimizer.method, static_cast<Eigen::Index>(model.rows().size()), model.n_equalities())) {
    throw problem.error("optimizer.method", fmt::format("= \"{}\" does not fit [constraints]: {}",
                                                        stage.optimizer.method, *reason));
  }
}

const char* method_name(ControlSensitivity method) {
  switch (method) {
    case ControlSensitivity::adjoint:
      return "discrete adjoint";
    case ControlSensitivity::direct:
      return "direct differentiation";
    case ControlSensitivity::finite_differences:
      return "finite differences";
    case ControlSensitivity::automatic:
      break;
  }
  return "automatic";
}

/// Compares the gradients of the cost and of every row of the constraints with differences.
int check_control_gradients(const ControlProblem& problem, ControlModel<double>& model, const VectorXd& z,
                            const MatrixXd& gradients, const CommandLine& args, nlohmann::json& numbers) {
  const VectorFunction functions = [&](const VectorXd& at) -> std::optional<VectorXd> {
    Trajectory<double> trajectory;
    if (model.simulate(at, trajectory)) return {};
    VectorXd values(gradients.cols());
    values << model.cost(trajectory), model.constraints(trajectory);
    return values;
  };
  GradientCheckOptions options;
  options.n_elements = args.check;
  options.seed = args.seed;
  options.n_steps = 6, options.sufficient = 1e-7;
  const auto [lower, upper] = bounds_of(problem);
  const auto rows = check_gradients(functions, z, gradients, lower, upper, options);
  CheckedNames names;
  names.functions = {{"objective", "objective"}};
  for (std::size_t r = 0; r < model.rows().size(); ++r) {
    names.functions.push_back(
        {problem.constraints[model.rows()[r].constraint].name, row_name(problem, model, r)});
  }
  const std::vector<std::string> variables = variable_names(problem);
  names.variable = [&](Eigen::Index i) { return variables[static_cast<std::size_t>(i)]; };
  return report_gradient_check(rows, names, args, numbers);
}

}  // namespace

int optimize_controls(TomlDocument document, const CommandLine& args) {
  refuse_density(args);
  if (!args.resume.empty()) {
    throw InputError(
        fmt::format("a run on controls is not resumed but started again from where it came to: kurbel "
                    "optimize {} --variables {} --output {}",
                    document.file, (args.resume / "variables.csv").string(), (args.resume.string() + "_2")));
  }
  const ControlProblem problem = read_control_problem(std::move(document));
  require_optimizable(problem);
  for (const ControlStage& stage : problem.stages) check_optimizer(problem, stage);
  RunDirectory folder = run_directory(args, input_files(args, *problem.document));
  VectorXd z = start_variables(problem, args);
  const InterruptGuard interrupt;
  ControlRecord record(problem, folder, args.quiet);
  const Timer timer;
  OptimizerResult result;
  nlohmann::json stages = nlohmann::json::array();
  int iterations = 0;
  for (const ControlStage& stage : problem.stages) {
    ControlNlp nlp(problem, stage, z, interrupt.flag());
    if (!stage.name.empty()) log_info(fmt::format("stage {}", stage.name));
    result =
        make_optimizer(stage.optimizer)->minimize(nlp, nlp.reduced(z), [&](const IterationReport& report) {
          record.add_iteration(report, nlp);
          return true;
        });
    record.finish_progress();
    if (!record.begun()) return fail(result.failure.value_or(Failure{.what = result.message}));
    z = nlp.full(result.x);
    iterations += result.iterations;
    const double missed = infeasibility(result.evaluation, nlp.n_equalities());
    log_info(fmt::format("{} after {} iterations and {} evaluations: J = {:.10g}, largest violation {:.2g}",
                         result.message, result.iterations, result.evaluations, result.evaluation.objective,
                         missed));
    log_info(fmt::format("gradients of {} functions by {} variables: {}, {:.3g} s each",
                         nlp.n_constraints() + 1, nlp.n_variables(),
                         method_name(nlp.model().resolve(problem.sensitivity)),
                         nlp.gradient_seconds() / std::max(1, result.evaluations)));
    stages.push_back({{"name", stage.name},
                      {"objective", result.evaluation.objective},
                      {"violation", missed},
                      {"feasible", result.feasible},
                      {"message", result.message},
                      {"iterations", result.iterations},
                      {"evaluations", result.evaluations},
                      {"simulation_seconds", nlp.simulation_seconds()},
                      {"gradient_seconds", nlp.gradient_seconds()}});
    if (!result.feasible) {
      log_warning(fmt::format("this is the least infeasible iterate: {}",
                              worst_row(problem, nlp.model(), result.evaluation.constraints)));
    }
    if (result.reason == StopReason::interrupted || result.reason == StopReason::failure) break;
  }
  record.finish(z, result);
  log_info(fmt::format("results are in {}", folder.path().string()));
  write_json(args, {{"objective", result.evaluation.objective},
                    {"feasible", result.feasible},
                    {"iterations", iterations},
                    {"stages", stages},
                    {"wall_seconds", timer.seconds()}});
  return result.reason == StopReason::failure ? fail(*result.failure) : 0;
}

int simulate_controls(TomlDocument document, const CommandLine& args) {
  refuse_density(args);
  const ControlProblem problem = read_control_problem(std::move(document));
  RunDirectory folder = run_directory(args, input_files(args, *problem.document));
  ControlModel<double> model(problem, problem.stages.back());
  const VectorXd z = start_variables(problem, args);
  Trajectory<double> trajectory;
  const Status status = model.simulate(z, trajectory);
  folder.begin();
  open_log_file(folder.log());
  write_variables(folder.variables_csv(), variable_table(problem, z));
  write_histories(folder, problem, model, trajectory);
  const AbsoluteSystem<double>& system = *model.assembly().system;
  const Eigen::Index last = trajectory.n_stored - 1;
  const auto energies = [&](Eigen::Index k) {
    const auto x = trajectory.y.col(k);
    return std::pair(system.kinetic_energy(x), system.potential_energy(x));
  };
  const auto [T0, V0] = energies(0);
  const auto [T1, V1] = energies(last);
  log_info(fmt::format(
      "{} steps; energy at the start and at the end, J: kinetic {:.6g}, {:.6g}; potential {:.6g}, {:.6g}",
      last, T0, T1, V0, V1));
  nlohmann::json numbers{{"steps", last}, {"kinetic_energy", T1}, {"potential_energy", V1}};
  if (!status) {
    if (!problem.stages.back().cost.empty()) {
      numbers["objective"] = model.cost(trajectory);
      log_info(fmt::format("J = {:.10g}", model.cost(trajectory)));
    }
    Evaluation at;
    at.constraints = model.constraints(trajectory);
    const double missed = infeasibility(at, model.n_equalities());
    numbers["violation"] = missed;
    if (at.constraints.size() > 0) {
      log_info(fmt::format("largest violation of a constraint {:.3g}: {}", missed,
                           worst_row(problem, model, at.constraints)));
    }
  }
  write_json(args, std::move(numbers));
  folder.finish(status ? "failed" : "finished");
  log_info(fmt::format("{} {}", status ? "the motion up to there is in" : "results are in",
                       folder.path().string()));
  return status ? fail(*status) : 0;
}

int gradient_controls(TomlDocument document, const CommandLine& args) {
  refuse_density(args);
  const ControlProblem problem = read_control_problem(std::move(document));
  require_optimizable(problem);
  RunDirectory folder = run_directory(args, input_files(args, *problem.document));
  ControlModel<double> model(problem, problem.stages.back());
  const VectorXd z = start_variables(problem, args);
  Trajectory<double> trajectory;
  if (Status s = model.simulate(z, trajectory)) return fail(*s);
  const ControlSensitivity method = model.resolve(problem.sensitivity);
  const Timer timer;
  const MatrixXd gradients = model.gradients(method, trajectory);
  const double seconds = timer.seconds();

  folder.begin();
  open_log_file(folder.log());
  write_variables(folder.variables_csv(), variable_table(problem, z));
  write_gradients(folder.gradient_csv(), problem, model, gradients);
  write_histories(folder, problem, model, trajectory);
  write_adjoint(folder, problem, model, trajectory);
  log_info(fmt::format("J = {:.10g}; gradient of norm {:.6g} over {} variables", model.cost(trajectory),
                       gradients.col(0).norm(), z.size()));
  log_info(fmt::format("gradients of {} functions by {}: {:.3g} s", gradients.cols(), method_name(method),
                       seconds));
  nlohmann::json numbers{{"objective", model.cost(trajectory)},
                         {"gradient_norm", gradients.col(0).norm()},
                         {"functions", gradients.cols()},
                         {"seconds", seconds}};
  int exit_code = 0;
  if (args.check > 0) {
    exit_code = check_control_gradients(problem, model, z, gradients, args, numbers);
  }
  write_json(args, std::move(numbers));
  folder.finish("finished");
  log_info(fmt::format("results are in {}", folder.path().string()));
  return exit_code;
}

}  // namespace kurbel
