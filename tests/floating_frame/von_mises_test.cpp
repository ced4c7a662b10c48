#include "floating_frame/von_mises.hpp"

#include <gtest/gtest.h>

#include "test_models.hpp"

namespace kurbel {
namespace {

constexpr double step = 1e-40;  // complex step: no subtraction, so no lower limit of use

double stress_of(const VectorXd& sigma, double exponent = 8.0) {
  return VonMisesNorm<double>(sigma, sigma.size(), exponent).values(MatrixXd::Ones(1, 1))[0];
}

TEST(VonMisesNorm, OfOnePointIsItsVonMisesStress) {
  EXPECT_DOUBLE_EQ(stress_of(Vector3d(-3.0, 0.0, 0.0)), 3.0);
  EXPECT_DOUBLE_EQ(stress_of(Vector3d(0.0, 0.0, 2.0)), 2.0 * std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(stress_of(Vector3d(5.0, 5.0, 0.0)), 5.0);  // in plane stress the third one is zero
  VectorXd sigma(6);
  sigma << 0.0, 0.0, 4.0, 0.0, 0.0, 0.0;
  EXPECT_DOUBLE_EQ(stress_of(sigma), 4.0);
  sigma << 7.0, 7.0, 7.0, 1.0, 2.0, 3.0;  // pressure does not count
  EXPECT_NEAR(stress_of(sigma), std::sqrt(3.0 * 14.0), 1e-14);
  sigma << 0.1, 0.1, 0.1, 0.0, 0.0, 0.0;
  EXPECT_LT(stress_of(sigma), 1e-8);  // the root of what rounding leaves
}

/// Three elastic coordinates, 40 instants (more than one block), 5 points.
struct Example {
  explicit Example(Eigen::Index n_components) : n_components(n_components) {
    test::Random random(3);
    S = random.matrix(5 * n_components, 3);
    q = random.matrix(3, 40);
    weights = random.vector(40);
  }
  Eigen::Index n_components;
  MatrixXd S, q;
  VectorXd weights;
};

TEST(VonMisesNorm, LiesBetweenTheLargestAndTheRootOfTheNumberTimesIt) {
  for (const Eigen::Index n_components : {3, 6}) {
    const Example e(n_components);
    const StressModes modes{n_components, e.S};
    for (const double P : {2.0, 5.5, 200.0}) {
      const VectorXd F = VonMisesNorm<double>(e.S, n_components, P).values(e.q);
      for (Eigen::Index k = 0; k < F.size(); ++k) {
        const VectorXd all = von_mises(modes, e.q.col(k));
        ASSERT_EQ(all.size(), 5);
        EXPECT_NEAR(F[k], std::pow(all.array().pow(P).sum(), 1.0 / P), 1e-13 * F[k]);
        EXPECT_GE(F[k], all.maxCoeff() * (1.0 - 1e-14));
        EXPECT_LE(F[k], std::pow(5.0, 1.0 / P) * all.maxCoeff() * (1.0 + 1e-14));
      }
    }
  }
}

TEST(VonMisesNorm, NeitherOverflowsNorFailsWhereAllStressesVanish) {
  const Example e(3);
  const VonMisesNorm<double> norm(1e120 * e.S, 3, 40.0);
  EXPECT_TRUE(norm.values(e.q).allFinite());
  MatrixXd F_q;
  EXPECT_EQ(norm.values(MatrixXd::Zero(3, 1), &F_q)[0], 0.0);
  EXPECT_EQ(F_q, MatrixXd::Zero(3, 1));
  EXPECT_EQ(norm.pull_back(MatrixXd::Zero(3, 1), VectorXd::Ones(1)), MatrixXd::Zero(15, 3));
}

TEST(VonMisesNorm, DerivativesByCoordinatesEqualComplexStep) {
  for (const Eigen::Index n_components : {3, 6}) {
    const Example e(n_components);
    for (const double P : {2.0, 8.0}) {
      MatrixXd F_q;
      VonMisesNorm<double>(e.S, n_components, P).values(e.q, &F_q);
      const VonMisesNorm<Complex> judge(e.S.cast<Complex>(), n_components, P);
      for (Eigen::Index i = 0; i < 3; ++i) {
        MatrixX<Complex> q = e.q.cast<Complex>();
        q.row(i).array() += Complex(0.0, step);
        EXPECT_LT((judge.values(q).imag() / step - F_q.row(i).transpose()).norm(), 1e-13 * F_q.norm());
      }
    }
  }
}

TEST(VonMisesNorm, DerivativesByStressModesEqualComplexStep) {
  for (const Eigen::Index n_components : {3, 6}) {
    const Example e(n_components);
    const MatrixXd S_bar = VonMisesNorm<double>(e.S, n_components, 8.0).pull_back(e.q, e.weights);
    MatrixX<Complex> S = e.S.cast<Complex>();
    for (Eigen::Index i = 0; i < S.size(); ++i) {
      S(i) += Complex(0.0, step);
      const VectorXd dF =
          VonMisesNorm<Complex>(S, n_components, 8.0).values(e.q.cast<Complex>()).imag() / step;
      EXPECT_NEAR(S_bar(i), e.weights.dot(dF), 1e-13 * S_bar.norm());
      S(i) = S(i).real();
    }
  }
}

TEST(VonMisesIntegrand, RefusesStressModesOfAnotherBody) {
  const MultibodySystem<double> system(test::kitchen_sink());
  EXPECT_THROW(VonMisesIntegrand<double>(system, "one", {3, MatrixXd::Ones(3, 2)}, 8.0), InputError);
  EXPECT_THROW(VonMisesIntegrand<double>(system, "three", {3, MatrixXd::Ones(3, 3)}, 8.0), InputError);
}

}  // namespace
}  // namespace kurbel
