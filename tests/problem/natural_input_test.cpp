/// Points, beams, preloads and what natural coordinates take: what is read, and every way to get it wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bad_input.hpp"
#include "every_key.hpp"
#include "mistake.hpp"
#include "natural_text.hpp"

namespace kurbel {
namespace {

using testing::HasSubstr;
using Kind = SystemQuantity::Kind;

class BadNaturalInput : public testing::TestWithParam<Mistake> {};

TEST_P(BadNaturalInput, IsRefusedWithLineKeyAndWhatIsAllowed) {
  const std::string text = changed(GetParam(), natural_text);
  EXPECT_EQ(error_of(text), expected(GetParam(), text, "crank.toml"));
}

const Mistake mistakes[] = {
    {"cable_in_a_floating_frame", "formulation = \"natural-coordinates\"", "formulation = \"floating-frame\"",
     "beams.left.type must be \"spatial\" in a floating frame, where nodes have axes; the nodes of others "
     "have slopes, for which they need formulation = \"natural-coordinates\"",
     "[beams.left]"},
    {"beams_elsewhere", "formulation = \"natural-coordinates\"", "formulation = \"semi-recursive\"",
     "beams needs formulation = \"floating-frame\" or \"natural-coordinates\"; bodies are rigid in "
     "\"semi-recursive\"",
     "[beams.left]"},
    {"name_of_a_body", "[beams.mast]", "[beams.plate]",
     "beams.plate has the name of bodies.plate; beams and bodies need different ones"},
    {"attached_to_nothing", "from = \"plate.right\"\nto = \"right.start\"",
     "from = \"plate.right\"\nto = \"left.end\"",
     "beams.right is attached to nothing; name \"right.start\" or \"right.end\" in a joint, a spring, a "
     "bushing or a load",
     "[beams.right]"},
    {"unknown_point_of_a_beam", "start = \"left\"", "start = \"lift\"",
     "beams.left.start = \"lift\" is none of [points.*]; did you mean \"left\"?"},
    {"unknown_point_of_a_marker", "hook = { point = \"top\" }", "hook = { point = \"tip\" }",
     "ground.markers.hook.point = \"tip\" is none of [points.*]; did you mean \"top\"?"},
    {"point_and_position", "hook = { point = \"top\" }", "hook = { point = \"top\", position = [0, 0, 0] }",
     "ground.markers.hook.point = \"top\" stands beside position; give one of the two"},
    {"no_length", "end = [1.0, 2.0, 0.0]", "end = [1.0, 0.0, 0.0]",
     "beams.mast.end = [1.0, 0.0, 0.0] is where the beam starts: it would have no length"},
    {"side_along_the_beam", "side = [1.0, 0.1, 0.0]", "side = [0.0, -3.0, 0.0]",
     "beams.mast.side = [0.0, -3.0, 0.0] is along the beam, or 0; it says where the section's y axis points, "
     "across it"},
    {"side_in_the_plane_of_an_arc", "through = [1.7, 0.3, 0.0]",
     "side = [1.0, 0.0, 0.0]\nthrough = [1.7, 0.3, 0.0]",
     "beams.bow.side = [1.0, 0.0, 0.0] is in the plane of the arc; give a direction that points out of it"},
    {"through_on_the_chord", "through = [1.7, 0.3, 0.0]", "through = [1.5, 0.5, 0.0]",
     "beams.bow.through = [1.5, 0.5, 0.0] is on the line from start to end; leave it out for a straight "
     "beam"},
    {"inner_above_outer",
     "energy = \"chord\"\nsection = { shape = \"tube\", outer_diameter = 0.015, inner_diameter = 0.01 }",
     "section = { shape = \"tube\", outer_diameter = 0.015, inner_diameter = 0.015 }",
     "beams.left.section.inner_diameter = 0.015 must be below outer_diameter = 0.015"},
    {"tube_that_may_close", "lower = 0.012", "lower = 0.009",
     "beams.left.section may vary until the inner diameter, at most 0.01, is not below the outer one, at "
     "least "
     "0.009; narrow the bounds of the variables",
     "section = { shape = \"tube\""},
    {"energy_of_a_spatial_beam", "side = [1.0, 0.1, 0.0]", "energy = \"green\"",
     "beams.mast.energy = \"green\" needs type = \"cable\", not \"spatial\""},
    {"dimension_of_another_section", "diameter = 0.02", "side = 0.02",
     "beams.spar.section.diameter is missing; it must be a number above 0", "section = { shape = \"circle\""},
    {"no_such_node", "to = \"left.node2\"", "to = \"left.node3\"",
     "springs.hook.to names the marker \"node3\", which left does not have; did you mean \"node1\"?"},
    {"frame_of_a_beam", "to = \"left.start\"", "to = \"left\"",
     "joints.left.to names the marker \"origin\", which left does not have; allowed: \"start\", \"end\", "
     "\"node1\", \"node2\""},
    {"preload_and_free_length", "preload = 50.0", "free_length = 0.1\npreload = 50.0",
     "springs.hook.preload = 50.0 stands beside free_length; give one of the two", "preload = 50.0"},
    {"preload_without_stiffness", "stiffness = 2e3\n", "",
     "springs.hook.preload = 50.0 needs a stiffness above 0", "preload = 50.0"},
    {"preload_of_a_linear_spring", "damper = \"isotropic\"\npreload", "law = \"linear\"\npreload",
     "springs.hook.preload = 50.0 needs law = \"hooke\" or \"green-lagrange\", not \"linear\", which has no "
     "free length",
     "preload = 50.0"},
    {"damper_of_a_linear_spring", "preload = 50.0", "law = \"linear\"",
     "springs.hook.damper = \"isotropic\" needs law = \"hooke\" or \"green-lagrange\", not \"linear\", which "
     "damps in every direction",
     "damper = \"isotropic\""},
    {"neither_free_length_nor_preload", "preload = 50.0", "law = \"green-lagrange\"",
     "springs.hook.free_length is missing; it must be a number above 0", "[springs.hook]"},
    {"explicit_method", "alpha = 0.4", "method = \"runge-kutta-4\"",
     "integrator.method is for mechanisms without constraints: points and planar beams with revolute and "
     "fixed joints. Take \"variational-midpoint\", \"generalized-alpha\" or \"trapezoidal\""},
    {"alpha_outside", "alpha = 0.4", "alpha = 1.5", "integrator.alpha = 1.5 is outside [0, 1]"},
    {"alpha_of_another_method", "alpha = 0.4", "method = \"generalized-alpha\"\nalpha = 0.4",
     "integrator.alpha = 0.4 needs integrator.method = \"variational-midpoint\"; the method is "
     "\"generalized-alpha\"",
     "alpha = 0.4"},
    {"foreign_quantity", "type = \"acceleration\", marker = \"bow.node7\"",
     "type = \"compliance\", body = \"plate\"",
     "outputs.tip.type = \"compliance\" does not exist in natural coordinates; allowed: \"kinetic-energy\", "
     "\"total-energy\", \"position\", \"velocity\", \"acceleration\", \"reaction-force\", "
     "\"reaction-moment\", \"rod-force\", \"drive-torque\", \"joint-angle\", \"joint-rate\", \"mass\", "
     "\"centre-of-mass\", \"control-energy\", \"distance\", \"relative-position\", \"spring-length\", "
     "\"attitude\", "
     "\"attitude-rate\", \"spring-force\", \"stress\", \"duration\""},
    {"energy_of_one_body", "type = \"acceleration\", marker = \"bow.node7\"",
     "type = \"kinetic-energy\", body = \"plate\"",
     "outputs.tip.body does not go with beams and points in natural coordinates, beside which the energy is "
     "that of the whole mechanism",
     "type = \"kinetic-energy\""},
    {"attitude_beside_beams", "type = \"acceleration\", marker = \"bow.node7\"",
     "type = \"attitude\", body = \"plate\"",
     "outputs.tip.type does not go with beams and points in natural coordinates, where it is for mechanisms "
     "of bodies alone",
     "type = \"attitude\""},
    {"quasi_static_beams", "[integrator]", "[initial]\nstate = \"quasi-static\"\n[integrator]",
     "initial.state = \"quasi-static\" does not go with [beams.*] in natural coordinates; "
     "\"static-equilibrium\" does, or leave it out",
     "state = \"quasi-static\""},
    {"film_of_larger_deformations", "[integrator]", "[output]\ndeformation_scale = 10.0\n[integrator]",
     "output.deformation_scale does not go with [beams.*], which are drawn where they are; leave it out",
     "deformation_scale"},
    {"stress_of_no_beam", "beam = \"mast\"", "beam = \"mist\"",
     "outputs.fibre.beam = \"mist\" is no beam; did you mean \"mast\"?"},
    {"point_of_the_section_of_a_cable", "element_exponent = 12.0", "across = 0.5",
     "constraints.criteria.stress.beam = \"left\" is a cable, whose stress is that of its outline; across "
     "and "
     "up are for spatial beams",
     "beam = \"left\"\nacross"},
    {"along_outside", "along = 0.25", "along = 1.25", "outputs.fibre.along = 1.25 is outside [0, 1]"},
    {"place_of_no_marker", "from = \"right.end\"", "from = \"right.and\"",
     "outputs.gap.from names the marker \"and\", which right does not have; did you mean \"end\"?"},
    {"driven_rotation", "[joints.left]\ntype = \"fixed\"",
     "[joints.left]\ntype = \"revolute\"\ndrive = { dof = \"rz\", type = \"constant-rate\", rate = 1.0 }",
     "joints.left.drive turns a cable, which has no torsion; drive a body or a spatial beam", "drive = {"},
    {"damping_at_a_cable", "[joints.left]\ntype = \"fixed\"",
     "[joints.left]\ntype = \"revolute\"\ndamping = 0.1",
     "joints.left.damping acts on a cable, which has no torsion; let it act on a body or a spatial beam",
     "damping = 0.1\n"},
    {"driven_rotation_of_a_ball", "[joints.left]\ntype = \"fixed\"",
     "[joints.left]\ntype = \"spherical\"\ndrive = { dof = \"rz\", type = \"constant-rate\", rate = 1.0 }",
     "joints.left.drive turns a joint that leaves other rotations free; natural coordinates drive hinges",
     "drive = {"},
    {"end_at_a_point", "quantity = \"beams.left.end\"", "quantity = \"beams.left.start\"",
     "variables.ends.quantity = \"beams.left.start\" is at a point; vary points.left.position, which "
     "moves everything at this point"},
    {"marker_at_a_point", "quantity = \"beams.left.end\"",
     "quantity = \"bodies.plate.markers.left.position\"",
     "variables.ends.quantity = \"bodies.plate.markers.left.position\" is at a point; vary "
     "points.left.position, which moves everything at this point"},
    {"through_of_a_straight_beam", "quantity = \"beams.left.end\"", "quantity = \"beams.mast.through\"",
     "variables.ends.quantity = \"beams.mast.through\" is for arcs; beams.mast is straight, without through"},
    {"dimension_that_is_none", "section.height", "section.side",
     "variables.height.quantity = \"beams.bow.section.side\" is nothing that can be varied; allowed here: "
     "start, end, through, youngs_modulus, poisson_ratio, density, damping, section.width, section.height",
     "quantity = \"beams.bow"},
    {"free_length_that_follows", "quantity = \"springs.hook.stiffness\"",
     "quantity = \"springs.hook.free_length\"",
     "variables.stiffness.quantity = \"springs.hook.free_length\" follows from preload; leave that out to "
     "vary "
     "it"},
    {"preloaded_without_stiffness", "quantity = \"springs.hook.stiffness\"\nlower = 1e3",
     "quantity = \"springs.hook.stiffness\"\nlower = 0",
     "variables.stiffness.lower = 0 must be positive: springs.hook has a preload", "lower = 0\nupper = 1e4"},
    {"point_that_nothing_names", "hook = { point = \"top\" }", "hook = { position = [0.0, 0.0, 1.0] }",
     "variables.free.quantity = \"points.top.position\" moves nothing: no marker and no beam names the point "
     "\"top\"",
     "quantity = \"points.top"},
    {"turned_askew", "rotation = [0.0, 0.0, 1.5707963267948966]", "rotation = [0.0, 0.0, 0.3]",
     "variables.wide.quantity = [\"points.left.position\", \"-points.right.position\"] moves a marker of "
     "plate, "
     "which is turned at the start so that y is along none of its axes; give its initial.rotation by quarter "
     "turns, with its inertia and markers turned instead",
     "quantity = [\"points"},
};

INSTANTIATE_TEST_SUITE_P(Input, BadNaturalInput, testing::ValuesIn(mistakes),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(SpringOfGreenLagrangeStrain, HasAFreeLengthThatMayNotVanish) {
  std::string text = natural_text;
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("preload = 50.0", "law = \"green-lagrange\"\nfree_length = 0.5");
  replace("quantity = \"springs.hook.stiffness\"\nlower = 1e3",
          "quantity = \"springs.hook.free_length\"\nlower = 0");
  EXPECT_THAT(error_of(text), HasSubstr("variables.stiffness.lower = 0 must be positive"));
}

TEST(BadNaturalInput, RefusesFlexibleBodiesAndWhatOtherFormulationsLack) {
  EXPECT_THAT(
      error_of(pushed_box_text, {"formulation=\"natural-coordinates\""}),
      HasSubstr("bodies.box is flexible; natural coordinates have rigid bodies and [beams.*]; formulation = "
                "\"floating-frame\" has flexible bodies beside beams of type \"spatial\""));
  EXPECT_THAT(error_of(pushed_box_text, {"integrator.method=\"variational-midpoint\""}),
              HasSubstr("integrator.method = \"variational-midpoint\" needs formulation = "
                        "\"natural-coordinates\", whose mass matrix does not change"));
}

/// A block on a leaf spring, in floating frames.
const std::string block_on_leaf = R"(
[bodies.block]
type = "rigid"
mass = 1.0
inertia = [1.0, 1.0, 1.0]
initial.position = [0.2, 0.0, 0.0]
[beams.leaf]
type = "spatial"
start = [0.0, 0.0, 0.0]
end = [0.2, 0.0, 0.0]
section = { shape = "rectangle", width = 1e-3, height = 0.02 }
youngs_modulus = 2e11
density = 7800.0
[joints.wall]
type = "fixed"
from = "ground"
to = "leaf.start"
[joints.grip]
type = "fixed"
from = "leaf.end"
to = "block"
[integrator]
t1 = 0.1
step = 0.01
[objective]
type = "position"
marker = "leaf.end"
time = "integral"
)";

TEST(BeamsInFloatingFrames, AreReadAndRefuseWhatTheyCannotDo) {
  EXPECT_EQ(error_of(block_on_leaf), "no InputError");
  EXPECT_THAT(error_of(block_on_leaf, {"objective.target=\"rigid-twin\""}),
              HasSubstr("objective.target = \"rigid-twin\" needs a mechanism whose motion joints and drives "
                        "determine; beams bend"));
  EXPECT_THAT(
      error_of(block_on_leaf, {"objective={type=\"stress\", beam=\"leaf\", time=\"final\", target=1.0}"}),
      HasSubstr("objective.target = 1.0 needs a type with three components"));
  EXPECT_THAT(error_of(block_on_leaf, {"objective.type=\"displacement\""}),
              HasSubstr("objective.marker = \"leaf.end\" has no elastic displacement"));
  EXPECT_THAT(error_of(block_on_leaf, {"objective.type=\"displacement\"", "objective.marker=\"leaf.node9\""}),
              HasSubstr("objective.marker names the marker \"node9\", which leaf does not have"));
  EXPECT_THAT(error_of(block_on_leaf, {"integrator.method=\"variational-midpoint\""}),
              HasSubstr("whose mass matrix does not change; beams beside flexible bodies take "
                        "\"generalized-alpha\""));
  EXPECT_THAT(error_of(block_on_leaf, {"formulation=\"semi-recursive\""}),
              HasSubstr("beams needs formulation = \"floating-frame\" or \"natural-coordinates\""));
}

TEST(BadNaturalInput, RefusesCasesThatPlaceBodiesWithMarkersAtPoints) {
  EXPECT_THAT(error_of(natural_text + "[cases.low]\nbodies.plate.initial.position = [0.1, 0.0, -0.1]\n"),
              HasSubstr("cases.low.bodies.plate.initial moves a body whose marker is at the point \"left\", "
                        "which all cases share; give that marker a position in place of the point"));
  const std::string weight = "[bodies.weight]\ntype = \"rigid\"\nmass = 1.0\ninertia = [1.0, 1.0, 1.0]\n";
  EXPECT_EQ(
      error_of(natural_text + weight + "[cases.low]\nbodies.weight.initial.position = [0.1, 0.0, -0.1]\n"),
      "no InputError")
      << "markers of another body are at points";
}

/// Planar beams between two points, one straight after the other or on both sides of a third one, as parallelograms have them.
const std::string span = R"(
formulation = "natural-coordinates"
gravity = [0.0, -9.81, 0.0]
[joints]
left = { type = "revolute", from = "ground", to = "a.start" }
right = { type = "revolute", from = "far", to = "b.start" }
[integrator]
t1 = 0.1
step = 0.001
[objective]
type = "position"
marker = "a.end"
component = "y"
time = "final"
[variables.length]
quantity = ["beams.a.length", "beams.b.length"]
lower = 0.5
upper = 1.4
)";

/// @param start  if empty, at the joint that holds it
std::string planar_beam(const std::string& name, const std::string& start, const std::string& direction) {
  return "[beams." + name + "]\ntype = \"planar\"\n" + (start.empty() ? "" : "start = " + start + "\n") +
         "direction = " + direction +
         "\nlength = 1.0\nelements = 2\nsection = { shape = \"rectangle\", width = 0.01, height = 0.02 }\n"
         "youngs_modulus = 3e9\ndensity = 1300.0\n";
}

std::string far_point(const std::string& position) {
  return "[bodies.far]\ntype = \"point\"\nfree = []\ninitial.position = " + position + "\n";
}

TEST(BadNaturalInput, RefusesLengthsThatOpenAJoint) {
  const std::string a = planar_beam("a", "[0.0, 0.0, 0.0]", "[1.0, 0.0, 0.0]");
  const std::string line = span + far_point("[2.0, 0.0, 0.0]") + a +
                           planar_beam("b", "[2.0, 0.0, 0.0]", "[-1.0, 0.0, 0.0]") +
                           "[joints.middle]\ntype = \"revolute\"\nfrom = \"a.end\"\nto = \"b.end\"\n";
  EXPECT_THAT(error_of(line),
              HasSubstr("joints.middle joins places that part when the length of a beam is designed"));
  EXPECT_EQ(error_of(line, {"variables.length={quantity=\"beams.a.density\", lower=1000.0, upper=2000.0}"}),
            "no InputError");
  // Both move the ends of the coupler alike.
  const std::string parallelogram = span + far_point("[0.0, 1.0, 0.0]") + a +
                                    planar_beam("b", "[0.0, 1.0, 0.0]", "[1.0, 0.0, 0.0]") +
                                    planar_beam("c", "", "[0.0, 1.0, 0.0]") +
                                    "[joints.low]\ntype = \"revolute\"\nfrom = \"a.end\"\nto = \"c.start\"\n"
                                    "[joints.high]\ntype = \"revolute\"\nfrom = \"b.end\"\nto = \"c.end\"\n";
  EXPECT_EQ(error_of(parallelogram), "no InputError");
  EXPECT_THAT(error_of(parallelogram, {"variables.length.quantity=\"beams.b.length\""}),
              HasSubstr("joins places that part"));
}

Problem read(const std::string& text) {
  return read_problem(TomlDocument::parse(text, "frame.toml", "."));
}

TEST(NaturalInput, DescribesBeamsAsGivenAndUsualNumbersOtherwise) {
  const SystemSpec system = read(natural_text).system;
  ASSERT_EQ(system.beams.size(), 5u);
  const BeamSpec &left = system.beams[0], &right = system.beams[1], &bow = system.beams[2];
  EXPECT_EQ(left.kind, BeamSpec::Kind::cable);
  EXPECT_EQ(left.energy, BeamSpec::Energy::chord);
  EXPECT_EQ(left.shape, BeamSpec::Shape::tube);
  EXPECT_EQ(left.dimensions, (std::array{0.015, 0.01}));
  EXPECT_EQ(left.start, Vector3d(0.2, 0.5, 0.1));
  EXPECT_EQ(left.end, Vector3d(0.2, 0.9, 0.1));
  EXPECT_EQ(left.n_elements, 3);
  EXPECT_EQ(left.poisson_ratio, 0.25);
  EXPECT_EQ(left.damping, 1e-4);
  EXPECT_EQ(left.velocity, Vector3d(0.1, 0.0, 0.0));
  EXPECT_EQ(left.angular_velocity, Vector3d(0.0, 0.0, 0.2));
  EXPECT_EQ(right.energy, BeamSpec::Energy::green);
  EXPECT_EQ(right.n_elements, 4);
  EXPECT_EQ(right.poisson_ratio, 0.3);
  EXPECT_EQ(right.damping, 0.0);
  EXPECT_EQ(bow.kind, BeamSpec::Kind::spatial);
  EXPECT_EQ(*bow.through, Vector3d(1.7, 0.3, 0.0));
  EXPECT_EQ(bow.dimensions, (std::array{0.02, 0.01}));
}

TEST(NaturalInput, PointsTheSectionAcrossTheBeam) {
  const SystemSpec system = read(natural_text).system;
  EXPECT_EQ(system.beams[3].side, Vector3d(1.0, 0.1, 0.0));
  EXPECT_EQ(system.beams[4].side, Vector3d::UnitZ());  // along y
  EXPECT_EQ(system.beams[2].side, Vector3d::Zero());   // across the plane of the arc
}

TEST(NaturalInput, TakesTheVariationalStepUnlessAnotherIsNamed) {
  const IntegratorOptions options = read(natural_text).integrator;
  EXPECT_EQ(options.method, IntegratorMethod::variational_midpoint);
  EXPECT_EQ(options.alpha, 0.4);
}

TEST(NaturalInput, MayHaveBeamsAlone) {
  const std::string text = R"(
formulation = "natural-coordinates"
[beams.arm]
start = [0.0, 0.0, 0.0]
end = [1.0, 0.0, 0.0]
section = { shape = "square", side = 0.05 }
youngs_modulus = 1e7
density = 4000.0
[joints.pin]
type = "spherical"
from = "ground"
to = "arm.start"
[integrator]
t1 = 0.1
step = 0.01
)";
  const Problem problem = read(text);
  EXPECT_TRUE(problem.bodies.empty());
  EXPECT_EQ(problem.system.joints[0].to.marker, "start");
}

TEST(NaturalInput, ObservesBeams) {
  const Problem problem = read(natural_text);
  const CriterionTerm &gap = problem.outputs[0].observable, &height = problem.outputs[1].observable,
                      &fibre = problem.outputs[5].observable;
  EXPECT_EQ(gap.from.body, "right");
  EXPECT_EQ(gap.from.marker, "end");
  EXPECT_EQ(height.from.body, "ground");
  EXPECT_FALSE(is_same_observable(gap, height));
  EXPECT_EQ(fibre.beam, "mast");
  EXPECT_EQ(fibre.along, 0.25);
  EXPECT_EQ(fibre.across, -1.0);
  EXPECT_EQ(fibre.up, 0.5);
  EXPECT_FALSE(is_aggregate(fibre));
  const CriterionTerm &stress = problem.constraints.criteria[0].terms[0],
                      &side = problem.constraints.criteria[1].terms[0];
  EXPECT_FALSE(stress.along || stress.across || stress.up);
  EXPECT_EQ(stress.element_exponent, 12.0);
  EXPECT_TRUE(is_aggregate(stress));
  EXPECT_EQ(side.across, 0.0);
  EXPECT_EQ(side.element_exponent, 8.0);
  EXPECT_TRUE(is_aggregate(side));
}

// No case changes a beam.
TEST(NaturalInput, CountsTheMassOfABeamOnceOverCases) {
  const std::string cases = "[cases.light]\nweight = 0.5\n[cases.heavy]\ngravity = [0.0, 0.0, -20.0]\n";
  const Problem problem = read_problem(TomlDocument::parse(
      natural_text + cases, "frame.toml", ".", {"objective={type=\"mass\", body=\"mast\", weight=3.0}"}));
  ASSERT_EQ(problem.cases.size(), 2u);
  EXPECT_EQ(problem.cases[0].problem->objective.front().weight, 6.0);
  EXPECT_EQ(problem.cases[1].problem->objective.front().weight, 0.0);
}

// y of the point is x of the turned plate; the mirrored point moves against it.
TEST(NaturalInput, VariesThePlacesOfAnArcByThemselves) {
  for (const auto& [key, expected] : {std::pair("start", SystemQuantity::of<&BeamSpec::start>(2, 2)),
                                      std::pair("end", SystemQuantity::of<&BeamSpec::end>(2, 2)),
                                      std::pair("through", SystemQuantity::of<&BeamSpec::through>(2, 2))}) {
    std::string text = natural_text;
    const std::string straight = "beams.left.end";
    text.replace(text.find(straight), straight.size(), std::string("beams.bow.") + key);
    const Problem problem = read(text);
    const DesignVariable& variable = problem.design.variables[2];
    EXPECT_EQ(std::get<SystemQuantity>(variable.quantity), expected);
    SystemSpec system = problem.system;
    set_value(expected, 0.3, system);
    EXPECT_EQ(value_of(expected, system), 0.3);
  }
}

}  // namespace
}  // namespace kurbel
