/// Densities to begin with, where the input states none.
#include <gtest/gtest.h>

#include "crank.hpp"
#include "evaluation/design_space.hpp"

namespace kurbel {
namespace {

struct MassAndVolume {
  double mass, volume_fraction, density;
};

MassAndVolume start_of(const std::vector<std::string>& overrides) {
  const Problem problem = read_problem(test::input("four_bar.toml"), overrides);
  const EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const Design design = space.at(space.start());
  return {space.mass(design), space.volume_fraction(design), space.start()[0]};
}

// Solid pins take their share of the volume, so the others begin below the bound.
TEST(DefaultStart, MeetsTheBoundOnTheVolume) {
  const MassAndVolume start = start_of({"constraints.volume_fraction=0.6"});
  EXPECT_LE(start.volume_fraction, 0.6);
  EXPECT_NEAR(start.volume_fraction, 0.6, 1e-9);
  EXPECT_LT(start.density, 0.6);
}

TEST(DefaultStart, MeetsTheBoundOnTheMass) {
  const MassAndVolume start = start_of({"constraints.mass=0.05"});
  EXPECT_LE(start.mass, 0.05);
  EXPECT_NEAR(start.mass, 0.05, 1e-9);
}

TEST(DefaultStart, IsSolidWhereTheBoundsAllowIt) {
  EXPECT_EQ(start_of({"constraints.volume_fraction=1.0"}).density, 1.0);
}

TEST(DefaultStart, GivesWayToTheStartOfTheInput) {
  EXPECT_EQ(start_of({"design.start=0.7"}).density, 0.7);
}

}  // namespace
}  // namespace kurbel
