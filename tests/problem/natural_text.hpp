/// @file
/// A small input in natural coordinates with all of their keys.
#pragma once

#include <string>

namespace kurbel {

/// A turned, symmetric frame of beams and a plate, hung from the ground.
inline const std::string natural_text = R"(
formulation = "natural-coordinates"
gravity = [0.0, 0.0, -9.81]
[coordinates]
planar = false
shared = true
[points]
left = { position = [0.2, 0.5, 0.1] }
right = { position = [0.2, -0.5, 0.1] }
top = { position = [0.0, 0.0, 1.0] }
[ground.markers]
hook = { point = "top" }
[bodies.plate]
type = "rigid"
mass = 10.0
inertia = [1.0, 1.0, 1.0]
initial = { position = [0.1, 0.0, 0.0], rotation = [0.0, 0.0, 1.5707963267948966] }
[bodies.plate.markers]
left = { point = "left" }
right = { point = "right" }
edge = { position = [0.1, 0.0, 0.0] }
[beams.left]
start = "left"
end = [0.2, 0.9, 0.1]
energy = "chord"
section = { shape = "tube", outer_diameter = 0.015, inner_diameter = 0.01 }
elements = 3
youngs_modulus = 2e11
poisson_ratio = 0.25
density = 7800.0
damping = 1e-4
velocity = [0.1, 0.0, 0.0]
angular_velocity = [0.0, 0.0, 0.2]
[beams.right]
start = "right"
end = [0.2, -0.9, 0.1]
section = { shape = "tube", outer_diameter = 0.015, inner_diameter = 0.01 }
youngs_modulus = 2e11
density = 7800.0
[beams.bow]
type = "spatial"
start = [1.0, 0.0, 0.0]
through = [1.7, 0.3, 0.0]
end = [2.0, 1.0, 0.0]
section = { shape = "rectangle", width = 0.02, height = 0.01 }
elements = 8
youngs_modulus = 7e10
density = 2700.0
[beams.mast]
type = "spatial"
start = [1.0, 0.0, 0.0]
end = [1.0, 2.0, 0.0]
side = [1.0, 0.1, 0.0]
section = { shape = "square", side = 0.02 }
youngs_modulus = 7e10
density = 2700.0
[beams.spar]
type = "spatial"
start = [1.0, 2.0, 0.0]
end = [1.0, 4.0, 0.0]
section = { shape = "circle", diameter = 0.02 }
youngs_modulus = 7e10
density = 2700.0
[joints.left]
type = "fixed"
from = "plate.left"
to = "left.start"
[joints.right]
type = "fixed"
from = "plate.right"
to = "right.start"
[joints.foot]
type = "fixed"
from = "bow.start"
to = "mast.start"
[joints.splice]
type = "fixed"
from = "mast.end"
to = "spar.start"
[joints.rope]
type = "distance"
from = "ground.hook"
to = "plate"
[joints.stay]
type = "distance"
from = "ground"
to = "plate.edge"
[springs.hook]
from = "ground.hook"
to = "left.node2"
stiffness = 2e3
damping = 10.0
damper = "isotropic"
preload = 50.0
[integrator]
t1 = 0.1
step = 0.01
alpha = 0.4
[outputs]
gap = { type = "distance", marker = "left.end", from = "right.end" }
height = { type = "distance", marker = "left.end" }
pull = { type = "spring-force", spring = "hook" }
tip = { type = "acceleration", marker = "bow.node7" }
weight = { type = "mass", body = "mast" }
fibre = { type = "stress", beam = "mast", along = 0.25, across = -1.0, up = 0.5 }
[objective]
type = "position"
marker = "plate"
time = "integral"
[constraints.criteria.stress]
type = "stress"
beam = "left"
element_exponent = 12.0
time = "p-norm"
exponent = 8
upper = 4e8
[constraints.criteria.side]
type = "stress"
beam = "bow"
up = 1.0
time = "ks"
exponent = 1e-8
upper = 4e8
[variables.wide]
quantity = ["points.left.position", "-points.right.position"]
component = "y"
lower = 0.3
upper = 0.7
[variables.free]
quantity = "points.top.position"
component = "z"
lower = 0.5
upper = 1.5
[variables.ends]
quantity = "beams.left.end"
component = "z"
lower = 0.0
upper = 0.2
[variables.outer]
quantity = ["beams.left.section.outer_diameter", "beams.right.section.outer_diameter"]
lower = 0.012
upper = 0.02
[variables.height]
quantity = "beams.bow.section.height"
lower = 0.005
upper = 0.02
[variables.density]
quantity = "beams.mast.density"
lower = 1e3
upper = 1e4
[variables.stiffness]
quantity = "springs.hook.stiffness"
lower = 1e3
upper = 1e4
)";

}  // namespace kurbel
