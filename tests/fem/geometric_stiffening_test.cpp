/// @file
/// Beams that turn and columns that stand: stiffening by the motion of the reference frame against beam
/// theory.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "fixtures.hpp"
#include "sid/sid_info.hpp"

namespace kurbel::fem::test {
namespace {

/// A slender beam along x: 1 m x 0.01 m (x 0.01 m), nu = 0, clamped at x = 0. Shear and rotary inertia change
/// its bending by some (0.01 / 1)^2.
FlexibleBodySpec slender_beam(int dim, int n_modes) {
  constexpr double h = 0.01;
  FlexibleBodySpec spec =
      dim == 2 ? crank(40, 1, n_modes, false) : bar({40, 1, 1}, {1.0, h, h}, n_modes, false);
  spec.mesh.size = {1.0, h, h};
  spec.mesh.origin = {0.0, -0.5 * h, -0.5 * h};
  spec.mesh.thickness = h;
  spec.mesh.element = ElementType::incompatible;
  spec.material = {2e11, 0.0, 8000.0};
  spec.markers = {marker("tip", plane(0, 1.0))};
  spec.geometric_stiffening = true;
  return spec;
}
/// E I / (rho A L^4), 1/s^2
constexpr double bending_scale = 2e11 * 0.01 * 0.01 / 12.0 / 8000.0;

Sid sid_of(const FlexibleBodySpec& spec) {
  FlexibleBody body(spec);
  return reduced(body, VectorXd::Ones(body.n_elements())).sid;
}

/// d (column of a first-order coefficient) / d q.
MatrixXd by_q(const Taylor& t, Eigen::Index column) {
  MatrixXd m(t.nrow(), t.nrow());
  for (Eigen::Index l = 0; l < m.cols(); ++l) m.col(l) = t.M1[static_cast<std::size_t>(l)].col(column);
  return m;
}

/// Natural frequencies over sqrt(E I / (rho A L^4)) while the frame turns about an axis with `eta` times
/// that.
VectorXd turning_frequencies(const Sid& sid, int axis, double eta) {
  const MatrixXd K = sid.Ke.M0 + eta * eta * bending_scale * by_q(sid.Oe, axis);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(K, sid.Me.M0, Eigen::EigenvaluesOnly);
  return (solver.eigenvalues() / bending_scale).cwiseSqrt();
}

// Uniform beam clamped on the axis: A. D. Wright, C. E. Smith, R. W. Thresher, J. L. C. Wang, Vibration modes
// of centrifugally stiffened beams, J. Applied Mechanics 49 (1982), by exact power series. eta, first and
// second flapping frequency.
constexpr double wright[][3] = {{0.0, 3.5160, 22.0345},
                                {1.0, 3.6816, 22.1810},
                                {2.0, 4.1373, 22.6149},
                                {3.0, 4.7973, 23.3203},
                                {6.0, 7.3604, 26.8091}};

TEST(GeometricStiffening, GivesTheFrequenciesOfATurningBeam) {
  const Sid sid = sid_of(slender_beam(2, 5));
  for (const auto& [eta, first, second] : wright) {
    const VectorXd flapping = turning_frequencies(sid, 1, eta);
    EXPECT_NEAR(flapping[0], first, 1e-3 * first) << eta;  // shear and 40 elements: some 1e-4 each
    EXPECT_NEAR(flapping[1], second, 3e-3 * second) << eta;
    // In the plane of rotation the centrifugal force turns with the beam: omega^2 less eta^2.
    const double in_plane = std::sqrt(first * first - eta * eta);
    EXPECT_NEAR(turning_frequencies(sid, 2, eta)[0], in_plane, 1e-3 * first) << eta;
  }
}

TEST(GeometricStiffening, GivesTheFrequenciesOfATurningSolidBeam) {
  const Sid sid = sid_of(slender_beam(3, 8));
  for (const auto& [eta, first, second] : wright) {
    for (const int axis : {1, 2}) {  // one of the pair flaps, the other stays in the plane
      const VectorXd f = turning_frequencies(sid, axis, eta);
      EXPECT_NEAR(f[0], std::sqrt(first * first - eta * eta), 1e-3 * first) << eta;
      EXPECT_NEAR(f[1], first, 1e-3 * first) << eta;
    }
    // About its own axis nothing is stiffened.
    EXPECT_NEAR(turning_frequencies(sid, 0, 2.0)[0], std::sqrt(3.5160 * 3.5160 - 4.0), 4e-3);
  }
}

// A column buckles under its own weight at rho A g L^3 / (E I) = 7.8373 (A. G. Greenhill, 1881).
TEST(GeometricStiffening, BucklesAColumnUnderItsOwnWeight) {
  const Sid sid = sid_of(slender_beam(2, 5));
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(-by_q(sid.Ct, 0), sid.Ke.M0,
                                                                  Eigen::EigenvaluesOnly);
  const double critical = 1.0 / (solver.eigenvalues().maxCoeff() * bending_scale);
  EXPECT_NEAR(critical, 7.8373, 2e-3 * 7.8373);  // five modes
}

// A column clamped at its foot buckles under the force pi^2 E I / (4 L^2) at its tip (L. Euler, 1744).
TEST(GeometricStiffening, BucklesAColumnUnderAForceAtItsTip) {
  for (const int dim : {2, 3}) {
    const Sid sid = sid_of(slender_beam(dim, dim == 2 ? 5 : 10));
    // e_x . Gamma is minus the geometric stiffness of a unit tension.
    MatrixXd shortening(sid.n_q(), sid.n_q());
    for (Eigen::Index l = 0; l < sid.n_q(); ++l)
      shortening.col(l) = -sid.frame[0].phi.M1[static_cast<std::size_t>(l)].row(0).transpose();
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> solver(shortening, sid.Ke.M0,
                                                                    Eigen::EigenvaluesOnly);
    const double EI = 2e11 * std::pow(0.01, 4) / 12.0, euler = std::pow(EIGEN_PI, 2) * EI / 4.0;
    EXPECT_NEAR(1.0 / solver.eigenvalues().maxCoeff(), euler, 3e-3 * euler)
        << dim;  // five modes in the plane
  }
}

TEST(GeometricStiffening, KeepsTheIdentitiesOfTheCoefficients) {
  FlexibleBody body([] {
    FlexibleBodySpec spec = bar({8, 3, 2}, {0.2, 0.05, 0.03}, 4, true);
    spec.geometric_stiffening = true;
    return spec;
  }());
  const Sid sid = reduced(body, random_densities(48, 0.05, 3)).sid;
  ASSERT_EQ(sid.Ct.M1.size(), 10u);
  for (const SidIdentity& identity : sid_identities(sid)) EXPECT_TRUE(identity.holds()) << identity.name;
}

/// Gamma of the marker comes from the answer to a force at it, that of the nodes from each deformation: they
/// are reciprocal.
TEST(GeometricStiffening, DisplacesTheNodesOfAMarkerAsTheMarker) {
  for (const int dim : {2, 3}) {
    FlexibleBodySpec spec = slender_beam(dim, 3);
    spec.mesh.divisions = {12, 2, dim == 2 ? 1 : 2};
    FlexibleBody body(spec);
    VectorXd rho = VectorXd::LinSpaced(body.n_elements(), 0.5, 1.0);
    const ReducedBody result = reduced(body, rho);
    MatrixXd Gamma;
    ASSERT_FALSE(body.second_order_shapes(body.nominal(rho), result, Gamma).failed());
    const Eigen::Index n_q = body.n_q();
    ASSERT_EQ(Gamma.rows(), result.shapes.rows());
    ASSERT_EQ(Gamma.cols(), n_q * n_q);
    const std::vector<int> nodes = body.mesh().nodes_in(plane(0, 1.0));
    const SidNode& tip = *result.sid.find_node("tip");
    for (Eigen::Index l = 0; l < n_q; ++l) {
      MatrixXd mean = MatrixXd::Zero(3, n_q);
      for (const int node : nodes)
        mean += Gamma.block(3 * node, l * n_q, 3, n_q) / static_cast<double>(nodes.size());
      const MatrixXd& of_marker = tip.phi.M1[static_cast<std::size_t>(l)];
      EXPECT_LT((mean - of_marker).cwiseAbs().maxCoeff(), 1e-8 * of_marker.cwiseAbs().maxCoeff());
      EXPECT_GT(of_marker.cwiseAbs().maxCoeff(), 0.1);
    }
    FlexibleBodySpec without = spec;
    without.geometric_stiffening = false;
    FlexibleBody plain(without);
    ASSERT_FALSE(plain.second_order_shapes(plain.nominal(rho), reduced(plain, rho), Gamma).failed());
    EXPECT_EQ(Gamma.size(), 0);
  }
}

TEST(GeometricStiffening, IsAbsentUnlessRequested) {
  FlexibleBodySpec spec = slender_beam(2, 2);
  spec.geometric_stiffening = false;
  EXPECT_TRUE(sid_of(spec).Ct.M1.empty());
}

}  // namespace
}  // namespace kurbel::fem::test
