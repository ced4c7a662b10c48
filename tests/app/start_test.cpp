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

// A uniform start would go on as a grey sheet.
TEST(DefaultStart, OfACastBodyIsARampThatMeetsTheBound) {
  const Problem problem = read_problem(
      test::input("flexible_crank.toml"),
      {"bodies.crank.mesh.divisions=[20,8]", "bodies.crank.manufacturing={casting={draw=\"-y\"}}"});
  const EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  EXPECT_NEAR(space.volume_fraction(space.at(space.start())), 0.5, 1e-9);
  const VectorXd field = space.design(space.start())[0];
  for (Eigen::Index row = 1; row < 8; ++row) {
    EXPECT_GE(field[20 * row], field[20 * (row - 1)]) << row;
    EXPECT_EQ(field[20 * row], field[20 * row + 7]) << row;
  }
  EXPECT_GT(field[20 * 7] - field[0], 0.5);
}

// Grey counts as solid rather than as void: 0.78 everywhere is too much.
TEST(DefaultStart, LeavesRoomBetweenMembersThatMayBeOnlySoWide) {
  const Problem problem =
      read_problem(test::input("flexible_crank.toml"),
                   {"bodies.crank.mesh.divisions=[40,10]", "constraints.volume_fraction=1.0",
                    "bodies.crank.manufacturing.maximum_member=\"20 mm\""});
  const EvaluationChain chain(problem);
  const DesignSpace space = DesignSpace::of_problem(chain.bodies(), {});
  const double start = space.start()[0];
  EXPECT_GT(start, 0.7);
  EXPECT_LT(start, 0.85);
}

}  // namespace
}  // namespace kurbel
