/// More material beside the members of a design, and nowhere else.
#include "study/thicker_members.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "study/study.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel {
namespace {

/// The crank of 20 x 4 elements of 10 mm behind a steep projection; a filter that reaches the next elements.
const std::vector<std::string> steep = {"bodies.crank.mesh.divisions=[20,4]",
                                        "bodies.crank.regions.bearing.x=[0.19,0.2]", "filter.radius=0.01",
                                        "projection.beta_start=32", "projection.beta_max=32"};

TEST(ThickerMembers, GrowWithinTheRadiusOfTheFilterAlone) {
  Study study = Study::read(test::input("flexible_crank_small.toml"), steep);
  const DesignSpace& space = study.space();
  VectorXd design = VectorXd::Constant(80, 0.3);  // void behind the projection
  design.head(20).setConstant(0.95);              // a member in the lowest row
  const VectorXd x = space.with_design(space.start(), {design, {}, {}});
  const VectorXd after = space.design(with_thicker_members(study.chain().bodies(), space, x, 0.1)).front();
  for (Eigen::Index e = 0; e < 80; ++e) {
    const Eigen::Index row = e / 20, column = e % 20;
    if (column >= 18) continue;  // the bearing is a member, too
    const double expected = row == 0 ? 1.0 : row == 1 ? 0.4 : 0.3;
    EXPECT_NEAR(after[e], expected, 1e-12) << "row " << row << ", column " << column;
  }
}

}  // namespace
}  // namespace kurbel
