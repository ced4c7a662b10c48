/// The square plate clamped at one edge: A. W. Leissa, The free vibration of rectangular plates, Journal of Sound and Vibration
/// 31 (1973); M. V. Barton, Journal of Applied Mechanics 18 (1951), as benchmark SDLS01 of Code_Aster has it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "study/study.hpp"

namespace kurbel {
namespace {

constexpr double E = 2e11, nu = 0.3, density = 7800.0, thickness = 0.01;

/// omega a^2 sqrt(rho h / D) with nu = 0.3, D = E h^3 / (12 (1 - nu^2)).
struct PlateMode {
  /// Found by Ritz's method with few functions, so that it is an upper bound.
  double published;
  /// Found by Ritz's method with x^2 P_i(2 x - 1) P_j(2 y - 1), i and j below 16, of another program; with 14 in place of 16 they
  /// are at most 2e-5 higher.
  double converged;
};
constexpr std::array<PlateMode, 6> modes = {
    {{3.492, 3.4710}, {8.525, 8.5065}, {21.43, 21.285}, {27.33, 27.199}, {31.11, 30.956}, {54.44, 54.186}}};

// Of 1 m and 10 mm: shear and rotary inertia, which the theory of thin plates leaves out, lower the frequencies by 0.02 to 0.2 %
// there. Elements of 31 mm raise them by as much and more.
TEST(SquarePlate, HasThePublishedFrequenciesOfACantilever) {
  Study study = Study(read_problem(TomlDocument::parse(fmt::format(R"(analysis = "eigenfrequency"
[bodies.plate]
type = "flexible"
supports.edge = {{ x = 0.0, fixed = ["x", "y", "z"] }}
material = {{ youngs_modulus = {}, poisson_ratio = {}, density = {} }}
[bodies.plate.mesh]
shape = "box"
origin = [0.0, 0.0, 0.0]
size = [1.0, 1.0, {}]
divisions = [32, 32, 1]
element = "incompatible"
[design]
start = 1.0
[objective]
type = "frequency"
body = "plate"
modes = [1, 6]
aggregate = "sum"
)",
                                                                   E, nu, density, thickness),
                                                       "plate.toml", ".", {})));
  ChainResult result;
  const Status status = study.simulate(study.start(), result);
  ASSERT_FALSE(status.failed()) << status.message();
  const MotionSummary summary = result.answer->summarize();
  const double scale =
      2.0 * EIGEN_PI / std::sqrt(E * thickness * thickness / (12.0 * (1.0 - nu * nu) * density));
  for (std::size_t i = 0; i < modes.size(); ++i) {
    const double found = scale * summary.numbers.at(i).second;
    EXPECT_NEAR(found, modes[i].converged, 3e-3 * modes[i].converged) << i;
    EXPECT_NEAR(found, modes[i].published, 7e-3 * modes[i].published) << i;
  }
}

}  // namespace
}  // namespace kurbel
