/// One cable element: derivatives against complex step, rigid motions, balance of momenta, stress.
#include "natural_coordinates/cable_beam.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/natural_coordinates/beam_element.hpp"

namespace kurbel {
namespace {

using namespace test;

const Vector3d gravity(1.3, 0.4, -9.81), no_gravity = Vector3d::Zero();
const std::vector<int> positions = {0, 2};

/// l, E, rho, eta, outer and inner diameter
VectorXd parameters() {
  return (VectorXd(6) << 0.4, 3e9, 1300.0, 0.02, 0.05, 0.03).finished();
}

VectorXd straight(double l) {
  return (VectorXd(12) << 0, 0, 0, 1, 0, 0, l, 0, 0, 1, 0, 0).finished();
}

/// Turned somehow, and strained by some ten per cent.
VectorXd deformed() {
  const double l = parameters()[0];
  return moved(straight(l) + 0.1 * l * random_vector(12, 1.0, 3), turn(2.2, {1.0, -0.4, 0.7}),
               {0.2, -0.1, 0.5}, positions);
}

BeamCase<CableBeam> cable(CableEnergy energy, const Vector3d& g = gravity,
                          SectionShape shape = SectionShape::tube) {
  return {CableBeam<double>(g, shape, energy), CableBeam<Complex>(g, shape, energy), deformed(),
          random_vector(12, 3.0, 8), parameters()};
}

class CableBeamTest : public testing::TestWithParam<CableEnergy> {};

std::string name_of(const testing::TestParamInfo<CableEnergy>& info) {
  return std::array{"green", "second_derivative", "chord",
                    "linearized"}[static_cast<std::size_t>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(CableBeam, CableBeamTest,
                         testing::Values(CableEnergy::green, CableEnergy::second_derivative,
                                         CableEnergy::chord, CableEnergy::linearized),
                         name_of);

class CableWithPotential : public CableBeamTest {};

INSTANTIATE_TEST_SUITE_P(CableBeam, CableWithPotential,
                         testing::Values(CableEnergy::green, CableEnergy::second_derivative,
                                         CableEnergy::chord),
                         name_of);

TEST_P(CableBeamTest, DerivativesOfTheForceEqualComplexStep) {
  expect_force_derivatives(cable(GetParam()));
}

TEST_P(CableBeamTest, HasDerivativesInTheStraightBeam) {
  BeamCase<CableBeam> b = cable(GetParam());
  b.q = moved(straight(b.xi[0]), turn(0.7, {1.0, 2.0, -1.0}), {0.1, 0.2, 0.3}, positions);
  expect_force_derivatives(b);
}

TEST_P(CableWithPotential, ForceIsTheGradientOfThePotential) {
  expect_force_from_potential(cable(GetParam()));
}

TEST_P(CableBeamTest, IsFreeOfForceInRigidMotionOfTheStraightBeam) {
  const BeamCase<CableBeam> b = cable(GetParam(), no_gravity);
  const VectorXd q = moved(straight(b.xi[0]), turn(1.1, {0.3, -2.0, 1.0}), {3.0, -1.0, 2.0}, positions);
  const double EA = b.xi[1] * SectionProperties<double>(SectionShape::tube, 0.05, 0.03, 0.0).A;
  // 1e-16 of positions and slopes, over the length
  EXPECT_LT(b.force(q, turning(q, {1.0, 2.0, 3.0})).cwiseAbs().maxCoeff(), 1e-14 * EA);
}

TEST_P(CableBeamTest, ForceTurnsWithTheBeam) {
  const BeamCase<CableBeam> b = cable(GetParam(), no_gravity);
  const Matrix3<double> R = turn(2.0, {1.0, 0.2, -3.0});
  const VectorXd turned = b.force(moved(b.q, R, {1.0, 2.0, -1.0}, positions), moved(b.v, R, no_gravity, {}));
  const VectorXd expected = moved(b.force(), R, no_gravity, {});
  EXPECT_LT((turned - expected).cwiseAbs().maxCoeff(), exact * expected.cwiseAbs().maxCoeff());
}

TEST_P(CableBeamTest, DampingSparesTranslationAndTurnsAcrossTheChord) {
  const BeamCase<CableBeam> b = cable(GetParam(), no_gravity);
  const VectorXd at_rest = b.force(b.q, VectorXd::Zero(12));
  const Vector3d chord = b.q.segment<3>(6) - b.q.segment<3>(0);
  VectorXd v = turning(b.q, chord.cross(Vector3d(0.2, 3.0, -1.0)));
  for (const int i : {0, 6}) v.segment<3>(i) += Vector3d(1.0, -2.0, 0.5);
  EXPECT_LT((b.force(b.q, v) - at_rest).cwiseAbs().maxCoeff(), exact * at_rest.cwiseAbs().maxCoeff());
}

TEST_P(CableBeamTest, DampingBrakesABentBeamThatSpinsAboutItsChord) {
  const BeamCase<CableBeam> b = cable(GetParam(), no_gravity);
  const double l = b.xi[0], EI = b.xi[1] * SectionProperties<double>(SectionShape::tube, 0.05, 0.03, 0.0).I_y;
  const Vector3d chord = b.q.segment<3>(6) - b.q.segment<3>(0), e = chord.normalized();
  constexpr double omega = 3.0;
  const VectorXd v = turning(b.q, omega * e);
  const auto square = [&](double x) {
    const Vector3d r_xx = (6.0 - 12.0 * x) / (l * l) * chord + (6.0 * x - 4.0) / l * b.q.segment<3>(3) +
                          (6.0 * x - 2.0) / l * b.q.segment<3>(9);
    return e.cross(r_xx).squaredNorm();
  };
  const double integral = l / 6.0 * (square(0.0) + 4.0 * square(0.5) + square(1.0));  // a parabola
  const double power = (b.force(b.q, v) - b.force(b.q, VectorXd::Zero(12))).dot(v);
  const double expected = -EI * b.xi[3] * omega * omega * integral;
  EXPECT_NEAR(power / expected, 1.0, 1e-9);  // a difference of forces 1e3 times as large
}

TEST_P(CableWithPotential, DampingTakesEnergyOnly) {
  const BeamCase<CableBeam> b = cable(GetParam(), no_gravity);
  for (unsigned seed = 1; seed < 20; ++seed) {
    const VectorXd v = random_vector(12, 2.0, seed);
    EXPECT_LT((b.force(b.q, v) - b.force(b.q, VectorXd::Zero(12))).dot(v), 0.0) << seed;
  }
}

TEST_P(CableBeamTest, DampsSmallVibrationsOfTheStraightBeamByStiffnessTimesEta) {
  BeamCase<CableBeam> b = cable(GetParam());
  b.q = straight(b.xi[0]), b.v.setZero();
  const VectorXd u;
  ForceDerivatives<double> d;
  d.resize(12, 0, 6);
  b.element.add_derivatives({b.q, b.v, u, b.xi}, d);
  const VectorXd across = (VectorXd(12) << 0, 1, 2, 0, 3, 1, 0, -1, 1, 0, -2, 0.5).finished();
  const VectorXd elastic = d.Q_q * across, viscous = d.Q_v * across;
  EXPECT_LT((viscous - b.xi[3] * elastic).cwiseAbs().maxCoeff(), 1e-10 * viscous.cwiseAbs().maxCoeff());
}

TEST_P(CableBeamTest, ForcesAndMomentsInsideAreBalanced) {
  BeamCase<CableBeam> b = cable(GetParam(), no_gravity);
  const VectorXd damped = b.force();
  const Vector3d sum = damped.segment<3>(0) + damped.segment<3>(6);
  EXPECT_LT(sum.cwiseAbs().maxCoeff(), exact * damped.cwiseAbs().maxCoeff());
  b.xi[3] = 0.0;
  const VectorXd elastic = b.force();
  EXPECT_LT(moment(b.q, elastic).cwiseAbs().maxCoeff(), exact * elastic.cwiseAbs().maxCoeff());
}

TEST_P(CableBeamTest, GravityActsOnTheWholeMass) {
  const BeamCase<CableBeam> heavy = cable(GetParam()), light = cable(GetParam(), no_gravity);
  const VectorXd Q = heavy.force() - light.force();
  const double A = SectionProperties<double>(SectionShape::tube, 0.05, 0.03, 0.0).A;
  const Vector3d weight = heavy.xi[2] * A * heavy.xi[0] * gravity, sum = Q.segment<3>(0) + Q.segment<3>(6);
  EXPECT_LT((sum - weight).norm(), 1e-9 * weight.norm());  // differences of forces 1e6 times the weight
}

TEST(CableBeam, LinearizedForceIsThatOfThePublishedMatrices) {
  BeamCase<CableBeam> b = cable(CableEnergy::linearized, no_gravity);
  const double l = b.xi[0], E = b.xi[1], eps = (b.q.segment<3>(6) - b.q.segment<3>(0)).norm() / l - 1.0;
  const SectionProperties<double> section(SectionShape::tube, 0.05, 0.03, 0.0);
  Eigen::Matrix4d longitudinal, transverse;                    // [P1, eq. 59]
  longitudinal << 6.0 / 5.0, l / 10.0, -6.0 / 5.0, l / 10.0,   //
      l / 10.0, 2.0 * l * l / 15.0, -l / 10.0, -l * l / 30.0,  //
      -6.0 / 5.0, -l / 10.0, 6.0 / 5.0, -l / 10.0,             //
      l / 10.0, -l * l / 30.0, -l / 10.0, 2.0 * l * l / 15.0;
  transverse << 12.0, 6.0 * l, -12.0, 6.0 * l,      //
      6.0 * l, 4.0 * l * l, -6.0 * l, 2.0 * l * l,  //
      -12.0, -6.0 * l, 12.0, -6.0 * l,              //
      6.0 * l, 2.0 * l * l, -6.0 * l, 4.0 * l * l;
  const Eigen::Matrix4d K =
      E * section.A / l * eps * longitudinal + E * section.I_y / (l * l * l) * transverse;
  const VectorXd Q = b.force(b.q, VectorXd::Zero(12));
  const Eigen::Matrix<double, 3, 4> expected = -Eigen::Map<const Eigen::Matrix<double, 3, 4>>(b.q.data()) * K;
  EXPECT_LT((Q - Eigen::Map<const VectorXd>(expected.data(), 12)).cwiseAbs().maxCoeff(),
            exact * Q.cwiseAbs().maxCoeff());
}

TEST(CableBeam, DerivativesOfTheMassEqualComplexStep) {
  expect_mass_derivatives(cable(CableEnergy::green));
}

TEST(CableBeam, MassIsThatOfARod) {
  const BeamCase<CableBeam> b = cable(CableEnergy::green);
  const double l = b.xi[0], A = SectionProperties<double>(SectionShape::tube, 0.05, 0.03, 0.0).A;
  const double m = b.xi[2] * A * l;
  MatrixXd M = MatrixXd::Zero(12, 12);
  b.element.add_mass(b.xi, M);
  VectorXd q = straight(l);
  for (const int i : {0, 6}) q[i] -= 0.5 * l;
  const VectorXd v = turning(q, {0.0, 0.0, 1.0});
  EXPECT_NEAR(v.dot(M * v), m * l * l / 12.0, 1e-14 * m);
  const Eigen::Matrix4d scalar = cable_mass<double>(b.xi[2] * A, l);
  EXPECT_EQ(M(3, 9), scalar(1, 3));
  EXPECT_NEAR(scalar(0, 0) + 2.0 * scalar(0, 2) + scalar(2, 2), m, 1e-14 * m);
}

TEST(CableBeam, EnergyOfACircularArcIsThatOfItsCurvature) {
  constexpr double angle = 0.05;
  BeamCase<CableBeam> b = cable(CableEnergy::green, no_gravity);
  const double l = b.xi[0], r = l / angle;
  b.q << 0, 0, 0, 1, 0, 0, r * std::sin(angle), 0, r * (1 - std::cos(angle)), std::cos(angle), 0,
      std::sin(angle);
  const double EI = b.xi[1] * SectionProperties<double>(SectionShape::tube, 0.05, 0.03, 0.0).I_y;
  EXPECT_NEAR(b.potential(b.q) / (0.5 * EI * l / (r * r)), 1.0, 1e-3);  // a cubic is no arc: angle^2 / 12
}

TEST_P(CableBeamTest, DerivativesOfTheStressEqualComplexStep) {
  for (const SectionShape shape : {SectionShape::tube, SectionShape::rectangle, SectionShape::square}) {
    for (const int side : {1, -1, 0}) {
      expect_function_derivatives(CableStress<double>(0.3, side, shape, GetParam()),
                                  CableStress<Complex>(0.3, side, shape, GetParam()), deformed(),
                                  parameters());
    }
  }
}

TEST_P(CableBeamTest, StressHasDerivativesInTheStraightBeam) {
  const VectorXd xi = parameters();
  expect_function_derivatives(CableStress<double>(0.5, 1, SectionShape::tube, GetParam()),
                              CableStress<Complex>(0.5, 1, SectionShape::tube, GetParam()), straight(xi[0]),
                              xi);
}

TEST_P(CableBeamTest, StressIsThatOfStretchAndBending) {
  constexpr double stretch = 1e-5, angle = 1e-3;
  const VectorXd xi = parameters(), none;
  const double l = xi[0];
  VectorXd q = straight(l);
  q[6] += stretch * l, q[3] += stretch, q[9] += stretch;
  q[5] -= 0.5 * angle, q[11] += 0.5 * angle;  // constant curvature angle / l
  for (const int side : {1, -1, 0}) {
    VectorXd sigma(1);
    CableStress<double>(0.5, side, SectionShape::tube, GetParam()).value({q, none, none, xi}, sigma);
    const double bending = 0.5 * xi[4] * angle / l;
    EXPECT_NEAR(sigma[0] / xi[1], stretch + (side == 0 ? 1 : side) * bending,
                2e-9 + 2.0 * stretch * bending);  // rounding; squares
  }
}

}  // namespace
}  // namespace kurbel
