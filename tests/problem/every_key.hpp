/// @file
/// Small inputs with the keys that those of the repository do not have.
#pragma once

#include <string>
#include <vector>

namespace kurbel {

/// A box between markers that swings on a plate, both pushed and pulled by what is to be found.
inline const std::string pushed_box_text = R"(
[bodies.box]
type = "flexible"
[bodies.box.mesh]
shape = "box"
origin = [0.0, 0.0, 0.0]
size = [0.2, 0.02, 0.02]
divisions = [10, 2, 2]
[bodies.box.material]
youngs_modulus = 2.1e11
poisson_ratio = 0.3
density = 7850.0
[bodies.box.frame]
type = "chord"
origin = "left"
end = "right"
third = "top"
[bodies.box.markers.left]
x = 0.0
z = [0.0, 0.02]
[bodies.box.markers.right]
x = 0.2
[bodies.box.markers.top]
x = [0.09, 0.11]
y = 0.02
[bodies.box.modes]
up_to = 5e4
[bodies.box.damping]
modal = 0.02

[bodies.plate]
type = "flexible"
[bodies.plate.mesh]
shape = "rectangle"
origin = [0.0, -0.01]
size = [0.2, 0.02]
divisions = [10, 2]
thickness = 0.01
[bodies.plate.material]
youngs_modulus = 2.1e11
poisson_ratio = 0.3
density = 7850.0
[bodies.plate.clamp]
x = 0.0
[bodies.plate.markers.tip]
x = 0.2
[bodies.plate.modes]
list = [1, 2]
attachment = false
[bodies.plate.initial]
q_dot = [0.0, 0.0]
[bodies.plate.initial.loads.push]
marker = "tip"
force = [0.0, 1.0, 0.0]
moment = [0.0, 0.0, 0.1]

[joints.hinge]
type = "revolute"
from = "ground"
to = "plate"
[joints.pin]
type = "spherical"
from = "plate.tip"
to = "box.left"
[joints.stay]
type = "distance"
from = "ground"
to = "box.top"
length = 0.12
[controls.cylinder]
type = "force"
from = "ground"
to = "box.right"
nodes = 3
[controls.thruster]
type = "force"
marker = "box.right"
direction = [1.0, 0.0, 0.0]
frame = "body"
nodes = 3
[integrator]
t1 = 0.1
step = 0.01
[objective]
type = "kinetic-energy"
body = "box"
time = "ks"
exponent = 2.0
[constraints.criteria.sum]
terms = { type = "mass", body = "plate" }
upper = 1.0
[constraints.criteria.smooth]
type = "control-energy"
time = "p-norm"
exponent = 4
upper = 1.0
scaling = "none"
cases = ["calm"]
[constraints.criteria.now]
type = "position"
marker = "box.right"
time = "instants"
at = [0.05, 0.1]
upper = 1.0
[constraints.criteria.then]
type = "position"
marker = "box.right"
time = "instants"
every = 5
upper = 1.0
[variables.thickness]
quantity = "bodies.plate.mesh.thickness"
elements = { x = [0.0, 0.1] }
lower = 0.005
upper = 0.02
[design]
start_variables = "variables.csv"
[optimizer]
method = "ipopt"
[cases.calm]
[cases.heavy]
gravity = [0.0, -9.81, 0.0]
[over_cases]
objective = "ks"
exponent = 2.0
)";

}  // namespace kurbel
