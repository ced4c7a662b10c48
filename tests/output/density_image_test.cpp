#include "output/density_image.hpp"

#include <cstdlib>
#include <limits>
#include <numbers>

#include "base/files.hpp"
#include "tests/input_error.hpp"
#include "tests/output/vtk_reading.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/write_error.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using Pixel = std::array<int, 3>;

const Pixel white = {255, 255, 255};

/// A box of equal elements, numbered x fastest, then y, then z; flat with one division along z.
MeshField field(const std::array<int, 3>& divisions, const Vector3d& size, const VectorXd& values) {
  const auto [nx, ny, nz] = divisions;
  const bool flat = nz == 1;
  MeshField out;
  out.values = values;
  out.grid.points.resize(3, (nx + 1) * (ny + 1) * (flat ? 1 : nz + 1));
  const auto node = [&](int i, int j, int k) { return i + (nx + 1) * (j + (ny + 1) * k); };
  for (int k = 0; k <= (flat ? 0 : nz); ++k) {
    for (int j = 0; j <= ny; ++j) {
      for (int i = 0; i <= nx; ++i)
        out.grid.points.col(node(i, j, k)) << size[0] * i / nx, size[1] * j / ny,
            flat ? 0.0 : size[2] * k / nz;
    }
  }
  CellBlock block{flat ? CellBlock::Kind::quadrilateral : CellBlock::Kind::hexahedron,
                  Eigen::MatrixXi(flat ? 4 : 8, nx * ny * nz)};
  int cell = 0;
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i, ++cell) {
        for (int layer = 0; layer < (flat ? 1 : 2); ++layer)
          block.corners.col(cell).segment<4>(4 * layer) << node(i, j, k + layer), node(i + 1, j, k + layer),
              node(i + 1, j + 1, k + layer), node(i, j + 1, k + layer);
      }
    }
  }
  out.grid.cells = {block};
  return out;
}

/// A picture and its first view.
struct Drawn {
  ReadImage image;
  FieldPicture picture;

  int width(std::size_t view = 0) const { return picture.views[view].width; }
  int height(std::size_t view = 0) const { return picture.views[view].height; }
  /// From the lower left corner of a view.
  Pixel at(int x, int y, std::size_t view = 0) const {
    return image.at(picture.views[view].left + x, picture.views[view].bottom + y);
  }
};

Drawn density_picture(const MeshField& field, const ImageOptions& options = {}) {
  const TemporaryFolder folder;
  const FieldPicture picture = write_density_png(folder / "a.png", field, options);
  return {read_png(folder / "a.png"), picture};
}

Drawn signed_picture(const MeshField& field) {
  const TemporaryFolder folder;
  const FieldPicture picture = write_signed_png(folder / "a.png", field);
  return {read_png(folder / "a.png"), picture};
}

/// Pixels that are not white in a part of the picture.
int ink(const ReadImage& image, int left, int right, int bottom, int top) {
  int n = 0;
  for (int y = bottom; y < top; ++y) {
    for (int x = left; x < right; ++x) n += image.at(x, y) != white ? 1 : 0;
  }
  return n;
}

TEST(DensityImage, DrawsSolidDarkAndVoidWhiteWithYUpwards) {
  unsetenv("DISPLAY");
  VectorXd rho = VectorXd::Zero(4 * 2);
  rho[0] = 1.0;      // lowest row, at the left
  rho[4 + 3] = 0.5;  // highest row, at the right
  const Drawn drawn = density_picture(field({4, 2, 1}, {0.2, 0.1, 0.0}, rho));
  ASSERT_EQ(drawn.width(), 1600);
  ASSERT_EQ(drawn.height(), 800);
  EXPECT_LT(drawn.at(0, 0)[0], 40);
  EXPECT_LT(drawn.at(399, 399)[0], 40);
  EXPECT_EQ(drawn.at(400, 0), white);
  EXPECT_EQ(drawn.at(0, 400), white);
  EXPECT_NEAR(drawn.at(1599, 799)[0], 140, 2);  // half way between 255 and 25
}

TEST(DensityImage, ShowsBodiesWhereTheyStand) {
  // One bar along x from the origin; another one upwards from the end of the first.
  const VectorXd grey = VectorXd::Constant(4, 0.5), solid = VectorXd::Ones(2);
  MeshField both = field({4, 1, 1}, {0.4, 0.1, 0.0}, grey);
  append(both.grid, placed(field({2, 1, 1}, {0.2, 0.1, 0.0}, solid).grid, {0.4, 0.0, 0.0},
                           Eigen::AngleAxisd(0.5 * std::numbers::pi, Vector3d::UnitZ()).toRotationMatrix()));
  both.values.conservativeResize(6);
  both.values.tail(2) = solid;
  const Drawn drawn = density_picture(both);
  ASSERT_EQ(drawn.width(), 1600) << "0.4 m";
  ASSERT_EQ(drawn.height(), 800);
  EXPECT_NEAR(drawn.at(800, 200)[0], 140, 2);
  EXPECT_EQ(drawn.at(800, 600), white);
  EXPECT_LT(drawn.at(1400, 600)[0], 40);
  EXPECT_LT(drawn.at(1400, 200)[0], 40) << "of two at a place the denser one";
}

TEST(DensityImage, DrawsALineAroundAMeshThatDoesNotFillItsBox) {
  // Void elements around a hole, whose lower left corner is at (0.1, 0.1) m.
  MeshField ring = field({3, 3, 1}, {0.3, 0.3, 0.0}, VectorXd::Zero(8));
  Eigen::MatrixXi& corners = ring.grid.cells[0].corners;
  corners.middleCols(4, 4) = corners.rightCols(4).eval();
  corners.conservativeResize(4, 8);
  const Drawn drawn = density_picture(ring);
  const int first = drawn.width() / 3, last = 2 * drawn.width() / 3;
  const int middle = drawn.height() / 2;
  EXPECT_EQ(drawn.at(first - 5, middle), white) << "void";
  EXPECT_EQ(drawn.at(middle, middle), white) << "the middle of the hole";
  for (const int x : {first + 1, last - 2}) EXPECT_LT(drawn.at(x, middle)[0], 150) << x;
  const Drawn full = density_picture(field({3, 3, 1}, {0.3, 0.3, 0.0}, VectorXd::Zero(9)));
  EXPECT_EQ(full.at(first + 1, middle), white);
}

TEST(DensityImage, HasAxesAColourBarAScaleBarAndATitle) {
  const VectorXd rho = VectorXd::Constant(8, 0.5);
  const MeshField half = field({4, 2, 1}, {0.2, 0.1, 0.0}, rho);
  const Drawn plain = density_picture(half), titled = density_picture(half, {.title = "Crank"});
  const ViewPlace& at = plain.picture.views[0];
  const int right = at.left + at.width, top = at.bottom + at.height;
  EXPECT_GT(ink(plain.image, 0, at.left - 2, at.bottom, top), 200) << "numbers beside the axis of y";
  EXPECT_GT(ink(plain.image, at.left, right, at.bottom - 100, at.bottom - 2), 200) << "and below that of x";
  // 50 mm are a quarter of the edge.
  EXPECT_NE(plain.image.at(right - 200, 40), white);
  EXPECT_EQ(plain.image.at(right - 200, 10), white);
  // From white to dark.
  const int bar = right + 40 + 18;
  EXPECT_GT(plain.image.at(bar, at.bottom + 5)[0], 240);
  EXPECT_LT(plain.image.at(bar, top - 5)[0], 40);
  EXPECT_EQ(titled.picture.height, plain.picture.height + 60);
  EXPECT_GT(ink(titled.image, at.left, right, top + 30, titled.picture.height), 200);
}

TEST(DensityImage, HasAColourBarOfReadableLengthBesideASlenderPart) {
  const VectorXd solid = VectorXd::Ones(100);
  const Drawn drawn = density_picture(field({100, 1, 1}, {10.0, 0.08, 0.0}, solid));
  ASSERT_LT(drawn.height(), 20);
  const ViewPlace& view = drawn.picture.views[0];
  const int middle = view.left + view.width + 58, top = view.bottom + view.height;
  EXPECT_GT(ink(drawn.image, middle, middle + 1, top - 100, top), 90);
  EXPECT_EQ(ink(drawn.image, middle, middle + 1, top + 2, drawn.picture.height), 0)
      << "the title is left alone";
}

TEST(DensityImage, KeepsTheAspectOfElementsThatAreNotSquare) {
  const VectorXd rho = VectorXd::Ones(100 * 10);
  const Drawn drawn = density_picture(field({100, 10, 1}, {1.0, 0.33, 0.0}, rho));
  EXPECT_EQ(drawn.width(), 1600);
  EXPECT_EQ(drawn.height(), 528);
}

TEST(DensityImage, PixelsPerElementAreWhole) {
  const VectorXd rho = VectorXd::Ones(300);
  const Drawn drawn = density_picture(field({300, 1, 1}, {3.0, 0.01, 0.0}, rho));
  EXPECT_EQ(drawn.width(), 300 * 5);  // 1600 / 300 = 5.3
}

TEST(DensityImage, ShowsMoreElementsThanPixels) {
  for (const bool wide : {true, false}) {
    const VectorXd rho = VectorXd::LinSpaced(40000, 1.0, 0.0);
    const Drawn drawn = wide ? density_picture(field({40000, 1, 1}, {1.0, 0.2, 0.0}, rho))
                             : density_picture(field({400, 100, 1}, {0.01, 1.0, 0.0}, rho));
    EXPECT_LE(std::max(drawn.picture.width, drawn.picture.height), 2500);
    EXPECT_LT(drawn.at(0, 0)[0], 40);
    EXPECT_GT(drawn.at(drawn.width() - 1, drawn.height() - 1)[0], 240);
  }
}

/// Adds the six faces of a box, two triangles each.
void add_box(Surface& surface, const Vector3d& low, const Vector3d& high) {
  const auto first = static_cast<int>(surface.points.cols());
  surface.points.conservativeResize(3, first + 8);
  for (int k = 0; k < 8; ++k)
    surface.points.col(first + k) << (k & 1 ? high : low).x(), (k & 2 ? high : low).y(),
        (k & 4 ? high : low).z();
  constexpr int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                               {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  for (const auto& [a, b, c, d] : faces) {
    const Eigen::Index n = surface.triangles.cols();
    surface.triangles.conservativeResize(3, n + 2);
    surface.triangles.rightCols<2>() << a, a, b, c, c, d;
    surface.triangles.rightCols<2>().array() += first;
  }
}

Drawn solid_picture(const Surface& surface, const MeshBox& space) {
  const TemporaryFolder folder;
  const FieldPicture picture = write_solid_png(folder / "a.png", surface, space);
  return {read_png(folder / "a.png"), picture};
}

/// A plate of two layers, the lower one of which is longer, in a space of 0.4 x 0.2 x 0.1 m.
TEST(DensityImage, ShowsASolidFromThreeSides) {
  Surface steps;
  add_box(steps, {0.0, 0.0, 0.0}, {0.3, 0.2, 0.05});
  add_box(steps, {0.0, 0.0, 0.05}, {0.2, 0.2, 0.1});
  const Drawn drawn = solid_picture(steps, {Vector3d::Zero(), {0.4, 0.2, 0.1}});
  ASSERT_EQ(drawn.picture.views.size(), 3u);
  EXPECT_EQ(drawn.width(0), 1600);
  EXPECT_EQ(drawn.height(0), 800);
  EXPECT_EQ(drawn.width(1), 1600);
  EXPECT_EQ(drawn.height(1), 400);
  EXPECT_EQ(drawn.width(2), 800);
  EXPECT_EQ(drawn.height(2), 400);
  const auto is_solid = [&](int x, int y, std::size_t view) { return drawn.at(x, y, view) != white; };
  EXPECT_TRUE(is_solid(5, 5, 0) && is_solid(1195, 795, 0)) << "from above";
  EXPECT_FALSE(is_solid(1205, 400, 0));
  EXPECT_LT(drawn.at(1100, 400, 0)[0], drawn.at(600, 400, 0)[0]) << "farther away is darker";
  EXPECT_TRUE(is_solid(700, 300, 1) && is_solid(1100, 100, 1)) << "from the front, z upwards";
  EXPECT_FALSE(is_solid(1100, 300, 1));
  EXPECT_TRUE(is_solid(400, 300, 2)) << "from the right";
}

// Light falls on the face that is seen, up to its edges: corners have a normal for each face.
TEST(DensityImage, ShowsFlatFacesInOneColour) {
  Surface cube;
  add_box(cube, Vector3d::Zero(), Vector3d::Ones());
  const Drawn drawn = solid_picture(cube, {Vector3d::Zero(), Vector3d::Ones()});
  for (std::size_t view = 0; view < 3; ++view) {
    const Pixel middle = drawn.at(800, 800, view);
    EXPECT_NE(middle, white);
    for (const int x : {1, 300, 1598}) {
      for (const int y : {1, 700, 1598})
        EXPECT_EQ(drawn.at(x, y, view), middle) << view << ": " << x << ", " << y;
    }
  }
}

TEST(DensityImage, ShowsTrianglesWithoutGapsBetweenThem) {
  MeshField fan;
  const int n = 7;
  fan.grid.points = MatrixXd::Zero(3, n + 1);
  for (int i = 0; i < n; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / n;
    fan.grid.points.col(i) << std::cos(angle), std::sin(angle), 0.0;
  }
  CellBlock block{CellBlock::Kind::triangle, Eigen::MatrixXi(3, n)};
  for (int i = 0; i < n; ++i) block.corners.col(i) << n, i, (i + 1) % n;
  fan.grid.cells = {block};
  fan.values = VectorXd::Ones(n);
  const Drawn drawn = density_picture(fan);
  const int cx = drawn.width() / 2, cy = drawn.height() / 2;
  for (int y = -cy / 2; y < cy / 2; ++y) {
    for (int x = -cx / 2; x < cx / 2; ++x)
      ASSERT_LT(drawn.at(cx + x, cy + y)[0], 40) << "no gap at " << x << ", " << y;
  }
  EXPECT_EQ(drawn.at(2, 2), white) << "beside it";
}

/// The same quadrilaterals with points in the middles of their edges.
MeshField quadratic(const MeshField& linear) {
  constexpr Eigen::Index n_edges = 4;
  MeshField out = linear;
  const Eigen::MatrixXi corners = linear.grid.cells.front().corners;
  const Eigen::Index n_points = linear.grid.points.cols();
  out.grid.points.conservativeResize(3, n_points + n_edges * corners.cols());
  CellBlock block{CellBlock::Kind::quadratic_quadrilateral,
                  Eigen::MatrixXi(corners.rows() + n_edges, corners.cols())};
  block.corners.topRows(corners.rows()) = corners;
  for (Eigen::Index c = 0; c < corners.cols(); ++c) {
    for (Eigen::Index k = 0; k < n_edges; ++k) {
      const Eigen::Index point = n_points + n_edges * c + k;
      out.grid.points.col(point) = 0.5 * (linear.grid.points.col(corners(k, c)) +
                                          linear.grid.points.col(corners((k + 1) % n_edges, c)));
      block.corners(corners.rows() + k, c) = static_cast<int>(point);
    }
  }
  out.grid.cells = {block};
  return out;
}

TEST(DensityImage, ShowsQuadraticCellsAsLinearOnesWithTheSameStraightEdges) {
  const VectorXd values = VectorXd::LinSpaced(6, 0.0, 1.0);
  const MeshField flat = field({3, 2, 1}, {0.3, 0.2, 0.0}, values);
  const Drawn a = density_picture(flat), b = density_picture(quadratic(flat));
  ASSERT_EQ(a.width(), b.width());
  ASSERT_EQ(a.height(), b.height());
  for (int y = 0; y < a.height(); y += 7) {
    for (int x = 0; x < a.width(); x += 7) ASSERT_EQ(a.at(x, y), b.at(x, y)) << x << ", " << y;
  }
}

TEST(DensityImage, ShowsSignsInBlueAndRed) {
  const VectorXd values = Vector3d(-2.0, 0.0, 2.0);
  const Drawn drawn = signed_picture(field({3, 1, 1}, {3.0, 1.0, 0.0}, values));
  const int step = drawn.width() / 3;
  const Pixel negative = drawn.at(5, 10), zero = drawn.at(step + 5, 10),
              positive = drawn.at(2 * step + 5, 10);
  EXPECT_GT(negative[2], negative[0] + 100);
  EXPECT_EQ(zero, white);
  EXPECT_GT(positive[0], positive[2] + 100);
}

TEST(DensityImage, ShowsTheMeanOfASignedFieldAlongTheShortestEdge) {
  VectorXd values = VectorXd::Zero(2 * 2 * 2);
  values[0] = 1.0;  // at (0, 0, 0)
  values[5] = 1.0;  // at (1, 0, 1)
  const auto red = [](const Pixel& p) { return p[0] > p[2] + 50; };
  const Drawn along_z = signed_picture(field({2, 2, 2}, {0.2, 0.1, 0.05}, values));
  EXPECT_TRUE(red(along_z.at(0, 0)) && red(along_z.at(1500, 0)));
  EXPECT_EQ(along_z.at(0, 700), white);
  const Drawn along_y = signed_picture(field({2, 2, 2}, {0.2, 0.05, 0.1}, values));  // z upwards
  EXPECT_TRUE(red(along_y.at(0, 0)) && red(along_y.at(1500, 700)));
  EXPECT_EQ(along_y.at(0, 700), white);
  const Drawn along_x = signed_picture(field({2, 2, 2}, {0.05, 0.2, 0.1}, values));  // y to the right
  EXPECT_TRUE(red(along_x.at(0, 0)) && red(along_x.at(0, 700)));
  EXPECT_EQ(along_x.at(1500, 0), white);
}

TEST(DensityImage, OneOutlierDoesNotWashOutTheSensitivities) {
  VectorXd values = VectorXd::Constant(100, -1.0);
  values[99] = -1e6;
  const Drawn drawn = signed_picture(field({100, 1, 1}, {100.0, 10.0, 0.0}, values));
  EXPECT_EQ(drawn.at(0, 0), drawn.at(1599, 0));
  const VectorXd nothing = VectorXd::Zero(100);
  EXPECT_EQ(signed_picture(field({100, 1, 1}, {100.0, 10.0, 0.0}, nothing)).at(0, 0), white);
}

TEST(DensityImage, EqualFieldsGiveEqualBytes) {
  const TemporaryFolder folder;
  const VectorXd rho = VectorXd::LinSpaced(50, 0.0, 1.0);
  for (const char* name : {"a.png", "b.png"})
    write_density_png(folder / name, field({10, 5, 1}, {2, 1, 0}, rho));
  EXPECT_EQ(read_text_file(folder / "a.png"), read_text_file(folder / "b.png"));
}

TEST(DensityImage, RefusesWhatItCannotDraw) {
  const TemporaryFolder folder;
  VectorXd rho = VectorXd::Ones(4);
  expect_input_error(
      [&] {
        write_density_png(folder / "a.png", field({3, 2, 1}, {1, 1, 0}, rho));
      },
      {"a.png", "4 values for 6 elements"});
  rho[2] = std::numeric_limits<double>::quiet_NaN();
  expect_input_error(
      [&] {
        write_density_png(folder / "a.png", field({2, 2, 1}, {1, 1, 0}, rho));
      },
      {"a.png", "not finite"});
  rho[2] = 0.0;
  expect_write_error(
      [&] {
        write_density_png(folder / "none/a.png", field({2, 2, 1}, {1, 1, 0}, rho));
      },
      {"cannot write", "none/a.png"});
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace kurbel
