/// Bodies at rest under loads: closed forms, load cases, and gradients by differences.
#include <gtest/gtest.h>

#include "beam_text.hpp"

namespace kurbel {
namespace {

using test::answer;
using test::beam_text;
using test::study_of;

const std::string pull = R"([loads.pull]
marker = "beam.end"
force = [6.0, 0.0, 0.0]
)";

const std::string compliance = R"([objective]
type = "compliance"
body = "beam"
)";

TEST(StaticQuestion, StretchesABarAsHookeSays) {
  Study study = study_of(beam_text("static", pull + compliance + R"([constraints.criteria.stretch]
type = "displacement"
marker = "beam.end"
component = "x"
upper = 1.0
)"));
  const ChainResult at = answer(study, study.start());
  const double stretch = 6.0 * 4.0 / (200.0 * 0.5);  // F L / (E A)
  EXPECT_NEAR(at.psi, 6.0 * stretch, 1e-12 * at.psi);
  EXPECT_NEAR(at.criteria[0], stretch, 1e-12 * stretch);
  const MatrixXd u = at.answer->fields(0).front().values;
  const fem::Mesh& mesh = study.chain().body(0)->mesh();
  for (Eigen::Index node = 0; node < mesh.n_nodes(); ++node)
    EXPECT_NEAR(u(0, node), stretch * mesh.positions()(0, node) / 4.0, 1e-12);
}

TEST(StaticQuestion, HangsUnderItsWeightAsABarDoes) {
  Study study = study_of("gravity = [10.0, 0.0, 0.0]\n" + beam_text("static", compliance + R"(
[constraints.criteria.stretch]
type = "displacement"
marker = "beam.end"
component = "x"
upper = 1.0
)"));
  const double stretch =
      3.0 * 10.0 * 4.0 * 4.0 / (2.0 * 200.0);  // rho g L^2 / (2 E), which linear elements meet at nodes
  EXPECT_NEAR(answer(study, study.start()).criteria[0], stretch, 1e-12 * stretch);
}

TEST(StaticQuestion, TurnsAMarkerAsABeamBends) {
  Study study = study_of(beam_text("static", compliance + R"(
[loads.bend]
marker = "beam.end"
torque = [0.0, 0.0, 0.5]
[constraints.criteria.turn]
type = "rotation"
marker = "beam.end"
axes = ["z"]
upper = 1.0
)"),
                         {"bodies.beam.mesh.element=incompatible"});
  const ChainResult at = answer(study, study.start());
  EXPECT_NEAR(at.psi, 0.5 * at.criteria[0], 1e-12 * at.psi);
  const double turn = 0.5 * 4.0 / (200.0 * 0.5 / 12.0);  // M L / (E I)
  EXPECT_NEAR(at.criteria[0], turn, 0.02 * turn);        // the moment acts as forces at the nodes of the end
}

TEST(StaticQuestion, HasTheStressOfABarInTension) {
  Study study = study_of(beam_text("static", pull + R"([objective]
type = "von-mises"
body = "beam"
[constraints.criteria.strength]
type = "von-mises"
body = "beam"
leave_out = ["wall"]
upper = 20.0
)"));
  const ChainResult at = answer(study, study.start());
  const double stress = 6.0 / 0.5;  // F / A
  EXPECT_NEAR(at.values[0].high, stress, 1e-12 * stress);
  EXPECT_NEAR(at.values[0].low, stress, 1e-12 * stress);
  EXPECT_NEAR(at.psi, std::pow(8.0 * 3.0, 1.0 / 8.0) * stress, 1e-12 * at.psi);
  EXPECT_NEAR(at.criteria[0], std::pow(7.0 * 3.0, 1.0 / 8.0) * stress, 1e-12 * at.psi);
  const std::vector<ElementField> fields = at.answer->element_fields(0);
  ASSERT_EQ(fields.size(), 1U);
  EXPECT_EQ(fields[0].name, "von_mises");
  EXPECT_LT((fields[0].values.array() - stress).abs().maxCoeff(), 1e-12 * stress);
}

TEST(StaticQuestion, RelaxesTheStressOfThinMaterial) {
  Study study = study_of(beam_text("static", pull + R"([objective]
type = "von-mises"
body = "beam"
relaxation = 0.7
)"));
  const ChainResult at = answer(study, VectorXd::Constant(study.n_variables(), 0.5));
  EXPECT_NEAR(at.values[0].high, std::pow(0.5, 0.7 - 3.0) * 12.0,
              1e-12 * at.psi);  // p^r E0 eps, eps = F / (p^3 E0 A)
}

/// Two load cases with forces, weight and every form of a criterion.
std::string two_cases() {
  return beam_text("static", pull + R"([cases.along]
[cases.across]
weight = 2.0
gravity = [0.3, -2.0, 0.0]
[cases.across.loads.pull]
marker = "beam.end"
force = [0.0, -3.0, 0.0]
torque = [0.0, 0.0, 0.4]
[[objective]]
type = "compliance"
body = "beam"
[[objective]]
type = "displacement"
marker = "beam.top"
form = "half-square"
target = [0.1, 0.2, 0.0]
weight = 0.5
[[objective]]
type = "mass"
body = "beam"
weight = 0.01
[constraints]
mass = 3.0
volume_fraction = 0.5
[constraints.criteria.sag]
type = "displacement"
marker = "beam.end"
component = "y"
lower = -0.5
[constraints.criteria.shift]
type = "displacement"
marker = "beam.top"
axes = ["x", "y"]
upper = 0.3
[constraints.criteria.turn]
type = "rotation"
marker = "beam.end"
axes = ["z"]
upper = 0.2
cases = ["across"]
[constraints.criteria.both]
type = "compliance"
body = "beam"
cases = "sum"
upper = 3.0
)");
}

TEST(StaticQuestion, SumsLoadCasesWithTheirWeights) {
  Study both = study_of(two_cases());
  const VectorXd x = test::random_design(both.n_variables(), 3);
  const ChainResult all = answer(both, x);
  double sum = 0.0, compliances = 0.0;
  for (const ProblemCase& own : both.problem().cases) {
    Study alone{Problem(*own.problem)};
    const ChainResult at = answer(alone, x);
    sum += own.weight * at.psi;
    compliances += own.weight * at.criteria[at.criteria.size() - 1];
  }
  EXPECT_NEAR(all.psi, sum, 1e-12 * std::abs(sum));
  EXPECT_NEAR(all.criteria[all.criteria.size() - 1], compliances, 1e-12 * compliances);
}

TEST(StaticQuestion, HasTheGradientsOfDifferences) {
  const std::vector<std::vector<std::string>> laws = {
      {},
      {"bodies.beam.simp.stiffness=modified", "bodies.beam.simp.void_stiffness=1e-3"},
      {"bodies.beam.simp.stiffness=ramp", "bodies.beam.simp.s=5", "bodies.beam.simp.light_mass=smooth"},
      {"over_cases.objective=ks", "over_cases.exponent=0.7"},
      {"over_cases.objective=p-norm", "over_cases.exponent=3"}};
  for (std::size_t i = 0; i < laws.size(); ++i) {
    Study study = study_of(two_cases(), laws[i]);
    const VectorXd x = test::random_design(study.n_variables(), static_cast<unsigned>(i));
    EXPECT_LT(test::gradient_error(study, x, static_cast<unsigned>(i)), 1e-6)
        << "law " << i;  // of which differences round 2e-7
  }
}

/// Stresses with every key, in two cases, of the objective and of constraints.
std::string stresses_of_two_cases() {
  return two_cases() + R"([constraints.criteria.strength]
type = "von-mises"
body = "beam"
leave_out = ["end", "wall"]
element_exponent = 6
upper = 40.0
[constraints.criteria.sum_of_stresses]
terms = [
  { type = "von-mises", body = "beam", relaxation = 0.8, weight = 0.3 },
  { type = "compliance", body = "beam", weight = 0.1 },
]
upper = 40.0
)";
}

TEST(StaticQuestion, HasTheGradientsOfStresses) {
  const std::vector<std::vector<std::string>> variants = {
      {},
      {"bodies.beam.mesh.element=incompatible", "bodies.beam.simp.stiffness=modified"},
      {"over_cases.objective=ks", "over_cases.exponent=0.7"}};
  for (std::size_t i = 0; i < variants.size(); ++i) {
    Study study = study_of(stresses_of_two_cases(), variants[i]);
    const VectorXd x = test::random_design(study.n_variables(), static_cast<unsigned>(i));
    EXPECT_LT(test::gradient_error(study, x, static_cast<unsigned>(i)), 1e-6) << "variant " << i;
  }
}

TEST(StaticQuestion, HasTheGradientsOfStressesByThicknessesAndModuli) {
  Study study = study_of(stresses_of_two_cases() + test::thickness_and_modulus + test::with_densities);
  const VectorXd x = test::random_design(study.n_variables(), 5);
  EXPECT_LT(test::gradient_error(study, x, 5), 1e-6);
}

TEST(StaticQuestion, HasTheGradientsOfThicknessesAndModuli) {
  Study study = study_of(two_cases() + test::thickness_and_modulus + test::with_densities);
  const VectorXd x = test::random_design(study.n_variables(), 7);
  EXPECT_LT(test::gradient_error(study, x, 7), 1e-6);
}

TEST(StaticQuestion, HasTheGradientsOfStressesByTheSurface) {
  const std::vector<std::vector<std::string>> variants = {
      {test::mesh_of_a_file(), "bodies.beam.material.poisson_ratio=0.3"},
      {test::mesh_of_a_file(), "over_cases.objective=ks", "over_cases.exponent=0.7"},
      {test::mesh_of_a_file(), "bodies.beam.mesh.element=incompatible"}};
  constexpr double large_step = 1e-2;  // offsets are small beside the part, so that differences round more
  for (std::size_t i = 0; i < variants.size(); ++i) {
    Study study = study_of(stresses_of_two_cases() + test::surface, variants[i]);
    const VectorXd x = test::random_offsets(study.n_variables(), static_cast<unsigned>(i));
    EXPECT_LT(test::gradient_error(study, x, static_cast<unsigned>(i), large_step), 1e-6) << "variant " << i;
  }
}

TEST(StaticQuestion, KeepsItsGradientWhenAnotherDesignWasAnsweredSince) {
  Study study = study_of(two_cases());
  const VectorXd x = test::random_design(study.n_variables(), 1), other = test::random_design(x.size(), 2);
  ChainResult at = answer(study, x);
  std::vector<Design> before, after;
  test::require(study.chain().gradients(at, before));
  answer(study, other);
  test::require(study.chain().gradients(at, after));
  for (std::size_t j = 0; j < before.size(); ++j)
    EXPECT_EQ(before[j].bodies[0].density, after[j].bodies[0].density);
}

/// The whole L with a sharp inner corner has 70.8 g, and more stress there than the bound.
TEST(StaticQuestion, MakesABracketLightWithinItsStress) {
  Study study =
      Study::read(KURBEL_SOURCE_DIR "/inputs/validation/l_bracket.toml",
                  {"bodies.bracket.mesh.divisions=[25,25]", "bodies.bracket.regions.right.x=[0.08,0.2]",
                   "filter.radius=0.012", "projection={type=\"none\"}", "optimizer.stop.iterations=60"});
  const ChainResult whole = answer(study, VectorXd::Ones(study.n_variables()));
  EXPECT_GT(whole.values[1].high, 350e6);
  StudyEvents silent;
  const StudyResult result = study.optimize(silent);
  ASSERT_TRUE(result.optimum.feasible);
  EXPECT_LT(result.optimum.evaluation.objective, 0.7 * whole.psi);
  const ChainResult light = answer(study, result.optimum.x);
  EXPECT_LT(light.values[1].high, 1.001 * 350e6);  // the feasibility of the optimizer, 1e-3
  EXPECT_GT(light.values[1].high, 0.95 * 350e6);   // which is used up
}

TEST(StaticQuestion, IsStiffestWithTheMaterialWhereItIsStressed) {
  Study study = study_of(beam_text("static", R"([loads.push]
marker = "beam.end"
force = [0.0, -1.0, 0.0]
[optimizer]
method = "oc"
[constraints]
volume_fraction = 0.5
)" + compliance));
  StudyEvents silent;
  const StudyResult result = study.optimize(silent);
  Evaluation start;
  test::require(study.evaluate(study.start(), start));
  EXPECT_TRUE(result.optimum.feasible);
  EXPECT_LT(result.optimum.evaluation.objective, 0.6 * start.objective);
}

}  // namespace
}  // namespace kurbel
