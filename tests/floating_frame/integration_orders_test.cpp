/// Which results of generalized-alpha are of which order, for every damping: the table of docs/theory.md.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>

#include "simulation.hpp"

namespace kurbel {
namespace {

constexpr double t_end = 1.6, step = 2e-3;

/// Positions, velocities, accelerations, multipliers at one instant.
using Parts = std::array<VectorXd, 4>;
constexpr const char* part_names[] = {"positions", "velocities", "accelerations", "multipliers"};

/// Two bars in a plane, let go from a bent position.
SystemSpec double_pendulum() {
  SystemSpec spec;
  spec.gravity << 0.0, -9.81, 0.0;
  const auto bar = [] {
    return test::rigid_sid_with_markers(1.2, {0.5, 0, 0}, {0.01, 0.4, 0.4}, {0, 0, 0}, {1, 0, 0});
  };
  spec.bodies = {{"upper", bar(), {}}, {"lower", bar(), {}}};
  spec.bodies[1].initial.position << 1.0, 0.0, 0.0;
  spec.bodies[0].initial.angular_velocity << 0, 0, 3.0;
  spec.bodies[1].initial.angular_velocity << 0, 0, -2.0;
  std::array<bool, 6> revolute{};
  locked_dofs_of("revolute", revolute);
  spec.joints = {{"shoulder", {"ground"}, {"upper", "a"}, revolute, {}},
                 {"elbow", {"upper", "b"}, {"lower", "a"}, revolute, {}}};
  return spec;
}

/// A mass on a spring with a damper, free otherwise: a motion along x in closed form.
constexpr double m = 2.0, k = 50.0, d = 0.8, l0 = 0.5, x0 = 0.1;
SystemSpec free_oscillator() {
  SystemSpec spec;
  spec.bodies = {{"mass", test::rigid_sid_with_markers(m, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}, {1, 0, 0}), {}}};
  spec.bodies[0].initial.position << l0 + x0, 0, 0;
  spec.springs = {{"coil", {"ground"}, {"mass", "a"}, k, d, l0}};
  return spec;
}

/// x, v, v_dot of the oscillator along x.
std::array<double, 3> oscillation(double t) {
  const double delta = d / (2 * m), omega = std::sqrt(k / m - delta * delta);
  const double c = std::cos(omega * t), s = std::sin(omega * t), decay = x0 * std::exp(-delta * t);
  const double x = decay * (c + delta / omega * s), v = -decay * (k / m) / omega * s;
  return {l0 + x, v, -(k * x + d * v) / m};
}

/// Column 0 holds the start.
struct Motion {
  Motion(const SystemSpec& spec, double step, double rho_inf)
      : system(spec), integrator(system, test::span(t_end, step, rho_inf)) {
    const Status status = simulate<double>(integrator, trajectory);
    EXPECT_FALSE(status.failed()) << status.message();
  }
  Eigen::Index last() const { return trajectory.n_stored - 1; }
  Parts at(Eigen::Index i) const {
    const auto now = integrator.layout().instant<double>(trajectory.t[i], trajectory.y.col(i));
    return {now.x, now.v, now.v_dot, now.lambda};
  }
  MultibodySystem<double> system;
  GeneralizedAlpha<double> integrator;
  Trajectory<double> trajectory;
};

/// Largest errors of the parts over the whole motion and over its second half.
struct Errors {
  std::array<double, 4> all{}, later{};
};

template <class Difference>
Errors largest_errors(const Motion& motion, const Difference& difference) {
  Errors errors;
  for (Eigen::Index i = 1; i <= motion.last(); ++i) {
    const std::array<double, 4> now = difference(i);
    for (std::size_t part = 0; part < 4; ++part) {
      errors.all[part] = std::max(errors.all[part], now[part]);
      if (2 * i > motion.last()) errors.later[part] = std::max(errors.later[part], now[part]);
    }
  }
  return errors;
}

Errors errors_of_pendulum(double h, double rho_inf, const Motion& reference) {
  const Motion motion(double_pendulum(), h, rho_inf);
  const Eigen::Index ratio = reference.last() / motion.last();
  return largest_errors(motion, [&](Eigen::Index i) {
    const Parts a = motion.at(i), b = reference.at(ratio * i);
    std::array<double, 4> now{};
    for (std::size_t part = 0; part < 4; ++part) now[part] = (a[part] - b[part]).norm();
    return now;
  });
}

Errors errors_of_oscillator(double h, double rho_inf) {
  const Motion motion(free_oscillator(), h, rho_inf);
  return largest_errors(motion, [&](Eigen::Index i) {
    const Parts a = motion.at(i);
    const auto exact = oscillation(motion.trajectory.t[i]);
    std::array<double, 4> now{};
    for (std::size_t part = 0; part < 3; ++part) now[part] = std::abs(a[part][0] - exact[part]);
    return now;
  });
}

/// log2 of the ratio when the step is halved.
std::array<double, 4> orders(const std::array<double, 4>& coarse, const std::array<double, 4>& fine) {
  std::array<double, 4> order{};
  for (std::size_t part = 0; part < 4; ++part) order[part] = std::log2(coarse[part] / fine[part]);
  return order;
}

class WithConstraints : public testing::TestWithParam<double> {
 protected:
  static void SetUpTestSuite() { reference_ = std::make_unique<Motion>(double_pendulum(), 1e-4, 0.5); }
  static void TearDownTestSuite() { reference_.reset(); }
  static Errors errors(double h) { return errors_of_pendulum(h, GetParam(), *reference_); }
  static std::unique_ptr<Motion> reference_;
};
std::unique_ptr<Motion> WithConstraints::reference_;

// The reference has a tenth of the finer step: a hundredth of its error, by which orders are off by 0.03 at
// most, and the next terms of the error.
constexpr double order_tolerance = 0.1;

TEST_P(WithConstraints, PositionsAndVelocitiesAreOfOrderTwo) {
  const Errors coarse = errors(step), fine = errors(0.5 * step);
  const auto order = orders(coarse.all, fine.all);
  for (const int part : {0, 1}) EXPECT_NEAR(order[part], 2.0, order_tolerance) << part_names[part];
}

TEST_P(WithConstraints, AccelerationsAndMultipliersHaveTheOrderThatTheirDampingLetsThemHave) {
  const Errors coarse = errors(step), fine = errors(0.5 * step);
  const auto first = orders(coarse.all, fine.all), later = orders(coarse.later, fine.later);
  const bool damped = GetParam() < 1.0;
  for (const int part : {2, 3}) {
    EXPECT_NEAR(first[part], damped ? 1.0 : 0.0, order_tolerance) << part_names[part] << ", from the start";
    EXPECT_NEAR(later[part], damped ? 2.0 : 0.0, order_tolerance) << part_names[part] << ", second half";
  }
}

INSTANTIATE_TEST_SUITE_P(GeneralizedAlpha, WithConstraints, testing::Values(0.0, 0.5, 0.8, 0.95, 1.0));

class WithoutConstraints : public testing::TestWithParam<double> {};

TEST_P(WithoutConstraints, EverythingIsOfOrderTwo) {
  const Errors coarse = errors_of_oscillator(step, GetParam()),
               fine = errors_of_oscillator(0.5 * step, GetParam());
  const auto order = orders(coarse.all, fine.all);
  for (const int part : {0, 1, 2}) EXPECT_NEAR(order[part], 2.0, order_tolerance) << part_names[part];
}

INSTANTIATE_TEST_SUITE_P(GeneralizedAlpha, WithoutConstraints, testing::Values(0.0, 0.5, 0.8, 0.95, 1.0));

}  // namespace
}  // namespace kurbel
