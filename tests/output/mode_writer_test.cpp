#include "output/mode_writer.hpp"

#include "tests/output/vtk_reading.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel {
namespace {

/// A square of 3 m by 4 m, turned by a quarter about z, whose modes move its corners along its own x and y.
BodyModes square(const std::string& name, Eigen::Index n_modes) {
  BodyModes body;
  body.name = name;
  body.grid = {MatrixXd(3, 4), {{CellBlock::Kind::quadrilateral, Eigen::MatrixXi(4, 1)}}};
  body.grid.points << 0, 3, 3, 0, 0, 0, 4, 4, 0, 0, 0, 0;
  body.grid.cells[0].corners << 0, 1, 2, 3;
  body.density = VectorXd::Constant(1, 0.5);
  body.axes << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  body.shapes = MatrixXd::Zero(12, n_modes);
  for (Eigen::Index k = 0; k < n_modes; ++k) body.shapes(3 * 2 + k, k) = 7.0;  // of corner 2
  body.hertz = 100.0 * VectorXd::LinSpaced(n_modes, 1.0, static_cast<double>(n_modes));
  return body;
}

TEST(ModeSeries, SwingsEachModeOnceWithATenthOfTheSizeOfItsBody) {
  const TemporaryFolder folder;
  write_mode_series(folder / "modes.pvd", {square("arm", 2), square("rod", 1)});
  const auto entries = read_pvd(folder / "modes.pvd");
  ASSERT_EQ(entries.size(), 40u);
  EXPECT_EQ(entries[0].first, 1.0);
  EXPECT_EQ(entries[20].first, 2.0);
  EXPECT_EQ(entries[25].first, 2.25);
  const ReadBlocks quarter = read_blocks(folder / entries[5].second),
                   second = read_blocks(folder / entries[25].second);
  ASSERT_EQ(quarter.size(), 2u);
  EXPECT_EQ(quarter[0].first, "arm");
  EXPECT_EQ(quarter[1].first, "rod");
  for (const auto& [name, grid] : quarter) {
    const MatrixXd& mode = grid.point_arrays.at("mode");
    EXPECT_NEAR(mode(1, 2), 0.5, 1e-6) << name;  // a tenth of the diagonal of 5 m; own x is y of the frame
    EXPECT_NEAR(mode.norm(), 0.5, 1e-6);
    EXPECT_NEAR(grid.points(1, 2), 4.5, 1e-6);
    EXPECT_EQ(grid.cell_arrays.at("hertz")(0), 100.0);
    EXPECT_EQ(grid.cell_arrays.at("density")(0), 0.5);
  }
  EXPECT_NEAR(second[0].second.point_arrays.at("mode")(0, 2), -0.5, 1e-6);
  EXPECT_EQ(second[0].second.cell_arrays.at("hertz")(0), 200.0);
  EXPECT_EQ(second[1].second.point_arrays.at("mode").norm(), 0.0);  // it has no second mode
}

TEST(ModeArrays, AreNamedByNumberAndFrequencyAndAreAsLargeAsOne) {
  const TemporaryFolder folder;
  write_mode_arrays(folder / "arm_modes.vtu", square("arm", 2));
  const ReadGrid grid = read_grid(folder / "arm_modes.vtu");
  EXPECT_EQ(grid.points(1, 2), 4.0);
  ASSERT_EQ(grid.point_arrays.size(), 2u);
  EXPECT_NEAR(grid.point_arrays.at("mode 1, 100 Hz")(1, 2), 1.0, 1e-12);
  EXPECT_NEAR(grid.point_arrays.at("mode 2, 200 Hz")(0, 2), -1.0, 1e-12);
}

}  // namespace
}  // namespace kurbel
