/// @file
/// [variables] that move the surface of a part, through the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "run_program.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel {
namespace {

using test::Outcome;
using test::run;
using ::testing::HasSubstr;

const std::string crank = test::input("crank_with_holes.toml");
constexpr const char* alone = " --set design.bodies=[] ";
constexpr const char* coarse = " --set bodies.crank.mesh.size=0.008 --set integrator.step=1e-2 ";

std::string variable_of(const std::string& keys) {
  return " --set 'variables.outside={" + keys + "}' ";
}
/// The same in the crank on a coarse mesh.
std::string with(const std::string& keys) {
  return coarse + variable_of(keys);
}

TEST(SurfaceVariables, HaveGradientsThatEqualDifferences) {
  const Outcome o = run("gradient " + crank + alone +
                        with("quantity=\"bodies.crank.mesh.surface\",lower=-1e-3,upper=1e-3") + "--check 4");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, HasSubstr("outside["));
}

TEST(SurfaceVariables, BoundTheDistortionOfTheirMesh) {
  const std::string bounded =
      with("quantity=\"bodies.crank.mesh.surface\",lower=-1e-3,upper=1e-3,distortion=0.2");
  Outcome o = run("gradient " + crank + alone + bounded + "--check 2");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, HasSubstr("crank.distortion"));
  o = run("optimize " + crank + alone + bounded + " --set optimizer.method=bfgs --set constraints={}");
  EXPECT_EQ(o.exit_code, 2) << o.text;
  EXPECT_THAT(o.text, HasSubstr("does not fit a bound on the distortion of a mesh"));
}

/// Densities alone are refused a volume of more than the part; a surface that moves may add some.
TEST(SurfaceVariables, MayAddVolume) {
  const Outcome o =
      run("check " + crank + alone + with("quantity=\"bodies.crank.mesh.surface\",lower=-1e-3,upper=1e-3") +
          "--set constraints.volume_fraction=1.1");
  EXPECT_EQ(o.exit_code, 0) << o.text;
  EXPECT_THAT(o.text, HasSubstr("volume_fraction"));
  EXPECT_THAT(o.text, HasSubstr("<= 1.1"));
}

TEST(SurfaceVariables, AreRefusedByNameWhereTheyHaveNoMeaning) {
  const auto expect_refused = [](const std::string& arguments, const std::string& message) {
    const Outcome o = run("check " + arguments);
    EXPECT_EQ(o.exit_code, 2) << o.text;
    EXPECT_THAT(o.text, HasSubstr(message));
  };
  const std::string surface = "quantity=\"bodies.crank.mesh.surface\",lower=-1e-3,upper=1e-3";
  expect_refused(crank + with(surface), "moves the surface of a body whose densities vary");
  expect_refused(test::input("flexible_crank.toml") + alone + variable_of(surface),
                 "is for a mesh from a file");
  expect_refused(crank + alone + with(surface + ",each_element=true"), "each_element");
  expect_refused(crank + alone + with(surface + ",radius=0"), "radius");
  expect_refused(
      crank + with("quantity=\"bodies.crank.mesh.size\",component=\"x\",lower=0.1,upper=0.3,radius=1"),
      "unknown key variables.outside.radius");
  expect_refused(crank + alone + with(surface + ",fixed=[{set=\"none\"}]"), "none");
  expect_refused(crank + alone + with("quantity=\"bodies.crank.mesh.surface\",lower=1e-4,upper=1e-3"),
                 "outside its bounds");
}

}  // namespace
}  // namespace kurbel
