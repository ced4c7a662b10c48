/// Bodies in free vibration: closed forms, frequencies that coincide, and gradients by differences.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/over_modes.hpp"
#include "beam_text.hpp"
#include "fem/simp.hpp"

namespace kurbel {
namespace {

using test::answer;
using test::beam_text;
using test::study_of;

/// @param modes  "2" or "[1, 3]"
std::string frequency(const std::string& modes, const std::string& more = "") {
  return fmt::format("[objective]\ntype = \"frequency\"\nbody = \"beam\"\nmodes = {}\n{}", modes, more);
}

std::string ks(double exponent) {
  return fmt::format("aggregate = \"ks\"\nexponent = {}\n", exponent);
}

/// Hz, ascending.
VectorXd frequencies(Study& study, const VectorXd& x) {
  const auto numbers = answer(study, x).answer->summarize().numbers;
  VectorXd f(std::ssize(numbers));
  for (std::size_t k = 0; k < numbers.size(); ++k) f[static_cast<Eigen::Index>(k)] = numbers[k].second;
  return f;
}

/// Held across, so that it vibrates along x alone: the k-th mode has 2 k - 1 quarters of a wave.
std::string bar(const std::string& objective) {
  return beam_text("eigenfrequency",
                   objective + "[bodies.beam.supports.floor]\nx = [0.0, 4.0]\nfixed = [\"y\"]\n");
}

/// Linear elements of length h with a consistent mass: omega^2 = 6 E (1 - cos kh) / (rho h^2 (2 + cos kh)).
double of_bar(int mode, int n_elements) {
  const double h = 4.0 / n_elements, c = std::cos((2 * mode - 1) * EIGEN_PI / 8.0 * h);
  return std::sqrt(6.0 * 200.0 / 3.0 * (1.0 - c) / (h * h * (2.0 + c))) / (2.0 * EIGEN_PI);
}

TEST(EigenfrequencyQuestion, HasTheFrequenciesOfABar) {
  const double exact = std::sqrt(200.0 / 3.0) / (4.0 * 4.0);  // sqrt(E / rho) / (4 L)
  EXPECT_NEAR(of_bar(1, 64), exact, 1e-4 * exact);
  Study study = study_of(bar(frequency("1")), {"bodies.beam.mesh.divisions=[64, 1]"});
  const VectorXd f = frequencies(study, study.start());
  for (int mode = 1; mode <= 3; ++mode) EXPECT_NEAR(f[mode - 1], of_bar(mode, 64), 1e-9 * f[mode - 1]);
}

TEST(EigenfrequencyQuestion, MakesSumsAndSmoothExtremesOfFrequencies) {
  const double f1 = of_bar(1, 8), f2 = of_bar(2, 8), f3 = of_bar(3, 8);
  const auto psi = [](const std::string& objective) {
    Study study = study_of(bar(objective));
    const ChainResult at = answer(study, study.start());
    return at.values.front();
  };
  EXPECT_NEAR(psi(frequency("2")).value, f2, 1e-9 * f2);
  EXPECT_NEAR(psi(frequency("[2, 3]", "weight = -2.0\n")).value, -2.0 * (f2 + f3), 1e-9 * f3);
  const double k = -1.5,
               smooth = std::log((std::exp(k * f1) + std::exp(k * f2) + std::exp(k * f3)) / 3.0) / k;
  const CriterionValues least = psi(frequency("[1, 3]", ks(k)));
  EXPECT_NEAR(least.value, smooth, 1e-9 * smooth);
  EXPECT_NEAR(least.low, f1, 1e-9 * f1);
  EXPECT_NEAR(psi(frequency("[1, 3]", ks(200.0))).value, f3 - std::log(3.0) / 200.0, 1e-9 * f3);
  EXPECT_NEAR(psi(frequency("[1, 3]", ks(200.0))).high, f3, 1e-9 * f3);
}

/// A beam of 4 m and 0.1 m in bending.
std::string slender(const std::string& supports) {
  return R"(analysis = "eigenfrequency"
[bodies.beam]
type = "flexible"
[bodies.beam.mesh]
shape = "rectangle"
origin = [0.0, 0.0]
size = [4.0, 0.1]
divisions = [80, 2]
element = "incompatible"
thickness = 0.1
[bodies.beam.material]
youngs_modulus = 200.0
poisson_ratio = 0.0
density = 3.0
)" + supports;
}

/// f = (beta L)^2 / (2 pi L^2) sqrt(E I / (rho A)); shear and rotary inertia, which it leaves out, lower the first one
/// by 0.2 % at most and the second one by 0.6 %.
void expect_bending(const std::string& supports, double first, double second) {
  Study study = study_of(slender(supports));
  const VectorXd f = frequencies(study, study.start());
  const auto exact = [](double beta_L) {
    return beta_L * beta_L / (2.0 * EIGEN_PI * 16.0) * std::sqrt(200.0 * 0.01 / 12.0 / 3.0);
  };
  EXPECT_NEAR(f[0], exact(first), 0.003 * exact(first));
  EXPECT_NEAR(f[1], exact(second), 0.008 * exact(second));
}

const std::string left = "[bodies.beam.supports.left]\nx = 0.0\nfixed = [\"x\", \"y\"]\n",
                  right = "[bodies.beam.supports.right]\nx = 4.0\nfixed = [\"x\", \"y\"]\n",
                  pin = "[bodies.beam.supports.pin]\nx = 0.0\ny = 0.05\nfixed = [\"x\", \"y\"]\n",
                  roller = "[bodies.beam.supports.roller]\nx = 4.0\ny = 0.05\nfixed = [\"y\"]\n";

TEST(EigenfrequencyQuestion, HasTheFrequenciesOfBeams) {
  expect_bending(left, 1.8751041, 4.6940911);
  expect_bending(pin + roller, EIGEN_PI, 2.0 * EIGEN_PI);
  expect_bending(left + right, 4.7300407, 7.8532046);
  expect_bending(left + roller, 3.9266023, 7.0685827);
}

TEST(EigenfrequencyQuestion, GivesModesOfUnitModalMassThatAreOrthogonal) {
  Study study = study_of(slender(pin + roller));
  const ChainResult at = answer(study, study.start());
  const std::vector<NodalField> fields = at.answer->fields(0);
  ASSERT_GE(fields.size(), 2U);
  EXPECT_EQ(fields[1].name, "mode_2");
  const fem::Mesh& mesh = study.chain().body(0)->mesh();
  // The second mode is a sine of one wave of amplitude sqrt(2 / m).
  const double amplitude = std::sqrt(2.0 / (3.0 * 4.0 * 0.1 * 0.1));
  double sign = 0.0;
  for (Eigen::Index node = 0; node < mesh.n_nodes(); ++node) {
    const double sine = amplitude * std::sin(2.0 * EIGEN_PI * mesh.positions()(0, node) / 4.0);
    if (sign == 0.0 && std::abs(sine) > 0.5 * amplitude) sign = fields[1].values(1, node) > 0.0 ? 1.0 : -1.0;
    if (sign != 0.0) {
      EXPECT_NEAR(sign * fields[1].values(1, node), sine, 0.01 * amplitude);
    }
  }
  EXPECT_NE(sign, 0.0);
}

/// Every function of frequencies, as objective or constraint.
std::string every_function() {
  return beam_text("eigenfrequency", frequency("[1, 3]", ks(-0.8)) + R"(
[constraints.criteria.second]
type = "frequency"
body = "beam"
modes = 2
lower = 0.1
[constraints.criteria.sum]
terms = [
  {type = "frequency", body = "beam", modes = [1, 2]},
  {type = "mass", body = "beam", weight = 0.1}]
lower = 0.1
[constraints.criteria.gap]
terms = [
  {type = "frequency", body = "beam", modes = [3, 5], aggregate = "ks", exponent = -2.0},
  {type = "frequency", body = "beam", modes = [1, 2], aggregate = "ks", exponent = 2.0, weight = -1.0}]
lower = 0.1
scaling = "none"
)");
}

TEST(EigenfrequencyQuestion, HasTheGradientsOfDifferences) {
  const std::vector<std::vector<std::string>> laws = {
      {},
      {"bodies.beam.simp.light_mass=smooth"},
      {"bodies.beam.simp.stiffness=modified", "bodies.beam.simp.void_stiffness=1e-3"},
      {"bodies.beam.simp.stiffness=ramp", "bodies.beam.simp.s=5", "bodies.beam.simp.light_mass=smooth"}};
  for (std::size_t i = 0; i < laws.size(); ++i) {
    Study study = study_of(every_function(), laws[i]);
    const VectorXd x = test::random_design(study.n_variables(), static_cast<unsigned>(i));
    EXPECT_LT(test::gradient_error(study, x, static_cast<unsigned>(i)), 1e-6) << "law " << i;
  }
}

TEST(EigenfrequencyQuestion, HasTheGradientsOfTheSurface) {
  Study study = study_of(every_function() + test::surface, {test::mesh_of_a_file()});
  const VectorXd x = test::random_offsets(study.n_variables(), 3);
  EXPECT_LT(test::gradient_error(study, x, 3), 1e-6);
}

TEST(EigenfrequencyQuestion, HasTheGradientsOfThicknessesAndModuli) {
  Study study = study_of(every_function() + test::thickness_and_modulus + R"([variables.solid]
quantity = "bodies.beam.material.density"
lower = 1.0
upper = 5.0
)" + test::with_densities);
  const VectorXd x = test::random_design(study.n_variables(), 7);
  EXPECT_LT(test::gradient_error(study, x, 7), 1e-6);
}

/// A square that is held in its middle: its two swinging modes are the same one, turned by a right angle.
std::string square(const std::string& functions) {
  return R"(analysis = "eigenfrequency"
[bodies.beam]
type = "flexible"
[bodies.beam.mesh]
shape = "rectangle"
origin = [-0.5, -0.5]
size = [1.0, 1.0]
divisions = [6, 6]
thickness = 0.5
[bodies.beam.material]
youngs_modulus = 200.0
poisson_ratio = 0.3
density = 3.0
[bodies.beam.clamp]
x = [-0.2, 0.2]
y = [-0.2, 0.2]
)" + functions;
}

/// The first of two frequencies that coincide, counted from 1.
int first_of_pair(const VectorXd& x) {
  Study study = study_of(square(frequency("1")));
  const VectorXd f = frequencies(study, x);
  for (int k = 1; k < f.size(); ++k) {
    if (std::abs(f[k] / f[k - 1] - 1.0) < 1e-9) return k;
  }
  throw std::runtime_error("no two frequencies of a square coincide");
}

class RepeatedFrequencies : public testing::Test {
 protected:
  std::string both() const { return fmt::format("[{}, {}]", first, first + 1); }
  /// The failure of gradients of the square of uniform density.
  std::string failure_of(const std::string& functions) const {
    Study study = study_of(square(functions));
    Evaluation out;
    const Status status = study.evaluate(x, out);
    return status.failed() ? status.message() : "";
  }

  VectorXd x = VectorXd::Constant(36, 0.7);
  int first = first_of_pair(x);
};

TEST_F(RepeatedFrequencies, AreDifferentiatedWhereTheyCountEqually) {
  const std::string one = fmt::format("{{type = \"frequency\", body = \"beam\", modes = {}}}", first),
                    other = fmt::format("{{type = \"frequency\", body = \"beam\", modes = {}}}", first + 1);
  Study study =
      study_of(square(frequency(both(), ks(-0.5)) +
                      fmt::format("[constraints.criteria.sum]\nterms = [{}, {}]\nlower = 0.1\n"
                                  "[constraints.criteria.all]\ntype = \"frequency\"\nbody = \"beam\"\n"
                                  "modes = [1, {}]\nlower = 0.1\n",
                                  one, other, first + 1)));
  EXPECT_LT(test::gradient_error(study, x, 4), 1e-6);
}

TEST_F(RepeatedFrequencies, AreRefusedToBeDifferentiatedWhereTheyDoNot) {
  const std::string coincide = fmt::format("frequencies {} and {} coincide", first, first + 1);
  EXPECT_NE(failure_of(frequency(std::to_string(first))).find(coincide), std::string::npos);
  EXPECT_NE(failure_of(frequency(std::to_string(first + 1), "weight = -1.0\n")).find(coincide),
            std::string::npos);
  EXPECT_NE(failure_of(frequency(fmt::format("[{}, {}]", first + 1, first + 3), ks(-0.5))).find(coincide),
            std::string::npos);
  EXPECT_EQ(failure_of(frequency(both())), "");
}

TEST_F(RepeatedFrequencies, MayCoincideWhereTheirShareIsNothing) {
  ASSERT_GT(first, 1) << "no frequency is below the two that coincide";
  // exp(k (f - f_1)) is below rounding.
  EXPECT_EQ(failure_of(frequency(fmt::format("[1, {}]", first), ks(-100.0))), "");
}

/// A rod of square section, which bends alike in two planes, large enough for an iteration of its own.
std::string square_rod(const std::string& functions) {
  return R"(analysis = "eigenfrequency"
[bodies.beam]
type = "flexible"
[bodies.beam.mesh]
shape = "box"
origin = [0.0, -0.5, -0.5]
size = [4.0, 1.0, 1.0]
divisions = [8, 4, 4]
[bodies.beam.material]
youngs_modulus = 200.0
poisson_ratio = 0.3
density = 3.0
[bodies.beam.clamp]
x = 0.0
)" + functions;
}

/// Modes coincide with the next one that counts, with one that does not, and with the one above all that were found.
TEST(KinkOverModes, IsWhereModesCoincideThatCountDifferently) {
  const VectorXd f = Eigen::Vector3d(10.0, 20.0, 30.0), twice = Eigen::Vector3d(10.0, 10.0, 30.0);
  const VectorXd all = VectorXd::Ones(3), first = Eigen::Vector3d(1.0, 0.0, 0.0);
  constexpr double closed = 1e-6;
  EXPECT_FALSE(kink_over_modes({f, 40.0, closed}, all, 0.0));
  EXPECT_FALSE(kink_over_modes({twice, 40.0, closed}, all, 0.0));
  EXPECT_EQ(kink_over_modes({twice, 40.0, closed}, first, 0.0), 0);
  EXPECT_EQ(kink_over_modes({f, 30.0 * (1.0 + 0.5 * closed), closed}, all, 0.0), 2);
  EXPECT_FALSE(kink_over_modes({f, 30.0 * (1.0 + 2.0 * closed), closed}, all, 0.0));
  EXPECT_FALSE(kink_over_modes({f, 30.0, closed}, first, 0.0)) << "neither of the two counts";
}

TEST(EigenfrequencyQuestion, FindsBothOfTwoEqualFrequenciesInSpace) {
  for (const char* solver : {"direct", "multigrid"}) {
    Study study =
        study_of(square_rod(frequency("[1, 2]", ks(-0.5))), {std::string("bodies.beam.solver=") + solver});
    const VectorXd uniform = VectorXd::Constant(study.n_variables(), 0.6);
    const VectorXd f = frequencies(study, uniform);
    EXPECT_NEAR(f[1], f[0], 1e-8 * f[0]) << solver;
    EXPECT_GT(f[2], 1.5 * f[1]) << solver;
    EXPECT_LT(test::gradient_error(study, uniform, 6), 1e-5) << solver;
  }
}

TEST(EigenfrequencyQuestion, SumsFrequenciesOfSeveralBodies) {
  std::string bodies = square("");
  std::string second = bodies.substr(bodies.find("[bodies.beam]"));
  for (std::size_t at; (at = second.find("bodies.beam")) != std::string::npos;)
    second.replace(at, 11, "bodies.plate");
  second.replace(second.find("divisions = [6, 6]"), 18, "divisions = [6, 5]");
  second.replace(second.find("x = [-0.2, 0.2]"), 15, "x = [-0.5, -0.2]");
  Study study = study_of(bodies + second + R"([objective]
type = "frequency"
body = "plate"
weight = -2.0
[constraints.criteria.both]
terms = [
  {type = "frequency", body = "plate", modes = 3},
  {type = "frequency", body = "beam", modes = [1, 3]},
  {type = "mass", body = "plate"}]
lower = 1.0
)");
  const VectorXd x = test::random_design(study.n_variables(), 2);
  EXPECT_LT(test::gradient_error(study, x, 3), 1e-6);
}

TEST(EigenfrequencyQuestion, RaisesTheLowestFrequency) {
  Study study = study_of(slender(left) + frequency("[1, 2]", ks(-200.0) + "weight = -1.0\n") +
                         "[constraints]\nvolume_fraction = 0.5\n[optimizer]\nmethod = \"mma\"\n"
                         "[optimizer.stop]\niterations = 30\n[bodies.beam.simp]\nlight_mass = \"smooth\"\n");
  StudyEvents silent;
  const StudyResult result = study.optimize(silent);
  Evaluation start;
  test::require(study.evaluate(study.start(), start));
  EXPECT_TRUE(result.optimum.feasible);
  EXPECT_LT(result.optimum.evaluation.objective, 1.2 * start.objective);  // both negative
}

/// The lightest beam whose lowest frequency is no less than that of the uniform start; its solid tip has to be carried.
TEST(EigenfrequencyQuestion, BoundsTheLowestFrequencyItselfByASmoothMinimum) {
  const std::string beam = slender(left) + R"([bodies.beam.regions.tip]
kind = "solid"
x = [3.8, 4.0]
[bodies.beam.simp]
light_mass = "smooth"
[optimizer]
method = "mma"
[optimizer.stop]
iterations = 60
[design]
start = 0.5
)";
  Study start = study_of(beam);
  const double lower = frequencies(start, start.start())[0];
  const double k = -1.0 / lower;  // far from sharp
  Study study = study_of(beam + "[objective]\ntype = \"mass\"\nbody = \"beam\"\n" +
                         fmt::format("[constraints.criteria.first]\ntype = \"frequency\"\nbody = \"beam\"\n"
                                     "modes = [1, 3]\n{}lower = {}\n",
                                     ks(k), lower));
  StudyEvents silent;
  const StudyResult result = study.optimize(silent);
  ASSERT_TRUE(result.optimum.feasible);
  const CriterionValues first = values_of_diagnostics(result.optimum.evaluation.diagnostics).at(1);
  EXPECT_GT(first.low, 0.999 * lower);
  EXPECT_GT(first.value, 1.2 * lower);  // the smooth minimum is no bound by itself
  EXPECT_LT(result.optimum.evaluation.objective, 0.5 * 3.0 * 4.0 * 0.01);
}

TEST(LightMass, IsThatOfDuAndOlhoffAndMeetsTheThresholdWithoutAKink) {
  fem::Simp simp;
  simp.light_mass = fem::Simp::LightMass::smooth;
  for (const double p : {0.01, 0.05, 0.099})
    EXPECT_NEAR(mass_factor(simp, p).value, 6e5 * std::pow(p, 6) - 5e6 * std::pow(p, 7), 1e-15);
  EXPECT_NEAR(mass_factor(simp, 0.1 - 1e-9).derivative, 1.0, 1e-6);
  EXPECT_NEAR(mass_factor(simp, 0.1 - 1e-12).value, 0.1, 1e-11);
}

}  // namespace
}  // namespace kurbel
