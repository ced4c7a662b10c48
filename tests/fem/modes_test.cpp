#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>
#include <numbers>

#include "fem/element.hpp"
#include "fixtures.hpp"

namespace kurbel::fem::test {
namespace {

/// A body's matrices at p = 1, for tests of the eigensolver alone.
struct Matrices {
  Mesh mesh;
  Assembly assembly;
  SparseMatrix K;
  NodalMass m;
  std::unique_ptr<StiffnessInverse> inverse;

  explicit Matrices(const FlexibleBodySpec& spec) : Matrices(spec, Mesh(spec.mesh).nodes_in(spec.clamp)) {}

  Matrices(const FlexibleBodySpec& spec, const std::vector<int>& clamped)
      : mesh(spec.mesh),
        assembly(mesh, clamped, element(mesh, spec)),
        K(assembly.stiffness_pattern()),
        m(assembly.make_mass()),
        inverse(make_direct_inverse(assembly)) {
    const VectorXd ones = VectorXd::Ones(mesh.n_elements());
    assembly.assemble_stiffness(spec.material.youngs_modulus * ones, K);
    assembly.assemble_mass(spec.material.density * ones, m);
    EXPECT_EQ(inverse->update(spec.material.youngs_modulus * ones, {}), StiffnessInverse::Outcome::ok);
  }

  static std::vector<ElementMatrices> element(const Mesh& mesh, const FlexibleBodySpec& spec) {
    return {box_element(spec.mesh, spec.material.poisson_ratio)->matrices(mesh.class_corners(0))};
  }

  HeldPencil held() const { return {*inverse, m}; }

  MatrixXd dense_mass() const {
    MatrixXd M(K.rows(), K.rows());
    m.multiply_free(MatrixXd::Identity(K.rows(), K.rows()), M);
    return M;
  }

  VectorXd dense_eigenvalues() const {
    const MatrixXd full = K.selfadjointView<Eigen::Lower>() * MatrixXd::Identity(K.rows(), K.rows());
    return Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd>(full, dense_mass(), Eigen::EigenvaluesOnly)
        .eigenvalues();
  }
};

/// Eigenpairs, orthonormality and the first frequency left out, against a dense solver.
void expect_lowest_modes(const FlexibleBodySpec& spec, int n) {
  Matrices body(spec);
  NormalModes modes;
  const Status failure = find_normal_modes(body.held(), n, modes);
  ASSERT_FALSE(failure.failed()) << failure.message();
  const VectorXd expected = body.dense_eigenvalues();
  // The dense solver's error is relative to its largest eigenvalue.
  const double dense_error = 1e-13 * expected.tail<1>()[0];
  EXPECT_LT((modes.lambda - expected.head(n)).cwiseAbs().maxCoeff(), dense_error);
  if (n < expected.size()) {
    EXPECT_NEAR(modes.lambda_next, expected[n], dense_error + 1e-10 * expected[n]);
  } else {
    EXPECT_TRUE(std::isinf(modes.lambda_next));
  }
  const MatrixXd M_Phi = body.dense_mass() * modes.Phi;
  EXPECT_LT((modes.M_Phi - M_Phi).norm(), 1e-12 * M_Phi.norm());
  EXPECT_LT((modes.Phi.transpose() * M_Phi - MatrixXd::Identity(n, n)).norm(), 1e-11);
  const MatrixXd K_Phi = body.K.selfadjointView<Eigen::Lower>() * modes.Phi;
  const MatrixXd residual = K_Phi - M_Phi * modes.lambda.asDiagonal();
  for (int i = 0; i < n; ++i) EXPECT_LT(residual.col(i).norm(), 1e-9 * K_Phi.col(i).norm()) << "mode " << i;
}

TEST(NormalModes, EqualTheDenseSolutionOnTheCrank) {
  expect_lowest_modes(crank(24, 6, 5, false), 5);
}

TEST(NormalModes, EqualTheDenseSolutionWithEqualPairs) {
  for (const int n : {2, 4, 8}) expect_lowest_modes(bar({10, 2, 2}, {0.3, 0.03, 0.03}, n, false), n);
}

TEST(NormalModes, EqualTheDenseSolutionOnACubeWhoseLowestPairIsTheFirst) {
  expect_lowest_modes(bar({4, 4, 4}, {0.1, 0.1, 0.1}, 2, false), 2);
}

/// Strips between clamped lines know nothing of each other: every eigenvalue comes once per strip, and a
/// single Krylov sequence sees one copy of it.
TEST(NormalModes, FindAllCopiesOfAMultipleEigenvalue) {
  for (const int copies : {3, 4, 8}) {
    FlexibleBodySpec spec = crank(4 * copies, 24, 1, false);
    spec.mesh.size = {0.01 * copies, 0.06, 0.0};
    const Mesh mesh(spec.mesh);
    std::vector<int> clamped;
    for (int node = 0; node < mesh.n_nodes(); ++node) {
      if (node % (4 * copies + 1) % 4 == 0) clamped.push_back(node);
    }
    Matrices body(spec, clamped);
    NormalModes modes;
    ASSERT_FALSE(find_normal_modes(body.held(), copies, modes).failed());
    const double lowest = modes.lambda[0];
    EXPECT_NEAR(modes.lambda[copies - 1], lowest, 1e-10 * lowest) << copies << " copies";
    EXPECT_GT(modes.lambda_next, 1.01 * lowest);
    EXPECT_LT((modes.Phi.transpose() * modes.M_Phi - MatrixXd::Identity(copies, copies)).norm(), 1e-11);
  }
}

TEST(NormalModes, EqualTheDenseSolutionWhereAllUnknownsAreKept) {
  expect_lowest_modes(crank(2, 1, 8, false), 8);
}

TEST(NormalModes, ReachTheFrequencyOfTheSolidCrank) {
  FlexibleBody body(crank(60, 12, 4, false));
  EXPECT_NEAR(reduced(body, VectorXd::Ones(720)).frequencies_hz[0], 814.02, 0.005);
}

TEST(NormalModes, HaveADeterministicSign) {
  FlexibleBody body(crank(24, 6, 4, false));
  const ReducedBody r = reduced(body, VectorXd::Ones(144));
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(r.basis->normal().Phi.col(k).maxCoeff(), r.basis->normal().Phi.col(k).cwiseAbs().maxCoeff(),
                1e-5);
  }
}

TEST(NormalModes, AreTheSameBitsInEveryRun) {
  FlexibleBody first(crank(24, 6, 4, true)), second(crank(24, 6, 4, true));
  const VectorXd rho = random_densities(144, 0.02, 1);
  EXPECT_EQ(reduced(first, rho).shapes, reduced(second, rho).shapes);
}

TEST(NormalModes, FailWhenAPairIsSplit) {
  for (const int n : {1, 3}) {
    FlexibleBody body(bar({10, 2, 2}, {0.3, 0.03, 0.03}, n, false));
    ReducedBody out;
    const Status failure = body.reduce(VectorXd::Ones(40), out);
    ASSERT_TRUE(failure.failed()) << n << " modes";
    EXPECT_NE(failure.failure().what.find("same frequency"), std::string::npos);
    EXPECT_EQ(failure.failure().where, "body bar");
    EXPECT_NE(failure.failure().advice.find(std::to_string(n + 1)), std::string::npos);
  }
}

/// Axial vibration with nu = 0 is that of a chain of linear elements of length h, whose eigenvalues are
/// (E / rho) 6 / h^2 (1 - cos kh) / (2 + cos kh), k = (2 i - 1) pi / 2 L.
double axial_eigenvalue(double length, int n_elements, double E, double rho) {
  const double h = length / n_elements, c = std::cos(0.5 * std::numbers::pi / n_elements);
  return E / rho * 6.0 / (h * h) * (1.0 - c) / (2.0 + c);
}

double closest(const VectorXd& values, double target) {
  Eigen::Index i = 0;
  (values.array() - target).abs().minCoeff(&i);
  return values[i];
}

TEST(NormalModes, ContainTheAxialModeOfTheElementsClosedForm) {
  FlexibleBodySpec plate = crank(9, 4, 5, false), block = bar({6, 2, 3}, {0.2, 0.11, 0.13}, 7, false);
  plate.material.poisson_ratio = block.material.poisson_ratio = 0.0;
  for (const FlexibleBodySpec& spec : {plate, block}) {
    FlexibleBody body(spec);
    const VectorXd lambda = reduced(body, VectorXd::Ones(body.n_elements())).basis->normal().lambda;
    const double expected = axial_eigenvalue(0.2, spec.mesh.divisions[0], 2.1e11, 7850.0);
    EXPECT_NEAR(closest(lambda, expected), expected, 1e-10 * expected) << spec.name;
  }
}

/// First frequency on three meshes, each twice as fine; nu = 0 avoids the singular corners of the clamp,
/// which slow convergence down.
template <class MakeSpec>
std::array<double, 3> refined_frequencies(const MakeSpec& make) {
  std::array<double, 3> f;
  for (int level = 0; level < 3; ++level) {
    FlexibleBodySpec spec = make(1 << level);
    spec.material.poisson_ratio = 0.0;
    FlexibleBody body(spec);
    f[level] = reduced(body, VectorXd::Ones(body.n_elements())).frequencies_hz[0];
  }
  return f;
}

/// Euler-Bernoulli cantilever of length 1 m and height 0.04 m: 1.8751^2 / (2 pi) sqrt(E I / rho A L^4). Shear
/// and rotary inertia lower it by less than 0.2 % (Timoshenko, (h/L)^2 = 1.6e-3).
const double beam_frequency = 3.51602 / (2.0 * std::numbers::pi) * std::sqrt(2.1e11 / 7850.0 / 12.0) * 0.04;

void expect_second_order_to_the_beam(const std::array<double, 3>& f) {
  EXPECT_NEAR(std::log2((f[0] - f[1]) / (f[1] - f[2])), 2.0, 0.15);
  EXPECT_NEAR(f[2] - (f[1] - f[2]) / 3.0, beam_frequency, 3e-3 * beam_frequency);
}

TEST(NormalModes, OfQuadrilateralsConvergeWithSecondOrderToTheBeam) {
  expect_second_order_to_the_beam(refined_frequencies([](int n) {
    FlexibleBodySpec spec = crank(50 * n, 2 * n, 2, false);
    spec.mesh.size = {1.0, 0.04, 0.0};
    return spec;
  }));
}

TEST(NormalModes, OfHexahedraConvergeWithSecondOrderToTheBeam) {
  expect_second_order_to_the_beam(refined_frequencies([](int n) {
    return bar({50 * n, 2 * n, 1}, {1.0, 0.04, 0.06}, 2, false);
  }));
}

TEST(AttachmentModes, MakeTheStaticAnswerAtTheMarkerExact) {
  const FlexibleBodySpec spec = bar({6, 3, 2}, {0.2, 0.05, 0.03}, 3, true);
  Matrices full(spec);
  const std::vector<MarkerOperator> markers = {
      marker_at("tip", full.mesh.nodes_in(spec.markers[0].nodes), full.mesh, full.assembly.order())};
  const MatrixXd B_T = load_matrix(unit_loads(spec), markers, full.assembly.order(), 3);
  MatrixXd answers;
  Flexibility(*full.inverse).solve(B_T, answers);
  FlexibleBody body(spec);
  const ReducedBody r = reduced(body, VectorXd::Ones(36));
  MatrixXd P(6, 9);
  P << r.sid.frame[0].phi.M0, r.sid.frame[0].psi.M0;
  const MatrixXd flexibility = P * r.lambda.cwiseInverse().asDiagonal() * P.transpose();
  EXPECT_LT((flexibility - B_T.transpose() * answers).norm(), 1e-11 * flexibility.norm());
}

TEST(AttachmentModes, AreOrthonormalAndStiffnessDiagonal) {
  Matrices body(bar({6, 3, 2}, {0.2, 0.05, 0.03}, 3, true));
  const FlexibleBodySpec spec = bar({6, 3, 2}, {0.2, 0.05, 0.03}, 3, true);
  NormalModes normal;
  ASSERT_FALSE(find_normal_modes(body.held(), 3, normal).failed());
  const std::vector<MarkerOperator> markers = {
      marker_at("tip", body.mesh.nodes_in(spec.markers[0].nodes), body.mesh, body.assembly.order())};
  const MatrixXd B_T = load_matrix(unit_loads(spec), markers, body.assembly.order(), 3);
  AttachmentModes a;
  ASSERT_FALSE(
      find_attachment_modes(body.held(), normal, B_T, std::vector<std::string>(6, "load"), a).failed());
  MatrixXd U(body.K.rows(), 9);
  U << normal.Phi, a.Psi;
  const MatrixXd K_U = body.K.selfadjointView<Eigen::Lower>() * U, M_U = body.dense_mass() * U;
  VectorXd lambda(9);
  lambda << normal.lambda, a.lambda;
  EXPECT_LT((U.transpose() * M_U - MatrixXd::Identity(9, 9)).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((U.transpose() * K_U - MatrixXd(lambda.asDiagonal())).cwiseAbs().maxCoeff(),
            1e-10 * lambda.maxCoeff());
  EXPECT_LT((K_U.rightCols(6) - a.K_Psi).norm(), 1e-10 * a.K_Psi.norm());
  EXPECT_LT((M_U.rightCols(6) - a.M_Psi).norm(), 1e-10 * a.M_Psi.norm());
  for (int j = 0; j < 6; ++j) EXPECT_EQ(a.T.col(j).maxCoeff(), a.T.col(j).cwiseAbs().maxCoeff());  // the sign
}

TEST(AttachmentModes, FailWhenTheyDependOnEachOther) {
  FlexibleBodySpec spec = crank(12, 4, 2, false);
  spec.markers.push_back(marker("twin", plane(0, 0.2)));
  spec.attachments = {forces("pin"), forces("twin")};
  FlexibleBody body(spec);
  ReducedBody out;
  const Status failure = body.reduce(VectorXd::Ones(48), out);
  ASSERT_TRUE(failure.failed());
  EXPECT_NE(failure.failure().what.find("at pin"), std::string::npos) << failure.message();
  EXPECT_NE(failure.failure().what.find("at twin"), std::string::npos) << failure.message();
}

/// Unit loads that are M times a mode have that mode as their answer.
TEST(AttachmentModes, FailWhenTheNormalModesContainThem) {
  Matrices body(crank(12, 4, 3, false));
  NormalModes normal;
  ASSERT_FALSE(find_normal_modes(body.held(), 3, normal).failed());
  AttachmentModes a;
  const Status failure =
      find_attachment_modes(body.held(), normal, 1e3 * normal.M_Phi.col(1), {"force y at pin"}, a);
  ASSERT_TRUE(failure.failed());
  EXPECT_NE(failure.failure().what.find("force y at pin"), std::string::npos);
}

}  // namespace
}  // namespace kurbel::fem::test
