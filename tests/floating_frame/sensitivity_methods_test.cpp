/// The ways to a gradient against each other and against complex step through the whole mechanics.
#include <gtest/gtest.h>

#include <set>

#include "sensitivity/continuous_adjoint.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "simulation.hpp"
#include "tests/direct_by_all_parameters.hpp"

namespace kurbel {
namespace {

using test::Simulation;
using test::span;

/// Initial states and drives are parameters, too.
SystemSpec varied_mechanism() {
  return test::with_every_parameter(test::moving_mechanism());
}

/// Largest difference relative to the largest entry.
double relative_difference(const MatrixXd& a, const MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

/// F = (v^T v + a v_dot^T v_dot + b lambda^T lambda) / 2: what compliance leaves out.
template <class S>
class MotionIntegrand final : public Integrand<S> {
 public:
  S value(const DaeInstant<S>& at) const override {
    return 0.5 * ((at.v.transpose() * at.v).value() + a * (at.v_dot.transpose() * at.v_dot).value() +
                  b * (at.lambda.transpose() * at.lambda).value());
  }
  void add_partials(const DaeInstant<S>& at, double weight, DaeInstantBar<S>& bar,
                    Eigen::Ref<VectorX<S>>) const override {
    bar.v += weight * at.v;
    bar.v_dot += weight * a * at.v_dot;
    bar.lambda += weight * b * at.lambda;
  }

 private:
  static constexpr double a = 1e-2, b = 1e-3;  // of the size of v^T v
};

template <class S>
TimeIntegral<S> motion_integral(const Simulation<S>& run) {
  TimeIntegral<S> psi(run.integrator);
  psi.add(1.0, std::make_shared<MotionIntegrand<S>>());
  return psi;
}

/// Steps that tell how many directions are pushed forward.
class CountedDirections final : public StepResidual<double> {
 public:
  explicit CountedDirections(StepResidual<double>& steps) : steps_(steps) {}
  Eigen::Index n_state() const override { return steps_.n_state(); }
  Eigen::Index n_tangent() const override { return steps_.n_tangent(); }
  Eigen::Index n_parameters() const override { return steps_.n_parameters(); }
  Eigen::Index n_steps() const override { return steps_.n_steps(); }
  double time(Eigen::Index k) const override { return steps_.time(k); }
  double quadrature_weight(Eigen::Index k) const override { return steps_.quadrature_weight(k); }
  Status initial_state(Eigen::Ref<Vec> y0) override { return steps_.initial_state(y0); }
  Status step(Eigen::Index k, const Segment& y_prev, Eigen::Ref<Vec> y) override {
    return steps_.step(k, y_prev, y);
  }
  void pullback_step(Eigen::Index k, const Segment& y_prev, const Segment& y, Columns y_bar,
                     Columns p_bar) override {
    steps_.pullback_step(k, y_prev, y, y_bar, p_bar);
  }
  void pullback_initial(const Segment& y0, const ConstColumns& y_bar, Columns p_bar) override {
    steps_.pullback_initial(y0, y_bar, p_bar);
  }
  void push_forward_step(Eigen::Index k, const Segment& y_prev, const Segment& y, const ConstColumns& p_dot,
                         Columns y_dot) override {
    columns.insert(p_dot.cols());
    steps_.push_forward_step(k, y_prev, y, p_dot, y_dot);
  }
  void push_forward_initial(const Segment& y0, const ConstColumns& p_dot, Columns y_dot) override {
    columns.insert(p_dot.cols());
    steps_.push_forward_initial(y0, p_dot, y_dot);
  }

  std::set<Eigen::Index> columns;

 private:
  StepResidual<double>& steps_;
};

void expect_direct_derivatives_of_complex_step(const SystemSpec& spec) {
  const IntegratorOptions options = span(0.06, 0.01);
  Simulation<double> run(spec, options, {"one", "two"});
  ASSERT_GT(run.value(), 0.0);
  const TimeIntegral<double> other = motion_integral(run);
  const std::vector<const Objective<double>*> objectives = {&run.psi, &other};
  const MatrixXd direct = test::direct_by_all_parameters(run.integrator, run.trajectory, objectives);
  const MatrixXd adjoint = discrete_adjoint<double>(run.integrator, run.trajectory, objectives);
  for (Eigen::Index j = 0; j < 2; ++j) {
    // The same linear equations, solved forwards and backwards: rounding in some hundred of them.
    EXPECT_LT(relative_difference(direct.col(j), adjoint.col(j)), 1e-12);
  }

  Simulation<Complex> judge(spec, options, {"one", "two"});
  const double step = 1e-40;
  const VectorXd direction = test::Random(29).vector(direct.rows());
  judge.system.set_parameters(judge.system.parameters() + Complex(0.0, step) * direction);
  const double expected[2] = {judge.value().imag() / step,
                              motion_integral(judge).value(judge.trajectory).imag() / step};
  // Both Newton iterations stop at 1e-8 of a quadratically converging correction.
  for (Eigen::Index j = 0; j < 2; ++j) {
    EXPECT_NEAR(direct.col(j).dot(direction), expected[j], 1e-10 * direct.col(j).norm() * direction.norm());
  }
}

TEST(DirectDifferentiation, TakesAColumnPerDirection) {
  Simulation<double> run(varied_mechanism(), span(0.06, 0.01), {"one", "two"});
  run.value();
  const TimeIntegral<double> psi = motion_integral(run);
  MatrixXd p_dot(run.integrator.n_parameters(), 2);
  for (Eigen::Index i = 0; i < p_dot.size(); ++i) p_dot(i) = std::sin(1.0 + static_cast<double>(i));
  CountedDirections steps(run.integrator);
  const MatrixXd direct = direct_differentiation<double>(steps, run.trajectory, {&psi}, p_dot);
  EXPECT_EQ(steps.columns, std::set<Eigen::Index>{2});
  const MatrixXd adjoint =
      p_dot.transpose() * discrete_adjoint<double>(run.integrator, run.trajectory, {&psi});
  EXPECT_LT(relative_difference(direct, adjoint), 1e-12);
}

TEST(DirectDifferentiation, EqualsTheDiscreteAdjointAndComplexStep) {
  expect_direct_derivatives_of_complex_step(varied_mechanism());
}

TEST(DirectDifferentiation, EqualsTheDiscreteAdjointAndComplexStepWhereForcesJump) {
  expect_direct_derivatives_of_complex_step(test::with_jumps(varied_mechanism(), 0.06));
}

TEST(ContinuousAdjoint, ConvergesToTheDiscreteOneAtOrderTwo) {
  // Every parameter moves the assembled start of this mechanism too: eta0 and zeta0 of [P0, eq. 5].
  // Fine enough steps that the transient of the multipliers in the first of them does not show.
  const std::vector<double> steps = {1.25e-3, 6.25e-4, 3.125e-4};
  std::vector<std::array<double, 2>> errors;
  for (const double h : steps) {
    Simulation<double> run(varied_mechanism(), span(0.16, h), {"one", "two"});
    ASSERT_GT(run.value(), 0.0);
    const TimeIntegral<double> other = motion_integral(run);
    const MatrixXd discrete = discrete_adjoint<double>(run.integrator, run.trajectory, {&run.psi, &other});
    const MatrixXd continuous = continuous_adjoint(run.system, run.integrator, run.trajectory,
                                                   {&run.psi.integrand(), &other.integrand()});
    errors.push_back({relative_difference(continuous.col(0), discrete.col(0)),
                      relative_difference(continuous.col(1), discrete.col(1))});
  }
  for (int j = 0; j < 2; ++j) {
    EXPECT_LT(errors.back()[j], 5e-5);
    for (std::size_t i = 1; i < errors.size(); ++i) {
      EXPECT_NEAR(std::log2(errors[i - 1][j] / errors[i][j]), 2.0, 0.05) << "integrand " << j;
    }
  }
}

TEST(ContinuousAdjoint, GainsByStepsBetweenTheStoredOnes) {
  const auto discrete_gradient = [](double h) {
    Simulation<double> run(varied_mechanism(), span(0.16, h), {"one", "two"});
    EXPECT_GT(run.value(), 0.0);
    return discrete_adjoint<double>(run.integrator, run.trajectory, {&run.psi});
  };
  const MatrixXd limit = (4.0 * discrete_gradient(5e-4) - discrete_gradient(1e-3)) / 3.0;  // h to 0, O(h^4)
  const auto error = [&](double h, int substeps) {
    Simulation<double> run(varied_mechanism(), span(0.16, h), {"one", "two"});
    EXPECT_GT(run.value(), 0.0);
    return relative_difference(
        continuous_adjoint(run.system, run.integrator, run.trajectory, {&run.psi.integrand()}, substeps),
        limit);
  };
  // Its own error, by far the larger part of the whole with one step, shrinks to a sixteenth.
  EXPECT_LT(error(5e-3, 4), 0.4 * error(5e-3, 1));
  EXPECT_NEAR(std::log2(error(1e-2, 4) / error(5e-3, 4)), 2.0, 0.15);
}

}  // namespace
}  // namespace kurbel
