/// @file
/// A small, complete input for the tests to vary.
#pragma once

namespace kurbel {

inline constexpr const char* crank_text = R"(title = "Test crank"
gravity = [0.0, -9.81, 0.0]

[bodies.crank]
type = "flexible"
[bodies.crank.mesh]
shape = "rectangle"
origin = [0.0, -0.02]
size = [0.2, 0.04]
divisions = [10, 2]
thickness = 0.01
[bodies.crank.material]
youngs_modulus = 2.1e11
poisson_ratio = 0.3
density = 7850
[bodies.crank.simp]
s = 4.0
[bodies.crank.clamp]
x = 0.0
[bodies.crank.markers.pin]
x = 0.2
[bodies.crank.markers.tip]
x = 0.2
y = [-inf, -0.02]
[bodies.crank.regions.bearing]
kind = "solid"
x = [0.18, 0.2]
[bodies.crank.modes]
normal = 3
[bodies.crank.damping]
alpha = 0.5
beta = 1e-5
[bodies.crank.initial]
q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]

[bodies.rod]
type = "rigid"
mass = 0.5
centre_of_mass = [0.25, 0.0, 0.0]
inertia = [0.1, 0.2, 0.25, 0.01, 0.02, 0.03]
[bodies.rod.markers.end]
position = [0.5, 0.0, 0.0]
rotation = [0.0, 0.0, 1.5707963267948966]
[bodies.rod.initial]
position = [0.2, 0.0, 0.0]
rotation = [0.0, 0.0, 0.1]
velocity = [1.0, 2.0, 3.0]
angular_velocity = [4.0, 5.0, 6.0]

[ground.markers.slider]
position = [0.7, 0.0, 0.0]

[joints.bearing]
type = "revolute"
from = "ground"
to = "crank"
[joints.bearing.drive]
dof = "rz"
type = "polynomial"
unit = "turn"
begin = { t = 0.0, derivatives = [0.0, 0.0] }
end = { t = 2.0, derivatives = [6.0, 6.0] }
[joints.pin]
type = "revolute"
from = "crank.pin"
to = "rod"
[joints.slider]
lock = ["ty", "rx"]
from = "rod.end"
to = "ground.slider"
[[joints.slider.drive]]
dof = "tx"
type = "constant-rate"
unit = "mm"
rate = 2.0
[[joints.slider.drive]]
dof = "ry"
type = "table"
unit = "deg"
t = [0.0, 2.0]
values = [0.0, 180.0]

[springs.support]
from = "rod.end"
to = "ground.slider"
stiffness = 100.0
damping = 2.0
free_length = 0.1
[torsion_springs.hinge]
from = "rod"
to = "crank.pin"
stiffness = 5.0
damping = 0.1
free_angle = -0.2
[loads.push]
marker = "rod.end"
frame = "body"
force = [1.0, 0.0, { type = "constant", value = 3.0 }]
torque = [0.0, 0.0, { type = "constant-rate", value = 1.0, rate = 2.0, t = 0.5 }]

[integrator]
method = "generalized-alpha"
t0 = 0.5
t1 = 2.0
step = 0.01
rho_inf = 0.6
newton_tolerance = 1e-9
max_newton_iterations = 7

[objective]
type = "integral-compliance"
body = "crank"
weight = 2.0
[sensitivity]
method = "continuous-adjoint"
substeps = 3
[constraints]
volume_fraction = 0.4
mass = 0.3
[design]
bodies = ["crank"]
start = 0.45
[filter]
type = "density"
radius = 0.03
[projection]
type = "heaviside"
eta = 0.4
beta_start = 2.0
beta_max = 16.0
beta_interval = 10
[optimizer]
method = "ipopt"
move_limit = 0.1
oc_damping = 0.4
feasibility = 1e-5
[optimizer.stop]
iterations = 12
design_change = 0.02
design_change_iterations = 3
kkt_residual = 1e-4
wall_time = 60
[output]
every = 3
motion = false
motion_frames = 30
deformation_scale = 100
solid_above = 0.4
picture = false
trajectory = false
)";

}  // namespace kurbel
