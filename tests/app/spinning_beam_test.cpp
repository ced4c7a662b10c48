/// The shipped spinning beam: its stiffening against beam theory, and the gradient through it.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "crank.hpp"
#include "floating_frame.hpp"

namespace kurbel {
namespace {

/// Data of J. C. Simo and L. Vu-Quoc (1987).
constexpr double L = 10.0, EI = 1.4e4, rho_A = 1.2;

/// Elastic displacement of the tip at every instant, to first order.
struct Deflection {
  explicit Deflection(const std::vector<std::string>& overrides = {}) {
    const Problem problem = read_problem(test::input("spinning_beam.toml"), overrides);
    EvaluationChain chain(problem);
    const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
    ChainResult result;
    EXPECT_FALSE(chain.reduce(space.densities(space.start()), result).failed());
    EXPECT_FALSE(chain.simulate(result).failed());
    const Eigen::Index n_q = test::floating_frame(result).system().n_q(0);
    const Sid& sid = result.reduced[0].sid;
    t = result.trajectory.t;
    const MatrixXd q = result.trajectory.y.middleRows(7, n_q);
    u = (sid.find_node("tip")->phi.M0.row(0) * q).transpose();
    w = (sid.find_node("tip")->phi.M0.row(1) * q).transpose();
  }
  VectorXd t, u, w;  ///< w: across the beam, u: along it
};

/// Cubic beam elements on a turning axis with the centrifugal tension N = rho A Omega^2 (L^2 - x^2) / 2:
///     M w_ddot + (K + Omega^2 (K_N - M)) w = -Omega_dot int rho A x N^T dx
/// by the trapezoidal rule.
class TurningBeam {
 public:
  static constexpr int n = 20;  // elements

  TurningBeam() : M_(MatrixXd::Zero(2 * n + 2, 2 * n + 2)), K_(M_), K_N_(M_), f_(VectorXd::Zero(2 * n + 2)) {
    const double l = L / n;
    for (int e = 0; e < n; ++e) {
      // Four Gauss points are exact for all integrands, of degree 6.
      for (const auto& [s, weight] : {std::pair{0.0694318442029737, 0.1739274225687269},
                                      {0.3300094782075719, 0.3260725774312731},
                                      {0.6699905217924281, 0.3260725774312731},
                                      {0.9305681557970263, 0.1739274225687269}}) {
        const double x = (e + s) * l, dx = weight * l;
        Eigen::Vector4d N, N1, N2;
        N << 1 - 3 * s * s + 2 * s * s * s, l * (s - 2 * s * s + s * s * s), 3 * s * s - 2 * s * s * s,
            l * (s * s * s - s * s);
        N1 << (6 * s * s - 6 * s) / l, 1 - 4 * s + 3 * s * s, (6 * s - 6 * s * s) / l, 3 * s * s - 2 * s;
        N2 << (12 * s - 6) / (l * l), (6 * s - 4) / l, (6 - 12 * s) / (l * l), (6 * s - 2) / l;
        M_.block<4, 4>(2 * e, 2 * e) += rho_A * dx * N * N.transpose();
        K_.block<4, 4>(2 * e, 2 * e) += EI * dx * N2 * N2.transpose();
        K_N_.block<4, 4>(2 * e, 2 * e) += 0.5 * rho_A * (L * L - x * x) * dx * N1 * N1.transpose();
        f_.segment<4>(2 * e) += rho_A * x * dx * N;
      }
    }
  }

  /// Deflections of the tip at t = 0, h, 2 h, ...
  VectorXd spin_up(const TimeFunction& angle, double h, Eigen::Index n_steps) const {
    const Eigen::Index free = 2 * n;
    const MatrixXd M = M_.bottomRightCorner(free, free);
    VectorXd w = VectorXd::Zero(free), v = w, a = w, tip = VectorXd::Zero(n_steps + 1);
    for (Eigen::Index k = 1; k <= n_steps; ++k) {
      const TimeValue now = angle.at(h * double(k));
      const MatrixXd K =
          K_.bottomRightCorner(free, free) + now.rate * now.rate * (K_N_.bottomRightCorner(free, free) - M);
      const VectorXd predicted = w + h * v + 0.25 * h * h * a;
      const VectorXd next =
          (M + 0.25 * h * h * K).partialPivLu().solve(-now.acceleration * f_.tail(free) - K * predicted);
      w = predicted + 0.25 * h * h * next;
      v += 0.5 * h * (a + next);
      a = next;
      tip[k] = w[free - 2];
    }
    return tip;
  }

 private:
  MatrixXd M_, K_, K_N_;
  VectorXd f_;
};

TEST(SpinningBeam, LagsAndComesBackAsBeamTheorySays) {
  const Deflection beam;
  const TimeFunctionPtr angle = spin_up(6.0, 15.0);
  const VectorXd theory = TurningBeam().spin_up(*angle, 1e-2, beam.w.size() - 1);
  const double largest = theory.cwiseAbs().maxCoeff();
  EXPECT_LT((beam.w - theory).cwiseAbs().maxCoeff(), 5e-3 * largest);
  Eigen::Index at = 0;
  EXPECT_NEAR(beam.w.minCoeff(&at), -0.574, 0.003);  // m, of theory; four modes, plane stress
  EXPECT_NEAR(beam.t[at], 6.76, 0.05);               // s
  // At constant rate it only trembles about its straight shape.
  EXPECT_LT(beam.w.tail(500).cwiseAbs().maxCoeff(), 0.01);
}

TEST(SpinningBeam, IsLongerAtConstantRateAsPublished) {
  // 5.14e-4 m in J. C. Simo, L. Vu-Quoc, J. Applied Mechanics 53 (1986) 855-863: rho A Omega^2 L^3 / (3 E A).
  // The first axial mode, the ninth of all, has 96 / pi^4 of it.
  const Deflection beam({"bodies.beam.modes={list=[1, 2, 3, 4, 9]}"});
  const double published = 5.14e-4, of_one_mode = 96.0 / std::pow(EIGEN_PI, 4);
  EXPECT_NEAR(beam.u.tail(200).mean(), of_one_mode * published, 2e-3 * published);
}

TEST(SpinningBeam, DivergesWithLinearDeformations) {
  const Deflection beam({"bodies.beam.geometric_stiffening=false", "integrator.t1=11.0"});
  EXPECT_GT(beam.w.cwiseAbs().maxCoeff(), L);
}

/// The gradient of every fifth element against differences of fourth order.
/// @param h  so large that the rounding errors of a slender body's stiffness do not count
void expect_exact_gradient(const Problem& problem, double h) {
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const VectorXd x = test::random_densities(space.n_variables(), 5).cwiseMax(0.4);
  const test::Evaluated at = test::evaluate(chain, space, x);
  EXPECT_LT(at.invariance_defect, 1e-8);
  const double largest = at.gradient.cwiseAbs().maxCoeff();
  for (Eigen::Index e = 0; e < x.size(); e += 5) {
    const auto psi = [&](double step) {
      VectorXd moved = x;
      moved[e] += step;
      return *test::psi_at(chain, space, moved);
    };
    const double expected = (8.0 * (psi(h) - psi(-h)) - (psi(2 * h) - psi(-2 * h))) / (12.0 * h);
    EXPECT_NEAR(at.gradient[e], expected, 5e-6 * largest) << e;  // rounding: it falls as 1 / h
  }
}

TEST(SpinningBeam, GradientEqualsDifferences) {
  expect_exact_gradient(
      read_problem(test::input("spinning_beam.toml"),
                   {"bodies.beam.mesh.divisions=[12,2]", "integrator.t1=10.0", "integrator.step=2e-2",
                    "objective.type=\"integral-compliance\"", "objective.body=\"beam\"", "design.start=0.8"}),
      1e-2);
}

// A crank as thin as a ruler, whose pin carries the force of a heavy rod: joint forces stiffen it.
TEST(ThinCrank, GradientEqualsDifferences) {
  expect_exact_gradient(
      read_problem(test::input("flexible_crank.toml"),
                   {"bodies.crank.geometric_stiffening=true", "bodies.crank.mesh.divisions=[12,2]",
                    "bodies.crank.mesh.element=\"incompatible\"", "bodies.crank.material.youngs_modulus=2e9",
                    "filter.type=\"none\"", "integrator.step=1e-2", "integrator.t1=1.0"}),
      1e-3);
}

}  // namespace
}  // namespace kurbel
