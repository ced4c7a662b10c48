/// A body without joints, in frames that no clamp carries: the gradient through reduction, flight and back.
#include <gtest/gtest.h>

#include "crank.hpp"
#include "optimizers/gradient_check.hpp"
#include "tests/input_error.hpp"

namespace kurbel {
namespace {

/// A bar that is pushed at its end while it turns and flies.
/// @param load  that it is bent by when it is let go
std::string flying_bar(const std::string& frame, const std::string& load = "") {
  return load + R"(
[bodies.bar]
type = "flexible"
[bodies.bar.mesh]
shape = "rectangle"
origin = [0.0, -0.02]
size = [0.2, 0.04]
divisions = [12, 4]
thickness = 0.01
[bodies.bar.material]
youngs_modulus = 2.1e9
poisson_ratio = 0.3
density = 7850.0
[bodies.bar.frame]
)" + frame +
         R"(
[bodies.bar.markers.root]
x = 0.0
[bodies.bar.markers.end]
x = 0.2
[bodies.bar.modes]
normal = 4
[bodies.bar.initial]
velocity = [1.0, 0.5, 0.0]
angular_velocity = [0.0, 0.0, 20.0]
[loads.push]
marker = "bar.end"
frame = "body"
force = [0.0, {type="polynomial", begin={t=0.0, derivatives=[0.0, 0.0]}, end={t=0.2, derivatives=[300.0, 0.0]}}, 0.0]
[integrator]
t1 = 0.2
step = 2e-3
[objective]
type = "integral-compliance"
body = "bar"
)";
}

class FreeBody : public ::testing::TestWithParam<const char*> {};

void expect_gradient_of_differences(const std::string& input) {
  const Problem problem = read_problem(TomlDocument::parse(input, "bar.toml", ".", {}));
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const VectorXd x = VectorXd::NullaryExpr(
      space.n_variables(), [](Eigen::Index e) { return 0.6 + 0.2 * std::sin(2.0 * double(e)); });
  const test::Evaluated at = test::evaluate(chain, space, x);
  EXPECT_LT(at.invariance_defect, 1e-10) << "Phi^T Phi_bar";
  GradientCheckOptions options;
  // The steps do not resolve the bar's vibrations, which makes psi a steep function of the densities.
  options.n_elements = 8, options.largest_step = 2e-3, options.step_ratio = 2.0;
  const auto rows = check_gradient([&](const VectorXd& y) { return test::psi_at(chain, space, y); }, x,
                                   at.gradient, space.lower(), space.upper(), options);
  for (const GradientCheckRow& row : rows) EXPECT_LT(row.relative_error, 1e-7) << row.label();
}

TEST_P(FreeBody, GradientEqualsDifferences) {
  expect_gradient_of_differences(flying_bar(GetParam()));
}

TEST_P(FreeBody, GradientEqualsDifferencesWhereItStartsUnderALoadCase) {
  expect_gradient_of_differences(flying_bar(GetParam(), R"(
[bodies.bar.initial.loads.bow]
marker = "end"
force = [0.0, 40.0, 0.0]
moment = [0.0, 0.0, 2.0]
)"));
}

TEST(StaticLoad, IsRefusedByNameWhereItDoesNotFit) {
  const auto read = [](const std::string& load) {
    read_problem(TomlDocument::parse(flying_bar("type = \"buckens\"", load), "bar.toml", ".", {}));
  };
  expect_input_error([&] { read("[bodies.bar.initial.loads.bow]\nmarker = \"tip\"\nforce = [0, 1, 0]\n"); },
                     {"bar.toml:2: bodies.bar.initial.loads.bow.marker names the marker \"tip\""});
  expect_input_error([&] { read("[bodies.bar.initial.loads.bow]\nmarker = \"end\"\n"); },
                     {"bodies.bar.initial.loads.bow is empty; give a force or a moment"});
  expect_input_error(
      [&] {
        read(
            "[initial]\nstate = \"quasi-static\"\n[bodies.bar.initial.loads.bow]\nmarker = \"end\"\nforce = "
            "[0, 1, 0]\n");
      },
      {"bar.toml:3: bodies.bar.initial.loads.bow has no effect"});
}

/// A simulation of the bar with a constant force at its end.
Status simulate_bar(const std::string& force, const std::string& state, std::vector<std::string>& warnings) {
  const Problem problem = read_problem(TomlDocument::parse(
      flying_bar("type = \"buckens\""), "bar.toml", ".",
      {"loads.push.force=[0, " + force + ", 0]", "initial.state=" + state, "integrator.t1=0.02"}));
  EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  ChainResult result;
  if (Status s = chain.reduce(space.at(space.start()), result); s.failed()) return s;
  const Status status = chain.simulate(result);
  warnings = result.motion->warnings(result.trajectory);
  return status;
}

TEST(LargeDeformations, AreNamed) {
  std::vector<std::string> warnings;
  EXPECT_FALSE(simulate_bar("30.0", "quasi-static", warnings).failed());
  EXPECT_THAT(warnings, ::testing::IsEmpty());
  EXPECT_FALSE(simulate_bar("5e3", "given", warnings).failed());
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings.front(), ::testing::HasSubstr("body bar: its elastic displacements reach"));
}

TEST(LargeDeformations, AreNoEquilibrium) {
  std::vector<std::string> warnings;
  const Status status = simulate_bar("3e5", "quasi-static", warnings);
  ASSERT_TRUE(status.failed());
  EXPECT_THAT(status.message(), ::testing::HasSubstr("before it is in equilibrium"));
  EXPECT_THAT(status.message(), ::testing::HasSubstr("in body bar"));
}

INSTANTIATE_TEST_SUITE_P(In, FreeBody,
                         ::testing::Values("type = \"buckens\"",
                                           "type = \"chord\"\norigin = \"root\"\nend = \"end\""),
                         [](const auto& info) { return info.index == 0 ? "BuckensFrame" : "ChordFrame"; });

}  // namespace
}  // namespace kurbel
