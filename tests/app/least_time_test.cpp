/// Motions in least time between two states at rest, from a first motion from point to point, and periodic motions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "design_functions.hpp"
#include "study/study.hpp"

namespace kurbel {
namespace {

/// A cart of 1 kg that a force between -1 N and 1 N takes over a distance from rest to rest in least time, force constant
/// between nodes; with a pendulum of 0.3 kg and 0.5 m that hangs at rest at both ends, or without.
std::string cart(double distance, bool has_pendulum, int nodes, int steps_per_node) {
  const double t1 = 3.0 * std::sqrt(distance);
  std::string text = fmt::format(R"(
formulation = "semi-recursive"
gravity = [0.0, -9.81, 0.0]
ground.markers.rail.rotation = [0.0, 1.5707963267948966, 0.0]
[bodies.cart]
type = "rigid"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
markers.slider.rotation = [0.0, 1.5707963267948966, 0.0]
[joints.slider]
type = "prismatic"
from = "ground.rail"
to = "cart.slider"
[controls.force]
type = "force"
marker = "cart"
direction = [1.0, 0.0, 0.0]
interpolation = "constant"
nodes = {0}
lower = -1.0
upper = 1.0
[integrator]
method = "trapezoidal"
t1 = {1:.17g}
step = {2:.17g}
[variables.t1]
quantity = "integrator.t1"
lower = {3:.17g}
upper = {4:.17g}
[objective]
type = "duration"
[design.initial_guess]
type = "point-to-point"
joints.slider.end = {5:.17g}
[constraints.criteria.arrival]
type = "position"
marker = "cart"
component = "x"
time = "final"
equals = {5:.17g}
scale = 1.0
[constraints.criteria.rest]
type = "velocity"
marker = "cart"
component = "x"
time = "final"
equals = 0.0
scale = 1.0
[optimizer]
method = "ipopt"
feasibility = 1e-7
[optimizer.stop]
iterations = 200
kkt_residual = 1e-7
design_change = 0.0
)",
                                 nodes, t1, t1 / (nodes * steps_per_node), 0.1 * t1, 4.0 * t1, distance);
  if (!has_pendulum) return text;
  return text + R"(
[bodies.pendulum]
type = "rigid"
mass = 0.3
centre_of_mass = [0.0, -0.5, 0.0]
inertia = [1e-6, 1e-6, 1e-6]
[joints.pin]
type = "revolute"
from = "cart"
to = "pendulum"
[design.initial_guess.joints.pin]
end = 0.0
[constraints.criteria.hangs]
type = "joint-angle"
joint = "pin"
time = "final"
equals = 0.0
scale = 1.0
[constraints.criteria.hangs_at_rest]
type = "joint-rate"
joint = "pin"
time = "final"
equals = 0.0
scale = 1.0
)";
}

struct Fastest {
  double t1 = 0.0;
  VectorXd force;  ///< at the nodes
  int evaluations = 0;
};
Fastest fastest(const std::string& text) {
  Study study(read_problem(TomlDocument::parse(text, "cart.toml", ".")));
  StudyEvents silent;
  const StudyResult result = study.optimize(silent);
  EXPECT_TRUE(result.optimum.feasible) << result.optimum.message;
  const VectorXd values = study.space().variable_table(result.optimum.x).value;
  return {values[0], values.tail(values.size() - 1), result.optimum.evaluations};
}

// t1 = 2 sqrt(d) and u = 1, then -1. The optimum is among the motions of these steps, which are exact for it.
TEST(LeastTime, OfADoubleIntegratorIsBangBang) {
  for (const double distance : {1.0, 2.25}) {
    const Fastest found = fastest(cart(distance, false, 8, 2));
    EXPECT_NEAR(found.t1, 2.0 * std::sqrt(distance), 1e-5);
    for (Eigen::Index i = 0; i < 8; ++i) EXPECT_NEAR(found.force[i], i < 4 ? 1.0 : -1.0, 1e-4) << i;
  }
}

// Motions backwards in time are motions, too: the force is antisymmetric about the middle. Whatever moves both, the two
// together are never faster than one body of their mass.
TEST(LeastTime, OfACartWithAPendulumIsSymmetricInTime) {
  constexpr int nodes = 20;
  const Fastest with_it = fastest(cart(1.0, true, nodes, 4)), without = fastest(cart(1.0, false, nodes, 4));
  EXPECT_NEAR(without.t1, 2.0, 1e-5);
  EXPECT_GT(with_it.t1, 2.0 * std::sqrt(1.3));
  EXPECT_LT(with_it.t1, 2.0 * 2.0 * std::sqrt(1.3));
  for (Eigen::Index i = 0; i < nodes / 2; ++i)
    EXPECT_NEAR(with_it.force[i], -with_it.force[nodes - 1 - i], 2e-3) << i;
}

/// A pendulum, driven by a torque at its hinge, from a start that is a variable; its motion until t1 is to be periodic.
std::string periodic(const std::string& formulation, const std::string& method) {
  return fmt::format(R"(
formulation = "{}"
gravity = [0.0, -9.81, 0.0]
[bodies.bob]
type = "rigid"
mass = 1.0
centre_of_mass = [0.0, -0.5, 0.0]
inertia = [1e-3, 1e-3, 1e-3]
initial.position = [0.0, 0.0, 0.0]
initial.rotation = [0.0, 0.0, 0.3]
initial.angular_velocity = [0.0, 0.0, 0.5]
[joints.hinge]
type = "revolute"
from = "ground"
to = "bob"
[controls.torque]
type = "torque"
joint = "hinge"
nodes = 9
start = 0.1
lower = -5.0
upper = 5.0
[integrator]
method = "{}"
t1 = 1.0
step = 0.0125
[variables.t1]
quantity = "integrator.t1"
lower = 0.5
upper = 2.0
[variables.angle]
quantity = "bodies.bob.initial.rotation"
component = "z"
lower = -1.0
upper = 1.0
[variables.rate]
quantity = "bodies.bob.initial.angular_velocity"
component = "z"
lower = -6.0
upper = 6.0
[objective]
type = "control-energy"
time = "integral"
[constraints.criteria.angle]
type = "joint-angle"
joint = "hinge"
time = "change"
equals = 0.0
scale = 1.0
[constraints.criteria.rate]
type = "joint-rate"
joint = "hinge"
time = "change"
equals = 0.0
scale = 1.0
[constraints.criteria.start]
type = "joint-angle"
joint = "hinge"
time = "instants"
at = [0.0]
equals = 0.4
scale = 1.0
[constraints.criteria.start_rate]
type = "joint-rate"
joint = "hinge"
time = "instants"
at = [0.0]
equals = 0.0
scale = 1.0
[optimizer]
method = "ipopt"
feasibility = 1e-7
[optimizer.stop]
iterations = 100
kkt_residual = 1e-6
design_change = 0.0
)",
                     formulation, method);
}

class PeriodicMotion : public testing::TestWithParam<std::pair<const char*, const char*>> {};
INSTANTIATE_TEST_SUITE_P(Every, PeriodicMotion,
                         testing::Values(std::pair{"floating-frame", "generalized-alpha"},
                                         std::pair{"semi-recursive", "trapezoidal"},
                                         std::pair{"joint-hamiltonian", "runge-kutta-4"},
                                         std::pair{"natural-coordinates", "variational-midpoint"}),
                         [](const auto& info) {
                           std::string name = info.param.first;
                           std::erase(name, '-');
                           return name;
                         });

TEST_P(PeriodicMotion, HasGradientsOfDifferences) {
  test::ProgramOfText own(periodic(GetParam().first, GetParam().second));
  const test::Functions at = test::functions_at(own.nlp, own.x);
  for (Eigen::Index i = 0; i < own.x.size(); ++i) {
    const VectorXd expected = test::differences(own.nlp, own.x, VectorXd::Unit(own.x.size(), i), 1e-2);
    for (Eigen::Index j = 0; j < expected.size(); ++j)
      EXPECT_NEAR(at.gradients(j, i), expected[j], 1e-7 * std::max(1.0, std::abs(expected[j])))
          << j << ", " << i;
  }
}

// Without friction the least energy is none: the period is that of the pendulum, T = 4 K(sin(phi / 2)) sqrt(J / (m g l)).
TEST_P(PeriodicMotion, FindsThePeriodOfThePendulum) {
  Study study(
      read_problem(TomlDocument::parse(periodic(GetParam().first, GetParam().second), "pendulum.toml", ".")));
  StudyEvents silent;
  const StudyResult result = study.optimize(silent);
  EXPECT_TRUE(result.optimum.feasible) << result.optimum.message;
  const VectorXd values = study.space().variable_table(result.optimum.x).value;
  const double period = 4.0 * std::comp_ellint_1(std::sin(0.2)) * std::sqrt((1e-3 + 0.25) / (9.81 * 0.5));
  EXPECT_NEAR(values[0], period, 2e-3);  // steps of second order
  EXPECT_LT(values.tail(9).lpNorm<Eigen::Infinity>(), 1e-2);
  EXPECT_LT(result.optimum.evaluation.objective, 1e-5);
}

}  // namespace
}  // namespace kurbel
