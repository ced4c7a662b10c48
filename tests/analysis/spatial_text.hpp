/// @file
/// Two links on spherical joints that seven springs hold in space.
#pragma once

namespace kurbel::test {

inline constexpr const char* spatial_links = R"(gravity = [0.0, -9.81, 0.0]
[bodies.a]
type = "rigid"
mass = 1.2
centre_of_mass = [0.15, 0.0, 0.0]
inertia = [1e-3, 0.012, 0.012]
[bodies.a.markers.end]
position = [0.3, 0.0, 0.0]
[bodies.a.markers.off]
position = [0.1, 0.1, 0.05]
[bodies.a.initial]
rotation = [0.0, 0.0, 0.5]
[bodies.b]
type = "rigid"
mass = 0.8
centre_of_mass = [0.11, 0.02, 0.03]
inertia = [1e-3, 0.006, 0.006]
[bodies.b.markers.hand]
position = [0.2, 0.1, 0.05]
[bodies.b.initial]
position = [0.26327476856711183, 0.14382766158126, 0.0]
rotation = [0.0, 0.0, 0.5]
[joints.ja]
type = "spherical"
from = "ground"
to = "a"
[joints.jb]
type = "spherical"
from = "a.end"
to = "b"
[bodies.p]
type = "rigid"
mass = 0.3
inertia = [1e-3, 1e-3, 1e-3]
[bodies.p.initial]
position = [0.4, 0.3, 0.2]
[joints.jp]
type = "fixed"
from = "b"
to = "p"
[springs.s1]
law = "linear"
from = "ground.up"
to = "a.end"
stiffness = 900.0
damping = 4.0
[springs.s2]
law = "linear"
from = "ground.back"
to = "b.hand"
stiffness = 700.0
[springs.s3]
law = "linear"
from = "ground.side"
to = "b.hand"
stiffness = 500.0
[springs.s4]
law = "linear"
from = "ground.up"
to = "p"
stiffness = 600.0
[springs.s5]
law = "linear"
from = "ground.side"
to = "a.end"
stiffness = 400.0
[springs.s7]
law = "linear"
from = "ground.side"
to = "a.off"
stiffness = 350.0
[springs.s8]
law = "linear"
from = "ground.back"
to = "a.off"
stiffness = 450.0
[springs.s6]
law = "linear"
from = "ground.back"
to = "p"
stiffness = 300.0
[ground.markers.up]
position = [0.1, 0.9, 0.3]
[ground.markers.back]
position = [-0.3, 0.1, 0.7]
[ground.markers.side]
position = [0.2, 0.0, -0.8]
[initial]
state = "static-equilibrium"
[objective]
type = "frequency"
[constraints.criteria.two]
type = "frequency"
modes = 3
lower = 0.1
[constraints.criteria.x]
type = "position"
marker = "b.hand"
component = "y"
lower = -10
[variables.mass]
quantity = "bodies.b.mass"
lower = 0.1
upper = 10.0
[variables.k]
quantity = "springs.s2.stiffness"
lower = 1
upper = 10000
[variables.c]
quantity = "bodies.b.centre_of_mass"
component = "x"
lower = -1
upper = 1
)";

}  // namespace kurbel::test
