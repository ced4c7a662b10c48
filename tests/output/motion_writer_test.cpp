#include "output/motion_writer.hpp"

#include <numbers>

#include "tests/input_error.hpp"
#include "tests/output/vtk_reading.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/write_error.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

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

MatrixXd rod_markers() {
  MatrixXd markers(3, 3);
  markers << 0.0, 0.25, 0.5, 0, 0, 0, 0, 0, 0.1;
  return markers;
}

TEST(MotionWriter, MovesAndDeformsByTheScale) {
  const TemporaryFolder folder;
  MotionWriter writer(folder / "motion.pvd", {plate(), line_body("rod", rod_markers())},
                      {.deformation_scale = 100.0});
  writer.add_frame(0.5, {quarter_turn(Eigen::Vector2d(0.0, 0.01)), {}});
  const ReadGrid grid = read_grid(folder / "motion/motion_00000.vtu");
  MatrixXd expected(3, 7);  // (x, y) -> (10 - y, 20 + x); the right edge moves by 100 * 0.01 = 1
  expected << 10, 10, 9, 9, 0, 0.25, 0.5, 20, 22, 22, 20, 0, 0, 0, 30, 30, 30, 30, 0, 0, 0.1;
  EXPECT_LT((grid.points - expected).cwiseAbs().maxCoeff(), 1e-6 * 30);  // single precision
  MatrixXd displacement = MatrixXd::Zero(3, 7);
  displacement(1, 1) = displacement(1, 2) = 0.01;
  EXPECT_LT((grid.point_arrays.at("displacement") - displacement).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(MotionWriter, DrawsRigidBodiesAsLines) {
  const TemporaryFolder folder;
  MotionWriter writer(folder / "motion.pvd", {plate(), line_body("rod", rod_markers())});
  writer.add_frame(0.0, {{{}, Matrix3d::Identity(), Eigen::Vector2d::Zero()}, {}});
  const ReadGrid grid = read_grid(folder / "motion/motion_00000.vtu");
  EXPECT_THAT(grid.cell_types, ElementsAre(9, 3, 3));
  EXPECT_THAT(grid.corners, ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5), ElementsAre(5, 6)));
  EXPECT_EQ(grid.cell_arrays.at("density"), Eigen::RowVector3d(0.25, 1.0, 1.0));
  EXPECT_EQ(grid.cell_arrays.at("body"), Eigen::RowVector3d(0.0, 1.0, 1.0));
}

TEST(MotionWriter, CellsCarryTheirStress) {
  const TemporaryFolder folder;
  MotionBody body = plate();
  body.stress.S = MatrixXd::Zero(3, 2);
  body.stress.S << 3e6, 0.0, 0.0, 0.0, 0.0, 1e6;  // tension by the first coordinate, shear by the second
  body.largest_stress = VectorXd::Constant(1, 5e6);
  MotionWriter writer(folder / "motion.pvd", {body, line_body("rod", rod_markers())});
  writer.add_frame(0.0, {quarter_turn(Eigen::Vector2d(2.0, 0.0)), {}});
  writer.add_frame(0.5, {quarter_turn(Eigen::Vector2d(0.0, 1.0)), {}});
  const ReadGrid first = read_grid(folder / "motion/motion_00000.vtu");
  const ReadGrid second = read_grid(folder / "motion/motion_00001.vtu");
  const auto expect_near = [](const MatrixXd& stress, const Eigen::RowVector3d& expected) {
    EXPECT_LT((stress - expected).cwiseAbs().maxCoeff(), 1.0);  // single precision
  };
  expect_near(first.cell_arrays.at("von_mises"), {6e6, 0.0, 0.0});
  expect_near(second.cell_arrays.at("von_mises"), {std::sqrt(3.0) * 1e6, 0.0, 0.0});
  expect_near(second.cell_arrays.at("von_mises_max"), {5e6, 0.0, 0.0});
}

TEST(MotionWriter, OneMarkerIsJoinedToTheOrigin) {
  const MotionBody body = line_body("rod", Vector3d(1.0, 2.0, 3.0));
  EXPECT_EQ(body.grid.points.col(0), Vector3d::Zero());
  EXPECT_EQ(body.grid.points.col(1), Vector3d(1.0, 2.0, 3.0));
  EXPECT_EQ(body.grid.n_cells(), 1);
  EXPECT_EQ(line_body("point", MatrixXd(3, 0)).grid.n_cells(), 0);
}

TEST(MotionWriter, TheCollectionNamesFilesThatExist) {
  const TemporaryFolder folder;
  MotionWriter writer(folder / "motion.pvd", {line_body("rod", rod_markers())});
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
