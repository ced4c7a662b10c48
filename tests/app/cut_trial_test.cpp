/// The cut of a design, tried in the mechanism, and the bound on grey levels that makes it hold.
#include "study/cut_trial.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluation/cut_design.hpp"
#include "study/study.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double feasibility = 1e-4;

CutTrial trial(double loose, double violation, double objective, double change = 0.0) {
  return {.loose = loose, .violation = violation, .objective = objective, .change = change};
}

TEST(CutTrial, HoldsInOnePieceWithinBoundsAndWithTheObjectiveOfTheDesign) {
  EXPECT_TRUE(trial(0.0, 5e-5, 1.0, 0.049).holds(feasibility));
  EXPECT_FALSE(trial(0.01, 0.0, 1.0).holds(feasibility));
  EXPECT_FALSE(trial(0.0, 2e-4, 1.0).holds(feasibility));
  EXPECT_FALSE(trial(0.0, 0.0, 1.0, 0.051).holds(feasibility));
  EXPECT_FALSE(trial(0.0, 0.0, 1.0, -0.051).holds(feasibility));
  EXPECT_FALSE(CutTrial{}.holds(feasibility)) << "it was not simulated";
}

TEST(CutTrial, PrefersLessThatIsLooseThenLessViolationThenTheObjective) {
  EXPECT_TRUE(trial(0.0, 1.0, 9.0).is_better_than(trial(0.1, 0.0, 1.0), feasibility));
  EXPECT_TRUE(trial(0.0, 0.1, 9.0).is_better_than(trial(0.0, 0.2, 1.0), feasibility));
  EXPECT_TRUE(trial(0.0, 5e-5, 1.0).is_better_than(trial(0.0, 0.0, 2.0), feasibility)) << "both are feasible";
  EXPECT_FALSE(trial(0.0, 0.0, 2.0).is_better_than(trial(0.0, 0.0, 2.0), feasibility));
  const CutTrial not_simulated;
  EXPECT_FALSE(not_simulated.is_better_than(trial(1.0, 9.0, 9.0), feasibility));
  CutTrial grey = trial(0.0, 0.0, 1.0);
  grey.grey_level = 0.06;
  EXPECT_FALSE(grey.holds(feasibility));
  EXPECT_TRUE(grey.stands(feasibility));
  EXPECT_TRUE(trial(0.0, 0.0, 2.0).is_better_than(grey, feasibility));
}

TEST(CutTrial, PrefersAnOptimumToADesignThatIsHardlyBetter) {
  CutTrial optimum = trial(0.0, 0.0, 1.02);
  optimum.is_of_optimum = true, optimum.design_objective = 1.0015;
  CutTrial other = trial(0.0, 0.0, 1.0);
  other.design_objective = 1.0;
  EXPECT_TRUE(optimum.is_better_than(other, feasibility));
  EXPECT_FALSE(other.is_better_than(optimum, feasibility));
  optimum.design_objective = 1.0025;
  EXPECT_FALSE(optimum.is_better_than(other, feasibility));
  EXPECT_TRUE(other.is_better_than(optimum, feasibility));
  optimum.design_objective = 1.0015, optimum.loose = 0.01;
  EXPECT_FALSE(optimum.is_better_than(other, feasibility)) << "its cut does not hold";
}

const std::vector<std::string> coarse = {"bodies.crank.mesh.divisions=[20,4]",
                                         "bodies.crank.regions.bearing.x=[0.19,0.2]", "filter.radius=0.011",
                                         "projection.beta_start=4", "integrator.step=0.02"};

VectorXd somewhere(const DesignSpace& space) {
  VectorXd x = space.start();
  for (Eigen::Index i = 0; i < x.size(); ++i)
    x[i] = 0.3 + 0.4 * std::abs(std::sin(1.7 * static_cast<double>(i)));
  return x;
}

// The row stands behind those of the file, and is gone when the bound is.
TEST(GreyLevel, IsBoundedByARowWithTheGradientOfDifferences) {
  Study study = Study::read(test::input("flexible_crank_small.toml"), coarse);
  ProblemNlp& nlp = study.program();
  const VectorXd x = somewhere(study.space());
  nlp.bound_grey_level(0.2);
  ASSERT_EQ(nlp.n_constraints(), 2);
  Evaluation at;
  ASSERT_FALSE(nlp.evaluate(x, at).failed());
  const auto row = [&](const VectorXd& y) {
    return study.space().grey_level(study.space().at(y)) / 0.2 - 1.0;
  };
  EXPECT_DOUBLE_EQ(at.constraints[1], row(x));
  constexpr double h = 1e-5;
  for (const Eigen::Index i : {0, 17, 42, 75}) {
    VectorXd above = x, below = x;
    above[i] += h, below[i] -= h;
    EXPECT_NEAR(at.constraint_gradients(1, i), (row(above) - row(below)) / (2.0 * h), 1e-7);
  }
  const Evaluation all = nlp.expanded(at);
  EXPECT_EQ(all.constraints, at.constraints);

  nlp.bound_grey_level({});
  ASSERT_EQ(nlp.n_constraints(), 1);
  ASSERT_FALSE(nlp.evaluate(x, at).failed());
  EXPECT_EQ(nlp.expanded(at).constraints.size(), 2) << "a record has a place for it";
}

class Texts final : public StudyEvents {
 public:
  void info(const std::string& text) override { texts.push_back(text); }
  std::vector<std::string> texts;
};

// With beta = 8 the design is grey, however long one iterates; on a coarse mesh its cut is as good.
TEST(CutTrial, BoundsTheGreyLevelOfADesignWhoseCutDoesNotHold) {
  std::vector<std::string> settings = coarse;
  settings.insert(settings.end(), {"projection.beta_max=8", "constraints.volume_fraction=0.7"});
  Study study = Study::read(test::input("flexible_crank_small.toml"), settings);
  Texts told;
  const StudyResult result = study.optimize(told);
  EXPECT_TRUE(result.optimum.feasible);
  EXPECT_THAT(told.texts, Contains(HasSubstr("the design is grey, with a grey level of")));
  const CutTrial of = try_cut(study.chain(), study.space(), study.program().rows(), result.optimum.x,
                              result.optimum.evaluation.objective);
  EXPECT_TRUE(of.holds(feasibility)) << of.text(feasibility);
}

// A bound on stresses keeps a design grey. Where a bound on the volume is active, no other may be possible, and the grey stays.
TEST(GreyLevel, IsBoundedWhereItIsLateAndNoBoundOnVolumeIsActive) {
  std::vector<std::string> settings = coarse;
  settings.insert(settings.end(),
                  {"projection.beta_max=8", "projection.beta_interval=3", "optimizer.stop.iterations=6"});
  const auto texts = [&](const char* bound) {
    std::vector<std::string> all = settings;
    all.emplace_back(bound);
    Study study = Study::read(test::input("stress_crank.toml"), all);
    Texts told;
    study.optimize(told);
    return told.texts;
  };
  const auto is_told = Contains(HasSubstr("greyer than this projection leaves it"));
  EXPECT_THAT(texts("constraints.volume_fraction=1.0"), is_told);
  EXPECT_THAT(texts("constraints.volume_fraction=0.95"), is_told) << "the lightest design has less";
  EXPECT_THAT(texts("constraints.volume_fraction=0.5"), Not(is_told)) << "the lightest design has more";
}

// An equation is violated on both sides of its value.
TEST(CutTrial, ViolatesAnEquationBelowItsValueToo) {
  for (const double equals : {0.1, 1e6}) {
    std::vector<std::string> settings = coarse;
    settings.push_back(fmt::format(
        "constraints.criteria.energy={{type=\"kinetic-energy\", time=\"mean\", equals={}}}", equals));
    Study study = Study::read(test::input("flexible_crank_small.toml"), settings);
    VectorXd x = 0.5 * somewhere(study.space());
    x.head(38).setConstant(0.9);
    const CutTrial of = try_cut(study.chain(), study.space(), study.program().rows(), x, 1.0);
    EXPECT_GT(of.violation, 0.5) << equals;
    EXPECT_FALSE(of.holds(feasibility));
  }
}

TEST(CutTrial, IsTheSimulationOfTheCut) {
  Study study = Study::read(test::input("flexible_crank_small.toml"), coarse);
  VectorXd x = 0.5 * somewhere(study.space());
  x.head(38).setConstant(0.9);  // the lower half is solid when cut
  OptimizerResult result;
  ASSERT_FALSE(study.program().evaluate(x, result.evaluation).failed());
  const CutTrial of =
      try_cut(study.chain(), study.space(), study.program().rows(), x, result.evaluation.objective);

  const CutDesign cut = cut_to_solid_and_void(study.chain().bodies(), study.space().at(x));
  ChainResult found;
  ASSERT_FALSE(study.chain().reduce(cut.design, found).failed());
  ASSERT_FALSE(study.chain().simulate(found).failed());
  EXPECT_EQ(of.objective, found.psi);
  EXPECT_DOUBLE_EQ(of.change, found.psi / result.evaluation.objective - 1.0);
  EXPECT_EQ(of.grey_of_cut, study.space().grey_level(cut.design));
  EXPECT_DOUBLE_EQ(of.violation, study.space().volume_fraction(cut.design) / 0.5 - 1.0)
      << "more than is allowed";
}

}  // namespace
}  // namespace kurbel
