#include "output/block_series.hpp"

#include "tests/input_error.hpp"
#include "tests/output/vtk_reading.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/write_error.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

/// Two quadrilaterals in a row along x.
UnstructuredGrid strip() {
  UnstructuredGrid grid{MatrixXd(3, 6), {{CellBlock::Kind::quadrilateral, Eigen::MatrixXi(4, 2)}}};
  grid.points << 0, 1, 2, 0, 1, 2, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0;
  grid.cells[0].corners << 0, 1, 1, 2, 4, 5, 3, 4;
  return grid;
}

NamedBlock block_named(const std::string& name) {
  return {name, strip()};
}

TEST(BlockSeries, EachFrameHasItsPointsAndArraysUnderTheNamesOfItsBlocks) {
  const TemporaryFolder folder;
  BlockSeries series(folder / "motion.pvd");
  NamedBlock moving = block_named("arm <left> & \"right\""), other = block_named("ground");
  for (int i = 0; i < 3; ++i) {
    moving.grid.points.row(1).array() += 0.5;
    moving.cell_arrays = {{"stress", Eigen::RowVector2d(i, -i), "Pa"}};
    moving.point_arrays = {{"velocity", MatrixXd::Constant(3, 6, i), "m/s"}};
    series.add_frame(0.25 * i, {moving, other});
  }
  const auto entries = read_pvd(folder / "motion.pvd");
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[2], std::make_pair(0.5, std::string("motion/motion_00002.vtm")));
  const ReadBlocks blocks = read_blocks(folder / entries[2].second);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].first, moving.name);
  EXPECT_EQ(blocks[1].first, "ground");
  const ReadGrid& last = blocks[0].second;
  EXPECT_EQ(last.points, moving.grid.points);  // multiples of 0.5 are exact in single precision
  EXPECT_THAT(last.corners, ElementsAre(ElementsAre(0, 1, 4, 3), ElementsAre(1, 2, 5, 4)));
  EXPECT_EQ(last.cell_arrays.at("stress"), Eigen::RowVector2d(2, -2));
  EXPECT_EQ(last.point_arrays.at("velocity"), MatrixXd::Constant(3, 6, 2));
  EXPECT_EQ(last.units, (std::map<std::string, std::string>{{"stress", "Pa"}, {"velocity", "m/s"}}));
  EXPECT_EQ(read_blocks(folder / entries[0].second)[0].second.points(1, 0), 0.5);
}

TEST(BlockSeries, WritesOnceWhatDoesNotMove) {
  const TemporaryFolder folder;
  BlockSeries series(folder / "motion.pvd");
  NamedBlock ground = block_named("ground");
  ground.moves = false;
  for (int i = 0; i < 3; ++i) series.add_frame(i, {block_named("arm"), ground});
  const auto n_files = std::distance(fs::directory_iterator(folder / "motion"), fs::directory_iterator());
  EXPECT_EQ(n_files, 3 + 3 + 1);
  EXPECT_EQ(block(read_blocks(folder / "motion/motion_00002.vtm"), "ground").points, ground.grid.points);
}

TEST(Blocks, StandUnderTheirNamesInOneFile) {
  const TemporaryFolder folder;
  NamedBlock other = block_named("rod & <pin>");
  other.cell_arrays = {{"density", Eigen::RowVector2d(0.25, 0.5)}};
  write_blocks(folder / "density/density_00005.vtm", {block_named("crank"), other});
  const ReadBlocks blocks = read_blocks(folder / "density/density_00005.vtm");
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].first, "crank");
  EXPECT_EQ(blocks[1].first, other.name);
  EXPECT_EQ(blocks[1].second.cell_arrays.at("density"), Eigen::RowVector2d(0.25, 0.5));
  EXPECT_TRUE(fs::exists(folder / "density/density_00005_1.vtu"));
}

TEST(BlockSeries, StartsWithAnEmptyCollection) {
  const TemporaryFolder folder;
  const BlockSeries series(folder / "motion.pvd");
  EXPECT_TRUE(fs::exists(folder / "motion.pvd"));
  EXPECT_TRUE(read_pvd(folder / "motion.pvd").empty());
}

TEST(BlockSeries, RefusesWhatDoesNotFitAndNamesNoFileThatIsNotThere) {
  const TemporaryFolder folder;
  BlockSeries series(folder / "motion.pvd");
  NamedBlock wrong = block_named("arm");
  wrong.cell_arrays = {{"stress", MatrixXd::Zero(1, 3)}};
  expect_input_error([&] { series.add_frame(0.0, {wrong}); },
                     {"motion_00000_0.vtu", "'stress'", "3 values for 2 places"});
  EXPECT_TRUE(read_pvd(folder / "motion.pvd").empty());
  expect_write_error([&] { BlockSeries(folder / "none/a.pvd"); }, {"cannot write", "none/a.pvd"});
}

}  // namespace
}  // namespace kurbel
