/// Inertia forces of a flexible body against the sum over its mass points.
#include <gtest/gtest.h>

#include "floating_frame/body_energy.hpp"
#include "test_models.hpp"

namespace kurbel {
namespace {

TEST(BodyDynamics, EqualsTheSumOverMassPoints) {
  constexpr Eigen::Index n_q = 4;
  constexpr unsigned seed = 5;
  SystemSpec spec;
  spec.bodies = {{"cloud", test::random_flexible_sid(seed, n_q), {}}};
  const ParameterLayout layout(spec);
  const VectorXd p = layout.values(spec);
  test::Random same(seed), random(99);
  const auto points = test::random_mass_points(same, n_q);
  const VectorXd q = random.vector(n_q), v = random.vector(6 + n_q), v_dot = random.vector(6 + n_q);
  const Vector3d gravity = random.vector(3);

  // Virtual power of inertia and gravity, point by point: sum of m T_t^T (a - g).    [P0, eqs 18, 20, 66, 76]
  VectorXd expected = VectorXd::Zero(6 + n_q);
  const Vector3d omega = v.segment<3>(3), omega_dot = v_dot.segment<3>(3);
  for (const test::MassPoint& point : points) {
    const Vector3d r = point.r + point.Phi * q, r_dot = point.Phi * v.tail(n_q);
    const Vector3d a = v_dot.head<3>() + omega_dot.cross(r) + point.Phi * v_dot.tail(n_q) +
                       omega.cross(v.head<3>() + 2.0 * r_dot + omega.cross(r));
    const Vector3d force = point.m * (a - gravity);
    expected.head<3>() += force;
    expected.segment<3>(3) += r.cross(force);
    expected.tail(n_q) += point.Phi.transpose() * force;
  }
  expected.tail(n_q) += spec.bodies[0].sid.Ke.M0 * q;

  BodyWorkspace<double> ws(n_q);
  VectorXd f(6 + n_q);
  body_residual<double>(layout.body(0), p.data(), {gravity, q, v, v_dot}, ws, f);
  EXPECT_LT((f - expected).cwiseAbs().maxCoeff(), 1e-12 * expected.cwiseAbs().maxCoeff());

  double kinetic = 0.0;
  for (const test::MassPoint& point : points) {
    const Vector3d r = point.r + point.Phi * q;
    kinetic += 0.5 * point.m * (v.head<3>() + omega.cross(r) + point.Phi * v.tail(n_q)).squaredNorm();
  }
  const auto energy = body_energy<double>(layout.body(0), p.data(), {gravity, q, v, v_dot}, 0.0, ws);
  EXPECT_NEAR(energy.kinetic, kinetic, 1e-12 * kinetic);
  EXPECT_NEAR(energy.elastic, 0.5 * q.dot(spec.bodies[0].sid.Ke.M0 * q), 1e-12 * energy.elastic);
}

/// Residual and kinetic energy of a body of mass points with a second-order displacement at elastic motions
/// of size epsilon, less those of its SID.
struct SecondOrderErrors {
  double translation, rotation, elastic, kinetic;
};
SecondOrderErrors errors_of_second_order_body(double epsilon) {
  constexpr Eigen::Index n_q = 3;
  constexpr unsigned seed = 7;
  SystemSpec spec;
  spec.bodies = {{"cloud", test::random_flexible_sid(seed, n_q, 50.0, test::Displacement::second_order), {}}};
  const ParameterLayout layout(spec);
  const VectorXd p = layout.values(spec);
  test::Random same(seed), random(98);
  const auto points = test::random_mass_points(same, n_q);
  const auto Gamma = random_second_order_shapes(static_cast<Eigen::Index>(points.size()), n_q, 0.3, seed);
  VectorXd q = epsilon * random.vector(n_q), v = random.vector(6 + n_q), v_dot = random.vector(6 + n_q);
  v.tail(n_q) *= epsilon, v_dot.tail(n_q) *= epsilon;
  const Vector3d gravity = random.vector(3), omega = v.segment<3>(3), omega_dot = v_dot.segment<3>(3);
  const VectorXd q_dot = v.tail(n_q), q_ddot = v_dot.tail(n_q);

  VectorXd expected = VectorXd::Zero(6 + n_q);
  double kinetic = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    MatrixXd Gamma_q(3, n_q), Gamma_q_dot(3, n_q);
    for (Eigen::Index k = 0; k < n_q; ++k) {
      Gamma_q.col(k) = Gamma[i].middleCols(k * n_q, n_q) * q;
      Gamma_q_dot.col(k) = Gamma[i].middleCols(k * n_q, n_q) * q_dot;
    }
    const MatrixXd shapes = points[i].Phi + Gamma_q;
    const Vector3d r = points[i].r + points[i].Phi * q + 0.5 * Gamma_q * q, r_dot = shapes * q_dot;
    const Vector3d a = v_dot.head<3>() + omega_dot.cross(r) + shapes * q_ddot + Gamma_q_dot * q_dot +
                       omega.cross(v.head<3>() + 2.0 * r_dot + omega.cross(r));
    const Vector3d force = points[i].m * (a - gravity);
    expected.head<3>() += force;
    expected.segment<3>(3) += r.cross(force);
    expected.tail(n_q) += shapes.transpose() * force;
    kinetic += 0.5 * points[i].m * (v.head<3>() + omega.cross(r) + r_dot).squaredNorm();
  }
  expected.tail(n_q) += spec.bodies[0].sid.Ke.M0 * q;

  BodyWorkspace<double> ws(n_q);
  VectorXd f(6 + n_q);
  const BodyMotion<double> motion{gravity, q, v, v_dot};
  body_residual<double>(layout.body(0), p.data(), motion, ws, f);
  const VectorXd difference = (f - expected).cwiseAbs();
  return {difference.head<3>().maxCoeff(), difference.segment<3>(3).maxCoeff(),
          difference.tail(n_q).maxCoeff(),
          std::abs(body_energy<double>(layout.body(0), p.data(), motion, 0.0, ws).kinetic - kinetic)};
}

TEST(BodyDynamics, KeepsTheSecondOrderDisplacementToTheOrderItStates) {
  const SecondOrderErrors large = errors_of_second_order_body(2e-2),
                          small = errors_of_second_order_body(1e-2);
  const auto order = [](double a, double b) { return std::log2(a / b); };
  // Translation is exact. Of the kinetic energy, terms with three elastic factors are left out: third order
  // in the rows of rotation, second in those of the elastic coordinates.
  EXPECT_LT(large.translation, 1e-13);
  EXPECT_NEAR(order(large.rotation, small.rotation), 3.0, 0.3);
  EXPECT_NEAR(order(large.elastic, small.elastic), 2.0, 0.3);
  EXPECT_NEAR(order(large.kinetic, small.kinetic), 3.0, 0.3);
}

}  // namespace
}  // namespace kurbel
