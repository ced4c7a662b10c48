#include "output/field_view.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace kurbel {

namespace {

using Eigen::Index;

constexpr double surface = 0.5;  ///< density

/// The axis along which a mesh is seen: z in 2D, else the shortest edge (the last of equal ones).
int viewing_axis(const StructuredField& field) {
  if (field.is_flat()) return 2;
  int axis = 2;
  for (const int other : {1, 0}) {
    if (field.size[other] < field.size[axis]) axis = other;
  }
  return axis;
}

int first_axis(int along) {
  return along == 0 ? 1 : 0;
}
int second_axis(int along) {
  return along == 2 ? 1 : 2;
}

/// Densities by their places in the mesh; zero outside.
class Voxels {
 public:
  explicit Voxels(const StructuredField& field) : field_(field) {}

  int n(int axis) const { return field_.divisions[static_cast<std::size_t>(axis)]; }
  double at(const Eigen::Vector3i& i) const {
    for (int axis = 0; axis < 3; ++axis) {
      if (i[axis] < 0 || i[axis] >= n(axis)) return 0.0;
    }
    return (*field_.values)[i[0] + Index{n(0)} * (i[1] + Index{n(1)} * i[2])];
  }
  /// Out of the material, of unit length; zero inside of it.
  Vector3d normal(const Eigen::Vector3i& i) const {
    Vector3d slope = Vector3d::Zero();
    for (int axis = 0; axis < 3; ++axis) {
      const Eigen::Vector3i step = Eigen::Vector3i::Unit(axis);
      for (const int reach : {1, 2})
        slope[axis] += (at(i - reach * step) - at(i + reach * step)) * n(axis) / field_.size[axis];
    }
    const double length = slope.norm();
    return length > 0.0 ? Vector3d(slope / length) : Vector3d::Zero();
  }

 private:
  const StructuredField& field_;
};

}  // namespace

Color blend(const Color& from, const Color& to, double weight) {
  Color mixed;
  for (std::size_t c = 0; c < 3; ++c) {
    mixed[c] = static_cast<std::uint8_t>(std::lround(from[c] + weight * (to[c] - from[c])));
  }
  return mixed;
}

MatrixXd mean_along_shortest_edge(const StructuredField& field) {
  const auto [nx, ny, nz] = field.divisions;
  const int along = viewing_axis(field);
  const auto first = static_cast<std::size_t>(first_axis(along)),
             second = static_cast<std::size_t>(second_axis(along));
  MatrixXd means = MatrixXd::Zero(field.divisions[first], field.divisions[second]);
  Index element = 0;
  for (int k = 0; k < nz; ++k) {
    for (int j = 0; j < ny; ++j) {
      for (int i = 0; i < nx; ++i, ++element) {
        const std::array<int, 3> at = {i, j, k};
        means(at[first], at[second]) += (*field.values)[element];
      }
    }
  }
  return means / field.divisions[static_cast<std::size_t>(along)];
}

FieldView coloured_view(const StructuredField& field, const MatrixXd& means, int length,
                        const ColorOf& color_of) {
  const int along = viewing_axis(field);
  FieldView view{{}, first_axis(along), second_axis(along)};
  const double width = field.size[view.first], height = field.size[view.second];
  const Index columns = means.rows(), rows = means.cols();
  const double per_element = length * width / std::max(width, height) / static_cast<double>(columns);
  RgbImage& image = view.image;
  image.width = per_element < 1.0 ? std::max(1, static_cast<int>(per_element * static_cast<double>(columns)))
                                  : static_cast<int>(std::lround(per_element) * columns);
  image.height = std::max(1, static_cast<int>(std::lround(image.width * height / width)));
  image.pixels.reserve(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  for (Index y = 0; y < image.height; ++y) {
    for (Index x = 0; x < image.width; ++x)
      image.pixels.push_back(color_of(means(x * columns / image.width, y * rows / image.height)));
  }
  return view;
}

StructuredField box_around(const std::vector<PlacedField>& fields) {
  Vector3d low = Vector3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const PlacedField& placed : fields) {
    const Vector3d& size = placed.field.size;
    for (const double x : {0.0, size[0]}) {
      for (const double y : {0.0, size[1]}) {
        const Vector3d corner = placed.r + placed.S * (placed.field.origin + Vector3d(x, y, 0.0));
        low = low.cwiseMin(corner), high = high.cwiseMax(corner);
      }
    }
  }
  StructuredField box;
  box.origin = low, box.size = high - low;
  return box;
}

FieldView placed_view(const std::vector<PlacedField>& fields, int length, const ColorOf& color_of) {
  const StructuredField box = box_around(fields);
  const double per_metre = length / box.size.head<2>().maxCoeff();
  FieldView view;
  RgbImage& image = view.image;
  image.width = std::max(1, static_cast<int>(std::lround(per_metre * box.size[0])));
  image.height = std::max(1, static_cast<int>(std::lround(per_metre * box.size[1])));
  image.pixels.assign(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height), paper);
  const auto value_at = [](const PlacedField& placed, const Vector3d& x) -> std::optional<double> {
    const StructuredField& field = placed.field;
    const Vector3d X = placed.S.transpose() * (x - placed.r) - field.origin;
    Index place[2];
    for (int d = 0; d < 2; ++d) {
      const int n = field.divisions[static_cast<std::size_t>(d)];
      place[d] = static_cast<Index>(std::floor(X[d] / field.size[d] * n));
      if (place[d] < 0 || place[d] >= n) return {};
    }
    return (*field.values)[place[0] + Index{field.divisions[0]} * place[1]];
  };
  for (Index y = 0; y < image.height; ++y) {
    for (Index x = 0; x < image.width; ++x) {
      const Vector3d at =
          box.origin + Vector3d(static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5, 0.0) / per_metre;
      std::optional<double> largest;
      for (const PlacedField& placed : fields) largest = std::max(largest, value_at(placed, at));
      if (largest) image.pixels[static_cast<std::size_t>(x + y * image.width)] = color_of(*largest);
    }
  }
  return view;
}

FieldView shaded_view(const StructuredField& density, int along, double pixels_per_metre) {
  constexpr Color bright = {206, 214, 224}, dark = {38, 46, 58};
  const Voxels voxels(density);
  FieldView view{{}, first_axis(along), second_axis(along)};
  // The viewer sees the first axis to the right and the second upwards: against z from above, against -y from
  // the front, against x from the right.
  const bool from_high = along != 1;
  Vector3d light = Vector3d::Zero();
  light[view.first] = -0.35, light[view.second] = 0.45, light[along] = from_high ? 0.8 : -0.8;
  light.normalize();

  RgbImage& image = view.image;
  image.width = std::max(1, static_cast<int>(std::lround(density.size[view.first] * pixels_per_metre)));
  image.height = std::max(1, static_cast<int>(std::lround(density.size[view.second] * pixels_per_metre)));
  image.pixels.reserve(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  const auto color_at = [&](Eigen::Vector3i i) {
    for (int depth = 0; depth < voxels.n(along); ++depth) {
      i[along] = from_high ? voxels.n(along) - 1 - depth : depth;
      if (voxels.at(i) < surface) continue;
      const Vector3d normal = voxels.normal(i);
      const double lit = normal.isZero() ? light[along] : std::max(0.0, normal.dot(light));
      const double near = 1.0 - 0.45 * depth / voxels.n(along);
      return blend(dark, bright, near * (0.2 + 0.8 * std::abs(lit)));
    }
    return paper;
  };
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      Eigen::Vector3i i = Eigen::Vector3i::Zero();
      i[view.first] = x * voxels.n(view.first) / image.width;
      i[view.second] = y * voxels.n(view.second) / image.height;
      image.pixels.push_back(color_at(i));
    }
  }
  return view;
}

}  // namespace kurbel
