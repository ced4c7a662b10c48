/// From a specification to a system: shared, held and moved coordinates, mobility, and what does not fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "floating_frame/system_quantity.hpp"
#include "integration/constant_mass_start.hpp"
#include "test_systems.hpp"
#include "tests/numerics.hpp"

namespace kurbel {
namespace {

using Eigen::Vector2d;

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

VectorXd start(const NaturalSystem<double>& system) {
  VectorXd x(system.n_x()), v(system.n_x());
  system.given_initial_state(x, v);
  return x;
}

/// Number of motions that need no force: zeros among the squares of the natural frequencies at rest.
int mobility(SystemSpec spec) {
  spec.gravity.setZero();
  const NaturalSystem<double> system(spec);
  const auto ws = system.make_workspace();
  DaeJacobians<double> jacobians = system.make_jacobians();
  system.force_jacobians({0.0}, start(system), VectorXd::Zero(system.n_x()), *ws, jacobians);
  const MatrixXd K = jacobians.f_x.to_dense();
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> modes(
      0.5 * (K + K.transpose()), system.mass().to_dense(), Eigen::EigenvaluesOnly);
  // Between 1e-9 for rounding and 1 (rad/s)^2 for the slowest bending of rubber.
  return static_cast<int>((modes.eigenvalues().array() < 1e-3).count());
}

/// The position of a place at rest.
Vector3d position(const NaturalSystem<double>& system, const std::string& place) {
  return system.frames()
      .at(test::place(place), "place")
      .point.at<double>(system.extended_parameters().data(), start(system));
}

Vector3d position(const SystemSpec& spec, const std::string& place) {
  return position(NaturalSystem<double>(spec), place);
}

Eigen::Index n_q(const SystemSpec& spec) {
  return NaturalSystem<double>(spec).n_x();
}

// --- Joints

TEST(Assemble, RevoluteJointSharesThePosition) {
  SystemSpec spec = row();
  spec.joints = {test::revolute("hinge", "a.end", "b.start")};
  EXPECT_EQ(n_q(spec), 2 * 12 - 2);
  EXPECT_EQ(mobility(spec), 3 + 1);  // of the row as one body, and in the hinge
  const NaturalSystem<double> system(spec);
  const auto first = [&](const std::string& place) {
    return system.frames().at(test::place(place), "place").point.terms.front().first;
  };
  EXPECT_EQ(first("a.end"), first("b.start"));
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
  const SystemSpec arm = test::arm().spec;
  NaturalSystem<double> system(arm);
  const Vector3d before = position(system, "lower.end");
  SystemSpec longer = arm;
  const SystemQuantity length{SystemQuantity::Kind::planar_beam_number, 0, 0, PlanarBeamSpec::length};
  set_value(length, value_of(length, arm) + 0.25, longer);
  system.change([&](SystemSpec& spec) { spec = longer; });
  const Vector3d upper_axis(std::cos(0.3), std::sin(0.3), 0.0);
  EXPECT_LT((position(system, "lower.end") - before - 0.25 * upper_axis).norm(), 1e-15);
  // Undeformed in its new place, with the mass that it has now.
  const NaturalSystem<double> expected(longer);
  EXPECT_LT((start(expected) - start(system)).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_LT((expected.mass().to_dense() - system.mass().to_dense()).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Assemble, ElementsMayDifferInLength) {
  SystemSpec spec;
  PlanarBeamSpec beam = test::rubber_beam("a", 3, 0.6, 0.0);
  beam.start = Vector2d::Zero();
  beam.elements[PlanarBeamSpec::length] = {0.1, 0.2, 0.4};
  spec.planar_beams = {beam};
  EXPECT_LT((position(spec, "a.end") - Vector3d(0.7, 0.0, 0.0)).norm(), 1e-15);
}

TEST(Assemble, LoopsTellWhichLengthsMoveTheirEnds) {
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
  const NaturalSystem<double> system(spec);
  VectorXd longer = VectorXd::Zero(system.parameters().size());
  longer[system.layout().planar_beam(0).number(0, PlanarBeamSpec::length)] = 1.0;
  for (const PlacedGap& gap : system.gaps()) {
    Vector3d moved = Vector3d::Zero();
    for (const VectorForm::Reach& reach : gap.gap.reaches) moved += longer[reach.parameter] * reach.direction;
    EXPECT_EQ(moved.norm() > 0.5, gap.joint == "bc") << gap.joint;
  }
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
    {"beam_without_place",
     [](SystemSpec& s) { s.joints.pop_back(), s.motors.pop_back(), s.torsion_springs.pop_back(); },
     "beams.lower.start", "is missing, and no joint at the beam's start says where it is"},
    {"joint_apart", [](SystemSpec& s) { s.planar_beams[1].start = Vector2d(0.1, 0.2); }, "joints.elbow",
     "joins places that are 0.8 m apart"},
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
     "joints.hang", "holds a rotation of the point hook"},
};

class Misfits : public testing::TestWithParam<Misfit> {};

INSTANTIATE_TEST_SUITE_P(Assemble, Misfits, testing::ValuesIn(misfits),
                         [](const auto& param) { return param.param.name; });

TEST_P(Misfits, AreRefusedByName) {
  test::System arm = test::arm();
  ASSERT_NO_THROW(n_q(arm.spec));
  GetParam().change(arm.spec);
  try {
    n_q(arm.spec);
    FAIL() << "nothing was thrown";
  } catch (const SpecError& error) {
    EXPECT_EQ(error.key, GetParam().key);
    EXPECT_THAT(error.message, testing::HasSubstr(GetParam().message));
    EXPECT_EQ(error.what(), error.key + " " + error.message);
  }
}

std::string refusal(const SystemSpec& spec) {
  try {
    n_q(spec);
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
