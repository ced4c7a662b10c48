/// Every input of points and planar beams that is refused, with its message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control_text.hpp"
#include "mistake.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

class BadControlInput : public testing::TestWithParam<Mistake> {};

TEST_P(BadControlInput, IsRefusedWithLineKeyAndWhatIsAllowed) {
  const std::string text = changed(GetParam(), control_text);
  EXPECT_EQ(input_error_message([&] { read(text); }), expected(GetParam(), text, "arm.toml"));
}

const Mistake mistakes[] = {
    // The system
    {"formulation", "\"natural-coordinates\"", "\"absolute\"",
     "formulation = \"absolute\" is unknown; allowed: \"floating-frame\", \"semi-recursive\", "
     "\"joint-hamiltonian\", \"hamiltonian\", \"natural-coordinates\""},
    {"unknown_table", "[sensitivity]", "[sensitivty]", "unknown key sensitivty; did you mean sensitivity?"},
    {"misspelt_table_that_another_needs", "[integrator]", "[integrators]",
     "unknown key integrators; did you mean integrator?"},
    {"unknown_key", "lower = -6.0", "lowr = -6.0",
     "unknown key controls.torque.lowr; did you mean controls.torque.lower?"},
    {"misspelt_required_key", "quantity = \"beams", "quantitiy = \"beams",
     "unknown key variables.upper_height.quantitiy; did you mean variables.upper_height.quantity?"},
    {"text_for_number", "mass = 2.0", "mass = \"2.0\"",
     "bodies.bob.mass = \"2.0\" has no unit; write 2 without quotes, or \"2 kg\""},
    {"infinite_mass", "mass = 2.0", "mass = inf", "bodies.bob.mass = inf must be finite"},
    {"no_mass", "mass = 2.0\n", "\n", "bodies.bob.mass is missing; it must be a number above 0",
     "[bodies.bob]"},
    {"negative_mass", "mass = 2.0", "mass = -2.0", "bodies.bob.mass = -2.0 must be positive"},
    {"reserved_name", "[bodies.bob]", "[bodies.ground]",
     "bodies.ground cannot be named \"ground\", which is reserved"},
    {"position_count", "position = [1.0, -3.0, 0.0]", "position = [1.0, -3.0]",
     "bodies.bob.initial.position = [1.0, -3.0] must be a list of 3 numbers, not of 2"},
    {"free_axis", "free = [\"x\", \"y\"]", "free = [\"x\", \"w\"]",
     "bodies.bob.free.1 = \"w\" is unknown; allowed: \"x\", \"y\", \"z\""},
    {"free_twice", "free = [\"x\", \"y\"]", "free = [\"x\", \"x\"]",
     "bodies.bob.free.1 = \"x\" stands twice in the list"},
    {"held_point_with_velocity", "velocity = [0.5, 0.0, 0.0]", "velocity = [0.0, 0.0, 0.5]",
     "bodies.bob.initial.velocity = [0.0, 0.0, 0.5] moves along z, which is not free"},
    {"gravity_out_of_plane", "gravity = [0.0, -9.81, 0.0]", "gravity = [0.0, 0.0, -9.81]",
     "gravity leaves the plane z = 0 in which planar beams move"},
    {"heights_count", "height = [0.02, 0.03]", "height = [0.02]",
     "beams.upper.section.height = [0.02] must be a list of 2 numbers, not of 1"},
    {"no_elements", "elements = 2", "elements = 0", "beams.upper.elements = 0 is outside [1, 100000]"},
    {"no_direction", "direction = [0.0, -1.0, 0.0]", "direction = [0.0, 0.0, 0.0]",
     "beams.upper.direction = [0.0, 0.0, 0.0] has no length"},
    {"poisson_ratio", "poisson_ratio = 0.3", "poisson_ratio = 0.5",
     "beams.upper.poisson_ratio = 0.5 is outside (-1, 0.5)"},
    {"poisson_coupling", "poisson_coupling = \"axis\"", "poisson_coupling = \"axes\"",
     "beams.upper.poisson_coupling = \"axes\" is unknown; did you mean \"axis\"?"},
    {"out_of_the_plane", "direction = [0.0, -1.0, 0.0]", "direction = [0.0, -1.0, 0.5]",
     "beams.upper.direction = [0.0, -1.0, 0.5] leaves the plane z = 0, in which planar beams move"},
    {"section", "section = { shape = \"rectangle\", width = 0.01, height = 0.02 }",
     "section = { shape = \"circle\", diameter = 0.01 }",
     "beams.fore.section.shape = \"circle\" must be \"rectangle\" of a planar beam"},
    {"rotation_of_a_point", "[bodies.bob.initial]", "[bodies.bob.initial]\nrotation = [0.0, 0.0, 1.0]",
     "bodies.bob.initial.rotation has no meaning for a point, which neither turns nor deforms", "rotation"},
    {"beam_placed_nowhere", "start = [0.0, 0.0, 0.0]\n", "\n",
     "beams.upper.start is missing, and no joint at the beam's start says where it is", "[beams.upper]"},
    {"joint_type", "type = \"revolute\"", "type = \"hinge\"",
     "joints.shoulder.type = \"hinge\" is unknown; allowed: \"cylindrical\", \"fixed\", \"in-line\", "
     "\"in-plane\", \"planar\", \"prismatic\", \"revolute\", \"spherical\", \"universal\", \"distance\""},
    {"spherical_joint", "type = \"fixed\"", "type = \"spherical\"",
     "joints.elbow is at a planar beam, whose joints are revolute or fixed", "[joints.elbow]"},
    {"driven_joint", "to = \"fore.start\"\n",
     "to = \"fore.start\"\ndrive = { dof = \"rz\", type = \"constant\", value = 0.1 }\n",
     "joints.elbow.drive.dof = \"rz\" is locked by the joint; a drive moves a free degree of freedom",
     "drive"},
    {"joint_of_a_point", "[masses.tool]",
     "[joints.hook]\ntype = \"revolute\"\nfrom = \"ground\"\nto = \"bob\"\n[masses.tool]",
     "joints.hook holds a rotation of the point bob, which has none; take \"spherical\" or \"distance\"",
     "[joints.hook]"},
    {"torque_on_a_point", "[masses.tool]",
     "[loads.turn]\nmarker = \"bob\"\ntorque = [0.0, 0.0, 1.0]\n[masses.tool]",
     "loads.turn is a torque on bob, which takes forces", "[loads.turn]"},
    {"reaction_of_a_planar_beam", "type = \"distance\"\nmarker = \"bob\"",
     "type = \"reaction-force\"\njoint = \"elbow\"",
     "outputs.reach.joint = \"elbow\" is at a planar beam, which shares coordinates with what it is joined "
     "to: "
     "its reaction is not known",
     "joint = \"elbow\""},
    {"planar_coordinates", "[masses.tool]", "[coordinates]\nplanar = true\n[masses.tool]",
     "coordinates.planar = true does not go with points and planar beams, which choose their coordinates",
     "planar = true"},
    {"static_start", "[masses.tool]", "[initial]\nstate = \"static-equilibrium\"\n[masses.tool]",
     "initial.state does not go with points and planar beams, which start as they are given", "state"},
    {"joint_place", "to = \"upper.start\"", "to = \"uper.start\"",
     "joints.shoulder.to names the body \"uper\", which does not exist; did you mean \"upper\"?"},
    {"joint_to_itself", "to = \"upper.start\"", "to = \"ground\"",
     "joints.shoulder.to is on the same body as from, \"ground\""},
    {"fixed_with_damping", "to = \"fore.start\"", "to = \"fore.start\"\ndamping = 0.1",
     "joints.elbow.damping = 0.1 needs type = \"revolute\", \"cylindrical\" or \"planar\", not \"fixed\"",
     "damping = 0.1"},
    {"fixed_at_an_angle", "direction = [0.0, -2.0, 0.0]", "direction = [1.0, -2.0, 0.0]",
     "joints.elbow fixes two beams that do not have the same angle", "[joints.elbow]"},
    {"mass_place", "marker = \"fore.end\"\nmass", "marker = \"for.end\"\nmass",
     "masses.tool.marker names the body \"for\", which does not exist; did you mean \"fore\"?"},
    {"spring_law", "law = \"hooke\"", "law = \"hook\"",
     "springs.rope.law = \"hook\" is unknown; did you mean \"hooke\"?"},
    {"length_of_linear_spring", "law = \"hooke\"", "law = \"linear\"",
     "springs.rope.free_length = 1.5 needs law = \"hooke\" or \"green-lagrange\", not \"linear\", which has "
     "no free length",
     "free_length = 1.5"},
    {"spring_from_itself", "to = \"bob\"", "to = \"fore.end\"",
     "springs.rope.to is on the same body as from, \"fore\""},

    // Controls
    {"control_type", "type = \"torque\"", "type = \"moment\"",
     "controls.torque.type = \"moment\" is unknown; allowed: \"force\", \"torque\""},
    {"control_joint", "joint = \"shoulder\"", "joint = \"sholder\"",
     "controls.torque.joint = \"sholder\" is no joint; did you mean \"shoulder\"?"},
    {"torque_in_fixed_joint", "joint = \"shoulder\"", "joint = \"elbow\"",
     "controls.torque.joint = \"elbow\" has no motor: a torque acts in a joint that leaves the rotation rz "
     "free"},
    {"force_on_ground", "marker = \"bob\"\ndirection", "marker = \"ground\"\ndirection",
     "controls.push.marker is on the ground, where a load does nothing"},
    {"force_without_direction", "direction = [0.0, 2.0, 0.0]", "direction = [0, 0, 0]",
     "controls.push.direction = [0, 0, 0] has no length"},
    {"interpolation", "interpolation = \"clamped\"", "interpolation = \"clampd\"",
     "controls.torque.interpolation = \"clampd\" is unknown; did you mean \"clamped\"?"},
    {"too_few_nodes", "nodes = 3", "nodes = 1",
     "controls.push.nodes = 1 does not fit: a control has 1 nodes; this interpolation needs at least 2"},
    {"nodes_as_fraction", "nodes = 3", "nodes = 3.5", "controls.push.nodes = 3.5 must be an integer"},
    {"control_bounds_crossed", "upper = 5.0", "upper = -7.0",
     "controls.torque.upper = -7.0 crosses the other bound; lower = -6, upper = -7"},
    {"start_count", "start = [0.0, 1.0, 2.0, 3.0, 4.0]", "start = [0.0, 1.0]",
     "controls.torque.start = [0.0, 1.0] must be a list of 5 numbers, not of 2"},
    {"start_node_outside", "start = [0.0, 1.0, 2.0, 3.0, 4.0]", "start = [0.0, 1.0, 9.0, 3.0, 4.0]",
     "controls.torque.start.2 = 9.0 is outside [-6, 5]"},
    {"start_outside", "lower = 0.5", "lower = 0.5\nstart = 0.0",
     "controls.push.start = 0.0 must be at least 0.5", "start = 0.0\n"},

    // Variables
    {"unknown_quantity", "quantity = \"springs.rope.stiffness\"", "quantity = \"springs.rope.stifness\"",
     "variables.rope_stiffness.quantity = \"springs.rope.stifness\" is nothing that can be varied; allowed "
     "here: stiffness, damping, free_length"},
    {"unknown_part", "quantity = \"springs.rope.stiffness\"", "quantity = \"spring.rope.stiffness\"",
     "variables.rope_stiffness.quantity = \"spring.rope.stiffness\" is nothing that can be varied; allowed "
     "here: bodies.NAME..., beams.NAME..., points.NAME.position, joints.NAME.length, joints.NAME.damping, "
     "joints.NAME.drive.values, ground.markers.NAME.position, integrator.t1, masses.NAME..., "
     "springs.NAME..., "
     "torsion_springs.NAME..., bushings.NAME..., stops.NAME..., tyres.NAME..."},
    {"designed_twice", "quantity = \"springs.rope.stiffness\"\nlower = 0.0",
     "quantity = \"beams.upper.section.height\"\neach_element = true\nlower = 0.001",
     "variables.rope_stiffness.quantity = \"beams.upper.section.height\" is varied by upper_height[0] "
     "already",
     "quantity = \"beams.upper.section.height\"\neach_element = true\nlower = 0.001"},
    {"each_element_of_a_spring", "quantity = \"springs.rope.stiffness\"",
     "quantity = \"springs.rope.stiffness\"\neach_element = true",
     "variables.rope_stiffness.each_element = true is for numbers of flexible bodies and of planar beams",
     "each_element = true\nlower = 0.0\n"},
    {"each_element_of_a_list", "quantity = \"beams.upper.section.height\"",
     "quantity = [\"beams.upper.section.height\", \"beams.fore.section.height\"]",
     "variables.upper_height.each_element = true does not go with a list of quantities",
     "each_element = true"},
    {"two_joints_of_the_same_places", "[masses.tool]",
     "[joints.again]\ntype = \"revolute\"\nfrom = \"upper.start\"\nto = \"ground\"\n[masses.tool]",
     "joints.again joins the places of joints.shoulder; leave out one of the two", "[joints.again]"},
    {"damping_of_fixed_joint", "quantity = \"springs.rope.stiffness\"", "quantity = \"joints.elbow.damping\"",
     "variables.rope_stiffness.quantity = \"joints.elbow.damping\" belongs to a joint that does not "
     "turn about one axis"},
    {"differs_by_element", "each_element = true\n", "\n",
     "variables.upper_height.quantity = \"beams.upper.section.height\" differs from element to element; set "
     "each_element = true",
     "quantity = \"beams.upper.section.height\""},
    {"variable_bounds_crossed", "lower = 0.01", "lower = 0.05",
     "variables.upper_height.upper = 0.04 must be above lower = 0.05", "upper = 0.04"},
    {"variable_without_bound", "upper = 20.0\n", "\n",
     "variables.rope_stiffness.upper is missing; it must be a number of at least 0",
     "[variables.rope_stiffness]"},
    {"height_may_not_vanish", "lower = 0.01", "lower = 0.0",
     "variables.upper_height.lower = 0.0 must be positive"},
    {"variable_start_outside", "upper = 20.0", "upper = 9.0",
     "variables.rope_stiffness starts at the value in the file, 10, which is outside its bounds [0, 9]",
     "[variables.rope_stiffness]"},

    // Outputs
    {"output_type", "type = \"distance\"", "type = \"distnce\"",
     "outputs.reach.type = \"distnce\" is unknown; did you mean \"distance\"?"},
    {"output_place", "marker = \"bob\"\n[outputs.pull]", "marker = \"bobb\"\n[outputs.pull]",
     "outputs.reach.marker names the body \"bobb\", which does not exist; did you mean \"bob\"?"},
    {"distance_from_itself", "marker = \"bob\"\n[outputs.pull]",
     "marker = \"bob\"\nfrom = \"bob\"\n[outputs.pull]",
     "outputs.reach.marker = \"bob\" is the marker from which the distance is measured"},
    {"output_spring", "spring = \"rope\"", "spring = \"rop\"",
     "outputs.pull.spring = \"rop\" is no spring; did you mean \"rope\"?"},
    {"output_beam", "beam = \"upper\"", "beam = \"uper\"",
     "outputs.stress.beam = \"uper\" is no beam; did you mean \"upper\"?"},
    {"output_without_a_height", "up = -1.0\n", "\n",
     "outputs.stress.along of a planar beam needs along and up; without both the stress is a p-norm over the "
     "beam",
     "along = 0.625"},
    {"output_across", "up = -1.0", "up = -1.0\nacross = 0.5",
     "outputs.stress.across does not go with upper, a planar beam: its stress is the same all across the "
     "plane; "
     "give up",
     "across"},
    {"output_up", "up = -1.0", "up = -2.0", "outputs.stress.up = -2.0 is outside [-1, 1]"},

    // Integrator
    {"no_integrator", "[integrator]", "[coordinates]",
     "controls needs [integrator], over whose time they run", "[controls.torque]"},
    {"integrator_method", "method = \"trapezoidal\"", "method = \"runge-kutta\"",
     "integrator.method = \"runge-kutta\" is unknown; did you mean \"runge-kutta-4\"?"},
    {"step_does_not_divide", "step = 0.01", "step = 0.03",
     "integrator.step = 0.03 must divide the time span of 2 s, which is 66.666667 steps"},
    {"time_backwards", "t1 = 2.0", "t1 = -2.0", "integrator.t1 = -2.0 must be later than t0 = 0"},

    // Objective and stages
    {"objective_type", "type = \"mass\"", "type = \"weight\"",
     "objective.0.type = \"weight\" is unknown; allowed: \"kinetic-energy\", \"total-energy\", \"position\", "
     "\"velocity\", \"acceleration\", \"reaction-force\", \"reaction-moment\", \"rod-force\", "
     "\"drive-torque\", \"joint-angle\", \"joint-rate\", \"mass\", \"centre-of-mass\", \"control-energy\", "
     "\"distance\", \"relative-position\", \"spring-length\", \"attitude\", \"attitude-rate\", "
     "\"spring-force\", \"stress\", \"duration\", "
     "\"output\""},
    {"objective_of_another_formulation", "type = \"mass\"", "type = \"tyre-force\"",
     "objective.0.type = \"tyre-force\" does not exist in natural coordinates; allowed: \"kinetic-energy\", "
     "\"total-energy\", \"position\", \"velocity\", \"acceleration\", \"reaction-force\", "
     "\"reaction-moment\", \"rod-force\", \"drive-torque\", \"joint-angle\", \"joint-rate\", \"mass\", "
     "\"centre-of-mass\", \"control-energy\", \"distance\", \"relative-position\", \"spring-length\", "
     "\"attitude\", "
     "\"attitude-rate\", \"spring-force\", \"stress\", \"duration\""},
    {"total_energy", "type = \"mass\"\nbody = \"upper\"", "type = \"total-energy\"\ntime = \"final\"",
     "objective.0.type does not go with beams and points in natural coordinates, where it is for mechanisms "
     "of "
     "bodies alone",
     "type = \"total-energy\""},
    {"objective_without_time", "time = \"integral\"\ntarget", "target",
     "objective.1.time is missing; it must be one of integral, mean, final, p-norm, ks, instants, change",
     "[[objective]]\ntype = \"output\"\noutput = \"tool\""},
    {"objective_output", "output = \"tool\"\ntime = \"integral\"", "output = \"tol\"\ntime = \"integral\"",
     "objective.1.output = \"tol\" is none of [outputs.*]; did you mean \"tool\"?"},
    {"output_in_output", "type = \"distance\"", "type = \"output\"",
     "outputs.reach.type = \"output\" is unknown; allowed: \"kinetic-energy\", \"total-energy\", "
     "\"position\", \"velocity\", \"acceleration\", \"reaction-force\", \"reaction-moment\", \"rod-force\", "
     "\"drive-torque\", \"joint-angle\", \"joint-rate\", \"mass\", \"centre-of-mass\", \"control-energy\", "
     "\"distance\", \"relative-position\", \"spring-length\", \"attitude\", \"attitude-rate\", "
     "\"spring-force\", \"stress\", \"duration\""},
    {"target_count", "target = [1.0, -1.0]", "target = [1.0, -1.0, 0.0]",
     "objective.1.target = [1.0, -1.0, 0.0] must be a list of 2, not of 3"},
    {"component_off_the_axes", "target = [1.0, -1.0]\nform = \"half-square\"", "component = \"z\"",
     "objective.1.component = \"z\" is none of the axes that are observed"},
    {"component_of_a_number", "output = \"reach\"", "output = \"reach\"\ncomponent = \"x\"",
     "objective.2.component = \"x\" needs a type with three components, such as \"position\"",
     "component = \"x\""},
    {"target_of_a_mass", "weight = 3.0", "target = 3.0",
     "objective.0.target = 3.0 needs a type with three components, such as \"position\""},
    {"rigid_twin", "target = [1.0, -1.0]", "target = \"rigid-twin\"",
     "objective.1.target = \"rigid-twin\" needs a mechanism whose motion joints and drives determine; beams "
     "bend, and points are free"},
    {"energy_of_no_control", "objective = { type = \"control-energy\"",
     "objective = { control = \"torqe\", type = \"control-energy\"",
     "stages.reach.objective.control = \"torqe\" is no control; did you mean \"torque\"?"},
    {"stage_without_objective", "objective = { type = \"control-energy\", time = \"integral\" }\n", "\n",
     "stages.reach.objective is missing", "[stages.reach]"},
    {"stage_without_constraints", "constraints = [\"arrival\"]\n", "\n",
     "stages.reach.constraints is missing; it must be a list of texts", "[stages.reach]"},
    {"stage_constraint", "constraints = [\"arrival\"]", "constraints = [\"arival\"]",
     "stages.reach.constraints.0 = \"arival\" is none of [constraints.criteria.*]; did you mean "
     "\"arrival\"?"},
    {"stage_constraint_far_off", "constraints = [\"arrival\"]", "constraints = [\"landing\"]",
     "stages.reach.constraints.0 = \"landing\" is none of [constraints.criteria.*]; allowed: \"arrival\", "
     "\"stress\", \"pull\""},
    {"stage_constraint_twice", "constraints = [\"arrival\"]", "constraints = [\"arrival\", \"arrival\"]",
     "stages.reach.constraints.1 = \"arrival\" stands twice in the list"},
    {"stage_varies", "vary = \"controls\"", "vary = \"control\"",
     "stages.reach.vary = \"control\" is unknown; did you mean \"controls\"?"},
    {"stage_iterations", "iterations = 7", "iterations = -7",
     "stages.reach.iterations = -7 must not be negative"},

    // Constraints
    {"macro_mesh", "intervals = 20\n", "intervals = 30\n",
     "constraints.criteria.stress.intervals = 30 must divide the number of integration steps, 200"},
    {"macro_mesh_finer_than_steps", "intervals = 20\n", "intervals = 400\n",
     "constraints.criteria.stress.intervals = 400 must divide the number of integration steps, 200"},
    {"no_intervals", "intervals = 20\n", "intervals = 0\n",
     "constraints.criteria.stress.intervals = 0 must be at least 1"},
    {"intervals_of_final", "equals = [1.0, -1.0]", "equals = [1.0, -1.0]\nintervals = 5",
     "constraints.criteria.arrival.intervals = 5 needs time = \"instants\", not \"final\"", "intervals = 5"},
    {"two_meshes", "intervals = 20\n", "intervals = 20\nevery = 5\n",
     "constraints.criteria.stress.every = 5 stands beside intervals; give one of the two", "every = 5"},
    {"constraint_output", "output = \"stress\"", "output = \"stres\"",
     "constraints.criteria.stress.output = \"stres\" is none of [outputs.*]; did you mean \"stress\"?"},
    {"equals_count", "equals = [1.0, -1.0]", "equals = [1.0]",
     "constraints.criteria.arrival.equals = [1.0] must be a list of 2 numbers, not of 1"},
    {"equals_beside_a_bound", "equals = [1.0, -1.0]", "equals = [1.0, -1.0]\nupper = 3.0",
     "constraints.criteria.arrival.equals = [1.0, -1.0] stands beside upper; give one of the two",
     "equals = [1.0, -1.0]"},
    {"no_limit", "upper = 1.0e7\n", "\n",
     "constraints.criteria.stress has no bound; give lower, upper or both, or equals",
     "[constraints.criteria.stress]"},
    {"infinite_limit", "upper = 1.0e7", "upper = inf",
     "constraints.criteria.stress.upper = inf must be finite"},
    {"limits_crossed", "upper = [8.0, 2.0]", "upper = [8.0, -5.0]",
     "constraints.criteria.pull.upper = [8.0, -5.0] must be larger than lower"},
    {"scale", "scale = [3.0, 5.0]", "scale = [3.0, 0.0]",
     "constraints.criteria.pull.scale.1 = 0.0 must be positive"},
    {"rows_of_a_sum",
     "type = \"output\"\noutput = \"stress\"\ntime = \"instants\"\nintervals = 20\nupper = 1.0e7",
     "terms = [{ type = \"mass\", body = \"upper\" }]\nupper = [1.0]",
     "constraints.criteria.stress.upper = [1.0] must be a number, not a list", "upper = [1.0]"},
    {"unreachable_final_state",
     "output = \"pull\"\ntime = \"instants\"\nintervals = 200\nlower = -4.0\nupper = [8.0, 2.0]",
     "output = \"tool\"\ntime = \"instants\"\nintervals = 200\nlower = [-0.5, -0.5]",
     "constraints.criteria.arrival.equals = -1 is outside [-0.5, inf], the limits of "
     "constraints.criteria.pull",
     "equals = "},
    {"table_of_a_target_of_one_axis_ends_before_the_motion",
     "output = \"tool\"\ntime = \"integral\"\ntarget = [1.0, -1.0]",
     "output = \"tool_y\"\ntime = \"integral\"\n"
     "target = [{ type = \"table\", t = [0.0, 1.0], values = [0.0, 1.0] }]",
     "objective.1.target.0.t ends at 1 s, but the motion ends at 2 s. Extend the table, or set beyond = "
     "\"hold\" or \"repeat\"",
     "target = [{"},
    {"two_final_states", "output = \"stress\"\ntime = \"instants\"\nintervals = 20\nupper = 1.0e7",
     "output = \"tool\"\ntime = \"final\"\nequals = [0.0, 0.0]",
     "constraints.criteria.stress.equals repeats the end position of constraints.criteria.arrival; remove "
     "one of the two",
     "equals = [0.0, 0.0]"},

    // Options
    {"sensitivity", "method = \"direct\"", "method = \"discrete-adjont\"",
     "sensitivity.method = \"discrete-adjont\" is unknown; did you mean \"discrete-adjoint\"?"},
    {"optimizer", "method = \"ipopt\"", "method = \"ipop\"",
     "optimizer.method = \"ipop\" is unknown; did you mean \"ipopt\"?"},
    {"motion_frames", "motion_frames = 12", "motion_frames = 1",
     "output.motion_frames = 1 must be at least 2"},
    {"deformation_scale", "motion_frames = 12", "deformation_scale = 10",
     "output.deformation_scale does not go with [beams.*], which are drawn where they are; leave it out"},
    {"adjoint_of", "adjoint = [\"stress\"]", "adjoint = [\"stres\"]",
     "output.adjoint.0 = \"stres\" is none of [constraints.criteria.*]; did you mean \"stress\"?"},
};

TEST(ReadControlProblem, RefusesMalformedTomlWithLineAndColumn) {
  expect_input_error([] { read("a = 1\n[bodies.bob]\nmass = 2,0\n"); }, {"arm.toml:3:", "not valid TOML"});
  expect_input_error(
      [] { read("[joints]\nshaft = { type = \"revolute\" }\n[joints.shaft.drive]\nvalue = 1\n"); },
      {"arm.toml:4:", "not valid TOML", "A table in braces is complete"});
}

TEST(ReadControlProblem, RefusesToVaryTheFreeLengthOfALinearSpring) {
  std::string text = control_text;
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"law = \"hooke\"", "law = \"linear\""},
                                 {"free_length = 1.5\n", ""}})
    text.replace(text.find(from), from.size(), to);
  expect_input_error([&] { read(text, {"variables.rope_stiffness.quantity=\"springs.rope.free_length\""}); },
                     {"belongs to a spring of law = \"linear\", which has no free length"});
}

TEST(ReadControlProblem, RefusesToVaryADampingThatIsNotGiven) {
  std::string text = control_text;
  const std::string damping = "damping = 0.2\n";
  text.erase(text.find(damping), damping.size());
  expect_input_error([&] { read(text, {"variables.rope_stiffness.quantity=\"joints.shoulder.damping\""}); },
                     {"is not in the file; give joints.shoulder.damping, from which it varies"});
}

TEST(ReadControlProblem, RefusesAProblemWithNothingThatMoves) {
  expect_input_error([] { read("formulation = \"natural-coordinates\"\nbodies = {}"); },
                     {"is empty; a problem needs at least one body"});
}

TEST(ReadControlProblem, RefusesAStageThatVariesWhatTheProblemLacks) {
  const std::string stage = "[stages.one]\nvary = \"parameters\"\n";
  expect_input_error([&] { read(least + stage); },
                     {"stages.one.vary = \"parameters\" has no effect: the problem has no such variables"});
}

INSTANTIATE_TEST_SUITE_P(, BadControlInput, testing::ValuesIn(mistakes),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace kurbel
