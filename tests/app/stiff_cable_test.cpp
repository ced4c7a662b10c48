/// A wire that is too stiff for the digits of its nodes: gradients are those where the step would be without rounding.
#include <gtest/gtest.h>

#include "simulated.hpp"

namespace kurbel {
namespace {

/// A centimetre of wire swings about one of its ends, pushed at the other.
const std::string wire = R"(
formulation = "natural-coordinates"
gravity = [0.0, -9.81, 0.0]
[beams.b]
type = "cable"
start = [0.0, 0.0, 0.0]
end = [0.006, -0.008, 0.0]
elements = 1
density = 7850.0
section = { shape = "circle", diameter = 0.002 }
[joints.j]
type = "spherical"
from = "ground"
to = "b.start"
[controls.push]
type = "force"
marker = "b.end"
direction = [1.0, 0.5, 0.3]
nodes = 3
start = [1e-4, -1e-4, 2e-4]
[objective]
type = "position"
marker = "b.end"
component = "x"
time = "final"
[integrator]
t1 = 0.2
step = 0.005
)";

VectorXd gradient_at(const std::string& modulus) {
  const Problem problem =
      read_problem(TomlDocument::parse(wire, "wire.toml", ".", {"beams.b.youngs_modulus=" + modulus}));
  return test::Simulated(problem).gradients(test::Method::discrete_adjoint).col(0);
}

// The motion depends on the wire's strain, 4e-7 at 2e9 Pa, to first order, so that two moduli tell the limit. At 2e12 Pa
// the last digit of a node is a force of 4e-7 of the weight: 2.5e-7 is found, and 9.7e-7 if the middle is not refined.
TEST(StiffCable, HasTheGradientOfAnInextensibleOne) {
  const VectorXd soft = gradient_at("2e9"), stiff = gradient_at("2e10");
  const VectorXd limit = stiff + (stiff - soft) / 9.0;
  EXPECT_LT((gradient_at("2e12") - limit).norm(), 5e-7 * limit.norm());
}

}  // namespace
}  // namespace kurbel
