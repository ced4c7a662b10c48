/// Optimal-control problems from input files as discrete models, against published numbers.
#include "evaluation/control_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/numerics.hpp"

namespace kurbel {
namespace {

ControlProblem read(const std::string& input, const std::vector<std::string>& overrides = {}) {
  return read_control_problem(
      TomlDocument::read(std::string(KURBEL_SOURCE_DIR) + "/inputs/" + input, overrides));
}

/// The model of the last stage, at the values that the input begins with.
template <class S>
struct Simulated {
  explicit Simulated(const ControlProblem& problem) : model(problem, problem.stages.back()), z(model.n_z()) {
    const VectorXd& xi = problem.system.xi;
    z.head(xi.size()) = xi;
    Eigen::Index at = xi.size();
    for (const ControlCurve& curve : problem.controls) {
      for (const double value : curve.start) z[at++] = value;
    }
    simulate(z.template cast<S>());
  }
  /// Cost, then constraints.
  VectorX<S> simulate(const VectorX<S>& at) {
    const Status status = model.simulate(at, trajectory);
    EXPECT_FALSE(status) << (status ? status->message() : "");
    VectorX<S> psi(1 + static_cast<Eigen::Index>(model.rows().size()));
    psi << model.cost(trajectory), model.constraints(trajectory);
    return psi;
  }
  ControlModel<S> model;
  VectorXd z;
  Trajectory<S> trajectory;
};

// --- [P2, section 5.1]: columns of the gradients are the cost and the reaction force at 0, 1 and 2 s.

constexpr double force_limit = 8.0;  // N; constraints are the force less the limit

TEST(OneMassOscillator, HasThePublishedReactionForces) {
  Simulated<double> run(read("one_mass_oscillator.toml"));
  const VectorXd force = run.model.constraints(run.trajectory).array() + force_limit;
  ASSERT_EQ(force.size(), 3);
  EXPECT_EQ(force[0], 0.0);
  EXPECT_NEAR(force[1], 5.8958984, 5e-8);  // half a unit of the last digit printed
  EXPECT_NEAR(force[2], 7.9787138, 5e-8);
}

TEST(OneMassOscillator, HasThePublishedSensitivity) {
  Simulated<double> run(read("one_mass_oscillator.toml"));
  for (const auto method : {ControlSensitivity::adjoint, ControlSensitivity::direct}) {
    const VectorXd gradient = run.model.gradients(method, run.trajectory).col(3);
    EXPECT_NEAR(gradient[0], 0.19791229, 5e-9);
    EXPECT_NEAR(gradient[1], 0.91699900, 5e-9);
    EXPECT_NEAR(gradient[2], 0.24879846, 5e-9);
  }
}

TEST(OneMassOscillator, ForceDependsOnNoControlAfterIt) {
  // Between linear nodes. A natural spline bends everywhere when one of its nodes moves.
  Simulated<double> linear(read("one_mass_oscillator.toml", {"controls.u.interpolation=\"linear\""}));
  Simulated<double> natural(read("one_mass_oscillator.toml"));
  const auto at_1s = [](Simulated<double>& run) {
    return VectorXd(run.model.gradients(ControlSensitivity::adjoint, run.trajectory).col(2));
  };
  EXPECT_EQ(at_1s(linear)[2], 0.0);
  EXPECT_GT(at_1s(linear)[1], 0.01);
  EXPECT_LT(at_1s(natural)[2], -0.01);
}

TEST(OneMassOscillator, AdjointVariablesBeginAtTheirConstraint) {
  // [P2, eqs 47-49]: R_j is zero after t_j, (c, d) at t_j, and then a product with I + h A per step.
  Simulated<double> run(read("one_mass_oscillator.toml"));
  const double h = run.model.integrator().time(1);
  const Eigen::Matrix2d step = (Eigen::Matrix2d() << 1.0, h, -h, 1.0 - 0.5 * h).finished();
  Eigen::RowVector2d R_1 = Eigen::RowVector2d::Zero(), R_2 = R_1;
  run.model.gradients(ControlSensitivity::adjoint, run.trajectory,
                      [&](Eigen::Index k, const Eigen::Ref<const MatrixXd>& y_bar,
                          const std::vector<Eigen::Index>& objective_of_column) {
                        R_1 = k > 1000 ? R_1 : k == 1000 ? Eigen::RowVector2d(1.0, 0.5) : R_1 * step;
                        R_2 = k == 2000 ? Eigen::RowVector2d(1.0, 0.5) : R_2 * step;
                        MatrixXd found = MatrixXd::Zero(4, 2);
                        for (Eigen::Index j = 0; j < y_bar.cols(); ++j) {
                          found.row(objective_of_column[static_cast<std::size_t>(j)]) = y_bar.col(j);
                        }
                        EXPECT_LT((found.row(2) - R_1).cwiseAbs().maxCoeff(), 1e-12) << "step " << k;
                        EXPECT_LT((found.row(3) - R_2).cwiseAbs().maxCoeff(), 1e-12) << "step " << k;
                      });
}

TEST(OneMassOscillator, GradientsEqualComplexStepAndDifferences) {
  const ControlProblem problem = read("one_mass_oscillator.toml");
  Simulated<double> run(problem);
  Simulated<Complex> judge(problem);
  const MatrixXd expected =
      test::complex_step([&](const VectorX<Complex>& z) { return judge.simulate(z); }, run.z).transpose();
  const auto by = [&](ControlSensitivity method) { return run.model.gradients(method, run.trajectory); };
  EXPECT_LT(test::column_error(by(ControlSensitivity::adjoint), expected), 1e-12);
  EXPECT_LT(test::column_error(by(ControlSensitivity::direct), expected), 1e-12);
  // Differences of values of order 10 over 1e-5.
  EXPECT_LT(test::column_error(by(ControlSensitivity::finite_differences), expected), 1e-8);
  EXPECT_EQ(run.model.assembly().system->parameters(), run.z);  // they leave z as it was
}

// --- [P2, section 5.2]

TEST(SpringPendulum, EqualitiesStandBeforeTheMacroMesh) {
  const ControlProblem problem = read("spring_pendulum.toml");
  Simulated<double> run(problem);
  EXPECT_EQ(run.model.n_z(), 30);
  EXPECT_EQ(run.model.n_equalities(), 6);
  const auto& rows = run.model.rows();
  ASSERT_EQ(rows.size(), 6u + 501u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].equality, i < 6);
    EXPECT_EQ(rows[i].step, i < 6 ? 5000 : 10 * (static_cast<int>(i) - 6));
  }
  const VectorXd constraints = run.model.constraints(run.trajectory);
  const VectorXd end = run.trajectory.y.col(5000), middle = run.trajectory.y.col(2500);
  EXPECT_EQ(Vector3d(constraints.head<3>()), Vector3d(end.head<3>() - Vector3d(2.0, -10.0, -4.0)));
  EXPECT_EQ(Vector3d(constraints.segment<3>(3)), Vector3d(end.tail<3>()));
  EXPECT_NEAR(constraints[6 + 250], middle.head<3>().norm() / 12.0 - 1.0, 1e-14);  // [P2, eq. 59]
}

TEST(SpringPendulum, ChoosesTheMethodWithFewerColumns) {
  EXPECT_EQ(Simulated<double>(read("spring_pendulum.toml")).model.cheaper_method(),
            ControlSensitivity::direct);
  EXPECT_EQ(Simulated<double>(read("spring_pendulum.toml", {"constraints.length.intervals=5"}))
                .model.cheaper_method(),
            ControlSensitivity::adjoint);
}

TEST(SpringPendulum, SignalEnergyIsThatOfItsControls) {
  Simulated<double> run(read("spring_pendulum.toml"));
  EXPECT_EQ(run.model.cost(run.trajectory), 0.0);
  VectorXd z = run.z;
  z.head<10>().setConstant(2.0), z.tail<10>().setConstant(-1.0);
  run.simulate(z);
  EXPECT_NEAR(run.model.cost(run.trajectory), 0.5 * (4.0 + 1.0) * 5.0, 1e-12);
}

}  // namespace
}  // namespace kurbel
