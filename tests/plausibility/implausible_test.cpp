/// Warnings name values that cannot be meant: dampers in another unit, bounds on the wrong side.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plausibility/implausible_values.hpp"
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
