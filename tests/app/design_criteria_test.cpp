/// Criteria of the motion as objective and as constraints, over the densities.
#include <gtest/gtest.h>

#include "crank.hpp"
#include "design_functions.hpp"
#include "evaluation/problem_nlp.hpp"

namespace kurbel {
namespace {

using test::differences;
using test::Functions;
using test::functions_at;

const std::atomic<bool> interrupted{false};

std::vector<std::string> with(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const std::vector<std::string> many_criteria = {
    "integrator.t1=0.4", "gravity=[0.0,-9.81,0.0]",
    "objective=[{type=\"position\", marker=\"crank.pin\", time=\"p-norm\", exponent=4, "
    "target=[0.2,0.0,0.0]}, "
    "{type=\"total-energy\", time=\"final\", weight=1e-3}]",
    "constraints={criteria={"
    "deflection={type=\"displacement\", marker=\"crank.pin\", component=\"y\", time=\"ks\", exponent=1e5, "
    "upper=1e-6}, "
    "speed={type=\"velocity\", marker=\"rod.end\", form=\"half-square\", time=\"mean\", upper=0.5}, "
    "jolt={type=\"acceleration\", marker=\"crank.pin\", time=\"p-norm\", exponent=2, upper=100.0}, "
    "load={type=\"reaction-force\", joint=\"pin\", time=\"p-norm\", exponent=4, upper=50.0}, "
    "torque={type=\"drive-torque\", joint=\"bearing\", time=\"ks\", exponent=0.5, lower=-1.0, upper=1.0}, "
    "balance={type=\"centre-of-mass\", body=\"crank\", component=\"x\", time=\"mean\", lower=0.05}, "
    "energy={type=\"kinetic-energy\", body=\"crank\", time=\"final\", upper=0.0}, "
    "mass={type=\"mass\", body=\"crank\", upper=0.3}, "
    "sum={terms=[{type=\"mass\", body=\"crank\", weight=-2.0}, {type=\"velocity\", marker=\"rod.end\", "
    "form=\"half-square\", time=\"mean\", weight=0.5}], upper=1.0}, "
    "wobble={type=\"position\", marker=\"rod.end\", target=\"rigid-twin\", component=\"x\", time=\"p-norm\", "
    "exponent=4, upper=1e-6}, "
    "pass={type=\"velocity\", marker=\"rod.end\", time=\"instants\", at=[0.2, 0.3], upper=0.5}, "
    "bend={type=\"rotation\", marker=\"crank.pin\", component=\"z\", time=\"p-norm\", exponent=4, "
    "upper=1e-3}, "
    "turn={type=\"attitude-rate\", marker=\"crank.pin\", component=\"z\", time=\"p-norm\", exponent=4, "
    "upper=50.0}}}"};

TEST(DesignCriteria, HaveGradientsThatEqualDifferences) {
  const Problem problem =
      read_problem(test::input("flexible_crank.toml"), with(test::coarse_crank(), many_criteria));
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ProblemNlp nlp(chain, space, interrupted);
  ASSERT_EQ(nlp.n_constraints(), 15);
  const VectorXd x = test::random_densities(space.n_variables(), 3).cwiseMin(0.97);
  const Functions at = functions_at(nlp, x);
  EXPECT_LT(nlp.last().invariance_defect, 1e-9) << "Phi^T Phi_bar";
  EXPECT_GT(at.gradients.rowwise().norm().minCoeff(), 0.0);
  std::srand(7);
  for (int i = 0; i < 2; ++i) {
    const VectorXd d = VectorXd::Random(x.size());
    const VectorXd expected = differences(nlp, x, d, 1.6e-2);
    for (Eigen::Index j = 0; j < expected.size(); ++j) {
      // Rounding of the finite-element solution, some 1e-11 of a value, over steps of 2e-3.
      const double tolerance = 1e-6 * at.gradients.row(j).norm() * d.norm() / std::sqrt(double(d.size()));
      EXPECT_NEAR(at.gradients.row(j).dot(d), expected[j], tolerance) << "function " << j;
    }
  }
}

TEST(DesignCriteria, HaveTheSameGradientsFromTheAugmentedData) {
  const auto functions_by = [](const std::string& path) {
    const Problem problem =
        read_problem(test::input("flexible_crank.toml"),
                     with(with(test::coarse_crank(), many_criteria), {"sensitivity.path=\"" + path + "\""}));
    EvaluationChain chain(problem);
    const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
    ProblemNlp nlp(chain, space, interrupted);
    return functions_at(nlp, test::random_densities(space.n_variables(), 3));
  };
  const Functions by_pullback = functions_by("pull-back"), by_arrays = functions_by("augmented-sid");
  for (Eigen::Index j = 0; j < by_pullback.values.size(); ++j) {
    const auto expected = by_pullback.gradients.row(j);
    // Both solve for the modes' derivatives by conjugate gradients, to 1e-12.
    EXPECT_LT((by_arrays.gradients.row(j) - expected).norm(), 1e-8 * expected.norm()) << "function " << j;
  }
}

TEST(DesignCriteria, AreBoundedRelativeToTheirBounds) {
  const Problem problem =
      read_problem(test::input("flexible_crank.toml"), with(test::coarse_crank(), many_criteria));
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ProblemNlp nlp(chain, space, interrupted);
  Evaluation at;
  ASSERT_FALSE(nlp.evaluate(space.start(), at).failed());
  const VectorXd& value = nlp.last().criteria;
  ASSERT_EQ(value.size(), 14);
  EXPECT_DOUBLE_EQ(at.constraints[1], (value[1] - 0.5) / 0.5);
  EXPECT_DOUBLE_EQ(at.constraints[4], value[4] - 1.0);
  EXPECT_DOUBLE_EQ(at.constraints[5], -1.0 - value[4]);
  EXPECT_DOUBLE_EQ(at.constraints[6], (0.05 - value[5]) / 0.05);
  EXPECT_DOUBLE_EQ(at.constraints[7], value[6]);  // bounded by zero
  EXPECT_DOUBLE_EQ(value[8], 0.5 * value[1] - 2.0 * value[7]);
  EXPECT_NEAR(value[7], space.mass(space.at(space.start())), 1e-12);
}

/// What history.csv and [constraints] call mass is that of the bodies that move, voids included.
TEST(DesignSpace, HasTheMassOfTheReducedBodies) {
  const Problem problem = read_problem(test::input("flexible_crank.toml"), test::coarse_crank());
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  VectorXd x = VectorXd::LinSpaced(space.n_variables(), 0.0, 1.0);
  for (Eigen::Index i = 0; i < x.size(); i += 3) x[i] = 0.02;  // voids
  const Design design = space.at(x);
  ChainResult result;
  ASSERT_FALSE(chain.reduce(design, result).failed());
  EXPECT_NEAR(space.mass(design), result.reduced[0].sid.refmod.mass, 1e-12);
  const VectorXd gradient = space.pullback(x, space.mass_bar(design));
  for (const Eigen::Index i : {Eigen::Index{0}, x.size() / 2, x.size() - 1}) {
    VectorXd forward = x, back = x;
    forward[i] += 1e-6, back[i] -= 1e-6;
    const double difference = (space.mass(space.at(forward)) - space.mass(space.at(back))) / 2e-6;
    EXPECT_NEAR(gradient[i], difference, 1e-7 * gradient.cwiseAbs().maxCoeff()) << i;
  }
}

TEST(DesignCriteria, LetTheOptimizerFindALighterCrankOfTheSameCompliance) {
  const auto problem_with = [](const std::string& constraints) {
    return read_problem(test::input("flexible_crank_small.toml"),
                        {"integrator.step=1e-2", "optimizer.stop.iterations=40", "design.start=0.6",
                         "objective={type=\"mass\", body=\"crank\"}", constraints});
  };
  const Problem start =
      problem_with("constraints={criteria={soft={type=\"integral-compliance\", body=\"crank\", upper=1.0}}}");
  EvaluationChain start_chain(start);
  const DesignSpace start_space = DesignSpace::of_problem(start_chain.bodies(), {});
  ProblemNlp start_nlp(start_chain, start_space, interrupted);
  Evaluation first;
  ASSERT_FALSE(start_nlp.evaluate(start_space.start(), first).failed());
  const double compliance = start_nlp.last().criteria[0];

  const Problem problem =
      problem_with("constraints={criteria={soft={type=\"integral-compliance\", body=\"crank\", upper=" +
                   std::to_string(compliance * 1e6) + "e-6}}}");
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ProblemNlp nlp(chain, space, interrupted);
  const OptimizerResult result = make_optimizer(problem.optimizer)->minimize(nlp, space.start(), {});
  EXPECT_TRUE(result.feasible) << result.message;
  EXPECT_LT(result.evaluation.constraints[0], 1e-6);
  EXPECT_LT(result.evaluation.objective, 0.8 * first.objective);
}

}  // namespace
}  // namespace kurbel
