/// Mechanisms with published or closed solutions, and with published sensitivities.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "sid_text/sid_text.hpp"
#include "slider_cranks.hpp"
#include "spatial_linkages.hpp"
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

TEST(SimplePendulum, SwingsByEllipticFunctions) {
  for (const auto& [formulation, method, step, tolerance] :
       {test::FourBars::Way{"joint-hamiltonian", "runge-kutta-4", 1e-2, 1e-6},
        {"semi-recursive", "trapezoidal", 1e-3, 1e-4},
        {"floating-frame", "generalized-alpha", 1e-3, 1e-4},
        {"natural-coordinates", "variational-midpoint", 1e-3, 1e-4}}) {
    const auto found = ends(test::simple_pendulum(formulation, method, step));
    for (const Eigen::Index i : {0, 1})
      EXPECT_NEAR(found.at("mass")[i], test::simple_pendulum_end[static_cast<std::size_t>(i)], tolerance)
          << formulation;
  }
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

struct Way {
  const char *formulation, *integrator;
  double tolerance;
};

/// @param integrator  all but the end
std::map<std::string, VectorXd> governor_at(double t1, const char* formulation, const char* integrator) {
  return ends(test::governor_text(formulation, fmt::format("t1 = {}\n{}", t1, integrator)));
}

// Its dampers are so strong that explicit steps of more than 0.2 ms diverge.
TEST(Governor, HangsItsSliderAsTheEquationsInTwoCoordinatesSay) {
  const test::Governor& at = test::governor[0];
  for (const auto& [formulation, integrator, tolerance] :
       {Way{"joint-hamiltonian", "method = \"runge-kutta-4\"\nstep = 2e-4", 1e-10},
        Way{"semi-recursive", "method = \"trapezoidal\"\nstep = 1e-3", 5e-6},
        Way{"floating-frame", "method = \"generalized-alpha\"\nstep = 1e-3", 5e-6},
        Way{"natural-coordinates", "method = \"variational-midpoint\"\nstep = 1e-3", 5e-6}}) {
    const auto found = governor_at(at.t, formulation, integrator);
    EXPECT_NEAR(found.at("s")[0], at.s, tolerance) << formulation;
    EXPECT_NEAR(found.at("w")[0], at.w, tolerance) << formulation;
  }
}

TEST(Governor, DoesSoOverTheTenSecondsOfTheLibrary) {
  const test::Governor& at = test::governor[1];
  const auto coarse = governor_at(at.t, "semi-recursive", "method = \"trapezoidal\"\nstep = 4e-3"),
             fine = governor_at(at.t, "semi-recursive", "method = \"trapezoidal\"\nstep = 2e-3");
  const auto extrapolated = [&](const char* output) {
    return (4.0 * fine.at(output)[0] - coarse.at(output)[0]) / 3.0;
  };
  EXPECT_NEAR(fine.at("s")[0], at.s, 1.5e-4);
  EXPECT_NEAR(extrapolated("s"), at.s, 1e-7);
  EXPECT_NEAR(extrapolated("w"), at.w, 2e-6);
}

// One of its locked degrees of freedom is redundant.
TEST(Bricard, MovesAsItsClosureSays) {
  const char* explicit_steps = "method = \"runge-kutta-4\"\nstep = 0.01";
  for (const test::Bricard& at : test::bricard) {
    std::vector<Way> ways = {{"joint-hamiltonian", explicit_steps, 2e-7}};
    if (at.t < 5.0) {
      ways.push_back({"semi-recursive", "method = \"trapezoidal\"\nstep = 0.005", 1e-5});
      ways.push_back({"floating-frame", "method = \"generalized-alpha\"\nstep = 0.005", 5e-5});
      ways.push_back({"natural-coordinates", "method = \"variational-midpoint\"\nstep = 0.005", 5e-5});
    }
    for (const auto& [formulation, integrator, tolerance] : ways) {
      const auto found = ends(test::bricard_text(formulation, fmt::format("t1 = {}\n{}", at.t, integrator)));
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_NEAR(found.at("P3")[static_cast<Eigen::Index>(i)], at.P3[i], tolerance)
            << formulation << ", " << at.t << " s";
    }
  }
}

// The solutions that the library has differ among each other: M. Gonzalez' is the closest to energy's quadrature.
TEST(SpatialSliderCrank, SlidesAsInTheLibraryAndAsEnergySays) {
  for (const test::SpatialSliderCrank& at : test::spatial_slider_crank) {
    std::vector<Way> ways = {{"joint-hamiltonian", "method = \"runge-kutta-4\"\nstep = 5e-4", 3e-8}};
    if (at.t < 1.0) {
      ways.push_back({"floating-frame", "method = \"generalized-alpha\"\nstep = 1e-3", 5e-7});
      ways.push_back({"semi-recursive", "method = \"trapezoidal\"\nstep = 2.5e-4", 5e-8});
      ways.push_back({"natural-coordinates", "method = \"variational-midpoint\"\nstep = 1e-3", 5e-7});
    }
    for (const auto& [formulation, integrator, tolerance] : ways) {
      const auto found =
          ends(test::spatial_slider_crank_text(formulation, fmt::format("t1 = {}\n{}", at.t, integrator)));
      EXPECT_NEAR(found.at("x")[0], at.x, tolerance) << formulation << ", " << at.t << " s";
      EXPECT_NEAR(found.at("x")[0], at.published, 5e-5) << formulation << ", " << at.t << " s";
    }
  }
}

}  // namespace
}  // namespace kurbel
