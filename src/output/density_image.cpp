#include "output/density_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/errors.hpp"
#include "output/png_file.hpp"

namespace kurbel {
namespace fs = std::filesystem;
namespace {

using Eigen::Index;

constexpr Color white = {255, 255, 255};
constexpr Color frame_color = {120, 120, 120};
constexpr Color material = {25, 30, 38};
constexpr Color negative = {33, 102, 172};
constexpr Color positive = {178, 24, 43};

/// Values of a plane, (columns, rows) = (first axis, second axis), and its edge lengths.
struct Plane {
  MatrixXd values;
  double width = 1.0, height = 1.0;
};

/// The axis along which a mesh is seen: z in 2D, else the shortest edge (the last of equal ones).
int viewing_axis(const StructuredField& field) {
  if (field.divisions[2] == 1) return 2;
  int axis = 2;
  for (const int other : {1, 0}) {
    if (field.size[other] < field.size[axis]) axis = other;
  }
  return axis;
}

Plane project(const StructuredField& field) {
  const auto [nx, ny, nz] = field.divisions;
  const int axis = viewing_axis(field);
  const int first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
  const auto n = [&](int a) { return field.divisions[static_cast<std::size_t>(a)]; };
  Plane plane{MatrixXd::Zero(n(first), n(second)), field.size[first], field.size[second]};
  Index element = 0;
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i, ++element) {
        const std::array<int, 3> at = {i, j, k};
        plane.values(at[static_cast<std::size_t>(first)], at[static_cast<std::size_t>(second)]) +=
            (*field.values)[element];
      }
    }
  }
  plane.values /= n(axis);
  return plane;
}

Color blend(const Color& from, const Color& to, double weight) {
  Color mixed;
  for (std::size_t c = 0; c < 3; ++c) {
    mixed[c] = static_cast<std::uint8_t>(std::lround(from[c] + weight * (to[c] - from[c])));
  }
  return mixed;
}

void check(const fs::path& path, const StructuredField& field) {
  const auto [nx, ny, nz] = field.divisions;
  const Index n = Index{nx} * ny * nz;
  if (field.values == nullptr || field.values->size() != n) {
    throw InputError(fmt::format("cannot draw {}: {} values for {} elements", path.string(),
                                 field.values ? field.values->size() : 0, n));
  }
  if (!field.values->allFinite()) {
    throw InputError(fmt::format("cannot draw {}: a value is not finite", path.string()));
  }
}

template <class ColorOf>
void draw(const fs::path& path, const Plane& plane, const ImageOptions& options, const ColorOf& color_of) {
  const Index columns = plane.values.rows(), rows = plane.values.cols();
  const double longer = std::max(plane.width, plane.height);
  const Index scale = std::max(
      Index{1},
      static_cast<Index>(std::lround(options.length * plane.width / longer / static_cast<double>(columns))));
  const Index width = scale * columns;
  const Index height = std::max(
      Index{1}, static_cast<Index>(std::lround(static_cast<double>(width) * plane.height / plane.width)));
  const Index border = options.margin + 2;
  const int w = static_cast<int>(width + 2 * border), h = static_cast<int>(height + 2 * border);

  RgbImage image{w, h, {}};
  image.pixels.reserve(static_cast<std::size_t>(w) * static_cast<std::size_t>(h));
  const auto outside = [](Index at, Index extent) {
    return at < 0 ? -at : std::max(Index{0}, at - extent + 1);
  };
  for (Index y = -border; y < height + border; ++y) {
    for (Index x = -border; x < width + border; ++x) {
      const Index distance = std::max(outside(x, width), outside(y, height));
      Color color = distance <= 2 ? frame_color : white;
      if (distance == 0) color = color_of(plane.values(x / scale, std::min(rows - 1, y * rows / height)));
      image.pixels.push_back(color);
    }
  }

  write_png(path, image);
}

/// A value that 98 % of the absolute values do not exceed; 1 if that is 0.
double saturation(const MatrixXd& values) {
  std::vector<double> magnitude(static_cast<std::size_t>(values.size()));
  std::transform(values.data(), values.data() + values.size(), magnitude.begin(),
                 [](double v) { return std::abs(v); });
  const auto at =
      magnitude.begin() + static_cast<std::ptrdiff_t>(0.98 * static_cast<double>(magnitude.size() - 1));
  std::nth_element(magnitude.begin(), at, magnitude.end());
  if (*at > 0.0) return *at;
  const double largest = *std::max_element(at, magnitude.end());
  return largest > 0.0 ? largest : 1.0;
}

}  // namespace

void write_density_png(const fs::path& path, const StructuredField& density, const ImageOptions& options) {
  check(path, density);
  draw(path, project(density), options,
       [](double value) { return blend(white, material, std::clamp(value, 0.0, 1.0)); });
}

void write_signed_png(const fs::path& path, const StructuredField& field, const ImageOptions& options) {
  check(path, field);
  const Plane plane = project(field);
  const double full = saturation(plane.values);
  draw(path, plane, options, [full](double value) {
    return blend(white, value < 0.0 ? negative : positive, std::min(1.0, std::abs(value) / full));
  });
}

}  // namespace kurbel
