/// Which coordinates Matrix R integrates in floating frames, and what it tells of those that are given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "floating_frame/make_steps.hpp"
#include "test_models.hpp"

namespace kurbel::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::array<bool, 6> locked_by(const char* type) {
  std::array<bool, 6> locked{};
  EXPECT_TRUE(locked_dofs_of(type, locked));
  return locked;
}

/// A carriage on a guide, with a heavy disc that spins and an arm that hangs down.
SystemSpec carriage() {
  SystemSpec spec;
  spec.gravity << 0.3, -9.81, 0.0;
  spec.bodies = {
      {"cart", rigid_sid_with_markers(2.0, {0, 0, 0}, {0.1, 0.1, 0.1}, {0, 0, 0}, {0.3, 0.1, 0}), {}},
      {"disc", rigid_sid_with_markers(20.0, {0, 0, 0}, {0.2, 0.2, 0.4}, {0, 0, 0}, {0.1, 0, 0}), {}},
      {"arm", rigid_sid_with_markers(0.5, {0.2, 0, 0}, {1e-4, 0.02, 0.02}, {0, 0, 0}, {0.4, 0, 0}), {}}};
  spec.bodies[1].initial.position << 0.3, 0.1, 0.0;
  spec.bodies[1].initial.angular_velocity << 0.0, 0.0, 30.0;
  spec.bodies[1].initial.given.angular_velocity = true;
  spec.joints = {{"guide", {"ground"}, {"cart"}, {false, true, true, true, true, true}, {}},
                 {"axle", {"cart", "b"}, {"disc", "a"}, locked_by("revolute"), {}},
                 {"pin", {"cart", "a"}, {"arm", "a"}, locked_by("revolute"), {}}};
  return spec;
}

/// A heavy crank that turns, and a rocker that goes to and fro.
SystemSpec four_bar(double angle = 1.0) {
  SystemSpec spec;
  const auto rod = [](double l, double m) {
    return rigid_sid_with_markers(m, {0.5 * l, 0, 0}, {1e-4, m * l * l / 12.0, m * l * l / 12.0}, {0, 0, 0},
                                  {l, 0, 0});
  };
  const double crank = 0.3, coupler = 0.8, rocker = 0.6;
  const Vector3d right(0.9, 0.0, 0.0), knee(crank * std::cos(angle), crank * std::sin(angle), 0.0);
  const auto direction = [](const Vector3d& a) { return std::atan2(a.y(), a.x()); };
  const double across = (right - knee).norm(),
               opening = std::acos((coupler * coupler + across * across - rocker * rocker) /
                                   (2.0 * coupler * across)),
               of_coupler = direction(right - knee) + opening;
  const Vector3d top = knee + coupler * Vector3d(std::cos(of_coupler), std::sin(of_coupler), 0.0);
  spec.ground = {make_sid_node("right", right, Matrix3d::Identity(), 0)};
  spec.bodies = {
      {"crank", rod(crank, 5.0), {}}, {"coupler", rod(coupler, 0.5), {}}, {"rocker", rod(rocker, 0.5), {}}};
  spec.bodies[0].initial.rotation << 0.0, 0.0, angle;
  spec.bodies[0].initial.angular_velocity << 0.0, 0.0, 6.0;
  spec.bodies[0].initial.given.angular_velocity = true;
  spec.bodies[1].initial.position = knee, spec.bodies[1].initial.rotation << 0.0, 0.0, of_coupler;
  spec.bodies[2].initial.position = right, spec.bodies[2].initial.rotation << 0.0, 0.0,
  direction(top - right);
  spec.joints = {{"left", {"ground"}, {"crank", "a"}, locked_by("revolute"), {}},
                 {"knee", {"crank", "b"}, {"coupler", "a"}, locked_by("revolute"), {}},
                 {"top", {"coupler", "b"}, {"rocker", "b"}, {true, true, false, false, false, false}, {}},
                 {"right", {"ground", "right"}, {"rocker", "a"}, locked_by("revolute"), {}}};
  return spec;
}

/// Where the mechanism ends, and what the steps told.
struct SimulatedSteps {
  SimulatedSteps(const SystemSpec& spec, double t1, double step, std::vector<std::string> independent) {
    MultibodySystem<double> system(spec);
    IntegratorOptions options;
    options.method = IntegratorMethod::trapezoidal, options.t1 = t1, options.step = step;
    options.independent = std::move(independent);
    const auto steps = make_steps<double>(system, options);
    Trajectory<double> trajectory;
    const Status status = simulate<double>(*steps, trajectory);
    EXPECT_FALSE(status.failed()) << status.message();
    end = trajectory.y.col(trajectory.n_stored - 1).head(system.n_x());
    choices = steps->choices(), warnings = steps->warnings();
  }
  VectorXd end;
  std::vector<std::string> choices, warnings;
};

TEST(IndependentCoordinates, AreAnglesAndNoDisplacementsOfWhatSpins) {
  const SimulatedSteps chosen(carriage(), 0.2, 4e-3, {}),
      named(carriage(), 0.2, 4e-3, {"cart.tx", "disc.rz", "arm.rz"});
  EXPECT_THAT(chosen.choices, ElementsAre("independent coordinates: cart.tx, disc.rz, arm.rz"));
  EXPECT_THAT(named.choices, IsEmpty());
  EXPECT_THAT(SimulatedSteps(carriage(), 0.02, 4e-3, {"cart.tx"}).choices,
              ElementsAre("independent coordinates beside those named: disc.rz, arm.rz"));
  // With coordinates that are chosen, steps keep the factors of former steps. They end where 1e-12 of the accelerations is left.
  EXPECT_LT((chosen.end - named.end).cwiseAbs().maxCoeff(), 1e-12);
}

// The carriage moves along the x axis of the disc at first, or along its y axis: both turn.
TEST(IndependentCoordinates, AreNoDisplacementsAlongAnyAxisThatTurns) {
  for (const double angle : {0.0, double(EIGEN_PI) / 2.0}) {
    SystemSpec spec = carriage();
    spec.bodies[1].initial.rotation << 0.0, 0.0, angle;
    EXPECT_THAT(SimulatedSteps(spec, 0.02, 4e-3, {}).choices,
                ElementsAre("independent coordinates: cart.tx, disc.rz, arm.rz"));
  }
}

TEST(IndependentCoordinates, ThatTurnBackAreNamedWithTheirTime) {
  const auto ratio = [](const std::vector<std::string>& independent) {
    VectorXd ends[3];
    double step = 4e-3;
    for (VectorXd& end : ends) end = SimulatedSteps(four_bar(), 0.6, step, independent).end, step *= 0.5;
    return (ends[0] - ends[1]).norm() / (ends[1] - ends[2]).norm();
  };
  EXPECT_THAT(SimulatedSteps(four_bar(), 0.6, 2e-3, {"rocker.rz"}).warnings,
              ElementsAre(HasSubstr("rocker.rz turns back between t = 0.482 and 0.484 s")));
  EXPECT_THAT(SimulatedSteps(four_bar(), 0.4, 2e-3, {"rocker.rz"}).warnings, IsEmpty());
  EXPECT_THAT(SimulatedSteps(four_bar(), 0.6, 2e-3, {"crank.rz"}).warnings, IsEmpty());
  EXPECT_LT(ratio({"rocker.rz"}), 3.0) << "first order";
  EXPECT_NEAR(ratio({}), 4.0, 0.2) << "second order";
}

// The rocker turns back at 0.577 rad of the crank, just before the start, and near t = 0.48 s.
TEST(IndependentCoordinates, ThatMoveOthersByFarMoreAtOneTimeAreNamedWithBothTimes) {
  EXPECT_THAT(SimulatedSteps(four_bar(0.58), 0.2, 2e-3, {"rocker.rz"}).warnings,
              ElementsAre(ContainsRegex(
                  "rocker.rz moves others [0-9]+ times as much at t = 0 s as at t = 0.[0-9]+ s")));
  EXPECT_THAT(
      SimulatedSteps(four_bar(), 0.48, 2e-3, {"rocker.rz"}).warnings,
      ElementsAre(ContainsRegex("rocker.rz moves others [0-9]+ times as much at t = 0.48 s as at t = 0")));
  EXPECT_THAT(SimulatedSteps(four_bar(0.58), 0.2, 2e-3, {"crank.rz"}).warnings, IsEmpty());
}

}  // namespace
}  // namespace kurbel::test
