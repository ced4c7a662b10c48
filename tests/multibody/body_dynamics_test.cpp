/// Inertia forces of a flexible body against the sum over its mass points.
#include <gtest/gtest.h>

#include "multibody/body_energy.hpp"
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

}  // namespace
}  // namespace kurbel
