#include "output/mesh_view.hpp"

#include <vtkCell.h>
#include <vtkGenericCell.h>
#include <vtkSmartPointer.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kurbel {

namespace {

using Eigen::Index;
using Kind = CellBlock::Kind;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

int first_axis(int along) {
  return along == 0 ? 1 : 0;
}
int second_axis(int along) {
  return along == 2 ? 1 : 2;
}

/// The axis along which a mesh is seen: z if it is flat, else the shortest edge (the last of equal ones).
int viewing_axis(const MeshField& field) {
  if (field.is_flat()) return 2;
  const Vector3d size = box_around(field.grid).size;
  int axis = 2;
  for (const int other : {1, 0}) {
    if (size[other] < size[axis]) axis = other;
  }
  return axis;
}

using Faces = std::vector<std::vector<int>>;

/// A cell whose points are numbered by their places in it.
vtkSmartPointer<vtkCell> numbered_cell(Kind kind) {
  auto cell = vtkSmartPointer<vtkCell>::Take(vtkGenericCell::InstantiateCell(static_cast<int>(kind)));
  for (vtkIdType i = 0; i < cell->GetNumberOfPoints(); ++i) cell->GetPointIds()->SetId(i, i);
  return cell;
}

/// Places of the points around a face. A quadratic face begins in the middle of an edge: three points on one edge make no
/// triangle, and triangles share the first point.
std::vector<int> outline_of(vtkCell& face) {
  const auto n = static_cast<int>(face.GetNumberOfPoints()), n_corners = face.IsLinear() ? n : n / 2;
  std::vector<int> outline;
  for (int k = 0; k < n_corners; ++k) {
    if (!face.IsLinear()) outline.push_back(static_cast<int>(face.GetPointId(n_corners + k)));
    outline.push_back(static_cast<int>(face.GetPointId(face.IsLinear() ? k : (k + 1) % n_corners)));
  }
  return outline;
}

/// Places of the points of a cell's faces; a flat cell is its own face.
Faces faces_of(Kind kind) {
  Faces faces;
  if (kind == Kind::line || kind == Kind::polyline) return faces;
  const auto cell = numbered_cell(kind);
  if (cell->GetCellDimension() == 2) return {outline_of(*cell)};
  for (int f = 0; f < cell->GetNumberOfFaces(); ++f) faces.push_back(outline_of(*cell->GetFace(f)));
  return faces;
}

bool is_flat_cell(Kind kind) {
  return faces_of(kind).size() == 1;
}

/// Calls act(corners, faces, value) for every cell.
template <class Act>
void for_each_cell(const MeshField& field, const Act& act) {
  Index cell = 0;
  for (const CellBlock& block : field.grid.cells) {
    const Faces faces = faces_of(block.kind);
    for (Index c = 0; c < block.corners.cols(); ++c) act(block.corners.col(c), faces, field.values[cell++]);
  }
}

/// The pixels of a mesh that is seen along an axis. Points become (to the right, upwards, along) with pixels as unit
/// of the first two.
class Screen {
 public:
  Screen(const MeshBox& box, int along, double pixels_per_metre)
      : box_(box), first_(first_axis(along)), second_(second_axis(along)), along_(along) {
    const auto pixels = [&](int axis) {
      return std::max(1, static_cast<int>(std::lround(box_.size[axis] * pixels_per_metre)));
    };
    width_ = pixels(first_), height_ = pixels(second_);
  }

  int width() const { return width_; }
  int height() const { return height_; }
  Vector3d at(const Vector3d& point) const {
    const Vector3d x = point - box_.origin;
    return {x[first_] * width_ / box_.size[first_], x[second_] * height_ / box_.size[second_], x[along_]};
  }

  /// Calls act(x, y, weights) for every pixel whose centre is in a triangle; it is the sum of the corners with these
  /// weights. Of two triangles that share an edge, one has the pixels on it.
  template <class Act>
  void fill(const std::array<Vector3d, 3>& corner, const Act& act) const {
    const auto [low, high] = std::minmax({corner[0].y(), corner[1].y(), corner[2].y()});
    const int last = std::min(height_ - 1, static_cast<int>(std::ceil(high - 0.5)) - 1);
    for (int y = std::max(0, static_cast<int>(std::ceil(low - 0.5))); y <= last; ++y)
      fill_row(corner, y, act);
  }

 private:
  template <class Act>
  void fill_row(const std::array<Vector3d, 3>& corner, int y, const Act& act) const {
    double left = std::numeric_limits<double>::infinity(), right = -left;
    for (std::size_t k = 0; k < 3; ++k) {
      const bool ascends =
          corner[k].y() < corner[(k + 1) % 3].y();  // an edge is cut alike from both of its sides
      const Vector3d &low = ascends ? corner[k] : corner[(k + 1) % 3],
                     &high = ascends ? corner[(k + 1) % 3] : corner[k];
      const double centre = y + 0.5;
      if (!(low.y() <= centre && centre < high.y())) continue;
      const double x = low.x() + (high.x() - low.x()) * ((centre - low.y()) / (high.y() - low.y()));
      left = std::min(left, x), right = std::max(right, x);
    }
    if (!(left < right)) return;
    Eigen::Matrix3d shape;
    for (int k = 0; k < 3; ++k) {
      shape.col(k) << corner[static_cast<std::size_t>(k)].head<2>(), 1.0;
    }
    const Eigen::Matrix3d weights_of = shape.inverse();
    const int last = std::min(width_ - 1, static_cast<int>(std::ceil(right - 0.5)) - 1);
    for (int x = std::max(0, static_cast<int>(std::ceil(left - 0.5))); x <= last; ++x)
      act(x, y, Vector3d(weights_of * Vector3d(x + 0.5, y + 0.5, 1.0)));
  }

  MeshBox box_;
  int first_, second_, along_, width_ = 1, height_ = 1;
};

/// Calls act(indices of three corners among those of the face) for the triangles of a face.
template <class Act>
void for_each_triangle(const std::vector<int>& face, const Act& act) {
  for (std::size_t k = 2; k < face.size(); ++k) act(std::array{face[0], face[k - 1], face[k]});
}

/// Mean of the values along lines of sight, by where these enter and leave the cells.
MatrixXd means_along(const MeshField& field, const Screen& screen) {
  MatrixXd sum = MatrixXd::Zero(screen.width(), screen.height()), length = sum;
  for_each_cell(field, [&](const auto& corners, const auto& faces, double value) {
    std::vector<Vector3d> at;
    Vector3d centre = Vector3d::Zero();
    for (const int node : corners) {
      at.push_back(screen.at(field.grid.points.col(node)));
      centre += at.back() / static_cast<double>(corners.size());
    }
    for (const std::vector<int>& face : faces) {
      for_each_triangle(face, [&](const std::array<int, 3>& k) {
        const std::array<Vector3d, 3> triangle = {at[static_cast<std::size_t>(k[0])],
                                                  at[static_cast<std::size_t>(k[1])],
                                                  at[static_cast<std::size_t>(k[2])]};
        const Vector3d normal = (triangle[1] - triangle[0]).cross(triangle[2] - triangle[0]);
        const bool leaves = (normal.dot(triangle[0] - centre) > 0.0) == (normal.z() > 0.0);
        const Eigen::RowVector3d depths(triangle[0].z(), triangle[1].z(), triangle[2].z());
        screen.fill(triangle, [&](int x, int y, const Vector3d& weights) {
          const double depth = (leaves ? 1.0 : -1.0) * (depths * weights).value();
          sum(x, y) += value * depth, length(x, y) += depth;
        });
      });
    }
  });
  return (length.array() > 0.0).select(sum.array() / length.array(), nothing);
}

MatrixXd values_of_flat(const MeshField& field, const Screen& screen) {
  MatrixXd values = MatrixXd::Constant(screen.width(), screen.height(), nothing);
  for_each_cell(field, [&](const auto& corners, const auto& faces, double value) {
    for_each_triangle(faces.front(), [&](const std::array<int, 3>& k) {
      const auto at = [&](int corner) { return screen.at(field.grid.points.col(corners[corner])); };
      screen.fill({at(k[0]), at(k[1]), at(k[2])}, [&](int x, int y, const Vector3d&) {
        double& seen = values(x, y);
        if (!(std::abs(seen) >= std::abs(value))) seen = value;
      });
    });
  });
  return values;
}

constexpr Index outline_width = 3;  ///< pixels
constexpr Color outline = {110, 125, 150};

RgbImage blank(int width, int height) {
  return {width, height,
          std::vector<Color>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), paper)};
}

/// True for a pixel of the mesh that has one outside of the mesh beside it.
bool is_border(const MatrixXd& values, Index x, Index y) {
  const auto is_outside = [&](Index i, Index j) {
    return i >= 0 && j >= 0 && i < values.rows() && j < values.cols() && std::isnan(values(i, j));
  };
  return is_outside(x - 1, y) || is_outside(x + 1, y) || is_outside(x, y - 1) || is_outside(x, y + 1);
}

/// Colours the pixels outside of the mesh that are as near to this one as the outline is wide.
void draw_outline_around(const MatrixXd& values, Index x, Index y, RgbImage& image) {
  constexpr Index w = outline_width;
  for (Index j = std::max<Index>(0, y - w); j <= std::min(values.cols() - 1, y + w); ++j) {
    for (Index i = std::max<Index>(0, x - w); i <= std::min(values.rows() - 1, x + w); ++i) {
      const bool is_near = (i - x) * (i - x) + (j - y) * (j - y) <= w * w;
      if (is_near && std::isnan(values(i, j)))
        image.pixels[static_cast<std::size_t>(j * values.rows() + i)] = outline;
    }
  }
}

}  // namespace

bool MeshField::is_flat() const {
  return std::ranges::all_of(grid.cells, [](const CellBlock& block) { return is_flat_cell(block.kind); });
}

MeshBox box_around(const UnstructuredGrid& grid) {
  const Vector3d low = grid.points.rowwise().minCoeff();
  return {low, grid.points.rowwise().maxCoeff() - low};
}

Color blend(const Color& from, const Color& to, double weight) {
  Color mixed;
  for (std::size_t c = 0; c < 3; ++c)
    mixed[c] = static_cast<std::uint8_t>(std::lround(from[c] + weight * (to[c] - from[c])));
  return mixed;
}

double pixels_per_metre(const UnstructuredGrid& grid, const std::vector<int>& axes, int length) {
  const Vector3d size = box_around(grid).size;
  int longest = axes.front();
  for (const int axis : axes) {
    if (size[axis] > size[longest]) longest = axis;
  }
  const double scale = length / size[longest];
  const auto corners = grid.cells.front().corners.col(0);
  const auto along = grid.points.row(longest)(corners.array());
  const double element = along.maxCoeff() - along.minCoeff();
  return scale * element < 1.0 ? scale : std::lround(scale * element) / element;
}

ValueView seen_values(const MeshField& field, double pixels_per_metre) {
  const int along = viewing_axis(field);
  const Screen screen(box_around(field.grid), along, pixels_per_metre);
  return {field.is_flat() ? values_of_flat(field, screen) : means_along(field, screen), first_axis(along),
          second_axis(along)};
}

MeshView coloured(const ValueView& seen, const ColorOf& color_of) {
  const auto width = static_cast<int>(seen.values.rows()), height = static_cast<int>(seen.values.cols());
  MeshView view{blank(width, height), seen.first, seen.second};
  for (Index i = 0; i < seen.values.size(); ++i) {
    if (std::isnan(seen.values(i))) continue;
    view.image.pixels[static_cast<std::size_t>(i)] = color_of(seen.values(i));
    const Index x = i % width, y = i / width;
    if (is_border(seen.values, x, y)) draw_outline_around(seen.values, x, y, view.image);
  }
  return view;
}

MeshView shaded_view(const ShownSurface& shown, const MeshBox& box, int along, double pixels_per_metre) {
  constexpr Color bright = {206, 214, 224}, dark = {38, 46, 58};
  const Screen screen(box, along, pixels_per_metre);
  MeshView view{blank(screen.width(), screen.height()), first_axis(along), second_axis(along)};
  // The viewer sees the first axis to the right and the second upwards: against z from above, against -y from the
  // front, against x from the right.
  const double towards = along != 1 ? 1.0 : -1.0, thickness = box.size[along];
  Vector3d light = Vector3d::Zero();
  light[view.first] = -0.35, light[view.second] = 0.45, light[along] = 0.8 * towards;
  light.normalize();

  MatrixXd nearest =
      MatrixXd::Constant(screen.width(), screen.height(), -std::numeric_limits<double>::infinity());
  for (const auto& corners : shown.triangles.colwise()) {
    std::array<Vector3d, 3> triangle;
    Eigen::RowVector3d lit, nearness;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto i = static_cast<Index>(c);
      triangle[c] = screen.at(shown.points.col(corners[i]));
      lit[i] = shown.normals.col(corners[i]).dot(light);
      nearness[i] = towards > 0.0 ? triangle[c].z() : thickness - triangle[c].z();
    }
    screen.fill(triangle, [&](int x, int y, const Vector3d& weights) {
      const double near = (nearness * weights).value();
      if (near <= nearest(x, y)) return;
      nearest(x, y) = near;
      const double brightness = 0.2 + 0.8 * std::clamp((lit * weights).value(), 0.0, 1.0);
      view.image.pixels[static_cast<std::size_t>(x) +
                        static_cast<std::size_t>(y) * static_cast<std::size_t>(screen.width())] =
          blend(dark, bright, (1.0 - 0.45 * (1.0 - near / thickness)) * brightness);
    });
  }
  return view;
}

}  // namespace kurbel
