/// The gradient of the flexible crank by the pull-back and by the derivatives of every SID coefficient, as P0
/// forms it: seconds, and megabytes of dM0, dM1, dMn. Peak memory is that of the process: run one at a time.
///
///     build/benchmarks/augmented_sid_benchmark --benchmark_filter='augmented_sid/200/40/4$'
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "evaluation/design_space.hpp"
#include "evaluation/evaluation_chain.hpp"

namespace kurbel {
namespace {

Problem crank(const benchmark::State& state, const char* path) {
  const auto number = [&](int i) { return std::to_string(state.range(i)); };
  return read_problem(std::string(KURBEL_SOURCE_DIR) + "/inputs/flexible_crank.toml",
                      {"bodies.crank.mesh.divisions=[" + number(0) + "," + number(1) + "]",
                       "bodies.crank.modes.normal=" + number(2), "filter.type=\"none\"",
                       "integrator.step=2e-3", std::string("sensitivity.path=\"") + path + "\""});
}

/// A density field between void and solid, without symmetry.
VectorXd pattern(const VectorXd& start) {
  return VectorXd::NullaryExpr(
      start.size(), [&](Eigen::Index i) { return start[i] * (0.9 + 0.1 * std::sin(0.37 * double(i))); });
}

void gradient(benchmark::State& state, const char* path) {
  const Problem problem = crank(state, path);
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const BodyFields densities = space.densities(pattern(space.start()));
  ChainResult result;
  if (const Status s = chain.reduce(densities, result); s.failed())
    return state.SkipWithError(s.message().c_str());
  if (const Status s = chain.simulate(result); s.failed()) return state.SkipWithError(s.message().c_str());
  Design bar;
  double seconds = 0.0;
  for (auto _ : state) {
    if (const Status s = chain.gradient(result, bar); s.failed())
      return state.SkipWithError(s.message().c_str());
    benchmark::DoNotOptimize(bar);
    seconds += result.times.pullback;
  }
  using benchmark::Counter;
  state.counters["from_sid_bar"] = Counter(seconds, Counter::kAvgIterations);
  state.counters["cg_iterations"] = result.cg_iterations;
  state.counters["arrays_MB"] = result.derivative_bytes / 1e6;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_MB"] = double(usage.ru_maxrss) / 1024.0;
}

/// Divisions of the mesh and normal modes; two attachment modes besides.
void cases(benchmark::internal::Benchmark* b) {
  for (const int modes : {2, 4, 8, 16}) b->Args({50, 10, modes});
  for (const int modes : {2, 4, 8, 16}) b->Args({200, 40, modes});
  b->Args({707, 141, 4});
  b->Unit(benchmark::kMillisecond)->UseRealTime();
}
BENCHMARK_CAPTURE(gradient, pull_back, "pull-back")->Apply(cases);
BENCHMARK_CAPTURE(gradient, augmented_sid, "augmented-sid")->Apply(cases);

}  // namespace
}  // namespace kurbel
