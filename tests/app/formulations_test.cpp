/// The same mechanism in every formulation that represents it: same motion and same gradient, to O(h^2).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "disagreement.hpp"

namespace kurbel {
namespace {

using test::disagreement, test::Disagreement, test::expect_order_2, test::functions_of;

/// Two masses in space, one hung from the ground and the other from it, pulled by a force that is found.
const std::string springs = R"(
gravity = [0.5, 0.0, -9.81]
[springs.upper]
from = "ground"
to = "one"
stiffness = 60.0
damping = 0.4
free_length = 0.9
[springs.lower]
from = "one"
to = "two"
stiffness = 40.0
damping = 0.3
free_length = 0.5
[variables.k]
quantity = "springs.upper.stiffness"
lower = 10.0
upper = 100.0
[variables.d]
quantity = "springs.lower.damping"
lower = 0.0
upper = 1.0
[variables.l]
quantity = "springs.lower.free_length"
lower = 0.1
upper = 1.0
)";
/// What is requested of it, in the same words.
const std::string criteria = R"(
[outputs.end]
type = "position"
marker = "two"
[[objective]]
type = "output"
output = "end"
target = [0.3, 0.2, -1.4]
form = "half-square"
time = "integral"
[[objective]]
type = "velocity"
marker = "one"
component = "z"
time = "final"
weight = 0.2
[constraints.criteria.arrival]
type = "output"
output = "end"
time = "final"
equals = [0.4, 0.2, -1.5]
scale = 1.0
[constraints.criteria.energy]
type = "kinetic-energy"
time = "mean"
upper = 3.0
scale = 1.0
[constraints.criteria.highest]
type = "position"
marker = "one"
component = "z"
time = "ks"
exponent = 20.0
upper = 1.0
scaling = "none"
[constraints.criteria.fastest]
type = "velocity"
marker = "two"
component = "x"
time = "p-norm"
exponent = 6.0
upper = 9.0
scaling = "none"
[constraints.criteria.way]
type = "output"
output = "end"
time = "instants"
intervals = 4
upper = [1.0, 2.0, 3.0]
)";

std::string in_floating_frame(double h) {
  const auto mass = [](const char* name, double m, const char* place) {
    return fmt::format(
        "[bodies.{0}]\ntype = \"rigid\"\nmass = {1}\ninertia = [0.01, 0.01, "
        "0.01]\n[bodies.{0}.initial]\nposition "
        "= {2}\nvelocity = [0.2, 0.4, 0.0]\n[variables.mass_{0}]\nquantity = \"bodies.{0}.mass\"\nlower = "
        "0.1\nupper = 5.0\n",
        name, m, place);
  };
  return springs + mass("one", 0.8, "[0.5, 0.1, -0.8]") + mass("two", 0.5, "[0.6, 0.1, -1.4]") + criteria +
         fmt::format(
             "[controls.pull]\ntype = \"force\"\nmarker = \"two\"\ndirection = [1.0, 0.5, 0.0]\nnodes = "
             "5\nstart = [1.0, -1.0, 2.0, 0.5, 0.0]\n[integrator]\nt1 = 0.8\nstep = {}\nrho_inf = 0.9\n",
             h);
}

std::string as_points(double h) {
  const auto mass = [](const char* name, double m, const char* place) {
    return fmt::format(
        "[bodies.{0}]\ntype = \"point\"\nmass = {1}\ninitial = {{ position = {2}, velocity = [0.2, 0.4, 0.0] "
        "}}\n"
        "[variables.mass_{0}]\nquantity = \"bodies.{0}.mass\"\nlower = 0.1\nupper = 5.0\n",
        name, m, place);
  };
  return "formulation = \"natural-coordinates\"\n" + springs + mass("one", 0.8, "[0.5, 0.1, -0.8]") +
         mass("two", 0.5, "[0.6, 0.1, -1.4]") + criteria +
         fmt::format(
             "[controls.pull]\ntype = \"force\"\nmarker = \"two\"\ndirection = [1.0, 0.5, 0.0]\nnodes = "
             "5\nstart = [1.0, -1.0, 2.0, 0.5, 0.0]\n[integrator]\nmethod = \"trapezoidal\"\nt1 = 0.8\nstep "
             "= {}\n",
             h);
}

TEST(Formulations, AgreeOnMotionAndGradientOfMassesSpringsAndControls) {
  const auto at_step = [](double h) {
    const test::Functions a = functions_of(in_floating_frame(h)), b = functions_of(as_points(h));
    EXPECT_EQ(a.gradients.cols(), 10) << "three of springs, two masses, five nodes";
    return disagreement(a, b);
  };
  expect_order_2(at_step(4e-3), at_step(2e-3));
}

/// The masses with springs of one law, of bodies in a formulation that takes generalized-alpha.
std::string with_law(std::string law, const std::string& formulation, double h = 4e-3) {
  const bool is_isotropic = law == "isotropic";
  if (is_isotropic) law = "hooke";
  std::string text = in_floating_frame(h);
  const auto erase = [&](const std::string& from, std::size_t size) { text.erase(text.find(from), size); };
  if (law == "linear") {
    erase("free_length = 0.9\n", 18), erase("free_length = 0.5\n", 18);
    erase("[variables.l]", text.find("[bodies.one]") - text.find("[variables.l]"));
  }
  for (const char* spring : {"upper", "lower"}) {
    const std::string table = fmt::format("[springs.{}]\n", spring);
    text.insert(text.find(table) + table.size(), "law = \"" + law + "\"\n");
    if (is_isotropic) text.insert(text.find(table) + table.size(), "damper = \"isotropic\"\n");
  }
  text += "method = \"generalized-alpha\"\n";
  const std::string more = R"(
[constraints.criteria.stretch]
type = "spring-length"
spring = "lower"
time = "mean"
upper = 3.0
scale = 1.0
[constraints.criteria.pull]
type = "spring-force"
spring = "lower"
component = "y"
time = "mean"
upper = 100.0
scale = 1.0
[constraints.criteria.apart]
type = "distance"
marker = "two"
from = "one"
time = "final"
upper = 10.0
scale = 1.0
)";
  return "formulation = \"" + formulation + "\"\n" + text + more;
}

class SpringLaws : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Every, SpringLaws, testing::Values("hooke", "linear", "green-lagrange", "isotropic"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

// Bodies that do not turn have the same equations and steps in each of them.
TEST_P(SpringLaws, MoveMassesAlikeInEveryFormulation) {
  const test::Functions a = functions_of(with_law(GetParam(), "floating-frame"));
  for (const char* formulation : {"semi-recursive", "natural-coordinates"}) {
    const Disagreement d = disagreement(functions_of(with_law(GetParam(), formulation)), a);
    EXPECT_LT(d.values.lpNorm<Eigen::Infinity>(), 1e-9) << formulation;
    EXPECT_LT(d.gradients.lpNorm<Eigen::Infinity>(), 1e-8) << formulation;
  }
}

// To the error of steps of second order.
TEST_P(SpringLaws, MoveMassesAlikeByHamiltonsEquations) {
  const double h = 1e-3;
  const test::Functions a = functions_of(with_law(GetParam(), "floating-frame", h));
  for (const char* formulation : {"hamiltonian", "joint-hamiltonian"}) {
    std::string text = with_law(GetParam(), formulation, h);
    const std::string implicit = "rho_inf = 0.9\nmethod = \"generalized-alpha\"\n";
    text.replace(text.find(implicit), implicit.size(), "method = \"runge-kutta-4\"\n");
    const Disagreement d = disagreement(functions_of(text), a);
    EXPECT_LT(d.values.lpNorm<Eigen::Infinity>(), 1e-3) << formulation;
    EXPECT_LT(d.gradients.lpNorm<Eigen::Infinity>(), 1e-3) << formulation;
  }
}

TEST_P(SpringLaws, HaveGradientsOfDifferencesInTheFloatingFrame) {
  const Problem problem =
      read_problem(TomlDocument::parse(with_law(GetParam(), "floating-frame"), "masses.toml", "."));
  EvaluationChain chain(problem);
  const std::atomic<bool> interrupted = false;
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ProblemNlp nlp(chain, space, interrupted);
  const VectorXd x = nlp.reduced(space.start());
  const test::Functions at = test::functions_at(nlp, x);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const VectorXd d = VectorXd::Unit(x.size(), i), expected = test::differences(nlp, x, d, 1e-2);
    for (Eigen::Index j = 0; j < expected.size(); ++j)
      EXPECT_NEAR(at.gradients(j, i), expected[j], 1e-7 * std::max(1.0, at.gradients.row(j).norm())) << i;
  }
}

TEST(Formulations, TiedMassesOfPointsAddTheirGradients) {
  const std::string own = as_points(4e-3);
  const auto without = [](std::string text, const std::string& from, const std::string& to) {
    const std::size_t first = text.find(from);
    return text.erase(first, text.find(to, first) - first);
  };
  std::string equal = own;
  equal.replace(equal.find("mass = 0.5"), 10, "mass = 0.8");
  std::string tied = without(equal, "[variables.mass_two]", "[outputs.end]");
  const std::string quantity = "quantity = \"bodies.one.mass\"";
  tied.replace(tied.find(quantity), quantity.size(), "quantity = [\"bodies.one.mass\", \"bodies.two.mass\"]");
  const test::Functions of_each = functions_of(equal), of_both = functions_of(tied);
  ASSERT_EQ(of_both.gradients.cols(), of_each.gradients.cols() - 1);
  EXPECT_EQ(of_both.values, of_each.values);
  // In the order of the file: three numbers of springs, then the masses.
  const VectorXd sum = of_each.gradients.col(3) + of_each.gradients.col(4);
  EXPECT_LT((of_both.gradients.col(3) - sum).norm(), 1e-12 * sum.norm());
}

/// A rigid arm in a hinge, from which a bob hangs on a rod and on a spring of the ground; it is pushed.
std::string arm_with_bob(const std::string& bob) {
  return R"(formulation = "natural-coordinates"
gravity = [0.0, 0.0, -9.81]
[bodies.arm]
type = "rigid"
mass = 0.7
centre_of_mass = [0.2, 0.0, 0.0]
inertia = [1e-3, 4e-3, 5e-3]
markers.tip.position = [0.5, 0.0, 0.0]
[bodies.bob]
mass = 0.3
initial.position = [0.6, 0.1, -0.4]
initial.velocity = [0.2, 0.2, 0.1]
)" + bob +
         R"(
[joints.hinge]
type = "revolute"
from = "ground"
to = "arm"
[joints.rod]
type = "distance"
from = "arm.tip"
to = "bob"
[springs.s]
from = "ground"
to = "bob"
stiffness = 30.0
damping = 0.4
free_length = 0.5
[controls.push]
type = "force"
marker = "bob"
direction = [1.0, 0.5, 0.0]
nodes = 3
start = [1.0, -1.0, 2.0]
[variables.mass]
quantity = "bodies.bob.mass"
lower = 0.1
upper = 1.0
[variables.stiffness]
quantity = "springs.s.stiffness"
lower = 10.0
upper = 50.0
[integrator]
t1 = 0.4
step = 4e-3
newton_tolerance = 1e-12
[[objective]]
type = "position"
marker = "bob"
component = "x"
time = "final"
[constraints.criteria.rod]
type = "rod-force"
joint = "rod"
time = "mean"
upper = 9.0
[constraints.criteria.weight]
type = "mass"
body = "bob"
upper = 1.0
[constraints.criteria.energy]
type = "kinetic-energy"
time = "mean"
upper = 3.0
)";
}

TEST(Formulations, APointMovesAsABodyThatDoesNotTurn) {
  const test::Functions point = functions_of(arm_with_bob("type = \"point\"\n")),
                        body = functions_of(arm_with_bob("type = \"rigid\"\ninertia = [1.0, 1.0, 1.0]\n"));
  EXPECT_LT((point.values - body.values).lpNorm<Eigen::Infinity>(), 1e-10);
  EXPECT_LT((point.gradients - body.gradients).lpNorm<Eigen::Infinity>(),
            1e-9 * body.gradients.lpNorm<Eigen::Infinity>());
}

TEST(Formulations, TheContinuousAdjointOfMassAndControlEnergyIsExact) {
  std::string text = arm_with_bob("type = \"point\"\n");
  const std::string place = "type = \"position\"\nmarker = \"bob\"\ncomponent = \"x\"\ntime = \"final\"\n";
  text.replace(text.find(place), place.size(), "type = \"control-energy\"\ntime = \"mean\"\n");
  text.insert(text.find("t1 = 0.4"), "method = \"generalized-alpha\"\n");
  const test::Functions exact = functions_of(text),
                        adjoint = functions_of(text + "[sensitivity]\nmethod = \"continuous-adjoint\"\n");
  const Eigen::Index energy = 0, weight = 2;
  for (const Eigen::Index row : {energy, weight}) {
    EXPECT_GT(exact.gradients.row(row).norm(), 0.0);
    EXPECT_LT((adjoint.gradients.row(row) - exact.gradients.row(row)).norm(),
              1e-12 * exact.gradients.row(row).norm())
        << row;
  }
}

}  // namespace
}  // namespace kurbel
