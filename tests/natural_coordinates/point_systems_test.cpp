/// Masses in points and planar beams: states, energy, a rigid limit.
#include <gtest/gtest.h>

#include <cmath>

#include "integration/dae_steps.hpp"
#include "integration/first_order_form.hpp"
#include "integration/runge_kutta.hpp"
#include "natural_coordinates/natural_criteria.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "test_systems.hpp"

namespace kurbel {
namespace {

TEST(PointSystem, NamesItsStates) {
  const NaturalSystem<double> system(test::spring_pendulum().spec);
  const FirstOrderForm<double> form(system);
  EXPECT_EQ(system.n_x(), 4);  // the anchor is held, the slider moves along x
  EXPECT_EQ(form.state_name(0), "mass.x");
  EXPECT_EQ(form.state_name(3), "slider.x");
  EXPECT_EQ(form.state_name(7), "d(slider.x)/dt");
}

TEST(PointSystem, StartsFromPositionsAndVelocities) {
  const NaturalSystem<double> system(test::spring_pendulum().spec);
  VectorXd x(8);
  FirstOrderForm<double>(system).initial_state(x);
  const VectorXd expected = (VectorXd(8) << -2.0, -5.0, -5.0, 1.5, -3.0, 0.5, 1.0, 0.4).finished();
  EXPECT_EQ(x, expected);
}

// --- Energy

struct Energies {
  double start, largest_drift, largest_kinetic;
};

/// Over a motion without controls.
Energies energies(const SystemSpec& spec, IntegratorMethod method, double t1, int n) {
  const NaturalSystem<double> system(spec);
  const auto ws = system.make_workspace();
  IntegratorOptions options;
  options.method = method, options.t1 = t1, options.step = t1 / n;
  const FirstOrderForm<double> form(system);
  RungeKutta<double> integrator(form, options);
  Trajectory<double> trajectory;
  const Status status = simulate<double>(integrator, trajectory);
  EXPECT_FALSE(status.failed()) << status.message();
  Energies e{0.0, 0.0, 0.0};
  for (int k = 0; k <= n; ++k) {
    const VectorXd x = trajectory.y.col(k).head(system.n_x()), v = trajectory.y.col(k).tail(system.n_x());
    const double kinetic = system.kinetic_energy(v), total = kinetic + system.potential_energy(x, *ws);
    if (k == 0) e.start = total;
    e.largest_drift = std::max(e.largest_drift, std::abs(total - e.start));
    e.largest_kinetic = std::max(e.largest_kinetic, kinetic);
  }
  return e;
}

SystemSpec undamped_pendulum() {
  SystemSpec spec = test::without_controls(test::spring_pendulum()).spec;
  for (SpringSpec& spring : spec.springs) spring.damping = 0.0;
  return spec;
}

TEST(Energy, OfAnUndampedPendulumDriftsWithTheOrderOfRungeKutta) {
  const auto method = IntegratorMethod::runge_kutta_4;
  const Energies coarse = energies(undamped_pendulum(), method, 4.0, 200);
  const Energies fine = energies(undamped_pendulum(), method, 4.0, 400);
  EXPECT_LT(fine.largest_drift, 1e-5 * fine.largest_kinetic);
  EXPECT_GT(std::log2(coarse.largest_drift / fine.largest_drift), 3.9);
}

TEST(Energy, OfADampedPendulumFalls) {
  const SystemSpec spec = test::without_controls(test::spring_pendulum()).spec;
  const Energies damped = energies(spec, IntegratorMethod::runge_kutta_4, 4.0, 400);
  EXPECT_GT(damped.largest_drift, 0.1 * damped.largest_kinetic);
}

/// A beam on a pin that starts to fall at an angle.
SystemSpec beam_pendulum(double length, double height, double E, double angle, std::size_t n) {
  SystemSpec spec;
  spec.gravity << 0.0, -9.81, 0.0;
  PlanarBeamSpec beam = test::rubber_beam("beam", n, length, angle);
  beam.start = Eigen::Vector2d::Zero();
  beam.elements[PlanarBeamSpec::height].assign(n, height);
  beam.elements[PlanarBeamSpec::youngs_modulus].assign(n, E);
  spec.planar_beams = {beam};
  spec.joints = {test::revolute("pin", "ground", "beam.start")};
  return spec;
}

TEST(Energy, OfAFallingBeamDriftsLittleUnderTheTrapezoidalRule) {
  const SystemSpec spec = beam_pendulum(0.5, 0.05, 1e6, 0.0, 2);
  const Energies coarse = energies(spec, IntegratorMethod::trapezoidal, 0.4, 400);
  const Energies fine = energies(spec, IntegratorMethod::trapezoidal, 0.4, 800);
  EXPECT_GT(fine.largest_kinetic, 0.5);  // it has fallen by most of its half length: m g l / 2 = 1.2 J
  EXPECT_LT(fine.largest_drift, 1e-4 * fine.largest_kinetic);
  EXPECT_NEAR(std::log2(coarse.largest_drift / fine.largest_drift), 2.0, 0.3);
}

TEST(BeamPendulum, SwingsAsTheRigidOneWhenItIsStiff) {
  const double L = 0.8, h = 0.1, amplitude = 0.01;
  const SystemSpec spec = beam_pendulum(L, h, 1e9, -0.5 * M_PI + amplitude, 2);
  const double omega = std::sqrt(9.81 * (0.5 * L) / (L * L / 3.0 + h * h / 12.0));
  const NaturalSystem<double> system(spec);
  const FirstOrderForm<double> form(system);
  IntegratorOptions options;
  options.method = IntegratorMethod::trapezoidal;
  options.t1 = 2.0 * M_PI / omega, options.step = options.t1 / 2000;
  RungeKutta<double> integrator(form, options);
  Trajectory<double> trajectory;
  ASSERT_FALSE(simulate<double>(integrator, trajectory).failed());
  Eigen::Index tip = 0;
  while (form.state_name(tip) != "beam.node2.x") ++tip;
  double error = 0.0;
  for (Eigen::Index k = 0; k < trajectory.y.cols(); ++k) {
    const double rigid = L * std::sin(amplitude) * std::cos(omega * trajectory.t[k]);
    error = std::max(error, std::abs(trajectory.y(tip, k) - rigid));
  }
  // Elasticity stretches the beam by rho g L^2 / (2 E) = 3e-6 and the amplitude slows it by 6e-6, over 2 pi.
  EXPECT_LT(error, 1e-4 * L * amplitude);
}

/// The stress at a named place is the one that the examination of all places finds there: three along each element,
/// with three up the beam at each.
TEST(BeamStress, IsThatAtThePlaceThatIsNamed) {
  const NaturalSystem<double> system(beam_pendulum(0.5, 0.05, 1e6, 0.2, 2));
  VectorXd x(system.n_x()), v(system.n_v());
  system.given_initial_state(x, v);
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] += 0.01 * std::sin(1.0 + static_cast<double>(i));
  const VectorXd v_dot = VectorXd::Zero(system.n_v()), lambda = VectorXd::Zero(system.n_c());
  const auto value = [&](const ElementFunction<double>& stress) {
    return stress.value({0.0, x, v, v_dot, lambda})[0];
  };
  CriterionTerm term{.quantity = Quantity::stress};
  term.beam = "beam";
  const auto all = beam_stresses(system, term);
  ASSERT_EQ(all.size(), 18U);
  term.along = 0.75;
  for (const std::size_t place : {0U, 1U, 2U}) {
    term.up = static_cast<double>(place) - 1.0;
    const auto one = beam_stresses(system, term);
    ASSERT_EQ(one.size(), 1U);
    EXPECT_DOUBLE_EQ(value(one[0]), value(all[9 + 3 + place])) << *term.up;
  }
  EXPECT_GT(std::abs(value(all[12]) - value(all[13])), 0.01 * value(all[13])) << "it bends";
}

/// Nodes stay at their shares of the motion.
TEST(ControlEnergy, GrowsWithTheEndOfTheMotionAndItsMeanDoesNot) {
  SystemSpec spec = test::spring_pendulum().spec;
  spec.time = {0.0, 1.0, true};
  spec.controls[1].nodes << 3.0;
  const NaturalSystem<double> system(spec);
  const auto steps =
      make_dae_steps<double>(system, {.method = IntegratorMethod::generalized_alpha, .t1 = 1.0, .step = 0.1});
  Trajectory<double> trajectory;
  ASSERT_FALSE(simulate<double>(*steps, trajectory).failed());
  const auto by_end = [&](TimeFunctional time) {
    const auto energy =
        make_criterion<double>(*steps, system, {{.quantity = Quantity::control_energy, .time = time}});
    const LinearizedCriterion objective(energy, trajectory);
    return discrete_adjoint<double>(*steps, trajectory, {&objective})(system.end_parameter(), 0);
  };
  EXPECT_NEAR(by_end(TimeFunctional::integral), 0.5 * 3.0 * 3.0, 1e-12);
  EXPECT_NEAR(by_end(TimeFunctional::mean), 0.0, 1e-12);
}

// --- What can go wrong

TEST(PointSystem, SaysThatAShiftedDerivativeIsSingular) {
  SystemSpec spec;
  spec.point_masses = {{"mass", {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {true, false, false}, 1.0}};
  spec.springs = {test::spring("repulsion", SpringLaw::linear, "ground", "mass", -4.0)};
  const NaturalSystem<double> system(spec);
  const FirstOrderForm<double> form(system);
  const auto ws = form.make_workspace();
  form.linearize({0.0}, VectorXd::Zero(2), *ws);
  EXPECT_FALSE(form.factorize(0.5, *ws));  // 1 - gamma^2 4
  EXPECT_TRUE(form.factorize(0.4, *ws));
}

}  // namespace
}  // namespace kurbel
