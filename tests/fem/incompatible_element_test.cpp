#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <numbers>

#include "fem/cholesky.hpp"
#include "fem/element.hpp"
#include "fixtures.hpp"

namespace kurbel::fem::test {
namespace {

using enum ElementType;

constexpr double nu = 0.3, thickness = 0.02;

std::unique_ptr<const Element> element(int dim, ElementType type) {
  MeshSpec mesh;
  mesh.dim = dim, mesh.thickness = thickness, mesh.element = type;
  return box_element(mesh, nu);
}

template <class Scalar>
BasicElementMatrices<Scalar> matrices(const BasicCorners<Scalar>& corners, ElementType type) {
  return element(corners.cols() == 4 ? 2 : 3, type)->matrices(corners);
}

/// 2 elements per axis around one inner node, all nodes out of place by up to 0.2 of an edge.
struct Patch {
  explicit Patch(int dim) : mesh(spec(dim)), x(mesh.positions()) {
    x.topRows(dim) += 0.2 * random_matrix(dim, x.cols(), 5);
    while (!(mesh.positions().col(inner).head(dim).array() == 1.0).all()) ++inner;
  }

  static MeshSpec spec(int dim) {
    MeshSpec spec;
    spec.dim = dim;
    spec.size = {2.0, 2.0, 2.0};
    spec.divisions = {2, 2, 2};
    return spec;
  }

  Mesh::Points corners(Eigen::Index e) const { return x(Eigen::all, mesh.nodes_of(e)); }

  Mesh mesh;
  Mesh::Points x;
  int inner = 0;
};

/// A displacement gradient with every strain and a rotation, and what it does to nodes.
MatrixXd gradient(int dim) {
  return 1e-3 * random_matrix(dim, dim, 8);
}

VectorXd linear_field(const Mesh::Points& x, const MatrixXd& F) {
  return (F * x.topRows(F.rows())).reshaped();
}

class IncompatibleElement : public testing::TestWithParam<int> {
 protected:
  const int dim = GetParam();
  const Patch patch{dim};
};

TEST_P(IncompatibleElement, PassesThePatchTestWhenDistorted) {
  VectorXd force = VectorXd::Zero(dim);
  double largest = 0.0;
  for (Eigen::Index e = 0; e < patch.mesh.n_elements(); ++e) {
    const VectorXd f =
        matrices(patch.corners(e), incompatible).stiffness * linear_field(patch.corners(e), gradient(dim));
    for (Eigen::Index a = 0; a < patch.mesh.nodes_of(e).size(); ++a) {
      if (patch.mesh.nodes_of(e)[a] == patch.inner) force += f.segment(a * dim, dim);
    }
    largest = std::max(largest, f.cwiseAbs().maxCoeff());
  }
  EXPECT_LT(force.cwiseAbs().maxCoeff(), 1e-14 * largest);
}

TEST_P(IncompatibleElement, AnswersToConstantStrainAsTheStandardOne) {
  for (Eigen::Index e = 0; e < patch.mesh.n_elements(); ++e) {
    const VectorXd u = linear_field(patch.corners(e), gradient(dim));
    const VectorXd expected = matrices(patch.corners(e), standard).stiffness * u;
    const VectorXd f = matrices(patch.corners(e), incompatible).stiffness * u;
    EXPECT_LT((f - expected).norm(), 1e-14 * expected.norm());
  }
}

TEST_P(IncompatibleElement, HasNoEnergyInRigidModesOnly) {
  const int n_rigid = dim == 2 ? 3 : 6;
  for (Eigen::Index e = 0; e < patch.mesh.n_elements(); ++e) {
    const MatrixXd k = matrices(patch.corners(e), incompatible).stiffness;
    const VectorXd values = Eigen::SelfAdjointEigenSolver<MatrixXd>(k, Eigen::EigenvaluesOnly).eigenvalues();
    EXPECT_LT(values.head(n_rigid).cwiseAbs().maxCoeff(), 1e-14 * values.maxCoeff());
    EXPECT_GT(values[n_rigid], 1e-2 * values.maxCoeff());
  }
}

TEST_P(IncompatibleElement, IsDifferentiatedByItsCornersInComplexStep) {
  const Mesh::Points x = patch.corners(0);
  for (const ElementType type : {standard, incompatible}) {
    const double h = 1e-5;  // central differences: h^2 of the matrices, and rounding / h
    const auto at = [&](double step) {
      Mesh::Points moved = x;
      moved(1, 2) += step;
      return matrices(moved, type).stiffness;
    };
    const MatrixXd difference = (at(h) - at(-h)) / (2.0 * h);
    Eigen::Matrix<Complex, 3, Eigen::Dynamic> moved = x.cast<Complex>();
    moved(1, 2) += Complex(0.0, 1e-30);
    const MatrixXd derivative = matrices<Complex>(moved, type).stiffness.imag() / 1e-30;
    EXPECT_LT((derivative - difference).norm(), 1e-8 * difference.norm());
  }
}

TEST_P(IncompatibleElement, StressAtTheCentreIsThatOfTheLinearField) {
  const MatrixXd F = gradient(dim);
  const MatrixXd strain = 0.5 * (F + F.transpose());
  const double mu = 0.5 / (1.0 + nu);
  const double lambda = dim == 2 ? nu / (1.0 - nu * nu) : nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
  const MatrixXd stress = lambda * strain.trace() * MatrixXd::Identity(dim, dim) + 2.0 * mu * strain;
  const Mesh::Points x = patch.corners(0);
  const MatrixXd S = element(dim, incompatible)->centre_stress(x);
  VectorXd expected(3 * (dim - 1));
  if (dim == 2) {
    expected << stress(0, 0), stress(1, 1), stress(0, 1);
  } else {
    expected << stress(0, 0), stress(1, 1), stress(2, 2), stress(1, 2), stress(2, 0), stress(0, 1);
  }
  EXPECT_LT((S * linear_field(x, F) - expected).norm(), 1e-14 * expected.norm());
}

INSTANTIATE_TEST_SUITE_P(Dimension, IncompatibleElement, testing::Values(2, 3));

/// Curvature kappa about z: u = -kappa x y, v = kappa (x^2 + nu y^2) / 2, and -nu kappa z^2 / 2 in space,
/// w = nu kappa y z. Energy: E I kappa^2 a per unit length, I = width b^3 / 12.
double bending_energy_over_exact(int dim, ElementType type) {
  const double a = 5.0, b = 0.7, c = 0.4, kappa = 1.0;
  Mesh::Points x(3, 4 * (dim - 1));
  x.leftCols(4) << 0, a, a, 0, 0, 0, b, b, 0, 0, 0, 0;
  if (dim == 3) {
    x.rightCols(4) = x.leftCols(4);
    x.row(2).tail(4).setConstant(c);
  }
  x.colwise() -= 0.5 * Vector3d(a, b, dim == 3 ? c : 0.0);
  VectorXd u(dim * x.cols());
  for (Eigen::Index i = 0; i < x.cols(); ++i) {
    const double X = x(0, i), Y = x(1, i), Z = x(2, i);
    u[dim * i] = -kappa * X * Y;
    u[dim * i + 1] = 0.5 * kappa * (X * X + nu * (Y * Y - Z * Z));
    if (dim == 3) u[dim * i + 2] = nu * kappa * Y * Z;
  }
  const double width = dim == 2 ? thickness : c;
  return (u.transpose() * matrices(x, type).stiffness * u).value() / (width * b * b * b / 12.0 * a);
}

TEST(BendingOfOneElement, IsExactWithIncompatibleModes) {
  // Corners' energies, some 40 times larger, cancel
  EXPECT_NEAR(bending_energy_over_exact(2, incompatible), 1.0, 1e-12);
  EXPECT_NEAR(bending_energy_over_exact(3, incompatible), 1.0, 1e-12);
}

TEST(BendingOfOneElement, LocksWithoutThem) {
  // In the plane: (1 / (1 - nu) + (a / b)^2 / 2) / (1 + nu)
  EXPECT_NEAR(bending_energy_over_exact(2, standard),
              (1.0 / (1.0 - nu) + 0.5 * (5.0 / 0.7) * (5.0 / 0.7)) / (1.0 + nu), 1e-12);
  EXPECT_GT(bending_energy_over_exact(3, standard), 10.0);
}

FlexibleBodySpec strip(int dim, double height, int n_x, ElementType type) {
  FlexibleBodySpec spec =
      dim == 2 ? crank(n_x, 1, 1, false) : bar({n_x, 1, 1}, {0.2, height, 0.01}, 1, false);
  spec.mesh.size[1] = height;
  spec.mesh.element = type;
  return spec;
}

/// Deflection of the end under a force along y, over that of a Timoshenko beam.
double deflection_over_beam(int dim, ElementType type) {
  const double height = 0.02, width = 0.01, length = 0.2;
  const FlexibleBodySpec spec = strip(dim, height, 10, type);
  const Mesh mesh(spec.mesh);
  const Assembly assembly(mesh, mesh.nodes_in(spec.clamp),
                          {box_element(spec.mesh, nu)->matrices(mesh.class_corners(0))});
  const double E = spec.material.youngs_modulus;
  SparseMatrix K = assembly.stiffness_pattern();
  assembly.assemble_stiffness(VectorXd::Constant(mesh.n_elements(), E), K);
  Cholesky factor(K, dim);
  EXPECT_EQ(factor.factorize(K), Cholesky::Outcome::ok);
  const std::vector<int> end = mesh.nodes_in(spec.markers[0].nodes);
  VectorXd mean = VectorXd::Zero(K.rows());
  for (const int node : end) {
    mean[assembly.order().position_of(node) * dim + 1] = 1.0 / static_cast<double>(end.size());
  }
  MatrixXd u;
  factor.solve(mean, u);
  const double A = width * height, I = A * height * height / 12.0, G = E / (2.0 * (1.0 + nu));
  return (mean.transpose() * u).value() / (std::pow(length, 3) / (3.0 * E * I) + 1.2 * length / (G * A));
}

TEST(Cantilever, OfOneRowOfIncompatibleElementsDeflectsAsABeam) {
  // The clamp holds the contraction of the root, and 10 elements have a linear moment in steps
  EXPECT_NEAR(deflection_over_beam(2, incompatible), 1.0, 0.01);
  EXPECT_NEAR(deflection_over_beam(3, incompatible), 1.0, 0.02);
}

TEST(Cantilever, OfOneRowOfStandardElementsLocks) {
  EXPECT_LT(deflection_over_beam(2, standard), 0.7);
  EXPECT_LT(deflection_over_beam(3, standard), 0.7);
}

double frequency_over_beam(int dim, ElementType type) {
  const double height = 0.002;
  FlexibleBody body(strip(dim, height, 20, type));
  const ReducedBody reduced_body = reduced(body, VectorXd::Ones(body.n_elements()));
  const Material& steel = body.spec().material;
  const double beam = std::pow(1.8751040687119611, 2) / (2.0 * std::numbers::pi) / (0.2 * 0.2) * height *
                      std::sqrt(steel.youngs_modulus / (12.0 * steel.density));
  return reduced_body.frequencies_hz[0] / beam;
}

TEST(Cantilever, ThinStripOfOneRowHasTheFrequencyOfABeam) {
  EXPECT_NEAR(frequency_over_beam(2, incompatible), 1.0, 0.005);
  EXPECT_NEAR(frequency_over_beam(3, incompatible), 1.0, 0.02);  // the clamp holds the wider root
  EXPECT_GT(frequency_over_beam(2, standard), 3.0);
}

}  // namespace
}  // namespace kurbel::fem::test
