// Joints that share coordinates, and mechanisms of a plane: every derivative by complex step, motions and gradients those
// of the same mechanism with multipliers, in space.
#include <gmock/gmock.h>

#include "integration/constant_mass_balance.hpp"
#include "integration/generalized_alpha.hpp"
#include "integration/variational_midpoint.hpp"
#include "natural_coordinates/natural_criteria.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "tests/floating_frame/beam_models.hpp"
#include "tests/input_error.hpp"
#include "tests/joint_coordinates/tree_models.hpp"
#include "tests/natural_coordinates/natural_models.hpp"

namespace kurbel::test {
namespace {

BeamSpec beam_of(const std::string& name, BeamSpec::Kind kind, const Vector3d& start, const Vector3d& end) {
  BeamSpec beam = soft_beam(name, start, end);
  beam.kind = kind, beam.youngs_modulus = 3e6, beam.dimensions = {0.03, 0.0};
  beam.velocity.setZero(), beam.angular_velocity.setZero();
  return beam;
}

BodySpec body_of(const std::string& name, const Vector3d& place, const Vector3d& end) {
  BodySpec body{name, rigid_sid_with_markers(1.3, {0.1, 0.02, 0.0}, {0.02, 0.05, 0.04}, {0, 0, 0}, end), {}};
  for (SidNode& marker : body.sid.frame) marker.AP.M0.setIdentity();
  body.initial.position = place;
  body.initial.parameters = {true, true, false, false};
  return body;
}

/// A post of two spatial beams, clamped; a rope of two cables from its end to the origin of a bob, held by a stay to the
/// ground; an arm that turns about a post of its own, and carries a wire.
SystemSpec rigging() {
  using Kind = BeamSpec::Kind;
  SystemSpec spec;
  spec.gravity << 0.3, -9.81, 0.7;
  const Matrix3d I = Matrix3d::Identity();
  spec.ground = {make_sid_node("foot", {0, 0, 0}, I, 0), make_sid_node("peg", {3.0, 1.0, 0.2}, I, 0),
                 make_sid_node("pivot", {-0.5, 0.4, 0.1}, I, 0)};
  spec.bodies = {body_of("bob", {2.5, 0.3, 0.1}, {0.3, 0.1, 0.05}),
                 body_of("arm", {-0.7, 0.4, 0.1}, {0.2, 0.0, 0.0})};
  spec.beams = {beam_of("lower", Kind::spatial, {0, 0, 0}, {1, 0, 0}),
                beam_of("upper", Kind::spatial, {1, 0, 0}, {1.6, 0, 0}),
                beam_of("rope", Kind::cable, {1.6, 0, 0}, {1.9, 0.1, 0}),
                beam_of("tail", Kind::cable, {1.9, 0.1, 0}, {2.5, 0.3, 0.1}),
                beam_of("stay", Kind::cable, {3.0, 1.0, 0.2}, {2.5, 0.3, 0.1}),
                beam_of("wire", Kind::cable, {-0.5, 0.4, 0.1}, {-0.2, 0.9, 0.3})};
  spec.beams[3].end << 2.2, 0.2, 0.0;
  spec.beams.push_back(beam_of("last", Kind::cable, {2.2, 0.2, 0.0}, {2.5, 0.3, 0.1}));
  spec.joints = {joint_of("clamp", "fixed", {"ground", "foot"}, {"lower", "start"}),
                 joint_of("weld", "fixed", {"lower", "end"}, {"upper", "start"}),
                 joint_of("knot", "spherical", {"rope", "start"}, {"upper", "end"}),
                 joint_of("splice", "fixed", {"rope", "end"}, {"tail", "start"}),
                 joint_of("corner", "fixed", {"last", "start"}, {"tail", "end"}),
                 joint_of("hook", "spherical", {"last", "end"}, {"bob", "origin"}),
                 joint_of("peg", "spherical", {"ground", "peg"}, {"stay", "start"}),
                 joint_of("eye", "spherical", {"stay", "end"}, {"bob", "origin"}),
                 joint_of("pivot", "universal", {"ground", "pivot"}, {"arm", "b"}),
                 joint_of("link", "spherical", {"arm", "b"}, {"wire", "start"})};
  spec.springs = {{"coil", {"wire", "end"}, {"rope", "end"}, 30.0, 0.7, 0.2}};
  return spec;
}

SystemSpec with_shared_coordinates(SystemSpec spec) {
  for (JointSpec& joint : spec.joints) joint.shares_coordinates = true;
  return spec;
}

/// A crank with a torsion spring, a rod, a slider in a slot and, at another height, a blade from the ground to a plate with a
/// spring; a torque, and the crank turned as a function of time or by a motor.
SystemSpec linkage(bool driven) {
  using Kind = BeamSpec::Kind;
  SystemSpec spec;
  spec.gravity << 0.3, -9.81, 0.0;
  const Matrix3d I = Matrix3d::Identity(),
                 about_y = rotation_matrix(exp_quaternion<double>({0.0, 0.5 * EIGEN_PI, 0.0}));
  spec.ground = {make_sid_node("axle", {0, 0, 0.1}, I, 0), make_sid_node("slot", {0.0, 0.0, 0.1}, about_y, 0),
                 make_sid_node("foot", {0.4, 0.8, 0.3}, I, 0), make_sid_node("high", {0.4, -0.5, 0.3}, I, 0)};
  spec.bodies = {body_of("crank", {0, 0, 0.1}, {0.0, 0.3, 0.0}),
                 body_of("rod", {0, 0.3, 0.1}, {0.4, -0.3, 0.0}),
                 body_of("slider", {0.4, 0.0, 0.1}, {0.0, 0.0, 0.0}),
                 body_of("plate", {0.9, 0.8, 0.3}, {0.1, 0.05, 0.0})};
  spec.bodies[2].sid.frame[1].AP.M0 = about_y;
  spec.beams = {beam_of("blade", Kind::cable, {0.4, 0.8, 0.3}, {0.9, 0.8, 0.3})};
  spec.joints = {joint_of("axle", "revolute", {"ground", "axle"}, {"crank", "origin"}),
                 joint_of("pin", "revolute", {"crank", "b"}, {"rod", "origin"}),
                 joint_of("knee", "revolute", {"rod", "b"}, {"slider", "origin"}),
                 joint_of("slot", "prismatic", {"ground", "slot"}, {"slider", "b"}),
                 joint_of("clamp", "fixed", {"ground", "foot"}, {"blade", "start"}),
                 joint_of("grip", "fixed", {"blade", "end"}, {"plate", "origin"})};
  spec.joints[3].redundant[static_cast<std::size_t>(RelativeDof::tx)] = true;  // the loop holds it
  for (const RelativeDof dof : {RelativeDof::rx, RelativeDof::ry})
    spec.joints[2].redundant[static_cast<std::size_t>(dof)] = true;
  spec.springs = {{"coil", {"ground", "high"}, {"plate", "b"}, 90.0, 1.7, 0.2}};
  spec.torsion_springs = {{"twist", {"crank", "b"}, {"rod", "origin"}, 12.0, 0.4, 0.2}};
  MarkerLoadSpec push{"push", {"rod", "b"}, MarkerLoadSpec::Frame::body, {}, {}};
  push.force = {constant_rate(1.0, 0.2), constant_rate(-2.0, 0.0), nullptr};
  push.torque = {nullptr, nullptr, constant_rate(0.1, 0.3)};
  spec.loads = {push};
  spec.controls = {
      {"torque", ControlGrid(Interpolation::natural, 4, 0.0, 2.0), Eigen::Vector4d(0.4, 0.6, -0.3, 0.1)}};
  if (driven) {
    spec.joints[0].drives = {{RelativeDof::rz, polynomial({0.0, {0.0, 0.0}}, {2.0, {1.0, 1.0}})}};
  } else {
    spec.motors = {{"motor", {"ground", "axle"}, {"crank", "origin"}, true, 0}};
  }
  return spec;
}

SystemSpec planar(SystemSpec spec) {
  spec.planar = true;
  return spec;
}

class Chosen : public ::testing::TestWithParam<SystemSpec> {};

TEST_P(Chosen, EveryDerivativeIsThatOfAComplexStep) {
  const NaturalSystem<double> system(GetParam());
  expect_derivatives(system, complex_model(GetParam()), point_near_start(system, 0.02));
  expect_constraint_derivatives(system, complex_model(GetParam()), point_near_start(system, 0.02));
}

/// psi, and its derivatives by all parameters but where bodies, markers and beams start.
struct Answer {
  double psi;
  VectorXd gradient;
};

std::vector<Eigen::Index> numbers_without_places(const SystemSpec& spec, const ParameterLayout& layout) {
  std::vector<Eigen::Index> numbers;
  for (std::size_t i = 0; i < spec.bodies.size(); ++i) {
    numbers.push_back(layout.body(i).mass.offset);
    for (Eigen::Index k = 0; k < 2; ++k) numbers.push_back(layout.body(i).mdCM0.offset + k);
    numbers.push_back(layout.body(i).J0.offset + 8);
  }
  for (std::size_t i = 0; i < spec.beams.size(); ++i) {
    for (const Eigen::Index k : {layout.beam(i).youngs_modulus(), layout.beam(i).density(),
                                 layout.beam(i).damping(), layout.beam(i).dimensions()})
      numbers.push_back(k);
  }
  for (std::size_t i = 0; i < spec.springs.size(); ++i) numbers.push_back(layout.spring(i).stiffness);
  return numbers;
}

template <class Steps>
Answer answer(const SystemSpec& spec, const std::vector<CriterionTerm>& terms) {
  IntegratorOptions options;
  options.t1 = 0.1, options.step = 2e-3, options.rho_inf = 0.8;
  const NaturalSystem<double> system(spec);
  Steps steps(system, options);
  Trajectory<double> trajectory;
  const Status status = simulate<double>(steps, trajectory);
  EXPECT_FALSE(status.failed()) << status.message();
  const Criterion<double> psi = make_criterion<double>(steps, system, terms);
  const LinearizedCriterion linearized(psi, trajectory);
  const VectorXd p_bar = discrete_adjoint<double>(steps, trajectory, {&linearized}).col(0);
  return {psi.value(trajectory), p_bar(numbers_without_places(spec, system.layout()))};
}

template <class Steps>
void expect_the_same(const SystemSpec& chosen, const SystemSpec& usual,
                     const std::vector<CriterionTerm>& terms) {
  const Answer found = answer<Steps>(chosen, terms), expected = answer<Steps>(usual, terms);
  EXPECT_NEAR(found.psi, expected.psi, 1e-10 * std::abs(expected.psi));
  for (Eigen::Index i = 0; i < expected.gradient.size(); ++i)
    EXPECT_NEAR(found.gradient[i], expected.gradient[i], 1e-8 * std::abs(expected.gradient[i]) + 1e-10) << i;
}

CriterionTerm position(const MarkerRef& marker, double weight) {
  CriterionTerm term{.quantity = Quantity::position};
  term.marker = marker, term.weight = weight;
  return term;
}

/// A bob that swings on a wire so stiff that positions with all their digits do not tell its force far from the origin.
SystemSpec stiff_wire(const Vector3d& at) {
  SystemSpec spec;
  spec.gravity << 0.3, -9.81, 0.7;
  spec.ground = {make_sid_node("pivot", at, Matrix3d::Identity(), 0)};
  spec.beams = {beam_of("wire", BeamSpec::Kind::cable, at, at + Vector3d(0.6, -0.3, 0.2))};
  spec.beams[0].youngs_modulus = 2e12;
  spec.bodies = {body_of("bob", spec.beams[0].end, {0.2, 0.0, 0.0})};
  spec.joints = {joint_of("pin", "spherical", {"ground", "pivot"}, {"wire", "start"}),
                 joint_of("hook", "spherical", {"wire", "end"}, {"bob", "origin"})};
  return spec;
}

TEST(VariationalStep, HasTheSameGradientFarFromTheOrigin) {
  CriterionTerm term{.quantity = Quantity::velocity, .component = 1};
  term.marker = {"bob", "b"};
  const auto gradient = [&](const Vector3d& at) {
    return answer<VariationalMidpoint<double>>(stiff_wire(at), {term}).gradient;
  };
  VectorXd near = gradient(Vector3d::Zero()), far = gradient({1e5, 7e4, 3e4});
  constexpr Eigen::Index damping = 6;  // sees rates, which positions do not refine
  near[damping] = far[damping] = 1.0;
  // 5e-7 were found; without the refinement of positions 5e-4, for they are rounded to 1e-11 m there.
  EXPECT_LT((far - near).cwiseQuotient(near).cwiseAbs().maxCoeff(), 2e-6);
}

// Of a body that moves in the plane: r + Z e3 with e3 along z, Z a parameter, is Z above r.
TEST(CoordinateMap, KeepsTheSignOfAParameterAlongAnAxisThatStandsStill) {
  CoordinateMap map(2);
  ASSERT_TRUE(map.tie(1, fixed_form(Vector3d::UnitZ())));
  map.number();
  const VectorXd p = VectorXd::Constant(1, 0.25);
  const VectorXd q = Vector3d(1.0, 2.0, 3.0);
  const VectorForm above{{{0}, {3, 2.0, 0}}};
  EXPECT_EQ(map.in_coordinates(above).at<double>(p.data(), q), Vector3d(1.0, 2.0, 3.5));
}

TEST(SharedCoordinates, TakeCoordinatesAndMultipliersAway) {
  const NaturalSystem<double> usual(rigging()), chosen(with_shared_coordinates(rigging()));
  // Two sections of four vectors with six constraints for their axes; places of six ends and an arm, and a tangent.
  EXPECT_EQ(usual.n_x() - chosen.n_x(), 3 * (2 * 4 + 7 + 1));
  EXPECT_EQ(usual.n_c() - chosen.n_c(), 2 * (6 + 6) + 3 * (7 + 1));
  for (const char* joint : {"clamp", "weld"}) EXPECT_TRUE(chosen.joint(joint).shares_axes) << joint;
  EXPECT_FALSE(
      chosen.joint("link").shares_place);  // by four vectors of a body, unless that stands on the ground
}

TEST(SharedCoordinates, GiveTheMotionAndTheGradientOfMultipliers) {
  const std::vector<CriterionTerm> terms = {position({"bob", "b"}, 3.0), position({"wire", "node1"}, 1.0)};
  expect_the_same<GeneralizedAlpha<double>>(with_shared_coordinates(rigging()), rigging(), terms);
  expect_the_same<VariationalMidpoint<double>>(with_shared_coordinates(rigging()), rigging(), terms);
}

TEST(Planar, HasHalfOfTheCoordinatesAndConstraints) {
  const NaturalSystem<double> usual(linkage(false)), chosen(planar(linkage(false)));
  EXPECT_EQ(usual.n_x(), 4 * 12 + 3 * 6);
  EXPECT_EQ(chosen.n_x(), 4 * 6 + 3 * 4);
  EXPECT_EQ(chosen.n_c(), 4 * 3 + 3 * 2 + 2 + 3 + 3);  // axes, hinges, slot, clamp and grip of the blade
}

TEST(Planar, GivesTheMotionAndTheGradientOfSpace) {
  CriterionTerm energy{.quantity = Quantity::kinetic_energy};
  for (const bool driven : {false, true}) {
    const std::vector<CriterionTerm> terms = {position({"rod", "b"}, 3.0), position({"plate", "b"}, 1.0),
                                              energy};
    expect_the_same<GeneralizedAlpha<double>>(planar(linkage(driven)), linkage(driven), terms);
    expect_the_same<VariationalMidpoint<double>>(with_shared_coordinates(planar(linkage(driven))),
                                                 linkage(driven), terms);
  }
}

TEST(Planar, RefusesWhatLeavesThePlaneByName) {
  const auto refuses = [](const SystemSpec& spec, const std::string& message) {
    EXPECT_EQ(input_error_message([&] { NaturalSystem<double> system(planar(spec)); }), message);
  };
  SystemSpec lifted = linkage(false);
  lifted.ground[0].origin.M0(2, 0) = 0.2;
  refuses(lifted, "joints.axle: asks for a motion out of the plane z = 0");
  SystemSpec tilted = linkage(false);
  const Matrix3d about_x = rotation_matrix(exp_quaternion<double>({0.5 * EIGEN_PI, 0.0, 0.0}));
  tilted.bodies[1].sid.frame[0].AP.M0 = about_x;
  tilted.torsion_springs[0].to = {"rod", "a"};
  refuses(tilted, "torsion_springs.twist: turns about an axis that is not normal to the plane z = 0");
  tilted.torsion_springs[0].name = "pin.damping";
  refuses(tilted, "joints.pin.damping: turns about an axis that is not normal to the plane z = 0");
  SystemSpec askew = linkage(false);
  askew.ground[1].AP.M0 = rotation_matrix(exp_quaternion<double>({0.0, 0.7, 0.0}));
  refuses(askew, "joints.slot: has a marker whose axes are askew; in the plane z = 0 one of them is along z");
  SystemSpec falling = linkage(false);
  falling.gravity.z() = -9.81;
  refuses(falling, "gravity: is not in the plane z = 0 of a planar mechanism");
}

TEST(Planar, TakesAxesWithTheDigitsOfAFile) {
  SystemSpec spec = linkage(false);
  const Matrix3d about_y = rotation_matrix(exp_quaternion<double>({0.0, 1.5707963, 0.0}));
  spec.ground[1].AP.M0 = about_y, spec.bodies[2].sid.frame[1].AP.M0 = about_y;
  EXPECT_EQ(NaturalSystem<double>(planar(spec)).n_c(), NaturalSystem<double>(planar(linkage(false))).n_c());
}

/// Two ball joints, one above the other, are a hinge of space; in the plane each of them is one.
TEST(Planar, NamesJointsThatSayTheSameInThePlane) {
  SystemSpec spec;
  spec.planar = true;
  const Matrix3d I = Matrix3d::Identity();
  spec.ground = {make_sid_node("low", {0, 0, 0}, I, 0), make_sid_node("high", {0, 0, 0.4}, I, 0)};
  spec.bodies = {body_of("door", {0, 0, 0}, {0, 0, 0.4})};
  spec.joints = {joint_of("lower", "spherical", {"ground", "low"}, {"door", "a"}),
                 joint_of("upper", "spherical", {"ground", "high"}, {"door", "b"})};
  spec.joints[1].redundant[static_cast<std::size_t>(RelativeDof::tz)] = true;
  const NaturalSystem<double> system(spec);
  StartState<double> state;
  try {
    static_cast<void>(system.make_start()->solve(0.0, state));
    FAIL();
  } catch (const FaultyConstraint& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("redundant constraints: joint "),
                                             testing::HasSubstr("joint lower (tx)"),
                                             testing::HasSubstr("joint upper (tx)")));
  }
}

TEST(Planar, KnowsNoReactionsOutOfThePlane) {
  const NaturalSystem<double> system(planar(linkage(false)));
  CriterionTerm term{.quantity = Quantity::reaction_force};
  term.joint = "axle";
  EXPECT_THROW(make_integrand(system, term), InputError);
  term.component = 2;
  EXPECT_THROW(make_integrand(system, term), InputError);
  term.component = 1;
  EXPECT_NO_THROW(make_integrand(system, term));
  term.quantity = Quantity::reaction_moment, term.joint = "clamp";
  EXPECT_THROW(make_integrand(system, term), InputError);
}

/// What is given of its velocity would be forgotten, and be no part of the gradient.
TEST(SharedCoordinates, AreNotThoseOfWhatMovesAtTheStart) {
  SystemSpec spec = with_shared_coordinates(rigging());
  spec.beams[4].angular_velocity << 0.0, 0.0, 0.1;  // the stay turns about its start
  spec.bodies[1].initial.parameters.velocity = true;
  const NaturalSystem<double> system(spec);
  EXPECT_TRUE(system.joint("peg").shares_place);
  EXPECT_TRUE(system.joint("hook").shares_place);
  for (const char* joint : {"eye", "pivot"}) EXPECT_FALSE(system.joint(joint).shares_place) << joint;
}

TEST(SharedCoordinates, TellNoReactions) {
  const NaturalSystem<double> system(with_shared_coordinates(rigging()));
  EXPECT_EQ(input_error_message([&] { NaturalReaction<double>(system, "hook", false); }),
            "joint hook shares coordinates, and has no multipliers that tell its reactions");
  EXPECT_EQ(input_error_message([&] { NaturalReaction<double>(system, "clamp", true); }),
            "joint clamp shares coordinates, and has no multipliers that tell its reactions");
}

INSTANTIATE_TEST_SUITE_P(Coordinates, Chosen,
                         ::testing::Values(with_shared_coordinates(rigging()), planar(linkage(true)),
                                           with_shared_coordinates(planar(linkage(false)))));

}  // namespace
}  // namespace kurbel::test
