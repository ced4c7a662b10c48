#include "fem/element.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "base/errors.hpp"
#include "fem/simp.hpp"
#include "fixtures.hpp"

namespace kurbel::fem::test {
namespace {

constexpr double nu = 0.3, thickness = 0.02;

Eigen::Matrix<double, 2, 4> skewed_quad() {
  Eigen::Matrix<double, 2, 4> x;
  x << 0.0, 1.1, 1.3, -0.2, 0.1, -0.1, 0.9, 1.2;
  return x;
}

Eigen::Matrix<double, 3, 8> skewed_hex() {
  Eigen::Matrix<double, 3, 8> x;
  x << 0.0, 1.1, 1.0, 0.1, 0.0, 0.9, 1.2, -0.1,  //
      0.1, 0.0, 1.0, 1.1, -0.1, 0.0, 0.9, 1.0,   //
      0.0, 0.1, -0.1, 0.0, 1.0, 1.1, 1.2, 0.9;
  return x;
}

/// Of the quadrilateral or the hexahedron with these corners, dim x n_corners.
ElementMatrices matrices(const MatrixXd& x) {
  MeshSpec mesh;
  mesh.dim = static_cast<int>(x.rows());
  mesh.thickness = thickness;
  Corners corners = Corners::Zero(3, x.cols());
  corners.topRows(x.rows()) = x;
  return box_element(mesh, nu)->matrices(corners);
}

/// Nodal values of the displacement u = F x.
template <class Corners>
VectorXd linear_field(const Corners& corners, const MatrixXd& F) {
  return (F * corners).reshaped();
}

double quad_area(const Eigen::Matrix<double, 2, 4>& x) {
  const Eigen::Vector2d a = x.col(2) - x.col(0), b = x.col(3) - x.col(1);
  return 0.5 * (a[0] * b[1] - a[1] * b[0]);
}

TEST(Quad4, PassesThePatchTestOfEnergy) {
  MatrixXd F(2, 2);
  F << 1e-3, 2e-3, -5e-4, 7e-4;
  const double exx = F(0, 0), eyy = F(1, 1), gxy = F(0, 1) + F(1, 0);
  const double density =
      (exx * exx + eyy * eyy + 2.0 * nu * exx * eyy + 0.5 * (1.0 - nu) * gxy * gxy) / (1.0 - nu * nu);
  const VectorXd u = linear_field(skewed_quad(), F);
  const MatrixXd k = matrices(skewed_quad()).stiffness;
  EXPECT_NEAR(u.dot(k * u), density * quad_area(skewed_quad()) * thickness, 1e-12 * u.dot(k * u));
}

TEST(Hex8, PassesThePatchTestOfEnergyOnABrick) {
  Eigen::Matrix<double, 3, 8> brick;
  brick << 0, 2, 2, 0, 0, 2, 2, 0, 0, 0, 3, 3, 0, 0, 3, 3, 0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5;
  MatrixXd F(3, 3);
  F << 1.0, 0.3, -0.2, 0.1, -0.7, 0.4, 0.5, 0.2, 0.6;
  const MatrixXd strain = 0.5 * (F + F.transpose());
  const double mu = 0.5 / (1.0 + nu), lambda = nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
  const double density = lambda * strain.trace() * strain.trace() + 2.0 * mu * strain.squaredNorm();
  const VectorXd u = linear_field(brick, F);
  const MatrixXd k = matrices(brick).stiffness;
  EXPECT_NEAR(u.dot(k * u), density * 3.0, 1e-12 * density);
}

/// On a distorted element a linear field has nodal forces that do no work on any field vanishing at the
/// boundary of the patch; for one element it is enough that its stress is constant: k u is linear in the
/// boundary integral, hence u_1^T k u_2 for linear fields equals stress : strain times the volume, whatever
/// the shape.
TEST(Hex8, GivesTheSameEnergyPerVolumeForEveryLinearFieldWhenDistorted) {
  const ElementMatrices e = matrices(skewed_hex());
  const double volume = e.mass.sum();
  const MatrixXd F = (MatrixXd(3, 3) << 0.2, 0.9, 0.1, 0.0, 0.3, -0.4, 0.7, 0.0, -0.1).finished();
  const MatrixXd strain = 0.5 * (F + F.transpose());
  const double mu = 0.5 / (1.0 + nu), lambda = nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
  const double density = lambda * strain.trace() * strain.trace() + 2.0 * mu * strain.squaredNorm();
  const VectorXd u = linear_field(skewed_hex(), F);
  // The volume itself is a cubic the 2 x 2 x 2 rule integrates exactly.
  EXPECT_NEAR(u.dot(e.stiffness * u), density * volume, 1e-12);
}

template <class Corners>
void expect_only_rigid_modes_without_energy(const MatrixXd& k, const Corners& x, int n_rigid) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(k);
  const VectorXd& values = eigen.eigenvalues();
  const double rounding = 1e-14 * values.tail<1>()[0];
  EXPECT_LT(values.head(n_rigid).cwiseAbs().maxCoeff(), rounding);
  EXPECT_GT(values[n_rigid], 1e10 * rounding);
  const Eigen::Index dim = x.rows();
  MatrixXd spin = MatrixXd::Zero(dim, dim);
  spin(0, 1) = -1.0, spin(1, 0) = 1.0;
  EXPECT_LT((k * linear_field(x, spin)).norm(), 1e2 * rounding);
}

TEST(Quad4, HasNoEnergyInTheThreeRigidModesOnly) {
  expect_only_rigid_modes_without_energy(matrices(skewed_quad()).stiffness, skewed_quad(), 3);
}

TEST(Hex8, HasNoEnergyInTheSixRigidModesOnly) {
  expect_only_rigid_modes_without_energy(matrices(skewed_hex()).stiffness, skewed_hex(), 6);
}

TEST(Quad4, MassOfARectangleIsTheClosedForm) {
  Eigen::Matrix<double, 2, 4> x;
  x << 0, 2, 2, 0, 0, 0, 3, 3;
  Eigen::Matrix4d expected;
  expected << 4, 2, 1, 2, 2, 4, 2, 1, 1, 2, 4, 2, 2, 1, 2, 4;
  expected *= 6.0 * thickness / 36.0;
  EXPECT_LT((matrices(x).mass - expected).norm(), 1e-15);
}

TEST(Element, RefusesAnInvertedShape) {
  Eigen::Matrix<double, 2, 4> x = skewed_quad();
  x.col(1).swap(x.col(3));
  EXPECT_THROW(matrices(x), InputError);
}

TEST(Simp, IsContinuousAtTheThreshold) {
  const Simp simp;
  EXPECT_NEAR(mass_factor(simp, 0.1 * (1.0 - 1e-12)).value, mass_factor(simp, 0.1).value, 1e-11);
}

TEST(Simp, DerivativesEqualDifferences) {
  const Simp simp;
  for (const double p : {0.01, 0.05, 0.099, 0.101, 0.5, 1.0}) {
    const double h = 1e-4 * p;  // error of the difference: (h/p)^2 times 20 at most
    for (const auto factor : {stiffness_factor, mass_factor}) {
      const double difference = (factor(simp, p + h).value - factor(simp, p - h).value) / (2.0 * h);
      EXPECT_NEAR(factor(simp, p).derivative, difference, 1e-6 * difference);
    }
  }
}

}  // namespace
}  // namespace kurbel::fem::test
