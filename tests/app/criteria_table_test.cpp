/// The whole table of the floating frame: every quantity by every functional over time, as objective and as
/// constraint, by every kind of variable. That of points and planar beams: point_motion_test.cpp.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "design_functions.hpp"

namespace kurbel {
namespace {

/// A flexible crank moves a rod by a motor that is found; a disc beside them is driven.
const std::string mechanism = R"(
gravity = [0.0, -9.81, 0.0]
[bodies.crank]
type = "flexible"
[bodies.crank.mesh]
shape = "rectangle"
origin = [0.0, -0.02]
size = [0.2, 0.04]
divisions = [6, 2]
thickness = 0.01
[bodies.crank.material]
youngs_modulus = 2.1e9
poisson_ratio = 0.3
density = 1200
[bodies.crank.simp]
s = 3.0
[bodies.crank.clamp]
x = 0.0
[bodies.crank.markers.pin]
x = 0.2
[bodies.crank.modes]
normal = 2
[bodies.rod]
type = "rigid"
mass = 0.5
centre_of_mass = [0.25, 0.0, 0.0]
inertia = [1e-4, 1e-2, 1e-2]
[bodies.rod.markers.end]
position = [0.5, 0.0, 0.0]
[bodies.rod.initial]
position = [0.2, 0.0, 0.0]
[bodies.disc]
type = "rigid"
mass = 0.3
centre_of_mass = [0.02, 0.0, 0.0]
inertia = [1e-3, 1e-3, 1e-3]
[ground.markers.aside]
position = [0.0, 0.5, 0.0]
[bodies.disc.initial]
position = [0.0, 0.5, 0.0]
[joints.bearing]
type = "revolute"
from = "ground"
to = "crank"
[joints.pin]
type = "revolute"
from = "crank.pin"
to = "rod"
[joints.slider]
lock = ["ty"]
from = "rod.end"
to = "ground"
[joints.shaft]
type = "revolute"
from = "ground.aside"
to = "disc"
[joints.shaft.drive]
dof = "rz"
type = "polynomial"
begin = { t = 0.0, derivatives = [0.0, 2.0, 0.0, 0.0] }
end = { t = 0.2, derivatives = [1.0, 4.0, 0.0, 0.0] }
[springs.pull]
from = "ground"
to = "rod.end"
stiffness = 30.0
damping = 1.0
free_length = 0.6
[controls.motor]
type = "torque"
joint = "bearing"
nodes = 3
start = [0.2, 0.1, 0.3]
[variables.mass]
quantity = "bodies.disc.mass"
lower = 0.1
upper = 1.0
[variables.k]
quantity = "springs.pull.stiffness"
lower = 10.0
upper = 50.0
[variables.place]
quantity = "ground.markers.aside.position"
component = "y"
lower = 0.2
upper = 0.8
[variables.thickness]
quantity = "bodies.crank.mesh.thickness"
lower = 0.005
upper = 0.02
[design]
bodies = ["crank"]
start = 0.7
[integrator]
t1 = 0.1
step = 2.5e-3
rho_inf = 0.6
)";

struct Place {
  const char *quantity, *keys;
};
constexpr std::array places = {Place{"compliance", "body = \"crank\""},
                               Place{"kinetic-energy", "body = \"crank\""},
                               Place{"kinetic-energy", ""},
                               Place{"total-energy", ""},
                               Place{"displacement", "marker = \"crank.pin\"\ncomponent = \"y\""},
                               Place{"position", "marker = \"rod.end\"\ncomponent = \"x\""},
                               Place{"position", "marker = \"crank.pin\"\ntarget = [0.1, 0.1, 0.0]"},
                               Place{"velocity", "marker = \"rod.end\"\ncomponent = \"x\""},
                               Place{"acceleration", "marker = \"crank.pin\"\ncomponent = \"x\""},
                               Place{"reaction-force", "joint = \"pin\"\ncomponent = \"x\""},
                               Place{"reaction-moment", "joint = \"shaft\"\ncomponent = \"z\""},
                               Place{"drive-torque", "joint = \"shaft\""},
                               Place{"centre-of-mass", "body = \"crank\"\ncomponent = \"x\""},
                               Place{"control-energy", ""},
                               Place{"distance", "marker = \"rod.end\"\nfrom = \"crank.pin\""},
                               Place{"spring-length", "spring = \"pull\""},
                               Place{"spring-force", "spring = \"pull\"\ncomponent = \"x\""},
                               Place{"von-mises", "body = \"crank\""}};
/// An exponent is in one over the unit of the quantity: at most 1 / largest is small enough for each.
constexpr std::array functionals = {"time = \"integral\"",
                                    "time = \"mean\"",
                                    "time = \"final\"",
                                    "time = \"p-norm\"\nexponent = 6",
                                    "time = \"ks\"\nexponent = 1e-3",
                                    "time = \"instants\"\nat = [0.05]"};

std::string term(const Place& place, const std::string& functional) {
  return fmt::format("type = \"{}\"\n{}\n{}\n", place.quantity, place.keys, functional);
}

TEST(CriteriaTable, OfTheFloatingFrameHasGradientsThatEqualDifferences) {
  std::string text = mechanism;
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t f = 0; f < functionals.size(); ++f) {
      const bool is_aggregate = std::string(functionals[f]).find("exponent") != std::string::npos;
      const bool has_maximum = is_aggregate || std::string(places[i].quantity) == "von-mises";
      const bool at_instants = f + 1 == functionals.size();
      text += fmt::format("[constraints.criteria.c{}_{}]\n{}upper = 1e12\nscale = 1.0\n{}", i, f,
                          term(places[i], functionals[f]),
                          has_maximum && !at_instants ? "scaling = \"none\"\n" : "");
    }
  }
  text += "[[objective]]\n" + term(places[0], functionals[0]);
  const Problem problem = read_problem(TomlDocument::parse(text, "table.toml", "."));
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const std::atomic<bool> interrupted = false;
  ProblemNlp nlp(chain, space, interrupted);
  const VectorXd x = nlp.reduced(space.start());
  const test::Functions at = test::functions_at(nlp, x);
  ASSERT_EQ(at.values.size(), 1 + std::ssize(places) * std::ssize(functionals));
  const Eigen::Index n_densities = chain.body(0)->n_elements(), n_numbers = x.size() - n_densities;
  ASSERT_EQ(n_numbers, 4 + 3) << "mass, stiffness, place, thickness, three nodes";
  MatrixXd directions = MatrixXd::Zero(x.size(), n_numbers + 1);
  directions.col(0).head(n_densities).setLinSpaced(-1.0, 1.0);
  directions.bottomRightCorner(n_numbers, n_numbers).setIdentity();
  for (Eigen::Index d = 0; d < directions.cols(); ++d) {
    const VectorXd exact = at.gradients * directions.col(d);
    const VectorXd found = test::differences(nlp, x, directions.col(d), 4e-3);
    for (Eigen::Index j = 0; j < exact.size(); ++j) {
      // What differences of a value lose in its last digits, over the smallest step.
      const double lost = 1e-10 * std::abs(at.values[j]) / 5e-4;
      EXPECT_NEAR(found[j], exact[j], 2e-6 * at.gradients.row(j).norm() + lost)
          << (j == 0 ? "objective" : chain.function(static_cast<std::size_t>(j) - 1).label())
          << ", direction " << d;
    }
  }
}

/// What this formulation cannot represent is refused by name.
TEST(CriteriaTable, RefusesByNameWhatAFormulationCannotRepresent) {
  const auto message = [](const std::string& text) {
    try {
      read_problem(TomlDocument::parse(text, "table.toml", "."));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string point =
      "formulation = \"natural-coordinates\"\n[bodies.p]\ntype = \"point\"\nmass = 1.0\n"
      "[integrator]\nmethod = \"trapezoidal\"\nt1 = 1.0\nstep = 0.1\n[[objective]]\ntime = \"integral\"\n";
  for (const char* foreign : {"compliance", "displacement", "rotation", "von-mises", "tyre-force"}) {
    const std::string said = message(point + fmt::format("type = \"{}\"\n", foreign));
    EXPECT_NE(
        said.find(fmt::format("objective.0.type = \"{}\" does not exist in natural coordinates", foreign)),
        std::string::npos)
        << said;
  }
}

}  // namespace
}  // namespace kurbel
