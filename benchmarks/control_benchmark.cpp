/// Seconds per gradient of cost and all constraints, and per optimization, by sensitivity method.
///                                                                                  [P2, section 5.2, Table
///                                                                                  1]
#include <benchmark/benchmark.h>

#include <atomic>

#include "evaluation/problem_nlp.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel {
namespace {

using Method = SensitivityOptions::Method;

constexpr std::array methods = {Method::discrete_adjoint, Method::direct, Method::finite_differences};

void name_method(benchmark::State& state, std::int64_t method) {
  constexpr std::array names = {"adjoint", "direct", "finite differences"};
  state.SetLabel(names[static_cast<std::size_t>(method)]);
}

using test::input;

Problem spring_pendulum(std::int64_t nodes) {
  // Reached alike by exact gradients and by differences.
  std::vector<std::string> overrides = {"optimizer.stop.kkt_residual=1e-4"};
  for (const char* control : {"ux", "uy", "uz"})
    overrides.push_back("controls." + std::string(control) + ".nodes=" + std::to_string(nodes));
  return read_problem(input("spring_pendulum.toml"), overrides);
}

/// At the start of a problem.
struct Start {
  explicit Start(const Problem& problem)
      : chain(problem), space(DesignSpace::of_problem(chain.bodies(), {})) {}
  Status simulate() {
    if (Status s = chain.reduce(space.at(space.start()), result); s.failed()) return s;
    return chain.simulate(result);
  }
  EvaluationChain chain;
  DesignSpace space;
  ChainResult result;
};

void measure_gradient(benchmark::State& state, const Problem& problem, Method method) {
  Start start(problem);
  if (const Status s = start.simulate(); s.failed()) return state.SkipWithError(s.message().c_str());
  std::vector<Design> bars;
  for (auto _ : state) {
    if (const Status s = start.chain.gradients(start.result, true, method, bars); s.failed())
      return state.SkipWithError(s.message().c_str());
  }
  state.counters["functions"] = static_cast<double>(bars.size());
  state.counters["variables"] = static_cast<double>(start.space.n_variables());
}

void pendulum_gradient(benchmark::State& state) {
  name_method(state, state.range(0));
  measure_gradient(state, spring_pendulum(state.range(1)), methods[static_cast<std::size_t>(state.range(0))]);
}

void pendulum_simulation(benchmark::State& state) {
  const Problem problem = spring_pendulum(state.range(0));
  Start start(problem);
  for (auto _ : state) {
    if (const Status s = start.simulate(); s.failed()) return state.SkipWithError(s.message().c_str());
  }
}

void pendulum_optimization(benchmark::State& state) {
  name_method(state, state.range(0));
  Problem problem = spring_pendulum(state.range(1));
  problem.sensitivity.method = methods[static_cast<std::size_t>(state.range(0))];
  const std::atomic<bool> interrupted = false;
  OptimizerResult result;
  for (auto _ : state) {
    Start start(problem);
    ProblemNlp nlp(start.chain, start.space, interrupted);
    result =
        make_optimizer(problem.optimizer)->minimize(nlp, start.space.start(), [](const IterationReport&) {
          return true;
        });
  }
  state.counters["iterations"] = result.iterations;
  state.counters["evaluations"] = result.evaluations;
  state.counters["J"] = result.evaluation.objective;
}

void scara_gradient(benchmark::State& state) {
  name_method(state, state.range(0));
  measure_gradient(state, read_problem(input("flexible_scara.toml")),
                   methods[static_cast<std::size_t>(state.range(0))]);
}

BENCHMARK(pendulum_simulation)->Unit(benchmark::kMillisecond)->Arg(10);
BENCHMARK(pendulum_gradient)->Unit(benchmark::kMillisecond)->ArgsProduct({{0, 1, 2}, {10, 20}});
BENCHMARK(pendulum_optimization)->Unit(benchmark::kSecond)->Iterations(1)->ArgsProduct({{0, 1, 2}, {10, 20}});
BENCHMARK(scara_gradient)->Unit(benchmark::kSecond)->DenseRange(0, 1);

}  // namespace
}  // namespace kurbel
