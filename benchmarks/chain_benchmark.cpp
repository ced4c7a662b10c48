/// @file
/// Seconds per time step and per adjoint step of chains of 2 to 256 rigid bodies hinged to each other, and what the
/// time grows with. A formulation is a class as FloatingFrame below and a KURBEL_CHAIN at the end.
#include <benchmark/benchmark.h>

#include "integration/canonical_steps.hpp"
#include "integration/generalized_alpha.hpp"
#include "integration/matrix_r.hpp"
#include "integration/variational_midpoint.hpp"
#include "joint_coordinates/joint_coordinate_system.hpp"
#include "natural_coordinates/natural_system.hpp"
#include "tests/floating_frame/test_models.hpp"

namespace kurbel {
namespace {

constexpr int n_steps = 20;

IntegratorOptions options() {
  IntegratorOptions o;
  o.t1 = 0.02, o.step = o.t1 / n_steps;
  return o;
}

/// A chain of n bodies and its time steps.
struct FloatingFrame {
  explicit FloatingFrame(int n) : system(test::rigid_chain(n)), steps(system, options()) {}
  MultibodySystem<double> system;
  GeneralizedAlpha<double> steps;
};

/// The same in joint coordinates, by generalized-alpha and by Matrix R.
template <class Steps>
struct SemiRecursive {
  explicit SemiRecursive(int n)
      : absolute(test::rigid_chain(n)), system(absolute, ReferencePoint::common), steps(system, options()) {}
  MultibodySystem<double> absolute;
  JointCoordinateSystem<double> system;
  Steps steps;
};
/// Hamilton's equations by Runge-Kutta's method of order 4: in joint coordinates, and of all bodies.
struct JointHamiltonian {
  explicit JointHamiltonian(int n)
      : absolute(test::rigid_chain(n)),
        system(absolute, ReferencePoint::common),
        steps(system.canonical(), explicit_options()) {}
  static IntegratorOptions explicit_options() {
    IntegratorOptions o = options();
    o.method = IntegratorMethod::runge_kutta_4;
    return o;
  }
  MultibodySystem<double> absolute;
  JointCoordinateSystem<double> system;
  CanonicalSteps<double> steps;
};
struct Hamiltonian {
  explicit Hamiltonian(int n)
      : system(test::rigid_chain(n)), steps(system.canonical(), JointHamiltonian::explicit_options()) {}
  MultibodySystem<double> system;
  CanonicalSteps<double> steps;
};

/// In vectors of the inertial frame.
template <class Steps>
struct NaturalCoordinates {
  explicit NaturalCoordinates(int n) : system(test::rigid_chain(n)), steps(system, options()) {}
  NaturalSystem<double> system;
  Steps steps;
};

using InVectors = NaturalCoordinates<GeneralizedAlpha<double>>;
using InVectorsVariational = NaturalCoordinates<VariationalMidpoint<double>>;
using InJoints = SemiRecursive<GeneralizedAlpha<double>>;
using InJointsMatrixR = SemiRecursive<MatrixR<double>>;

void count_steps(benchmark::State& state) {
  state.counters["per_step"] = benchmark::Counter(double(state.iterations()) * n_steps,
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.SetComplexityN(state.range(0));
}

template <class Formulation>
void start(benchmark::State& state) {
  Formulation chain(static_cast<int>(state.range(0)));
  VectorXd y(chain.steps.n_state());
  for (auto _ : state) {
    if (const Status s = chain.steps.initial_state(y); s.failed())
      return state.SkipWithError(s.message().c_str());
  }
  state.SetComplexityN(state.range(0));
}

template <class Formulation>
void simulation(benchmark::State& state) {
  Formulation chain(static_cast<int>(state.range(0)));
  MatrixXd y(chain.steps.n_state(), n_steps + 1);
  if (const Status s = chain.steps.initial_state(y.col(0)); s.failed())
    return state.SkipWithError(s.message().c_str());
  for (auto _ : state) {
    for (Eigen::Index k = 1; k <= n_steps; ++k) {
      if (const Status s = chain.steps.step(k, y.col(k - 1), y.col(k)); s.failed())
        return state.SkipWithError(s.message().c_str());
    }
  }
  count_steps(state);
}

template <class Formulation>
void adjoint(benchmark::State& state) {
  Formulation chain(static_cast<int>(state.range(0)));
  Trajectory<double> trajectory;
  if (const Status s = simulate<double>(chain.steps, trajectory); s.failed())
    return state.SkipWithError(s.message().c_str());
  MatrixXd y_bar(chain.steps.n_tangent(), 1), p_bar = MatrixXd::Zero(chain.steps.n_parameters(), 1);
  for (auto _ : state) {
    y_bar.setOnes();
    for (Eigen::Index k = n_steps; k > 0; --k)
      chain.steps.pullback_step(k, trajectory.y.col(k - 1), trajectory.y.col(k), y_bar, p_bar);
  }
  count_steps(state);
}

void sizes(benchmark::internal::Benchmark* b) {
  b->RangeMultiplier(2)->Range(2, 256)->Arg(80)->Complexity()->Unit(benchmark::kMillisecond);
}
void sizes_of_start(benchmark::internal::Benchmark* b) {
  b->RangeMultiplier(2)->Range(4, 64)->Arg(80)->Complexity()->Unit(benchmark::kMillisecond);
}

#define KURBEL_CHAIN(Formulation)                   \
  BENCHMARK(simulation<Formulation>)->Apply(sizes); \
  BENCHMARK(adjoint<Formulation>)->Apply(sizes);    \
  BENCHMARK(start<Formulation>)->Apply(sizes_of_start)

KURBEL_CHAIN(FloatingFrame);
KURBEL_CHAIN(InJoints);
KURBEL_CHAIN(InJointsMatrixR);
KURBEL_CHAIN(JointHamiltonian);
KURBEL_CHAIN(Hamiltonian);
KURBEL_CHAIN(InVectors);
KURBEL_CHAIN(InVectorsVariational);

}  // namespace
}  // namespace kurbel
