/// The same mechanism in every formulation that represents it: same motion and same gradient, to O(h^2).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "design_functions.hpp"

namespace kurbel {
namespace {

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
/// What is asked of it, in the same words.
const std::string criteria = R"(
[outputs.end]
type = "position"
marker = "two"
[[objective]]
type = "output"
output = "end"
target = [0.3, 0.2, -1.4]
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

std::string in_absolute_coordinates(double h) {
  const auto mass = [](const char* name, double m, const char* place) {
    return fmt::format(
        "[points.{0}]\nmass = {1}\nposition = {2}\nvelocity = [0.2, 0.4, "
        "0.0]\n[variables.mass_{0}]\nquantity = "
        "\"points.{0}.mass\"\nlower = 0.1\nupper = 5.0\n",
        name, m, place);
  };
  return "formulation = \"absolute-coordinates\"\n" + springs + mass("one", 0.8, "[0.5, 0.1, -0.8]") +
         mass("two", 0.5, "[0.6, 0.1, -1.4]") + criteria +
         fmt::format(
             "[controls.pull]\ntype = \"force\"\nat = \"two\"\ndirection = [1.0, 0.5, 0.0]\nnodes = "
             "5\nstart = [1.0, -1.0, 2.0, 0.5, 0.0]\n[integrator]\nmethod = \"trapezoidal\"\nt1 = 0.8\nstep "
             "= {}\n",
             h);
}

/// Values of objective and constraints with their gradients by all variables, at the start.
test::Functions functions_of(const std::string& text) {
  const Problem problem = read_problem(TomlDocument::parse(text, "masses.toml", "."));
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const std::atomic<bool> interrupted = false;
  ProblemNlp nlp(chain, space, interrupted);
  return test::functions_at(nlp, nlp.reduced(space.start()));
}

TEST(Formulations, AgreeOnMotionAndGradientOfMassesSpringsAndControls) {
  const auto difference = [](double h) {
    const test::Functions a = functions_of(in_floating_frame(h)),
                          b = functions_of(in_absolute_coordinates(h));
    EXPECT_EQ(a.values.size(), b.values.size());
    EXPECT_EQ(a.gradients.cols(), b.gradients.cols()) << "three of springs, two masses, five nodes";
    test::Functions d{a.values - b.values, a.gradients - b.gradients};
    for (Eigen::Index i = 0; i < d.values.size(); ++i) {
      d.values[i] /= std::max(1.0, std::abs(b.values[i]));
      d.gradients.row(i) /= std::max(1e-3, b.gradients.row(i).norm());
    }
    return std::pair(d.values, d.gradients.rowwise().norm().eval());
  };
  const auto [values, gradients] = difference(4e-3);
  const auto [finer_values, finer_gradients] = difference(2e-3);
  EXPECT_LT(values.lpNorm<Eigen::Infinity>(), 1e-3);
  EXPECT_LT(gradients.lpNorm<Eigen::Infinity>(), 1e-3);
  EXPECT_NEAR(values.norm() / finer_values.norm(), 4.0, 0.3) << "order 2";
  EXPECT_NEAR(gradients.norm() / finer_gradients.norm(), 4.0, 0.3);
}

}  // namespace
}  // namespace kurbel
