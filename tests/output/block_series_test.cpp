#include "output/vtu_series.hpp"
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

TEST(VtuSeries, EachFrameHasItsPointsAndArrays) {
  const TemporaryFolder folder;
  VtuSeries series(folder / "motion.pvd");
  UnstructuredGrid grid = strip();
  for (int i = 0; i < 3; ++i) {
    grid.points.row(1).array() += 0.5;
    series.add_frame(0.25 * i, grid, {{"stress", Eigen::RowVector2d(i, -i)}},
                     {{"velocity", MatrixXd::Constant(3, 6, i)}});
  }
  const auto entries = read_pvd(folder / "motion.pvd");
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries[2], std::make_pair(0.5, std::string("motion/motion_00002.vtu")));
  const ReadGrid last = read_grid(folder / entries[2].second);
  EXPECT_EQ(last.points, grid.points);  // multiples of 0.5 are exact in single precision
  EXPECT_THAT(last.corners, ElementsAre(ElementsAre(0, 1, 4, 3), ElementsAre(1, 2, 5, 4)));
  EXPECT_EQ(last.cell_arrays.at("stress"), Eigen::RowVector2d(2, -2));
  EXPECT_EQ(last.point_arrays.at("velocity"), MatrixXd::Constant(3, 6, 2));
  EXPECT_EQ(read_grid(folder / entries[0].second).points(1, 0), 0.5);
}

TEST(VtuSeries, StartsWithAnEmptyCollection) {
  const TemporaryFolder folder;
  const VtuSeries series(folder / "motion.pvd");
  EXPECT_TRUE(fs::exists(folder / "motion.pvd"));
  EXPECT_TRUE(read_pvd(folder / "motion.pvd").empty());
}

TEST(VtuSeries, RefusesWhatDoesNotFitAndNamesNoFileThatIsNotThere) {
  const TemporaryFolder folder;
  VtuSeries series(folder / "motion.pvd");
  expect_input_error(
      [&] {
        series.add_frame(0.0, strip(), {{"stress", MatrixXd::Zero(1, 3)}});
      },
      {"motion_00000.vtu", "'stress'", "3 values for 2 places"});
  EXPECT_TRUE(read_pvd(folder / "motion.pvd").empty());
  expect_write_error([&] { VtuSeries(folder / "none/a.pvd"); }, {"cannot write", "none/a.pvd"});
}

}  // namespace
}  // namespace kurbel
