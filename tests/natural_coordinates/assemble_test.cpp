/// From a specification to a system: shared, held and moved coordinates, mobility, and what does not fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "natural_coordinates/absolute_criteria.hpp"
#include "test_systems.hpp"
#include "tests/numerics.hpp"

namespace kurbel {
namespace {

using absolute::SpecError;
using Eigen::Vector2d;
using Kind = SystemQuantity::Kind;

JointSpec fixed_joint(const std::string& name, const std::string& from, const std::string& to) {
  return test::joint_of_places(name, "fixed", from, to);
}

/// Two beams of one element in a row along x, 1 m each, held by nothing.
SystemSpec row() {
  SystemSpec spec;
  spec.planar_beams = {test::rubber_beam("a", 1, 1.0, 0.0), test::rubber_beam("b", 1, 1.0, 0.0)};
  spec.planar_beams[0].start = Vector2d::Zero();
  return spec;
}

/// Cranks on the ground at x = 0 and 1, 0.5 m up, and a coupler between their ends.
SystemSpec four_bar() {
  SystemSpec spec;
  spec.planar_beams = {test::rubber_beam("left", 1, 0.5, 0.5 * M_PI),
                       test::rubber_beam("coupler", 1, 1.0, 0.0),
                       test::rubber_beam("right", 1, 0.5, 0.5 * M_PI)};
  spec.planar_beams[0].start = Vector2d(0.0, 0.0);
  spec.planar_beams[2].start = Vector2d(1.0, 0.0);
  spec.joints = {
      test::revolute("A", "ground", "left.start"), test::revolute("B", "left.end", "coupler.start"),
      test::revolute("C", "coupler.end", "right.end"), test::revolute("D", "right.start", "ground")};
  return spec;
}

VectorXd initial_state(const AbsoluteSystem<double>& system) {
  VectorXd x(system.n_x());
  system.initial_state(x);
  return x;
}

/// Number of motions that need no force: zeros among the squares of the natural frequencies at rest.
int mobility(SystemSpec spec) {
  spec.gravity.setZero();
  const auto assembly = absolute::assemble<double>(spec);
  const AbsoluteSystem<double>& system = *assembly.system;
  const Eigen::Index n = system.n_q();
  const auto ws = system.make_workspace();
  system.linearize({0.0}, initial_state(system), *ws);
  MatrixXd f_dot(2 * n, 2 * n);
  system.push_forward(*ws, MatrixXd::Identity(2 * n, 2 * n),
                      MatrixXd::Zero(system.parameters().size(), 2 * n), f_dot);
  const MatrixXd K = -system.mass_matrix() * f_dot.bottomLeftCorner(n, n);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> modes(
      0.5 * (K + K.transpose()), system.mass_matrix(), Eigen::EigenvaluesOnly);
  // Between 1e-9 for rounding and 1 (rad/s)^2 for the slowest bending of rubber.
  return static_cast<int>((modes.eigenvalues().array() < 1e-3).count());
}

DaeStateLayout layout_of(const AbsoluteSystem<double>& system) {
  return {.n_x = system.n_q(), .n_v = system.n_q(), .n_accelerations = 0};
}

DaeInstant<double> instant(const AbsoluteSystem<double>& system, const VectorXd& x) {
  return layout_of(system).instant<double>(0.0, x);
}

/// The position of a place at rest.
VectorXd position(const SystemSpec& spec, const std::string& place) {
  const auto assembly = absolute::assemble<double>(spec);
  const absolute::Observables<double> observables(spec, assembly);
  const VectorXd x0 = initial_state(*assembly.system);
  return observables.of(test::observed(Quantity::position, place, {0, 1, 2}))
      ->value(instant(*assembly.system, x0));
}

Eigen::Index n_q(const SystemSpec& spec) {
  return absolute::assemble<double>(spec).system->n_q();
}

// --- Joints

TEST(Assemble, RevoluteJointSharesThePosition) {
  SystemSpec spec = row();
  spec.joints = {test::revolute("hinge", "a.end", "b.start")};
  EXPECT_EQ(n_q(spec), 2 * 12 - 2);
  EXPECT_EQ(mobility(spec), 3 + 1);  // of the row as one body, and in the hinge
  const auto assembly = absolute::assemble<double>(spec);
  const auto& a = assembly.beam_elements[0].binding.coordinates;
  const auto& b = assembly.beam_elements[1].binding.coordinates;
  EXPECT_EQ(std::vector(a.begin() + 6, a.begin() + 8), std::vector(b.begin(), b.begin() + 2));
}

TEST(Assemble, FixedJointSharesTheCrossSectionAsWell) {
  SystemSpec spec = row();
  spec.joints = {fixed_joint("weld", "b.start", "a.end")};
  EXPECT_EQ(n_q(spec), 2 * 12 - 4);
  EXPECT_EQ(mobility(spec), 3);
}

TEST(Assemble, GroundHoldsThePositionAndAFixedJointTheSection) {
  SystemSpec spec = row();
  spec.joints = {test::revolute("pin", "ground", "a.start"), fixed_joint("weld", "a.end", "b.start")};
  EXPECT_EQ(n_q(spec), 2 * 12 - 4 - 2);
  EXPECT_EQ(mobility(spec), 1);
  spec.joints[0] = fixed_joint("clamp", "a.start", "ground");
  EXPECT_EQ(n_q(spec), 2 * 12 - 4 - 4);
  EXPECT_EQ(mobility(spec), 0);
}

TEST(Assemble, BeamMayHangOnAPoint) {
  SystemSpec spec = row();
  spec.point_masses = {{"cart", {2.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {true, false, false}, 1.0}};
  spec.joints = {test::revolute("weld", "a.end", "b.start"), test::revolute("hinge", "b.end", "cart")};
  EXPECT_EQ(n_q(spec), 1 + 2 * 12 - 2 - 2);
  EXPECT_EQ(mobility(spec), 3);  // the cart's, and an angle of each beam
}

TEST(Assemble, ABodyHeldAtBothEndsOfAJointIsHeld) {
  // b is placed before the ground is known to hold the point that it shares.
  SystemSpec spec = row();
  spec.joints = {test::revolute("hinge", "a.end", "b.start"), test::revolute("pin", "ground", "b.start")};
  EXPECT_EQ(n_q(spec), 2 * 12 - 2 - 2);
  EXPECT_EQ(mobility(spec), 2);
  spec.joints[1] = fixed_joint("clamp", "ground", "b.start");
  EXPECT_EQ(n_q(spec), 2 * 12 - 2 - 4);
  EXPECT_EQ(mobility(spec), 1);  // a turns
}

TEST(Assemble, FourBarClosesItsLoop) {
  const SystemSpec spec = four_bar();
  EXPECT_EQ(n_q(spec), 3 * 12 - 4 * 2);
  EXPECT_EQ(mobility(spec), 1);
  EXPECT_EQ(position(spec, "coupler.end"), Vector3d(1.0, 0.5, 0.0));
  EXPECT_EQ(position(spec, "right.end"), Vector3d(1.0, 0.5, 0.0));
}

TEST(Assemble, OrderOfBeamsAndSidesOfJointsDoNotMatter) {
  SystemSpec spec = four_bar();
  std::swap(spec.planar_beams[0], spec.planar_beams[1]);
  for (JointSpec& joint : spec.joints) std::swap(joint.from, joint.to);
  EXPECT_EQ(n_q(spec), 3 * 12 - 4 * 2);
  EXPECT_EQ(mobility(spec), 1);
  EXPECT_EQ(position(spec, "coupler.end"), Vector3d(1.0, 0.5, 0.0));
}

TEST(Assemble, ThreeBeamsMeetInAPoint) {
  SystemSpec spec = row();
  spec.planar_beams.push_back(test::rubber_beam("c", 1, 0.7, 0.5 * M_PI));
  spec.joints = {test::revolute("ab", "a.end", "b.start"), test::revolute("bc", "b.start", "c.start")};
  EXPECT_EQ(n_q(spec), 3 * 12 - 4);
  EXPECT_EQ(mobility(spec), 3 + 2);
  EXPECT_EQ(position(spec, "c.end").head<2>(), Vector2d(1.0, 0.7));
}

TEST(Assemble, SpringHoldsWhatItIsTiedTo) {
  SystemSpec spec = row();
  spec.joints = {test::revolute("pin", "ground", "a.start"), fixed_joint("weld", "a.end", "b.start")};
  spec.springs = {test::spring("spring", SpringLaw::linear, "ground", "b.end", 50.0)};
  EXPECT_EQ(mobility(spec), 0);
}

// --- Placement

TEST(Assemble, BeamsFollowTheJointsAtTheirStarts) {
  const SystemSpec spec = test::arm().spec;
  const Vector2d elbow = Vector2d(0.1, 0.2) + 0.8 * Vector2d(std::cos(0.3), std::sin(0.3));
  const Vector2d tip = elbow + 0.6 * Vector2d(std::cos(-0.4), std::sin(-0.4));
  EXPECT_LT((position(spec, "lower.start").head<2>() - elbow).norm(), 1e-15);
  EXPECT_LT((position(spec, "lower.end").head<2>() - tip).norm(), 1e-15);
}

TEST(Assemble, LengthMovesTheBeamsBehindIt) {
  const test::System arm = test::arm();
  const auto assembly = arm.assembled();
  auto& system = *assembly.system;
  const absolute::Observables<double> observables(arm.spec, assembly);
  const Observable<double>& tip = *observables.of(arm.functions[0]);
  const VectorXd start = initial_state(system), before = tip.value(instant(system, start));
  VectorXd p = system.parameters();
  p[0] += 0.25;
  system.set_parameters(p);
  const VectorXd x0 = initial_state(system);
  const Vector2d upper_axis(std::cos(0.3), std::sin(0.3));
  EXPECT_LT((tip.value(instant(system, x0)) - before - 0.25 * upper_axis).norm(), 1e-15);

  MatrixXd x_dot(system.n_x(), p.size());
  system.push_forward_initial(MatrixXd::Identity(p.size(), p.size()), x_dot);
  VectorXd x_bar = VectorXd::Zero(system.n_x()), none = VectorXd::Zero(p.size());
  DaeInstantBar<double> bar(layout_of(system), x_bar);
  tip.add_partials(instant(system, x0), Vector2d::UnitY(), bar, none);
  const VectorXd tip_y = x_dot.transpose() * x_bar;
  EXPECT_LT((tip_y - upper_axis[1] * VectorXd::Unit(p.size(), 0)).cwiseAbs().maxCoeff(), 1e-15);

  // Undeformed in its new place: nothing but weight, the spring and the mass that it has now.
  test::System longer = arm;
  test::set_numbers(p.head(std::ssize(arm.varied)), longer);
  const auto expected = longer.assembled();
  EXPECT_LT((initial_state(*expected.system) - x0).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LT((expected.system->mass_matrix() - system.mass_matrix()).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Assemble, LoopMustNotPartWhenALengthIsDesigned) {
  // A parallelogram: a and b on one side, d and c on the other, with equal lengths.
  SystemSpec spec;
  const double width = 1.0, height = 0.5;
  spec.planar_beams = {test::rubber_beam("a", 1, width, 0.0), test::rubber_beam("b", 1, height, 0.5 * M_PI),
                       test::rubber_beam("c", 1, width, 0.0), test::rubber_beam("d", 1, height, 0.5 * M_PI)};
  spec.planar_beams[0].start = spec.planar_beams[3].start = Vector2d::Zero();
  spec.joints = {test::revolute("ab", "a.end", "b.start"), test::revolute("dc", "d.end", "c.start"),
                 test::revolute("bc", "b.end", "c.end"), test::revolute("a0", "ground", "a.start"),
                 test::revolute("d0", "ground", "d.start")};
  EXPECT_EQ(n_q(spec), 4 * 12 - 5 * 2);
  EXPECT_EQ(mobility(spec), 2);
  try {
    absolute::assemble<double>(spec, {{{Kind::planar_beam_number, 0, 0, PlanarBeamSpec::length}}});
    FAIL() << "nothing was thrown";
  } catch (const SpecError& error) {
    EXPECT_EQ(error.key, "joints.bc");
    EXPECT_THAT(error.message, testing::HasSubstr("part when the length of a beam is designed"));
  }
}

TEST(Assemble, LoopStaysWholeWhenTiedLengthsAreDesigned) {
  // Two arms that carry a bar between them; the second is longer than the first by a constant.
  const auto spec_of = [](double length) {
    SystemSpec spec;
    spec.planar_beams = {test::rubber_beam("a", 2, length, 0.5 * M_PI), test::rubber_beam("b", 1, 1.0, 0.0),
                         test::rubber_beam("c", 1, length + 0.25, 0.5 * M_PI)};
    spec.planar_beams[0].start = Vector2d::Zero(), spec.planar_beams[2].start = Vector2d(1.0, -0.25);
    spec.joints = {test::revolute("a0", "ground", "a.start"), test::revolute("ab", "a.end", "b.start"),
                   test::revolute("c0", "ground", "c.start"), test::revolute("bc", "b.end", "c.end")};
    return spec;
  };
  const SystemSpec spec = spec_of(0.5), longer = spec_of(0.6);
  const auto tied = absolute::assemble<double>(
      spec, {{{Kind::planar_beam_number, 0, 0, PlanarBeamSpec::length}, 0},
             {{Kind::planar_beam_number, 2, 0, PlanarBeamSpec::length}, 0, 1.0, 0.25}});
  ASSERT_EQ(tied.system->parameters(), VectorXd::Constant(1, 0.5));
  tied.system->set_parameters(VectorXd::Constant(1, 0.6));
  const auto expected = absolute::assemble<double>(longer);
  EXPECT_LT((initial_state(*tied.system) - initial_state(*expected.system)).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LT((tied.system->mass_matrix() - expected.system->mass_matrix()).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Assemble, SlotsAreNumbersOrEntriesOfXi) {
  using Beam = PlanarBeamSpec;
  const test::System arm = test::arm();
  const absolute::Slots slots(arm.spec, absolute::each_alone(arm.varied));
  EXPECT_EQ(slots.of_element(1, 1, Beam::height).variable, 2);
  EXPECT_EQ(slots.of_element(1, 1, Beam::width).variable, -1);
  EXPECT_EQ(slots.of_element(1, 1, Beam::width).constant, 0.02);
  EXPECT_EQ(slots.of_element(0, 1, Beam::length).variable, 0) << "of the whole beam";
  EXPECT_EQ(slots.of_element(0, 1, Beam::length).factor, 0.5);
  EXPECT_EQ(slots(Kind::torsion_damping, 0).variable, 3);
  EXPECT_EQ(slots(Kind::spring_stiffness, 0).constant, 3.0);
  EXPECT_EQ(slots.xi(), (VectorXd(6) << 0.8, 0.05, 0.04, 0.02, 0.03, 0.9).finished());
}

// --- What does not fit

/// A change of the arm, and the message that it leads to.
struct Misfit {
  const char* name;
  void (*change)(SystemSpec&);
  const char* key;
  const char* message;  ///< a part of it
};

void PrintTo(const Misfit& misfit, std::ostream* out) {
  *out << misfit.name;
}

const Misfit misfits[] = {
    {"joint_to_unknown_place",
     [](SystemSpec& s) { s.joints.push_back(test::revolute("extra", "ground", "lower.ned")); },
     "joints.extra.to", "= \"lower.ned\" is no place; did you mean \"lower.end\"?"},
    {"mass_at_unknown_place", [](SystemSpec& s) { s.attached_masses[0].marker = test::place("lowr.end"); },
     "masses.load.at", "= \"lowr.end\" is no place; did you mean \"lower.end\"?"},
    {"spring_from_unknown_place", [](SystemSpec& s) { s.springs[0].from = test::place("groud"); },
     "springs.rubber.from", "= \"groud\" is no place; did you mean \"ground\"?"},
    {"spring_to_unknown_place", [](SystemSpec& s) { s.springs[0].to = test::place("roof"); },
     "springs.rubber.to",
     "= \"roof\" is no place; allowed: \"ground\", \"lower.end\", \"lower.start\", \"upper.end\", "
     "\"upper.start\""},
    {"force_at_unknown_place",
     [](SystemSpec& s) {
       test::add_force(s, "push", "lower", {1.0, 0.0, 0.0});
     },
     "controls.push.at", "= \"lower\" is no place"},
    {"two_torques_in_a_joint",
     [](SystemSpec& s) { s.motors[1].from = s.joints[0].from, s.motors[1].to = s.joints[0].to; },
     "controls.elbow_torque.joint", "= \"shoulder\" is driven by another control already"},
    {"torque_in_a_fixed_joint",
     [](SystemSpec& s) {
       s.joints[1].locked[5] = true;
       s.planar_beams[1].angle = s.planar_beams[0].angle;
     },
     "controls.elbow_torque.joint", "= \"elbow\" is fixed; a torque acts in a revolute joint"},
    {"force_on_the_ground",
     [](SystemSpec& s) {
       test::add_force(s, "push", "ground", {1.0, 0.0, 0.0});
     },
     "controls.push.at", "= \"ground\" does not move"},
    {"gravity_out_of_the_plane", [](SystemSpec& s) { s.gravity[2] = -9.81; }, "gravity",
     "leaves the plane z = 0"},
    {"beam_without_place",
     [](SystemSpec& s) { s.joints.pop_back(), s.motors.pop_back(), s.controls.pop_back(); },
     "beams.lower.start", "is missing, and no joint at the beam's start says where it is"},
    {"joint_apart", [](SystemSpec& s) { s.planar_beams[1].start = Vector2d(0.1, 0.2); }, "joints.elbow",
     "joins places that are 0.8 m apart"},
    {"joint_that_parts_with_the_length",
     [](SystemSpec& s) {
       s.planar_beams[1].start = Vector2d(0.1, 0.2) + 0.8 * Vector2d(std::cos(s.planar_beams[0].angle),
                                                                     std::sin(s.planar_beams[0].angle));
     },
     "joints.elbow", "joins places that part when the length of a beam is designed"},
    {"held_place_behind_a_designed_length",
     [](SystemSpec& s) { s.joints.push_back(test::revolute("pin", "ground", "lower.end")); }, "joints.pin",
     "holds a place that moves when the length of a beam is designed"},
    {"fixed_at_an_angle",
     [](SystemSpec& s) { s.joints[1].locked[5] = true, s.motors.pop_back(), s.controls.pop_back(); },
     "joints.elbow", "fixes two beams that do not have the same angle"},
    {"fixed_to_a_point",
     [](SystemSpec& s) {
       s.point_masses = {{"hook", {0.1, 0.2, 0.0}, {0.0, 0.0, 0.0}, {true, true, true}, 1.0}};
       s.joints[0] = fixed_joint("shoulder", "hook", "upper.start");
     },
     "joints.shoulder", "fixes a beam to a point, which has no direction"},
    {"joint_of_points",
     [](SystemSpec& s) {
       s.point_masses = {{"hook", {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {true, true, true}, 1.0}};
       s.joints.push_back(test::revolute("hang", "ground", "hook"));
     },
     "joints.hang", "joins no beam"},
    {"joint_between_places_tied_already",
     [](SystemSpec& s) { s.joints.push_back(test::revolute("loop", "upper.start", "lower.end")); },
     "joints.loop", "apart"},
    {"point_without_mass",
     [](SystemSpec& s) {
       s.point_masses = {{"ball", {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {false, true, false}, 0.0}};
     },
     "", "ball.y has no mass; give it some, or hold it"},
};

class Misfits : public testing::TestWithParam<Misfit> {};

INSTANTIATE_TEST_SUITE_P(Assemble, Misfits, testing::ValuesIn(misfits),
                         [](const auto& param) { return param.param.name; });

TEST_P(Misfits, AreRefusedByName) {
  test::System arm = test::arm();
  ASSERT_NO_THROW(arm.assembled());
  GetParam().change(arm.spec);
  try {
    arm.assembled();
    FAIL() << "nothing was thrown";
  } catch (const SpecError& error) {
    EXPECT_EQ(error.key, GetParam().key);
    EXPECT_THAT(error.message, testing::HasSubstr(GetParam().message));
    EXPECT_EQ(error.what(), error.key + " " + error.message);
  }
}

std::string refusal(const SystemSpec& spec) {
  try {
    absolute::assemble<double>(spec);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "no SpecError";
}

TEST(Assemble, RefusesALoopThatTwoTiesAlreadyFix) {
  // Both ends of c are tied, and a third joint would make two places one that already have coordinates.
  SystemSpec spec = four_bar();
  spec.joints.push_back(test::revolute("E", "left.end", "right.end"));
  EXPECT_THAT(refusal(spec), testing::HasSubstr("joints.E"));
}

TEST(Assemble, RefusesToFixWhatAnotherJointLetsTurn) {
  SystemSpec spec = row();
  spec.planar_beams.push_back(test::rubber_beam("c", 1, 0.7, 0.0));
  spec.joints = {test::revolute("ab", "a.end", "b.start"), test::revolute("ac", "a.end", "c.start"),
                 fixed_joint("bc", "b.start", "c.start")};
  EXPECT_THAT(refusal(spec), testing::HasSubstr("joints.bc"));
  // Stated before the hinge, it is the fixed joint that places c.
  std::swap(spec.joints[1], spec.joints[2]);
  EXPECT_EQ(mobility(spec), 3 + 1);
}

TEST(Assemble, RefusesToClampWhatIsPinned) {
  SystemSpec spec = row();
  spec.joints = {test::revolute("hinge", "a.end", "b.start"), test::revolute("pin", "ground", "a.start"),
                 fixed_joint("clamp", "ground", "a.start")};
  EXPECT_THAT(refusal(spec), testing::HasSubstr("joints.clamp clamps what another joint pins"));
}

}  // namespace
}  // namespace kurbel
