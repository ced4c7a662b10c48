/// One ANCF element: its energies against integrals over the volume, its derivatives against complex step.
#include "natural_coordinates/ancf_beam.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

#include "tests/numerics.hpp"

namespace kurbel {
namespace {

using test::column_error;
using test::complex_step;
using test::random_vector;

using VectorXc = VectorX<Complex>;
using Vector12d = Eigen::Matrix<double, 12, 1>;
using Vector6d = Vector6<double>;

const Vector2d gravity(1.3, -9.81);

/// w, h, l, E, nu, rho
Vector6d parameters() {
  return (Vector6d() << 0.02, 0.05, 0.4, 3e9, 0.3, 1300.0).finished();
}

/// At rest on the x axis.
Vector12d undeformed(double l) {
  return (Vector12d() << 0, 0, 1, 0, 0, 1, l, 0, 1, 0, 0, 1).finished();
}

/// Moved by (x, y), then turned.
Vector12d moved(Vector12d e, double x, double y, double angle) {
  for (const int node : {0, 6}) e[node] += x, e[node + 1] += y;
  const Eigen::Rotation2Dd R(angle);
  for (int i = 0; i < 12; i += 2) e.segment<2>(i) = R * e.segment<2>(i).eval();
  return e;
}

/// Turned, and strained by some ten per cent.
Vector12d deformed() {
  const double l = parameters()[2];
  return moved(undeformed(l) + 0.1 * l * random_vector(12, 1.0, 3), 0.2, -0.1, 2.2);
}

/// Arguments of an element without rates and controls.
template <class S>
ElementState<S> state_of(const VectorX<S>& q, const VectorX<S>& xi) {
  static const VectorX<S> v = VectorX<S>::Zero(12), u;
  return {q, v, u, xi};
}

/// Shape functions at xi = x / l, eta = y / l as published.                              [P2, section 4]
template <class S>
Eigen::Matrix<S, 2, 1> position(const Vector12d& e, const S& x, const S& y, double l) {
  const S xi = x / l, eta = y / l, xi2 = xi * xi, xi3 = xi2 * xi;
  const std::array<S, 6> s = {1.0 - 3.0 * xi2 + 2.0 * xi3, l * (xi - 2.0 * xi2 + xi3), l * (eta - xi * eta),
                              3.0 * xi2 - 2.0 * xi3,       l * (-xi2 + xi3),           l * xi * eta};
  Eigen::Matrix<S, 2, 1> r = Eigen::Matrix<S, 2, 1>::Zero();
  for (std::size_t i = 0; i < 6; ++i) r += s[i] * e.segment<2>(2 * static_cast<int>(i)).cast<S>();
  return r;
}

/// Integral over the element by Gauss's rule with 5 x 5 points, exact to degree 9 in x and in y.
double integral(const Vector6d& xi, const std::function<double(double x, double y)>& f) {
  const std::array<double, 5> at = {-std::sqrt(5.0 + 2.0 * std::sqrt(10.0 / 7.0)) / 3.0,
                                    -std::sqrt(5.0 - 2.0 * std::sqrt(10.0 / 7.0)) / 3.0, 0.0,
                                    std::sqrt(5.0 - 2.0 * std::sqrt(10.0 / 7.0)) / 3.0,
                                    std::sqrt(5.0 + 2.0 * std::sqrt(10.0 / 7.0)) / 3.0};
  const double outer = (322.0 - 13.0 * std::sqrt(70.0)) / 1800.0;
  const double inner = (322.0 + 13.0 * std::sqrt(70.0)) / 1800.0;
  const std::array<double, 5> weight = {outer, inner, 128.0 / 450.0, inner, outer};
  double sum = 0.0;
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      sum += weight[i] * weight[j] * f(0.5 * xi[2] * (1.0 + at[i]), 0.5 * xi[1] * at[j]);
    }
  }
  return xi[0] * xi[1] * xi[2] * sum;
}

/// Green and Lagrange's strains of `position`.
Vector3d strain(const Vector12d& e, double x, double y, double l) {
  constexpr double step = 1e-40;
  const Vector2d r_x = position<Complex>(e, Complex(x, step), y, l).imag() / step;
  const Vector2d r_y = position<Complex>(e, x, Complex(y, step), l).imag() / step;
  return {0.5 * (r_x.dot(r_x) - 1.0), 0.5 * (r_y.dot(r_y) - 1.0), r_x.dot(r_y)};
}

/// D of plane stress.
Matrix3<double> plane_stress(double E, double nu) {
  Matrix3<double> D;
  D << 1.0, nu, 0.0, nu, 1.0, 0.0, 0.0, 0.0, 0.5 * (1.0 - nu);
  return E / (1.0 - nu * nu) * D;
}

class AncfBeamTest : public testing::TestWithParam<PoissonCoupling> {
 protected:
  template <class S>
  VectorX<S> force(const VectorX<S>& e, const VectorX<S>& xi) const {
    VectorX<S> Q = VectorX<S>::Zero(12);
    AncfBeam<S>(gravity, GetParam()).add_force(state_of<S>(e, xi), Q);
    return Q;
  }

  ForceDerivatives<double> derivatives(const VectorXd& e, const VectorXd& xi) const {
    ForceDerivatives<double> out;
    out.resize(12, 0, 6);
    AncfBeam<double>(gravity, GetParam()).add_derivatives(state_of<double>(e, xi), out);
    return out;
  }

  const VectorXd e_ = deformed(), xi_ = parameters();
  const VectorXc e_c_ = e_.cast<Complex>(), xi_c_ = xi_.cast<Complex>();
};

INSTANTIATE_TEST_SUITE_P(AncfBeam, AncfBeamTest,
                         testing::Values(PoissonCoupling::full, PoissonCoupling::axis),
                         [](const auto& param) {
                           return param.param == PoissonCoupling::full ? "full" : "axis";
                         });

// Complex step has no truncation error: 1e-12 leaves room for the rounding of sums of terms that cancel.
constexpr double rounding = 1e-12;

TEST_P(AncfBeamTest, PotentialIsTheIntegralOverTheVolume) {
  const double l = xi_[2], E = xi_[3], nu = xi_[4], rho = xi_[5];
  const Vector12d e = e_;
  const bool full = GetParam() == PoissonCoupling::full;
  Matrix3<double> D = plane_stress(E, nu), D0 = D;
  if (!full) D0 = Vector3d(E, E, E / (2.0 * (1.0 + nu))).asDiagonal();
  const Matrix3<double> Dv = D - D0;
  const double expected = integral(parameters(), [&](double x, double y) {
    const Vector3d eps = strain(e, x, y, l), on_axis = strain(e, x, 0.0, l);
    return 0.5 * eps.dot(D0 * eps) + 0.5 * on_axis.dot(Dv * on_axis) -
           rho * gravity.dot(position<double>(e, x, y, l));
  });
  const double potential = AncfBeam<double>(gravity, GetParam()).potential(state_of<double>(e_, xi_));
  EXPECT_NEAR(potential, expected, rounding * std::abs(expected));
}

TEST_P(AncfBeamTest, ForceIsMinusTheGradientOfThePotential) {
  const AncfBeam<Complex> beam(gravity, GetParam());
  const MatrixXd U_e = complex_step(
      [&](const VectorXc& e) { return VectorXc::Constant(1, beam.potential(state_of<Complex>(e, xi_c_))); },
      e_);
  EXPECT_LT(column_error(force<double>(e_, xi_), -U_e.transpose()), rounding);
}

TEST_P(AncfBeamTest, DerivativesOfTheForceEqualComplexStep) {
  const ForceDerivatives<double> d = derivatives(e_, xi_);
  const MatrixXd Q_e = complex_step([&](const VectorXc& e) { return force<Complex>(e, xi_c_); }, e_);
  const MatrixXd Q_xi = complex_step([&](const VectorXc& xi) { return force<Complex>(e_c_, xi); }, xi_);
  EXPECT_LT(column_error(d.Q_q, Q_e), rounding);
  EXPECT_LT(column_error(d.Q_xi, Q_xi), rounding);
  EXPECT_EQ(d.Q_v.cwiseAbs().maxCoeff(), 0.0);
}

TEST_P(AncfBeamTest, RigidMotionNeedsNoForce) {
  const AncfBeam<double> weightless(Vector2d::Zero(), GetParam());
  const VectorXd e = moved(undeformed(xi_[2]), 3.0, -2.0, 2.5);
  VectorXd Q = VectorXd::Zero(12);
  weightless.add_force(state_of<double>(e, xi_), Q);
  EXPECT_LT(Q.cwiseAbs().maxCoeff(), 1e-14 * xi_[3] * xi_[0] * xi_[1]);  // rounding of strains of order 1
  EXPECT_LT(std::abs(weightless.potential(state_of<double>(e, xi_))),
            1e-28 * xi_[3] * xi_[0] * xi_[1] * xi_[2]);
}

TEST_P(AncfBeamTest, UniformTensionFollowsTheClosedForm) {
  VectorXd xi = xi_;
  xi[4] = 0.0;
  const double stretch = 1.2, l = xi[2], EA = xi[3] * xi[0] * xi[1];
  VectorXd e = undeformed(l);
  for (const int i : {2, 6, 8}) e[i] *= stretch;
  const AncfBeam<double> weightless(Vector2d::Zero(), GetParam());
  VectorXd Q = VectorXd::Zero(12), expected = VectorXd::Zero(12);
  weightless.add_force(state_of<double>(e, xi), Q);
  expected[6] = -EA * stretch * 0.5 * (stretch * stretch - 1.0);  // A S_xx by the deformation gradient
  expected[0] = -expected[6];
  EXPECT_LT((Q - expected).cwiseAbs().maxCoeff(), rounding * EA);

  const VectorXd mode = (VectorXd(12) << 0, 0, 1.0 / l, 0, 0, 0, 1, 0, 1.0 / l, 0, 0, 0).finished();
  const MatrixXd K = -derivatives(undeformed(l), xi).Q_q;
  EXPECT_NEAR(mode.dot(K * mode), EA / l, rounding * EA / l);
}

TEST(AncfBeam, LateralStrainStiffensLargeBending) {
  VectorXd xi = parameters();
  xi[1] = 0.01, xi[4] = 0.0;
  const double l = xi[2], angle = 0.05, kappa = angle / l, ratio = angle * l / xi[1];
  const double stretch = 1.0 + angle * angle / 12.0;  // of r_y at the nodes: no lateral strain on average
  VectorXd e(12);
  for (const int node : {0, 1}) {
    const double a = (node - 0.5) * angle, c = std::cos(a), s = std::sin(a);
    e.segment<6>(6 * node) << s / kappa, (1.0 - c) / kappa, c, s, -stretch * s, stretch * c;
  }
  const AncfBeam<double> weightless(Vector2d::Zero(), PoissonCoupling::full);
  const double beam_theory = 0.5 * xi[3] * xi[0] * std::pow(xi[1], 3) / 12.0 * kappa * kappa * l;
  const double surplus = weightless.potential(state_of<double>(e, xi)) / beam_theory - 1.0;
  EXPECT_NEAR(surplus, ratio * ratio / 60.0, angle * angle);  // leading order in the angle
}

TEST(AncfBeam, MassMatrixGivesTheKineticEnergyOfTheVolume) {
  const Vector6d xi = parameters();
  const Vector12d v = random_vector(12, 1.0, 8);
  MatrixXd M = MatrixXd::Zero(12, 12);
  AncfBeam<double>(gravity, PoissonCoupling::full).add_mass(xi, M);
  const double expected = integral(
      xi, [&](double x, double y) { return xi[5] * position<double>(v, x, y, xi[2]).squaredNorm(); });
  EXPECT_NEAR(v.dot(M * v), expected, rounding * expected);
  EXPECT_EQ((M - M.transpose()).cwiseAbs().maxCoeff(), 0.0);
}

TEST(AncfBeam, RigidVelocitiesMeetMassAndInertia) {
  const Vector6d xi = parameters();
  const double h = xi[1], l = xi[2], m = xi[5] * xi[0] * h * l;
  MatrixXd M = MatrixXd::Zero(12, 12);
  AncfBeam<double>(gravity, PoissonCoupling::axis).add_mass(xi, M);
  const Vector12d along_x = (Vector12d() << 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0).finished();
  const Vector12d turning =
      moved((Vector12d() << 0, -l / 2, 0, 1, -1, 0, 0, l / 2, 0, 1, -1, 0).finished(), 0.0, 0.0, 0.7);
  EXPECT_NEAR(along_x.dot(M * along_x), m, rounding * m);
  EXPECT_NEAR(turning.dot(M * turning), m * (l * l + h * h) / 12.0, rounding * m * l * l);
  EXPECT_NEAR(along_x.dot(M * turning), 0.0, rounding * m * l);
}

TEST(AncfBeam, DerivativesOfTheMassEqualComplexStep) {
  const VectorXd xi = parameters(), a = random_vector(12, 1.0, 4);
  const VectorXc a_c = a.cast<Complex>();
  MatrixXd Ma_xi = MatrixXd::Zero(12, 6);
  AncfBeam<double>(gravity, PoissonCoupling::full).add_mass_derivative(xi, a, Ma_xi);
  const AncfBeam<Complex> beam(gravity, PoissonCoupling::full);
  const MatrixXd expected = complex_step(
      [&](const VectorXc& z) -> VectorXc {
        MatrixX<Complex> M = MatrixX<Complex>::Zero(12, 12);
        beam.add_mass(z, M);
        return M * a_c;
      },
      xi);
  EXPECT_LT(column_error(Ma_xi, expected), rounding);
}

TEST(AncfBeam, PositionFollowsThePublishedShapeFunctions) {
  const Vector12d e = deformed();
  const double h = parameters()[1], l = parameters()[2];
  for (const double xi : {0.0, 0.3, 1.0}) {
    for (const double zeta : {-0.5, 0.2}) {
      const Vector2d expected = position<double>(e, xi * l, zeta * h, l);
      EXPECT_LT((ancf_position(e, xi, zeta, h, l) - expected).cwiseAbs().maxCoeff(), 1e-15);
    }
  }
}

class AncfStressTest : public AncfBeamTest {
 protected:
  double stress(const VectorXd& e, const VectorXd& xi) const {
    VectorXd h(1);
    AncfStress<double>(along_, across_, GetParam()).value(state_of<double>(e, xi), h);
    return h[0];
  }

  void expect_derivatives(const VectorXd& e) const {
    FunctionDerivatives<double> d;
    d.resize(1, 12, 6);
    AncfStress<double>(along_, across_, GetParam()).add_derivatives(state_of<double>(e, xi_), d);
    const AncfStress<Complex> function(along_, across_, GetParam());
    const auto value = [&](const VectorXc& q, const VectorXc& xi) {
      VectorXc h(1);
      function.value(state_of<Complex>(q, xi), h);
      return h;
    };
    const VectorXc e_c = e.cast<Complex>();
    const MatrixXd h_q = complex_step([&](const VectorXc& q) { return value(q, xi_c_); }, e);
    const MatrixXd h_xi = complex_step([&](const VectorXc& xi) { return value(e_c, xi); }, xi_);
    EXPECT_LT((d.h_q - h_q).cwiseAbs().maxCoeff(), rounding * (1.0 + h_q.cwiseAbs().maxCoeff()));
    EXPECT_LT(column_error(d.h_xi, h_xi), rounding);
    EXPECT_EQ(d.h_v.cwiseAbs().maxCoeff(), 0.0);
  }

  static constexpr double along_ = 0.3, across_ = 0.4;
};

INSTANTIATE_TEST_SUITE_P(AncfStress, AncfStressTest,
                         testing::Values(PoissonCoupling::full, PoissonCoupling::axis),
                         [](const auto& param) {
                           return param.param == PoissonCoupling::full ? "full" : "axis";
                         });

TEST_P(AncfStressTest, DerivativesEqualComplexStep) {
  expect_derivatives(e_);
}

TEST_P(AncfStressTest, HasDerivativesWithoutStress) {
  const VectorXd e = undeformed(xi_[2]);
  EXPECT_LT(stress(e, xi_), 1e-15 * xi_[3]);
  expect_derivatives(e);
}

TEST_P(AncfStressTest, UniaxialTensionIsYoungsModulusTimesStrain) {
  const double nu = xi_[4], eps = 0.01;
  VectorXd e = undeformed(xi_[2]);
  for (const int i : {2, 6, 8}) e[i] *= std::sqrt(1.0 + 2.0 * eps);
  for (const int i : {5, 11}) e[i] *= std::sqrt(1.0 - 2.0 * nu * eps);
  const double sigma = xi_[3] * eps;
  EXPECT_NEAR(stress(moved(e, 1.0, 2.0, -1.0), xi_), sigma, 1.01e-9 * xi_[3]);  // s_min = 1e-9 E
}

TEST_P(AncfStressTest, IsThatOfTheStrainsAtThePoint) {
  const double E = xi_[3], nu = xi_[4], l = xi_[2];
  const Vector3d eps = strain(e_, along_ * l, across_ * xi_[1], l), on_axis = strain(e_, along_ * l, 0.0, l);
  const Matrix3<double> D = plane_stress(E, nu);
  Vector3d S = D * eps;
  if (GetParam() == PoissonCoupling::axis) {
    const Matrix3<double> D0 = Vector3d(E, E, E / (2.0 * (1.0 + nu))).asDiagonal();
    S = D0 * eps + (D - D0) * on_axis;
  }
  const double expected = std::sqrt(S[0] * S[0] - S[0] * S[1] + S[1] * S[1] + 3.0 * S[2] * S[2]);
  EXPECT_NEAR(stress(e_, xi_), expected, 1.01e-9 * E);  // s_min
}

}  // namespace
}  // namespace kurbel
