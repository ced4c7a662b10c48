/// @file
/// A small, complete input of points and planar beams for the tests to vary.
#pragma once

#include "problem/problem.hpp"

namespace kurbel {

inline constexpr const char* control_text = R"(title = "Test arm"
formulation = "natural-coordinates"
gravity = [0.0, -9.81, 0.0]

[bodies.bob]
type = "point"
mass = 2.0
free = ["x", "y"]
[bodies.bob.initial]
position = [1.0, -3.0, 0.0]
velocity = [0.5, 0.0, 0.0]

[beams.upper]
type = "planar"
start = [0.0, 0.0, 0.0]
direction = [0.0, -1.0, 0.0]
elements = 2
length = 1.0
section = { shape = "rectangle", width = 0.01, height = [0.02, 0.03] }
poisson_coupling = "axis"
youngs_modulus = 3.0e9
poisson_ratio = 0.3
density = 1300.0

[beams.fore]
type = "planar"
direction = [0.0, -2.0, 0.0]
elements = 1
length = 0.8
section = { shape = "rectangle", width = 0.01, height = 0.02 }
youngs_modulus = 2.0e9
poisson_ratio = 0.2
density = 1200.0

[joints.shoulder]
type = "revolute"
from = "ground"
to = "upper.start"
damping = 0.2
[joints.elbow]
type = "fixed"
from = "upper.end"
to = "fore.start"

[masses.tool]
marker = "fore.end"
mass = 1.5

[springs.rope]
law = "hooke"
from = "fore.end"
to = "bob"
stiffness = 10.0
damping = 0.1
free_length = 1.5

[controls.torque]
type = "torque"
joint = "shoulder"
interpolation = "clamped"
nodes = 5
lower = -6.0
upper = 5.0
start = [0.0, 1.0, 2.0, 3.0, 4.0]
[controls.push]
type = "force"
marker = "bob"
direction = [0.0, 2.0, 0.0]
nodes = 3
lower = 0.5

[variables.upper_height]
quantity = "beams.upper.section.height"
each_element = true
lower = 0.01
upper = 0.04
[variables.rope_stiffness]
quantity = "springs.rope.stiffness"
lower = 0.0
upper = 20.0

[outputs.tool]
type = "position"
marker = "fore.end"
[outputs.tool_y]
type = "velocity"
marker = "fore.end"
axes = ["y"]
[outputs.reach]
type = "distance"
marker = "bob"
[outputs.pull]
type = "spring-force"
spring = "rope"
[outputs.stress]
type = "stress"
beam = "upper"
along = 0.625
up = -1.0

[integrator]
method = "trapezoidal"
t1 = 2.0
step = 0.01

[stages.reach]
vary = "controls"
objective = { type = "control-energy", time = "integral" }
constraints = ["arrival"]
iterations = 7

[[objective]]
type = "mass"
body = "upper"
weight = 3.0
[[objective]]
type = "output"
output = "tool"
time = "integral"
target = [1.0, -1.0]
form = "half-square"
[[objective]]
type = "output"
output = "reach"
time = "final"

[constraints.criteria.arrival]
type = "output"
output = "tool"
time = "final"
equals = [1.0, -1.0]
[constraints.criteria.stress]
type = "output"
output = "stress"
time = "instants"
intervals = 20
upper = 1.0e7
[constraints.criteria.pull]
type = "output"
output = "pull"
time = "instants"
intervals = 200
lower = -4.0
upper = [8.0, 2.0]
scale = [3.0, 5.0]

[sensitivity]
method = "direct"

[optimizer]
method = "ipopt"
feasibility = 1e-7
[optimizer.stop]
iterations = 99

[output]
picture = false
motion = false
motion_frames = 12
adjoint = ["stress"]
)";

inline Problem read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return read_problem(TomlDocument::parse(text, "arm.toml", ".", overrides));
}

/// The least that can be optimized: all defaults.
inline constexpr const char* least = R"(formulation = "natural-coordinates"
[bodies.mass]
type = "point"
mass = 1.0
[controls.u]
type = "force"
marker = "mass"
direction = [1.0, 0.0, 0.0]
nodes = 4
[outputs.place]
type = "position"
marker = "mass"
[outputs.distance]
type = "distance"
marker = "mass"
[integrator]
t1 = 1.0
step = 0.1
[objective]
type = "control-energy"
time = "integral"
[constraints.criteria.way]
type = "output"
output = "place"
time = "instants"
every = 1
upper = [4.0, 0.0, -2.0]
)";

}  // namespace kurbel
