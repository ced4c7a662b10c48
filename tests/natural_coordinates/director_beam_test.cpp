/// One element of the director beam: derivatives against complex step, rigid motions, balance, stress.
#include "elements/director_beam.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/natural_coordinates/beam_element.hpp"

namespace kurbel {
namespace {

using namespace test;

const Vector3d gravity(1.3, 0.4, -9.81), no_gravity = Vector3d::Zero();
const std::vector<int> positions = {0, 4};

VectorXd straight(double l) {
  VectorXd q(24);
  q << 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, l, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1;
  return q;
}

/// l, E, nu, rho, eta, width, height, and strains of the shape at rest.
VectorXd parameters() {
  VectorXd xi(13);
  xi << 0.4, 3e9, 0.3, 1300.0, 0.02, 0.05, 0.03, 0.01, -0.02, 0.03, 0.5, -0.3, 0.2;
  return xi;
}

VectorXd straight_parameters() {
  VectorXd xi = parameters();
  xi.tail<6>().setZero();
  return xi;
}

BeamCase<DirectorBeam> beam(SectionShape shape = SectionShape::rectangle, const Vector3d& g = gravity) {
  return {DirectorBeam<double>(g, shape), DirectorBeam<Complex>(g, shape),
          moved(straight(0.4) + 0.05 * random_vector(24, 1.0, 3), turn(2.2, {1.0, -0.4, 0.7}),
                {0.2, -0.1, 0.5}, positions),
          random_vector(24, 3.0, 8), parameters()};
}

constexpr std::array shapes = {SectionShape::square, SectionShape::rectangle, SectionShape::circle,
                               SectionShape::tube};

TEST(DirectorBeam, DerivativesOfTheForceEqualComplexStep) {
  for (const SectionShape shape : shapes) expect_force_derivatives(beam(shape));
}

TEST(DirectorBeam, DerivativesOfTheMassEqualComplexStep) {
  for (const SectionShape shape : shapes) expect_mass_derivatives(beam(shape));
}

TEST(DirectorBeam, ForceIsTheGradientOfThePotential) {
  expect_force_from_potential(beam());
}

TEST(DirectorBeam, IsFreeOfForceInRigidMotionOfItsCurvedShape) {
  BeamCase<DirectorBeam> b = beam(SectionShape::tube, no_gravity);
  b.xi.tail<6>() = director_beam_strains<double>(b.q, b.xi[0]);
  const VectorXd q = moved(b.q, turn(1.1, {0.3, -2.0, 1.0}), {3.0, -1.0, 2.0}, positions);
  VectorXd v = turning(q, {1.0, 2.0, 3.0});
  for (const int i : positions) v.segment<3>(3 * i) += Vector3d(1.0, -2.0, 0.5);
  EXPECT_LT(b.force(q, v).cwiseAbs().maxCoeff(), 1e-13 * b.force().cwiseAbs().maxCoeff());
}

TEST(DirectorBeam, ForcesAndMomentsInsideAreBalancedAndDampingTakesEnergy) {
  const BeamCase<DirectorBeam> b = beam(SectionShape::rectangle, no_gravity);
  const VectorXd Q = b.force(), elastic = b.force(b.q, VectorXd::Zero(24));
  EXPECT_LT((Q.segment<3>(0) + Q.segment<3>(12)).cwiseAbs().maxCoeff(), exact * Q.cwiseAbs().maxCoeff());
  EXPECT_LT(moment(b.q, Q).cwiseAbs().maxCoeff(), exact * Q.cwiseAbs().maxCoeff());
  EXPECT_LT((Q - elastic).dot(b.v), 0.0);
}

TEST(DirectorBeam, StrainsAreStretchShearTwistAndCurvature) {
  constexpr double l = 0.4, small = 1e-4;
  for (int axis = 0; axis < 3; ++axis) {
    VectorXd q = straight(l);
    q[12 + axis] += small * l;
    const Vector6<double> shifted = director_beam_strains<double>(q, l);
    EXPECT_LT((shifted - small * Vector6<double>::Unit(axis)).cwiseAbs().maxCoeff(), 1e-15);
    q = straight(l);
    const Matrix3<double> R = turn(small * l, Vector3d::Unit(axis));
    for (int i = 5; i < 8; ++i) q.segment<3>(3 * i) = R * q.segment<3>(3 * i).eval();
    const Vector6<double> turned = director_beam_strains<double>(q, l);
    EXPECT_LT((turned - small * Vector6<double>::Unit(3 + axis)).tail<3>().cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(DirectorBeam, EnergyIsThatOfTheSectionsStiffnesses) {
  const VectorXd xi = straight_parameters();
  const double l = xi[0], E = xi[1], G = E / (2.0 * (1.0 + xi[2])), b = xi[5], h = xi[6];
  const Vector6<double> C = (Vector6<double>() << E * b * h, 5.0 / 6.0 * G * b * h, 5.0 / 6.0 * G * b * h,
                             G * SectionProperties<double>(SectionShape::rectangle, b, h, 0.3).J_t,
                             E * b * h * h * h / 12.0, E * h * b * b * b / 12.0)
                                .finished();
  BeamCase<DirectorBeam> judged = beam(SectionShape::rectangle, no_gravity);
  judged.xi = xi;
  const Vector6<double> s = director_beam_strains<double>(judged.q, l);
  const double U = 0.5 * l * s.dot(C.cwiseProduct(s));
  EXPECT_NEAR(judged.potential(judged.q), U, exact * U);
}

TEST(DirectorBeam, MassIsThatOfARectangularBar) {
  const VectorXd xi = straight_parameters();
  const double l = xi[0], b = xi[5], h = xi[6], m = xi[3] * l * b * h;
  MatrixXd M = MatrixXd::Zero(24, 24);
  beam().element.add_mass(xi, M);
  VectorXd q = straight(l);
  for (const int i : {0, 12}) q[i] -= 0.5 * l;
  const auto inertia = [&](const Vector3d& omega) {
    const VectorXd v = turning(q, omega);
    return v.dot(M * v);
  };
  // Linear interpolation of r is exact in a rigid motion.
  EXPECT_NEAR(inertia({1, 0, 0}), m * (b * b + h * h) / 12.0, exact * m);
  EXPECT_NEAR(inertia({0, 1, 0}), m * (l * l + h * h) / 12.0, exact * m);
  EXPECT_NEAR(inertia({0, 0, 1}), m * (l * l + b * b) / 12.0, exact * m);
}

TEST(DirectorStress, DerivativesEqualComplexStep) {
  for (const SectionShape shape : shapes) {
    for (const auto& [eta, zeta] : {std::pair{0.3, -0.6}, std::pair{1.0, 0.2}, std::pair{-0.5, 1.0}}) {
      expect_function_derivatives(DirectorStress<double>(eta, zeta, shape),
                                  DirectorStress<Complex>(eta, zeta, shape), beam().q, parameters());
    }
  }
}

TEST(DirectorStress, OfTheOutlineIsItsPeakWithTheDerivativesOfThatPoint) {
  const VectorXd q = beam().q, xi = parameters(), none;
  for (const SectionShape shape : shapes) {
    const DirectorStress<double> of_outline(shape);
    VectorXd peak(1), h(1);
    of_outline.value({q, none, none, xi}, peak);
    double largest = 0.0;
    for (int i = 0; i < 4000; ++i) {
      const auto [eta, zeta] = point_of_outline(shape, outline_samples * i / 4000.0);
      DirectorStress<double>(eta, zeta, shape).value({q, none, none, xi}, h);
      largest = std::max(largest, h[0]);
    }
    // Samples miss a smooth peak by half of the square of half their distance, 3e-7.
    EXPECT_NEAR(peak[0], largest, 1e-6 * largest);
    EXPECT_GE(peak[0], largest * (1.0 - 1e-7));
    // By central differences, in which the point of the peak moves as well.
    FunctionDerivatives<double> derivatives;
    derivatives.resize(1, q.size(), xi.size());
    for (auto* A : {&derivatives.h_q, &derivatives.h_v, &derivatives.h_xi}) A->setZero();
    of_outline.add_derivatives({q, none, none, xi}, derivatives);
    const double step = 1e-6, scale = derivatives.h_q.cwiseAbs().maxCoeff();
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      const auto at = [&](double moved) {
        VectorXd other = q;
        other[i] += moved;
        of_outline.value({other, none, none, xi}, h);
        return h[0];
      };
      EXPECT_NEAR(derivatives.h_q(0, i), (at(step) - at(-step)) / (2.0 * step), 1e-6 * scale) << i;
    }
  }
}

TEST(DirectorStress, OfARoundSectionDoesNotDependOnTheDirectionInWhichItBends) {
  const VectorXd at_rest = straight_parameters();
  const double E = at_rest[1], kappa = 1e-2, expected = E * kappa * 0.5 * at_rest[5];
  for (const double angle : {0.0, 0.1, 0.3927, 1.0}) {
    VectorXd xi = at_rest, h(1);
    const VectorXd none, q = straight(xi[0]);
    xi[11] = kappa * std::cos(angle), xi[12] = kappa * std::sin(angle);
    DirectorStress<double>(SectionShape::circle).value({q, none, none, xi}, h);
    EXPECT_NEAR(h[0], expected, 1e-7 * expected + 2e-9 * E);  // s_min = 1e-9 E
  }
}

TEST(DirectorStress, HasDerivativesWithoutStress) {
  // s_min / E = 1e-9 of a strain is what its rounding, 1e-16, is compared to.
  expect_function_derivatives(DirectorStress<double>(0.3, 0.5, SectionShape::tube),
                              DirectorStress<Complex>(0.3, 0.5, SectionShape::tube), straight(0.4),
                              straight_parameters(), 1e-6);
}

double stress(double eta, double zeta, SectionShape shape, const VectorXd& xi) {
  const VectorXd none, q = straight(xi[0]);
  VectorXd h(1);
  DirectorStress<double>(eta, zeta, shape).value({q, none, none, xi}, h);
  return h[0];
}

TEST(DirectorStress, IsThatOfEachSectionForce) {
  const VectorXd at_rest = straight_parameters();
  const double E = at_rest[1], G = E / 2.6, b = at_rest[5], h = at_rest[6], tolerance = 2e-9 * E;
  const auto with = [&](int strain, double value) {
    VectorXd xi = at_rest;
    xi[7 + strain] = -value;
    return xi;
  };
  const SectionShape shape = SectionShape::rectangle;
  EXPECT_NEAR(stress(0.2, 0.4, shape, with(0, 1e-3)), 1e-3 * E, tolerance);
  EXPECT_NEAR(stress(0.2, 0.4, shape, with(4, 1e-2)), 1e-2 * E * 0.4 * 0.5 * h, tolerance);
  EXPECT_NEAR(stress(0.2, 0.4, shape, with(5, 1e-2)), 1e-2 * E * 0.2 * 0.5 * b, tolerance);
  EXPECT_NEAR(stress(0.0, 0.4, shape, with(1, 1e-3)), std::sqrt(3.0) * 1.5 * 5.0 / 6.0 * 1e-3 * G, tolerance);
  EXPECT_NEAR(stress(0.1, 1.0, shape, with(2, 1e-3)), 0.0, tolerance);
  EXPECT_NEAR(stress(0.6, 0.8, SectionShape::tube, with(3, 1e-2)), std::sqrt(3.0) * 1e-2 * G * 0.5 * b,
              tolerance);
}

}  // namespace
}  // namespace kurbel
