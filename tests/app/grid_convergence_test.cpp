/// Estimates of errors from values on finer and finer discretizations.
#include "study/grid_convergence.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/files.hpp"
#include "evaluation/flexible_bodies.hpp"
#include "study/refinement.hpp"
#include "study/study.hpp"
#include "tests/shipped_inputs.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

VectorXd power_law(const VectorXd& h, double limit, double factor, double p) {
  return (limit + factor * h.array().pow(p)).matrix();
}

TEST(GridConvergence, FindsOrderAndLimitOfAPowerLaw) {
  for (const Vector3d& h :
       {Vector3d(1.0, 0.5, 0.25), Vector3d(1.0, 0.5, 1.0 / 3.0), Vector3d(1.0, 0.7, 0.5)}) {
    for (const double p : {0.5, 1.0, 2.0, 3.5}) {
      const ConvergenceEstimate found = estimate_convergence(h, power_law(h, 3.0, -0.2, p), 4.0);
      EXPECT_EQ(found.trend, Trend::monotone);
      EXPECT_NEAR(found.order.value(), p, 1e-6);  // of differences that round at 1e-14
      EXPECT_NEAR(found.limit, 3.0, 1e-9);
      EXPECT_NEAR(found.error, 0.2, 1e-9);
    }
  }
}

TEST(GridConvergence, DoesNotTrustAnOrderAboveTheBest) {
  const Vector3d h(1.0, 0.5, 0.25);
  const VectorXd f = power_law(h, 1.0, 0.1, 5.0);
  const ConvergenceEstimate found = estimate_convergence(h, f, 2.0);
  EXPECT_NEAR(found.order.value(), 5.0, 1e-6);
  EXPECT_NEAR(found.limit, f[2] + (f[2] - f[1]) / 3.0, 1e-14);  // by order 2
  EXPECT_EQ(estimate_convergence(h.head<2>(), f.head<2>(), 2.0).limit, f[1] + (f[1] - f[0]) / 3.0);
}

TEST(GridConvergence, SaysWhereThereIsNone) {
  const Vector3d h(1.0, 0.5, 0.25);
  const ConvergenceEstimate to_and_fro = estimate_convergence(h, Vector3d(1.0, 1.3, 1.2), 2.0);
  EXPECT_EQ(to_and_fro.trend, Trend::not_monotone);
  EXPECT_NEAR(to_and_fro.error, 0.3, 1e-15);
  EXPECT_FALSE(to_and_fro.order);
  const ConvergenceEstimate singular = estimate_convergence(h, power_law(h, 0.0, 1.0, -0.46), 2.0);
  EXPECT_EQ(singular.trend, Trend::not_settling);
  EXPECT_EQ(digits_within(1.0, singular.error), 0);
  const ConvergenceEstimate logarithm = estimate_convergence(h, Vector3d(1.0, 2.0, 3.0), 2.0);
  EXPECT_EQ(logarithm.trend, Trend::not_settling);
  EXPECT_EQ(estimate_convergence(h, Vector3d(1.0, 1.0, 1.0 + 1e-14), 2.0).trend, Trend::independent);
  EXPECT_EQ(estimate_truncation(Vector3d(1.0, 1.1, 1.3)).trend, Trend::not_settling);
  EXPECT_EQ(estimate_truncation(Vector3d(1.0, 1.3, 1.2)).trend, Trend::not_monotone);
  EXPECT_NEAR(estimate_truncation(Vector3d(1.0, 1.2, 1.25)).error, 0.3, 1e-15);
}

TEST(GridConvergence, TakesChangesFarBelowItsDigitsForSettled) {
  const Vector3d h(1.0, 0.5, 0.25), mass(0.53, 0.53 - 4e-6, 0.53 - 1e-5);  // kg, of a mesh with round walls
  for (const ConvergenceEstimate& found : {estimate_convergence(h, mass, 2.0), estimate_truncation(mass)}) {
    EXPECT_EQ(found.trend, Trend::settled);
    EXPECT_EQ(found.limit, mass[2]);
    EXPECT_NEAR(found.error, 1e-4, 1e-12);
    EXPECT_EQ(text_within(mass[0], found.error), "0.530");
  }
  // The same changes of a number that is a hundred times smaller are a sign of a singularity.
  const Vector3d stress = mass - Vector3d::Constant(0.5247);
  EXPECT_EQ(estimate_convergence(h, stress, 2.0).trend, Trend::not_settling);
  EXPECT_EQ(estimate_truncation(stress).trend, Trend::not_settling);
  // An order near zero would extrapolate a hundred times beyond the values.
  const VectorXd slow = power_law(h, 1.0, 1e-3, 0.01);
  EXPECT_EQ(estimate_convergence(h, slow, 2.0).trend, Trend::settled);
  EXPECT_NEAR(estimate_convergence(h, slow, 2.0).error, 10.0 * (slow[0] - slow[2]), 1e-15);
  // A number that converges keeps its order and its error.
  const ConvergenceEstimate smooth = estimate_convergence(h, power_law(h, 1.0, 1e-5, 2.0), 2.0);
  EXPECT_EQ(smooth.trend, Trend::monotone);
  EXPECT_NEAR(smooth.error, 1e-5, 1e-12);
}

TEST(GridConvergence, CountsTheDigitsThatHold) {
  EXPECT_EQ(digits_within(1.2345, 0.004), 3);  // 1.23
  EXPECT_EQ(digits_within(1.2345, 0.006), 2);  // 1.2
  EXPECT_EQ(digits_within(-987.0, 40.0), 1);   // -1e3
  EXPECT_EQ(digits_within(987.0, 60.0), 0);
  EXPECT_EQ(digits_within(0.0, 1e-9), 0);
  EXPECT_EQ(digits_within(5.0, 0.0), 12);
}

TEST(GridConvergence, WritesNoDigitThatDoesNotHold) {
  EXPECT_EQ(text_within(23.9154707, 0.28), "24");
  EXPECT_EQ(text_within(-0.00450674, 4.3e-5), "-0.0045");
  EXPECT_EQ(text_within(-205.83471, 1.1), "-2.1e+02");
  EXPECT_EQ(text_within(-205.83471, 0.4), "-206");
  EXPECT_EQ(text_within(12.5617927, 4.8e-4), "12.562");
  EXPECT_EQ(text_within(9.996, 4e-3), "10.0");
  EXPECT_EQ(text_within(1.40004, 4e-5), "1.4000");
  EXPECT_EQ(text_within(3.1e-7, 4e-8), "3e-07");
  EXPECT_EQ(text_within(987.0, 60.0), "no digit");
  EXPECT_EQ(text_within(0.486, 0.0), "0.486");
  EXPECT_EQ(text_within(1.0, std::numeric_limits<double>::infinity()), "unknown");
}

const std::string plate = R"(analysis = "static"
[bodies.plate]
type = "flexible"
[bodies.plate.mesh]
shape = "rectangle"
origin = [0.5, -1.0]
size = [4.0, 2.0]
divisions = [8, 6]
thickness = 0.5
[bodies.plate.material]
youngs_modulus = 200.0
poisson_ratio = 0.3
density = 3.0
[bodies.plate.supports.wall]
x = 0.5
fixed = ["x", "y"]
[bodies.plate.markers.end]
x = 4.5
[loads.pull]
marker = "plate.end"
force = [1.0, 0.0, 0.0]
[objective]
type = "compliance"
body = "plate"
)";

Problem read_plate(const std::vector<std::string>& overrides = {}) {
  return read_problem(TomlDocument::parse(plate, "plate.toml", ".", overrides));
}

TEST(Refinement, HalvesTheSizeOfAGeometryInWhateverUnitItIs) {
  const TemporaryFolder folder;
  write_text_file(folder / "plate.geo", "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0.5, -1, 0, 4, 2};\n");
  const auto read = [&](const std::string& size, const std::vector<std::string>& overrides) {
    std::string text = plate;
    const std::size_t begin = text.find("[bodies.plate.mesh]"), end = text.find("[bodies.plate.material]");
    text.replace(
        begin, end - begin,
        "[bodies.plate.mesh]\nfile = \"plate.geo\"\nunit = \"m\"\nthickness = 0.5\nsize = " + size + "\n");
    return read_problem(TomlDocument::parse(text, "plate.toml", folder / "", overrides));
  };
  const auto finer = [&](const std::string& size) { return finer_meshes(read(size, {}), 2.0).overrides; };
  const std::vector<std::string> half{"bodies.plate.mesh.size=0.25"};
  EXPECT_EQ(finer("0.5"), half);
  EXPECT_EQ(finer("\"500 mm\""), half);
  EXPECT_EQ(finer("\"5e1 cm\""), half);

  const std::string near =
      "0.5\nnear = [{surface = 1, size = 0.125}, {surface = 2, size = \"25 cm\", distance = 1.0}]";
  EXPECT_EQ(finer(near),
            (std::vector<std::string>{"bodies.plate.mesh.size=0.25", "bodies.plate.mesh.near.0.size=0.0625",
                                      "bodies.plate.mesh.near.0.distance=1.25",
                                      "bodies.plate.mesh.near.1.size=0.125"}));
  const auto n_elements = [&](const std::vector<std::string>& overrides) {
    return read(near, overrides).bodies[0].flexible.mesh.given->n_elements();
  };
  EXPECT_GT(n_elements(finer(near)), 3 * n_elements({}));
}

TEST(Refinement, LeavesTheInstantsOfCriteriaWhereTheyAre) {
  std::vector<std::string> stated = {
      R"(constraints.criteria.deflection={type="output",output="deflection",time="instants",every=10,upper=6e-4})"};
  const auto read = [&] { return read_problem(test::input("arm_codesign.toml"), stated); };
  const Problem arm = read();
  const std::vector<std::string> shorter = shorter_steps(arm, 2).overrides;
  EXPECT_EQ(shorter,
            (std::vector<std::string>{fmt::format("integrator.step={:.17g}", arm.integrator.step / 2.0),
                                      "constraints.criteria.deflection.every=20"}));
  stated.insert(stated.end(), shorter.begin(), shorter.end());
  const Problem finer = read();
  EXPECT_EQ(finer.integrator.n_steps(), 2 * arm.integrator.n_steps());
  EXPECT_EQ(finer.constraints.criteria.size(), arm.constraints.criteria.size());
}

TEST(Refinement, HandsDensitiesToTheElementsWithinTheirs) {
  const Problem coarse = read_plate();
  EXPECT_EQ(finer_meshes(coarse, 3.0).overrides,
            std::vector<std::string>{"bodies.plate.mesh.divisions=[24,18]"});
  const Study from{Problem(coarse)}, to{read_plate(finer_meshes(coarse, 3.0).overrides)};
  const VectorXd density = VectorXd::LinSpaced(48, 0.1, 1.0);
  const BodyFields moved = fields_on_meshes(from.chain().bodies(), {density}, to.chain().bodies());
  const fem::Mesh& fine = to.chain().body(0)->mesh();
  ASSERT_EQ(moved[0].size(), 9 * 48);
  for (Eigen::Index e = 0; e < moved[0].size(); ++e) {
    const Vector3d centre = fine.centres().col(e);
    const int column = static_cast<int>((centre[0] - 0.5) / 0.5),
              row = static_cast<int>((centre[1] + 1.0) * 3.0);
    // The element of the coarse mesh around it, whose centre is in its middle.
    const Vector3d around(0.75 + 0.5 * column, -1.0 + (row + 0.5) / 3.0, 0.0);
    Eigen::Index number = -1;
    (from.chain().body(0)->mesh().centres().colwise() - around).colwise().norm().minCoeff(&number);
    EXPECT_EQ(moved[0][e], density[number]);
  }
}

}  // namespace
}  // namespace kurbel
