/// Every derivative of the equations in joint coordinates against complex step, on trees with every joint.
#include "joint_coordinates/joint_coordinate_system.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "floating_frame/body_dynamics.hpp"
#include "joint_coordinates/spatial_inertia.hpp"
#include "tests/integration/dae_derivatives.hpp"
#include "tree_models.hpp"

namespace kurbel {
namespace {

/// A system in joint coordinates with the mechanism that it is about.
template <class S>
struct Owner {
  MultibodySystem<S> absolute;
  JointCoordinateSystem<S> joints;

  explicit Owner(const SystemSpec& spec, ReferencePoint point, const VectorX<S>* p = nullptr)
      : absolute(with(spec, p)), joints(absolute, point) {}
  static MultibodySystem<S> with(const SystemSpec& spec, const VectorX<S>* p) {
    MultibodySystem<S> system(spec);
    if (p) system.set_parameters(*p);
    return system;
  }
};

/// With parameters of every kind, and drives in the tree and in a loop.
SystemSpec varied() {
  SystemSpec spec = test::tree_with_every_joint();
  spec.joints[5].drives = {{RelativeDof::tz, constant_rate(0.3, -0.4)}};
  spec.joints[11].drives = {{RelativeDof::rx, constant_rate(-0.2, 0.7)}};
  return test::with_every_parameter(std::move(spec));
}

class JointCoordinates : public ::testing::TestWithParam<ReferencePoint> {
 protected:
  JointCoordinates() {
    test::Random random(7);
    const auto& model = real_.joints;
    VectorXd x = VectorXd::Zero(model.n_x());
    for (const TreeStage& stage : model.tree().stages()) {
      if (stage.n_x() > stage.n_v()) x[stage.x + stage.n_x() - 4] = 1.0;
    }
    point_.x = x;
    model.retract(x, 0.7 * random.vector(model.n_v()), point_.x);
    point_.v = random.vector(model.n_v());
    point_.v_dot = random.vector(model.n_v());
    point_.lambda = random.vector(model.n_c());
    point_.t = 0.4;
  }
  test::ComplexModel complex(const VectorX<Complex>& p) const {
    auto owner = std::make_shared<Owner<Complex>>(spec_, GetParam(), &p);
    return {owner, &owner->joints};
  }

  SystemSpec spec_ = varied();
  Owner<double> real_{spec_, GetParam()};
  test::DaePoint<double> point_;
};

TEST_P(JointCoordinates, DerivativesEqualComplexStep) {
  test::expect_derivatives(
      real_.joints, [&](const VectorX<Complex>& p) { return complex(p); }, point_);
}

TEST_P(JointCoordinates, DerivativesOfConstraintsEqualComplexStep) {
  test::expect_constraint_derivatives(
      real_.joints, [&](const VectorX<Complex>& p) { return complex(p); }, point_);
}

INSTANTIATE_TEST_SUITE_P(RTdyn, JointCoordinates,
                         ::testing::Values(ReferencePoint::centre_of_mass, ReferencePoint::common),
                         [](const auto& of) { return of.param == ReferencePoint::common ? "1" : "0"; });

TEST(JointCoordinates, AreAsFewAsTheJointsOfATreeLeave) {
  const Owner<double> owner(test::tree_with_every_joint(), ReferencePoint::common);
  // base 1, elbow 2, reverse 2, ball 3, tube 2, rail 1, line 4, loop 3 (for it locks more than back), plane 5,
  // weld 0, slot 3, free 6
  EXPECT_EQ(owner.joints.n_v(), 32);
  // the drive of base, back 2, touch 1, rod 1
  EXPECT_EQ(owner.joints.n_c(), 5);
}

TEST(JointCoordinates, ReferencePointsGiveTheSameEquations) {
  const SystemSpec spec = test::tree_with_every_joint();
  const Owner<double> at_mass(spec, ReferencePoint::centre_of_mass), common(spec, ReferencePoint::common);
  test::Random random(3);
  VectorXd x = VectorXd::Zero(common.joints.n_x());
  for (const TreeStage& stage : common.joints.tree().stages()) {
    if (stage.n_x() > stage.n_v()) x[stage.x + stage.n_x() - 4] = 1.0;
  }
  const VectorXd v = random.vector(common.joints.n_v()), a = random.vector(common.joints.n_v()),
                 lambda = random.vector(common.joints.n_c());
  const auto f_of = [&](const JointCoordinateSystem<double>& system) {
    VectorXd f(system.n_v()), c(system.n_c());
    system.residual({0.4, x, v, a, lambda}, *system.make_workspace(), f, c);
    return f;
  };
  const VectorXd f = f_of(common.joints);
  EXPECT_LT((f_of(at_mass.joints) - f).cwiseAbs().maxCoeff(), 1e-12 * f.cwiseAbs().maxCoeff());
}

/// Of a body that turns under its weight, in its frame and about an arbitrary point.
TEST(SpatialInertia, HasTheWrenchOfBodyDynamics) {
  test::Random random(13);
  SystemSpec spec;
  spec.bodies = {{"one", test::random_rigid_sid(random), {}}};
  const MultibodySystem<double> system(spec);
  const BodyLayout& layout = system.layout().body(0);
  const double* p = system.parameters().data();
  const Matrix3d A = rotation_matrix(exp_quaternion<double>(random.vector(3)));
  const Vector3d d = random.vector(3), g = random.vector(3);
  const VectorXd q(0), v = random.vector(6), v_dot = random.vector(6);
  BodyWorkspace<double> ws(0);
  VectorXd f(6);
  body_residual<double>(layout, p, {A.transpose() * g, q, v, v_dot}, ws, f);
  const FrameChange<double> frame{A, d};
  SpatialInertia<double> inertia;
  inertia.set(layout, p, frame);
  const Vector6<double> V = frame.twist_to_inertial(v),
                        w = inertia.wrench(V, frame.twist_to_inertial(v_dot), g);
  EXPECT_LT((frame.wrench_to_body(w) - f).norm(), 1e-14 * f.norm());
  EXPECT_LT((inertia.matrix() * V - inertia * V).norm(), 1e-14 * V.norm());
}

}  // namespace
}  // namespace kurbel
