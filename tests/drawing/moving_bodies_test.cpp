#include "drawing/moving_bodies.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <map>
#include <numbers>

#include "tests/input_error.hpp"

namespace kurbel {
namespace {

/// One quadrilateral with two shapes, the second a stretch along x.
MotionBody plate() {
  MotionBody body{"plate", {MatrixXd(3, 4), {}}, VectorXd::Constant(1, 0.25), MatrixXd::Zero(12, 2)};
  body.grid.points << 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0;
  body.grid.cells = {{CellBlock::Kind::quadrilateral, Eigen::Vector4i(0, 1, 2, 3)}};
  body.shapes.col(0).setRandom();
  body.shapes(3 * 1, 1) = body.shapes(3 * 2, 1) = 1.0;
  return body;
}

MotionPose quarter_turn(const VectorXd& q) {
  return {
      {10.0, 20.0, 30.0}, Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3d::UnitZ()).toRotationMatrix(), q};
}

/// A rigid body.
MotionBody rod() {
  MotionBody body{"rod", {MatrixXd(3, 2), {{CellBlock::Kind::line, Eigen::Vector2i(0, 1)}}}};
  body.grid.points << 0.0, 0.5, 0, 0, 0, 0.1;
  return body;
}

using Arrays = std::map<std::string, MatrixXd>;

Arrays by_name(const std::vector<FieldArray>& arrays) {
  Arrays named;
  for (const FieldArray& array : arrays) named[array.name] = array.values;
  return named;
}

TEST(MovingBodies, MoveAndDeformByTheScale) {
  MovingBodies bodies({plate(), rod()}, {.deformation_scale = 100.0});
  const std::vector<NamedBlock>& blocks = bodies.at({quarter_turn(Eigen::Vector2d(0.0, 0.01)), {}});
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].name, "plate");
  EXPECT_EQ(blocks[1].name, "rod");
  MatrixXd expected(3, 4);  // (x, y) -> (10 - y, 20 + x); the right edge moves by 100 * 0.01 = 1
  expected << 10, 10, 9, 9, 20, 22, 22, 20, 30, 30, 30, 30;
  EXPECT_LT((blocks[0].grid.points - expected).cwiseAbs().maxCoeff(), 1e-13);
  MatrixXd displacement = MatrixXd::Zero(3, 4);
  displacement(1, 1) = displacement(1, 2) = 0.01;
  EXPECT_LT((by_name(blocks[0].point_arrays).at("displacement") - displacement).cwiseAbs().maxCoeff(), 1e-16);
  EXPECT_EQ(blocks[1].grid.points, rod().grid.points);
}

TEST(DrawnPoints, DifferFromTheRigidPositionByTheScale) {
  const MotionPose pose{{1.0, 0.0, 0.0}, Matrix3d::Identity(), {}, {0.9, 0.0, 0.0}};
  const Vector3d X(0.0, 2.0, 0.0), u(0.0, 0.0, 0.01);
  EXPECT_LT((drawn_points(pose, X, u, 1.0) - Vector3d(1.0, 2.0, 0.01)).norm(), 1e-15);
  EXPECT_LT((drawn_points(pose, X, u, 0.0) - Vector3d(0.9, 2.0, 0.0)).norm(), 1e-15);
  EXPECT_LT((drawn_points(pose, X, u, 10.0) - Vector3d(1.9, 2.0, 0.1)).norm(), 1e-15);
}

TEST(MovingBodies, HaveDisplacementsOfSecondOrder) {
  MotionBody body = plate();
  body.second_order = MatrixXd::Zero(12, 4);
  body.second_order(3 * 2, 0) = -6.0;                                // x of the third point: -6 q_0^2 / 2
  body.second_order(3 * 2, 1) = body.second_order(3 * 2, 2) = 0.25;  // and q_0 q_1 / 4
  const Eigen::Vector2d q(0.1, 0.2);
  body.shapes.col(0).setZero();
  MovingBodies bodies({body});
  const NamedBlock& drawn = bodies.at({{Vector3d::Zero(), Matrix3d::Identity(), q}})[0];
  EXPECT_NEAR(drawn.grid.points(0, 2), 1.0 + 0.2 - 3.0 * 0.01 + 0.25 * 0.02, 1e-15);
  EXPECT_NEAR(by_name(drawn.point_arrays).at("displacement")(0, 2), 0.175, 1e-15);
  body.second_order.resize(12, 3);
  expect_input_error([&] { MovingBodies({body}); }, {"plate", "12 x 3; expected 12 x 4"});
}

TEST(MovingBodies, CarryTheirArraysWithUnits) {
  MotionBody body = plate();
  body.grid.cells[0].corners = Eigen::Vector4i(0, 1, 2, 3).replicate(1, 2);
  body.density.setConstant(2, 0.25);
  body.stressed_cells = {1};
  body.stress.S = MatrixXd::Zero(3, 2);
  body.stress.S << 3e6, 0.0, 0.0, 0.0, 0.0, 1e6;  // tension by the first coordinate, shear by the second
  body.largest_stress = VectorXd::Constant(1, 5e6);
  MovingBodies bodies({body, rod()});
  const Arrays first = by_name(bodies.at({quarter_turn(Eigen::Vector2d(2.0, 0.0)), {}})[0].cell_arrays);
  const std::vector<NamedBlock>& blocks = bodies.at({quarter_turn(Eigen::Vector2d(0.0, 1.0)), {}});
  const Arrays second = by_name(blocks[0].cell_arrays);
  for (const char* name : {"von_mises", "von_mises_max"})
    EXPECT_TRUE(std::isnan(second.at(name)(0, 0))) << "no stress is requested here";
  EXPECT_NEAR(first.at("von_mises")(0, 1), 6e6, 1e-8);
  EXPECT_NEAR(second.at("von_mises")(0, 1), std::sqrt(3.0) * 1e6, 1e-8);
  EXPECT_EQ(second.at("von_mises_max")(0, 1), 5e6);
  EXPECT_EQ(second.at("density")(0, 1), 0.25);
  std::map<std::string, std::string> units;
  for (const auto* arrays : {&blocks[0].cell_arrays, &blocks[0].point_arrays}) {
    for (const FieldArray& array : *arrays) units[array.name] = array.unit;
  }
  EXPECT_EQ(units,
            (std::map<std::string, std::string>{
                {"density", ""}, {"displacement", "m"}, {"von_mises", "Pa"}, {"von_mises_max", "Pa"}}));
  EXPECT_TRUE(blocks[1].cell_arrays.empty());
  EXPECT_TRUE(blocks[1].point_arrays.empty());
}

/// Three squares in a row.
MotionBody strip(const Vector3d& density) {
  MotionBody body{"strip", {MatrixXd::Zero(3, 8), {}}, density, MatrixXd::Zero(24, 2)};
  Eigen::MatrixXi corners(4, 3);
  for (int i = 0; i < 8; ++i) {
    body.grid.points.col(i) << i / 2, i % 2, 0;
    body.shapes.middleRows<3>(3 * i).setConstant(i);
  }
  for (int c = 0; c < 3; ++c) corners.col(c) << 2 * c, 2 * c + 2, 2 * c + 3, 2 * c + 1;
  body.grid.cells = {{CellBlock::Kind::quadrilateral, corners}};
  body.second_order = MatrixXd::Zero(24, 4);
  body.second_order.col(3).setLinSpaced(0, 23);
  body.stressed_cells = {0, 2};
  body.stress.S = MatrixXd::Zero(6, 2);
  body.stress.S.row(0) << 1e6, 0.0;  // xx of the first of them
  body.stress.S.row(1) << 2e6, 0.0;  // and of the second
  body.largest_stress = Eigen::Vector2d(1e6, 2e6);
  return body;
}

TEST(SolidPart, LeavesVoidCellsOutWithAllThatBelongsToThem) {
  const MotionBody part = solid_part(strip({0.29, 0.3, 1.0}), 0.3);
  EXPECT_EQ(part.density, Eigen::Vector2d(0.3, 1.0));
  EXPECT_EQ(part.grid.points, strip({1, 1, 1}).grid.points.rightCols(6));
  EXPECT_EQ(Eigen::Vector4i(part.grid.cells[0].corners.col(0)), Eigen::Vector4i(0, 2, 3, 1));
  EXPECT_EQ(part.shapes, strip({1, 1, 1}).shapes.bottomRows(18));
  EXPECT_EQ(part.second_order, strip({1, 1, 1}).second_order.bottomRows(18));
  EXPECT_EQ(part.stressed_cells, std::vector<int>{1});
  EXPECT_EQ(part.stress.n_points(), 1);
  EXPECT_NEAR(von_mises(part.stress, Eigen::Vector2d(1.0, 0.0))[0], 2e6, 1e-6);
  EXPECT_EQ(part.largest_stress, VectorXd::Constant(1, 2e6));
  MovingBodies bodies({strip({0.29, 0.3, 1.0})}, {.solid_above = 0.3});
  EXPECT_EQ(bodies.at({{Vector3d::Zero(), Matrix3d::Identity(), Eigen::Vector2d::Zero()}})[0].grid.n_cells(),
            2);
}

TEST(SolidPart, IsABodyOfWhichAllIsVoidOrNothing) {
  for (const Vector3d& density : {Vector3d(0.1, 0.2, 0.1), Vector3d(0.5, 0.3, 1.0)})
    EXPECT_EQ(solid_part(strip(density), 0.3).density, VectorXd(density));
  EXPECT_EQ(solid_part(strip({0.1, 0.3, 1.0}), 0.0).grid.n_cells(), 3);
  EXPECT_EQ(solid_part(rod(), 0.3).grid.n_cells(), 1);
}

TEST(MovingBodies, StandBeforeOtherBlocks) {
  MovingBodies bodies({rod()});
  for (int i = 0; i < 2; ++i) {
    NamedBlock joints{"joints", rod().grid};
    joints.grid.points.array() += i;
    const std::vector<NamedBlock>& blocks = bodies.at({{}}, {joints});
    ASSERT_EQ(blocks.size(), 2u);
    EXPECT_EQ(blocks[1].name, "joints");
    EXPECT_EQ(blocks[1].grid.points(0, 0), i);
  }
}

TEST(MovingBodies, RefuseWhatDoesNotFit) {
  MotionBody body = plate();
  body.density = VectorXd::Ones(2);
  expect_input_error([&] { MovingBodies({body}); }, {"plate", "2 densities for 1 cells"});
  body = plate();
  body.shapes = MatrixXd::Zero(9, 2);
  expect_input_error([&] { MovingBodies({body}); }, {"plate", "9 rows; expected 12"});
  body = plate();
  body.stress.S = MatrixXd::Zero(6, 2);
  body.stressed_cells = {0};
  expect_input_error([&] { MovingBodies({body}); },
                     {"plate", "stresses at 2 points, the largest of 0, for 1 cells"});
  MovingBodies bodies({plate()});
  expect_input_error([&] { bodies.at({}); }, {"0 poses for 1 bodies"});
  expect_input_error([&] { bodies.at({quarter_turn(Vector3d::Zero())}); },
                     {"plate", "3 elastic coordinates for 2 shapes"});
}

}  // namespace
}  // namespace kurbel
