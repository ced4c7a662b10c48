/// Objective and gradient of the flexible crank by number of elements: wall-clock seconds per phase, peak
/// memory.
///
///     build/benchmarks/evaluation_benchmark --benchmark_filter=8000
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "evaluation/design_space.hpp"

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
  const DesignSpace space = DesignSpace::of_problem(chain, {});
  const VectorXd x = pattern(space.start());
  const BodyFields densities = space.densities(x);
  Design bar;
  ChainTimes sum;
  for (auto _ : state) {
    ChainResult result;
    if (const Status s = chain.reduce(densities, result)) return state.SkipWithError(s->message().c_str());
    if (const Status s = chain.simulate(result)) return state.SkipWithError(s->message().c_str());
    if (const Status s = chain.gradient(result, bar)) return state.SkipWithError(s->message().c_str());
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

}  // namespace
}  // namespace kurbel
