/// Gradients of controlled motions by the discrete adjoint and by direct differentiation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "every_method.hpp"
#include "natural_coordinates/natural_criteria.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "tests/direct_by_all_parameters.hpp"
#include "tests/natural_coordinates/test_systems.hpp"
#include "tests/numerics.hpp"

namespace kurbel {
namespace {

/// A system with controls, and the macro mesh on which one of its functions is requested.
struct Experiment {
  test::System system;
  Controls controls;
  double t1;
  int n_steps, macro_step, macro_begin;
  std::size_t macro_function;
};

void set_nodes(Experiment& e, double size, unsigned seed) {
  const VectorXd all = test::random_vector(e.controls.n_nodes(), size, seed);
  for (std::size_t i = 0; i < e.system.spec.controls.size(); ++i) {
    const auto c = static_cast<Eigen::Index>(i);
    e.system.spec.controls[i].nodes = all.segment(e.controls.offset(c), e.controls.grid(c).n_nodes());
  }
}

Experiment pendulum_experiment() {
  Experiment e{test::spring_pendulum(), {}, 0.8, 20, 5, 0, 3};
  e.controls.add(ControlGrid(Interpolation::natural, 5, 0.0, e.t1));
  e.controls.add(ControlGrid(Interpolation::linear, 4, 0.0, e.t1));
  e.controls.add(ControlGrid(Interpolation::constant, 4, 0.0, e.t1));
  test::set_grids(e.controls, e.system.spec);
  set_nodes(e, 6.0, 3);
  return e;
}

/// The stress is requested once there is some.
Experiment arm_experiment() {
  Experiment e{test::arm(), {}, 0.012, 24, 6, 6, 2};
  e.controls.add(ControlGrid(Interpolation::not_a_knot, 4, 0.0, e.t1));
  e.controls.add(ControlGrid(Interpolation::clamped, 3, 0.0, e.t1));
  test::set_grids(e.controls, e.system.spec);
  set_nodes(e, 0.2, 4);
  return e;
}

/// A function of the system at every instant.
CriterionTerm term_of(const test::System& system, std::size_t function, TimeFunctional time, double weight) {
  CriterionTerm term = system.functions[function];
  term.time = time, term.weight = weight;
  return term;
}

/// The cost but for what depends on parameters alone.
std::vector<CriterionTerm> cost_terms(const test::System& system) {
  const bool is_arm = !system.spec.planar_beams.empty();
  std::vector<CriterionTerm> terms = {
      {.quantity = Quantity::control_energy, .time = TimeFunctional::integral, .weight = 0.7},
      {.quantity = Quantity::mass, .body = is_arm ? "lower" : "mass", .weight = 1.3},
      {.quantity = Quantity::mass, .body = is_arm ? "load" : "slider", .weight = 1.3},
      {.quantity = Quantity::kinetic_energy, .time = TimeFunctional::mean, .weight = -0.4}};
  for (const std::size_t f : {0, 1}) {
    terms.push_back(term_of(system, f, f == 0 ? TimeFunctional::integral : TimeFunctional::final_value, 0.9));
    double target = 0.3;
    for (const int axis : axes_of(terms.back()))
      terms.back().target[static_cast<std::size_t>(axis)] = constant_rate(target += 0.1, 0.2);
  }
  return terms;
}

/// With steps that end without an error of Newton's iteration, which is not quadratically small where factors are kept.
IntegratorOptions converged(IntegratorOptions options) {
  options.newton_tolerance = 1e-13;
  return options;
}

/// Cost, all rows of all functions at the final time (equalities), and a function on the macro mesh.
template <class S>
class Simulation {
 public:
  Simulation(const Experiment& e, IntegratorMethod method)
      : described_(e.system),
        options_(converged(options_of(method, e.t1, e.n_steps))),
        system_(described_.spec),
        steps_(make_steps()) {
    add(cost_terms(described_));
    for (std::size_t f = 0; f < described_.functions.size(); ++f) {
      CriterionTerm term = term_of(described_, f, TimeFunctional::final_value, 0.5);
      if (!is_vector(term.quantity)) add({term});
      for (const int axis : axes_of(term)) {
        term.component = axis;
        term.target[static_cast<std::size_t>(axis)] = constant_rate(0.25, 0.0);
        add({term});
      }
    }
    for (int k = e.macro_begin; k <= e.n_steps; k += e.macro_step) {
      CriterionTerm term = term_of(described_, e.macro_function, TimeFunctional::instants, 1.5);
      if (!term.axes.empty()) term.component = term.axes.front();
      term.steps = {k};
      add({term});
    }
  }

  /// All objectives at z.
  VectorX<S> values(const VectorX<S>& z) {
    system_.set_parameters(z);
    const Status status = simulate<S>(integrator(), trajectory);
    EXPECT_FALSE(status.failed()) << status.message();
    return values_of_trajectory();
  }

  VectorX<S> values_of_trajectory() const {
    VectorX<S> psi(std::ssize(criteria_));
    for (std::size_t j = 0; j < criteria_.size(); ++j)
      psi[static_cast<Eigen::Index>(j)] = criteria_[j].value(trajectory);
    return psi;
  }

  /// Changes y_k, and what follows from it.
  void restart(Eigen::Index k, const VectorX<S>& y) {
    trajectory.y.col(k) = y;
    while (++k <= integrator().n_steps()) {
      EXPECT_FALSE(integrator().step(k, trajectory.y.col(k - 1), trajectory.y.col(k)).failed());
    }
  }

  /// About the trajectory as it is now.
  std::vector<const Objective<S>*> objectives() {
    linearized_.clear();
    for (const Criterion<S>& criterion : criteria_) linearized_.emplace_back(criterion, trajectory);
    std::vector<const Objective<S>*> all;
    for (const LinearizedCriterion& objective : linearized_) all.push_back(&objective);
    return all;
  }

  DaeSteps<S>& integrator() { return *steps_; }
  const NaturalSystem<S>& system() const { return system_; }

  Trajectory<S> trajectory;

 private:
  std::unique_ptr<DaeSteps<S>> make_steps() const { return make_dae_steps<S>(system_, options_); }
  void add(const std::vector<CriterionTerm>& terms) {
    criteria_.push_back(make_criterion<S>(*steps_, system_, terms));
  }

  test::System described_;
  IntegratorOptions options_;
  NaturalSystem<S> system_;
  std::unique_ptr<DaeSteps<S>> steps_;
  std::vector<Criterion<S>> criteria_;
  std::vector<LinearizedCriterion> linearized_;
};

using Case = std::tuple<IntegratorMethod, bool>;

class Gradients : public testing::TestWithParam<Case> {
 protected:
  IntegratorMethod method() const { return std::get<0>(GetParam()); }
  const Experiment experiment_ = std::get<1>(GetParam()) ? arm_experiment() : pendulum_experiment();
};

std::string name_of_case(const testing::TestParamInfo<Case>& param) {
  return name_of(std::get<0>(param.param)) + (std::get<1>(param.param) ? "_on_the_arm" : "_on_the_pendulum");
}

INSTANTIATE_TEST_SUITE_P(RungeKutta, Gradients, testing::Combine(testing::ValuesIn(methods), testing::Bool()),
                         name_of_case);
INSTANTIATE_TEST_SUITE_P(SecondOrder, Gradients,
                         testing::Combine(testing::ValuesIn(second_order_methods), testing::Bool()),
                         name_of_case);

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

/// Derivatives by what a design varies, and by the nodes of the controls, from those by all parameters.
MatrixXd by_design(const test::System& described, const NaturalSystem<double>& system, const MatrixXd& by_p) {
  std::vector<VectorXd> directions;
  for (const SystemQuantity& quantity : described.varied) {
    directions.emplace_back(VectorXd::Zero(by_p.rows()));
    for (const auto& [place, value] : parameter_derivatives(quantity, described.spec, system.layout()))
      directions.back()[place] = value;
  }
  for (std::size_t i = 0; i < described.spec.controls.size(); ++i) {
    const ParameterBlock& nodes = system.layout().control(i);
    for (Eigen::Index k = 0; k < nodes.size(); ++k)
      directions.emplace_back(VectorXd::Unit(by_p.rows(), nodes.offset + k));
  }
  MatrixXd out(std::ssize(directions), by_p.cols());
  for (std::size_t k = 0; k < directions.size(); ++k)
    out.row(static_cast<Eigen::Index>(k)) = directions[k].transpose() * by_p;
  return out;
}

TEST_P(Gradients, EqualComplexStepByBothMethods) {
  Simulation<double> run(experiment_, method());
  run.values(run.system().parameters());
  Simulation<Complex> judge(experiment_, method());
  const MatrixXd expected = test::complex_step([&](const VectorX<Complex>& z) { return judge.values(z); },
                                               run.system().parameters())
                                .transpose();
  const MatrixXd adjoint = discrete_adjoint<double>(run.integrator(), run.trajectory, run.objectives());
  const MatrixXd direct = test::direct_by_all_parameters(run.integrator(), run.trajectory, run.objectives());
  // The unknowns of the variational step are positions, which balance as differences over h^2: 4e6 on the arm.
  const double rounding = method() == IntegratorMethod::variational_midpoint ? 1e-10 : 1e-13;
  expect_equal(adjoint, expected, 1e-10, rounding);
  expect_equal(direct, expected, 1e-10, rounding);
  const auto designed = [&](const MatrixXd& by_p) {
    return by_design(experiment_.system, run.system(), by_p);
  };
  EXPECT_LT(test::column_error(designed(adjoint), designed(direct)), std::max(1e-12, rounding));
}

TEST_P(Gradients, AdjointVariablesAreTheGradientByTheState) {
  Simulation<double> run(experiment_, method());
  run.values(run.system().parameters());
  const Eigen::Index at = experiment_.n_steps / 2;
  MatrixXd y_bar;
  std::vector<Eigen::Index> objective;
  discrete_adjoint<double>(run.integrator(), run.trajectory, run.objectives(),
                           [&](Eigen::Index k, const Eigen::Ref<const MatrixXd>& columns,
                               const std::vector<Eigen::Index>& objective_of_column) {
                             if (k == at) y_bar = columns, objective = objective_of_column;
                           });
  Simulation<Complex> judge(experiment_, method());
  judge.values(judge.system().parameters());
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
  run.values(run.system().parameters());
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
  EXPECT_EQ(starts, std::ssize(objectives));
}

class OnThePendulum : public EveryMethod {};

INSTANTIATE_TEST_SUITE_P(RungeKutta, OnThePendulum, testing::ValuesIn(methods),
                         [](const auto& param) { return name_of(param.param); });

TEST_P(OnThePendulum, AValueDoesNotDependOnLaterControlsUnlessTheSplineTellsThem) {
  const Experiment e = pendulum_experiment();
  Simulation<double> run(e, GetParam());
  run.values(run.system().parameters());
  const std::vector<const Objective<double>*> objectives = run.objectives();
  const Objective<double>* half = objectives[objectives.size() - 3];
  ASSERT_EQ(half->last_step(), e.n_steps / 2);
  const VectorXd gradient = discrete_adjoint<double>(run.integrator(), run.trajectory, {half});
  const auto nodes = [&](std::size_t control) {
    const ParameterBlock& nodes = run.system().layout().control(control);
    return gradient.segment(nodes.offset, nodes.size());
  };
  EXPECT_NE(nodes(0)[4], 0.0);  // natural: every node bends all of the spline
  EXPECT_EQ(nodes(1)[3], 0.0);  // linear: half time is between its nodes 1 and 2
  EXPECT_NE(nodes(1)[1], 0.0);
  EXPECT_EQ(nodes(2)[2], 0.0);  // constant: begins at half time
  EXPECT_EQ(nodes(2)[3], 0.0);
  EXPECT_NE(nodes(2)[1], 0.0);
}

}  // namespace
}  // namespace kurbel
