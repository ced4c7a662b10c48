/// Costates of motions with momenta: their constraints, and what they are to each other.   [P3, eqs 20-31, Fig. 7]
#include <gmock/gmock.h>

#include "csv_table.hpp"
#include "formulation/joint_coordinates_motion.hpp"
#include "run_program.hpp"
#include "sensitivity/adjoint_constraints.hpp"
#include "sensitivity/discrete_adjoint.hpp"
#include "simulated.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

using test::Method, test::read, test::Simulated;

const std::string joints = "formulation=\"joint-hamiltonian\"", bodies = "formulation=\"hamiltonian\"";

std::string step(double h) {
  return "integrator.step=" + std::to_string(h);
}

/// Motions that depend on how they began and on a force or torque, looked at when they end.
struct Swinging {
  const char* input;
  std::vector<std::string> overrides;
};

const std::vector<Swinging>& swinging() {
  static const std::vector<Swinging> of = {
      {"cart_double_pendulum.toml",
       {R"(objective={type="output", output="alpha_2", target=0.3, form="half-square", time="final"})",
        R"(controls.force={type="force", marker="cart", direction=[1.0, 0.0, 0.0], nodes=41, start=0.0})",
        "integrator.t1=0.8"}},
      {"spatial_arm.toml",
       {R"(objective={type="output", output="payload", target=[0.1, 0.2, 0.3], form="half-square", time="final"})",
        "bodies.column.initial.angular_velocity=[0.0, 0.0, 2.0]", "integrator.t1=0.4"}}};
  return of;
}

Simulated run(const Swinging& of, const std::string& formulation, double h) {
  std::vector<std::string> overrides = of.overrides;
  overrides.insert(overrides.end(), {formulation, step(h)});
  return Simulated(read(of.input, overrides));
}

const LinearizedCriterion& objective_of(const std::vector<std::shared_ptr<const Objective<double>>>& all) {
  return dynamic_cast<const LinearizedCriterion&>(*all.front());
}

Costates costates_of(const SecondOrderDae<double>& equations, const DaeStateLayout& layout, Simulated& run) {
  const auto objectives = run.motion->objectives(run.trajectory, run.requested);
  const LinearizedCriterion& objective = objective_of(objectives);
  return costates(equations, layout, run.trajectory, objective.integrand(), objective.final_terms());
}

/// xi of the bodies, 6 each, made of xi of the joints.                                          [P3, eq. 27]
MatrixXd of_bodies(Simulated& run) {
  const auto& motion = dynamic_cast<const JointCoordinatesMotion&>(*run.motion);
  const JointCoordinateSystem<double>& system = motion.system();
  const DaeStateLayout layout{system.n_x(), system.n_v(), system.n_c(), 1};
  const Costates own = costates_of(system, layout, run);
  BodiesOfJoints<double> bodies(system);
  MatrixXd xi(system.system_of_bodies().n_v(), own.xi.cols());
  const VectorXd at_rest = VectorXd::Zero(system.n_v()), none = VectorXd::Zero(system.n_c());
  for (Eigen::Index k = 0; k < xi.cols(); ++k) {
    const auto at = layout.instant<double>(run.trajectory.t[k], run.trajectory.y.col(k));
    xi.col(k) = bodies.at({at.t, at.x, own.xi.col(k), at_rest, none}, false).v;
  }
  return xi;
}

double largest_relative(const MatrixXd& found, const MatrixXd& expected) {
  return (found - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
}

TEST(Costates, OfBodiesAreThoseOfJointsMovedAlong) {
  const auto difference = [](const Swinging& of, double h) {
    Simulated in_joints = run(of, joints, h), in_bodies = run(of, bodies, h);
    const auto& motion = dynamic_cast<const FloatingFrameMotion&>(*in_bodies.motion);
    const Costates found = costates_of(motion.system(), motion.integrator().layout(), in_bodies);
    return largest_relative(found.xi, of_bodies(in_joints));
  };
  std::vector<Swinging> all = swinging();
  all.push_back({"five_bar.toml", {R"(integrator.method="runge-kutta-4")", "integrator.t1=1.0"}});
  for (const Swinging& of : all) {
    const double coarse = difference(of, 0.005), fine = difference(of, 0.0025);
    EXPECT_LT(fine, 1e-5) << of.input;
    EXPECT_GT(coarse / fine, 11.0) << of.input;
  }
}

/// Largest defects of the costates lambda of (alpha, p^) that the discrete adjoint gives, which are, for xi with the
/// sign of continuous_adjoint.hpp,                                                            [P3, eqs 10, 30]
///     lambda_p = xi,    lambda_alpha = -M xi_dot - g_beta^T xi
Eigen::Vector2d defects_of_canonical_costates(const Swinging& of, double h) {
  Simulated run = kurbel::run(of, joints, h);
  const auto& system = dynamic_cast<const JointCoordinatesMotion&>(*run.motion).system();
  const Eigen::Index n = system.n_v();
  const DaeStateLayout layout{system.n_x(), n, system.n_c(), 1};
  const MatrixXd xi = costates_of(system, layout, run).xi, xi_dot = rates_by_differences(xi, h);
  const auto ws = system.make_canonical_workspace();
  Eigen::Vector2d largest = Eigen::Vector2d::Zero(), scale = largest;
  const auto compare = [&](Eigen::Index k, const Eigen::Ref<const MatrixXd>& y_bar,
                           const std::vector<Eigen::Index>&) {
    if (k + 1 == xi.cols()) return;  // what the last instant weighs is in no step yet
    const auto at = layout.instant<double>(run.trajectory.t[k], run.trajectory.y.col(k));
    EXPECT_EQ(system.set_position(at.t, at.x, *ws), -1);
    VectorXd M_xi(n), M_xi_dot(n), g(n), by_x = VectorXd::Zero(n), unused = by_x, g_v = by_x;
    VectorXd p_bar = VectorXd::Zero(system.parameters().size());
    system.momenta(xi.col(k), *ws, M_xi, g);
    system.momenta(xi_dot.col(k), *ws, M_xi_dot, g);
    system.momenta(at.v, *ws, unused, g);
    unused.setZero();
    system.pull_back_momentum(xi.col(k), *ws, by_x, unused, p_bar);
    unused.setZero();
    system.pull_back_rate(xi.col(k), *ws, unused, g_v, p_bar);
    const VectorXd lambda_alpha = y_bar.col(0).head(n) - by_x;
    const VectorXd by_v = y_bar.col(0).segment(n, n);
    largest[0] = std::max(largest[0], (by_v - M_xi).cwiseAbs().maxCoeff());
    largest[1] = std::max(largest[1], (lambda_alpha + M_xi_dot + g_v).cwiseAbs().maxCoeff());
    scale[0] = std::max(scale[0], by_v.cwiseAbs().maxCoeff());
    scale[1] = std::max(scale[1], lambda_alpha.cwiseAbs().maxCoeff());
  };
  const auto objectives = run.motion->objectives(run.trajectory, {});
  discrete_adjoint<double>(run.motion->steps(), run.trajectory, {objectives.front().get()}, compare);
  return largest.cwiseQuotient(scale);
}

TEST(Costates, AreThoseOfTheCanonicalState) {
  for (const Swinging& of : swinging()) {
    const Eigen::Vector2d coarse = defects_of_canonical_costates(of, 0.0025),
                          fine = defects_of_canonical_costates(of, 0.00125);
    EXPECT_LT(fine.maxCoeff(), 1e-5) << of.input;
    EXPECT_GT(coarse[0] / fine[0], 11.0) << of.input;
    EXPECT_GT(coarse[1] / fine[1], 11.0) << of.input;
  }
}

// u enters as a force on the cart, so that the gradient by all nodes together is int xi_cart dt.
TEST(Costates, AreTheGradientByAForceWhereItActs) {
  const auto difference = [](double h) {
    Simulated found = run(swinging().front(), joints, h);
    const auto& system = dynamic_cast<const JointCoordinatesMotion&>(*found.motion).system();
    const DaeStateLayout layout{system.n_x(), system.n_v(), system.n_c(), 1};
    const MatrixXd xi = costates_of(system, layout, found).xi;
    Eigen::Index cart = 0;
    while (!system.coordinate_label(cart).starts_with("slider")) ++cart;
    double integral = 0.0;
    for (Eigen::Index k = 0; k < xi.cols(); ++k)
      integral += found.motion->steps().quadrature_weight(k) * xi(cart, k);
    const double gradient = found.gradients(Method::discrete_adjoint).col(0).sum();
    return std::abs(integral - gradient) / std::abs(gradient);
  };
  const double coarse = difference(0.005), fine = difference(0.0025);
  EXPECT_LT(fine, 1e-6);
  EXPECT_GT(coarse / fine, 11.0);
}

AdjointConstraints constraints_of(const Swinging& of, const std::string& formulation, double h) {
  Simulated motion = run(of, formulation, h);
  return motion.motion->adjoint_constraints(motion.trajectory, {}).value();
}

TEST(Costates, OfJointsMeetTheConstraintsOfBodiesAtThreeLevels) {
  for (const Swinging& of : swinging()) {
    const MatrixXd violations = constraints_of(of, joints, 0.005).imposed;
    EXPECT_LT(violations.maxCoeff(), 1e-12) << of.input;
  }
}

TEST(Costates, OfBodiesMeetThemAndNothingGrows) {
  for (const Swinging& of : swinging()) {
    const MatrixXd coarse = constraints_of(of, bodies, 0.01).imposed,
                   fine = constraints_of(of, bodies, 0.005).imposed;
    EXPECT_LT(fine.row(0).maxCoeff(), 1e-12) << of.input << ", imposed at every stage";
    const Eigen::Index middle = coarse.cols() / 2;  // away from differences to one side
    for (const Eigen::Index level : {1, 2})
      EXPECT_GT(coarse(level, middle) / fine(level, 2 * middle), 11.0) << of.input << ", rate " << level;
  }
}

// As published: the second rate of the constraints is met, what lies below it drifts backwards in time.
TEST(Costates, OfBodiesDriftWhereTheirConstraintsAreDifferentiatedTwice) {
  for (const Swinging& of : swinging()) {
    const MatrixXd coarse = constraints_of(of, bodies, 0.005).differentiated,
                   fine = constraints_of(of, bodies, 0.0025).differentiated;
    EXPECT_LT(fine.row(2).maxCoeff(), 1e-12) << of.input;
    for (const Eigen::Index level : {0, 1}) {
      const VectorXd drift = fine.row(level).transpose();
      EXPECT_LT(drift.tail(1)[0], 1e-13) << of.input << ": none where it begins";
      EXPECT_GT(drift[0], 1e-10) << of.input;
      EXPECT_GT(coarse(level, 0) / drift[0], 11.0) << of.input << ", rate " << level;
    }
  }
}

TEST(Costates, AreWrittenWithTheirConstraintsByTheContinuousAdjoint) {
  const TemporaryFolder folder;
  const std::string out = (folder / "run").string();
  const auto gradient = [&](const std::string& formulation, const std::string& method) {
    const test::Outcome o =
        test::run("gradient " + std::string(KURBEL_SOURCE_DIR) +
                  "/inputs/papers/five_bar.toml --set integrator.t1=0.5 --set 'formulation=\"" + formulation +
                  "\"' --set 'integrator.method=\"runge-kutta-4\"' --set "
                  "'sensitivity.method=\"" +
                  method + "\"' --output " + out);
    EXPECT_EQ(o.exit_code, 0) << o.text;
    return o.text;
  };
  EXPECT_THAT(gradient("hamiltonian", "continuous-adjoint"),
              testing::HasSubstr("constraints of the adjoint"));
  const test::CsvTable table(out + "/adjoint_constraints.csv");
  EXPECT_LT(table.column("imposed: C xi").maxCoeff(), 1e-12);
  EXPECT_LT(table.column("differentiated: its second rate").maxCoeff(), 1e-12);
  EXPECT_EQ(table.units.at("imposed: its rate"), "relative");
  EXPECT_TRUE(std::filesystem::exists(out + "/adjoint_constraints.png"));
  gradient("joint-hamiltonian", "discrete-adjoint");
  EXPECT_FALSE(std::filesystem::exists(out + "/adjoint_constraints.csv")) << "that of the run before";
}

TEST(DenseOutput, IsThereForGradientsByTheProgram) {
  const TemporaryFolder folder;
  const test::Outcome o = test::run(
      "gradient " + std::string(KURBEL_SOURCE_DIR) +
      "/inputs/papers/five_bar.toml --set integrator.t1=0.5 --set 'formulation=\"joint-hamiltonian\"' --set "
      "'integrator.method=\"dormand-prince\"' --set integrator.dense_output=true --check 1 --output " +
      (folder / "run").string());
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, testing::HasSubstr("continuous adjoint"));
  EXPECT_THAT(o.text, testing::HasSubstr("the gradient agrees with the differences"));
}

}  // namespace
}  // namespace kurbel
