/// Cantilevers of ANCF elements against beam theory: small and large deflections, vibration, stress.
#include <gtest/gtest.h>

#include <cmath>

#include "natural_coordinates/ancf_beam.hpp"

namespace kurbel {
namespace {

/// A row of equal elements on the x axis. Its first node holds r and r_y, the section: as in Timoshenko's
/// theory, the axis may leave a clamp at an angle to the section's normal.
class Cantilever {
 public:
  struct Data {
    double L = 1.0, w = 0.01, h = 0.1, E = 2e11, nu = 0.3, rho = 7800.0;
    double area() const { return w * h; }
    double EI() const { return E * w * h * h * h / 12.0; }
    double GA() const { return E / (2.0 * (1.0 + nu)) * area(); }
  };

  Cantilever(const Data& data, int n, PoissonCoupling coupling)
      : data_(data), n_(n), beam_(Vector2d::Zero(), coupling), xi_(6), e_(6 * (n + 1)) {
    xi_ << data.w, data.h, data.L / n, data.E, data.nu, data.rho;
    for (int i = 0; i <= n; ++i) e_.segment<6>(6 * i) << i * data.L / n, 0.0, 1.0, 0.0, 0.0, 1.0;
  }

  Vector2d tip() const { return e_.segment<2>(6 * n_); }
  VectorXd element(int i) const { return e_.segment<12>(6 * i); }
  const VectorXd& parameters() const { return xi_; }

  /// Newton's iteration for a vertical force at the tip.
  /// @return whether it converged
  bool bend(double force) {
    constexpr int max_iterations = 50;
    for (int i = 0; i < max_iterations; ++i) {
      const VectorXd Q = free(load(force));
      // What remains are axial strains that round to 1e-16 / (element length).
      if (Q.cwiseAbs().maxCoeff() < 2e-15 * n_ * data_.E * data_.area()) return true;
      const VectorXd step = free(stiffness()).lu().solve(Q);
      VectorXd all = VectorXd::Zero(e_.size());
      all.segment<2>(2) = step.head<2>();
      all.tail(6 * n_) = step.tail(6 * n_);
      e_ += all;
    }
    return false;
  }

  /// Deflection per unit of a vanishing force at the tip.
  double flexibility() const {
    VectorXd F = VectorXd::Zero(e_.size());
    F[6 * n_ + 1] = 1.0;
    const VectorXd u = free(stiffness()).lu().solve(free(F));
    return u[u.size() - 5];
  }

  double first_frequency() const {
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> modes(free(stiffness()), free(mass()),
                                                                   Eigen::EigenvaluesOnly);
    return std::sqrt(modes.eigenvalues()[0]);
  }

 private:
  VectorXd load(double force) const {
    VectorXd Q = VectorXd::Zero(e_.size());
    Q[6 * n_ + 1] = force;
    for (int i = 0; i < n_; ++i) {
      const VectorXd e = element(i), none;
      VectorXd Q_e = VectorXd::Zero(12);
      beam_.add_force({e, none, none, xi_}, Q_e);
      Q.segment<12>(6 * i) += Q_e;
    }
    return Q;
  }

  MatrixXd stiffness() const {
    MatrixXd K = MatrixXd::Zero(e_.size(), e_.size());
    for (int i = 0; i < n_; ++i) {
      const VectorXd e = element(i), none;
      ForceDerivatives<double> d;
      d.resize(12, 0, 6);
      beam_.add_derivatives({e, none, none, xi_}, d);
      K.block<12, 12>(6 * i, 6 * i) -= d.Q_q;
    }
    return K;
  }

  MatrixXd mass() const {
    MatrixXd M = MatrixXd::Zero(e_.size(), e_.size());
    for (int i = 0; i < n_; ++i) beam_.add_mass(xi_, M.block<12, 12>(6 * i, 6 * i));
    return M;
  }

  VectorXd free(const VectorXd& all) const {
    VectorXd out(2 + 6 * n_);
    out << all.segment<2>(2), all.tail(6 * n_);
    return out;
  }

  MatrixXd free(const MatrixXd& all) const {
    MatrixXd rows(2 + 6 * n_, all.cols()), out(2 + 6 * n_, 2 + 6 * n_);
    rows << all.middleRows<2>(2), all.bottomRows(6 * n_);
    out << rows.middleCols<2>(2), rows.rightCols(6 * n_);
    return out;
  }

  Data data_;
  int n_;
  AncfBeam<double> beam_;
  VectorXd xi_, e_;
};

/// The limit of a sequence that converges with the square of the element length.
double limit(double coarse, double fine) {
  return fine + (fine - coarse) / 3.0;
}

/// F L^3 / (3 E I) + F L / (G A); relative deviation of n elements.
double timoshenko_error(const Cantilever::Data& d, int n, PoissonCoupling coupling, double EI) {
  const double exact = std::pow(d.L, 3) / (3.0 * EI) + d.L / d.GA();
  return Cantilever(d, n, coupling).flexibility() / exact - 1.0;
}

TEST(AncfCantilever, ConvergesToTimoshenkosDeflection) {
  const Cantilever::Data thick = {.h = 0.25};
  // The curvature of an element is constant: of linear bending moments it misses 1 / (4 n^2) of the energy.
  // The tolerance is rounding times the condition of the stiffness.
  for (const int n : {2, 8, 32}) {
    const double bending = std::pow(thick.L, 3) / (3.0 * thick.EI()), shear = thick.L / thick.GA();
    const double missing = -bending / (bending + shear) / (4.0 * n * n);
    EXPECT_NEAR(timoshenko_error(thick, n, PoissonCoupling::axis, thick.EI()), missing, 1e-9) << n;
  }
}

TEST(AncfCantilever, IsTooStiffInBendingWithPoissonCouplingOverTheSection) {
  const Cantilever::Data thick = {.h = 0.25};
  const double stiffer = thick.EI() / (1.0 - thick.nu * thick.nu);
  const double error = limit(timoshenko_error(thick, 16, PoissonCoupling::full, stiffer),
                             timoshenko_error(thick, 32, PoissonCoupling::full, stiffer));
  EXPECT_NEAR(error, 0.0, 1e-9);  // as above
}

TEST(AncfCantilever, LargeDeflectionMeetsTheElastica) {
  // Tip for F L^2 / (E I) = 1 without shear and stretch (Mattiasson 1981). Here shear adds F L / (G A) = 2e-5
  // L, and 64 elements miss some 1 / (4 n^2) = 6e-5 of the deflection.
  const Cantilever::Data slender = {.h = 0.01};
  const double force = slender.EI() / (slender.L * slender.L);
  Cantilever beam(slender, 64, PoissonCoupling::axis);
  for (const double part : {0.25, 0.5, 0.75, 1.0}) ASSERT_TRUE(beam.bend(part * force)) << part;
  EXPECT_NEAR(beam.tip()[1], 0.30172, 2e-5);
  EXPECT_NEAR(beam.tip()[0], 1.0 - 0.05643, 2e-5);
}

TEST(AncfCantilever, VibratesAtEulersAndBernoullisFrequency) {
  const Cantilever::Data slender = {.h = 0.005};
  const double exact = std::pow(1.87510407, 2) * std::sqrt(slender.EI() / (slender.rho * slender.area())) /
                       std::pow(slender.L, 2);
  const double frequency = limit(Cantilever(slender, 16, PoissonCoupling::axis).first_frequency(),
                                 Cantilever(slender, 32, PoissonCoupling::axis).first_frequency());
  // Shear and rotary inertia lower it by some (h / L)^2 = 2.5e-5.
  EXPECT_NEAR(frequency / exact, 1.0, 5e-5);
}

TEST(AncfCantilever, StressAtMidElementFollowsBeamTheory) {
  const Cantilever::Data d = {};
  constexpr int n = 8, at = 2;
  const double force = 1e-4 * d.E * d.w * d.h * d.h / 6.0 / d.L;  // strain 1e-4 at the clamp
  Cantilever beam(d, n, PoissonCoupling::axis);
  ASSERT_TRUE(beam.bend(force));
  const double moment = force * d.L * (1.0 - (at + 0.5) / n);
  const double bending = moment * (0.5 * d.h) * d.E / d.EI(), shear = force / d.area();
  for (const double zeta : {-0.5, 0.0, 0.5}) {
    const VectorXd e = beam.element(at), none;
    VectorXd sigma(1);
    AncfStress<double>(0.5, zeta, PoissonCoupling::axis).value({e, none, none, beam.parameters()}, sigma);
    const double expected = std::hypot(2.0 * zeta * bending, std::sqrt(3.0) * shear);
    EXPECT_NEAR(sigma[0], expected, 1e-3 * bending) << zeta;  // rotations of 1e-3
  }
}

}  // namespace
}  // namespace kurbel
