/// Natural coordinates without constraints as equations of first order: what is applied and solved against complex step, and
/// the order of the steps.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "integration/dae_steps.hpp"
#include "integration/first_order_form.hpp"
#include "natural_coordinates/natural_system.hpp"
#include "tests/floating_frame/beam_models.hpp"
#include "tests/input_error.hpp"
#include "tests/joint_coordinates/tree_models.hpp"
#include "tests/natural_coordinates/test_systems.hpp"
#include "tests/numerics.hpp"

namespace kurbel::test {
namespace {

using VectorXc = VectorX<Complex>;

/// Two cables in line that hang on the ground and share coordinates, with a spring to a marker of the ground and a force.
SystemSpec hanging_cables() {
  SystemSpec spec;
  spec.gravity << 0.3, -0.2, -9.81;
  spec.ground = {make_sid_node("hook", {0, 0, 0}, Matrix3d::Identity(), 0),
                 make_sid_node("peg", {0.4, 0.5, 0.2}, Matrix3d::Identity(), 0)};
  for (const bool second : {false, true}) {
    BeamSpec beam =
        second ? soft_beam("b", {0.6, 0.1, 0}, {1.2, 0.2, 0}) : soft_beam("a", {0, 0, 0}, {0.6, 0.1, 0});
    beam.kind = BeamSpec::Kind::cable, beam.n_elements = 2, beam.youngs_modulus = 2e5;
    beam.velocity.setZero(), beam.angular_velocity.setZero();
    spec.beams.push_back(beam);
  }
  spec.joints = {joint_of("pin", "spherical", {"ground", "hook"}, {"a", "start"}),
                 joint_of("weld", "fixed", {"a", "end"}, {"b", "start"})};
  for (JointSpec& joint : spec.joints) joint.shares_coordinates = true;
  spec.springs = {{"coil", {"ground", "peg"}, {"b", "end"}, 3.0, 0.2, 0.1}};
  MarkerLoadSpec push{"push", {"a", "end"}, MarkerLoadSpec::Frame::inertial, {}, {}};
  push.controls = {{.control = 0, .force = {0.6, 0.0, -0.8}}};
  spec.loads = {push};
  spec.controls = {{"u", ControlGrid(Interpolation::natural, 3, 0.0, 0.4), Eigen::Vector3d(0.4, 0.6, -0.3)}};
  return spec;
}

/// Nodes that are not zero.
SystemSpec with_controls(SystemSpec spec) {
  for (ControlSpec& control : spec.controls) control.nodes.setConstant(0.4);
  return spec;
}

/// f(y, p) and y0(p) at an instant, with complex numbers.
struct Judge {
  explicit Judge(const SystemSpec& spec) : system(spec) {}
  VectorXc f(const VectorXc& y, const VectorXc& p) {
    system.set_parameters(p);
    const FirstOrderForm<Complex> form(system);
    VectorXc out(y.size());
    form.right_hand_side({0.3}, y, *form.make_workspace(), out);
    return out;
  }
  VectorXc y0(const VectorXc& p) {
    system.set_parameters(p);
    VectorXc out(2 * system.n_x());
    FirstOrderForm<Complex>(system).initial_state(out);
    return out;
  }
  NaturalSystem<Complex> system;
};

const SystemSpec& spec_of(const std::string& name) {
  static const std::map<std::string, SystemSpec> specs = {{"Cables", hanging_cables()},
                                                          {"Masses", with_controls(spring_pendulum().spec)},
                                                          {"PlanarBeams", with_controls(arm().spec)}};
  return specs.at(name);
}

class FirstOrder : public testing::TestWithParam<std::string> {
 protected:
  FirstOrder() {
    form_.initial_state(y_);
    y_ += random_vector(n_, 0.02, 1);
    const VectorXc y = y_.cast<Complex>(), p = p_.cast<Complex>();
    f_y_ = complex_step([&](const VectorXc& z) { return judge_.f(z, p); }, y_);
    f_p_ = complex_step([&](const VectorXc& z) { return judge_.f(y, z); }, p_);
    form_.linearize({0.3}, y_, *ws_);
  }

  const SystemSpec& spec_ = spec_of(GetParam());
  const NaturalSystem<double> system_{spec_};
  const FirstOrderForm<double> form_{system_};
  const Eigen::Index n_ = form_.n_x();
  const VectorXd p_ = system_.parameters();
  const std::unique_ptr<FirstOrderOde<double>::Workspace> ws_ = form_.make_workspace();
  Judge judge_{spec_};
  VectorXd y_ = VectorXd::Zero(n_);
  MatrixXd f_y_, f_p_;
};

INSTANTIATE_TEST_SUITE_P(NaturalCoordinates, FirstOrder, testing::Values("Cables", "Masses", "PlanarBeams"),
                         [](const auto& param) { return param.param; });

// Accelerations of light elements cancel to some 1e-12 of the forces on them.
constexpr double rounding = 1e-11;

TEST_P(FirstOrder, EachDerivativeEqualsComplexStep) {
  MatrixXd y_bar(n_, n_), p_bar = MatrixXd::Constant(p_.size(), n_, 0.5);
  form_.pullback(*ws_, MatrixXd::Identity(n_, n_), y_bar, p_bar);
  EXPECT_LT(column_error(y_bar.transpose(), f_y_), rounding);
  p_bar.array() -= 0.5;  // it adds
  const double size = f_p_.cwiseAbs().maxCoeff();
  EXPECT_LT((p_bar.transpose() - f_p_).cwiseAbs().maxCoeff(), rounding * size);
}

TEST_P(FirstOrder, PushForwardAppliesTheDerivatives) {
  MatrixXd y_dot(n_, 3), p_dot(p_.size(), 3), f_dot(n_, 3);
  for (int j = 0; j < 3; ++j) {
    y_dot.col(j) = random_vector(n_, 1.0, 10 + static_cast<unsigned>(j));
    p_dot.col(j) = random_vector(p_.size(), 1.0, 20 + static_cast<unsigned>(j));
  }
  form_.push_forward(*ws_, y_dot, p_dot, f_dot);
  EXPECT_LT(column_error(f_dot, f_y_ * y_dot + f_p_ * p_dot), rounding);
}

TEST_P(FirstOrder, SolvesWithTheShiftedDerivativeAndItsTranspose) {
  for (const double gamma : {1e-3, 0.02}) {
    const MatrixXd A = MatrixXd::Identity(n_, n_) - gamma * f_y_;
    const VectorXd b = random_vector(n_, 1.0, 5);
    MatrixXd y = b, y_transposed = b;
    ASSERT_TRUE(form_.factorize(gamma, *ws_));
    form_.solve(*ws_, y);
    form_.solve_transposed(*ws_, y_transposed);
    EXPECT_LT(column_error(y, A.lu().solve(b)), 1e-9);  // condition number times rounding
    EXPECT_LT(column_error(y_transposed, A.transpose().lu().solve(b)), 1e-9);
  }
}

/// M a = -dV/dx at rest; dampers have no force there.
TEST_P(FirstOrder, ForcesHaveTheirPotential) {
  SystemSpec spec = spec_;
  spec.controls.clear(), spec.loads.clear(), spec.motors.clear();
  const NaturalSystem<double> system(spec);
  const NaturalSystem<Complex> judge(spec);
  const auto ws = system.make_workspace();
  const auto judge_ws = judge.make_workspace();
  const VectorXd x = y_.head(system.n_x());
  VectorXd F(system.n_x());
  system.force({0.3}, x, VectorXd::Zero(system.n_x()), *ws, F);
  const MatrixXd V_x = complex_step(
      [&](const VectorXc& z) { return VectorXc::Constant(1, judge.potential_energy(z, *judge_ws)); }, x);
  EXPECT_LT(column_error(F, -V_x.transpose()), rounding);
}

TEST_P(FirstOrder, StartFollowsTheParameters) {
  const MatrixXd y0_p = complex_step([&](const VectorXc& z) { return judge_.y0(z); }, p_);
  MatrixXd y_dot(n_, p_.size()), p_bar = MatrixXd::Constant(p_.size(), n_, 2.0);
  form_.push_forward_initial(MatrixXd::Identity(p_.size(), p_.size()), y_dot);
  form_.pullback_initial(MatrixXd::Identity(n_, n_), p_bar);
  EXPECT_LT((y_dot - y0_p).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((p_bar.transpose().array() - 2.0 - y0_p.array()).abs().maxCoeff(), 1e-14);
}

VectorXd end_of_motion(const SystemSpec& spec, IntegratorMethod method, int n_steps) {
  const NaturalSystem<double> system(spec);
  IntegratorOptions options;
  options.method = method, options.t1 = 0.1, options.step = options.t1 / n_steps;
  const auto steps = make_dae_steps<double>(system, options);
  Trajectory<double> trajectory;
  const Status status = simulate<double>(*steps, trajectory);
  EXPECT_FALSE(status.failed()) << status.message();
  return trajectory.y.col(n_steps).head(2 * system.n_x());
}

TEST(FirstOrderSteps, OfNaturalCoordinatesConvergeWithTheirOrderToOneMotion) {
  const SystemSpec spec = hanging_cables();
  const VectorXd expected = end_of_motion(spec, IntegratorMethod::runge_kutta_4, 4000);
  const auto order = [&](IntegratorMethod method, int n) {
    const double coarse = (end_of_motion(spec, method, n) - expected).norm(),
                 fine = (end_of_motion(spec, method, 2 * n) - expected).norm();
    return std::log2(coarse / fine);
  };
  EXPECT_NEAR(order(IntegratorMethod::runge_kutta_4, 200), 4.0, 0.3);
  EXPECT_NEAR(order(IntegratorMethod::implicit_euler, 4000), 1.0, 0.1);
  EXPECT_NEAR(order(IntegratorMethod::generalized_alpha, 800), 2.0, 0.1);
}

TEST(FirstOrderSteps, RefuseConstraints) {
  SystemSpec spec = hanging_cables();
  spec.joints[0].shares_coordinates = false;
  expect_input_error([&] { end_of_motion(spec, IntegratorMethod::explicit_euler, 10); },
                     {"natural coordinates without constraints"});
}

}  // namespace
}  // namespace kurbel::test
