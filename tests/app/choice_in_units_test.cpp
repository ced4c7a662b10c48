/// Coordinates that the program chooses do not depend on the units of the input.
#include <gtest/gtest.h>

#include "simulated.hpp"

namespace kurbel {
namespace {

/// A soft beam swings about one of its ends; in metres, and in millimetres and kilograms.
const std::string in_metres = R"(
gravity = [1.0, -9.0, 3.0]
[beams.a]
type = "spatial"
start = [0.0, 0.0, 0.0]
end = [0.32, -0.14, 0.04]
elements = 2
youngs_modulus = 4.5e7
density = 1400.0
side = [0.0, 1.0, 0.3]
section = { shape = "square", side = 0.048 }
[objective]
type = "velocity"
marker = "a.end"
component = "x"
time = "final"
)",
                  in_millimetres = R"(
gravity = [1000.0, -9000.0, 3000.0]
[beams.a]
type = "spatial"
start = [0.0, 0.0, 0.0]
end = [320.0, -140.0, 40.0]
elements = 2
youngs_modulus = 4.5e4
density = 1.4e-6
side = [0.0, 1.0, 0.3]
section = { shape = "square", side = 48.0 }
[objective]
type = "velocity"
marker = "a.end"
component = "x"
time = "final"
)",
                  joint_and_steps = R"(
[joints.root]
type = "spherical"
from = "ground"
to = "a.start"
[integrator]
method = "trapezoidal"
t1 = 0.04
step = 0.002
)";

test::Simulated simulated(const std::string& in_units) {
  const std::string formulation = "formulation = \"natural-coordinates\"\n";
  return test::Simulated(
      read_problem(TomlDocument::parse(formulation + in_units + joint_and_steps, "beam.toml", ".")));
}

// The director along a beam has no mass. As long as the least of all masses stood for its own, which is that of a director
// in metres and that of a displacement in millimetres, other coordinates were chosen, and psi changed by 5e-5.
TEST(ChosenCoordinates, AreTheSameInMillimetres) {
  const test::Simulated metres = simulated(in_metres), millimetres = simulated(in_millimetres);
  EXPECT_EQ(metres.motion->choices(), millimetres.motion->choices());
  EXPECT_NEAR(1e3 * metres.values[0], millimetres.values[0], 1e-8 * std::abs(millimetres.values[0]));
}

}  // namespace
}  // namespace kurbel
