/// Mechanisms with published or closed solutions, and with published sensitivities.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "sid_text/sid_text.hpp"
#include "slider_cranks.hpp"
#include "squeezer.hpp"
#include "study/study.hpp"
#include "swinging.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

Study study_of(const std::string& text) {
  return Study(read_problem(TomlDocument::parse(text, "mechanism.toml", ".", {})));
}

/// Values at the end: of [outputs.*], and "elastic_coordinate" of all bodies.
std::map<std::string, VectorXd> ends(const std::string& text) {
  Study study = study_of(text);
  ChainResult result;
  const Status status = study.simulate(study.start(), result);
  if (status.failed()) throw std::runtime_error(status.message());
  std::map<std::string, VectorXd> found;
  for (const OutputHistory& history : result.motion->outputs(result.trajectory))
    found[history.name] = history.values.rightCols(1);
  for (const HistoryPanel& panel : result.motion->histories(result.trajectory))
    found[panel.name] = panel.values.rightCols(1);
  return found;
}

/// The difference of an output of the squeezer from the test set's angle. Outputs are between -pi and pi.
double error_of(const std::map<std::string, VectorXd>& found, const test::SqueezerAngle& angle) {
  return std::remainder(found.at(angle.name)[0] - angle.end, 2.0 * EIGEN_PI);
}

TEST(Squeezer, EndsWithTheAnglesOfTheTestSet) {
  const auto found =
      ends(test::squeezer_text("joint-hamiltonian", "method = \"runge-kutta-4\"\nstep = 1e-5"));
  for (const test::SqueezerAngle& angle : test::squeezer_angles)
    EXPECT_NEAR(error_of(found, angle), 0.0, 1e-8) << angle.name;
}

/// The errors of the trapezoidal rule fall with the square of the step, and so may be extrapolated.
TEST(Squeezer, EndsThereByTheTrapezoidalRule) {
  const auto at = [](const char* step) {
    return ends(
        test::squeezer_text("semi-recursive", fmt::format("method = \"trapezoidal\"\nstep = {}", step)));
  };
  const auto coarse = at("2e-5"), fine = at("1e-5");
  for (const test::SqueezerAngle& angle : test::squeezer_angles) {
    EXPECT_NEAR(error_of(fine, angle), 0.0, 2e-4) << angle.name;
    EXPECT_NEAR((4.0 * error_of(fine, angle) - error_of(coarse, angle)) / 3.0, 0.0, 1e-6) << angle.name;
  }
}

/// The published numbers were integrated to 1e-5 to 1e-6; those with more digits are of the same equation in one coordinate,
/// integrated by another program to 1e-12.
TEST(SprungSliderCrank, HasThePublishedFunctionAndSensitivities) {
  Study study = study_of(test::sprung_slider_crank);
  Evaluation found;
  const Status status = study.evaluate(study.start(), found);
  ASSERT_FALSE(status.failed()) << status.message();
  EXPECT_NEAR(found.objective, 3.33661556, 1e-5);
  EXPECT_NEAR(found.objective, 3.3366067994835, 1e-9);
  // The range of both variables is 1, and so is their scale.
  EXPECT_NEAR(found.gradient[0], 0.33346, 1.5e-5);
  EXPECT_NEAR(found.gradient[0], 0.33344814592, 1e-6);
  EXPECT_NEAR(found.gradient[1], -0.36375, 1e-5);
  EXPECT_NEAR(found.gradient[1], -0.36375404671, 1e-6);
}

TEST(ElasticSliderCrank, EndsAsInTheTestSetFromItsStandardInputData) {
  const TemporaryFolder folder;
  const std::string file = (folder / "rod.sid").string();
  write_sid_text_file(file, test::elastic_rod());
  const auto found = ends(test::elastic_slider_crank(file, 20000));
  EXPECT_NEAR(found.at("turned")[0], -0.3311734988256260, 1e-8);
  EXPECT_NEAR(found.at("slider")[0], 0.1697373328427860, 1e-8);
  EXPECT_NEAR(found.at("elastic_coordinate")[0], 0.1893192899613509e-3, 2e-8);
  EXPECT_NEAR(found.at("elastic_coordinate")[1], 0.2375751249879174e-4, 2e-8);
}

/// The assembly passes places at which all its links lie on one line and it is free to move in other ways, too.
TEST(FourBars, PassTheirSingularPlaces) {
  const double angle = test::FourBars::angle(10.0);
  for (const auto& [formulation, method, step, tolerance] : test::FourBars::ways) {
    const auto found = ends(test::two_four_bars(formulation, method, step));
    EXPECT_NEAR(found.at("B0")[0], std::sin(angle), tolerance) << formulation;
    EXPECT_NEAR(found.at("B0")[1], std::cos(angle), tolerance) << formulation;
  }
}

TEST(HeavyTop, NutatesByEllipticFunctions) {
  const auto found = ends(test::heavy_top);
  EXPECT_NEAR(found.at("centre")[0], test::HeavyTop().height(1.0), 2e-8);
}

}  // namespace
}  // namespace kurbel
