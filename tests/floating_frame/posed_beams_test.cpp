/// Spatial beams between poses: every derivative by complex step, motions against natural coordinates.
#include "floating_frame/posed_beams.hpp"

#include <gtest/gtest.h>

#include "beam_models.hpp"
#include "integration/generalized_alpha.hpp"
#include "start_derivatives.hpp"
#include "tests/integration/dae_derivatives.hpp"

namespace kurbel::test {
namespace {

MakeComplexModel complex_model(const SystemSpec& spec) {
  return [spec](const VectorX<Complex>& p) {
    auto system = std::make_shared<MultibodySystem<Complex>>(spec);
    system->set_parameters(p);
    return ComplexModel{system, system.get()};
  };
}

/// Near the start as it is given: beams far from it would be strained without measure.
DaePoint<double> point_near_start(const MultibodySystem<double>& system) {
  DaePoint<double> at;
  at.x.resize(system.n_x()), at.v.resize(system.n_v());
  system.given_initial_state(at.x, at.v);
  Random random(1);
  const VectorXd start = at.x;
  system.retract(start, 0.05 * random.vector(system.n_v()), at.x);
  at.v += 0.3 * random.vector(system.n_v());
  at.v_dot = random.vector(system.n_v());
  at.lambda = random.vector(system.n_c());
  at.t = 0.7;
  return at;
}

TEST(PosedBeams, EveryDerivativeIsThatOfAComplexStep) {
  SystemSpec spec = arm_with_blade();
  spec.beams[1].through.reset();  // strains of arcs follow their ends in no derivative
  const MultibodySystem<double> system(spec);
  expect_derivatives(system, complex_model(spec), point_near_start(system));
}

TEST(PosedBeams, DerivativesOfConstraintsAreThoseOfAComplexStep) {
  const SystemSpec spec = arm_with_blade();
  const MultibodySystem<double> system(spec);
  expect_constraint_derivatives(system, complex_model(spec), point_near_start(system));
}

TEST(PosedBeams, TheStartFollowsTheEndsOfBeams) {
  SystemSpec spec = arm_with_blade();
  spec.beams[1].through.reset();
  expect_derivatives_of_start(spec, 0.0, 7);
}

/// A blade that turns about its own axis is free of forces but for those that keep its mass in place.
TEST(PosedBeams, MomentumAndEnergyOfAFreeBeamStay) {
  SystemSpec spec;
  BeamSpec beam = soft_beam("blade", {0.0, 0.0, 0.0}, {0.8, 0.0, 0.0});
  beam.n_elements = 3, beam.damping = 0.0, beam.youngs_modulus = 1e6;
  spec.beams = {beam};
  const MultibodySystem<double> system(spec);
  IntegratorOptions options;
  options.t1 = 0.2, options.rho_inf = 1.0;
  const auto ws = system.make_workspace();
  double previous = 0.0;
  for (const double step : {2e-3, 1e-3}) {
    options.step = step;
    GeneralizedAlpha<double> integrator(system, options);
    Trajectory<double> trajectory;
    ASSERT_FALSE(simulate<double>(integrator, trajectory));
    const auto at = [&](Eigen::Index k) {
      return integrator.layout().instant<double>(trajectory.t[k], trajectory.y.col(k));
    };
    const Eigen::Index last = trajectory.n_stored - 1;
    const auto start = system.momentum(at(0), *ws), end = system.momentum(at(last), *ws);
    const auto e0 = system.energy(at(0), *ws), e1 = system.energy(at(last), *ws);
    const double turned = (end.angular - start.angular).norm() / start.angular.norm();
    const double gained =
        std::abs(e1.kinetic + e1.elastic - e0.kinetic - e0.elastic) / (e0.kinetic + e0.elastic);
    EXPECT_LT((end.linear - start.linear).norm(), 1e-3 * start.linear.norm());
    std::printf("h %g: angular %.3e energy %.3e linear %.3e\n", step, turned, gained,
                (end.linear - start.linear).norm() / start.linear.norm());
    if (previous > 0.0) {
      EXPECT_NEAR(previous / (turned + gained), 4.0, 0.4);
    }
    previous = turned + gained;
  }
}

TEST(PosedBeams, EnergiesHaveTheDerivativesOfAComplexStep) {
  SystemSpec spec = arm_with_blade();
  spec.beams[1].through.reset();
  const MultibodySystem<double> system(spec);
  const DaePoint<double> at = point_near_start(system);
  const EnergyWeights weights{0.7, 1.3, -0.4};
  const Eigen::Index n_v = system.n_v(), n_p = system.parameters().size();
  VectorXd x_bar = VectorXd::Zero(n_v), v_bar = x_bar, p_bar = VectorXd::Zero(n_p);
  system.add_energy_partials(at.instant(), weights, std::nullopt, *system.make_workspace(), x_bar, v_bar,
                             p_bar);
  MultibodySystem<Complex> judge(spec);
  const auto derivative = [&](const DaePoint<Complex>& point) {
    const auto e = judge.energy(point.instant(), *judge.make_workspace());
    return (weights.kinetic * e.kinetic + weights.elastic * e.elastic +
            weights.gravitational * e.gravitational)
               .imag() /
           complex_step;
  };
  VectorXd by_x(n_v), by_v(n_v), by_p(n_p);
  for (Eigen::Index j = 0; j < n_v; ++j) {
    by_x[j] = derivative(moved(judge, at, j));
    DaePoint<Complex> other = as_complex(at);
    other.v[j] += Complex(0.0, complex_step);
    by_v[j] = derivative(other);
  }
  const VectorX<Complex> p = judge.parameters();
  for (Eigen::Index i = 0; i < n_p; ++i) {
    VectorX<Complex> other = p;
    other[i] += Complex(0.0, complex_step);
    judge.set_parameters(other);
    by_p[i] = derivative(as_complex(at));
  }
  expect_close(x_bar, by_x, "by x");
  expect_close(v_bar, by_v, "by v");
  expect_close(p_bar, by_p, "by p");
}

}  // namespace
}  // namespace kurbel::test
