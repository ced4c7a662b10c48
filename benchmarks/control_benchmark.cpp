/// Seconds per gradient of cost and all constraints, and per optimization, by sensitivity method.
///                                                                                  [P2, section 5.2, Table
///                                                                                  1]
#include <benchmark/benchmark.h>

#include <atomic>
#include <filesystem>

#include "evaluation/control_nlp.hpp"

namespace kurbel {
namespace {

constexpr std::array methods = {ControlSensitivity::adjoint, ControlSensitivity::direct,
                                ControlSensitivity::finite_differences};

void name_method(benchmark::State& state, std::int64_t method) {
  constexpr std::array names = {"adjoint", "direct", "finite differences"};
  state.SetLabel(names[static_cast<std::size_t>(method)]);
}

ControlProblem spring_pendulum(std::int64_t nodes) {
  // Reached alike by exact gradients and by differences.
  std::vector<std::string> overrides = {"optimizer.stop.kkt_residual=1e-4"};
  for (const char* control : {"ux", "uy", "uz"})
    overrides.push_back("controls." + std::string(control) + ".nodes=" + std::to_string(nodes));
  return read_control_problem(
      TomlDocument::read(std::string(KURBEL_SOURCE_DIR) + "/inputs/spring_pendulum.toml", overrides));
}

void measure_gradient(benchmark::State& state, const ControlProblem& problem, ControlSensitivity method) {
  ControlModel<double> model(problem, problem.stages.back());
  Trajectory<double> trajectory;
  if (const Status s = model.simulate(start_of(problem), trajectory))
    return state.SkipWithError(s->message().c_str());
  for (auto _ : state) benchmark::DoNotOptimize(model.gradients(method, trajectory));
  state.counters["functions"] = static_cast<double>(model.rows().size()) + 1.0;
  state.counters["variables"] = static_cast<double>(model.n_z());
}

void pendulum_gradient(benchmark::State& state) {
  name_method(state, state.range(0));
  measure_gradient(state, spring_pendulum(state.range(1)), methods[static_cast<std::size_t>(state.range(0))]);
}

void pendulum_simulation(benchmark::State& state) {
  const ControlProblem problem = spring_pendulum(state.range(0));
  ControlModel<double> model(problem, problem.stages.back());
  Trajectory<double> trajectory;
  for (auto _ : state) {
    if (const Status s = model.simulate(start_of(problem), trajectory))
      return state.SkipWithError(s->message().c_str());
  }
}

void pendulum_optimization(benchmark::State& state) {
  name_method(state, state.range(0));
  ControlProblem problem = spring_pendulum(state.range(1));
  problem.sensitivity = methods[static_cast<std::size_t>(state.range(0))];
  const std::atomic<bool> interrupted = false;
  OptimizerResult result;
  for (auto _ : state) {
    const ControlStage& stage = problem.stages.back();
    const VectorXd start = start_of(problem);
    ControlNlp nlp(problem, stage, start, interrupted);
    result = make_optimizer(stage.optimizer)->minimize(nlp, nlp.reduced(start), [](const IterationReport&) {
      return true;
    });
  }
  state.counters["iterations"] = result.iterations;
  state.counters["evaluations"] = result.evaluations;
  state.counters["J"] = result.evaluation.objective;
}

void scara_gradient(benchmark::State& state) {
  name_method(state, state.range(0));
  const std::string file = std::string(KURBEL_SOURCE_DIR) + "/inputs/flexible_scara.toml";
  if (!std::filesystem::exists(file)) return state.SkipWithError("inputs/flexible_scara.toml is missing");
  measure_gradient(state, read_control_problem(TomlDocument::read(file)),
                   methods[static_cast<std::size_t>(state.range(0))]);
}

BENCHMARK(pendulum_simulation)->Unit(benchmark::kMillisecond)->Arg(10);
BENCHMARK(pendulum_gradient)->Unit(benchmark::kMillisecond)->ArgsProduct({{0, 1, 2}, {10, 20}});
BENCHMARK(pendulum_optimization)->Unit(benchmark::kSecond)->Iterations(1)->ArgsProduct({{0, 1, 2}, {10, 20}});
BENCHMARK(scara_gradient)->Unit(benchmark::kSecond)->DenseRange(0, 1);

}  // namespace
}  // namespace kurbel
