#include "floating_frame/rigid_twin.hpp"

#include <gtest/gtest.h>

#include "floating_frame/criteria.hpp"
#include "simulation.hpp"

namespace kurbel {
namespace {

constexpr double rate = 2.0;  // rad/s

/// A flexible body that turns about the z axis of a post.
SystemSpec turning_body(double stiffness) {
  SystemSpec spec = test::kitchen_sink();
  spec.bodies.resize(1);
  spec.bodies[0].sid = test::random_flexible_sid(1, 3, stiffness);
  spec.joints.resize(1);
  spec.joints[0].drives[0].motion = constant_rate(0.4, rate);
  spec.springs.clear(), spec.torsion_springs.clear();
  test::drop_loads(spec);
  spec.gravity.setZero();
  spec.bodies[0].initial.position << -0.15, -0.05, -0.04;
  spec.bodies[0].initial.rotation << 0.62, 0.13, -0.58;
  return spec;
}

CriterionTerm deviation(Quantity quantity) {
  CriterionTerm term{.quantity = quantity, .marker = {"one", "b"}};
  term.relative_to_rigid_twin = true;
  return term;
}

TEST(RigidTwin, TurnsItsMarkersAboutTheAxisOfItsDrive) {
  const SystemSpec spec = turning_body(50.0);
  ASSERT_EQ(n_free_dofs(spec), 0);
  CriterionTerm position = deviation(Quantity::position), velocity = deviation(Quantity::velocity);
  const IntegratorOptions options = test::span(0.5, 1e-3);
  ASSERT_FALSE(set_rigid_targets(spec, options, {&position, &velocity}).failed());
  const auto at = [](const CriterionTerm& term, double t) {
    return Vector3d(term.target[0]->at(t).value, term.target[1]->at(t).value, term.target[2]->at(t).value);
  };
  const Vector3d post = spec.ground[0].origin.M0, axis = spec.ground[0].AP.M0.col(2);
  const Vector3d start = at(position, 0.0) - post;
  ASSERT_GT(axis.cross(start).norm(), 0.1);
  for (const double t : {0.1, 0.3, 0.5}) {
    const Matrix3d R = rotation_matrix<double>(exp_quaternion<double>(rate * t * axis));
    // The drive is a constraint at position level, met by Newton's method; velocities are of second order.
    EXPECT_LT((at(position, t) - post - R * start).norm(), 1e-10);
    EXPECT_LT((at(velocity, t) - rate * axis.cross(R * start)).norm(), 1e-5);
  }
}

TEST(RigidTwin, IsTheLimitOfAStiffMechanism) {
  const auto distance = [](double stiffness) {
    const SystemSpec spec = turning_body(stiffness);
    CriterionTerm position = deviation(Quantity::position);
    position.time = TimeFunctional::p_norm, position.exponent = 2.0;
    test::Simulation<double> run(spec, test::span(0.2, 1e-3), {});
    run.value();
    EXPECT_FALSE(set_rigid_targets(spec, test::span(0.2, 1e-3), {&position}).failed());
    return make_criterion<double>(run.integrator, run.system, {position}).value(run.trajectory);
  };
  const double soft = distance(1e4), stiff = distance(1e6);
  EXPECT_GT(soft, 1e-6);
  EXPECT_NEAR(soft / stiff, 100.0, 5.0);  // the deflection under centrifugal load is inverse to the stiffness
}

TEST(RigidTwin, OfTermsWithoutItLeavesTheirTargets) {
  CriterionTerm term = deviation(Quantity::position);
  term.relative_to_rigid_twin = false;
  ASSERT_FALSE(set_rigid_targets(turning_body(50.0), test::span(0.1, 1e-2), {&term}).failed());
  EXPECT_EQ(term.target[0], nullptr);
}

}  // namespace
}  // namespace kurbel
