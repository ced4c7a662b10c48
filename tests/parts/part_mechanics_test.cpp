/// @file
/// Bodies on meshes from files against closed forms and differences.
#include <gtest/gtest.h>

#include <numbers>

#include "placed_objective.hpp"
#include "tests/parts/part_texts.hpp"

namespace kurbel::test {
namespace {

using namespace fem;
using namespace fem::test;
using std::numbers::pi;

FlexibleBodySpec body_on(std::shared_ptr<const Mesh> mesh, double thickness, const Material& material) {
  FlexibleBodySpec spec;
  spec.name = "part";
  spec.mesh = spec_of_given(std::move(mesh), thickness);
  spec.material = material;
  return spec;
}

MarkerSpec by_area(const std::string& name, const Place& place) {
  return {name, place, MarkerSpec::Weights::area};
}

Sid sid_of(const FlexibleBodySpec& spec) {
  FlexibleBody body(spec);
  return reduced(body, VectorXd::Ones(body.n_elements())).sid;
}

/// Clamped at the inner circle, twisted at the outer one by a moment M, a ring has u_phi = M / (4 pi G t) (r / a^2 - 1 / r).
/// Area weights apply M as a shear traction that is the same all around, and measure the outer circle's turn.
TEST(PartMechanics, ARingIsTwistedThroughItsRim) {
  constexpr double E = 2.0, nu = 0.25, t = 0.1, a = 1.0, b = 2.0, G = E / (2.0 * (1.0 + nu));
  const double exact = (1.0 / (a * a) - 1.0 / (b * b)) / (4.0 * pi * G * t);
  const auto error = [&](double size) {
    const WrittenPart part("ring.geo", ring_geo);
    FlexibleBodySpec spec = body_on(read_part(part.file(size), t), t, {E, nu, 1.0});
    spec.clamp = SetName{"inner"};
    spec.markers = {by_area("rim", SetName{"outer"})};
    spec.attachments = {{"rim", {}, {false, false, true}}};
    const Sid sid = sid_of(spec);
    EXPECT_LT(sid.frame.back().origin.M0.norm(), 1e-9) << "the weighted centre is that of the circle";
    const MatrixXd psi = sid.frame.back().psi.M0;
    return std::abs((psi.row(2) * sid.Ke.M0.inverse() * psi.row(2).transpose()).value() / exact - 1.0);
  };
  EXPECT_LT(error(0.2), 1e-3);
  EXPECT_LT(error(0.1), error(0.2) / 4.0);
}

TEST(PartMechanics, ACylinderHasItsMassCentreAndInertia) {
  constexpr double r = 0.3, length = 1.0, rho = 1000.0, mass = pi * r * r * length * rho;
  const auto volume_error = [&](double size) {
    return std::abs(mesh_of("cylinder.geo", cylinder_geo, size)->volumes().sum() * rho / mass - 1.0);
  };
  EXPECT_LT(volume_error(0.05), volume_error(0.1) / 12.0) << "curved quadratic elements: h^4";

  FlexibleBodySpec spec = body_on(mesh_of("cylinder.geo", cylinder_geo, 0.1), 1.0, {1e9, 0.3, rho});
  spec.frame.type = FrameSpec::Type::buckens;
  spec.n_normal_modes = 1;
  const Sid sid = sid_of(spec);
  const double across = mass * (r * r / 4.0 + length * length / 3.0);
  const double error =
      2.0 * volume_error(0.1);  // the radius is too small by this: twice in the inertia about the axis
  EXPECT_NEAR(sid.refmod.mass / mass, 1.0, error);
  EXPECT_LT((sid.mdCM.M0 - Vector3d(0.5 * mass * length, 0.0, 0.0)).norm(), error * mass * length);
  EXPECT_NEAR(sid.J.M0(0, 0) / (0.5 * mass * r * r), 1.0, 1.1 * error);
  EXPECT_NEAR(sid.J.M0(1, 1) / across, 1.0, error);
  EXPECT_NEAR(sid.J.M0(2, 2) / across, 1.0, error);
  EXPECT_LT(Matrix3d(sid.J.M0 - Matrix3d(Matrix3d(sid.J.M0).diagonal().asDiagonal())).norm(), error * across);
}

/// With M = pi R^3 rho / 6: the centre is at 3/8 R on each axis, int x^2 dm = M R^2 / 5 and int x y dm = 2 / (5 pi) M R^2.
TEST(PartMechanics, AnOctantOfABallHasItsMassCentreAndInertia) {
  constexpr double R = 0.3, rho = 1000.0, mass = pi * R * R * R / 6.0 * rho;
  const auto sid_at = [&](double size) {
    FlexibleBodySpec spec = body_on(mesh_of("octant.geo", octant_geo, size), 1.0, {1e9, 0.3, rho});
    spec.frame.type = FrameSpec::Type::buckens;
    spec.n_normal_modes = 1;
    return sid_of(spec);
  };
  const Vector3d centre = Vector3d::Constant(3.0 / 8.0 * R);
  Matrix3d inertia = Matrix3d::Constant(-2.0 / (5.0 * pi) * mass * R * R);
  inertia.diagonal().setConstant(2.0 / 5.0 * mass * R * R);
  // Relative errors of mass, first moments and inertia, which grow with the powers 3, 4, 5 of the radius.
  const auto errors = [&](const Sid& sid) {
    return Vector3d(std::abs(sid.refmod.mass / mass - 1.0) / 3.0,
                    (sid.mdCM.M0 - mass * centre).norm() / (mass * centre.norm()) / 4.0,
                    Matrix3d(sid.J.M0 - inertia).norm() / inertia.norm() / 5.0);
  };
  // A parabola through three points of an arc of the angle a is R a^4 / 512 below it at most; edges are up to 1.4 sizes long.
  const auto bound = [&](double size) { return std::pow(1.4 * size / R, 4) / 512.0; };
  const Vector3d coarse = errors(sid_at(0.05)), fine = errors(sid_at(0.03));
  EXPECT_LT(coarse.maxCoeff(), bound(0.05));
  EXPECT_LT(fine.maxCoeff(), bound(0.03));
  for (Eigen::Index i = 0; i < 3; ++i)
    EXPECT_LT(fine[i], coarse[i] * std::pow(0.03 / 0.05, 3)) << "h^3 or better: " << i;
}

void expect_exact_gradient(const FlexibleBodySpec& spec, Eigen::Index stride) {
  FlexibleBody body(with_forces_and_moments(spec));
  const BodyDesign design = body.nominal(random_densities(body.n_elements(), 0.3, 5));
  const auto reduced_at = [&](const BodyDesign& at) {
    ReducedBody r;
    if (const Status failure = body.reduce(at, r); failure.failed())
      throw std::runtime_error(failure.message());
    return r;
  };
  const ReducedBody r = reduced_at(design);
  BodyDesign bar;
  PullbackReport report;
  ASSERT_FALSE(body.pullback(design, r, placed_objective_bar(r.sid), bar, &report).failed());
  EXPECT_LT(report.invariance_defect, 1e-11);
  const VectorXd relative = bar.density.cwiseProduct(design.density);
  const double largest = relative.cwiseAbs().maxCoeff();
  for (Eigen::Index e = 0; e < relative.size(); e += stride) {
    const double expected = difference(
        [&](double h) {
          BodyDesign moved = design;
          moved.density[e] *= 1.0 + h;
          return placed_objective(reduced_at(moved).sid);
        },
        5e-3);
    EXPECT_NEAR(relative[e], expected, 1e-7 * largest) << "element " << e;
  }
}

TEST(PartMechanics, GradientsEqualDifferencesOnMeshesFromFiles) {
  FlexibleBodySpec arm = body_on(mesh_of("arm.geo", arm_geo, 0.012), 0.01, {2.1e11, 0.3, 7850.0});
  arm.clamp = SetName{"left bearing"};
  arm.markers = {by_area("pin", SetName{"right"})};
  arm.n_normal_modes = 3;
  expect_exact_gradient(arm, arm.mesh.given->n_elements() / 7);

  FlexibleBodySpec shaft = body_on(mesh_of("cylinder.geo", cylinder_geo, 0.4), 1.0, {2.1e11, 0.3, 7850.0});
  Box end;
  end.lower[0] = 1.0;
  shaft.clamp = Not{{HalfSpace{{0.01, 0.0, 0.0}, Vector3d::UnitX()}}};
  shaft.markers = {by_area("end", end)};
  shaft.n_normal_modes = 3;
  expect_exact_gradient(shaft, shaft.mesh.given->n_elements() / 7);
}

}  // namespace
}  // namespace kurbel::test
