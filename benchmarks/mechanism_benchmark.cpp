/// @file
/// Seconds per time step and per adjoint step of mechanisms of inputs/, and of whole evaluations: simulation with the
/// values of all functions, gradient of the objective. The last ones are of whole motions: what direct differentiation by one
/// variable and by five costs beside a simulation.
///
///     build/benchmarks/mechanism_benchmark --benchmark_filter=buggy_step
///     build/benchmarks/mechanism_benchmark --benchmark_filter=whole --benchmark_enable_random_interleaving=true
#include <benchmark/benchmark.h>

#include "evaluation/evaluation_chain.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel {
namespace {

constexpr int n_steps = 200;

Problem problem_of(const std::string& name, const std::vector<std::string>& settings) {
  std::vector<std::string> all = settings;
  const Problem whole = read_problem(test::input(name + ".toml"), settings);
  all.push_back("integrator.t1=" + std::to_string(n_steps * whole.integrator.step));
  return read_problem(test::input(name + ".toml"), all);
}

/// A mechanism that has moved.
struct Moved {
  Moved(const std::string& name, const std::vector<std::string>& settings)
      : Moved(problem_of(name, settings)) {}
  explicit Moved(Problem of) : problem(std::move(of)), chain(problem) {
    Status s = chain.reduce(BodyFields(problem.bodies.size()), result);
    if (!s.failed()) s = chain.simulate(result);
    if (s.failed()) throw std::runtime_error(s.message());
  }
  Problem problem;
  EvaluationChain chain;
  ChainResult result;
};

using Settings = std::vector<std::string>;

void count_steps(benchmark::State& state) {
  state.counters["per_step"] = benchmark::Counter(double(state.iterations()) * n_steps,
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void steps(benchmark::State& state, const std::string& name, const Settings& settings) {
  Moved at(name, settings);
  StepResidual<double>& steps = at.result.motion->steps();
  MatrixXd y = at.result.trajectory.y;
  for (auto _ : state) {
    for (Eigen::Index k = 1; k <= n_steps; ++k) {
      if (const Status s = steps.step(k, y.col(k - 1), y.col(k)); s.failed())
        return state.SkipWithError(s.message().c_str());
    }
  }
  count_steps(state);
}

void adjoint_steps(benchmark::State& state, const std::string& name, const Settings& settings) {
  Moved at(name, settings);
  StepResidual<double>& steps = at.result.motion->steps();
  const MatrixXd& y = at.result.trajectory.y;
  MatrixXd y_bar(steps.n_tangent(), 1), p_bar = MatrixXd::Zero(steps.n_parameters(), 1);
  for (auto _ : state) {
    y_bar.setOnes();
    for (Eigen::Index k = n_steps; k > 0; --k) steps.pullback_step(k, y.col(k - 1), y.col(k), y_bar, p_bar);
  }
  count_steps(state);
}

void simulation(benchmark::State& state, const std::string& name, const Settings& settings) {
  Moved at(name, settings);
  for (auto _ : state) {
    if (const Status s = at.chain.simulate(at.result); s.failed())
      return state.SkipWithError(s.message().c_str());
  }
  count_steps(state);
}

void gradient(benchmark::State& state, const std::string& name, const Settings& settings) {
  Moved at(name, settings);
  Design bar;
  for (auto _ : state) {
    if (const Status s = at.chain.gradient(at.result, bar); s.failed())
      return state.SkipWithError(s.message().c_str());
  }
  count_steps(state);
}

/// Moves all along, with derivatives along the first directions of the design; none: without.
void whole(benchmark::State& state, const std::string& name, const Settings& settings,
           Eigen::Index n_directions) {
  Moved at(read_problem(test::input(name + ".toml"), settings));
  Motion& motion = *at.result.motion;
  const SparseMatrix p_dot = motion.directions({}).p_dot.leftCols(n_directions);
  const RequestedFunctions objective{0, {}, nullptr};
  for (auto _ : state) {
    const bool is_along = n_directions > 0;
    const Status s =
        is_along ? motion.simulate_along(p_dot, at.result.trajectory) : motion.simulate(at.result.trajectory);
    if (s.failed()) return state.SkipWithError(s.message().c_str());
    benchmark::DoNotOptimize(motion.values(at.result.trajectory, objective));
    if (is_along) {
      benchmark::DoNotOptimize(
          motion.gradients(at.result.trajectory, objective, SensitivityOptions::Method::direct, p_dot));
    }
  }
}

#define KURBEL_MECHANISM(label, name, ...)                                                            \
  BENCHMARK_CAPTURE(steps, label, name, Settings __VA_ARGS__)->Unit(benchmark::kMillisecond);         \
  BENCHMARK_CAPTURE(adjoint_steps, label, name, Settings __VA_ARGS__)->Unit(benchmark::kMillisecond); \
  BENCHMARK_CAPTURE(simulation, label, name, Settings __VA_ARGS__)->Unit(benchmark::kMillisecond);    \
  BENCHMARK_CAPTURE(gradient, label, name, Settings __VA_ARGS__)->Unit(benchmark::kMillisecond)

KURBEL_MECHANISM(buggy_step, "buggy_step", {});
KURBEL_MECHANISM(buggy_step_alpha, "buggy_step", {"integrator.method=\"generalized-alpha\""});
KURBEL_MECHANISM(buggy_step_3ms, "buggy_step", {"integrator.step=0.003"});
KURBEL_MECHANISM(buggy_lane_change, "buggy_lane_change", {});
KURBEL_MECHANISM(buggy_lane_change_frames, "buggy_lane_change",
                 {"formulation=\"floating-frame\"", "integrator.method=\"generalized-alpha\"",
                  "integrator.step=0.005"});
KURBEL_MECHANISM(five_bar, "five_bar", {});
KURBEL_MECHANISM(five_bar_alpha, "five_bar", {"integrator.method=\"generalized-alpha\""});
KURBEL_MECHANISM(cart_swing_up, "cart_swing_up", {});  // at 601 nodes
KURBEL_MECHANISM(buggy_step_frames, "buggy_step", {"formulation=\"floating-frame\""});

#define KURBEL_WHOLE(label, name, ...)                                                                      \
  BENCHMARK_CAPTURE(whole, label, name, Settings __VA_ARGS__, 0)->Unit(benchmark::kMillisecond);            \
  BENCHMARK_CAPTURE(whole, label##_direct_1, name, Settings __VA_ARGS__, 1)->Unit(benchmark::kMillisecond); \
  BENCHMARK_CAPTURE(whole, label##_direct_5, name, Settings __VA_ARGS__, 5)->Unit(benchmark::kMillisecond)

KURBEL_WHOLE(buggy_step, "buggy_step", {});
KURBEL_WHOLE(buggy_step_alpha, "buggy_step", {"integrator.method=\"generalized-alpha\""});
KURBEL_WHOLE(buggy_comfort, "buggy_comfort", {});
KURBEL_WHOLE(buggy_lane_change, "buggy_lane_change", {});

}  // namespace
}  // namespace kurbel
