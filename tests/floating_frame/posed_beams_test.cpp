/// Spatial beams between poses: every derivative by complex step, motions against natural coordinates.
#include "floating_frame/posed_beams.hpp"

#include <gtest/gtest.h>

#include "beam_models.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "simulation.hpp"
#include "start_derivatives.hpp"
#include "tests/integration/dae_derivatives.hpp"
#include "tests/natural_coordinates/beam_chain.hpp"

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
  const SystemSpec spec = arm_with_blade();
  const MultibodySystem<double> system(spec);
  expect_derivatives(system, complex_model(spec), point_near_start(system));
}

TEST(PosedBeams, DerivativesOfConstraintsAreThoseOfAComplexStep) {
  const SystemSpec spec = arm_with_blade();
  const MultibodySystem<double> system(spec);
  expect_constraint_derivatives(system, complex_model(spec), point_near_start(system));
}

TEST(PosedBeams, TheStartFollowsTheEndsOfBeams) {
  const SystemSpec spec = arm_with_blade();
  expect_derivatives_of_start(spec, 0.0, 7);
}

TEST(PosedBeams, SlenderCantileversAreFoundInEquilibriumOnTheElastica) {
  for (const double thickness : {1e-2, 1e-3}) {
    for (const Elastica& e : elasticas) {
      const MultibodySystem<double> system(loaded_cantilever(thickness, e.load, 16));
      InitialConditions<double> initial(system);
      InitialConditions<double>::State state;
      const Status status = initial.solve(0.0, state);
      ASSERT_FALSE(status.failed()) << status.message();
      const Vector3d tip = state.x.segment<3>(system.x_offset(system.n_bodies() - 1));
      // Sixteen elements miss 1 / (4 n^2) of small deflections, and up to eight times that where the rotations
      // of an element are large.
      EXPECT_NEAR(-tip.y(), e.across, 8.0 / (4.0 * 16 * 16));
      EXPECT_NEAR(1.0 - tip.x(), e.shortened, 8.0 / (4.0 * 16 * 16));
    }
  }
}

TEST(PosedBeams, AStartFoundByLoadStepsHasTheDerivativesOfAComplexStep) {
  // Accelerations are those of forces that cancel: their rounding is that of x times E A / m. The squares of the
  // frequencies of shear and of bending differ by 1e9, and a gradient keeps that many roundings.
  constexpr double of_accelerations = 1e-9, rounding = 1e-8;
  expect_derivatives_of_start(loaded_cantilever(1e-2, 5.0, 6), 0.0, 1, of_accelerations, rounding);
}

/// Free of gravity and damping, to O(h^2).
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
    ASSERT_FALSE(simulate<double>(integrator, trajectory).failed());
    const auto at = [&](Eigen::Index k) {
      return integrator.layout().instant<double>(trajectory.t[k], trajectory.y.col(k));
    };
    const Eigen::Index last = trajectory.n_stored - 1;
    const auto start = system.momentum(at(0), *ws), end = system.momentum(at(last), *ws);
    const auto e0 = system.energy(at(0), *ws), e1 = system.energy(at(last), *ws);
    const double turned = (end.angular - start.angular).norm() / start.angular.norm();
    const double gained =
        std::abs(e1.kinetic + e1.elastic - e0.kinetic - e0.elastic) / (e0.kinetic + e0.elastic);
    EXPECT_LT((end.linear - start.linear).norm(), 1e-6 * start.linear.norm());
    if (previous > 0.0) {
      EXPECT_NEAR(previous / (turned + gained), 4.0, 0.4);
    }
    previous = turned + gained;
  }
}

TEST(PosedBeams, EnergiesHaveTheDerivativesOfAComplexStep) {
  const SystemSpec spec = arm_with_blade();
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

/// Stresses all around the sections and at one place, a beam's mass, where its nodes are.
std::vector<CriterionTerm> terms_of_beams() {
  std::vector<CriterionTerm> terms(5);
  terms[0].quantity = terms[1].quantity = Quantity::stress;
  terms[0].beam = "blade", terms[0].element_exponent = 6.0;
  terms[1].beam = "bow", terms[1].along = 0.7, terms[1].across = -1.0, terms[1].up = 0.5;
  terms[2].quantity = Quantity::mass, terms[2].body = "blade";
  terms[3].quantity = Quantity::acceleration, terms[3].marker = {"bow", "end"};
  terms[4].quantity = Quantity::total_energy;
  return terms;
}

TEST(PosedBeams, WhatIsObservedHasTheDerivativesOfAComplexStep) {
  const SystemSpec spec = arm_with_blade();
  const MultibodySystem<double> system(spec);
  const DaePoint<double> at = point_near_start(system);
  const Eigen::Index n_v = system.n_v(), n_c = system.n_c(), n_p = system.parameters().size();
  const DaeStateLayout layout{system.n_x(), n_v, n_c, 1};
  Random random(7);
  for (const CriterionTerm& term : terms_of_beams()) {
    VectorXd y_bar = VectorXd::Zero(layout.n_tangent()), p_bar = VectorXd::Zero(n_p);
    DaeInstantBar<double> bar(layout, y_bar);
    make_integrand(system, term)->add_partials(at.instant(), 1.0, bar, p_bar);
    for (int k = 0; k < 3; ++k) {
      const VectorXd x_dot = random.vector(n_v), v_dot = random.vector(n_v), a_dot = random.vector(n_v),
                     p_dot = random.vector(n_p);
      const Complex i(0.0, complex_step);
      MultibodySystem<Complex> judge(spec);
      judge.set_parameters(judge.parameters() + i * p_dot);
      DaePoint<Complex> moved = as_complex(at);
      judge.retract(at.x.cast<Complex>(), i * x_dot, moved.x);
      moved.v += i * v_dot, moved.v_dot += i * a_dot;
      const double expected = make_integrand(judge, term)->value(moved.instant()).imag() / complex_step;
      const double actual = x_dot.dot(bar.x) + v_dot.dot(bar.v) + a_dot.dot(bar.v_dot) + p_dot.dot(p_bar);
      EXPECT_NEAR(actual, expected, 1e-11 * (1.0 + std::abs(expected))) << unit_of(term.quantity);
    }
  }
}

/// Joints strain the beams at the start: the stress of a beam without strain has no derivative beyond its rounding.
TEST(PosedBeams, TheDiscreteAdjointIsThatOfAComplexStep) {
  SystemSpec spec = arm_with_blade();
  const Vector3d gap(0.01, -0.02, 0.01);
  for (Vector3d* place : {&spec.beams[1].start, &spec.beams[1].end, &*spec.beams[1].through}) *place += gap;
  const IntegratorOptions options = span(0.04, 0.01);
  const auto add_terms = [](auto& run, auto scalar) {
    using S = decltype(scalar);
    for (const CriterionTerm& term : terms_of_beams()) run.psi.add(1.0, make_integrand<S>(run.system, term));
  };
  Simulation<double> run(spec, options, {"arm"});
  add_terms(run, 0.0);
  ASSERT_GT(std::abs(run.value()), 0.0);
  const VectorXd gradient = discrete_adjoint<double>(run.integrator, run.trajectory, {&run.psi}).col(0);

  Simulation<Complex> judge(spec, options, {"arm"});
  add_terms(judge, Complex());
  const VectorX<Complex> p = judge.system.parameters();
  Random random(3);
  for (int k = 0; k < 6; ++k) {
    const VectorXd direction = random.vector(p.size());
    judge.system.set_parameters(p + Complex(0.0, complex_step) * direction);
    const double expected = judge.value().imag() / complex_step;
    EXPECT_NEAR(gradient.dot(direction), expected, 1e-9 * gradient.norm() * direction.norm());
  }
  // The fifteen numbers of the blade, its ends and its section among them, by themselves.
  const Eigen::Index first = run.system.layout().beam(0).first;
  const Eigen::Index fifteen = 15;
  for (Eigen::Index i = first; i < first + fifteen; ++i) {
    VectorX<Complex> moved = p;
    moved[i] += Complex(0.0, complex_step);
    judge.system.set_parameters(moved);
    const double expected = judge.value().imag() / complex_step;
    EXPECT_NEAR(gradient[i], expected, 1e-8 * std::abs(expected) + 1e-12 * gradient.norm()) << i - first;
  }
}

}  // namespace
}  // namespace kurbel::test
