#include "output/motion_writer.hpp"

#include <fmt/format.h>

#include <numbers>

#include "tests/input_error.hpp"
#include "tests/output/vtk_reading.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/write_error.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;

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

ReadBlocks frame(const TemporaryFolder& folder, int number) {
  return read_blocks(folder / fmt::format("motion/motion_{:05}.vtm", number));
}

TEST(MotionWriter, MovesAndDeformsByTheScale) {
  const TemporaryFolder folder;
  MotionWriter writer(folder / "motion.pvd", {plate(), rod()}, {.deformation_scale = 100.0});
  writer.add_frame(0.5, {quarter_turn(Eigen::Vector2d(0.0, 0.01)), {}});
  const ReadBlocks blocks = frame(folder, 0);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[1].first, "rod");
  const ReadGrid& grid = block(blocks, "plate");
  MatrixXd expected(3, 4);  // (x, y) -> (10 - y, 20 + x); the right edge moves by 100 * 0.01 = 1
  expected << 10, 10, 9, 9, 20, 22, 22, 20, 30, 30, 30, 30;
  EXPECT_LT((grid.points - expected).cwiseAbs().maxCoeff(), 1e-6 * 30);  // single precision
  MatrixXd displacement = MatrixXd::Zero(3, 4);
  displacement(1, 1) = displacement(1, 2) = 0.01;
  EXPECT_LT((grid.point_arrays.at("displacement") - displacement).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((block(blocks, "rod").points - rod().grid.points).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(MotionWriter, DrawsTheDifferenceFromTheRigidPositionByTheScale) {
  const MotionPose pose{{1.0, 0.0, 0.0}, Matrix3d::Identity(), {}, {0.9, 0.0, 0.0}};
  const Vector3d X(0.0, 2.0, 0.0), u(0.0, 0.0, 0.01);
  EXPECT_LT((drawn_points(pose, X, u, 1.0) - Vector3d(1.0, 2.0, 0.01)).norm(), 1e-15);
  EXPECT_LT((drawn_points(pose, X, u, 0.0) - Vector3d(0.9, 2.0, 0.0)).norm(), 1e-15);
  EXPECT_LT((drawn_points(pose, X, u, 10.0) - Vector3d(1.9, 2.0, 0.1)).norm(), 1e-15);
}

TEST(MotionWriter, DrawsDisplacementsOfSecondOrder) {
  const TemporaryFolder folder;
  MotionBody body = plate();
  body.second_order = MatrixXd::Zero(12, 4);
  body.second_order(3 * 2, 0) = -6.0;                                // x of the third point: -6 q_0^2 / 2
  body.second_order(3 * 2, 1) = body.second_order(3 * 2, 2) = 0.25;  // and q_0 q_1 / 4
  const Eigen::Vector2d q(0.1, 0.2);
  body.shapes.col(0).setZero();
  MotionWriter(folder / "motion.pvd", {body}).add_frame(0.0, {{Vector3d::Zero(), Matrix3d::Identity(), q}});
  const ReadGrid grid = block(frame(folder, 0), "plate");
  EXPECT_NEAR(grid.points(0, 2), 1.0 + 0.2 - 3.0 * 0.01 + 0.25 * 0.02, 1e-6);
  EXPECT_NEAR(grid.point_arrays.at("displacement")(0, 2), 0.175, 1e-6);
  body.second_order.resize(12, 3);
  expect_input_error([&] { MotionWriter(folder / "a.pvd", {body}); }, {"plate", "12 x 3; expected 12 x 4"});
}

TEST(MotionWriter, BlocksCarryTheArraysOfTheirBodiesWithUnits) {
  const TemporaryFolder folder;
  MotionBody body = plate();
  body.grid.cells[0].corners = Eigen::Vector4i(0, 1, 2, 3).replicate(1, 2);
  body.density.setConstant(2, 0.25);
  body.stressed_cells = {1};
  body.stress.S = MatrixXd::Zero(3, 2);
  body.stress.S << 3e6, 0.0, 0.0, 0.0, 0.0, 1e6;  // tension by the first coordinate, shear by the second
  body.largest_stress = VectorXd::Constant(1, 5e6);
  MotionWriter writer(folder / "motion.pvd", {body, rod()});
  writer.add_frame(0.0, {quarter_turn(Eigen::Vector2d(2.0, 0.0)), {}});
  writer.add_frame(0.5, {quarter_turn(Eigen::Vector2d(0.0, 1.0)), {}});
  const ReadBlocks first = frame(folder, 0), second = frame(folder, 1);
  const auto stress = [](const ReadBlocks& blocks, const char* name) {
    return block(blocks, "plate").cell_arrays.at(name)(0, 1);
  };
  for (const char* name : {"von_mises", "von_mises_max"})
    EXPECT_TRUE(std::isnan(block(second, "plate").cell_arrays.at(name)(0, 0)))
        << "no stress is asked for here";
  EXPECT_NEAR(stress(first, "von_mises"), 6e6, 1.0);  // single precision
  EXPECT_NEAR(stress(second, "von_mises"), std::sqrt(3.0) * 1e6, 1.0);
  EXPECT_NEAR(stress(second, "von_mises_max"), 5e6, 1.0);
  EXPECT_EQ(stress(second, "density"), 0.25);
  EXPECT_EQ(block(second, "plate").units,
            (std::map<std::string, std::string>{
                {"displacement", "m"}, {"von_mises", "Pa"}, {"von_mises_max", "Pa"}}));
  EXPECT_TRUE(block(second, "rod").cell_arrays.empty());
  EXPECT_TRUE(block(second, "rod").point_arrays.empty());
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

TEST(MotionWriter, LeavesVoidCellsOutWithAllThatBelongsToThem) {
  const TemporaryFolder folder;
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
  MotionWriter(folder / "motion.pvd", {strip({0.29, 0.3, 1.0})}, {.solid_above = 0.3})
      .add_frame(0.0, {{Vector3d::Zero(), Matrix3d::Identity(), Eigen::Vector2d::Zero()}});
  EXPECT_EQ(block(frame(folder, 0), "strip").corners.size(), 2u);
}

TEST(MotionWriter, KeepsABodyOfWhichAllIsVoidOrNothing) {
  for (const Vector3d& density : {Vector3d(0.1, 0.2, 0.1), Vector3d(0.5, 0.3, 1.0)})
    EXPECT_EQ(solid_part(strip(density), 0.3).density, VectorXd(density));
  EXPECT_EQ(solid_part(strip({0.1, 0.3, 1.0}), 0.0).grid.n_cells(), 3);
  EXPECT_EQ(solid_part(rod(), 0.3).grid.n_cells(), 1);
}

TEST(MotionWriter, DrawsOtherBlocksBesideTheBodies) {
  const TemporaryFolder folder;
  MotionWriter writer(folder / "motion.pvd", {rod()});
  for (int i = 0; i < 2; ++i) {
    NamedBlock joints{"joints", rod().grid};
    joints.grid.points.array() += i;
    writer.add_frame(i, {{}}, {joints});
  }
  const ReadBlocks blocks = frame(folder, 1);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(block(blocks, "joints").points(0, 0), 1.0);
}

TEST(MotionWriter, TheCollectionNamesFilesThatExist) {
  const TemporaryFolder folder;
  MotionWriter writer(folder / "motion.pvd", {rod()});
  for (const double time : {0.0, 0.25, 0.5}) writer.add_frame(time, {{}});
  const auto entries = read_pvd(folder / "motion.pvd");
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[1].first, 0.25);
  for (const auto& entry : entries) EXPECT_TRUE(fs::exists(folder / entry.second)) << entry.second;
}

TEST(MotionWriter, RefusesWhatDoesNotFit) {
  const TemporaryFolder folder;
  MotionBody body = plate();
  body.density = VectorXd::Ones(2);
  expect_input_error([&] { MotionWriter(folder / "a.pvd", {body}); }, {"plate", "2 densities for 1 cells"});
  body = plate();
  body.shapes = MatrixXd::Zero(9, 2);
  expect_input_error([&] { MotionWriter(folder / "a.pvd", {body}); }, {"plate", "9 rows; expected 12"});
  body = plate();
  body.stress.S = MatrixXd::Zero(6, 2);
  body.stressed_cells = {0};
  expect_input_error([&] { MotionWriter(folder / "a.pvd", {body}); },
                     {"plate", "stresses at 2 points, the largest of 0, for 1 cells"});
  MotionWriter writer(folder / "a.pvd", {plate()});
  expect_input_error([&] { writer.add_frame(0.0, {}); }, {"0 poses for 1 bodies"});
  expect_input_error([&] { writer.add_frame(0.0, {quarter_turn(Vector3d::Zero())}); },
                     {"plate", "3 elastic coordinates for 2 shapes"});
  expect_write_error([&] { MotionWriter(folder / "none/a.pvd", {plate()}); }, {"cannot write", "none/a.pvd"});
}

}  // namespace
}  // namespace kurbel
