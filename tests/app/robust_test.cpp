/// @file
/// Three designs in one: an optimizer sees the objective of the worst of them, and the bounds of each, with their gradients.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "crank.hpp"
#include "evaluation/adaptive_scaling.hpp"
#include "evaluation/problem_nlp.hpp"

namespace kurbel {
namespace {

const std::atomic<bool> never = false;

std::vector<std::string> robust_crank(const std::vector<std::string>& more) {
  std::vector<std::string> overrides = {
      "bodies.crank.mesh.divisions=[30,6]",
      "integrator.step=1e-2",
      "filter.radius=0.02",
      "projection={robust=0.2,beta_start=4.0}",
      "constraints.criteria.tip={type=\"integral-compliance\",body=\"crank\",upper=1e-4}",
      "constraints.criteria.energy={type=\"kinetic-energy\",body=\"crank\",time=\"mean\",lower=100.0}"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return overrides;
}

struct Program {
  explicit Program(const std::vector<std::string>& more = {})
      : problem(read_problem(test::input("flexible_crank.toml"), robust_crank(more))) {}

  Problem problem;
  EvaluationChain chain{problem};
  DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ProblemNlp nlp{chain, space, never};
};

// psi is that of the worst design; bounds on the motion are rows of each design, without a kink where two are equally bad.
TEST(RobustDesign, HasTheWorstObjectiveAndTheRowsOfAllThree) {
  Program program;
  const VectorXd x = test::random_densities(program.space.n_variables(), 3);
  Evaluation evaluation;
  ASSERT_FALSE(program.nlp.evaluate(x, evaluation).failed());
  double psi = 0.0;
  std::vector<VectorXd> rows;
  std::vector<double> volumes, tips, energies;
  for (const double shift : {0.0, 0.2, -0.2}) {
    ChainResult result;
    ASSERT_FALSE(program.chain.reduce(program.space.at(x, shift), result).failed());
    ASSERT_FALSE(program.chain.simulate(result).failed());
    psi = std::max(psi, result.psi);
    rows.push_back(program.nlp.rows().values(program.space, result));
    volumes.push_back(program.space.volume_fraction(result.design));
    tips.push_back(result.values[1].value), energies.push_back(result.values[2].value);
  }
  const std::vector<CriterionValues> told = values_of_diagnostics(evaluation.diagnostics);
  ASSERT_EQ(told.size(), 4 * 3) << "the worst, and each of the three";
  EXPECT_NEAR(told[0].value, psi, 1e-12 * psi);
  // The one is bounded from above, the other from below.
  EXPECT_NEAR(told[1].value, std::ranges::max(tips), 1e-12 * tips[0]);
  EXPECT_NEAR(told[2].value, std::ranges::min(energies), 1e-12 * energies[0]);
  EXPECT_NEAR(evaluation.objective, psi, 1e-12 * psi);
  const auto name_of = [&](Eigen::Index i) { return program.nlp.rows()[i].name; };
  ASSERT_EQ(program.nlp.n_constraints(), 1 + 3 + 3);
  EXPECT_EQ(name_of(2), "tip (eroded)");
  EXPECT_EQ(name_of(6), "energy (dilated)");
  for (const Eigen::Index design : {0, 1, 2}) {
    const auto of = static_cast<std::size_t>(design);
    for (const Eigen::Index row : {1 + design, 4 + design})
      EXPECT_NEAR(evaluation.constraints[row], rows[of][row], 1e-9) << name_of(row);
    EXPECT_NEAR(told[3 * (1 + of) + 1].value, tips[of], 1e-12 * tips[of]);
    EXPECT_NEAR(told[3 * (1 + of) + 2].value, energies[of], 1e-12 * energies[of]);
  }
  EXPECT_LT(volumes[1], volumes[0] - 0.02);
  EXPECT_GT(volumes[2], volumes[0] + 0.02);
  EXPECT_NEAR(evaluation.constraints[0], volumes[0] / 0.5 - 1.0, 1e-12) << "the design itself has the volume";
  Evaluation values;
  ASSERT_FALSE(program.nlp.find_values(x, values).failed());
  EXPECT_EQ(values.objective, evaluation.objective);
  EXPECT_EQ(values.constraints, evaluation.constraints);
}

// The record of a stage has places for all functions, those of other stages too.
TEST(RobustDesign, IsExpandedAndReducedWithTheDiagnosticsOfAllDesigns) {
  Program program(
      {"stages.first={constraints=[\"energy\"],objective={type=\"integral-compliance\",body=\"crank\"}}"});
  const VectorXd x = test::random_densities(program.space.n_variables(), 3);
  program.nlp.begin(0, x);
  Evaluation at;
  ASSERT_FALSE(program.nlp.evaluate(x, at).failed());
  const Evaluation all = program.nlp.expanded(at), back = program.nlp.reduced(all);
  EXPECT_EQ(back.constraints, at.constraints);
  EXPECT_EQ(back.diagnostics, at.diagnostics);
  ASSERT_EQ(all.diagnostics.size(), program.nlp.n_all_diagnostics());
  ASSERT_EQ(all.diagnostics.size(), 4 * 3 * 3) << "psi, tip and energy at their worst and of each design";
  const auto whole = values_of_diagnostics(all.diagnostics), own = values_of_diagnostics(at.diagnostics);
  for (std::size_t block = 0; block < 4; ++block) {
    EXPECT_EQ(whole[3 * block].value, own[2 * block].value);
    EXPECT_TRUE(std::isnan(whole[3 * block + 1].value)) << "the tip is of no concern in this stage";
    EXPECT_EQ(whole[3 * block + 2].value, own[2 * block + 1].value);
  }
}

// A function with bounds on both sides is told of the design that is farthest beyond either, and an equality of the design at eta.
TEST(RobustDesign, TellsTheWorstOfBothSidesAndEqualitiesAtEta) {
  Program program;
  const VectorXd x = test::random_densities(program.space.n_variables(), 3);
  Evaluation at;
  ASSERT_FALSE(program.nlp.evaluate(x, at).failed());
  const auto told = values_of_diagnostics(at.diagnostics);
  const double eta = told[3 + 1].value, eroded = told[6 + 1].value, dilated = told[9 + 1].value;
  ASSERT_GT(eroded, eta);
  ASSERT_LT(dilated, eta);
  // The eroded design exceeds its bound by half of it; the dilated one is below the other by less.
  const auto bounds = fmt::format(
      "constraints.criteria.tip={{type=\"integral-compliance\",body=\"crank\",upper={},lower={}}}",
      eroded / 1.5, dilated / 0.9);
  Program both({bounds});
  ASSERT_FALSE(both.nlp.evaluate(x, at).failed());
  EXPECT_NEAR(values_of_diagnostics(at.diagnostics)[1].value, eroded, 1e-9 * eroded);
  Program exact({fmt::format(
      "constraints.criteria.tip={{type=\"integral-compliance\",body=\"crank\",equals={}}}", eta)});
  ASSERT_FALSE(exact.nlp.evaluate(x, at).failed());
  ASSERT_EQ(exact.nlp.n_constraints(), 1 + 1 + 3);
  EXPECT_NEAR(at.constraints[0], 0.0, 1e-9);
  EXPECT_NEAR(values_of_diagnostics(at.diagnostics)[1].value, eta, 1e-9 * eta);
}

// True peaks are those of the design that a row is of.
TEST(RobustDesign, IsJudgedByTheTruePeaksOfEachDesign) {
  Program program({"constraints.criteria.tip={type=\"von-mises\",body=\"crank\",time=\"p-norm\",upper=1e8}"});
  const VectorXd x = test::random_densities(program.space.n_variables(), 3);
  Evaluation at;
  ASSERT_FALSE(program.nlp.evaluate(x, at).failed());
  const std::vector<AdaptiveRow> adaptive = adaptive_rows(program.chain, program.nlp.rows());
  ASSERT_EQ(adaptive.size(), 3);
  VectorXd extremes = at.constraints;
  set_extremes(adaptive, values_of_diagnostics(at.diagnostics), extremes);
  const std::vector<double> shifts = {0.0, 0.2, -0.2};
  double highest = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    ChainResult result;
    ASSERT_FALSE(program.chain.reduce(program.space.at(x, shifts[i]), result).failed());
    ASSERT_FALSE(program.chain.simulate(result).failed());
    const double of_peak = result.values[1].high / 1e8 - 1.0;
    EXPECT_NEAR(extremes[adaptive[i].row], of_peak, 1e-9 * std::abs(of_peak)) << i;
    highest = std::max(highest, result.values[1].high);
    EXPECT_GT(std::abs(extremes[adaptive[i].row] - at.constraints[adaptive[i].row]), 0.01)
        << "the p-norm differs";
    // A cut is one design, and each row judges it.
    const VectorXd judged = judged_values(program.chain, program.nlp.rows(), program.space, result);
    for (const AdaptiveRow& row : adaptive)
      EXPECT_NEAR(judged[row.row], of_peak, 1e-9 * std::abs(of_peak)) << row.name;
  }
  EXPECT_NEAR(values_of_diagnostics(at.diagnostics)[1].high, highest, 1e-9 * highest) << "what tables show";
}

TEST(RobustDesign, HasTheGradientsOfTheWorstObjectiveAndOfAllRows) {
  Program program;
  program.nlp.bound_grey_level(0.5);  // as the last step of a projection does
  const Eigen::Index n = program.space.n_variables();
  const VectorXd x = test::random_densities(n, 3), along = test::random_densities(n, 4).array() - 0.5;
  Evaluation at, next, before;
  ASSERT_FALSE(program.nlp.evaluate(x, at).failed());
  constexpr double h = 1e-4;  // where rounding, which grows with 1 / h, is far below the tolerance
  ASSERT_FALSE(program.nlp.evaluate(x + h * along, next).failed());
  ASSERT_FALSE(program.nlp.evaluate(x - h * along, before).failed());
  const double difference = (next.objective - before.objective) / (2.0 * h);
  EXPECT_NEAR(at.gradient.dot(along), difference, 1e-5 * std::abs(difference));
  const VectorXd of_rows = (next.constraints - before.constraints) / (2.0 * h);
  for (Eigen::Index i = 0; i < of_rows.size(); ++i)
    EXPECT_NEAR(at.constraint_gradients.row(i).dot(along), of_rows[i], 1e-5 * std::abs(of_rows[i])) << i;
}

/// Values of all rows of a design that came out too thin.
VectorXd rows_of_thin_design(Program& program, const VectorXd& x) {
  ChainResult result;
  EXPECT_FALSE(program.chain.reduce(program.space.at(x, 0.2), result).failed());
  EXPECT_FALSE(program.chain.simulate(result).failed());
  return program.nlp.rows().values(program.space, result);
}

// A bound on the width of members is a row of its own, of the design at eta.
TEST(RobustDesign, HasTheGradientOfABoundOnMembers) {
  const std::string members = "bodies.crank.manufacturing.maximum_member=";
  Program program({members + "0.03"});
  const VectorXd random = test::random_densities(program.space.n_variables(), 3);
  const VectorXd x = 0.7 + 0.3 * random.array(), along = random.array() - 0.5;
  Evaluation at, next, before;
  ASSERT_FALSE(program.nlp.evaluate(x, at).failed());
  constexpr double h = 1e-4;
  ASSERT_FALSE(program.nlp.evaluate(x + h * along, next).failed());
  ASSERT_FALSE(program.nlp.evaluate(x - h * along, before).failed());
  constexpr Eigen::Index row = 1;  // behind the volume
  ASSERT_EQ(program.nlp.rows()[row].name, "crank.excess_of_members");
  EXPECT_GT(at.constraints[row], 0.0);
  const double difference = (next.constraints[row] - before.constraints[row]) / (2.0 * h);
  EXPECT_NEAR(at.constraint_gradients.row(row).dot(along), difference, 1e-5 * std::abs(difference));
  const auto refusal = [&](const std::vector<std::string>& overrides) -> std::string {
    try {
      Program refused(overrides);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  using testing::HasSubstr;
  EXPECT_THAT(refusal({members + "0.025", "bodies.crank.mesh.divisions=[60,12]"}),
              HasSubstr("projection.robust"));
  EXPECT_THAT(refusal({members + "0.02", "projection.robust=0.0"}),
              HasSubstr("which is four elements. Refine the mesh"));
  EXPECT_THAT(refusal({members + "0.05"}), HasSubstr("bounds nothing: along y the body is thinner"));
}

// Rows belong to their bodies.
TEST(RobustDesign, BoundsTheMembersOfOneBodyOfTwo) {
  Problem problem = read_problem(
      test::input("four_bar.toml"),
      {"bodies.coupler.mesh.divisions=[40,8]", "bodies.rocker.mesh.divisions=[80,8]", "integrator.step=2e-2",
       "projection.robust=0.0", "bodies.rocker.manufacturing.maximum_member=\"14 mm\""});
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const ConstraintRows rows(chain);
  const Eigen::Index row = rows.size() - 1;
  ASSERT_EQ(rows[row].name, "rocker.excess_of_members");
  ChainResult result;
  const VectorXd x = space.start(), along = VectorXd::Ones(space.n_variables());
  const auto value_at = [&](double step) {
    result.design = space.at((x + step * along).cwiseMin(1.0));
    return rows[row].factor * (space.excess_of_members(result.design, rows[row].function) - rows[row].bound);
  };
  EXPECT_LT(value_at(0.0), 0.0);
  EXPECT_GT(value_at(1.0), 0.0) << "solid";
  const Design bar = space.excess_of_members_bar(space.at(x), rows[row].function);
  const std::size_t rocker = problem.find_body("rocker").value(),
                    coupler = problem.find_body("coupler").value();
  EXPECT_EQ(bar.bodies[coupler].density.size(), space.at(x).bodies[coupler].density.size());
  EXPECT_EQ(bar.bodies[coupler].density.cwiseAbs().sum(), 0.0);
  EXPECT_EQ(bar.bodies[rocker].density.size(), space.at(x).bodies[rocker].density.size());
}

// Rows of mass, volume and grey level are functions of the design whose rows they are, as those of the motion.
TEST(RobustDesign, HasRowsWithTheirGradientsInEachOfTheThree) {
  Program program({"constraints.mass=1.0", "constraints.volume_fraction=0.5"});
  program.nlp.bound_grey_level(0.5);
  const Eigen::Index n = program.space.n_variables();
  const VectorXd x = test::random_densities(n, 3), along = test::random_densities(n, 4).array() - 0.5;
  ChainResult result;
  std::vector<Design> bars;
  const Design thin = program.space.at(x, 0.2);
  ASSERT_FALSE(program.chain.reduce(thin, result).failed());
  ASSERT_FALSE(program.chain.simulate_for_gradients(result).failed());
  ASSERT_FALSE(program.chain.gradients(result, bars).failed());
  const MatrixXd gradients = program.nlp.rows().gradients(program.space, x, thin, bars, 0.2);
  constexpr double h = 1e-4;
  const VectorXd of_rows =
      (rows_of_thin_design(program, x + h * along) - rows_of_thin_design(program, x - h * along)) / (2.0 * h);
  ASSERT_EQ(of_rows.size(), 9);
  for (Eigen::Index i = 0; i < of_rows.size(); ++i)
    EXPECT_NEAR(gradients.row(i).dot(along), of_rows[i], 1e-5 * std::abs(of_rows[i])) << i;
}

}  // namespace
}  // namespace kurbel
