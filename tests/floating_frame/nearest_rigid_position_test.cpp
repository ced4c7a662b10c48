#include "floating_frame/nearest_rigid_position.hpp"

#include <gtest/gtest.h>

#include "simulation.hpp"

namespace kurbel {
namespace {

/// A flexible body that turns about the z axis of a post.
SystemSpec turning_body(bool driven) {
  SystemSpec spec = test::kitchen_sink();
  spec.bodies.resize(1);
  spec.bodies[0].sid = test::random_flexible_sid(1, 3, 1e4);
  spec.joints.resize(1);
  spec.joints[0].drives[0].motion = constant_rate(0.4, 2.0);
  if (!driven) spec.joints[0].drives.clear();
  spec.springs.clear(), spec.torsion_springs.clear();
  test::drop_loads(spec);
  spec.gravity.setZero();
  spec.bodies[0].initial.position << -0.15, -0.05, -0.04;
  spec.bodies[0].initial.rotation << 0.62, 0.13, -0.58;
  return spec;
}

/// The tangent displacement of reference frames, m and rad.
double largest_change(const VectorXd& a, const VectorXd& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

TEST(NearestRigidPosition, IsThatOfTheRigidTwinWhereDrivesDetermineIt) {
  const SystemSpec spec = turning_body(true);
  test::Simulation<double> run(spec, test::span(0.2, 1e-3), {});
  run.value();
  test::Simulation<double> twin(rigid_twin(spec), test::span(0.2, 1e-3), {});
  twin.value();
  NearestRigidPosition nearest(spec, 0.0);
  double deformation = 0.0;
  for (const Eigen::Index k : {Eigen::Index(0), Eigen::Index(70), Eigen::Index(200)}) {
    const VectorXd x = run.trajectory.y.col(k).head(run.system.n_x());
    const auto found = nearest.find(run.system, run.trajectory.t[k], x);
    ASSERT_TRUE(found);
    const VectorXd expected = twin.trajectory.y.col(k).head(7);
    // The twin's position meets its joints up to the tolerance of Newton's method.
    EXPECT_LT(largest_change(*found, expected), 1e-9);
    deformation = std::max(deformation, x.tail(3).norm());
  }
  EXPECT_GT(deformation, 0.0);
}

TEST(NearestRigidPosition, IsTheMechanismsOwnWhereItsFramesMeetTheJoints) {
  SystemSpec spec = turning_body(false);
  spec.bodies[0].sid = rigid_twin(spec).bodies[0].sid;
  test::Simulation<double> run(spec, test::span(0.05, 1e-3), {});
  run.value();
  const VectorXd x = run.trajectory.y.col(run.trajectory.n_stored - 1).head(7);
  const auto found = NearestRigidPosition(spec, 0.0).find(run.system, 0.05, x);
  ASSERT_TRUE(found);
  EXPECT_LT(largest_change(*found, x), 1e-10);
}

TEST(NearestRigidPosition, IsFoundWhereJointsAreRedundantAndNoneWhereTheyContradictEachOther) {
  SystemSpec spec = turning_body(false);
  test::Simulation<double> run(spec, test::span(0.05, 1e-3), {});
  run.value();
  const VectorXd x = run.trajectory.y.col(0).head(run.system.n_x());
  const auto once = NearestRigidPosition(spec, 0.0).find(run.system, 0.0, x);
  ASSERT_TRUE(once);
  JointSpec second = spec.joints[0];
  second.name = "again";
  spec.joints.push_back(second);
  const auto twice = NearestRigidPosition(spec, 0.0).find(run.system, 0.0, x);
  ASSERT_TRUE(twice);
  EXPECT_LT(largest_change(*twice, *once), 1e-10);
  spec.ground.push_back(make_sid_node("aside", Vector3d(0.3, 0.2, 0.7), Matrix3d::Identity(), 0));
  spec.joints.back().from = {"ground", "aside"};
  EXPECT_FALSE(NearestRigidPosition(spec, 0.0).find(run.system, 0.0, x));
}

TEST(NearestRigidPosition, IsNoneFarFromTheMechanism) {
  const SystemSpec spec = turning_body(true);
  test::Simulation<double> run(spec, test::span(0.05, 1e-3), {});
  run.value();
  const VectorXd x = run.trajectory.y.col(0).head(run.system.n_x());
  NearestRigidPosition nearest(spec, 0.0);
  EXPECT_TRUE(nearest.find(run.system, 0.0, x));
  EXPECT_FALSE(nearest.find(run.system, 1.0, x)) << "where the drive is 2 rad on";
}

}  // namespace
}  // namespace kurbel
