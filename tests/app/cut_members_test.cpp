/// Cuts by mass, and members of a cut that are too wide.
#include <gtest/gtest.h>

#include <cmath>

#include "evaluation/cut_design.hpp"
#include "fem/simp.hpp"
#include "tests/shipped_inputs.hpp"

namespace kurbel {
namespace {

/// A crank of 200 x 40 mm with square elements of 5 mm, whose members may be 20 mm wide.
class CutMembers : public ::testing::Test {
 protected:
  /// Share of the solid that is too wide where the elements at these places, and those of the pin, are solid.
  template <class IsSolid>
  double too_wide(const IsSolid& is_solid) const {
    const fem::Mesh& mesh = bodies_[0]->mesh();
    const VectorXd density = VectorXd::NullaryExpr(mesh.n_elements(), [&](Eigen::Index e) {
      const double x = mesh.centres()(0, e), y = mesh.centres()(1, e);
      return x > 0.19 || is_solid(x, y) ? 1.0 : 0.01;
    });
    const CutDesign cut = cut_to_solid_and_void(bodies_, {{bodies_.nominal({density}).front()}, {}});
    return cut.bodies[0].too_wide.value();
  }

 private:
  FlexibleBodies bodies_{std::make_shared<const Problem>(
      read_problem(test::input("flexible_crank_small.toml"),
                   {"bodies.crank.mesh.divisions=[40,8]", "bodies.crank.regions.bearing.x=[0.19,0.2]",
                    "bodies.crank.manufacturing.maximum_member=\"20 mm\"", "filter.radius=0.01"}))};
};

// The region of the pin may be wide, and what is within some 14 mm of it.
TEST_F(CutMembers, AreTooWideWhereTheyAreWiderThanTheirBound) {
  // Bars of two elements, 10 mm, beyond a block.
  const auto block_until = [](double end) {
    return [end](double x, double y) { return x < end || std::abs(y) > 0.01; };
  };
  EXPECT_EQ(too_wide(block_until(0.0)), 0.0);
  // The block is 100 x 40 mm, what is solid beyond it 90 x 20 mm and the half of the region between; a disc leaves the corners.
  const double solid = 0.1 * 0.04 + 0.09 * 0.02 + 0.01 * 0.04,
               corner = (1.0 - 0.25 * 3.1415926535) * 0.01125 * 0.01125;
  EXPECT_NEAR(too_wide(block_until(0.1)), (0.1 * 0.04 - 4.0 * corner) / solid, 0.02);
}

TEST_F(CutMembers, MayBeAsWideAsTheirBoundButNotAnElementWider) {
  const auto bar = [](int elements) {
    return [end = -0.02 + 0.005 * elements](double, double y) { return y < end; };
  };
  EXPECT_EQ(too_wide(bar(4)), 0.0);
  EXPECT_GT(too_wide(bar(5)), 0.5);
}

// Densities below the threshold of SIMP have less mass than volume, so that a cut by volume would be too heavy.
TEST(CutMass, IsThatOfTheDesignWhereMassIsBounded) {
  const FlexibleBodies bodies(std::make_shared<const Problem>(
      read_problem(test::input("flexible_crank_small.toml"),
                   {"bodies.crank.mesh.divisions=[40,8]", "bodies.crank.regions.bearing.x=[0.19,0.2]",
                    "filter.radius=0.01", "constraints={mass=0.3}"})));
  const fem::FlexibleBody& body = *bodies[0];
  const VectorXd density = VectorXd::NullaryExpr(body.n_elements(), [](Eigen::Index e) {
    return e % 3 == 0 ? 0.4 + 0.001 * static_cast<double>(e) : 0.05 + 0.0001 * static_cast<double>(e);
  });
  const fem::BodyDesign design = bodies.nominal({density}).front();
  const CutDesign cut = cut_to_solid_and_void(bodies, {{design}, {}});
  const auto amount = [&](const fem::BodyDesign& of, bool is_mass) {
    const VectorXd factors = of.density.unaryExpr(
        [&](double p) { return is_mass ? fem::mass_factor(body.spec().simp, p).value : p; });
    return element_volumes(body.spec(), of).cwiseProduct(of.solid_density).dot(factors);
  };
  const double element = cut.bodies[0].mass_of_largest_element;
  EXPECT_NEAR(amount(cut.design.bodies[0], true), amount(design, true), element);
  EXPECT_LT(amount(cut.design.bodies[0], false), amount(design, false) - 3.0 * element);
}

}  // namespace
}  // namespace kurbel
