/// Gradients of controlled motions by the discrete adjoint and by direct differentiation.
#include <gtest/gtest.h>

#include <cmath>

#include "absolute_coordinates/criteria.hpp"
#include "every_method.hpp"
#include "integration/runge_kutta.hpp"
#include "sensitivity/direct_differentiation.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "tests/absolute_coordinates/test_systems.hpp"
#include "tests/numerics.hpp"

namespace kurbel {
namespace {

/// A system with controls, and the macro mesh on which one of its functions is asked for.
struct Experiment {
  absolute::SystemSpec spec;
  Controls controls;
  double t1;
  int n_steps, macro_step, macro_begin;
  std::size_t macro_function;
  VectorXd z;  ///< (xi, u_bar)
};

Experiment pendulum_experiment() {
  Experiment e{test::spring_pendulum(), {}, 0.8, 20, 5, 0, 3, {}};
  e.controls.add(ControlGrid(Interpolation::natural, 5, 0.0, e.t1));
  e.controls.add(ControlGrid(Interpolation::linear, 4, 0.0, e.t1));
  e.controls.add(ControlGrid(Interpolation::constant, 4, 0.0, e.t1));
  e.z.resize(e.spec.xi.size() + e.controls.n_nodes());
  e.z << e.spec.xi, test::random_vector(e.controls.n_nodes(), 6.0, 3);
  return e;
}

/// The stress is asked for once there is some.
Experiment arm_experiment() {
  Experiment e{test::arm(), {}, 0.012, 24, 6, 6, 2, {}};
  e.controls.add(ControlGrid(Interpolation::not_a_knot, 4, 0.0, e.t1));
  e.controls.add(ControlGrid(Interpolation::clamped, 3, 0.0, e.t1));
  e.z.resize(e.spec.xi.size() + e.controls.n_nodes());
  e.z << e.spec.xi, test::random_vector(e.controls.n_nodes(), 0.2, 4);
  return e;
}

/// Cost, all rows of all functions at the final time (equalities), and a function on the macro mesh.
template <class S>
class Simulation {
 public:
  Simulation(const Experiment& e, IntegratorMethod method)
      : assembly_(absolute::assemble<S>(e.spec, e.controls)),
        integrator_(*assembly_.system, options_of(method, e.t1, e.n_steps)) {
    const auto& functions = assembly_.functions;
    auto cost = std::make_unique<WeightedSum<S>>();
    cost->add(0.7, std::make_unique<ControlEnergy<S>>(*assembly_.system));
    cost->add(1.3, std::make_unique<ParameterProducts<S>>(
                       *assembly_.system, std::vector<std::vector<ParameterSlot>>{
                                              {test::variable(0), test::variable(1, 2.0), test::fixed(3.0)},
                                              {test::variable(1), test::variable(1)}}));
    using When = typename TrackingError<S>::When;
    for (const std::size_t f : {0, 1}) {
      const VectorXd target = VectorXd::LinSpaced(functions[f].n_rows(), 0.3, 0.5);
      cost->add(0.9, std::make_unique<TrackingError<S>>(integrator_, functions[f], target,
                                                        f == 0 ? When::always : When::finally));
    }
    objectives_.push_back(std::move(cost));
    for (const SystemFunction<S>& function : functions) {
      for (Eigen::Index row = 0; row < function.n_rows(); ++row) {
        objectives_.push_back(
            std::make_unique<FunctionValue<S>>(function, row, e.n_steps, 0.25, row == 1 ? -2.0 : 0.5));
      }
    }
    for (int k = e.macro_begin; k <= e.n_steps; k += e.macro_step) {
      objectives_.push_back(std::make_unique<FunctionValue<S>>(functions[e.macro_function], 0, k, 0.1, 1.5));
    }
  }

  /// All objectives at z.
  VectorX<S> values(const VectorX<S>& z) {
    assembly_.system->set_parameters(z);
    const Status status = simulate<S>(integrator_, trajectory);
    EXPECT_FALSE(status) << (status ? status->message() : "");
    return values_of_trajectory();
  }

  VectorX<S> values_of_trajectory() const {
    VectorX<S> psi(static_cast<Eigen::Index>(objectives_.size()));
    for (Eigen::Index j = 0; j < psi.size(); ++j) psi[j] = objectives()[j]->value(trajectory);
    return psi;
  }

  /// Changes y_k, and what follows from it.
  void restart(Eigen::Index k, const VectorX<S>& y) {
    trajectory.y.col(k) = y;
    while (++k <= integrator_.n_steps()) {
      EXPECT_FALSE(integrator_.step(k, trajectory.y.col(k - 1), trajectory.y.col(k)));
    }
  }

  std::vector<const Objective<S>*> objectives() const {
    std::vector<const Objective<S>*> all;
    for (const auto& objective : objectives_) all.push_back(objective.get());
    return all;
  }

  RungeKutta<S>& integrator() { return integrator_; }
  const AbsoluteSystem<S>& system() const { return *assembly_.system; }

  Trajectory<S> trajectory;

 private:
  absolute::Assembly<S> assembly_;
  RungeKutta<S> integrator_;
  std::vector<std::unique_ptr<Objective<S>>> objectives_;
};

using Case = std::tuple<IntegratorMethod, bool>;

class Gradients : public testing::TestWithParam<Case> {
 protected:
  IntegratorMethod method() const { return std::get<0>(GetParam()); }
  const Experiment experiment_ = std::get<1>(GetParam()) ? arm_experiment() : pendulum_experiment();
};

INSTANTIATE_TEST_SUITE_P(RungeKutta, Gradients, testing::Combine(testing::ValuesIn(methods), testing::Bool()),
                         [](const auto& param) {
                           return name_of(std::get<0>(param.param)) +
                                  (std::get<1>(param.param) ? "_on_the_arm" : "_on_the_pendulum");
                         });

/// Entry by entry; those that are zero but for rounding count by the largest of their column.
void expect_equal(const MatrixXd& actual, const MatrixXd& expected, double relative, double rounding) {
  ASSERT_EQ(actual.rows(), expected.rows());
  ASSERT_EQ(actual.cols(), expected.cols());
  for (Eigen::Index j = 0; j < expected.cols(); ++j) {
    const double size = expected.col(j).cwiseAbs().maxCoeff();
    EXPECT_GT(size, 0.0) << "objective " << j << " depends on nothing";
    for (Eigen::Index i = 0; i < expected.rows(); ++i) {
      EXPECT_NEAR(actual(i, j), expected(i, j), relative * std::abs(expected(i, j)) + rounding * size)
          << "objective " << j << " by entry " << i << " of z";
    }
  }
}

TEST_P(Gradients, EqualComplexStepByBothMethods) {
  Simulation<double> run(experiment_, method());
  run.values(experiment_.z);
  Simulation<Complex> judge(experiment_, method());
  const MatrixXd expected =
      test::complex_step([&](const VectorX<Complex>& z) { return judge.values(z); }, experiment_.z)
          .transpose();
  const MatrixXd adjoint = discrete_adjoint<double>(run.integrator(), run.trajectory, run.objectives());
  const MatrixXd direct = direct_differentiation<double>(run.integrator(), run.trajectory, run.objectives());
  // Newton's iterations end with a quadratically small error.
  expect_equal(adjoint, expected, 1e-10, 1e-13);
  expect_equal(direct, expected, 1e-10, 1e-13);
  EXPECT_LT(test::column_error(adjoint, direct), 1e-12);
}

TEST_P(Gradients, AdjointVariablesAreTheGradientByTheState) {
  Simulation<double> run(experiment_, method());
  run.values(experiment_.z);
  const Eigen::Index at = experiment_.n_steps / 2;
  MatrixXd y_bar;
  std::vector<Eigen::Index> objective;
  discrete_adjoint<double>(run.integrator(), run.trajectory, run.objectives(),
                           [&](Eigen::Index k, const Eigen::Ref<const MatrixXd>& columns,
                               const std::vector<Eigen::Index>& objective_of_column) {
                             if (k == at) y_bar = columns, objective = objective_of_column;
                           });
  Simulation<Complex> judge(experiment_, method());
  judge.values(experiment_.z.cast<Complex>());
  const MatrixXd expected = test::complex_step(
      [&](const VectorX<Complex>& y) {
        judge.restart(at, y);
        return judge.values_of_trajectory();
      },
      run.trajectory.y.col(at));
  // The cost's own terms before step `at` do not change with y there; no other objective has any.
  for (Eigen::Index column = 0; column < y_bar.cols(); ++column) {
    const VectorXd row = expected.row(objective[column]).transpose();
    EXPECT_LT((y_bar.col(column) - row).cwiseAbs().maxCoeff(), 1e-10 * row.cwiseAbs().maxCoeff())
        << "objective " << objective[column];
  }
}

TEST_P(Gradients, AdjointVariablesAreZeroAfterTheirOwnTime) {
  Simulation<double> run(experiment_, method());
  run.values(experiment_.z);
  const auto objectives = run.objectives();
  Eigen::Index starts = 0;
  discrete_adjoint<double>(
      run.integrator(), run.trajectory, objectives,
      [&](Eigen::Index k, const Eigen::Ref<const MatrixXd>& y_bar, const std::vector<Eigen::Index>& order) {
        std::vector<bool> begun(objectives.size(), false);
        for (Eigen::Index column = 0; column < y_bar.cols(); ++column) {
          const Objective<double>& objective = *objectives[order[column]];
          begun[order[column]] = true;
          EXPECT_GE(objective.last_step(), k);
          if (objective.last_step() != k) continue;
          ++starts;
          VectorXd partial = VectorXd::Zero(y_bar.rows());
          VectorXd by_z = VectorXd::Zero(run.integrator().n_parameters());
          objective.add_partials(k, run.trajectory, partial, by_z);
          EXPECT_EQ(y_bar.col(column), partial);
        }
        for (std::size_t j = 0; j < objectives.size(); ++j) {
          EXPECT_TRUE(begun[j] || objectives[j]->last_step() < k);
        }
      });
  EXPECT_EQ(starts, static_cast<Eigen::Index>(objectives.size()) - 1);  // all but the cost, which has no last
}

class OnThePendulum : public EveryMethod {};

INSTANTIATE_TEST_SUITE_P(RungeKutta, OnThePendulum, testing::ValuesIn(methods),
                         [](const auto& param) { return name_of(param.param); });

TEST_P(OnThePendulum, AValueDoesNotDependOnLaterControlsUnlessTheSplineTellsThem) {
  const Experiment e = pendulum_experiment();
  Simulation<double> run(e, GetParam());
  run.values(e.z);
  const std::size_t at_half = run.objectives().size() - 3;
  const Objective<double>* half = run.objectives()[at_half];
  ASSERT_EQ(half->last_step(), e.n_steps / 2);
  const VectorXd gradient = discrete_adjoint<double>(run.integrator(), run.trajectory, {half});
  const auto nodes = [&](Eigen::Index control) {
    return gradient.segment(run.system().control_offset(control), e.controls.grid(control).n_nodes());
  };
  EXPECT_NE(nodes(0)[4], 0.0);  // natural: every node bends all of the spline
  EXPECT_EQ(nodes(1)[3], 0.0);  // linear: half time is between its nodes 1 and 2
  EXPECT_NE(nodes(1)[1], 0.0);
  EXPECT_EQ(nodes(2)[2], 0.0);  // constant: begins at half time
  EXPECT_EQ(nodes(2)[3], 0.0);
  EXPECT_NE(nodes(2)[1], 0.0);
}

TEST_P(OnThePendulum, ControlSeenFromTheLeftOfAJumpIsThatOfTheStepBefore) {
  const Experiment e = pendulum_experiment();
  Simulation<double> run(e, GetParam());
  run.values(e.z);
  const auto control = [&](int k, bool from_left) {
    return run.system().control({run.integrator().time(k), from_left});
  };
  const Eigen::Index constant = run.system().control_offset(2);  // it jumps at step 5
  EXPECT_EQ(control(0, false)[2], e.z[constant]);
  EXPECT_EQ(control(5, true)[2], e.z[constant]);
  EXPECT_EQ(control(5, false)[2], e.z[constant + 1]);
  EXPECT_NEAR(control(0, false)[0], e.z[run.system().control_offset(0)], 1e-14);
}

}  // namespace
}  // namespace kurbel
