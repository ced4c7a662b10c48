/// Criteria of stress, from the densities to psi and back.
#include <gtest/gtest.h>

#include "crank.hpp"
#include "evaluation/problem_nlp.hpp"
#include "optimizers/gradient_check.hpp"

namespace kurbel {
namespace {

std::vector<std::string> with(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Two sets of stresses of one body, and a term that sees none.
const std::vector<std::string> two_sets = {
    "gravity=[0.0,-9.81,0.0]", "integrator.t1=0.4",
    "objective=[{type=\"von-mises\", body=\"crank\", time=\"p-norm\", exponent=4, leave_out=[\"clamp\"]}, "
    "{type=\"von-mises\", body=\"crank\", time=\"mean\", element_exponent=4, relaxation=1.5, weight=2}, "
    "{type=\"von-mises\", body=\"crank\", time=\"mean\", leave_out=[\"clamp\"], weight=0.5}, "
    "{type=\"compliance\", body=\"crank\", time=\"mean\", weight=1e8}]"};

struct StressCase {
  const char* name;
  const char* file;
  std::vector<std::string> overrides;
};
void PrintTo(const StressCase& c, std::ostream* out) {
  *out << c.name;
}
class StressGradientOf : public ::testing::TestWithParam<StressCase> {};

TEST_P(StressGradientOf, EqualsCentralDifferences) {
  const Problem problem = read_problem(test::input(GetParam().file), GetParam().overrides);
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const VectorXd x = test::random_densities(space.n_variables(), 3).cwiseMin(0.97);
  const auto at = test::evaluate(chain, space, x);
  EXPECT_LT(at.invariance_defect, 1e-10) << "Phi^T Phi_bar";
  // As for other objectives, psi carries rounding errors of the finite-element solution, some 1e-11 of it:
  // each row may be met at one of three depths of extrapolation.
  VectorXd best = VectorXd::Constant(8, std::numeric_limits<double>::infinity());
  for (const int n_steps : {3, 4, 5}) {
    GradientCheckOptions options;
    options.n_elements = 5, options.n_directions = 3, options.n_steps = n_steps;
    options.largest_step = 1.6e-2, options.step_ratio = 2.0, options.small_entry = 0.1;
    const auto rows = check_gradient([&](const VectorXd& y) { return test::psi_at(chain, space, y); }, x,
                                     at.gradient, space.lower(), space.upper(), options);
    for (Eigen::Index i = 0; i < best.size(); ++i) best[i] = std::min(best[i], rows[i].relative_error);
  }
  EXPECT_LT(best.maxCoeff(), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(
    Chain, StressGradientOf,
    ::testing::Values(StressCase{"Crank2D", "flexible_crank.toml", with(test::coarse_crank(), two_sets)},
                      StressCase{"IncompatibleCrank2D", "flexible_crank.toml",
                                 with(with(test::coarse_crank(), two_sets),
                                      {"bodies.crank.mesh.element=\"incompatible\"",
                                       "filter.type=\"density\"", "filter.radius=0.012"})},
                      StressCase{"Crank3D", "flexible_crank_3d.toml",
                                 with(test::coarse_crank_3d(), two_sets)}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(StressCriteria, HaveTheSameGradientByEveryMethod) {
  const auto gradient_by = [](const std::string& method, const std::string& step) {
    const Problem problem = read_problem(
        test::input("flexible_crank.toml"),
        with(with(test::coarse_crank(), two_sets),
             {"gravity=[0.0,0.0,0.0]", "sensitivity.method=\"" + method + "\"", "integrator.step=" + step}));
    EvaluationChain chain(problem);
    const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
    return test::evaluate(chain, space, test::random_densities(space.n_variables(), 3)).gradient;
  };
  const VectorXd coarse = gradient_by("discrete-adjoint", "4e-3"),
                 fine = gradient_by("discrete-adjoint", "2e-3");
  EXPECT_LT((gradient_by("direct", "4e-3") - coarse).norm(), 1e-10 * coarse.norm());
  const double coarse_error = (gradient_by("continuous-adjoint", "4e-3") - coarse).norm() / coarse.norm(),
               fine_error = (gradient_by("continuous-adjoint", "2e-3") - fine).norm() / fine.norm();
  // From rest without stress the derivative of F turns abruptly, which costs the continuous adjoint some of
  // its order of two.
  EXPECT_LT(fine_error, 5e-3);
  EXPECT_GT(std::log2(coarse_error / fine_error), 1.0);
}

/// A constraint is a function of its own: its value and gradient are those of the same objective.
TEST(StressCriteria, AreConstraintsWithTheGradientOfTheObjective) {
  const std::string stress = "type=\"von-mises\", body=\"crank\", time=\"p-norm\", exponent=8";
  const auto problem_with = [&](const std::vector<std::string>& functions) {
    return read_problem(test::input("flexible_crank.toml"), with(test::coarse_crank(), functions));
  };
  const Problem as_objective = problem_with({"objective={" + stress + "}", "constraints={}"});
  const Problem as_constraint =
      problem_with({"objective={type=\"mass\", body=\"crank\"}",
                    "constraints={criteria={strength={" + stress + ", upper=2e6}}}"});
  const std::atomic<bool> interrupted{false};
  Evaluation objective, constraint;
  for (const auto& [problem, out] : {std::pair{&as_objective, &objective}, {&as_constraint, &constraint}}) {
    EvaluationChain chain(*problem);
    const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
    ProblemNlp nlp(chain, space, interrupted);
    ASSERT_FALSE(nlp.evaluate(VectorXd::Constant(space.n_variables(), 0.6), *out).failed());
  }
  EXPECT_NEAR(constraint.constraints[0], objective.objective / 2e6 - 1.0, 1e-12 * objective.objective / 2e6);
  EXPECT_LT((constraint.constraint_gradients.row(0).transpose() * 2e6 - objective.gradient).norm(),
            1e-10 * objective.gradient.norm());
}

/// [P0]'s crank at its constant final speed, as a bar in its own centrifugal field and that of the rod: the
/// stress over a section is what the material outside and the pin carry.
TEST(StressCriteria, OfATurningBarBalancesItsCentrifugalForce) {
  const double omega = 100.0, L = 0.2;
  const Problem problem = read_problem(
      test::input("flexible_crank.toml"),
      {"bodies.crank.mesh.divisions=[80,8]", "integrator.t1=0.02", "integrator.step=1e-4", "design.start=1.0",
       "bodies.crank.damping.beta=1e-3",
       "joints={bearing={type=\"revolute\", from=\"ground\", to=\"crank\", drive={dof=\"rz\", "
       "type=\"constant-rate\", rate=100.0}}, wall={type=\"fixed\", from=\"ground\", to=\"rod\"}}",
       "bodies.rod.initial={}", "bodies.crank.modes.normal=8",
       "bodies.crank.initial={angular_velocity=[0.0, 0.0, 100.0]}",
       "objective={type=\"von-mises\", body=\"crank\", time=\"final\", element_exponent=40, "
       "leave_out=[\"clamp\"]}"});
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const double largest = 7850.0 * omega * omega * L * L / 2.0;
  const auto psi = test::psi_at(chain, space, space.start());
  ASSERT_TRUE(psi.has_value());
  // Eight normal modes answer a distributed load within some percent; the 40-norm of 632 values in a smooth
  // field is a few percent above the largest.
  EXPECT_NEAR(*psi / largest, 1.0, 0.15);
}

}  // namespace
}  // namespace kurbel
