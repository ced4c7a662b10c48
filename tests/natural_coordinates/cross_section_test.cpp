/// Constants of cross-sections against published values, their derivatives against complex step.
#include "elements/cross_section.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/numerics.hpp"

namespace kurbel {
namespace {

using std::numbers::pi;
using VectorXc = VectorX<Complex>;

constexpr std::array shapes = {SectionShape::square, SectionShape::rectangle, SectionShape::circle,
                               SectionShape::tube};

/// All that depends on the dimensions, at a point of the section.
template <class T>
std::vector<T> constants(SectionShape shape, const T& nu, const T& dim0, const T& dim1) {
  const SectionProperties<T> p(shape, dim0, dim1, nu);
  const auto [tau_xy, tau_xz] = torsional_shear(shape, dim0, dim1, 0.3, 0.8);
  return {p.A, p.I_y, p.I_z, p.J_t, p.k, p.c_y, p.c_z, tau_xy, tau_xz, peak_of_shear(shape, dim0, dim1)};
}

TEST(CrossSection, DerivativesEqualComplexStep) {
  for (const SectionShape shape : shapes) {
    for (const auto& [dim0, dim1] : {std::pair{0.05, 0.03}, std::pair{0.05, 0.0499}, std::pair{0.3, 0.001}}) {
      const auto value = [&](const VectorXc& x) {
        const std::vector<Complex> all = constants<Complex>(shape, x[0], x[1], x[2]);
        return VectorXc(Eigen::Map<const VectorXc>(all.data(), static_cast<Eigen::Index>(all.size())));
      };
      const MatrixXd expected = test::complex_step(value, Vector3d(0.3, dim0, dim1));
      using Jet = SectionJet<double>;
      const auto jets =
          constants<Jet>(shape, Jet::variable(0.3, 1), Jet::variable(dim0, 2), Jet::variable(dim1, 3));
      for (std::size_t i = 0; i < jets.size(); ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        const double size = expected.row(row).cwiseAbs().maxCoeff();
        EXPECT_LT((jets[i].d.tail<3>().transpose() - expected.row(row)).cwiseAbs().maxCoeff(),
                  1e-12 * size + 1e-300)
            << i;
      }
    }
  }
}

TEST(CrossSection, TorsionConstantsOfRectanglesAreSaintVenants) {
  const auto J_t = [](double b, double h) {
    return SectionProperties<double>(SectionShape::rectangle, b, h, 0.3).J_t;
  };
  // Timoshenko and Goodier, Theory of Elasticity, section 109
  EXPECT_NEAR(J_t(1.0, 1.0), 0.1406, 5e-5);
  EXPECT_NEAR(J_t(2.0, 1.0), 2.0 * 0.229, 1e-3);
  EXPECT_NEAR(J_t(10.0, 1.0), 10.0 * 0.312, 5e-3);
  EXPECT_NEAR(J_t(1.0, 1.0), 0.14057701495515, 1e-13);
  EXPECT_NEAR(J_t(2.0, 0.7), J_t(0.7, 2.0), 1e-15);
  EXPECT_NEAR(J_t(1.0, 1.0 + 1e-9) - J_t(1.0 + 1e-9, 1.0), 0.0, 1e-15);
  EXPECT_EQ(J_t(1.0, 1.0), SectionProperties<double>(SectionShape::square, 1.0, 0.0, 0.3).J_t);
}

TEST(CrossSection, AThinTubeIsTheLimitOfItsWall) {
  constexpr double D = 0.1, wall = 1e-6;
  const SectionProperties<double> p(SectionShape::tube, D, D - 2.0 * wall, 0.3);
  EXPECT_NEAR(p.A / (pi * D * wall), 1.0, 3.0 * wall / D);
  EXPECT_NEAR(p.J_t / (pi * D * D * D * wall / 4.0), 1.0, 5.0 * wall / D);
  EXPECT_NEAR(p.k, 2.0 * (1.0 + 0.3) / (4.0 + 3.0 * 0.3), 1e-6);  // Cowper's thin round tube
  EXPECT_NEAR(peak_of_shear(SectionShape::tube, D, D - 2.0 * wall), 2.0, 1e-4);
}

TEST(CrossSection, ACircleIsATubeWithoutBore) {
  const SectionProperties<double> circle(SectionShape::circle, 0.2, 0.0, 0.25);
  const SectionProperties<double> tube(SectionShape::tube, 0.2, 0.0, 0.25);
  EXPECT_EQ(circle.A, tube.A);
  EXPECT_EQ(circle.J_t, tube.J_t);
  EXPECT_NEAR(circle.k, 6.0 * 1.25 / (7.0 + 6.0 * 0.25), 1e-15);
  EXPECT_EQ(circle.k, tube.k);
}

TEST(CrossSection, RectanglesAreTwistedMostInTheMiddleOfTheirLongSides) {
  // Timoshenko and Goodier: tau_max = 0.675 G theta a for a square, 0.930 for 1 : 2
  const auto at = [](double b, double h, double eta, double zeta) {
    const auto [y, z] = torsional_shear<double>(SectionShape::rectangle, b, h, eta, zeta);
    return Vector3d(0.0, y, z);
  };
  EXPECT_NEAR(at(1.0, 1.0, 1.0, 0.0)[2], 0.675, 1e-3);
  EXPECT_NEAR(at(1.0, 1.0, 0.0, 1.0)[1], -0.675, 1e-3);
  EXPECT_NEAR(at(1.0, 2.0, 1.0, 0.0)[2], 0.930, 1e-3);
  EXPECT_NEAR(at(2.0, 1.0, 0.0, 1.0)[1], -0.930, 1e-3);
  EXPECT_LT(at(1.0, 2.0, 1.0, 1.0).norm(), 2e-2);  // a corner; the series converges as 1 / n there
  EXPECT_NEAR(at(1.0, 2.0, 1.0, 0.4)[1], 0.0, 1e-12);
}

TEST(CrossSection, TorsionalShearCarriesTheTorque) {
  // int (y tau_xz - z tau_xy) dA = J_t
  for (const auto& [b, h] : {std::pair{1.0, 1.0}, std::pair{1.0, 2.5}, std::pair{1.7, 0.6}}) {
    constexpr int n = 60;
    double torque = 0.0;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        const double eta = (2.0 * i + 1.0) / n - 1.0, zeta = (2.0 * j + 1.0) / n - 1.0;
        const auto [y, z] = torsional_shear<double>(SectionShape::rectangle, b, h, eta, zeta);
        torque += (0.5 * b * eta * z - 0.5 * h * zeta * y) * b * h / (n * n);
      }
    }
    const double J_t = SectionProperties<double>(SectionShape::rectangle, b, h, 0.3).J_t;
    EXPECT_NEAR(torque / J_t, 1.0, 1e-3);  // midpoint rule
  }
}

}  // namespace
}  // namespace kurbel
