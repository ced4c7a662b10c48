/// Nothing is allocated inside a step of Matrix R, forwards or backwards, in joint coordinates and in floating frames;
/// nor in one of generalized-alpha for chains.
#include "floating_frame/make_steps.hpp"
#include "joint_coordinates/make_joint_steps.hpp"
#include "tests/allocation_counter.hpp"
#include "tree_models.hpp"

namespace kurbel {
namespace {

template <class Model>
void expect_none(const Model& model, IntegratorMethod method = IntegratorMethod::trapezoidal,
                 const std::vector<std::string>& independent = {}) {
  IntegratorOptions options;
  options.method = method, options.t1 = 0.02, options.step = 0.002, options.independent = independent;
  const auto steps = make_steps<double>(model, options);
  Trajectory<double> trajectory;
  const Status status = simulate<double>(*steps, trajectory);
  ASSERT_FALSE(status.failed()) << status.message();
  auto& y = trajectory.y;
  MatrixXd y_bar = MatrixXd::Ones(steps->n_tangent(), 2), p_bar = MatrixXd::Zero(steps->n_parameters(), 2);
  steps->pullback_step(10, y.col(9), y.col(10), y_bar, p_bar);
  const long before = allocations;
  for (Eigen::Index k = 9; k >= 1; --k) steps->pullback_step(k, y.col(k - 1), y.col(k), y_bar, p_bar);
  EXPECT_EQ(allocations - before, 0) << "backwards";
  const long between = allocations;
  for (Eigen::Index k = 1; k <= 10; ++k) ASSERT_FALSE(steps->step(k, y.col(k - 1), y.col(k)).failed());
  EXPECT_EQ(allocations - between, 0) << "forwards";
}

TEST_F(Allocations, DoNotHappenInStepsOfMatrixRInJointCoordinates) {
  const MultibodySystem<double> absolute(test::spatial_loop());
  for (const ReferencePoint point : {ReferencePoint::common, ReferencePoint::centre_of_mass}) {
    expect_none(JointCoordinateSystem<double>(absolute, point));
  }
}

TEST_F(Allocations, DoNotHappenInStepsOfChains) {
  const MultibodySystem<double> absolute(test::rigid_chain(20));
  for (const ReferencePoint point : {ReferencePoint::common, ReferencePoint::centre_of_mass}) {
    for (const auto method : {IntegratorMethod::trapezoidal, IntegratorMethod::generalized_alpha})
      expect_none(JointCoordinateSystem<double>(absolute, point), method);
  }
}

// Of many degrees of freedom, where the factors of one step serve those before it.
TEST_F(Allocations, DoNotHappenInStepsOfLoopsOfManyBodies) {
  const MultibodySystem<double> absolute(test::braced_chain(20));
  expect_none(JointCoordinateSystem<double>(absolute, ReferencePoint::common));
}

TEST_F(Allocations, DoNotHappenInStepsOfMatrixRInFloatingFrames) {
  expect_none(MultibodySystem<double>(test::spatial_loop()));
}

TEST_F(Allocations, DoNotHappenWhereCoordinatesOfMarkersAreIndependent) {
  const MultibodySystem<double> absolute(test::spatial_loop());
  expect_none(absolute, IntegratorMethod::trapezoidal, {"rod.end.x"});
  expect_none(JointCoordinateSystem<double>(absolute, ReferencePoint::common), IntegratorMethod::trapezoidal,
              {"rod.end.x"});
}

}  // namespace
}  // namespace kurbel
