/// The discrete adjoint of the variational step, the DAVM of [P1], against direct differentiation, complex step and
/// differences.
#include <gmock/gmock.h>

#include "node_mechanisms.hpp"
#include "sensitivity/continuous_adjoint.hpp"
#include "sensitivity/criterion.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "tests/direct_by_all_parameters.hpp"

namespace kurbel {
namespace {

using test::NodeMotion;
using test::NodeSpec;
using test::variational;

/// F = a . x + b . v + (c . v_dot)^2 / 2 + (d . lambda)^2 / 2 + sin(t) a . x, with its coefficients at random.
template <class S>
class Mixture final : public Integrand<S> {
 public:
  Mixture(const DaeStateLayout& layout, bool in_the_middle, double size) : in_the_middle_(in_the_middle) {
    std::srand(in_the_middle ? 2 : 3);
    a_ = size * VectorXd::Random(layout.n_v), b_ = size * VectorXd::Random(layout.n_v);
    c_ = 0.1 * size * VectorXd::Random(layout.n_v), d_ = 0.1 * size * VectorXd::Random(layout.n_c);
  }
  S value(const DaeInstant<S>& at) const override {
    const S w = product(c_, at.v_dot), r = product(d_, at.lambda);
    return (1.0 + std::sin(at.t)) * product(a_, at.x) + product(b_, at.v) + 0.5 * w * w + 0.5 * r * r;
  }
  void add_partials(const DaeInstant<S>& at, double weight, DaeInstantBar<S>& bar,
                    Eigen::Ref<VectorX<S>>) const override {
    bar.x += weight * (1.0 + std::sin(at.t)) * a_.cast<S>();
    bar.v += weight * b_.cast<S>();
    bar.v_dot += weight * product(c_, at.v_dot) * c_.cast<S>();
    bar.lambda += weight * product(d_, at.lambda) * d_.cast<S>();
  }
  bool in_the_middle() const override { return in_the_middle_; }

 private:
  static S product(const VectorXd& a, const Eigen::Ref<const VectorX<S>>& x) {
    return (a.template cast<S>().transpose() * x).value();
  }
  bool in_the_middle_;
  VectorXd a_, b_, c_, d_;
};

/// A criterion of every functional over time, of ends and of middles.
template <class S>
Criterion<S> every_functional(const DaeSteps<S>& steps) {
  Criterion<S> psi(steps, steps.layout());
  for (const bool in_the_middle : {false, true}) {
    const auto F = std::make_shared<Mixture<S>>(steps.layout(), in_the_middle, 0.3);
    psi.add(1.0, F, TimeFunctional::integral);
    psi.add(0.7, F, TimeFunctional::mean);
    psi.add(0.5, F, TimeFunctional::p_norm, 4.0);
    psi.add(-0.3, F, TimeFunctional::kreisselmeier_steinhauser, 3.0);
    psi.add(0.2, F, TimeFunctional::final_value);
    psi.add(0.1, F, TimeFunctional::instants, 0.0, {0, 3, 5});
  }
  return psi;
}

template <class S>
S value(const NodeSpec& spec, const IntegratorOptions& options, const VectorX<S>& p) {
  NodeMotion<S> motion(spec, options, p);
  EXPECT_FALSE(motion.status.failed());
  return every_functional<S>(*motion.steps).value(motion.trajectory);
}

struct Gradients {
  VectorXd adjoint, direct, complex_step;
};

Gradients gradients(const NodeSpec& spec, const IntegratorOptions& options) {
  const VectorXd p = spec.numbers();
  NodeMotion<double> motion(spec, options);
  EXPECT_FALSE(motion.status.failed());
  const LinearizedCriterion psi(every_functional<double>(*motion.steps), motion.trajectory);
  // Another beside it: columns do not mix.
  Criterion<double> final(*motion.steps, motion.steps->layout());
  final.add(2.0, std::make_shared<Mixture<double>>(motion.steps->layout(), false, 1.0),
            TimeFunctional::integral);
  const LinearizedCriterion other(final, motion.trajectory);
  const std::vector<const Objective<double>*> objectives = {&other, &psi};
  Gradients g;
  g.adjoint = discrete_adjoint<double>(*motion.steps, motion.trajectory, objectives).col(1);
  g.direct = test::direct_by_all_parameters(*motion.steps, motion.trajectory, objectives).col(1);
  g.complex_step.resize(p.size());
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    VectorX<Complex> z = p.cast<Complex>();
    z[i] += Complex(0.0, 1e-40);
    g.complex_step[i] = value<Complex>(spec, options, z).imag() / 1e-40;
  }
  return g;
}

double difference(const VectorXd& a, const VectorXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

NodeSpec swinging_pendulum() {
  return test::spherical_pendulum({0.8, 0.1, -0.6}, {0.3, 1.5, 0.6});
}

TEST(VariationalGradient, EqualsDirectDifferentiationAndComplexStep) {
  for (const NodeSpec& spec : {swinging_pendulum(), test::heavy_body(), test::chain(6)}) {
    for (const double alpha : {0.5, 0.3, 0.0, 1.0}) {
      const Gradients g = gradients(spec, variational(0.1, 0.005, alpha));
      EXPECT_GT(g.complex_step.cwiseAbs().maxCoeff(), 1e-2);
      EXPECT_LT(difference(g.adjoint, g.direct), 1e-11) << alpha;
      EXPECT_LT(difference(g.adjoint, g.complex_step), 1e-9) << alpha;
    }
  }
}

TEST(VariationalGradient, EqualsComplexStepBySparseFactors) {
  IntegratorOptions options = variational(0.05, 0.005);
  options.linear_solver = LinearSolver::sparse;
  const Gradients g = gradients(test::chain(24), options);
  EXPECT_LT(difference(g.adjoint, g.direct), 1e-11);
  EXPECT_LT(difference(g.adjoint, g.complex_step), 1e-9);
}

TEST(VariationalGradient, EqualsCentralDifferences) {
  const NodeSpec spec = test::chain(6);
  const IntegratorOptions options = variational(0.1, 0.005);
  const VectorXd p = spec.numbers();
  VectorXd quotients(p.size());
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const double step = 1e-5 * std::max(1.0, std::abs(p[i]));
    VectorXd up = p, down = p;
    up[i] += step, down[i] -= step;
    // Lengths but that of the first product have no positions that follow them.
    if (i >= std::ssize(spec.masses) && i < std::ssize(spec.masses) + std::ssize(spec.products)) {
      quotients[i] = 0.0;
      continue;
    }
    quotients[i] = (value<double>(spec, options, up) - value<double>(spec, options, down)) / (2.0 * step);
  }
  VectorXd g = gradients(spec, options).adjoint;
  g.segment(std::ssize(spec.masses), std::ssize(spec.products)).setZero();
  EXPECT_LT(difference(g, quotients), 1e-6);
}

/// F = t of the instant: the midpoint rule has the integral of a line exactly, and the start counts with none.
class Time final : public Integrand<double> {
 public:
  explicit Time(bool in_the_middle) : in_the_middle_(in_the_middle) {}
  double value(const DaeInstant<double>& at) const override { return at.t == 0.0 ? start : at.t.t; }
  void add_partials(const DaeInstant<double>&, double weight, DaeInstantBar<double>&,
                    Eigen::Ref<VectorXd> p_bar) const override {
    p_bar[0] += weight;
  }
  bool in_the_middle() const override { return in_the_middle_; }
  double start = 0.0;

 private:
  bool in_the_middle_;
};

TEST(Gradients, DoNotSolveTheStartOnceMore) {
  const NodeMotion<double> motion(swinging_pendulum(), {.t1 = 0.1, .step = 0.01});
  ASSERT_FALSE(motion.status.failed());
  ASSERT_EQ(motion.model.n_starts(), 1);
  Criterion<double> criterion(*motion.steps, motion.steps->layout());
  criterion.add(1.0, std::make_shared<Mixture<double>>(motion.steps->layout(), false, 1.0),
                TimeFunctional::integral);
  const LinearizedCriterion psi(criterion, motion.trajectory);
  const VectorXd exact = discrete_adjoint<double>(*motion.steps, motion.trajectory, {&psi});
  test::direct_by_all_parameters(*motion.steps, motion.trajectory, {&psi});
  const VectorXd continuous =
      continuous_adjoint(motion.model, *motion.steps, motion.trajectory, {&psi.integrand()}, 4);
  EXPECT_LT((continuous - exact).norm(), 0.1 * exact.norm());  // its error is of order h^2
  EXPECT_EQ(motion.model.n_starts(), 1);
}

TEST(Middles, AreIntegratedByTheMidpointRule) {
  const NodeMotion<double> motion(swinging_pendulum(), variational(0.4, 0.1));
  ASSERT_FALSE(motion.status.failed());
  const auto of = [&](bool in_the_middle, TimeFunctional time, double exponent, double start) {
    Criterion<double> psi(*motion.steps, motion.steps->layout());
    auto F = std::make_shared<Time>(in_the_middle);
    F->start = start;
    psi.add(1.0, F, time, exponent);
    return psi.value(motion.trajectory);
  };
  EXPECT_NEAR(of(true, TimeFunctional::integral, 0.0, 0.0), 0.08, 1e-15);
  EXPECT_NEAR(of(true, TimeFunctional::integral, 0.0, 1e6), 0.08, 1e-15);
  EXPECT_NEAR(of(false, TimeFunctional::integral, 0.0, 0.0), 0.08, 1e-15);
  EXPECT_NEAR(of(false, TimeFunctional::integral, 0.0, 1.0), 0.13, 1e-15);
  EXPECT_NEAR(of(true, TimeFunctional::final_value, 0.0, 0.0), 0.35, 1e-15);
  EXPECT_NEAR(of(false, TimeFunctional::final_value, 0.0, 0.0), 0.4, 1e-15);
  // A start beyond all that counts would overflow, or leave nothing.
  EXPECT_NEAR(of(true, TimeFunctional::p_norm, 2.0, 1e200), std::sqrt(0.0525), 1e-15);
  EXPECT_NEAR(of(true, TimeFunctional::kreisselmeier_steinhauser, 2.0, 1e200),
              std::log((std::exp(0.1) + std::exp(0.3) + std::exp(0.5) + std::exp(0.7)) / 4.0) / 2.0, 1e-15);
}

TEST(Middles, AreTheInstantsOfOtherMethods) {
  const IntegratorOptions options{.t1 = 0.1, .step = 0.01};
  const NodeMotion<double> motion(swinging_pendulum(), options);
  ASSERT_FALSE(motion.status.failed());
  const auto of = [&](bool in_the_middle) {
    Criterion<double> psi(*motion.steps, motion.steps->layout());
    psi.add(1.0, std::make_shared<Time>(in_the_middle), TimeFunctional::mean);
    return psi.value(motion.trajectory);
  };
  EXPECT_EQ(of(true), of(false));
}

TEST(Middles, DoNotSuitTheContinuousAdjoint) {
  const NodeMotion<double> motion(swinging_pendulum(), variational(0.1, 0.01));
  const Time F(false);
  EXPECT_THROW(continuous_adjoint(motion.model, *motion.steps, motion.trajectory, {&F}), InputError);
}

}  // namespace
}  // namespace kurbel
