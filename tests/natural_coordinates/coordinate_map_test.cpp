// Forms in carried vectors, some of which are tied or held, in coordinates.
#include "natural_coordinates/coordinate_map.hpp"

#include <gtest/gtest.h>

namespace kurbel {
namespace {

using Term = VectorForm::Term;

/// A term is a carried vector with a weight, which is a number, or a number times a parameter.
Term times(double factor, int vector, Eigen::Index parameter = -1) {
  return {.first = 3 * vector, .factor = factor, .parameter = parameter};
}

const std::vector<double> p = {0.7, -1.3};
const VectorXd q = VectorXd::LinSpaced(6, 0.5, 3.0);

TEST(CoordinateMap, MultipliesTheWeightsOfATiedAxisWithItsOwn) {
  CoordinateMap map(3);
  ASSERT_TRUE(map.tie(1, {{times(3.0, 0), times(-0.5, 2)}}));
  map.number();
  ASSERT_EQ(map.n_coordinates(), 6);
  const Vector3d a = q.head(3), c = q.tail(3), tied = 3.0 * a - 0.5 * c;
  const VectorForm by_number = map.in_coordinates({{times(-2.0, 1)}});
  EXPECT_LT((by_number.at<double>(p.data(), q) + 2.0 * tied).norm(), 1e-14);
  const VectorForm by_parameter = map.in_coordinates({{times(-2.0, 1, 1)}});
  EXPECT_LT((by_parameter.at<double>(p.data(), q) + 2.0 * p[1] * tied).norm(), 1e-14);
}

TEST(CoordinateMap, MakesAParameterAlongAnAxisThatStandsStillAReach) {
  CoordinateMap map(3);
  const Vector3d axis(0.0, 0.6, 0.8);
  ASSERT_TRUE(map.tie(1, fixed_form(axis)));
  map.number();
  const VectorForm form = map.in_coordinates({{times(-2.0, 1, 0), times(1.0, 2)}});
  const Vector3d exact = q.tail(3) - 2.0 * p[0] * axis;
  EXPECT_LT((form.at<double>(p.data(), q) - exact).norm(), 1e-14);
  EXPECT_FALSE(form.has_varied_weights());
}

TEST(CoordinateMap, TakesHeldPartsWithTheWeightOfTheirVector) {
  CoordinateMap map(2);
  map.make_planar();
  map.hold(1, Parts::plane(), fixed_form({0.0, 0.0, 5.0}));
  map.number();
  ASSERT_EQ(map.n_coordinates(), 4);
  const VectorForm form = map.in_coordinates({{times(1.0, 0), times(-2.0, 1)}});
  const Vector3d exact(q[0] - 2.0 * q[2], q[1] - 2.0 * q[3], -10.0);
  EXPECT_LT((form.at<double>(p.data(), q) - exact).norm(), 1e-14);
}

TEST(CoordinateMap, RefusesToTieAVectorToItself) {
  CoordinateMap map(3);
  ASSERT_TRUE(map.tie(1, {{times(3.0, 0)}}));
  EXPECT_FALSE(map.tie(0, {{times(1.0, 1), times(1.0, 2)}}));
  EXPECT_TRUE(map.is_free(0));
}

}  // namespace
}  // namespace kurbel
