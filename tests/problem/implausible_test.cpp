/// What is told of values that cannot be meant: forces in another unit, bounds on the wrong side.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "problem/implausible_values.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> warnings(const std::string& file, const std::vector<std::string>& overrides = {}) {
  return implausible_values(read_problem(file, overrides));
}

const std::string suspension = KURBEL_SOURCE_DIR "/tests/user_problems/suspension.toml";

std::vector<std::string> with_damping(double damping) {
  return warnings(suspension, {fmt::format("springs.leg.damping={}", damping), "variables.damping.lower=0.01",
                               "variables.damping.upper=1e7"});
}

TEST(Implausible, DampersThatLetALightPartRingOrHoldAllBodies) {
  // The wheel has 25 kg, all bodies 340 kg, the spring 1e4 N/m: ratios of 1e-3 and of 30 are 1 and 1.1e5 N s/m.
  EXPECT_THAT(with_damping(500.0), IsEmpty());
  EXPECT_THAT(with_damping(1.01), IsEmpty());
  EXPECT_THAT(with_damping(0.99), ElementsAre(HasSubstr("In kN s/m it would be 990 N s/m")));
  EXPECT_THAT(with_damping(1.08e5), IsEmpty());
  EXPECT_THAT(with_damping(1.14e5), ElementsAre(HasSubstr("the damping ratio is 30.9. Is it in N s/m?")));
}

std::string falling(const std::string& load) {
  return R"(gravity = [0.0, 0.0, -10.0]
[bodies.stone]
type = "rigid"
mass = 20.0
inertia = [0.1, 0.1, 0.1]
[integrator]
t1 = 0.1
step = 0.001
[loads.wind]
marker = "stone"
)" + load;
}

std::vector<std::string> warnings_of(const std::string& text) {
  return implausible_values(read_problem(TomlDocument::parse(text, "stone.toml", ".", {})));
}

TEST(Implausible, LoadsThatDoNothingBesideTheWeight) {
  EXPECT_THAT(warnings_of(falling("force = [0.21, 0.0, 0.0]\n")), IsEmpty());
  EXPECT_THAT(
      warnings_of(falling("force = [0.19, 0.0, 0.0]\n")),
      ElementsAre(HasSubstr("stone.toml:9: loads.wind: 0.19 N are too little to matter beside weight and "
                            "inertia forces of up to 200 N. In kN they would be 190 N")));
  EXPECT_THAT(warnings_of(falling("force = [0.19, 0.0, 0.0]\ntorque = [0.0, 0.0, 0.1]\n")), IsEmpty());
}

TEST(Implausible, LoadsThatDoNothingBesideTheInertiaOfADrivenMechanism) {
  const std::string conrod = KURBEL_SOURCE_DIR "/tests/user_problems/conrod.toml";
  const auto gas = [&](double largest) {
    return warnings(
        conrod,
        {fmt::format("loads.gas.force=[{{type=\"table\",t=[0.0,0.01,0.04],values=[-1.0,{},0.0]}},0.0,0.0]",
                     -largest)});
  };
  EXPECT_THAT(gas(16000.0), IsEmpty());
  EXPECT_THAT(gas(16.0), ElementsAre(HasSubstr("loads.gas: 16 N are too little to matter")));
}

// The crank is 0.2 m long and 0.04 m wide.
TEST(Implausible, AThicknessBelowAThousandthOfTheShorterEdge) {
  const auto with_thickness = [](const char* thickness) {
    return warnings(test::input("flexible_crank_small.toml"),
                    {fmt::format("bodies.crank.mesh.thickness={}", thickness)});
  };
  EXPECT_THAT(with_thickness("4.1e-5"), IsEmpty());
  EXPECT_THAT(with_thickness("3.9e-5"), ElementsAre(HasSubstr("is below a thousandth of size")));
  EXPECT_THAT(with_thickness("0.19"), IsEmpty());
  EXPECT_THAT(with_thickness("0.21"), ElementsAre(HasSubstr("In mm it would be 0.00021 m")));
}

TEST(Implausible, LowerBoundsOfASmoothMaximumBesideUpperOnes) {
  EXPECT_THAT(warnings(suspension, {"constraints.criteria.extension.lower=0.35"}),
              ElementsAre(HasSubstr("extension.lower = 0.35 bounds the largest value over time")));
  EXPECT_THAT(warnings(suspension, {"constraints.criteria.compression.upper=0.52"}),
              ElementsAre(HasSubstr("compression.upper = 0.52 bounds the smallest value over time")));
}

}  // namespace
}  // namespace kurbel
