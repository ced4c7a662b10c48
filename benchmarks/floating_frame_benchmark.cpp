/// Seconds per time step and per step of the sensitivity methods, Jacobian and all Newton iterations
/// included.
#include <benchmark/benchmark.h>

#include "floating_frame/criteria.hpp"
#include "sensitivity/continuous_adjoint.hpp"
#include "sensitivity/direct_differentiation.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "tests/floating_frame/test_models.hpp"
#include "tests/floating_frame/time_integral.hpp"

namespace kurbel {
namespace {

IntegratorOptions options() {
  IntegratorOptions o;
  o.t1 = 0.5, o.step = 1e-3;
  return o;
}

/// One flexible body of 8 modes, driven about its marker.
SystemSpec one_body() {
  SystemSpec spec;
  spec.bodies = {{"one", test::random_flexible_sid(1, 8, 1e5), {}}};
  std::array<bool, 6> revolute{};
  locked_dofs_of("revolute", revolute);
  spec.joints = {{"base",
                  {"ground"},
                  {"one"},
                  revolute,
                  {{RelativeDof::rz, polynomial({0.0, {0, 0, 0, 0}}, {1.0, {6.0, 12.0, 0, 0}})}}}};
  return spec;
}

/// Two flexible bodies of 8 modes each as crank and rod of a slider-crank mechanism.
SystemSpec slider_crank() {
  SystemSpec spec = one_body();
  spec.bodies[0].sid.frame[0].origin.M0 << 0.2, 0.0, 0.0;
  spec.bodies[0].sid.frame[0].AP.M0.setIdentity();
  spec.bodies.push_back({"two", test::random_flexible_sid(2, 8, 1e5), {}});
  spec.bodies[1].sid.frame[1].origin.M0 << 0.5, 0.0, 0.0;
  spec.bodies[1].sid.frame[1].AP.M0.setIdentity();
  spec.bodies[1].initial.position << 0.2, 0.0, 0.0;
  std::array<bool, 6> revolute{};
  locked_dofs_of("revolute", revolute);
  spec.joints.push_back({"pin", {"one", "a"}, {"two"}, revolute, {}});
  spec.joints.push_back({"slider", {"two", "b"}, {"ground"}, {false, true, false, false, false, false}, {}});
  return spec;
}

template <SystemSpec (*model)()>
void forward(benchmark::State& state) {
  MultibodySystem<double> system(model());
  GeneralizedAlpha<double> integrator(system, options());
  Trajectory<double> trajectory;
  for (auto _ : state) {
    if (const Status s = simulate<double>(integrator, trajectory); s.failed())
      return state.SkipWithError(s.message().c_str());
  }
  const double steps = double(state.iterations()) * double(integrator.n_steps());
  state.counters["per_step"] =
      benchmark::Counter(steps, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["newton_per_step"] = double(integrator.newton_iterations()) / steps;
}

enum class Method { discrete_adjoint, continuous_adjoint, direct };

template <SystemSpec (*model)(), Method method>
void gradient(benchmark::State& state) {
  MultibodySystem<double> system(model());
  GeneralizedAlpha<double> integrator(system, options());
  Trajectory<double> trajectory;
  if (const Status s = simulate<double>(integrator, trajectory); s.failed())
    return state.SkipWithError(s.message().c_str());
  TimeIntegral<double> psi(integrator);
  psi.add(1.0, std::make_shared<ComplianceIntegrand<double>>(system, "one"));
  for (auto _ : state) {
    if constexpr (method == Method::discrete_adjoint) {
      benchmark::DoNotOptimize(discrete_adjoint<double>(integrator, trajectory, {&psi}));
    } else if constexpr (method == Method::continuous_adjoint) {
      benchmark::DoNotOptimize(continuous_adjoint(system, integrator, trajectory, {&psi.integrand()}));
    } else {
      const MatrixXd all = MatrixXd::Identity(integrator.n_parameters(), integrator.n_parameters());
      benchmark::DoNotOptimize(direct_differentiation<double>(integrator, trajectory, {&psi}, all));
    }
  }
  const double steps = double(state.iterations()) * double(integrator.n_steps());
  state.counters["per_step"] =
      benchmark::Counter(steps, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["parameters"] = double(integrator.n_parameters());
}

BENCHMARK(forward<one_body>)->Unit(benchmark::kMillisecond);
BENCHMARK(gradient<one_body, Method::discrete_adjoint>)->Unit(benchmark::kMillisecond);
BENCHMARK(gradient<one_body, Method::continuous_adjoint>)->Unit(benchmark::kMillisecond);
BENCHMARK(gradient<one_body, Method::direct>)->Unit(benchmark::kMillisecond);
BENCHMARK(forward<slider_crank>)->Unit(benchmark::kMillisecond);
BENCHMARK(gradient<slider_crank, Method::discrete_adjoint>)->Unit(benchmark::kMillisecond);
BENCHMARK(gradient<slider_crank, Method::continuous_adjoint>)->Unit(benchmark::kMillisecond);
BENCHMARK(gradient<slider_crank, Method::direct>)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kurbel
