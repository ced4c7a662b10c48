#include "output/density_image.hpp"

#include <cstdlib>
#include <limits>

#include "base/files.hpp"
#include "tests/input_error.hpp"
#include "tests/output/vtk_reading.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/write_error.hpp"

namespace kurbel {
namespace {

namespace fs = std::filesystem;
using Pixel = std::array<int, 3>;

constexpr int border = 12 + 2;  // margin and frame
const Pixel white = {255, 255, 255};

StructuredField field(const std::array<int, 3>& divisions, const Vector3d& size, const VectorXd& values) {
  return {divisions, size, &values};
}

TEST(DensityImage, DrawsSolidDarkAndVoidWhiteWithYUpwards) {
  unsetenv("DISPLAY");
  const TemporaryFolder folder;
  VectorXd rho = VectorXd::Zero(4 * 2);
  rho[0] = 1.0;      // lowest row, at the left
  rho[4 + 3] = 0.5;  // highest row, at the right
  write_density_png(folder / "a.png", field({4, 2, 1}, {0.2, 0.1, 0.0}, rho));
  const ReadImage image = read_png(folder / "a.png");
  ASSERT_EQ(image.width, 1600 + 2 * border);
  ASSERT_EQ(image.height, 800 + 2 * border);
  EXPECT_LT(image.at(border, border)[0], 40);
  EXPECT_LT(image.at(border + 399, border + 399)[0], 40);
  EXPECT_EQ(image.at(border + 400, border), white);
  EXPECT_EQ(image.at(border, border + 400), white);
  EXPECT_NEAR(image.at(border + 1599, border + 799)[0], 140, 2);  // half way between 255 and 25
  EXPECT_EQ(image.at(0, 0), white);                               // margin
  EXPECT_LT(image.at(border - 1, border + 500)[0], 200);          // frame
  EXPECT_LT(image.at(border + 500, border - 2)[0], 200);
  EXPECT_EQ(image.at(border + 500, border - 3), white);
}

TEST(DensityImage, KeepsTheAspectOfElementsThatAreNotSquare) {
  const TemporaryFolder folder;
  const VectorXd rho = VectorXd::Ones(100 * 10);
  write_density_png(folder / "a.png", field({100, 10, 1}, {1.0, 0.33, 0.0}, rho));
  const ReadImage image = read_png(folder / "a.png");
  EXPECT_EQ(image.width - 2 * border, 1600);
  EXPECT_EQ(image.height - 2 * border, 528);
}

TEST(DensityImage, PixelsPerElementAreWhole) {
  const TemporaryFolder folder;
  const VectorXd rho = VectorXd::Ones(300);
  write_density_png(folder / "a.png", field({300, 1, 1}, {3.0, 0.01, 0.0}, rho));
  EXPECT_EQ(read_png(folder / "a.png").width - 2 * border, 300 * 5);  // 1600 / 300 = 5.3
}

TEST(DensityImage, LooksAtABoxAlongItsShortestEdge) {
  const TemporaryFolder folder;
  VectorXd rho = VectorXd::Zero(2 * 2 * 2);
  rho[0] = 1.0;  // at (0, 0, 0)
  rho[5] = 1.0;  // at (1, 0, 1)
  const auto draw = [&](const Vector3d& size) {
    write_density_png(folder / "a.png", field({2, 2, 2}, size, rho));
    return read_png(folder / "a.png");
  };
  const auto is_half = [](const Pixel& p) { return std::abs(p[0] - 140) <= 2; };
  const ReadImage along_z = draw({0.2, 0.1, 0.05});
  EXPECT_TRUE(is_half(along_z.at(border, border)) && is_half(along_z.at(border + 1500, border)));
  EXPECT_EQ(along_z.at(border, border + 700), white);
  const ReadImage along_y = draw({0.2, 0.05, 0.1});  // x to the right, z upwards
  EXPECT_TRUE(is_half(along_y.at(border, border)) && is_half(along_y.at(border + 1500, border + 700)));
  EXPECT_EQ(along_y.at(border, border + 700), white);
  const ReadImage along_x = draw({0.05, 0.2, 0.1});  // y to the right, z upwards
  EXPECT_TRUE(is_half(along_x.at(border, border)) && is_half(along_x.at(border, border + 700)));
  EXPECT_EQ(along_x.at(border + 1500, border), white);
}

TEST(DensityImage, ShowsSignsInBlueAndRed) {
  const TemporaryFolder folder;
  const Vector3d values(-2.0, 0.0, 2.0);
  write_signed_png(folder / "a.png", field({3, 1, 1}, {3.0, 1.0, 0.0}, values));
  const ReadImage image = read_png(folder / "a.png");
  const int step = (image.width - 2 * border) / 3, y = border + 10;
  const Pixel negative = image.at(border + 5, y), zero = image.at(border + step + 5, y),
              positive = image.at(border + 2 * step + 5, y);
  EXPECT_GT(negative[2], negative[0] + 100);
  EXPECT_EQ(zero, white);
  EXPECT_GT(positive[0], positive[2] + 100);
}

TEST(DensityImage, OneOutlierDoesNotWashOutTheSensitivities) {
  const TemporaryFolder folder;
  VectorXd values = VectorXd::Constant(100, -1.0);
  values[99] = -1e6;
  write_signed_png(folder / "a.png", field({100, 1, 1}, {100.0, 10.0, 0.0}, values));
  const ReadImage image = read_png(folder / "a.png");
  EXPECT_EQ(image.at(border, border), image.at(border + 1599, border));
  write_signed_png(folder / "zero.png", field({100, 1, 1}, {100.0, 10.0, 0.0}, VectorXd::Zero(100)));
  EXPECT_EQ(read_png(folder / "zero.png").at(border, border), white);
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
