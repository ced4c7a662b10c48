/// Points of a mechanism as variables: a suspension whose hard points move, in every formulation of bodies, and an arc.
#include "hard_points.hpp"

namespace kurbel {
namespace {

using test::differences;
using test::expect_gradients_of_differences;
using test::Functions;
using test::functions_at;
using test::interrupted;
using test::variables;

/// A quarter turned arm on the ground carries an upright, which a rod holds; one spring is preloaded, another free at
/// the start. The joints put nothing elsewhere than where the points are. Later than the end it comes near its change
/// point, where arm and rod are in line and no difference is small enough.
const std::string suspension = R"(
gravity = [0.0, -9.81, 0.0]
[points]
A = { position = [0.0, 0.0, 0.0] }
B = { position = [0.5, 0.02, 0.0] }
C = { position = [0.45, 0.3, 0.01] }
D = { position = [0.0, 0.28, 0.0] }
E = { position = [0.2, 0.5, 0.0] }
F = { position = [0.3, 0.01, 0.0] }
[ground.markers]
pivot = { point = "A" }
stay = { point = "D" }
top = { point = "E" }
[bodies.arm]
type = "rigid"
mass = 2.0
centre_of_mass = [0.0, -0.2, 0.0]
inertia = [0.02, 0.01, 0.02]
initial = { position = [0.1, 0.0, 0.0], rotation = [0.0, 0.0, 1.5707963267948966] }
[bodies.arm.markers]
pivot = { point = "A", rotation = [0.0, 0.0, -1.5707963267948966] }
ball = { point = "B", rotation = [0.0, 0.0, -1.5707963267948966] }
seat = { point = "F" }
[bodies.upright]
type = "rigid"
mass = 5.0
inertia = [0.03, 0.02, 0.03]
initial = { position = [0.5, 0.15, 0.0] }
[bodies.upright.markers]
low = { point = "B" }
high = { point = "C" }
[joints.pivot]
type = "revolute"
from = "ground.pivot"
to = "arm.pivot"
[joints.ball]
type = "revolute"
from = "arm.ball"
to = "upright.low"
[joints.stay]
type = "distance"
from = "ground.stay"
to = "upright.high"
[springs.shock]
from = "ground.top"
to = "arm.seat"
stiffness = 800.0
damping = 5.0
preload = -60.0
[springs.weak]
from = "ground.top"
to = "upright"
stiffness = 100.0
preload = 0.0
[integrator]
t1 = 0.1
step = 0.01
[objective]
type = "position"
marker = "upright.high"
time = "integral"
[constraints.criteria.rod]
type = "rod-force"
joint = "stay"
time = "final"
upper = 1e4
[constraints.criteria.length]
type = "spring-length"
spring = "shock"
time = "integral"
upper = 1e4
[variables.stiffness]
quantity = "springs.shock.stiffness"
lower = 500.0
upper = 1000.0
)";

class HardPoints : public testing::TestWithParam<const char*> {};

// A point moves the markers of two bodies, or one and its rod or spring. Where both markers of a joint move across
// its plane, only the gradient by all of them is small: differences see that as well.
TEST_P(HardPoints, HaveGradientsThatEqualDifferences) {
  const std::string formulation = GetParam();
  std::vector<std::string> overrides = {"formulation=\"" + formulation + "\""};
  const bool is_explicit = formulation.ends_with("hamiltonian");
  if (!is_explicit) overrides.emplace_back("integrator.newton_tolerance=1e-12");
  const Problem problem = read_problem(TomlDocument::parse(
      suspension + variables({"A", "B", "C", "D", "E", "F"}), "suspension.toml", ".", overrides));
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ASSERT_EQ(space.variables().size(), 19);
  ProblemNlp nlp(chain, space, interrupted);
  const VectorXd x = space.start();
  const Functions at = functions_at(nlp, x);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const VectorXd expected = differences(nlp, x, VectorXd::Unit(x.size(), i), 1e-3);
    for (Eigen::Index j = 0; j < expected.size(); ++j)
      EXPECT_NEAR(at.gradients(j, i), expected[j], 1e-7 * at.gradients.row(j).cwiseAbs().maxCoeff())
          << "function " << j << " by " << space.name_of(i);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, HardPoints,
                         testing::Values("floating-frame", "semi-recursive", "hamiltonian",
                                         "joint-hamiltonian"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

/// A bow on a ball, more than half a circle and turning, with a bob at its end. A preloaded spring and a rod hold nodes
/// between its ends.
const std::string bow = R"(
gravity = [0.0, 0.5, -9.81]
[points]
A = { position = [0.1, 0.0, 0.2] }
B = { position = [0.3, 0.4, 0.6] }
C = { position = [0.5, 0.05, 0.3] }
D = { position = [-0.4, 0.3, 0.5] }
[ground.markers]
post = { point = "A" }
hook = { point = "D" }
[bodies.bob]
type = "rigid"
mass = 0.2
inertia = [1e-3, 1e-3, 1e-3]
initial = { position = [0.5, 0.0, 0.2] }
[bodies.bob.markers]
eye = { point = "C" }
[beams.bow]
type = "spatial"
start = "A"
through = "B"
end = "C"
section = { shape = "rectangle", width = 0.02, height = 0.03 }
elements = 4
youngs_modulus = 2e7
density = 1200.0
damping = 1e-2
angular_velocity = [0.04, -0.03, 0.06]
[joints.ball]
type = "spherical"
from = "ground.post"
to = "bow.start"
[joints.eye]
type = "spherical"
from = "bow.end"
to = "bob.eye"
[joints.stay]
type = "distance"
from = "ground.hook"
to = "bow.node1"
[springs.band]
from = "ground.hook"
to = "bow.node3"
stiffness = 20.0
preload = 0.5
[integrator]
t1 = 0.03
step = 2e-3
newton_tolerance = 1e-12
[objective]
type = "position"
marker = "bob"
time = "integral"
[constraints.criteria.tip]
type = "velocity"
marker = "bow.end"
time = "final"
upper = 1e4
[constraints.criteria.rod]
type = "rod-force"
joint = "stay"
time = "final"
upper = 1e4
[constraints.criteria.mass]
type = "mass"
body = "bow"
upper = 1e4
)";

class HardPointsOfAnArc : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(HardPointsOfAnArc, HaveGradientsThatEqualDifferences) {
  const auto [formulation, method] = GetParam();
  expect_gradients_of_differences(bow, {"A", "B", "C", "D"}, formulation, method);
}

INSTANTIATE_TEST_SUITE_P(Of, HardPointsOfAnArc,
                         testing::Values(std::pair("natural-coordinates", "variational-midpoint"),
                                         std::pair("natural-coordinates", "generalized-alpha"),
                                         std::pair("floating-frame", "generalized-alpha")),
                         [](const auto& info) {
                           std::string name = std::string(info.param.first) + info.param.second;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace kurbel
