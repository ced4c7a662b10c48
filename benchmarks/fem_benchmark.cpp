/// @file
/// Reduction and pull-back of the crank over the number of elements; seconds per phase as counters.
#include <benchmark/benchmark.h>

#include <cmath>

#include "fem/flexible_body.hpp"

namespace kurbel::fem {
namespace {

FlexibleBodySpec crank(int n_x, int n_y, int n_z) {
  FlexibleBodySpec spec;
  spec.name = "crank";
  spec.mesh.dim = n_z > 0 ? 3 : 2;
  spec.mesh.origin = {0.0, -0.02, n_z > 0 ? -0.005 : 0.0};
  spec.mesh.size = {0.2, 0.04, 0.01};
  spec.mesh.divisions = {n_x, n_y, std::max(n_z, 1)};
  spec.mesh.thickness = 0.01;
  spec.material = {2.1e11, 0.3, 7850.0};
  spec.clamp = Box{{}, {0.0}};
  spec.markers = {{"pin", Box{{0.2}, {}}}};
  spec.n_normal_modes = 4;
  spec.attachments = {{"pin", {true, true, true}, {}}};
  return spec;
}

VectorXd wavy_densities(Eigen::Index n) {
  return VectorXd::NullaryExpr(n, [](Eigen::Index e) { return 0.5 + 0.3 * std::sin(0.37 * e); });
}

void reduce_and_pull_back(benchmark::State& state) {
  FlexibleBody body(crank(state.range(0), state.range(1), state.range(2)));
  VectorXd rho = wavy_densities(body.n_elements()), rho_bar;
  ReducedBody reduced;
  PullbackReport report;
  for (auto _ : state) {
    rho *= 0.9999;  // another design: nothing is reused but what the structure allows
    if (body.reduce(rho, reduced).failed()) return state.SkipWithError("reduction failed");
    const Sid& any_sensitivity = reduced.sid;
    if (body.pullback(rho, reduced, any_sensitivity, rho_bar, &report).failed()) {
      return state.SkipWithError("pull-back failed");
    }
  }
  state.counters["elements"] = static_cast<double>(body.n_elements());
  state.counters["assembly"] = reduced.times.assembly;
  state.counters["factor"] = reduced.times.factor;
  state.counters["modes"] = reduced.times.modes;
  state.counters["gram"] = reduced.times.gram;
  state.counters["pullback"] = report.seconds;
}

/// By the densities alone, and by all that a body may be varied in.
void pull_back_by_design(benchmark::State& state) {
  FlexibleBody body(crank(state.range(0), state.range(1), state.range(2)));
  const BodyDesign design = body.nominal(wavy_densities(body.n_elements()));
  ReducedBody reduced;
  if (body.reduce(design, reduced).failed()) return state.SkipWithError("reduction failed");
  VectorXd rho_bar;
  BodyDesign bar;
  PullbackReport by_density, by_design;
  for (auto _ : state) {
    if (body.pullback(design.density, reduced, reduced.sid, rho_bar, &by_density).failed() ||
        body.pullback(design, reduced, reduced.sid, bar, &by_design).failed()) {
      return state.SkipWithError("pull-back failed");
    }
  }
  state.counters["by_density"] = by_density.seconds;
  state.counters["by_design"] = by_design.seconds;
}

/// Solids by multigrid, whose time grows with the number of elements.
BENCHMARK(reduce_and_pull_back)
    ->Name("reduce_and_pull_back_solid")
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->Iterations(1)
    ->Args({110, 22, 11})
    ->Args({160, 32, 16})
    ->Args({320, 64, 32})
    ->Args({368, 74, 37});

BENCHMARK(pull_back_by_design)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Args({200, 40, 0})
    ->Args({60, 12, 6});

BENCHMARK(reduce_and_pull_back)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Args({200, 40, 0})
    ->Args({700, 143, 0})
    ->Args({60, 12, 6})
    ->Args({120, 24, 8});

}  // namespace
}  // namespace kurbel::fem
