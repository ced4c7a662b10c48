/// Systems in absolute coordinates: what they apply and solve against dense derivatives, energy, a rigid
/// limit.
#include "natural_coordinates/absolute_system.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "integration/runge_kutta.hpp"
#include "test_systems.hpp"
#include "tests/input_error.hpp"
#include "tests/numerics.hpp"

namespace kurbel {
namespace {

using VectorXc = VectorX<Complex>;

/// A system at a state, and its derivatives by complex step.
struct Linearized {
  explicit Linearized(const test::System& of)
      : described(of),
        assembly(described.assembled()),
        judge(described.assembled<Complex>()),
        ws(system().make_workspace()),
        judge_ws(judge.system->make_workspace()),
        x(system().n_x()),
        p(system().parameters()) {
    p.tail(system().controls().n_nodes()) = test::random_vector(system().controls().n_nodes(), 0.5, 2);
    system().set_parameters(p);
    system().initial_state(x);
    x += test::random_vector(x.size(), 0.02, 1);
    x.tail(system().n_q()) += test::random_vector(system().n_q(), 0.5, 3);
    system().linearize(instant, x, *ws);
    const VectorXc x_c = x.cast<Complex>(), p_c = p.cast<Complex>();
    f_x = test::complex_step([&](const VectorXc& z) { return f(z, p_c); }, x);
    f_p = test::complex_step([&](const VectorXc& z) { return f(x_c, z); }, p);
    x0_p = test::complex_step(
        [&](const VectorXc& z) {
          judge.system->set_parameters(z);
          VectorXc x0(x.size());
          judge.system->initial_state(x0);
          return x0;
        },
        p);
  }

  AbsoluteSystem<double>& system() { return *assembly.system; }

  VectorXc f(const VectorXc& x_c, const VectorXc& p_c) {
    judge.system->set_parameters(p_c);
    VectorXc out(x_c.size());
    judge.system->right_hand_side(instant, x_c, *judge_ws, out);
    return out;
  }

  test::System described;
  absolute::Assembly<double> assembly;
  absolute::Assembly<Complex> judge;
  std::unique_ptr<FirstOrderOde<double>::Workspace> ws;
  std::unique_ptr<FirstOrderOde<Complex>::Workspace> judge_ws;
  const OneSidedTime instant{0.3};
  VectorXd x, p;
  MatrixXd f_x, f_p, x0_p;
};

// Accelerations of light elements cancel to some 1e-12 of the forces on them.
constexpr double rounding = 1e-11;

class AbsoluteSystems : public testing::TestWithParam<bool> {
 protected:
  Linearized at_{GetParam() ? test::arm() : test::spring_pendulum()};
  const Eigen::Index n_x_ = at_.x.size(), n_p_ = at_.p.size();
};

INSTANTIATE_TEST_SUITE_P(AbsoluteSystem, AbsoluteSystems, testing::Bool(),
                         [](const auto& param) { return param.param ? "arm" : "spring_pendulum"; });

TEST_P(AbsoluteSystems, PushForwardAppliesTheDerivatives) {
  MatrixXd x_dot(n_x_, 3), p_dot(n_p_, 3), f_dot(n_x_, 3);
  for (int j = 0; j < 3; ++j) {
    x_dot.col(j) = test::random_vector(n_x_, 1.0, 10 + j);
    p_dot.col(j) = test::random_vector(n_p_, 1.0, 20 + j);
  }
  at_.system().push_forward(*at_.ws, x_dot, p_dot, f_dot);
  const MatrixXd expected = at_.f_x * x_dot + at_.f_p * p_dot;
  EXPECT_LT(test::column_error(f_dot, expected), rounding);
}

TEST_P(AbsoluteSystems, EachDerivativeEqualsComplexStep) {
  const MatrixXd I = MatrixXd::Identity(n_x_, n_x_);
  MatrixXd x_bar(n_x_, n_x_), p_bar = MatrixXd::Constant(n_p_, n_x_, 0.5);
  at_.system().pullback(*at_.ws, I, x_bar, p_bar);
  EXPECT_LT(test::column_error(x_bar.transpose(), at_.f_x), rounding);
  p_bar.array() -= 0.5;  // it adds
  EXPECT_LT(test::column_error(p_bar.transpose(), at_.f_p), rounding);
}

TEST_P(AbsoluteSystems, SolvesWithTheShiftedDerivativeAndItsTranspose) {
  for (const double gamma : {1e-3, 0.02}) {
    const MatrixXd A = MatrixXd::Identity(n_x_, n_x_) - gamma * at_.f_x;
    MatrixXd b(n_x_, 2);
    b << test::random_vector(n_x_, 1.0, 5), test::random_vector(n_x_, 1.0, 6);
    MatrixXd y = b, y_transposed = b;
    ASSERT_TRUE(at_.system().factorize(gamma, *at_.ws));
    at_.system().solve(*at_.ws, y);
    at_.system().solve_transposed(*at_.ws, y_transposed);
    EXPECT_LT(test::column_error(y, A.lu().solve(b)), 1e-10);  // condition number times rounding
    EXPECT_LT(test::column_error(y_transposed, A.transpose().lu().solve(b)), 1e-10);
  }
}

TEST_P(AbsoluteSystems, InitialStateFollowsTheParameters) {
  MatrixXd x_dot(n_x_, n_p_), p_bar = MatrixXd::Constant(n_p_, n_x_, 2.0);
  at_.system().push_forward_initial(MatrixXd::Identity(n_p_, n_p_), x_dot);
  at_.system().pullback_initial(MatrixXd::Identity(n_x_, n_x_), p_bar);
  EXPECT_LT((x_dot - at_.x0_p).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LT((p_bar.transpose().array() - 2.0 - at_.x0_p.array()).abs().maxCoeff(), 1e-15);
  EXPECT_EQ(at_.x0_p.cwiseAbs().maxCoeff() > 0.0, GetParam());  // of the arm alone
}

TEST_P(AbsoluteSystems, SpringsAndWeightsHaveTheirPotential) {
  // M a = -dV/dq at rest; dampers have no force there.
  auto& system = at_.system();
  const Eigen::Index n = system.n_q();
  VectorXd x = at_.x, f(n_x_);
  x.tail(n).setZero();
  VectorXd without_controls = at_.p;
  without_controls.tail(system.controls().n_nodes()).setZero();
  system.set_parameters(without_controls);
  system.right_hand_side(at_.instant, x, *at_.ws, f);
  const test::System described = GetParam() ? test::arm() : test::spring_pendulum();
  const auto judge = described.assembled<Complex>();
  const MatrixXd V_q = test::complex_step(
      [&](const VectorXc& q) {
        VectorXc x_c = VectorXc::Zero(n_x_);
        x_c.head(n) = q;
        return VectorXc::Constant(1, judge.system->potential_energy(x_c));
      },
      x.head(n));
  EXPECT_LT(test::column_error(system.mass_matrix() * f.tail(n), -V_q.transpose()), rounding);
}

TEST(AbsoluteSystem, NamesItsStates) {
  const test::System described = test::spring_pendulum();
  const auto assembly = described.assembled();
  EXPECT_EQ(assembly.system->n_q(), 4);  // the anchor is held, the slider moves along x
  EXPECT_EQ(assembly.system->state_name(0), "mass.x");
  EXPECT_EQ(assembly.system->state_name(3), "slider.x");
  EXPECT_EQ(assembly.system->state_name(7), "d(slider.x)/dt");
}

TEST(AbsoluteSystem, StartsFromPositionsAndVelocities) {
  const test::System described = test::spring_pendulum();
  const auto assembly = described.assembled();
  VectorXd x(8);
  assembly.system->initial_state(x);
  const VectorXd expected = (VectorXd(8) << -2.0, -5.0, -5.0, 1.5, -3.0, 0.5, 1.0, 0.4).finished();
  EXPECT_EQ(x, expected);
}

// --- Energy

struct Energies {
  double start, largest_drift, largest_kinetic;
};

/// Over a motion without controls.
Energies energies(const SystemSpec& spec, IntegratorMethod method, double t1, int n) {
  const auto assembly = absolute::assemble<double>(spec);
  IntegratorOptions options;
  options.method = method, options.t1 = t1, options.step = t1 / n;
  RungeKutta<double> integrator(*assembly.system, options);
  Trajectory<double> trajectory;
  const Status status = simulate<double>(integrator, trajectory);
  EXPECT_FALSE(status.failed()) << status.message();
  const auto& system = *assembly.system;
  Energies e{0.0, 0.0, 0.0};
  for (int k = 0; k <= n; ++k) {
    const VectorXd x = trajectory.y.col(k);
    const double kinetic = system.kinetic_energy(x), total = kinetic + system.potential_energy(x);
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
  const auto assembly = absolute::assemble<double>(spec);
  IntegratorOptions options;
  options.method = IntegratorMethod::trapezoidal;
  options.t1 = 2.0 * M_PI / omega, options.step = options.t1 / 2000;
  RungeKutta<double> integrator(*assembly.system, options);
  Trajectory<double> trajectory;
  ASSERT_FALSE(simulate<double>(integrator, trajectory).failed());
  Eigen::Index tip = 0;
  while (assembly.system->state_name(tip) != "beam.node2.x") ++tip;
  double error = 0.0;
  for (Eigen::Index k = 0; k < trajectory.y.cols(); ++k) {
    const double rigid = L * std::sin(amplitude) * std::cos(omega * trajectory.t[k]);
    error = std::max(error, std::abs(trajectory.y(tip, k) - rigid));
  }
  // Elasticity stretches the beam by rho g L^2 / (2 E) = 3e-6 and the amplitude slows it by 6e-6, over 2 pi.
  EXPECT_LT(error, 1e-4 * L * amplitude);
}

// --- What can go wrong

TEST(AbsoluteSystem, NamesACoordinateWithoutMass) {
  AbsoluteSystem<double> system({{"ball.x", true, 0.0, 0.0, {}}}, {}, VectorXd());
  expect_input_error([&] { system.complete(); }, {"ball.x has no mass"});
}

TEST(AbsoluteSystem, SaysThatAShiftedDerivativeIsSingular) {
  SystemSpec spec;
  spec.point_masses = {{"mass", {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {true, false, false}, 1.0}};
  spec.springs = {test::spring("repulsion", SpringLaw::linear, "ground", "mass", -4.0)};
  const auto assembly = absolute::assemble<double>(spec);
  const auto ws = assembly.system->make_workspace();
  assembly.system->linearize({0.0}, VectorXd::Zero(2), *ws);
  EXPECT_FALSE(assembly.system->factorize(0.5, *ws));  // 1 - gamma^2 4
  EXPECT_TRUE(assembly.system->factorize(0.4, *ws));
}

}  // namespace
}  // namespace kurbel
