#include "output/vtk_writer.hpp"

#include <limits>
#include <set>

#include "base/files.hpp"
#include "input/vtu_reader.hpp"
#include "tests/input_error.hpp"
#include "tests/output/vtk_reading.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/write_error.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;

/// Two quadrilaterals side by side and a line.
UnstructuredGrid small_grid() {
  UnstructuredGrid grid;
  grid.points.resize(3, 6);
  grid.points << 0, 1, 2, 0, 1, 2, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0.1;
  Eigen::MatrixXi quadrilaterals(4, 2), line(2, 1);
  quadrilaterals << 0, 1, 1, 2, 4, 5, 3, 4;
  line << 5, 0;
  grid.cells = {{CellBlock::Kind::quadrilateral, quadrilaterals}, {CellBlock::Kind::line, line}};
  return grid;
}

FieldArray density(double first) {
  return {"density", (Eigen::RowVector3d() << first, 0.5, 1.0).finished()};
}

TEST(VtkWriter, ParaViewsReaderSeesTheSameGrid) {
  const TemporaryFolder folder;
  const MatrixXd displacement = MatrixXd::Random(3, 6);
  write_vtu(folder / "a.vtu", small_grid(), {density(0.1)}, {{"displacement", displacement}});
  const ReadGrid grid = read_grid(folder / "a.vtu");
  EXPECT_EQ(grid.points, small_grid().points);
  EXPECT_THAT(grid.cell_types, ElementsAre(9, 9, 3));  // VTK_QUAD, VTK_QUAD, VTK_LINE
  EXPECT_THAT(grid.corners, ElementsAre(ElementsAre(0, 1, 4, 3), ElementsAre(1, 2, 5, 4), ElementsAre(5, 0)));
  EXPECT_EQ(grid.cell_arrays.at("density"), density(0.1).values);
  EXPECT_EQ(grid.point_arrays.at("displacement"), displacement);
}

TEST(VtkWriter, WritesSurfacesAsTrianglesWithTheValuesOfTheirFaces) {
  using enum CellBlock::Kind;
  const TemporaryFolder folder;
  // A quadrilateral, and a quadratic triangle beside it whose edge at the left is a parabola.
  UnstructuredGrid grid;
  grid.points.resize(3, 9);
  grid.points << 0, 1, 1, 0, 2, 2, 1.5, 2, 1.5, 0, 0, 1, 1, 0, 1, 0, 0.5, 0.5, 0, 0, 0, 0, 0, 0, 0.1, 0, 0;
  grid.cells = {{quadrilateral, Eigen::Vector4i(0, 1, 2, 3)},
                {quadratic_triangle, (Eigen::VectorXi(6) << 1, 4, 5, 6, 7, 8).finished()}};
  write_vtp(folder / "a.vtp", grid, {{"surface", Eigen::RowVector2d(7.0, 8.0)}});
  EXPECT_THAT(read_text_file(folder / "a.vtp"), ::testing::HasSubstr("type=\"PolyData\""));
  const ReadGrid read = read_grid(folder / "a.vtp");
  ASSERT_TRUE(read.readable);
  EXPECT_EQ(std::set<int>(read.cell_types.begin(), read.cell_types.end()), std::set<int>{5});  // VTK_TRIANGLE
  const MatrixXd& surface = read.cell_arrays.at("surface");
  EXPECT_EQ((surface.array() == 7.0).count(), 2);
  EXPECT_EQ((surface.array() == 8.0).count(), 16);
  // The parabola z = 0.4 t (1 - t) is met at its quarters; VTK's filter computes new points in single precision.
  double height = 0.0;
  for (const auto& x : read.points.colwise()) {
    if (std::abs(x[0] - 1.25) < 1e-12 && std::abs(x[1]) < 1e-12) height = x[2];
  }
  EXPECT_NEAR(height, 0.075, 0.075 * std::numeric_limits<float>::epsilon());
}

TEST(VtkWriter, WritesLinesOfPlaneSurfaces) {
  const TemporaryFolder folder;
  UnstructuredGrid grid{MatrixXd::Random(3, 4)};
  grid.cells = {{CellBlock::Kind::line, Eigen::Vector2i(0, 1)},
                {CellBlock::Kind::polyline, Eigen::Vector3i(1, 2, 3)}};
  write_vtp(folder / "a.vtp", grid, {{"surface", Eigen::RowVector2d(1.0, 2.0)}});
  const ReadGrid read = read_grid(folder / "a.vtp");
  EXPECT_THAT(read.cell_types, ElementsAre(3, 3, 3));  // VTK_LINE
  EXPECT_EQ(read.cell_arrays.at("surface"), Eigen::RowVector3d(1.0, 2.0, 2.0));
  EXPECT_EQ(read.points, grid.points);
}

TEST(VtkWriter, WritesHexahedra) {
  const TemporaryFolder folder;
  UnstructuredGrid grid;
  grid.points = MatrixXd::Random(3, 8);
  grid.cells = {{CellBlock::Kind::hexahedron, Eigen::VectorXi::LinSpaced(8, 0, 7)}};
  write_vtu(folder / "a.vtu", grid, {});
  const ReadGrid read = read_grid(folder / "a.vtu");
  EXPECT_THAT(read.cell_types, ElementsAre(12));
  EXPECT_THAT(read.corners[0], ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(VtkWriter, WritesTrianglesAndLinesThroughManyPoints) {
  const TemporaryFolder folder;
  UnstructuredGrid grid{MatrixXd::Random(3, 4)};
  grid.cells = {{CellBlock::Kind::triangle, Eigen::Vector3i(0, 1, 2)},
                {CellBlock::Kind::polyline, Eigen::Vector4i(3, 2, 1, 0)}};
  write_vtu(folder / "a.vtu", grid, {});
  const ReadGrid read = read_grid(folder / "a.vtu");
  EXPECT_THAT(read.cell_types, ElementsAre(5, 4));  // VTK_TRIANGLE, VTK_POLY_LINE
  EXPECT_THAT(read.corners, ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 2, 1, 0)));
}

TEST(VtkWriter, WritesQuadraticCellsWedgesAndPyramids) {
  using enum CellBlock::Kind;
  const TemporaryFolder folder;
  const auto cell = [](CellBlock::Kind kind, int n) {
    return CellBlock{kind, Eigen::VectorXi::LinSpaced(n, 0, n - 1)};
  };
  const UnstructuredGrid grid{
      MatrixXd::Random(3, 20),
      {cell(quadratic_triangle, 6), cell(quadratic_quadrilateral, 8), cell(quadratic_tetrahedron, 10),
       cell(quadratic_hexahedron, 20), cell(wedge, 6), cell(pyramid, 5)}};
  write_vtu(folder / "a.vtu", grid, {});
  EXPECT_THAT(read_grid(folder / "a.vtu").cell_types, ElementsAre(22, 23, 24, 25, 13, 14));
}

TEST(VtkWriter, ArraysCarryTheirUnits) {
  const TemporaryFolder folder;
  FieldArray stress{"stress", Eigen::RowVector3d(1, 2, 3), "Pa"};
  for (const bool animation : {false, true}) {
    write_vtu(folder / "a.vtu", small_grid(), {density(0.1), stress}, {{"u", MatrixXd::Zero(3, 6), "m"}},
              {.animation = animation});
    EXPECT_EQ(read_grid(folder / "a.vtu").units,
              (std::map<std::string, std::string>{{"stress", "Pa"}, {"u", "m"}}));
  }
}

TEST(VtkWriter, AnimationsAreOfSinglePrecision) {
  const TemporaryFolder folder;
  write_vtu(folder / "a.vtu", small_grid(), {density(0.1)}, {}, {.animation = true});
  EXPECT_EQ(read_grid(folder / "a.vtu").cell_arrays.at("density")(0, 0), static_cast<double>(0.1f));
}

TEST(VtkWriter, EqualFieldsGiveEqualBytes) {
  const TemporaryFolder folder;
  write_vtu(folder / "a.vtu", small_grid(), {density(0.1)});
  write_vtu(folder / "b.vtu", small_grid(), {density(0.1)});
  EXPECT_EQ(read_text_file(folder / "a.vtu"), read_text_file(folder / "b.vtu"));
}

TEST(VtkWriter, MakesItsFolderAndLeavesNoTemporary) {
  const TemporaryFolder folder;
  write_vtu(folder / "fields/a.vtu", small_grid(), {});
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "fields"), fs::directory_iterator()), 1);
}

TEST(VtkWriter, RefusesWhatDoesNotFit) {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.vtu";
  expect_input_error(
      [&] {
        write_vtu(path, small_grid(), {{"density", MatrixXd::Ones(1, 2)}});
      },
      {"a.vtu", "'density' has 2 values for 3 places"});
  expect_input_error(
      [&] {
        write_vtu(path, small_grid(), {}, {{"u", MatrixXd::Ones(3, 2)}});
      },
      {"a.vtu", "'u' has 2 values for 6 places"});
  UnstructuredGrid grid = small_grid();
  grid.cells[1].corners(0, 0) = 6;
  expect_input_error([&] { write_vtu(path, grid, {}); }, {"a.vtu", "point that does not exist"});
  EXPECT_TRUE(fs::is_empty(folder.path()));
  write_text_file(folder / "file", "");
  expect_write_error([&] { write_vtu(folder / "file/a.vtu", small_grid(), {}); },
                     {"cannot write", "file/a.vtu"});
}

TEST(VtkWriter, ReportsAFullDisk) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const TemporaryFolder folder;
  fs::create_symlink("/dev/full", folder / "a.vtu.part");
  expect_write_error([&] { write_vtu(folder / "a.vtu", small_grid(), {density(0.1)}); },
                     {"cannot write", "a.vtu"});
}

TEST(VtuReader, ValuesComeBackBitForBit) {
  const TemporaryFolder folder;
  const double awkward = std::nextafter(0.1, 1.0);
  write_vtu(folder / "a.vtu", small_grid(), {density(awkward)});
  EXPECT_EQ(read_vtu_cells(folder / "a.vtu", {"density"}).arrays.at("density")[0], awkward);
}

TEST(VtuReader, SaysWhatIsMissing) {
  const TemporaryFolder folder;
  write_vtu(folder / "a.vtu", small_grid(), {{"design", MatrixXd::Ones(1, 3)}, {"v", MatrixXd::Ones(3, 3)}});
  expect_input_error([&] { read_vtu_cells(folder / "a.vtu", {"density"}); },
                     {"a.vtu", "no cell array 'density'", "design, v"});
  expect_input_error([&] { read_vtu_cells(folder / "a.vtu", {"v"}); }, {"a.vtu", "with one component"});
  expect_input_error([&] { read_vtu_cells(folder / "none.vtu", {"density"}); }, {"none.vtu", "No such file"});
  write_text_file(folder / "text.vtu", "0.5\n");
  expect_input_error([&] { read_vtu_cells(folder / "text.vtu", {"density"}); },
                     {"text.vtu", "not a .vtu file"});
}

TEST(VtuReader, RefusesATruncatedFileWhereverItEnds) {
  const TemporaryFolder folder;
  write_vtu(folder / "a.vtu", small_grid(), {density(0.1)});
  const std::string whole = read_text_file(folder / "a.vtu");
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    write_text_file(folder / "cut.vtu", whole.substr(0, length));
    expect_input_error([&] { read_vtu_cells(folder / "cut.vtu", {"density"}); },
                       {"cut.vtu: truncated or not a .vtu file"});
  }
}

TEST(VtuReader, RefusesAFlippedBitAnywhere) {
  const TemporaryFolder folder;
  write_vtu(folder / "a.vtu", small_grid(), {density(0.1)});
  const std::string whole = read_text_file(folder / "a.vtu");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    write_text_file(folder / "damaged.vtu", damaged);
    expect_input_error([&] { read_vtu_cells(folder / "damaged.vtu", {"density"}); },
                       {"damaged.vtu", "checksum", "Make it anew"});
  }
}

TEST(VtkWriter, KeepsOfWhichIterationAFieldIs) {
  const TemporaryFolder folder;
  write_vtu(folder / "a.vtu", small_grid(), {}, {}, {.iteration = 17});
  EXPECT_EQ(read_grid(folder / "a.vtu").fields.at("iteration"), 17.0);
  write_vtu(folder / "b.vtu", small_grid(), {});
  EXPECT_FALSE(read_grid(folder / "b.vtu").fields.contains("iteration"));
}

}  // namespace
}  // namespace kurbel
