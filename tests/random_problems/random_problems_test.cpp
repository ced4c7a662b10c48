/// Random problems by the few dozen; scripts/random_problems.sh examines thousands.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "checks.hpp"
#include "differences.hpp"
#include "restated.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel::random_problems {
namespace {

/// Together they have every feature below.
const std::vector<std::uint64_t> seeds = {8,   12,  14,  16,  31,  34,  36,  44,  46,  47,  48,  62,
                                          65,  80,  86,  87,  90,  101, 107, 108, 114, 115, 123, 149,
                                          161, 166, 183, 190, 193, 211, 212, 217, 237, 245, 253};

constexpr const char* features_of_seeds =
    "amplitude=constant amplitude=constant-rate amplitude=polynomial amplitude=table attachment=false "
    "basis=craig-bampton bodies=1 bodies=2 bodies=3 body=flexible body=rigid body=sid "
    "history=constant-rate history=polynomial history=spin-up history=table "
    "criterion=acceleration "
    "criterion=centre-of-mass criterion=compliance criterion=displacement criterion=drive-torque "
    "criterion=integral-compliance criterion=kinetic-energy criterion=mass criterion=position "
    "criterion=reaction-force criterion=reaction-moment criterion=total-energy criterion=velocity "
    "criterion=von-mises damping=by-mode damping=modal designs=densities drive=in-degrees drive=rz "
    "drive=tz element=incompatible element=standard filter=density filter=none filter=sensitivity "
    "force=load force=spring force=torsion-spring frame=buckens frame=chord frame=chord-with-third-marker "
    "frame=tangent geometric-stiffening gravity=down gravity=oblique inertia=full joint=cylindrical "
    "joint=fixed joint=in-line joint=in-plane joint=lock-tx-ty joint=lock-tx-ty-tz-rx "
    "joint=lock-tx-ty-tz-rz joint=lock-ty-tz-rx-ry joint=prismatic joint=revolute joint=spherical "
    "joint=universal load=body load=inertial mechanism=chain mechanism=four-bar mechanism=free "
    "mechanism=slider-crank mesh=box mesh=rectangle method=continuous-adjoint method=direct "
    "method=discrete-adjoint method=none modes=list modes=normal modes=up_to path=augmented-sid "
    "projection=heaviside region=frozen region=solid region=void rho_inf=0.0 rho_inf=0.3 rho_inf=0.5 "
    "rho_inf=0.8 rho_inf=0.95 sid=hdf5 sid=text simp=given start=moving start=turning "
    "start=velocities-left-out state=given state=quasi-static state=static-equilibrium target=given "
    "target=rigid-twin terms=several time=final time=integral time=ks time=later time=mean time=p-norm "
    "variable=centre_of_mass variable=each-element variable=ground-marker variable=inertia "
    "variable=marker variable=mass variable=material.density variable=material.youngs_modulus "
    "variable=mesh.size variable=mesh.thickness variable=springs.damping variable=springs.free_length "
    "variable=springs.stiffness variable=torsion_springs.damping variable=torsion_springs.free_angle "
    "variable=torsion_springs.stiffness";

/// Mechanisms of rigid bodies in all formulations; 108 and 212 have rigid twins as targets, in 151 nothing can move.
const std::vector<std::uint64_t> seeds_of_rigid_bodies = {16,  17,  18,  19,  25,  28,  47,  72, 108,
                                                          126, 138, 146, 151, 174, 187, 212, 217};

constexpr const char* features_of_rigid_bodies =
    "control=motor control=thrust criterion=acceleration criterion=centre-of-mass criterion=drive-torque "
    "criterion=joint-angle criterion=joint-rate criterion=kinetic-energy criterion=mass criterion=position "
    "criterion=reaction-force criterion=reaction-moment criterion=total-energy criterion=velocity "
    "history=constant-rate history=polynomial history=spin-up history=table "
    "drive=in-degrees drive=rz drive=tz "
    "formulation=floating-frame formulation=hamiltonian formulation=joint-hamiltonian "
    "formulation=natural-coordinates formulation=semi-recursive integrator=dormand-prince "
    "integrator=generalized-alpha integrator=runge-kutta-4 integrator=trapezoidal "
    "integrator=variational-midpoint interpolation=clamped interpolation=constant interpolation=linear "
    "interpolation=natural interpolation=not-a-knot joint=cylindrical joint=fixed joint=in-line "
    "joint=in-plane joint=lock-tx-ty joint=lock-tx-ty-tz-rx joint=lock-tx-ty-tz-rz joint=lock-ty-tz-rx-ry "
    "joint=prismatic joint=revolute joint=spherical joint=universal mechanism=chain mechanism=four-bar "
    "mechanism=free mechanism=slider-crank mechanism=tree recursion=RTdyn0 recursion=RTdyn1 "
    "start=inconsistent start=moving state=quasi-static state=static-equilibrium target=given "
    "target=rigid-twin variable=drive.values variable=ground-marker variable=inertia "
    "variable=initial.angular_velocity variable=initial.position variable=initial.velocity variable=marker";

/// The same with more parts, and mechanisms with beams.
const std::vector<std::uint64_t> seeds_with_additions = {90012, 90020, 90023, 90025, 90027};
const std::vector<std::uint64_t> seeds_with_beams = {95004, 95007, 95029};

constexpr const char* features_of_additions =
    "amplitude=harmonic cases=two criterion=output formulation=floating-frame formulation=hamiltonian "
    "formulation=joint-hamiltonian formulation=natural-coordinates formulation=semi-recursive joint=damped "
    "joint=distance joint=planar time=instants";

constexpr const char* features_of_beams =
    "beam=cable beam=spatial control=thrust criterion=kinetic-energy criterion=position criterion=stress "
    "criterion=velocity force=spring formulation=floating-frame formulation=natural-coordinates "
    "integrator=generalized-alpha integrator=trapezoidal integrator=variational-midpoint joint=fixed "
    "joint=spherical section=circle section=rectangle section=square section=tube variable=point";

class RandomProblemOfSeed : public ::testing::TestWithParam<std::uint64_t> {};

void expect_no_difference(const RandomProblem& problem, std::uint64_t seed, std::size_t n_checks) {
  const TemporaryFolder folder;
  const std::vector<Finding> findings = examine(problem, seed, folder.path());
  for (const Finding& finding : findings) {
    EXPECT_NE(finding.verdict, Verdict::differs) << finding.check << ": " << finding.detail;
    EXPECT_NE(finding.verdict, Verdict::refused) << finding.check << ": " << finding.detail;
  }
  EXPECT_GE(findings.size(), n_checks);
  if (::testing::Test::HasFailure()) ADD_FAILURE() << to_toml(problem.input);
}

TEST_P(RandomProblemOfSeed, HasTheGradientOfItsDifferencesInWhateverAxesUnitsAndOrder) {
  expect_no_difference(random_problem(GetParam()), GetParam(), 8);
}

class RandomRigidBodiesOfSeed : public RandomProblemOfSeed {};

TEST_P(RandomRigidBodiesOfSeed, HaveThatInEveryFormulationAndOneMotionInAll) {
  expect_no_difference(random_rigid_problem(GetParam()), GetParam(), 8);
}

class RandomAdditionsOfSeed : public RandomProblemOfSeed {};

TEST_P(RandomAdditionsOfSeed, HaveThatBesideRodsCasesOutputsAndLoadsThatOscillate) {
  expect_no_difference(random_problem_with_additions(GetParam()), GetParam(), 8);
}

class RandomBeamsOfSeed : public RandomProblemOfSeed {};

TEST_P(RandomBeamsOfSeed, HaveThatInNaturalCoordinatesAndInFloatingFrames) {
  expect_no_difference(random_beam_problem(GetParam()), GetParam(), 8);
}

INSTANTIATE_TEST_SUITE_P(Fixed, RandomProblemOfSeed, ::testing::ValuesIn(seeds),
                         [](const auto& seed) { return std::to_string(seed.param); });

void expect_all(const char* expected, const std::set<std::string>& features) {
  std::istringstream words(expected);
  for (std::string word; words >> word;) EXPECT_TRUE(features.contains(word)) << word;
}

INSTANTIATE_TEST_SUITE_P(Fixed, RandomRigidBodiesOfSeed, ::testing::ValuesIn(seeds_of_rigid_bodies),
                         [](const auto& seed) { return std::to_string(seed.param); });

INSTANTIATE_TEST_SUITE_P(Fixed, RandomAdditionsOfSeed, ::testing::ValuesIn(seeds_with_additions),
                         [](const auto& seed) { return std::to_string(seed.param); });
INSTANTIATE_TEST_SUITE_P(Fixed, RandomBeamsOfSeed, ::testing::ValuesIn(seeds_with_beams),
                         [](const auto& seed) { return std::to_string(seed.param); });

std::set<std::string> features_of(RandomProblem (*make)(std::uint64_t),
                                  const std::vector<std::uint64_t>& of_seeds) {
  std::set<std::string> features;
  for (const std::uint64_t seed : of_seeds) features.merge(make(seed).features);
  return features;
}

TEST(RandomProblems, OfTheFixedSeedsHaveEveryFeature) {
  expect_all(features_of_seeds, features_of(random_problem, seeds));
  expect_all(features_of_rigid_bodies, features_of(random_rigid_problem, seeds_of_rigid_bodies));
  expect_all(features_of_additions, features_of(random_problem_with_additions, seeds_with_additions));
  expect_all(features_of_beams, features_of(random_beam_problem, seeds_with_beams));
}

/// The verdict of one check of a mechanism of rigid bodies, or of another kind.
Verdict verdict_on(std::uint64_t seed, const std::string& check,
                   RandomProblem (*make)(std::uint64_t) = random_rigid_problem) {
  const TemporaryFolder folder;
  for (const Finding& finding : examine(make(seed), seed, folder.path())) {
    if (finding.check == check) return finding.verdict;
  }
  return Verdict::refused;
}

// The first correction of a step's accelerations is one of angles, the second one of a displacement that in millimetres
// is a larger number than those were.
TEST(RandomProblems, MoveInMillimetresAsInMetres) {
  EXPECT_EQ(verdict_on(200851, "converted"), Verdict::agrees);
}

// Beside displacements in millimetres, turns that did not contract went unseen, and factors served that were of no use.
TEST(RandomProblems, ConvergeInMillimetresAsInMetres) {
  EXPECT_EQ(verdict_on(720193, "converted", random_problem), Verdict::agrees);
}

// Reactions ring by generalized-alpha with rho_inf = 0.95, not by the variational step.
TEST(RandomProblems, HaveOneReactionInEveryFormulation) {
  EXPECT_EQ(verdict_on(200081, "formulations"), Verdict::agrees);
}

// Generalized-alpha with rho_inf = 0.5 damps the vibration along a stiff cable, which h/16 does not resolve.
TEST(RandomProblems, HaveOneVibrationByEveryMethodOnceStepsResolveIt) {
  EXPECT_NE(verdict_on(500180, "formulations", random_beam_problem), Verdict::differs);
}

// Each choice of coordinates has its own error of a long step. Whether the trapezoidal rule chose anew was decided at a guess
// that a step reached or not by the unit of length (600002); of equal columns rounding chose one (600014).
TEST(RandomProblems, MoveByTheTrapezoidalRuleInMillimetresAsInMetres) {
  EXPECT_EQ(verdict_on(600002, "converted"), Verdict::agrees);
  EXPECT_EQ(verdict_on(600014, "converted", random_beam_problem), Verdict::agrees);
}

// Beside displacements in millimetres, corrections of directors went unseen, and a step took another solution.
TEST(RandomProblems, MoveByVariationalStepsInMillimetresAsInMetres) {
  EXPECT_EQ(verdict_on(500160, "converted", random_beam_problem), Verdict::agrees);
}

// The direction of a driven hinge has no mass, and an entry of its rows is zero but for rounding.
TEST(RandomProblems, MoveElsewhereAsTheyDoAtTheOrigin) {
  EXPECT_EQ(verdict_on(500183, "shifted"), Verdict::agrees);
}

// A rod to a body that is welded: which part of the reaction the weld has is chosen by the formulation.
TEST(RandomProblems, MayHaveReactionsThatAreNotUnique) {
  EXPECT_EQ(verdict_on(710039, "formulations", random_problem_with_additions), Verdict::cannot_tell);
}

// A chain in a plane falls out of it to either side until its forces balance.
TEST(RandomProblems, MayHaveAStartThatRoundingChooses) {
  EXPECT_EQ(verdict_on(730220, "turned"), Verdict::cannot_tell);
}

// Driven to a dead centre, where Newton's iteration fails; explicit steps go on without their rod.
TEST(RandomProblems, MayLock) {
  EXPECT_EQ(verdict_on(730065, "gradient", random_problem_with_additions), Verdict::cannot_tell);
}

TEST(RandomProblems, AreTheSameForTheSameSeed) {
  EXPECT_EQ(to_toml(random_problem(7).input), to_toml(random_problem(7).input));
  EXPECT_NE(to_toml(random_problem(7).input), to_toml(random_problem(8).input));
}

TEST(Random, GivesTheSameNumbersEverywhere) {
  // The 10000th number of the engine is in the standard; the mapping to numbers is exact arithmetic.
  Random random(std::mt19937_64::default_seed);
  for (int i = 1; i < 10000; ++i) random.uniform();
  EXPECT_EQ(random.uniform(), static_cast<double>(9981545732273789042ull >> 11) * 0x1.0p-53);
}

TEST(Differences, EstimateTheirOwnError) {
  const auto f = [](const VectorXd& x) -> std::optional<VectorXd> {
    return VectorXd(Eigen::Vector2d(std::exp(x[0]), std::abs(x[0] - 0.31)));
  };
  const DirectionalDerivative d =
      differentiate(f, VectorXd::Constant(1, 0.3), VectorXd::Ones(1), {0.05, 2.0, 4});
  EXPECT_LE(std::abs(d.value[0] - std::exp(0.3)), d.error[0] + 1e-12);
  EXPECT_LT(d.error[0], 1e-9);
  EXPECT_GT(d.error[1], 0.01) << "the kink at 0.31 is within the steps";
}

TEST(Judge, TellsAWrongDerivativeFromOneThatCannotBeJudged) {
  EXPECT_EQ(judge(1.0, 1.0 + 1e-8, 1e-9, 1.0, 0.0), Judgement::agrees);
  EXPECT_EQ(judge(1.01, 1.0, 1e-6, 1.0, 0.0), Judgement::differs);
  EXPECT_EQ(judge(1.01, 1.0, 1e-2, 1.0, 0.0), Judgement::cannot_tell);
  EXPECT_EQ(judge(1.0, 1.0, 1.0, 1.0, 0.0), Judgement::agrees);
  EXPECT_EQ(judge(std::nan(""), 1.0, 1e-6, 1.0, 0.0), Judgement::differs);
  EXPECT_EQ(judge(1e-12, 0.0, 0.0, 1e-12, 1e-11), Judgement::agrees) << "rounding errors of a zero";
}

/// A point of the ground, a direction, an attitude and a number with units.
Table small_input() {
  using Nature = Vector::Nature;
  Table root = {{"gravity", Vector{{0.0, -10.0, 0.0}, Nature::direction, length}}};
  Table& marker = sub_table(sub_table(sub_table(root, "ground"), "markers"), "a");
  marker = {{"position", Vector{{1.0, 0.0, 0.0}, Nature::point, length}},
            {"rotation", Vector{{0.0, 0.0, 0.5}, Nature::attitude}}};
  sub_table(sub_table(root, "joints"), "j") = {{"from", std::string("ground")}, {"to", std::string("b")}};
  sub_table(sub_table(root, "springs"), "s") = {
      {"from", std::string("ground.a")}, {"to", std::string("b.pin")}, {"stiffness", Scalar{3.0, stiffness}}};
  return root;
}

TEST(PlacedInput, TurnsPointsDirectionsAndAttitudesAndTheOriginThatJointsHold) {
  // A quarter turn about z, then a shift along it.
  Matrix3d A;
  A << 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0;
  Table placed_root = placed(small_input(), A, Vector3d(0.0, 0.0, 2.0));
  const auto vector_at = [](Table& table, const char* key) {
    return std::get<Vector>(find(table, key)->data).value;
  };
  Table& markers = sub_table(sub_table(placed_root, "ground"), "markers");
  constexpr double rounding = 1e-15;
  EXPECT_LT((vector_at(placed_root, "gravity") - Vector3d(10.0, 0.0, 0.0)).norm(), rounding);
  EXPECT_LT((vector_at(sub_table(markers, "a"), "position") - Vector3d(0.0, 1.0, 2.0)).norm(), rounding);
  EXPECT_LT(
      (vector_at(sub_table(markers, "a"), "rotation") - Vector3d(0.0, 0.0, 0.5 + EIGEN_PI / 2.0)).norm(),
      4.0 * rounding);
  EXPECT_LT((vector_at(sub_table(markers, "old_origin"), "position") - Vector3d(0.0, 0.0, 2.0)).norm(),
            rounding);
  const Value* from = find(sub_table(sub_table(placed_root, "joints"), "j"), "from");
  EXPECT_EQ(std::get<std::string>(from->data), "ground.old_origin");
}

TEST(ConvertedInput, HasItsNumbersInTheOtherUnits) {
  Table in_mm_and_t = converted(small_input(), {1e3, 1e-3});
  EXPECT_EQ(std::get<Vector>(find(in_mm_and_t, "gravity")->data).value[1], -1e4);
  const Table& spring = sub_table(sub_table(in_mm_and_t, "springs"), "s");
  EXPECT_DOUBLE_EQ(std::get<Scalar>(find(spring, "stiffness")->data).value, 3e-3);
}

TEST(ReorderedInput, HoldsTheSameLines) {
  Random random(5);
  const auto lines = [](const Table& table) {
    std::string text = to_toml(table);
    std::sort(text.begin(), text.end());
    return text;
  };
  const Table input = random_problem(4).input, other = reordered(input, random);
  EXPECT_NE(to_toml(input), to_toml(other));
  EXPECT_EQ(lines(input), lines(other));
}

TEST(InputText, KeepsNumbersBitForBit) {
  const std::string text = to_toml({{"a", Scalar{0.1 + 0.2}}, {"b", Scalar{5.0}}, {"c", Scalar{1e-300}}});
  EXPECT_EQ(text, "a = 0.30000000000000004\nb = 5.0\nc = 1e-300\n");
}

}  // namespace
}  // namespace kurbel::random_problems
