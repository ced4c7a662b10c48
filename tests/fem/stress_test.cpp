#include "fem/stress.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "quadratic_meshes.hpp"

namespace kurbel::fem::test {
namespace {

StressPoints all_elements(const FlexibleBody& body, double relaxation) {
  return {stress_elements(body.spec(), body.mesh(), {}), relaxation};
}

/// Stresses under a force on the marker, which the attachment modes answer exactly; a column per component.
MatrixXd stresses_under(FlexibleBody& body, const VectorXd& rho, const Vector3d& force, double relaxation) {
  const ReducedBody r = reduced(body, rho);
  const VectorXd q = (r.markers[0].Phi.transpose() * force).cwiseQuotient(r.lambda);
  const StressModes modes = body.stress_modes(body.nominal(rho), r, all_elements(body, relaxation));
  return (modes.S * q).reshaped(modes.n_points(), modes.n_components);
}

TEST(Stress, OfABarInTensionIsForcePerArea) {
  FlexibleBody plane(crank(40, 8, 2, true)), solid(bar({20, 4, 4}, {0.2, 0.02, 0.02}, 2, true));
  for (FlexibleBody* body : {&plane, &solid}) {
    const MatrixXd sigma = stresses_under(*body, VectorXd::Ones(body->n_elements()), {1e3, 0.0, 0.0}, 0.5);
    const double expected = 1e3 / 4e-4;
    for (Eigen::Index e = 0; e < sigma.rows(); ++e) {
      if (std::abs(body->mesh().centres()(0, e) - 0.1) > 0.03) continue;  // far from both ends
      EXPECT_NEAR(sigma(e, 0), expected, 1e-2 * expected);
      EXPECT_LT(sigma.row(e).tail(sigma.cols() - 1).cwiseAbs().maxCoeff(), 1e-2 * expected);
    }
  }
}

TEST(Stress, OfABeamInBendingFollowsTheory) {
  for (const ElementType type : {ElementType::standard, ElementType::incompatible}) {
    FlexibleBodySpec spec = crank(80, 16, 2, true);
    spec.mesh.element = type;
    FlexibleBody body(spec);
    const MatrixXd sigma = stresses_under(body, VectorXd::Ones(body.n_elements()), {0.0, 1e3, 0.0}, 0.5);
    const double h = 0.04, t = 0.01, I = t * h * h * h / 12.0, largest = 1e3 * 0.1 * 0.5 * h / I;
    for (Eigen::Index e = 0; e < sigma.rows(); ++e) {
      const double x = body.mesh().centres()(0, e), y = body.mesh().centres()(1, e);
      if (std::abs(x - 0.1) > 0.03) continue;
      EXPECT_NEAR(sigma(e, 0), -1e3 * (0.2 - x) * y / I, 5e-3 * largest);
      // The parabola of the shear is linear within an element: h_e^2 / 12 of its curvature
      EXPECT_NEAR(sigma(e, 2), 1.5 * 1e3 / (h * t) * (1.0 - 4.0 * y * y / (h * h)),
                  1e-2 * 1.5 * 1e3 / (h * t));
    }
  }
}

TEST(Stress, IsRelaxedByThePowerOfTheDensity) {
  FlexibleBody body(crank(12, 4, 2, true));
  const Eigen::Index n = body.n_elements();
  const MatrixXd solid = stresses_under(body, VectorXd::Ones(n), {0.0, 1e3, 0.0}, 0.5);
  for (const double r : {0.0, 0.5, 3.0}) {
    // Strains grow by p^-s; r = s is the stress of the homogenized medium, which does not see p.
    const MatrixXd sigma = stresses_under(body, VectorXd::Constant(n, 0.4), {0.0, 1e3, 0.0}, r);
    EXPECT_LT((sigma - std::pow(0.4, r - 3.0) * solid).norm(), 1e-8 * sigma.norm());
  }
}

TEST(Stress, LeavesOutRegionsMarkersAndTheClamp) {
  FlexibleBodySpec spec = crank(10, 2, 2, true);
  spec.regions = {{"middle", Region::Kind::frozen, Box{{0.08}, {0.12}}}};
  const Mesh mesh(spec.mesh);
  EXPECT_EQ(stress_elements(spec, mesh, {}).size(), 20u);
  EXPECT_EQ(stress_elements(spec, mesh, {"pin"}).size(), 18u);
  EXPECT_EQ(stress_elements(spec, mesh, {"clamp", "pin", "middle"}),
            (std::vector<int>{1, 2, 3, 6, 7, 8, 11, 12, 13, 16, 17, 18}));
}

enum class MeshKind { box, free, quadratic };

/// psi = a^T S Ke^-1 S^T b depends on the span of the basis only.
struct StressedBody {
  const char* name;
  int dim;
  FrameSpec frame{};
  BasisType basis = BasisType::normal;
  MeshKind mesh = MeshKind::box;
};
void PrintTo(const StressedBody& body, std::ostream* out) {
  *out << body.name;
}

class StressPullback : public testing::TestWithParam<StressedBody> {
 protected:
  static FlexibleBodySpec spec(const StressedBody& body) {
    FlexibleBodySpec spec =
        body.dim == 2 ? crank(10, 4, 3, true) : bar({6, 2, 2}, {0.2, 0.04, 0.05}, 3, true);
    spec.frame = body.frame;
    spec.basis = body.basis;
    const Split split = body.dim == 2 ? Split::every_other : Split::all;
    switch (body.mesh) {
      case MeshKind::box:
        break;
      case MeshKind::free:
        return on_free_mesh(spec, split);
      case MeshKind::quadratic:
        spec.markers[0].weights = MarkerSpec::Weights::area;
        return on_quadratic_mesh(spec, split);
    }
    return spec;
  }
  double psi(const BodyDesign& design) {
    ReducedBody r;
    const Status failure = body.reduce(design, r);
    EXPECT_FALSE(failure.failed());
    const MatrixXd S = body.stress_modes(design, r, points).S;
    return (S.transpose() * a).dot((S.transpose() * b).cwiseQuotient(r.lambda));
  }
  FlexibleBody body{spec(GetParam())};
  const Eigen::Index n = body.n_elements();
  const StressPoints points{stress_elements(body.spec(), body.mesh(), {"pin", "tip"}), 0.7};
  const Eigen::Index n_rows =
      std::ssize(elements_of_points(body.mesh(), points)) * (GetParam().dim == 2 ? 3 : 6);
  const VectorXd a = random_matrix(n_rows, 1, 5).col(0), b = random_matrix(n_rows, 1, 6).col(0);
};

TEST_P(StressPullback, EqualsDifferencesByDensityModulusThicknessAndSize) {
  BodyDesign design = body.nominal(random_densities(n, 0.2, 4));
  design.youngs_modulus.array() *= 1.0 + 0.3 * random_matrix(n, 1, 9).col(0).array();
  const ReducedBody r = [&] {
    ReducedBody out;
    EXPECT_FALSE(body.reduce(design, out).failed());
    return out;
  }();
  const StressModes modes = body.stress_modes(design, r, points);
  const VectorXd q_a = (modes.S.transpose() * a).cwiseQuotient(r.lambda),
                 q_b = (modes.S.transpose() * b).cwiseQuotient(r.lambda);
  const MatrixXd S_bar = a * q_b.transpose() + b * q_a.transpose();
  std::vector<std::string> markers;
  for (const MarkerShapes& marker : r.markers) markers.push_back(marker.name);
  Sid sid_bar = Sid::zeros(r.sid.refmod.ielastq, markers);
  sid_bar.Ke.M0 = -q_a * q_b.transpose();
  BodyDesign bar;
  PullbackReport report;
  ASSERT_FALSE(body.pullback(design, r, sid_bar, bar, &report, {{points, modes, S_bar}}).failed());
  EXPECT_LT(report.invariance_defect, 1e-11);

  const auto expect_differences = [&](VectorXd BodyDesign::*array, const VectorXd& gradient) {
    for (unsigned seed = 0; seed < 3; ++seed) {
      const VectorXd direction = (design.*array).cwiseProduct(random_matrix(n, 1, 77 + seed).col(0));
      const auto along = [&](double h) {
        BodyDesign moved = design;
        moved.*array += h * direction;
        return psi(moved);
      };
      const double h = 2e-3;  // fourth order, below 1e-9
      const double expected =
          (8.0 * (along(h) - along(-h)) - (along(2.0 * h) - along(-2.0 * h))) / (12.0 * h);
      EXPECT_NEAR(gradient.dot(direction), expected, 1e-7 * gradient.cwiseProduct(direction).norm());
    }
  };
  expect_differences(&BodyDesign::density, bar.density);
  expect_differences(&BodyDesign::youngs_modulus, bar.youngs_modulus);
  if (body.spec().mesh.dim == 2) expect_differences(&BodyDesign::thickness, bar.thickness);
  for (int d = 0; d < body.spec().mesh.dim && body.shape_may_vary(); ++d) {
    const auto along = [&](double h) {
      BodyDesign moved = design;
      moved.size[d] *= 1.0 + h;
      return psi(moved);
    };
    const double h = 2e-3;
    const double expected = (8.0 * (along(h) - along(-h)) - (along(2.0 * h) - along(-2.0 * h))) / (12.0 * h);
    EXPECT_NEAR(bar.size[d] * design.size[d], expected, 1e-6 * std::abs(expected)) << "size " << d;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Of, StressPullback,
    testing::Values(StressedBody{"Plane", 2}, StressedBody{"Solid", 3},
                    StressedBody{"PlaneOnAMeshOfAnyShape", 2, {}, BasisType::normal, MeshKind::free},
                    StressedBody{"SolidOfTetrahedra", 3, {}, BasisType::normal, MeshKind::free},
                    StressedBody{"PlaneOfQuadraticElements", 2, {}, BasisType::normal, MeshKind::quadratic},
                    StressedBody{"SolidOfQuadraticTetrahedra", 3, {}, BasisType::normal, MeshKind::quadratic},
                    StressedBody{"PlaneInBuckensFrame", 2, {FrameSpec::Type::buckens, "", "", ""}},
                    StressedBody{"PlaneInCraigBamptonBasis", 2, {}, BasisType::craig_bampton}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kurbel::fem::test
