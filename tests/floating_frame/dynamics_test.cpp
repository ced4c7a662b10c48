/// Motions with known properties: conservation, closed forms, the integrator's order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "integration/generalized_alpha.hpp"
#include "simulation.hpp"

namespace kurbel {
namespace {

struct Motion {
  explicit Motion(const SystemSpec& spec, double t1, double step, double rho_inf = 1.0)
      : system(spec), integrator(system, options(t1, step, rho_inf)), ws(system.make_workspace()) {
    const Status status = simulate<double>(integrator, trajectory);
    EXPECT_FALSE(status.failed()) << status.message();
  }
  static IntegratorOptions options(double t1, double step, double rho_inf) {
    IntegratorOptions o;
    o.t1 = t1, o.step = step, o.rho_inf = rho_inf;
    return o;
  }
  Eigen::Index last() const { return trajectory.n_stored - 1; }
  DaeInstant<double> at(Eigen::Index k) const {
    return integrator.layout().instant<double>(trajectory.t[k], trajectory.y.col(k));
  }
  double energy(Eigen::Index k) const {
    const auto e = system.energy(at(k), *ws);
    return e.kinetic + e.elastic + e.gravitational;
  }

  MultibodySystem<double> system;
  GeneralizedAlpha<double> integrator;
  std::unique_ptr<MultibodySystem<double>::Workspace> ws;
  Trajectory<double> trajectory;
};

SystemSpec tumbling(Sid sid) {
  SystemSpec spec;
  spec.bodies = {{"body", std::move(sid), {}}};
  spec.bodies[0].initial.angular_velocity << 0.2, 6.0, 0.1;  // about the unstable axis
  spec.bodies[0].initial.velocity << 0.3, -0.2, 0.1;
  return spec;
}

/// Largest relative changes of energy and momenta over a motion.
struct Drift {
  double energy = 0.0, linear = 0.0, angular = 0.0;
};
Drift drift_of(const Motion& motion) {
  Drift drift;
  const auto start = motion.system.momentum(motion.at(0), *motion.ws);
  for (Eigen::Index k = 1; k <= motion.last(); ++k) {
    const auto now = motion.system.momentum(motion.at(k), *motion.ws);
    drift.energy = std::max(drift.energy, std::abs(motion.energy(k) / motion.energy(0) - 1.0));
    drift.linear = std::max(drift.linear, (now.linear - start.linear).norm() / start.linear.norm());
    drift.angular = std::max(drift.angular, (now.angular - start.angular).norm() / start.angular.norm());
  }
  return drift;
}

/// The changes fall as the square of the step, which is halved once; below `largest` then.
void expect_conservation_at_order_two(const SystemSpec& spec, double t1, double step, double largest) {
  const Drift coarse = drift_of(Motion(spec, t1, step)), fine = drift_of(Motion(spec, t1, 0.5 * step));
  for (const auto& [c, f] : {std::pair(coarse.energy, fine.energy), std::pair(coarse.linear, fine.linear),
                             std::pair(coarse.angular, fine.angular)}) {
    EXPECT_LT(f, largest);
    EXPECT_NEAR(std::log2(c / f), 2.0, 0.3);
  }
}

TEST(TumblingBody, RigidConservesEnergyAndMomentumAtOrderTwo) {
  const SystemSpec spec =
      tumbling(make_rigid_sid(2.0, {0.1, -0.05, 0.2}, Eigen::Vector3d(0.02, 0.05, 0.09).asDiagonal(), {}));
  expect_conservation_at_order_two(spec, 4.0, 2e-3, 1e-3);
}

TEST(TumblingBody, FlexibleConservesEnergyAndMomentumAtOrderTwo) {
  const SystemSpec spec = tumbling(test::random_flexible_sid(3, 3, 400.0));
  expect_conservation_at_order_two(spec, 1.0, 1e-3, 1e-2);
}

TEST(TumblingBody, WithSecondOrderDisplacementConservesEnergyAndMomentumAtOrderTwo) {
  const SystemSpec spec = tumbling(test::random_flexible_sid(3, 3, 400.0, test::Displacement::second_order));
  expect_conservation_at_order_two(spec, 1.0, 1e-3, 1e-2);
}

/// Flexible bodies and a rigid one in a closed chain with springs, in gravity; nothing drives or damps it.
SystemSpec conservative_mechanism() {
  SystemSpec spec = test::moving_mechanism();
  for (JointSpec& joint : spec.joints) {
    for (DriveSpec& drive : joint.drives) drive.motion = constant_rate(0.1, 0.0);
  }
  for (SpringSpec& spring : spec.springs) spring.damping = 0.0;
  for (TorsionSpringSpec& spring : spec.torsion_springs) spring.damping = 0.0;
  test::drop_loads(spec);
  return spec;
}

TEST(ClosedChain, OfFlexibleBodiesWithSpringsConservesEnergyAtOrderTwo) {
  const SystemSpec spec = conservative_mechanism();
  const auto drift = [&](double step) {
    const Motion motion(spec, 0.5, step);
    double largest = 0.0, kinetic = 0.0;
    for (Eigen::Index k = 0; k <= motion.last(); ++k) {
      largest = std::max(largest, std::abs(motion.energy(k) - motion.energy(0)));
      kinetic = std::max(kinetic, motion.system.energy(motion.at(k), *motion.ws).kinetic);
    }
    EXPECT_GT(kinetic, 1.0);
    return largest / kinetic;
  };
  const double coarse = drift(1e-3), fine = drift(5e-4);
  EXPECT_LT(fine, 1e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.2);
}

TEST(FreeMechanism, OfFlexibleBodiesOnAJointAndASpringConservesEnergyAndMomentumAtOrderTwo) {
  SystemSpec spec = conservative_mechanism();
  spec.gravity.setZero();
  spec.bodies.pop_back();
  spec.joints = {spec.joints[1]};
  spec.springs = {{"coil", {"one", "a"}, {"two", "b"}, 40.0, 0.0, 0.3}};
  spec.torsion_springs.clear();
  spec.bodies[0].initial.velocity << 0.4, 0.2, -0.3;
  expect_conservation_at_order_two(spec, 0.5, 1e-3, 1e-2);
}

TEST(Drive, DoesTheWorkThatTheEnergyGains) {
  // dE/dt = -lambda . (rates of the drives), for the constraints are c = (coordinate) - (drive).
  SystemSpec spec = conservative_mechanism();
  const SystemSpec driven = test::moving_mechanism();
  for (std::size_t j = 0; j < spec.joints.size(); ++j) spec.joints[j].drives = driven.joints[j].drives;
  // To first order in elastic rotations only, a marker's axes stay orthonormal and its row measures an angle.
  spec.bodies[0].sid.frame[0].psi.M0.setZero();
  const auto unaccounted = [&](double step) {
    const Motion motion(spec, 0.5, step, 0.8);
    double work = 0.0, exchanged = 0.0;
    for (Eigen::Index k = 0; k <= motion.last(); ++k) {
      const auto at = motion.at(k);
      double power = 0.0;
      for (const JointSpec& joint : spec.joints) {
        const auto rows = motion.system.joint_rows(joint.name);
        for (const DriveSpec& drive : joint.drives) {
          const auto row = std::find(rows.dofs.begin(), rows.dofs.end(), drive.dof) - rows.dofs.begin();
          power -= at.lambda[rows.first + row] * drive.motion->at(at.t).rate;
        }
      }
      const double weight = k == 0 || k == motion.last() ? 0.5 * step : step;
      work += weight * power;
      exchanged += weight * std::abs(power);
    }
    EXPECT_GT(exchanged, 1.0);
    return std::abs(motion.energy(motion.last()) - motion.energy(0) - work) / exchanged;
  };
  const double coarse = unaccounted(1e-3), fine = unaccounted(5e-4);
  EXPECT_LT(fine, 1e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.3);
}

TEST(TumblingBody, PassesEveryOrientation) {
  // 100 turns about a skew axis: a parametrisation by three angles would meet its singularity.
  SystemSpec spec = tumbling(make_rigid_sid(1.0, Vector3d::Zero(), Matrix3d::Identity(), {}));
  const Vector3d omega = 2.0 * std::numbers::pi * Vector3d(1, 2, 2) / 3.0;
  spec.bodies[0].initial.angular_velocity = omega;
  const Motion motion(spec, 100.0, 0.05);
  const Pose<double> pose = motion.system.pose(motion.at(motion.last()).x, 0);
  // A steady rotation is integrated exactly by the exponential map; round-off of 2000 steps remains.
  EXPECT_LT((rotation_matrix(pose.e) - Matrix3d::Identity()).norm(), 1e-10);
}

/// A spatial double pendulum with universal and spherical joints.
SystemSpec double_pendulum(test::Displacement displacement = test::Displacement::linear) {
  SystemSpec spec;
  spec.gravity << 0, 0, -9.81;
  spec.bodies = {
      {"upper", test::rigid_sid_with_markers(1.0, {0.5, 0, 0}, {0.01, 0.08, 0.09}, {0, 0, 0}, {1, 0, 0}), {}},
      {"lower", test::random_flexible_sid(4, 2, 3000.0, displacement), {}}};
  spec.bodies[1].initial.position << 1.0, 0.0, 0.0;
  spec.bodies[0].initial.angular_velocity << 0, 0, 1.0;
  std::array<bool, 6> revolute{}, spherical{};
  locked_dofs_of("revolute", revolute);
  locked_dofs_of("spherical", spherical);
  spec.ground = {make_sid_node("hinge", {0, 0, 0}, rotation_matrix(exp_quaternion<double>({1.2, 0, 0})), 0)};
  spec.bodies[0].sid.frame[0].AP.M0 = spec.ground[0].AP.M0;
  spec.joints = {{"hinge", {"ground", "hinge"}, {"upper", "a"}, revolute, {}},
                 {"ball", {"upper", "b"}, {"lower", "a"}, spherical, {}}};
  return spec;
}

TEST(SecondOrderDisplacement, LetsJointsDoNoWork) {
  const SystemSpec spec = double_pendulum(test::Displacement::second_order);
  const auto drift = [&](double step) {
    const Motion motion(spec, 0.4, step);
    double largest = 0.0;
    for (Eigen::Index k = 1; k <= motion.last(); ++k)
      largest = std::max(largest, std::abs(motion.energy(k) - motion.energy(0)));
    return largest;
  };
  const double coarse = drift(1e-3), fine = drift(5e-4);
  EXPECT_LT(fine, 1e-3);  // J, of some 10 that go from one form into another
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.3);
}

TEST(GeneralizedAlpha, IsOfOrderTwoWithConstraints) {
  const SystemSpec spec = double_pendulum();
  const Motion reference(spec, 0.4, 1.25e-4, 0.8);
  const auto errors = [&](double step) {
    const Motion motion(spec, 0.4, step, 0.8);
    const auto a = motion.at(motion.last()), b = reference.at(reference.last());
    return std::array<double, 3>{(a.x - b.x).norm(), (a.v - b.v).norm(), (a.lambda - b.lambda).norm()};
  };
  const auto coarse = errors(2e-3), fine = errors(1e-3);
  const char* names[] = {"positions", "velocities", "multipliers"};
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(std::log2(coarse[i] / fine[i]), 2.0, 0.2) << names[i];
}

TEST(GeneralizedAlpha, HoldsConstraintsAtPositionLevelAndBoundsTheVelocityDrift) {
  const Motion coarse(double_pendulum(), 0.4, 2e-3, 0.8), fine(double_pendulum(), 0.4, 1e-3, 0.8);
  const auto largest = [](const Motion& motion) {
    std::pair<double, double> worst{0.0, 0.0};
    ConstraintDerivatives<double> c;
    for (Eigen::Index k = 0; k <= motion.last(); ++k) {
      motion.system.constraint_derivatives(motion.at(k), *motion.ws, c);
      worst.first = std::max(worst.first, c.c0.cwiseAbs().maxCoeff());
      worst.second = std::max(worst.second, c.c1.cwiseAbs().maxCoeff());
    }
    return worst;
  };
  EXPECT_LT(largest(coarse).first, 1e-11);  // Newton's tolerance of 1e-8 on accelerations, times h^2
  EXPECT_GT(largest(coarse).second, 3.0 * largest(fine).second);  // O(h^2)
}

TEST(GeneralizedAlpha, DampsHighFrequenciesAsRequested) {
  // One elastic coordinate far above 1/h: its amplitude decays by rho_inf per step.
  Sid sid = Sid::zeros({"q"}, {});
  sid.refmod.mass = 1.0, sid.J.M0.setIdentity(), sid.Me.M0.setIdentity(), sid.Ke.M0(0, 0) = 1e12;
  SystemSpec spec;
  spec.bodies = {{"body", sid, {}}};
  spec.bodies[0].initial.q = VectorXd::Constant(1, 1e-3);
  std::array<bool, 6> fixed{};
  locked_dofs_of("fixed", fixed);
  spec.joints = {{"clamp", {"ground"}, {"body"}, fixed, {}}};
  const Motion motion(spec, 0.1, 1e-3, 0.7);
  const auto energy = [&](Eigen::Index k) { return motion.energy(k); };
  EXPECT_NEAR(std::pow(energy(60) / energy(40), 1.0 / 40.0), 0.7, 0.05);
}

TEST(Spring, OscillatesAtItsFrequencyAndDecaysWithItsDamper) {
  const double m = 2.0, k = 50.0, d = 0.8, l0 = 0.5, x0 = 0.1;
  SystemSpec spec;
  spec.bodies = {{"mass", test::rigid_sid_with_markers(m, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}, {1, 0, 0}), {}}};
  spec.bodies[0].initial.position << l0 + x0, 0, 0;
  spec.joints = {{"guide", {"ground"}, {"mass"}, {false, true, true, true, true, true}, {}}};
  spec.springs = {{"coil", {"ground"}, {"mass", "a"}, k, d, l0}};
  const Motion motion(spec, 2.0, 5e-4);
  const double delta = d / (2 * m), omega = std::sqrt(k / m - delta * delta), t = 2.0;
  const double x = x0 * std::exp(-delta * t) * (std::cos(omega * t) + delta / omega * std::sin(omega * t));
  EXPECT_NEAR(motion.at(motion.last()).x[0], l0 + x, 1e-6);  // O(h^2)
}

/// A mass in space, 2 kg, on a spring from the ground to its centre.
SystemSpec hung_mass(SpringLaw law, double k, double d, double l0) {
  SystemSpec spec;
  spec.bodies = {{"mass", test::rigid_sid_with_markers(2.0, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}, {1, 0, 0}), {}}};
  spec.springs = {{"coil", {"ground"}, {"mass", "a"}, k, d, l0}};
  spec.springs[0].law = law;
  return spec;
}

// Each coordinate is an oscillator of its own: the damper acts across the line, too. The motion begins where the ends
// coincide, or away from there.
TEST(LinearSpring, MakesEveryCoordinateADampedOscillator) {
  const double k = 50.0, d = 0.8, t = 2.0;
  const double delta = d / (2 * 2.0), omega = std::sqrt(k / 2.0 - delta * delta);
  const Vector3d v0(1.0, -0.5, 2.0);
  for (const Vector3d& r0 : {Vector3d(0.0, 0.0, 0.0), Vector3d(0.3, 0.1, 0.0)}) {
    SystemSpec spec = hung_mass(SpringLaw::linear, k, d, 0.0);
    spec.bodies[0].initial.position = r0, spec.bodies[0].initial.velocity = v0;
    const Motion motion(spec, t, 5e-4);
    const Vector3d expected =
        std::exp(-delta * t) * (std::cos(omega * t) * r0 + std::sin(omega * t) / omega * (v0 + delta * r0));
    EXPECT_LT((motion.at(motion.last()).x.head<3>() - expected).norm(), 1e-5);  // O(h^2)
  }
}

// V = c l0^2 eps^2 / 2 along x: the speed where the spring is free follows from the energy.
TEST(GreenLagrangeSpring, GivesAMassTheEnergyOfItsStrain) {
  const double k = 50.0, l0 = 0.4, l = 0.6, eps = (l * l - l0 * l0) / (2.0 * l0 * l0);
  SystemSpec spec = hung_mass(SpringLaw::green_lagrange, k, 0.0, l0);
  spec.bodies[0].initial.position << l, 0.0, 0.0;
  const Motion motion(spec, 0.5, 1e-4);
  EXPECT_NEAR(motion.energy(0), 0.5 * k * l0 * l0 * eps * eps, 1e-14);
  double fastest = 0.0;
  for (Eigen::Index j = 0; j <= motion.last(); ++j) fastest = std::max(fastest, -motion.at(j).v[0]);
  EXPECT_NEAR(fastest, std::sqrt(k / 2.0) * l0 * eps, 1e-4);  // O(h^2)
}

TEST(Spring, PullsByItsLawInTheElementForces) {
  const double k = 50.0, d = 0.8, l0 = 0.4, l = 0.6, rate = 1.5;
  const double eps = (l * l - l0 * l0) / (2.0 * l0 * l0), eps_rate = l * rate / (l0 * l0);
  const std::pair<SpringLaw, double> forces[] = {{SpringLaw::hooke, k * (l - l0) + d * rate},
                                                 {SpringLaw::linear, k * l + d * rate},
                                                 {SpringLaw::green_lagrange, (k * eps + d * eps_rate) * l}};
  for (const auto& [law, force] : forces) {
    SystemSpec spec = hung_mass(law, k, d, l0);
    spec.bodies[0].initial.position << 0.0, l, 0.0;
    spec.bodies[0].initial.velocity << 0.7, rate, 0.0;
    const Motion motion(spec, 1e-3, 1e-3);
    EXPECT_NEAR(motion.system.element_forces(motion.at(0), *motion.ws)[0], force, 1e-12);
  }
}

TEST(TorsionSpring, TurnsARotorAtItsFrequency) {
  const double I = 0.3, k = 20.0, angle0 = 0.4;
  SystemSpec spec;
  spec.bodies = {
      {"rotor", make_rigid_sid(1.0, Vector3d::Zero(), Eigen::Vector3d(1, 1, I).asDiagonal(), {}), {}}};
  std::array<bool, 6> revolute{};
  locked_dofs_of("revolute", revolute);
  spec.joints = {{"axle", {"ground"}, {"rotor"}, revolute, {}}};
  spec.torsion_springs = {{"coil", {"ground"}, {"rotor"}, k, 0.0, angle0}};
  const Motion motion(spec, 1.0, 5e-4);
  const Matrix3d S = rotation_matrix(motion.system.pose(motion.at(motion.last()).x, 0).e);
  EXPECT_NEAR(std::atan2(S(1, 0), S(0, 0)), angle0 * (1.0 - std::cos(std::sqrt(k / I))), 1e-5);  // O(h^2)
}

TEST(Reaction, OfARotorIsItsCentripetalForce) {
  const double m = 3.0, r = 0.4, rate = 7.0;
  SystemSpec spec;
  spec.bodies = {{"rotor", make_rigid_sid(m, {r, 0, 0}, Matrix3d::Identity(), {}), {}}};
  std::array<bool, 6> revolute{};
  locked_dofs_of("revolute", revolute);
  spec.joints = {{"axle", {"ground"}, {"rotor"}, revolute, {{RelativeDof::rz, constant_rate(0.0, rate)}}}};
  const Motion motion(spec, 0.5, 1e-3, 0.8);
  // The joint pulls the rotor towards the axle; -C^T lambda acts on "to", along its own axes.
  const VectorXd lambda = motion.at(motion.last()).lambda;
  EXPECT_NEAR(lambda[0], m * rate * rate * r, 1e-6 * m * rate * rate * r);
  EXPECT_NEAR(lambda.tail(5).cwiseAbs().maxCoeff(), 0.0, 1e-6);
}

TEST(Load, AcceleratesAFreeBody) {
  SystemSpec spec;
  spec.bodies = {{"body", test::rigid_sid_with_markers(2.0, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}, {1, 0, 0}), {}}};
  MarkerLoadSpec push{"push", {"body", "a"}, MarkerLoadSpec::Frame::inertial, {}, {}};
  push.force[1] = constant_rate(3.0, 0.0);
  spec.loads = {push};
  const Motion motion(spec, 1.0, 1e-2);
  EXPECT_NEAR(motion.at(motion.last()).x[1], 0.5 * 3.0 / 2.0, 1e-12);  // constant acceleration is exact
}

TEST(Simulation, ReportsASingularPositionWithTimeAndJoint) {
  MultibodySystem<double> system(test::overextended_linkage());
  GeneralizedAlpha<double> integrator(system, Motion::options(1.0, 1e-3, 0.8));
  Trajectory<double> trajectory;
  const Status status = simulate<double>(integrator, trajectory);
  ASSERT_TRUE(status.failed());
  EXPECT_NEAR(status.failure().time, 0.245, 0.02);
  EXPECT_THAT(status.message(),
              ::testing::HasSubstr("close to a singular position (dead centre), in joint elbow"));
  EXPECT_GT(trajectory.n_stored, 200);  // what was computed is kept
}

TEST(VariationalStep, IsRefusedWhereTheMassMatrixChanges) {
  const MultibodySystem<double> system(test::moving_mechanism());
  IntegratorOptions options = test::span(1.0, 0.1);
  options.method = IntegratorMethod::variational_midpoint;
  try {
    make_dae_steps<double>(system, options);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("a mass matrix that does not change"));
  }
}

}  // namespace
}  // namespace kurbel
