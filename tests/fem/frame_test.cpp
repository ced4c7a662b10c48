/// Chord and Buckens frames: their conditions, frequencies of beams on their supports and in free flight, and
/// static answers that no frame changes.
#include "fem/frame.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "fem/spec_check.hpp"
#include "fixtures.hpp"

namespace kurbel::fem::test {
namespace {

using ::testing::HasSubstr;

TEST(BuckensFrame, DecouplesRigidAndElasticMotion) {
  for (const FlexibleBodySpec& spec : {crank(12, 4, 3, true), bar({6, 3, 2}, {0.2, 0.05, 0.03}, 3, true)}) {
    FlexibleBody body(free_body(spec));
    const ReducedBody r = reduced(body, random_densities(body.n_elements(), 0.1, 1));
    const double m = r.sid.refmod.mass, length = 0.2;
    EXPECT_LT(r.sid.Ct.M0.cwiseAbs().maxCoeff(), 1e-11 * std::sqrt(m));
    EXPECT_LT(r.sid.Cr.M0.cwiseAbs().maxCoeff(), 1e-11 * std::sqrt(m) * length);
    EXPECT_LT((r.sid.Me.M0 - MatrixXd::Identity(body.n_q(), body.n_q())).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST(ChordFrame, HoldsItsMarkers) {
  FlexibleBody flat(on_chord(crank(12, 4, 3, true), "pin"));
  const ReducedBody r = reduced(flat, random_densities(48, 0.1, 2));
  EXPECT_EQ(flat.n_q(), 3 + 1);  // of the forces on the pin, that along the chord deforms
  const double size = r.sid.frame[1].phi.M0.cwiseAbs().maxCoeff();
  EXPECT_LT(r.sid.frame[0].phi.M0.cwiseAbs().maxCoeff(), 1e-11 * size);
  EXPECT_LT(r.sid.frame[1].phi.M0.row(1).cwiseAbs().maxCoeff(), 1e-11 * size);

  FlexibleBodySpec spec = on_chord(bar({6, 3, 2}, {0.2, 0.05, 0.03}, 4, false), "tip");
  FlexibleBody twisted(spec);
  const ReducedBody by_rotation = reduced(twisted, VectorXd::Ones(36));
  const double turn = by_rotation.sid.frame[1].psi.M0.cwiseAbs().maxCoeff();
  EXPECT_LT(by_rotation.sid.frame[0].psi.M0.row(0).cwiseAbs().maxCoeff(), 1e-11 * turn);
  spec.markers.push_back(marker("side", plane(1, 0.025)));
  spec.frame.third = "side";
  FlexibleBody held(spec);
  const ReducedBody by_marker = reduced(held, VectorXd::Ones(36));
  EXPECT_LT(by_marker.sid.frame[2].phi.M0.row(2).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_GT(by_marker.sid.frame[0].psi.M0.row(0).cwiseAbs().maxCoeff(), 1e-3 * turn);
}

/// Axial vibration with nu = 0 is that of a chain of linear elements of length h, whose eigenvalues are
/// (E / rho) 6 / h^2 (1 - cos kh) / (2 + cos kh).
double axial_eigenvalue(double k_length, double length, int n_elements) {
  const double h = length / n_elements, c = std::cos(k_length / n_elements);
  return 2.1e11 / 7850.0 * 6.0 / (h * h) * (1.0 - c) / (2.0 + c);
}

double distance_to_closest(const VectorXd& values, double target) {
  return (values.array() - target).abs().minCoeff();
}

TEST(BuckensFrame, HasTheAxialModesOfAFreeRod) {
  FlexibleBodySpec spec = free_body(crank(9, 4, 8, false));
  spec.material.poisson_ratio = 0.0;
  FlexibleBody body(spec);
  const VectorXd lambda = reduced(body, VectorXd::Ones(36)).basis->normal().lambda;
  const double expected = axial_eigenvalue(std::numbers::pi, 0.2, 9);
  EXPECT_LT(distance_to_closest(lambda, expected), 1e-10 * expected);
}

/// With one element over the height the mean of the nodes is that of the cross-section.
TEST(ChordFrame, HasTheAxialModesOfARodHeldAtItsOrigin) {
  FlexibleBodySpec spec = on_chord(crank(9, 1, 8, false), "pin");
  spec.material.poisson_ratio = 0.0;
  FlexibleBody body(spec);
  const VectorXd lambda = reduced(body, VectorXd::Ones(9)).basis->normal().lambda;
  const double expected = axial_eigenvalue(0.5 * std::numbers::pi, 0.2, 9);
  EXPECT_LT(distance_to_closest(lambda, expected), 1e-10 * expected);
}

/// First bending frequency of a beam of 1 m x 0.04 m with nu = 0, extrapolated from two meshes of an element
/// of second order.
template <class MakeFrame>
double bending_frequency(const MakeFrame& make) {
  std::array<double, 2> f;
  for (int level = 0; level < 2; ++level) {
    FlexibleBodySpec spec = crank(50 << level, 2 << level, 2, false);
    spec.mesh.size = {1.0, 0.04, 0.0};
    spec.material.poisson_ratio = 0.0;
    spec.markers = {marker("pin", plane(0, 1.0))};
    FlexibleBody body(make(spec));
    f[level] = reduced(body, VectorXd::Ones(body.n_elements())).frequencies_hz[0];
  }
  return f[1] + (f[1] - f[0]) / 3.0;
}

/// beta^2 / (2 pi) sqrt(E I / rho A L^4). Shear and rotary inertia lower it by (beta h / L)^2 (1 + 2 (1 + nu)
/// / kappa) / 24 to first order, here below 0.6 %.
double beam_frequency(double beta_length) {
  return beta_length * beta_length / (2.0 * std::numbers::pi) * std::sqrt(2.1e11 / 7850.0 / 12.0) * 0.04;
}

TEST(BuckensFrame, HasTheBendingFrequencyOfAFreeBeam) {
  const double f = bending_frequency([](const FlexibleBodySpec& spec) { return free_body(spec); });
  EXPECT_LT(f, beam_frequency(4.73004));
  EXPECT_NEAR(f, beam_frequency(4.73004), 6e-3 * f);
}

TEST(ChordFrame, HasTheBendingFrequencyOfABeamOnTwoSupports) {
  const double f = bending_frequency([](const FlexibleBodySpec& spec) { return on_chord(spec, "pin"); });
  EXPECT_LT(f, beam_frequency(std::numbers::pi));
  EXPECT_NEAR(f, beam_frequency(std::numbers::pi), 3e-3 * f);
}

/// omega a^2 sqrt(rho h / D) of a free square plate with nu = 0.3: 13.49, 19.79, 24.43 by Leissa, Vibration
/// of plates (1969), upper bounds by Ritz; they lie up to 1 % above the exact values, and so may the
/// elements, by (element size / wavelength)^2. One layer of incompatible elements.
TEST(BuckensFrame, HasTheFrequenciesOfAFreeSquarePlate) {
  FlexibleBodySpec spec = free_body(bar({20, 20, 1}, {1.0, 1.0, 0.01}, 5, false));
  spec.mesh.element = ElementType::incompatible;
  FlexibleBody body(spec);
  const VectorXd f = reduced(body, VectorXd::Ones(400)).frequencies_hz;
  const double D = 2.1e11 * 1e-6 / (12.0 * (1.0 - 0.09)), rho_h = 7850.0 * 0.01;
  const VectorXd lambda = 2.0 * std::numbers::pi * std::sqrt(rho_h / D) * f;
  EXPECT_NEAR(lambda[0], 13.49, 0.015 * 13.49);
  EXPECT_NEAR(lambda[1], 19.79, 0.015 * 19.79);
  EXPECT_NEAR(lambda[2], 24.43, 0.015 * 24.43);
  EXPECT_NEAR(lambda[3], lambda[4], 1e-6 * lambda[3]);  // a pair by symmetry
}

/// Loads on the markers that balance each other do the same work in frames that hold no node.
TEST(ChordAndBuckensFrame, GiveTheSameWorkOfLoadsThatBalance) {
  FlexibleBodySpec spec = bar({6, 3, 2}, {0.2, 0.05, 0.03}, 3, false);
  spec.markers = {marker("root", plane(0, 0.0)), marker("tip", plane(0, 0.2)),
                  marker("side", plane(1, 0.025))};
  for (const MarkerSpec& m : spec.markers)
    spec.attachments.push_back({m.name, {true, true, true}, {true, true, true}});
  FlexibleBodySpec chord = spec;
  chord.frame = {FrameSpec::Type::chord, "root", "tip", "side"};
  std::vector<MatrixXd> work;
  for (const FlexibleBodySpec& s : {chord, free_body(spec)}) {
    FlexibleBody body(s);
    const ReducedBody r = reduced(body, random_densities(36, 0.2, 3));
    MatrixXd P(18, body.n_q()), motion(18, 6);
    for (int i = 0; i < 3; ++i) {
      P.middleRows(6 * i, 6) << r.sid.frame[i].phi.M0, r.sid.frame[i].psi.M0;
      const Vector3d x = r.sid.frame[i].origin.M0;
      Matrix3d turn;
      turn << 0, x[2], -x[1], -x[2], 0, x[0], x[1], -x[0], 0;
      motion.middleRows(6 * i, 6) << Matrix3d::Identity(), turn, Matrix3d::Zero(), Matrix3d::Identity();
    }
    const MatrixXd balanced = Eigen::FullPivLU<MatrixXd>(motion.transpose()).kernel();
    const MatrixXd answers = r.lambda.cwiseInverse().cwiseSqrt().asDiagonal() * P.transpose() * balanced;
    work.push_back(answers.transpose() * answers);
  }
  EXPECT_LT((work[1] - work[0]).norm(), 1e-9 * work[0].norm());
}

TEST(ChordFrame, RefusesMarkersThatDoNotHoldTheBody) {
  FlexibleBodySpec spec = on_chord(bar({6, 2, 2}, {0.2, 0.05, 0.03}, 2, false), "tip");
  spec.frame.end = "tipp";
  EXPECT_THAT(find_problem(spec).value().message, HasSubstr("the marker \"tipp\", which does not exist"));
  spec.frame.end = "root";
  EXPECT_THAT(find_problem(spec).value().message, HasSubstr("names \"root\" twice"));
  spec.frame.end = "tip";
  spec.frame.third = "tip";
  EXPECT_THAT(find_problem(spec).value().message, HasSubstr("names \"tip\" twice"));
  spec.frame.third.clear();
  Box& nodes = std::get<Box>(spec.markers[0].nodes.shape);
  nodes.lower[1] = nodes.upper[1] = nodes.lower[2] = nodes.upper[2] = 0.0;
  EXPECT_THAT(find_problem(spec).value().message, HasSubstr("no rotation about the chord"));
  spec.markers.push_back(marker("middle", plane(0, 0.1)));
  spec.frame.third = "middle";
  EXPECT_THAT(find_problem(spec).value().message, HasSubstr("not on one line"));
}

}  // namespace
}  // namespace kurbel::fem::test
