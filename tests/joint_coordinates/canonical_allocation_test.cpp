/// Nothing is allocated inside an explicit step of Hamilton's equations, forwards or backwards.
#include "integration/canonical_steps.hpp"
#include "joint_coordinates/joint_coordinate_system.hpp"
#include "tests/allocation_counter.hpp"
#include "tree_models.hpp"

namespace kurbel {
namespace {

/// Backwards from positions and velocities at the end, without accelerations.
void expect_none(CanonicalSteps<double>& steps, const std::string& what) {
  Trajectory<double> trajectory;
  const Status status = simulate<double>(steps, trajectory);
  ASSERT_FALSE(status.failed()) << what << ": " << status.message();
  auto& y = trajectory.y;
  const Eigen::Index last = steps.n_steps(), n = 2 * steps.layout().n_v;
  MatrixXd y_bar = MatrixXd::Zero(steps.n_tangent(), 2), p_bar = MatrixXd::Zero(steps.n_parameters(), 2);
  const auto backwards = [&] {
    y_bar.topRows(n).setOnes();
    for (Eigen::Index k = last; k >= 1; --k) steps.pullback_step(k, y.col(k - 1), y.col(k), y_bar, p_bar);
  };
  backwards();
  const long before = allocations;
  for (Eigen::Index k = 1; k <= last; ++k) ASSERT_FALSE(steps.step(k, y.col(k - 1), y.col(k)).failed());
  EXPECT_EQ(allocations - before, 0) << what;
  const long between = allocations;
  backwards();
  EXPECT_EQ(allocations - between, 0) << what << ", backwards";
}

/// A chain; a loop in space on a pillar, with universal and spherical joints and a free body.
TEST_F(Allocations, DoNotHappenInExplicitSteps) {
  for (const SystemSpec& spec : {test::rigid_chain(6), test::spatial_loop()}) {
    const std::string chain = spec.joints.front().name;
    const MultibodySystem<double> bodies(spec);
    for (const IntegratorMethod method :
         {IntegratorMethod::runge_kutta_4, IntegratorMethod::dormand_prince}) {
      IntegratorOptions options;
      options.method = method, options.t1 = 0.02, options.step = 2e-3, options.tolerance = 1e-7;
      const std::string name = chain + (method == IntegratorMethod::runge_kutta_4 ? ", 4" : ", 5(4)");
      for (const ReferencePoint point : {ReferencePoint::common, ReferencePoint::centre_of_mass}) {
        const JointCoordinateSystem<double> joints(bodies, point);
        CanonicalSteps<double> steps(joints.canonical(), options);
        expect_none(steps, name + ", joints");
      }
      CanonicalSteps<double> steps(bodies.canonical(), options);
      expect_none(steps, name + ", bodies");
    }
  }
}

}  // namespace
}  // namespace kurbel
