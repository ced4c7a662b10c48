/// Masses in points and planar beams by all integrators of mechanisms.
#include <gtest/gtest.h>

#include <cmath>

#include "floating_frame/system_quantity.hpp"
#include "integration/dae_steps.hpp"
#include "integration/first_order_form.hpp"
#include "integration/runge_kutta.hpp"
#include "test_systems.hpp"

namespace kurbel {
namespace {

IntegratorOptions options_of(IntegratorMethod method, double t1, int n) {
  IntegratorOptions options;
  options.method = method, options.t1 = t1, options.step = t1 / n, options.newton_tolerance = 1e-13;
  return options;
}

/// (q, v) at the end of a motion.
VectorXd end_of(StepResidual<double>& steps, Eigen::Index n_x) {
  Trajectory<double> trajectory;
  const Status status = simulate(steps, trajectory);
  EXPECT_FALSE(status.failed()) << status.message();
  return trajectory.y.col(steps.n_steps()).head(n_x);
}

VectorXd end_of(const NaturalSystem<double>& system, const IntegratorOptions& options) {
  return end_of(*make_dae_steps<double>(system, options), 2 * system.n_x());
}

VectorXd end_of(const test::System& system, const IntegratorOptions& options) {
  return end_of(NaturalSystem<double>(system.spec), options);
}

class OfSystems : public testing::TestWithParam<bool> {
 protected:
  test::System described() const { return GetParam() ? test::arm() : test::spring_pendulum(); }
  double t1() const { return GetParam() ? 0.05 : 1.0; }
  /// That resolve what vibrates.
  int n_steps() const { return GetParam() ? 800 : 200; }
};

INSTANTIATE_TEST_SUITE_P(, OfSystems, testing::Bool(),
                         [](const auto& param) { return param.param ? "Arm" : "SpringPendulum"; });

TEST_P(OfSystems, IndependentCoordinatesMoveByTheSameTrapezoidalRule) {
  const IntegratorOptions options = options_of(IntegratorMethod::trapezoidal, t1(), 40);
  const NaturalSystem<double> system(described().spec);
  const FirstOrderForm<double> form(system);
  RungeKutta<double> one_step(form, options);
  const VectorXd expected = end_of(one_step, 2 * system.n_x());
  EXPECT_LT((end_of(described(), options) - expected).norm(), 1e-10 * expected.norm());
}

TEST_P(OfSystems, StepsOfSecondOrderConvergeToTheMotionOfRungeKutta) {
  const VectorXd expected = end_of(described(), options_of(IntegratorMethod::runge_kutta_4, t1(), 4000));
  for (const auto method : {IntegratorMethod::generalized_alpha, IntegratorMethod::variational_midpoint}) {
    const double coarse = (end_of(described(), options_of(method, t1(), n_steps())) - expected).norm();
    const double fine = (end_of(described(), options_of(method, t1(), 2 * n_steps())) - expected).norm();
    EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.1) << static_cast<int>(method);
    EXPECT_LT(fine, 1e-4 * expected.norm()) << static_cast<int>(method);
  }
}

// Steps own equations that are given as a shared pointer; a name lends them, and a temporary does not compile.
TEST(Steps, OwnTheEquationsThatAreShared) {
  static_assert(!std::is_constructible_v<Shared<const SecondOrderDae<double>>, NaturalSystem<double>>);
  static_assert(!std::is_constructible_v<Shared<const SecondOrderDae<double>>, const NaturalSystem<double>>);
  for (const IntegratorMethod method :
       {IntegratorMethod::generalized_alpha, IntegratorMethod::trapezoidal,
        IntegratorMethod::variational_midpoint, IntegratorMethod::runge_kutta_4}) {
    const IntegratorOptions options = options_of(method, 0.1, 10);
    const SystemSpec spec = test::spring_pendulum().spec;
    auto system = std::make_shared<NaturalSystem<double>>(spec);
    const VectorXd expected = end_of(*system, options);
    const std::weak_ptr<NaturalSystem<double>> watched = system;
    auto steps = make_dae_steps<double>(std::move(system), options);
    ASSERT_FALSE(watched.expired()) << static_cast<int>(method);
    EXPECT_EQ(end_of(*steps, expected.size()), expected) << static_cast<int>(method);
    steps.reset();
    EXPECT_TRUE(watched.expired()) << static_cast<int>(method);
  }
}

// A force that jumps at 0.5 s where a step ends: the force of the step counts there, and at the start what follows.
TEST(JumpsOfControls, AreSeenFromTheLeftWhereAStepEnds) {
  SystemSpec spec;
  spec.point_masses = {{"mass", {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {true, false, false}, 2.0}};
  test::add_force(spec, "push", "mass", {1.0, 0.0, 0.0});
  spec.controls[0].grid = ControlGrid(Interpolation::constant, 2, 0.0, 1.0);
  spec.controls[0].nodes = Eigen::Vector2d(6.0, -4.0);
  const NaturalSystem<double> system(spec);
  const auto steps = make_dae_steps<double>(system, options_of(IntegratorMethod::generalized_alpha, 1.0, 4));
  Trajectory<double> trajectory;
  ASSERT_FALSE(simulate(*steps, trajectory).failed());
  const auto acceleration = [&](Eigen::Index k) { return steps->layout().w(trajectory.y.col(k))[0]; };
  for (const Eigen::Index k : {0, 1, 2}) EXPECT_NEAR(acceleration(k), 3.0, 1e-14) << k;
  for (const Eigen::Index k : {3, 4}) EXPECT_NEAR(acceleration(k), -2.0, 1e-14) << k;
}

TEST_P(OfSystems, ParametersThatAreSetChangeStartAndMass) {
  const IntegratorOptions options = options_of(IntegratorMethod::generalized_alpha, t1(), 40);
  NaturalSystem<double> system(described().spec);
  end_of(system, options);
  SystemSpec changed = described().spec;
  if (GetParam()) {
    set_value({SystemQuantity::Kind::planar_beam_number, 0, 0, PlanarBeamSpec::length}, 0.9, changed);
    set_value(SystemQuantity::of<&AttachedMassSpec::mass>(0), 0.04, changed);
  } else {
    set_value(SystemQuantity::of<&PointMassSpec::mass>(0), 1.3, changed);
    set_value(SystemQuantity::of<&SpringSpec::free_length>(1), 4.2, changed);
  }
  system.change([&](SystemSpec& spec) { spec = changed; });
  const VectorXd expected = end_of(NaturalSystem<double>(changed), options);
  EXPECT_LT((end_of(system, options) - expected).norm(), 1e-12 * expected.norm());
}

}  // namespace
}  // namespace kurbel
