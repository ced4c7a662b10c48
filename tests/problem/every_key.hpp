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
[joints.hinge.drive]
dof = "rz"
type = "table"
times = "absolute"
t = [0.0, 0.05, 0.1]
values = [0.0, 0.1, 0.0]
interpolation = "clamped"
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
control = "cylinder"
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
[variables.swing]
quantity = "joints.hinge.drive.values"
times = [0.05]
lower = -1.0
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

/// Two wheels on waves, of which one has all keys.
inline const std::string cart_text = R"(
formulation = "semi-recursive"
gravity = [0.0, 0.0, -9.81]
[bodies.frame]
type = "rigid"
mass = 10.0
inertia = [1.0, 1.0, 1.0]
initial = { position = [0.0, 0.0, 0.3] }
[bodies.frame.markers]
front = { position = [0.5, 0.0, 0.0] }
rear = { position = [-0.5, 0.0, 0.0] }
[bodies.front]
type = "rigid"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
initial = { position = [0.5, 0.0, 0.3] }
[bodies.rear]
type = "rigid"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
initial = { position = [-0.5, 0.0, 0.3] }
[joints.front]
lock = ["tx", "ty", "tz", "rx", "rz"]
from = "frame.front"
to = "front"
[joints.rear]
lock = ["tx", "ty", "tz", "rx", "rz"]
from = "frame.rear"
to = "rear"
[joints.plane]
lock = ["ty", "rx", "rz"]
from = "ground"
to = "frame"
[springs.rope]
from = "ground"
to = "frame"
[springs.rubber]
from = "ground"
to = "frame"
law = "green-lagrange"
free_length = 0.4
[bushings.mount]
from = "ground"
to = "frame"
stiffness = [9.0, 8.0, 7.0, 6.0, 5.0, 4.0]
damping = [[0.9, 0.1, 0.0, 0.0, 0.0, 0.0],
           [0.1, 0.8, 0.0, 0.0, 0.0, 0.2],
           [0.0, 0.0, 0.7, 0.0, 0.0, 0.0],
           [0.0, 0.0, 0.0, 0.6, 0.0, 0.0],
           [0.0, 0.0, 0.0, 0.0, 0.5, 0.0],
           [0.0, 0.2, 0.0, 0.0, 0.0, 0.4]]
[stops.bump]
joint = "plane"
dof = "tz"
lower = -0.1
upper = 0.2
stiffness = 1e4
damping = 10.0
smoothing = 2e-2
[road]
profile = "sine"
amplitude = 0.01
wavelength = 2.0
start = 0.7
[tyres.front]
wheel = "front"
carrier = "frame"
radius = 0.3
stiffness = 1e4
damping = 10.0
friction = 0.9
stiffness_factor = 8.0
shape_factor = 1.4
smoothing = 0.001
slip_speed = 0.4
[tyres.rear]
wheel = "rear"
carrier = "frame"
radius = 0.3
stiffness = 1e4
[integrator]
t1 = 0.1
step = 0.01
method = "trapezoidal"
independent = ["frame.tx"]
recursion = "RTdyn0"
[outputs]
roll = { type = "attitude", body = "frame" }
pitch = { type = "attitude", marker = "frame" }
load = { type = "tyre-force", tyre = "rear" }
hub = { type = "relative-position", marker = "rear", from = "frame" }
[objective]
type = "spring-length"
spring = "rope"
time = "mean"
target = 0.3
form = "half-square"
[variables.stiffness]
quantity = ["tyres.front.stiffness", "tyres.rear.stiffness"]
lower = 1e3
upper = 1e5
[variables.base]
quantity = ["bodies.frame.markers.front.position", "-bodies.frame.markers.rear.position"]
component = "x"
lower = 0.4
upper = 0.6
)";

/// Parts from the files of inputs/parts, with places of all shapes.
inline const std::string parts_text = R"(
[bodies.plate]
type = "flexible"
mesh = { file = "parts/crank_with_holes.geo", thickness = 0.01, size = 6e-6, order = 1, unit = "mm", plane = "strain", near = [
  { set = "pin", size = 3e-6, distance = 1e-5 }, { surface = 1, size = 5e-6 }] }
symmetry = { point = [0.0, 0.0], normal = [0.0, 1.0] }
manufacturing = { casting = { draw = "x", sides = "two", parting = 1e-4 }, maximum_member = 5e-3 }
material = { youngs_modulus = 2.1e11, poisson_ratio = 0.3, density = 7850.0 }
clamp = { set = "shaft" }
modes = { normal = 1 }
[bodies.plate.markers.pin]
cylinder = { centre = [0.2e-3, 0.0], radius = [0.007e-3, 0.009e-3] }
weights = "equal"
tie = "rigid"
[bodies.rod]
type = "flexible"
mesh = { file = "parts/conrod.geo", size = 0.02 }
material = { youngs_modulus = 2.1e11, poisson_ratio = 0.3, density = 7850.0 }
modes = { normal = 1 }
manufacturing = { extrusion = "z", overhang = { build = "-x", angle = "50 deg" } }
[bodies.rod.clamp]
cylinder = { centre = [0.0, 0.0, 0.0], axis = [0.0, 0.0, 1.0], radius = 0.018, length = [-0.01, 0.01] }
[bodies.rod.markers.end]
surface = 1
[bodies.rod.regions.tip]
kind = "solid"
all_of = [{ half_space = { point = [0.14, 0.0, 0.0], normal = [1.0, 0.0, 0.0] } },
          { not = { sphere = { centre = [0.0, 0.0, 0.0], radius = 0.02 } } }]
[bodies.rod.regions.rest]
kind = "void"
x = [-0.1, 0.1]
any_of = [{ polygon = { corners = [[0, -1], [1, -1], [1, 1], [0, 1]], axis = "x" } }]
[filter]
type = "density"
kernel = "helmholtz"
radius = 2e-5
[joints.shaft]
type = "revolute"
from = "ground"
to = "plate"
drive = { dof = "rz", type = "constant-rate", rate = "600 rpm" }
[loads.gas]
type = "pressure"
body = "plate"
place = { set = "pin" }
pressure = { type = "table", joint = "shaft", angle = "[0, 360, 720] deg", values = "[1, 60, 1] bar", beyond = "repeat" }
[loads.pin]
type = "bearing"
body = "rod"
place = { set = "small end" }
direction = [1.0, 0.0, 0.0]
force = "1 kN"
[integrator]
t1 = 0.1
step = 0.01
[objective]
type = "kinetic-energy"
body = "plate"
time = "mean"
)";

}  // namespace kurbel
