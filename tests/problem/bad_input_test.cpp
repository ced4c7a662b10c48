/// Every way to get the input wrong has one message that says where, what, and what is allowed.

#include "bad_input.hpp"

#include <gtest/gtest.h>

#include "crank_text.hpp"
#include "mistake.hpp"
#include "problem/checks.hpp"
#include "problem/problem.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

class BadInput : public testing::TestWithParam<Mistake> {};

TEST_P(BadInput, IsRefusedWithLineKeyAndWhatIsAllowed) {
  const std::string text = changed(GetParam(), crank_text);
  EXPECT_EQ(error_of(text), expected(GetParam(), text, "crank.toml"));
}

constexpr const char* numbers_message = "bodies.crank.mesh.size must be a list of 2 numbers, not a table";

const Mistake mistakes[] = {
    // Keys
    {"misspelt_optional_key", "weight = 2.0", "wieght = 2.0",
     "unknown key objective.wieght; did you mean objective.weight?"},
    {"misspelt_required_key", "divisions =", "division =",
     "unknown key bodies.crank.mesh.division; did you mean bodies.crank.mesh.divisions?"},
    {"unknown_key", "thickness = 0.01", "thickness = 0.01\ncolour = 1",
     "unknown key bodies.crank.mesh.colour; known here: divisions, element, origin, plane, shape, size, "
     "thickness",
     "colour"},
    {"unknown_element", "thickness = 0.01", "thickness = 0.01\nelement = \"incompatable\"",
     "bodies.crank.mesh.element = \"incompatable\" is unknown; did you mean \"incompatible\"?", "element = "},
    {"misspelt_table", "[integrator]", "[integratr]", "unknown key integratr; did you mean integrator?"},
    {"unknown_table", "[output]", "[[printer]]\nx = 1\n[output]",
     "unknown key printer; known here: analysis, beams, bodies, bushings, constraints, controls, "
     "coordinates, design, "
     "filter, "
     "formulation, frequency_response, gravity, ground, initial, integrator, joints, loads, masses, "
     "objective, optimizer, "
     "output, outputs, points, projection, road, sensitivity, springs, stages, stops, title, "
     "torsion_springs, "
     "tyres, variables"},
    {"key_of_the_other_dimension", "x = 0.0\n", "z = 0.0\n",
     "bodies.crank.clamp has no bounds; give x, y as a number or [lower, upper], or a shape or set",
     "[bodies.crank.clamp]"},
    {"unknown_key_in_a_time_function", "rate = 2.0, t = 0.5", "rate = 2.0, time = 0.5",
     "unknown key loads.push.torque.2.time; known here: rate, t, type, value", "torque = "},
    {"missing_number", "density = 7850\n", "\n",
     "bodies.crank.material.density is missing; it must be a number above 0", "[bodies.crank.material]"},
    {"missing_table", "[bodies.crank.material]", "[bodies.steel]",
     "bodies.crank.material is missing; it must be a table", "[bodies.crank]"},
    {"missing_type", "type = \"rigid\"\n", "\n",
     "bodies.rod.type is missing; it must be one of rigid, flexible, sid, point", "[bodies.rod]"},
    {"missing_filter_type", "type = \"density\"\n", "\n",
     "filter.type is missing; it must be one of none, density, sensitivity", "[filter]"},

    // Types
    {"text_for_number", "density = 7850", "density = \"steel\"",
     "bodies.crank.material.density = \"steel\" must be a number above 0, not text"},
    {"number_for_text", "title = \"Test crank\"", "title = 5",
     "title = 5 must be text in quotes, not a number"},
    {"fraction_for_integer", "normal = 3", "normal = 3.5",
     "bodies.crank.modes.normal = 3.5 must be an integer"},
    {"number_for_boolean", "motion = false", "motion = 0",
     "output.motion = 0 must be true or false, not a number"},
    {"solid_above_a_density", "solid_above = 0.4", "solid_above = 1.5",
     "output.solid_above = 1.5 is outside [0, 1]"},
    {"table_for_list", "size = [0.2, 0.04]", "size = {x = 0.2}", numbers_message},
    {"number_for_table", "[constraints]\nvolume_fraction = 0.4\nmass = 0.3", "[[constraints]]",
     "constraints = [{}] must be a table, not a list"},
    {"list_of_wrong_length", "position = [0.7, 0.0, 0.0]", "position = [0.7, 0.0]",
     "ground.markers.slider.position = [0.7, 0.0] must be a list of 3 numbers, not of 2"},
    {"unknown_start", "[integrator]", "[initial]\nstate = \"static\"\n[integrator]",
     "initial.state = \"static\" is unknown; allowed: \"given\", \"quasi-static\", \"static-equilibrium\"",
     "state = \"static\""},
    {"key_of_a_start_elsewhere", "[integrator]", "[initial]\nvelocity = [1, 0, 0]\n[integrator]",
     "unknown key initial.velocity; known here: state", "velocity = [1, 0, 0]"},
    {"text_in_list", "gravity = [0.0, -9.81, 0.0]", "gravity = [0.0, \"g\", 0.0]",
     "gravity.1 = \"g\" must be a number, not text"},

    // Values
    {"poisson_ratio", "poisson_ratio = 0.3", "poisson_ratio = 0.7",
     "bodies.crank.material.poisson_ratio = 0.7 is outside (-1, 0.5)"},
    {"youngs_modulus", "youngs_modulus = 2.1e11", "youngs_modulus = -1.0",
     "bodies.crank.material.youngs_modulus = -1.0 must be positive"},
    {"infinite", "youngs_modulus = 2.1e11", "youngs_modulus = inf",
     "bodies.crank.material.youngs_modulus = inf must be finite"},
    {"not_a_number", "start = 0.45", "start = nan", "design.start = nan must be finite"},
    {"no_divisions", "divisions = [10, 2]", "divisions = [10, 0]",
     "bodies.crank.mesh.divisions.1 = 0 must be at least 1"},
    {"size", "size = [0.2, 0.04]", "size = [0.2, 0.0]", "bodies.crank.mesh.size.1 = 0.0 must be positive"},
    {"jump_of_mass", "s = 4.0", "s = 4.0\nc = 1e4",
     "bodies.crank.simp lets the mass jump at threshold = 0.1: c threshold^(q - 1) is 0.1 and must be 1; "
     "threshold = "
     "0 turns the law for low densities off",
     "[bodies.crank.simp]"},
    {"p_min", "s = 4.0", "p_min = 0.0", "bodies.crank.simp.p_min = 0.0 is outside (0, 1)"},
    {"bounds_reversed", "x = [0.18, 0.2]", "x = [0.2, 0.18]",
     "bodies.crank.regions.bearing.x = [0.2, 0.18] must be [lower, upper]"},
    {"sensitivity_method", "method = \"continuous-adjoint\"", "method = \"adjoint\"",
     "sensitivity.method = \"adjoint\" is unknown; allowed: \"discrete-adjoint\", \"direct\", "
     "\"continuous-adjoint\", \"auto\", \"finite-differences\""},
    {"substeps_of_another_method", "method = \"continuous-adjoint\"", "method = \"direct\"",
     "sensitivity.substeps = 3 needs sensitivity.method = \"continuous-adjoint\"; other methods use the "
     "integrator's steps",
     "substeps ="},
    {"no_substep", "substeps = 3", "substeps = 0", "sensitivity.substeps = 0 is outside [1, 1000]"},
    {"sensitivity_method_misspelt", "method = \"continuous-adjoint\"", "method = \"continous-adjoint\"",
     "sensitivity.method = \"continous-adjoint\" is unknown; did you mean \"continuous-adjoint\"?"},
    {"region_kind", "kind = \"solid\"", "kind = \"hollow\"",
     "bodies.crank.regions.bearing.kind = \"hollow\" is unknown; allowed: \"solid\", \"void\", \"frozen\""},
    {"mass", "mass = 0.5", "mass = -0.5", "bodies.rod.mass = -0.5 must be positive"},
    {"inertia_length", "0.01, 0.02, 0.03]", "0.01]",
     "bodies.rod.inertia must be [Jxx, Jyy, Jzz], [Jxx, Jyy, Jzz, Jxy, Jxz, Jyz] or three rows", "inertia ="},
    {"inertia_indefinite", "[0.1, 0.2, 0.25, 0.01, 0.02, 0.03]", "[0.1, 0.2, 0.0]",
     "bodies.rod.inertia = [0.1, 0.2, 0.0] must be positive definite; its smallest principal moment is 0 kg "
     "m^2",
     "inertia ="},
    {"inertia_triangle", "[0.1, 0.2, 0.25, 0.01, 0.02, 0.03]", "[0.1, 0.2, 0.4]",
     "bodies.rod.inertia = [0.1, 0.2, 0.4] is that of no body: the principal moment 0.4 exceeds the sum of "
     "the other "
     "two, 0.3 kg m^2",
     "inertia ="},
    {"inertia_asymmetric", "[0.1, 0.2, 0.25, 0.01, 0.02, 0.03]", "[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]",
     "bodies.rod.inertia = [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]] must be symmetric", "inertia ="},
    {"volume_fraction_zero", "volume_fraction = 0.4", "volume_fraction = 0.0",
     "constraints.volume_fraction = 0.0 must be positive"},
    {"filter_radius", "radius = 0.03", "radius = 0", "filter.radius = 0 must be positive"},
    {"filter_without_radius", "radius = 0.03", "# radius",
     "filter.radius is missing; it must be a number above 0", "[filter]"},
    {"beta_reversed", "beta_max = 16.0", "beta_max = 1.0",
     "projection.beta_max = 1.0 lets beta start at 2 above its largest value 1"},
    {"optimizer_method", "method = \"ipopt\"", "method = \"ipop\"",
     "optimizer.method = \"ipop\" is unknown; did you mean \"ipopt\"?"},
    {"stop_wall_time", "wall_time = 60", "wall_time = -1",
     "optimizer.stop.wall_time = -1 must not be negative"},
    {"spectral_radius", "rho_inf = 0.6", "rho_inf = 1.5", "integrator.rho_inf = 1.5 is outside [0, 1]"},
    {"end_before_start", "t1 = 2.0\n", "t1 = 0.25\n", "integrator.t1 = 0.25 must be later than t0 = 0.5"},
    {"step_does_not_divide", "step = 0.01", "step = 0.4",
     "integrator.step = 0.4 must divide the time span of 1.5 s, which is 3.75 steps"},
    {"step_beyond_span", "step = 0.01", "step = 100.0",
     "integrator.step = 100.0 must divide the time span of 1.5 s, which is 0.015 steps"},
    {"step_tiny", "step = 0.01", "step = 1e-12", "integrator.step = 1e-12 makes 1.5e+12 steps, too many"},

    // Names
    {"dot_in_name", "[ground.markers.slider]", "[ground.markers.\"s.l\"]",
     "ground.markers.s.l is not a usable name; take letters, digits, _ and -"},
    {"reserved_body", "[bodies.rod]",
     "[bodies.ground]\ntype = \"rigid\"\nmass = 1\ninertia = [1, 1, 1]\n[bodies.rod]",
     "bodies.ground cannot be named \"ground\", which is reserved"},
    {"reserved_marker", "[bodies.crank.markers.tip]", "[bodies.crank.markers.origin]",
     "bodies.crank.markers.origin cannot be named \"origin\", which is reserved"},
    {"marker_reference", "from = \"crank.pin\"", "from = \"crank.pin.x\"",
     "joints.pin.from = \"crank.pin.x\" must be \"body.marker\", or \"body\" for its reference frame"},
    {"unknown_body_in_joint", "from = \"crank.pin\"", "from = \"cranc.pin\"",
     "joints.pin.from names the body \"cranc\", which does not exist; did you mean \"crank\"?"},
    {"unknown_marker_in_joint", "from = \"crank.pin\"", "from = \"crank.elbow\"",
     "joints.pin.from names the marker \"elbow\", which crank does not have; allowed: \"origin\", \"pin\", "
     "\"tip\""},
    {"unknown_ground_marker", "to = \"ground.slider\"", "to = \"ground.slide\"",
     "joints.slider.to names the marker \"slide\", which ground does not have; did you mean \"slider\"?"},
    {"unknown_marker_in_spring", "from = \"rod.end\"\nto = \"ground.slider\"\nstiffness",
     "from = \"rod.edn\"\nto = \"ground.slider\"\nstiffness",
     "springs.support.from names the marker \"edn\", which rod does not have; did you mean \"end\"?"},
    {"unknown_marker_in_load", "marker = \"rod.end\"", "marker = \"rad.end\"",
     "loads.push.marker names the body \"rad\", which does not exist; did you mean \"rod\"?"},
    {"load_on_ground", "marker = \"rod.end\"", "marker = \"ground\"",
     "loads.push.marker is on the ground, where a load does nothing"},
    {"joint_within_a_body", "to = \"rod\"\n", "to = \"crank.tip\"\n",
     "joints.pin.to is on the same body as from, \"crank\""},

    // Joints and drives
    {"joint_type", "type = \"revolute\"\nfrom = \"crank.pin\"", "type = \"revolut\"\nfrom = \"crank.pin\"",
     "joints.pin.type = \"revolut\" is unknown; did you mean \"revolute\"?"},
    {"type_and_lock", "lock = [\"ty\", \"rx\"]", "type = \"fixed\"\nlock = [\"ty\"]",
     "joints.slider.lock = [\"ty\"] stands beside type; give one of the two", "lock = [\"ty\"]"},
    {"misspelt_lock", "lock = [\"ty\", \"rx\"]", "locks = [\"ty\"]",
     "unknown key joints.slider.locks; did you mean joints.slider.lock?"},
    {"neither_type_nor_lock", "lock = [\"ty\", \"rx\"]", "# lock",
     "joints.slider.type is missing; it must be one of cylindrical, fixed, in-line, in-plane, planar, "
     "prismatic, "
     "revolute, "
     "spherical, universal, distance, or give lock = [\"tx\", ...] instead",
     "[joints.slider]"},
    {"unknown_dof", "lock = [\"ty\", \"rx\"]", "lock = [\"ty\", \"r\"]",
     "joints.slider.lock.1 = \"r\" is unknown; allowed: \"tx\", \"ty\", \"tz\", \"rx\", \"ry\", \"rz\""},
    {"dof_twice", "lock = [\"ty\", \"rx\"]", "lock = [\"ty\", \"ty\"]",
     "joints.slider.lock.1 = \"ty\" stands twice in the list"},
    {"joint_holds_nothing", "lock = [\"ty\", \"rx\"]\nfrom = \"rod.end\"\nto = \"ground.slider\"\n",
     "lock = [\"ty\", \"rx\"]\nfrom = \"rod.end\"\nto = \"ground.slider\"\n"
     "[joints.idle]\nlock = []\nfrom = \"rod.end\"\nto = \"ground.slider\"\n[joints.other]\n",
     "joints.idle neither locks nor drives anything", "[joints.idle]"},
    {"rod_without_ends_that_are_known", "[joints.slider]",
     "[joints.stay]\ntype = \"distance\"\nfrom = \"crank.tip\"\nto = \"ground\"\n[joints.slider]",
     "joints.stay.length is missing: a rod at a marker of a flexible body needs it", "[joints.stay]"},
    {"damping_of_a_rod", "[joints.slider]",
     "[joints.stay]\ntype = \"distance\"\ndamping = 0.1\nfrom = \"rod\"\nto = \"ground\"\n[joints.slider]",
     "joints.stay.damping has no meaning for a rod, which holds the distance of its ends",
     "damping = 0.1\nfrom"},
    {"damping_of_no_hinge", "type = \"revolute\"\nfrom = \"crank.pin\"",
     "type = \"spherical\"\ndamping = 0.1\nfrom = \"crank.pin\"",
     "joints.pin.damping = 0.1 needs type = \"revolute\", \"cylindrical\" or \"planar\", not \"spherical\"",
     "damping = 0.1\nfrom"},
    {"damping_of_locked_degrees_of_freedom", "lock = [\"ty\", \"rx\"]",
     "lock = [\"ty\", \"rx\"]\ndamping = 0.1",
     "joints.slider.lock = [\"ty\", \"rx\"] stands beside damping; give one of the two"},
    {"rod_of_no_length", "[joints.slider]",
     "[joints.stay]\ntype = \"distance\"\nfrom = \"crank\"\nto = \"ground\"\n[joints.slider]",
     "joints.stay.length would be 0: the markers coincide at the given start; place them apart or give it",
     "[joints.stay]"},
    {"rod_with_a_drive", "lock = [\"ty\", \"rx\"]", "type = \"distance\"",
     "joints.slider.drive has no meaning for a rod, which holds the distance of its ends",
     "[[joints.slider.drive]]"},
    {"rod_of_negative_length", "[joints.slider]",
     "[joints.stay]\ntype = \"distance\"\nlength = -0.1\nfrom = \"rod\"\nto = \"ground\"\n[joints.slider]",
     "joints.stay.length = -0.1 must be positive", "length = -0.1"},
    {"drive_on_locked_dof", "dof = \"rz\"", "dof = \"rx\"",
     "joints.bearing.drive.dof = \"rx\" is locked by the joint; a drive moves a free degree of freedom"},
    {"driven_twice", "dof = \"ry\"\ntype = \"table\"\nunit = \"deg\"",
     "dof = \"tx\"\ntype = \"table\"\nunit = \"m\"", "joints.slider.drive.1.dof = \"tx\" is driven twice"},
    {"drive_type", "type = \"constant-rate\"\nunit", "type = \"constant_rate\"\nunit",
     "joints.slider.drive.0.type = \"constant_rate\" is unknown; did you mean \"constant-rate\"?"},
    {"spin_up_without_time", "type = \"constant-rate\"\nunit", "type = \"spin-up\"\nduration = 0.0\nunit",
     "joints.slider.drive.0.duration = 0.0 must be positive", "duration = 0.0"},
    {"unit_of_the_other_kind", "unit = \"turn\"", "unit = \"mm\"",
     "joints.bearing.drive.unit = \"mm\" is unknown; allowed: \"rad\", \"deg\", \"turn\""},
    {"polynomial_reversed", "end = { t = 2.0", "end = { t = -2.0",
     "joints.bearing.drive.end.t = -2.0 must be later than begin.t"},
    {"polynomial_without_conditions", "begin = { t = 0.0, derivatives = [0.0, 0.0] }",
     "begin = { t = 0.0, derivatives = [] }",
     "joints.bearing.drive.begin.derivatives = [] must be a list of 1 to 8 numbers, not of 0"},
    {"table_not_increasing", "t = [0.0, 2.0]", "t = [0.0, 0.0]",
     "joints.slider.drive.1.t must increase from each instant to the next"},
    {"not_a_knot_of_two_samples", "t = [0.0, 2.0]", "t = [0.0, 2.0]\ninterpolation = \"not-a-knot\"",
     "joints.slider.drive.1.interpolation = \"not-a-knot\" needs at least four samples, not 2",
     "interpolation"},
    {"table_ends_before_the_motion", "t = [0.0, 2.0]", "t = [0.0, 1.5]",
     "joints.slider.drive.1.t ends at 1.5 s, but the motion ends at 2 s. Extend the table, or set beyond = "
     "\"hold\" or \"repeat\""},
    {"table_begins_after_the_motion", "t = [0.0, 2.0]", "t = [1.0, 2.0]",
     "joints.slider.drive.1.t begins at 1 s, but the motion begins at 0.5 s. Extend the table, or set beyond "
     "= "
     "\"hold\" or \"repeat\""},
    {"relative_table_ends_before_the_motion", "t = [0.0, 2.0]", "times = \"relative\"\nt = [0.0, 0.9]",
     "joints.slider.drive.1.t goes from 0 to 0.9. With times = \"relative\" let it go from 0, the start of "
     "the motion, to 1, its end, or set beyond",
     "t = [0.0, 0.9]"},
    {"relative_table_begins_after_the_motion", "t = [0.0, 2.0]", "times = \"relative\"\nt = [0.1, 1.0]",
     "joints.slider.drive.1.t goes from 0.1 to 1. With times = \"relative\" let it go from 0, the start of "
     "the motion, to 1, its end, or set beyond",
     "t = [0.1, 1.0]"},
    {"table_of_a_load_ends_before_the_motion", "{ type = \"constant\", value = 3.0 }",
     "{ type = \"table\", t = [0.0, 1.9], values = [1.0, 2.0] }",
     "loads.push.force.2.t ends at 1.9 s, but the motion ends at 2 s. Extend the table, or set beyond = "
     "\"hold\" or \"repeat\""},
    {"table_of_a_target_ends_before_the_motion", "type = \"integral-compliance\"\nbody = \"crank\"",
     "type = \"joint-angle\"\njoint = \"bearing\"\ntime = \"mean\"\n"
     "target = { type = \"table\", t = [0.5, 1.0], values = [0.0, 1.0] }",
     "objective.target.t ends at 1 s, but the motion ends at 2 s. Extend the table, or set beyond = "
     "\"hold\" or \"repeat\"",
     "target ="},
    {"drive_that_stops_at_once", "t = [0.0, 2.0]",
     "t = [0.0, 1.0]\nbeyond = \"hold\"\ninterpolation = \"natural\"",
     "joints.slider.drive.1.interpolation = \"natural\" leaves a rate at the ends of the table, where beyond "
     "= "
     "\"hold\" stops the drive. Take \"clamped\"",
     "interpolation"},
    {"drive_that_jerks_where_it_repeats", "t = [0.0, 2.0]",
     "t = [0.0, 1.0]\nbeyond = \"repeat\"\ninterpolation = \"clamped\"",
     "joints.slider.drive.1.interpolation = \"clamped\" changes the rate where the table repeats. Take "
     "\"periodic\"",
     "interpolation"},
    {"drive_in_straight_lines", "t = [0.0, 2.0]", "t = [0.0, 2.0]\ninterpolation = \"linear\"",
     "joints.slider.drive.1.interpolation = \"linear\" makes the velocity or the acceleration of a drive "
     "jump; take "
     "\"natural\", \"clamped\", \"not-a-knot\" or \"periodic\"",
     "interpolation"},
    {"periodic_table_that_ends", "t = [0.0, 2.0]", "t = [0.0, 2.0]\ninterpolation = \"periodic\"",
     "joints.slider.drive.1.interpolation = \"periodic\" needs beyond = \"repeat\"", "interpolation"},
    {"table_that_repeats_from_another_value", "t = [0.0, 2.0]", "t = [0.0, 1.0]\nbeyond = \"repeat\"",
     "joints.slider.drive.1.values ends with 180 and begins with 0. With beyond = \"repeat\", make both "
     "equal",
     "values = [0.0, 180.0]"},
    {"table_of_unequal_lengths", "values = [0.0, 180.0]", "values = [0.0, 90.0, 180.0]",
     "joints.slider.drive.1.values = [0.0, 90.0, 180.0] must be a list of 2 numbers, not of 3"},
    {"torsion_spring_without_hinge", "to = \"crank.pin\"\nstiffness", "to = \"crank.tip\"\nstiffness",
     "torsion_springs.hinge needs a joint between the same markers that locks rx and ry and leaves rz free",
     "[torsion_springs.hinge]"},
    {"load_without_components", "force = [1.0, 0.0, { type = \"constant\", value = 3.0 }]\ntorque =",
     "force = [0, 0, 0]\n# torque =", "loads.push has neither a force nor a torque", "[loads.push]"},

    // What only the mesh can tell
    {"unclamped", "x = 0.0\n", "x = -1.0\n",
     "bodies.crank.clamp: no node of the mesh lies there; the body would not be held; the nearest node is at "
     "(0, -0.02, 0), 1 m away",
     "[bodies.crank.clamp]"},
    {"clamped_in_a_point", "x = 0.0\n", "x = 0.0\ny = 0.0\n",
     "bodies.crank.clamp: a single node does not hold the body", "[bodies.crank.clamp]"},
    {"empty_marker", "x = 0.2\n", "x = 0.205\n",
     "bodies.crank.markers.pin: no node of the mesh lies there; the nearest node is at (0.2, -0.02, 0), "
     "0.005 m away",
     "[bodies.crank.markers.pin]"},
    {"region_outside", "x = [0.18, 0.2]", "x = [0.3, 0.4]",
     "bodies.crank.regions.bearing: no element of the mesh has its centre there; the nearest centre is at "
     "(0.19, -0.01, 0), 0.11 m away",
     "[bodies.crank.regions.bearing]"},
    {"regions_with_common_elements", "x = [0.18, 0.2]",
     "x = [0.1, 0.2]\n[bodies.crank.regions.hole]\nkind = \"void\"\nx = [0.14, 0.16]",
     "bodies.crank.regions.hole: is void and has 2 elements in common with regions.bearing, which is solid. "
     "Take them out of one of the two, with `all_of` and `not`, or with a ring, radius = [inner, outer]",
     "[bodies.crank.regions.hole]"},
    {"any_of_no_place", "x = [0.18, 0.2]", "any_of = []",
     "bodies.crank.regions.bearing.any_of = [] has no place; give at least one", "any_of = []"},
    {"all_of_no_place", "x = [0.18, 0.2]", "not = { all_of = [] }",
     "bodies.crank.regions.bearing.not.all_of = [] has no place; give at least one", "not ="},
    {"corners_on_a_line", "x = [0.18, 0.2]", "polygon = { corners = [[0, 0], [0.1, 0.01], [0.2, 0.02]] }",
     "bodies.crank.regions.bearing.polygon.corners = [[0, 0], [0.1, 0.01], [0.2, 0.02]] lie on one line, "
     "so that nothing is inside",
     "polygon ="},
    {"no_modes", "normal = 3", "normal = 0\nattachment = false",
     "bodies.crank.modes.normal: 0 normal modes and no attachment mode leave nothing that deforms"},
    {"more_modes_than_unknowns", "normal = 3", "normal = 60",
     "bodies.crank.modes.normal: 60 normal and 3 attachment modes are more than the 60 unknowns of the mesh"},
    {"unknown_frame", "[bodies.crank.clamp]\nx = 0.0\n", "[bodies.crank.frame]\ntype = \"chort\"\n",
     "bodies.crank.frame.type = \"chort\" is unknown; did you mean \"chord\"?", "type = \"chort\""},
    {"clamp_of_a_free_body", "[bodies.crank.clamp]\n",
     "[bodies.crank.frame]\ntype = \"buckens\"\n[bodies.crank.clamp]\n",
     "bodies.crank.clamp needs frame.type = \"tangent\", not \"buckens\"", "[bodies.crank.clamp]"},
    {"markers_of_a_free_frame", "[bodies.crank.clamp]\nx = 0.0\n",
     "[bodies.crank.frame]\norigin = \"pin\"\ntype = \"buckens\"\n",
     "bodies.crank.frame.origin = \"pin\" needs type = \"chord\", not \"buckens\"", "origin = \"pin\""},
    {"chord_without_end", "[bodies.crank.clamp]\nx = 0.0\n",
     "[bodies.crank.frame]\ntype = \"chord\"\norigin = \"pin\"\n",
     "bodies.crank.frame.end is missing; it must be text"},
    {"joint_at_the_origin_of_a_free_frame", "[bodies.crank.clamp]\nx = 0.0\n",
     "[bodies.crank.frame]\ntype = \"buckens\"\n",
     "joints.bearing.to names the origin of crank, whose Buckens frame is not held by the material there; "
     "name a marker",
     "to = \"crank\"\n[joints.bearing.drive]"},
    {"unknown_basis", "normal = 3", "normal = 3\nbasis = \"craig-bamton\"",
     "bodies.crank.modes.basis = \"craig-bamton\" is unknown; did you mean \"craig-bampton\"?", "basis = "},
    {"no_mode_choice", "normal = 3", "attachment = true",
     "bodies.crank.modes needs one of normal (how many), up_to (Hz) and list (which)",
     "[bodies.crank.modes]"},
    {"misspelt_mode_choice", "normal = 3", "norml = 3",
     "unknown key bodies.crank.modes.norml; did you mean bodies.crank.modes.normal?"},
    {"two_mode_choices", "normal = 3", "normal = 3\nup_to = 100.0",
     "bodies.crank.modes.up_to = 100.0 stands beside normal; give one of the two", "up_to = 100.0"},
    {"modes_up_to_nothing", "normal = 3", "up_to = 0", "bodies.crank.modes.up_to = 0 must be positive"},
    {"unordered_mode_list", "normal = 3", "list = [2, 1]",
     "bodies.crank.modes.list = [2, 1] must be mode numbers from 1 in ascending order"},
    {"broken_mode_number", "normal = 3", "list = [1.5]",
     "bodies.crank.modes.list = [1.5] must be mode numbers from 1 in ascending order"},
    {"listed_mode_beyond_the_mesh", "normal = 3", "list = [60]",
     "bodies.crank.modes.list: the mesh has 60 unknowns for modes up to 60 and 3 attachment modes"},
    {"coordinates_before_modes_are_counted", "normal = 3", "up_to = 1000.0",
     "bodies.crank.initial.q cannot be given with modes.up_to, whose number of modes is counted later",
     "q = [0.1"},
    {"negative_damping_ratio", "alpha = 0.5", "modal = -0.1",
     "bodies.crank.damping.modal = -0.1 must not be negative"},
    {"too_few_damping_ratios", "alpha = 0.5", "modal = [0.1, 0.2]",
     "bodies.crank.damping.modal: has 2 ratios; the body has 6 elastic coordinates"},
    {"wrong_number_of_elastic_coordinates", "q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]", "q = [0.1]",
     "bodies.crank.initial.q has 1 values; the body has 6 elastic coordinates"},

    // Design
    {"objective_of_unknown_body", "body = \"crank\"", "body = \"cranck\"",
     "objective.body = \"cranck\" is no body; did you mean \"crank\"?"},
    {"objective_of_rigid_body", "body = \"crank\"", "body = \"rod\"",
     "objective.body = \"rod\" is rigid: its compliance is zero"},
    {"objective_type", "type = \"integral-compliance\"", "type = \"complianse\"",
     "objective.type = \"complianse\" is unknown; did you mean \"compliance\"?"},
    {"design_of_no_body", "bodies = [\"crank\"]", "bodies = []",
     "design.bodies = [] names no body: there would be nothing to design"},
    {"design_of_unknown_body", "bodies = [\"crank\"]", "bodies = [\"handle\"]",
     "design.bodies.0 = \"handle\" is no body; allowed: \"crank\", \"rod\""},
    {"design_of_rigid_body", "bodies = [\"crank\"]", "bodies = [\"rod\"]",
     "design.bodies.0 = \"rod\" has no mesh; only a body of type \"flexible\" can be designed"},
    {"design_twice", "bodies = [\"crank\"]", "bodies = [\"crank\", \"crank\"]",
     "design.bodies.1 = \"crank\" stands twice in the list"},
    {"start_below_p_min", "start = 0.45", "start = 0.001",
     "design.start = 0.001 is below p_min = 0.01 of crank"},
    {"everything_passive", "x = [0.18, 0.2]", "x = [0.0, 0.2]",
     "bodies.crank.regions take in every element: nothing is left to design; design.bodies says which bodies "
     "are "
     "designed",
     "[bodies.crank.regions.bearing]"},
};

INSTANTIATE_TEST_SUITE_P(All, BadInput, testing::ValuesIn(mistakes),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace kurbel
