/// Cantilevers of cable elements and of director beams against published large deflections, and against beam
/// theory where that is exact.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "elements/director_beam.hpp"
#include "natural_coordinates/cable_beam.hpp"
#include "tests/natural_coordinates/beam_chain.hpp"

namespace kurbel {
namespace {

using std::numbers::pi;
using test::BeamChain;
using test::Elastica;
using test::elasticas;
using test::limit;
using test::order;

const Vector3d none = Vector3d::Zero();

/// E of a square of side h for E I = 1.
double modulus(double h) {
  return 12.0 / (h * h * h * h);
}

BeamChain<CableBeam<double>> cable(int n, CableEnergy energy, double h) {
  const double l = 1.0 / n;
  VectorXd q(6 * (n + 1)), xi(6);
  for (int i = 0; i <= n; ++i) q.segment<6>(6 * i) << i * l, 0, 0, 1, 0, 0;
  xi << l, modulus(h), 1.0, 0.0, h, 0.0;
  return {{none, SectionShape::square, energy},
          std::vector<VectorXd>(static_cast<std::size_t>(n), xi),
          q,
          {6, false, {0, 1, 2, 4, 5}}};
}

/// Sections along a plane curve: position and direction of the tangent from the x axis; d_3 = z.
struct Curve {
  std::function<Vector3d(double)> at;
  std::function<double(double)> angle;
  double length;
};

BeamChain<DirectorBeam<double>> directors(int n, const Curve& curve,
                                          const Eigen::Matrix<double, 7, 1>& section,
                                          SectionShape shape = SectionShape::square) {
  VectorXd q(12 * (n + 1));
  for (int i = 0; i <= n; ++i) {
    const double s = curve.length * i / n, a = curve.angle(s);
    q.segment<12>(12 * i) << curve.at(s), std::cos(a), std::sin(a), 0, -std::sin(a), std::cos(a), 0, 0, 0, 1;
  }
  std::vector<VectorXd> xi;
  for (int i = 0; i < n; ++i) {
    VectorXd x(13);
    x << section, Vector6<double>::Zero();
    x[0] = curve.length / n;
    x.tail<6>() = director_beam_strains<double>(q.segment(12 * i, 24).eval(), x[0]);
    xi.push_back(x);
  }
  return {{none, shape}, xi, q, {12, true, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}};
}

Curve straight(double L) {
  return {[](double s) { return Vector3d(s, 0, 0); }, [](double) { return 0.0; }, L};
}

/// l (set later), E, nu, rho, eta, dimensions
Eigen::Matrix<double, 7, 1> square(double E, double nu, double h) {
  return (Eigen::Matrix<double, 7, 1>() << 0, E, nu, 1, 0, h, 0).finished();
}

BeamChain<DirectorBeam<double>> slender(int n, double h) {
  return directors(n, straight(1.0), square(modulus(h), 0.3, h));
}

/// (w, u) of the tip after loading.
template <class Chain>
Eigen::Vector2d tip(Chain chain, double force, int steps) {
  EXPECT_TRUE(chain.load({0, 0, force}, none, steps));
  return {chain.tip()[2], 1.0 - chain.tip()[0]};
}

class CableStatics : public testing::TestWithParam<CableEnergy> {};

std::string name_of(const testing::TestParamInfo<CableEnergy>& info) {
  return std::array{"green", "second_derivative", "chord"}[static_cast<std::size_t>(info.param)];
}

INSTANTIATE_TEST_SUITE_P(CableBeam, CableStatics,
                         testing::Values(CableEnergy::green, CableEnergy::second_derivative,
                                         CableEnergy::chord),
                         name_of);

TEST_P(CableStatics, LargeDeflectionMeetsTheElastica) {
  // Thickness adds stretch of P h^2 / 12 < 1e-6. At L / h = 1000 the strain energy of `green` locks in part
  // until elements bend by less than some degrees; chord converges as 1 / n^2.
  const double tolerance = GetParam() == CableEnergy::chord ? 4e-4 : 7e-5;
  for (const Elastica& e : elasticas) {
    const Eigen::Vector2d x = tip(cable(32, GetParam(), 1e-3), e.load, 10);
    EXPECT_NEAR(x[0], e.across, tolerance);
    EXPECT_NEAR(x[1], e.shortened, tolerance);
  }
}

TEST_P(CableStatics, ConvergesInItsOrder) {
  const auto w = [&](int n) { return tip(cable(n, GetParam(), 0.2), 3.0, 3)[0]; };
  const double measured = order(w(16) - w(32), w(32) - w(64));
  EXPECT_NEAR(measured, GetParam() == CableEnergy::chord ? 2.0 : 4.0, 0.4);
}

TEST(CableBeam, SmallDeflectionsAreExactWithEveryEnergy) {
  for (const CableEnergy energy :
       {CableEnergy::green, CableEnergy::second_derivative, CableEnergy::chord, CableEnergy::linearized}) {
    for (const int n : {1, 4}) {
      const VectorXd x = cable(n, energy, 1e-2).flexibility({0, 0, 1}, none);
      EXPECT_NEAR(x[2], 1.0 / 3.0, 1e-9) << n;  // P L^3 / (3 E I)
      EXPECT_NEAR(x[5], 0.5, 1e-9) << n;        // P L^2 / (2 E I)
    }
  }
}

TEST(DirectorStatics, LargeDeflectionMeetsTheElastica) {
  for (const Elastica& e : elasticas) {
    const Eigen::Vector2d coarse = tip(slender(16, 1e-3), e.load, 8),
                          fine = tip(slender(32, 1e-3), e.load, 8);
    const double tolerance = 1e-5 * e.load;  // left of the extrapolation
    EXPECT_NEAR(limit(coarse[0], fine[0]), e.across, tolerance);
    EXPECT_NEAR(limit(coarse[1], fine[1]), e.shortened, tolerance);
    EXPECT_NEAR(order(coarse[0] - e.across, fine[0] - e.across), 2.0, 0.1);
  }
}

/// Bathe and Bolourchi 1979: R = 100, section 1 x 1, force out of the plane.
Curve arc_of_45_degrees() {
  return {[](double s) {
            return Vector3d(100.0 * (1.0 - std::cos(s / 100.0)), 100.0 * std::sin(s / 100.0), 0.0);
          },
          [](double s) { return 0.5 * pi - s / 100.0; }, 25.0 * pi};
}

/// Force and position of the tip of eight straight elements, Simo and Vu-Quoc 1986.
const std::array positions_at_45_degrees = {std::pair{300.0, Vector3d(22.33, 58.84, 40.08)},
                                            std::pair{600.0, Vector3d(15.79, 47.23, 53.37)}};

TEST(DirectorStatics, BendOf45DegreesMeetsPublishedPositions) {
  // The limit of ours is up to 0.4 away, of a path of 50.
  BeamChain<DirectorBeam<double>> coarse = directors(8, arc_of_45_degrees(), square(1e7, 0.0, 1.0));
  BeamChain<DirectorBeam<double>> fine = directors(16, arc_of_45_degrees(), square(1e7, 0.0, 1.0));
  EXPECT_LT((fine.tip() - Vector3d(29.289, 70.711, 0.0)).norm(), 1e-3);
  for (const auto& [force, expected] : positions_at_45_degrees) {
    ASSERT_TRUE(coarse.load({0, 0, force}, none, 6));
    ASSERT_TRUE(fine.load({0, 0, force}, none, 6));
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(limit(coarse.tip()[i], fine.tip()[i]), expected[i], 0.5) << force;
  }
}

TEST(DirectorStatics, BendOf45DegreesMeetsThemWithTheirTorsionalStiffness) {
  // The published stiffness for torsion is that of the polar moment, 1/6, as of a round bar of the same I. What is left
  // are their eight straight elements.
  const double diameter = std::pow(64.0 / (12.0 * pi), 0.25);
  BeamChain<DirectorBeam<double>> coarse =
      directors(8, arc_of_45_degrees(), square(1e7, 0.0, diameter), SectionShape::circle);
  BeamChain<DirectorBeam<double>> fine =
      directors(16, arc_of_45_degrees(), square(1e7, 0.0, diameter), SectionShape::circle);
  for (const auto& [force, expected] : positions_at_45_degrees) {
    ASSERT_TRUE(coarse.load({0, 0, force}, none, 6));
    ASSERT_TRUE(fine.load({0, 0, force}, none, 6));
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(limit(coarse.tip()[i], fine.tip()[i]), expected[i], 0.12) << force;
  }
}

/// Load P at the tip at which a strip of height 50 mm, thickness 0.5 mm and length 1 m has no stiffness sideways.
double buckling_load(int n, double expected, const Eigen::Matrix<double, 7, 1>& section) {
  BeamChain<DirectorBeam<double>> beam = directors(n, straight(1.0), section, SectionShape::rectangle);
  const auto stiffness = [&beam](double P) {
    EXPECT_TRUE(beam.load({0, 0, P}, none, 1));
    return 1e-9 / BeamChain<DirectorBeam<double>>(beam).flexibility({0, 1e-9, P}, none)[1];
  };
  double P = 0.90 * expected, next = 0.95 * expected, k = stiffness(P);
  for (int i = 0; i < 6; ++i) {
    const double k_next = stiffness(next), slope = (k_next - k) / (next - P);
    if (slope == 0.0) break;
    P = next, k = k_next;
    next -= k / slope;
  }
  return next;
}

TEST(DirectorStatics, AStripBucklesSidewaysAtTheLoadOfMichellAndPrandtl) {
  // P = 4.0126 sqrt(E I_z G J) / L^2 of a cantilever, where bending before it is small.  [Timoshenko and Gere]
  constexpr double E = 7e10, nu = 0.3, h = 0.05, b = 5e-4;
  const double I_z = h * std::pow(b, 3) / 12.0, J = h * std::pow(b, 3) / 3.0 * (1.0 - 0.6302 * b / h);
  const double expected = 4.0126 * E * std::sqrt(I_z * J / (2.0 * (1.0 + nu)));
  Eigen::Matrix<double, 7, 1> section = square(E, nu, b);
  section[6] = h;
  const double coarse = buckling_load(12, expected, section), fine = buckling_load(24, expected, section);
  EXPECT_NEAR(limit(coarse, fine) / expected, 1.0, 5e-4);  // E I_z is 1e-4 of E I_y
  EXPECT_NEAR(order(coarse - expected, fine - expected), 2.0, 0.2);
}

TEST(DirectorStatics, AMomentRollsACantileverIntoACircle) {
  const auto rolled = [](int n, int steps) {
    BeamChain<DirectorBeam<double>> beam = slender(n, 1e-2);
    EXPECT_TRUE(beam.load(none, {0, -2.0 * pi, 0}, steps));  // M = 2 pi E I / L
    // Two sections at an angle a have K = sin(a) / l, and M = dU/da = E I sin(2 a) / (2 l).
    const double angle = 0.5 * n * std::asin(4.0 * pi / n);
    EXPECT_NEAR(beam.q().tail<9>()[0], std::cos(angle), 1e-9);
    EXPECT_NEAR(beam.q().tail<9>()[2], std::sin(angle), 1e-9);
    return beam.tip().norm();
  };
  const double coarse = rolled(20, 20), fine = rolled(40, 8);
  EXPECT_LT(fine, 0.02);
  EXPECT_NEAR(order(coarse, fine), 2.0, 0.2);
}

TEST(DirectorStatics, TorsionIsSaintVenants) {
  constexpr double E = 2e11, nu = 0.3, h = 0.02, L = 1.5;
  const double GJ = E / (2.0 * (1.0 + nu)) * 0.1405770149552 * std::pow(h, 4);
  const VectorXd x = directors(3, straight(L), square(E, nu, h)).flexibility(none, {1, 0, 0});
  EXPECT_NEAR(x[8] * GJ / L, 1.0, 1e-9);  // z of d_2
}

TEST(DirectorStatics, ThickAndSlenderCantileversFollowTimoshenko) {
  // The curvature of an element is constant: of linear bending moments it misses 1 / (4 n^2) of the energy.
  for (const double h : {0.25, 1e-3}) {
    for (const int n : {1, 4, 16}) {
      constexpr double nu = 0.3;
      const double GA = 5.0 / 6.0 * modulus(h) / (2.0 * (1.0 + nu)) * h * h;
      const double expected = (1.0 - 1.0 / (4.0 * n * n)) / 3.0 + 1.0 / GA;
      EXPECT_NEAR(slender(n, h).flexibility({0, 0, 1}, none)[2] / expected, 1.0, 1e-6) << h << " " << n;
      EXPECT_NEAR(slender(n, h).flexibility({0, 1, 0}, none)[1] / expected, 1.0, 1e-6) << h << " " << n;
    }
  }
}

}  // namespace
}  // namespace kurbel
