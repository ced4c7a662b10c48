/// Objective and gradient of the flexible crank by number of elements: wall-clock seconds per phase, peak
/// memory; and of small mechanisms the share of an evaluation that making its motion ready takes.
///
///     build/benchmarks/evaluation_benchmark --benchmark_filter=8000
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <array>

#include "base/timer.hpp"
#include "evaluation/design_space.hpp"
#include "evaluation/evaluation_chain.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel {
namespace {

Problem crank(std::int64_t nx, std::int64_t ny) {
  return read_problem(std::string(KURBEL_SOURCE_DIR) + "/inputs/flexible_crank.toml",
                      {"bodies.crank.mesh.divisions=[" + std::to_string(nx) + "," + std::to_string(ny) + "]",
                       "filter.radius=" + std::to_string(1.5 * 0.2 / double(nx))});
}

/// A density field between void and solid, without symmetry.
VectorXd pattern(const VectorXd& start) {
  return VectorXd::NullaryExpr(
      start.size(), [&](Eigen::Index i) { return start[i] * (0.9 + 0.1 * std::sin(0.37 * double(i))); });
}

void gradient(benchmark::State& state) {
  const Problem problem = crank(state.range(0), state.range(1));
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const VectorXd x = pattern(space.start());
  const BodyFields densities = space.densities(x);
  Design bar;
  ChainTimes sum;
  for (auto _ : state) {
    ChainResult result;
    if (const Status s = chain.reduce(densities, result); s.failed())
      return state.SkipWithError(s.message().c_str());
    if (const Status s = chain.simulate(result); s.failed()) return state.SkipWithError(s.message().c_str());
    if (const Status s = chain.gradient(result, bar); s.failed())
      return state.SkipWithError(s.message().c_str());
    benchmark::DoNotOptimize(space.pullback(x, bar));
    sum.reduction += result.times.reduction;
    sum.simulation += result.times.simulation;
    sum.adjoint += result.times.adjoint;
    sum.pullback += result.times.pullback;
  }
  using benchmark::Counter;
  state.counters["reduction"] = Counter(sum.reduction, Counter::kAvgIterations);
  state.counters["simulation"] = Counter(sum.simulation, Counter::kAvgIterations);
  state.counters["adjoint"] = Counter(sum.adjoint, Counter::kAvgIterations);
  state.counters["pullback"] = Counter(sum.pullback, Counter::kAvgIterations);
  state.counters["gradient/objective"] = (sum.adjoint + sum.pullback) / (sum.reduction + sum.simulation);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MB"] = double(usage.ru_maxrss) / 1024.0;
}
BENCHMARK(gradient)
    ->Args({200, 40})
    ->Args({224, 45})
    ->Args({707, 141})
    ->Args({2236, 447})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

constexpr std::array small_inputs = {"double_pendulum",      "n_link",          "four_bar",
                                     "spatial_slider_crank", "spring_pendulum", "spinning_beam",
                                     "flexible_crank_small", "double_wishbone"};

/// From the values of a design to equations that are ready to be integrated, beside the motion and its gradient.
void set_up(benchmark::State& state) {
  const std::string name = small_inputs[static_cast<std::size_t>(state.range(0))];
  state.SetLabel(name);
  const Problem problem = read_problem(test::input(name + ".toml"));
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ChainResult result;
  if (const Status s = chain.reduce(space.at(space.start()), result); s.failed())
    return state.SkipWithError(s.message().c_str());
  if (const Status s = chain.simulate(result); s.failed()) return state.SkipWithError(s.message().c_str());
  std::vector<Design> bars;
  if (const Status s = chain.gradients(result, bars); s.failed())
    return state.SkipWithError(s.message().c_str());
  const double evaluation = result.times.simulation + result.times.adjoint + result.times.pullback;
  const Timer timer;
  for (auto _ : state) {
    if (const Status s = chain.make_motion(result); s.failed())
      return state.SkipWithError(s.message().c_str());
  }
  state.counters["evaluation_ms"] = 1e3 * evaluation;
  state.counters["share_%"] = 100.0 * timer.seconds() / static_cast<double>(state.iterations()) / evaluation;
}
BENCHMARK(set_up)->DenseRange(0, std::ssize(small_inputs) - 1)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace kurbel
