/// The adjoint in joint space at one instant, against the variation of Hamilton's equations.  [P3, eqs 10, 29, 30]
#include <gtest/gtest.h>

#include "floating_frame/make_steps.hpp"
#include "mechanism_in_momenta.hpp"
#include "sensitivity/adjoint_constraints.hpp"
#include "sensitivity/adjoint_equations.hpp"
#include "tests/integration/dae_derivatives.hpp"

namespace kurbel {
namespace {

using test::CanonicalPoint, test::expect_equal, test::JointMechanism;

constexpr double step = test::complex_step;

/// F = x . x / 2 + v . v
struct SumOfSquares final : Integrand<double> {
  double value(const DaeInstant<double>& at) const override {
    return 0.5 * at.x.squaredNorm() + at.v.squaredNorm();
  }
  void add_partials(const DaeInstant<double>& at, double weight, DaeInstantBar<double>& bar,
                    Eigen::Ref<VectorXd>) const override {
    bar.x += weight * at.x, bar.v += 2.0 * weight * at.v;
  }
};

/// What explicit_continuous_adjoint() integrates.
struct RatesOfCostates : private AdjointEquations {
  RatesOfCostates(const JointCoordinateSystem<double>& model, const DaeInstant<double>& at,
                  const Integrand<double>& F, const VectorXd& mu, const VectorXd& sigma)
      : RatesOfCostates(model, at, std::vector{&F}, Trajectory<double>{}, mu, sigma) {}
  VectorXd xi, mu_dot, sigma_dot;

 private:
  RatesOfCostates(const JointCoordinateSystem<double>& model, const DaeInstant<double>& at,
                  const Integrands& integrands, const Trajectory<double>& trajectory, const VectorXd& mu,
                  const VectorXd& sigma)
      : AdjointEquations(model, {model.n_x(), model.n_v(), model.n_c(), 1}, trajectory, integrands, {}) {
    move_to(at);
    linearize(1.0);
    mu_ = mu, sigma_ = sigma;
    solve(0.0);
    xi = multipliers_.col(0), mu_dot = -mu_rate_.col(0), sigma_dot = -sigma_rate_.col(0);
  }
};

class SkewChain : public ::testing::TestWithParam<ReferencePoint> {
 protected:
  using Vec = VectorX<Complex>;
  static constexpr double t = 0.3;

  /// v along p, and p_dot.
  std::pair<Vec, Vec> flow(const Vec& x, const Vec& p) const {
    const auto& equations = complex.joints;
    const auto ws = equations.make_canonical_workspace();
    EXPECT_EQ(equations.set_position(t, x, *ws), -1);
    MatrixX<Complex> v = p;
    equations.solve(*ws, v);
    Vec same(p.size()), p_dot(p.size());
    equations.momenta(v, *ws, same, p_dot);
    return {v, p_dot};
  }
  /// Momenta of w, and d(w . M v)/dx, at an instant of the motion that may be a complex one.
  template <class S>
  std::pair<VectorX<S>, VectorX<S>> momenta(const JointMechanism<S>& of, const VectorX<S>& x,
                                            const VectorX<S>& v, const VectorX<S>& w) const {
    CanonicalPoint<S> at(of.joints, t, x, v);
    VectorX<S> by_x = VectorX<S>::Zero(n), unused = by_x;
    VectorX<S> p_bar = VectorX<S>::Zero(of.joints.parameters().size());
    of.joints.pull_back_momentum(w, *at.ws, by_x, unused, p_bar);
    return {CanonicalPoint<S>(of.joints, t, x, w).p, by_x};
  }
  static Vec moved(const VectorXd& value, const VectorXd& rate) {
    return value.cast<Complex>() + Complex(0.0, step) * rate.cast<Complex>();
  }

  const SystemSpec spec = test::skew_chain();
  const JointMechanism<double> real{spec, GetParam()};
  const JointMechanism<Complex> complex{spec, GetParam()};
  const Eigen::Index n = real.joints.n_v();
};

// With lambda = d psi / d(x, p), (30) is lambda_dot = -d(lambda . (v, p_dot) + F)/d(x, p), xi = lambda_p and
//     lambda_x = mu - (M v)_x^T xi = -M xi_dot - g_v^T xi - F_v
TEST_P(SkewChain, HasTheCostatesOfTheVariationOfHamiltonsEquations) {
  test::Random random(31);
  const VectorXd x = random.vector(n), v = random.vector(n), lambda_x = random.vector(n),
                 lambda_p = random.vector(n);
  CanonicalPoint<double> here(real.joints, t, x, v);
  MatrixXd v_dot = -here.f;
  real.joints.solve(*here.ws, v_dot);

  VectorXd lambda_x_dot(n), lambda_p_dot(n);
  const auto varied = [&](const Vec& at_x, const Vec& at_p) {
    const auto [at_v, p_dot] = flow(at_x, at_p);
    const Complex F = (0.5 * at_x.transpose() * at_x + at_v.transpose() * at_v).value();
    return ((lambda_x.transpose() * at_v + lambda_p.transpose() * p_dot).value() + F).imag() / step;
  };
  for (Eigen::Index j = 0; j < n; ++j) {
    lambda_x_dot[j] = -varied(moved(x, VectorXd::Unit(n, j)), here.p.cast<Complex>());
    lambda_p_dot[j] = -varied(x.cast<Complex>(), moved(here.p, VectorXd::Unit(n, j)));
  }

  const auto [M_xi, by_x] = momenta<double>(real, x, v, lambda_p);
  const VectorXd no_multipliers(0), a = v_dot.col(0);
  const DaeInstant<double> at{t, x, v, a, no_multipliers};
  const RatesOfCostates found(real.joints, at, SumOfSquares(), lambda_x + by_x, M_xi);
  expect_equal(found.xi, lambda_p, 1e-13, "xi");
  // M xi_dot = (M xi)_dot - M_dot xi
  const VectorXd M_dot_xi =
      momenta<Complex>(complex, moved(x, v), moved(v, a), lambda_p.cast<Complex>()).first.imag() / step;
  MatrixXd xi_dot = found.sigma_dot - M_dot_xi;
  real.joints.solve(*here.ws, xi_dot);
  expect_equal(xi_dot, lambda_p_dot, 1e-12, "xi_dot");
  const VectorXd by_x_dot =
      momenta<Complex>(complex, moved(x, v), moved(v, a), moved(lambda_p, xi_dot)).second.imag() / step;
  expect_equal(found.mu_dot - by_x_dot, lambda_x_dot, 1e-12, "lambda_x_dot");

  VectorXd unused = VectorXd::Zero(n), g_v = unused;
  VectorXd p_bar = VectorXd::Zero(real.joints.parameters().size());
  real.joints.pull_back_rate(lambda_p, *here.ws, unused, g_v, p_bar);
  const VectorXd M_xi_dot = momenta<double>(real, x, v, xi_dot.col(0)).first;
  expect_equal(-M_xi_dot - g_v - 2.0 * v, lambda_x, 1e-12, "lambda_x");
}

INSTANTIATE_TEST_SUITE_P(RTdyn, SkewChain,
                         ::testing::Values(ReferencePoint::centre_of_mass, ReferencePoint::common),
                         [](const auto& of) { return of.param == ReferencePoint::common ? "1" : "0"; });

struct TwiceDifferentiated {
  VectorXd violations;  ///< largest by level
  double error;         ///< of xi, relative to the largest xi of costates()
};

TwiceDifferentiated differentiate_twice(double h) {
  const SystemSpec spec = test::skew_chain();
  const MultibodySystem<double> system(spec);
  IntegratorOptions options;
  options.t1 = 0.16, options.step = h, options.method = IntegratorMethod::runge_kutta_4;
  const auto steps = make_steps<double>(system, options);
  Trajectory<double> trajectory;
  EXPECT_FALSE(simulate<double>(*steps, trajectory).failed());
  const SumOfSquares integrand, final_terms;
  const TwiceDifferentiatedAdjoint found =
      twice_differentiated_adjoint(system, steps->layout(), trajectory, integrand, final_terms);
  const MatrixXd xi = costates(system, steps->layout(), trajectory, integrand, final_terms).xi;
  const MatrixXd expected = xi(Eigen::all, instants_looked_at(xi.cols()));
  return {found.violations.rowwise().maxCoeff(),
          (found.xi - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff()};
}

// C xi and its rate drift with the order of the method; C xi_ddot is what the equations give.
TEST(TwiceDifferentiatedAdjoint, KeepsItsConstraintsInTheOrderOfTheMethod) {
  const VectorXd coarse = differentiate_twice(4e-3).violations, fine = differentiate_twice(2e-3).violations;
  for (int level = 0; level < 2; ++level) {
    EXPECT_LT(fine[level], 1e-4);
    EXPECT_GT(std::log2(coarse[level] / fine[level]), 3.5) << level;
  }
  EXPECT_LT(fine[2], 1e-9);
}

// Its equations follow from those of costates(), which impose C xi = 0. As c_ddot is the rate of c_dot and
// (delta x)_dot = delta v - ad_v delta x, c_ddot_x = (c_dot_x)_dot - c_dot_x ad_v. So nu = mu - c_dot_x^T gamma has
//     nu_dot = mu_dot - (c_ddot_x + c_dot_x ad_v)^T gamma - c_dot_x^T gamma_dot
//            = ad_v^T nu + f_x^T xi - F_x - c_dot_x^T gamma_dot
// Any nu_dot meets the constraints, which are imposed on xi_ddot. Only this one has the same xi.
TEST(TwiceDifferentiatedAdjoint, HasTheCostatesOfTheAdjointThatImposesItsConstraints) {
  const double coarse = differentiate_twice(4e-3).error, fine = differentiate_twice(2e-3).error;
  EXPECT_LT(fine, 1e-4);
  EXPECT_GT(std::log2(coarse / fine), 3.5);
}

}  // namespace
}  // namespace kurbel
