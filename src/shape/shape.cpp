#include "shape/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/errors.hpp"

namespace kurbel {

namespace {

using Eigen::Index;

Surface extruded(const Boundary& lines, double thickness) {
  const Index n = lines.points.cols(), n_edges = lines.faces.cols(), n_cap = lines.inner.cols();
  Surface out;
  out.points.resize(3, 2 * n);
  out.points << lines.points, lines.points;
  out.points.row(2).head(n).array() -= 0.5 * thickness;
  out.points.row(2).tail(n).array() += 0.5 * thickness;
  out.triangles.resize(3, 2 * n_cap + 2 * n_edges);
  out.triangles.leftCols(n_cap) = lines.inner.colwise().reverse();
  out.triangles.middleCols(n_cap, n_cap) = lines.inner.array() + static_cast<int>(n);
  for (Index e = 0; e < n_edges; ++e) {
    const int a = lines.faces(0, e), b = lines.faces(1, e), up = static_cast<int>(n);
    out.triangles.col(2 * n_cap + 2 * e) << a, b, b + up;
    out.triangles.col(2 * n_cap + 2 * e + 1) << a, b + up, a + up;
  }
  return out;
}

/// (1/2) sum x dy - y dx along the lines.
double area_within(const Boundary& lines) {
  double sum = 0.0;
  for (const auto& edge : lines.faces.colwise()) {
    const Vector3d a = lines.points.col(edge[0]), b = lines.points.col(edge[1]);
    sum += 0.5 * (a.x() * b.y() - a.y() * b.x());
  }
  return sum;
}

double volume_within(const Boundary& boundary, double thickness) {
  return boundary.faces.rows() == 2 ? thickness * area_within(boundary)
                                    : enclosed_volume({boundary.points, boundary.faces});
}

double lost_volume(const DensityField& field, const Simplices& simplices, double level) {
  VectorXd sum = VectorXd::Zero(field.density.size()), n = sum;
  for (Index s = 0; s < simplices.corners.cols(); ++s) {
    const Index cell = simplices.cell[static_cast<std::size_t>(s)];
    sum[cell] += simplices.density(simplices.corners.col(s)).mean(), n[cell] += 1.0;
  }
  double lost = 0.0;
  for (Index cell = 0; cell < sum.size(); ++cell) {
    const bool is_varied = field.role[static_cast<std::size_t>(cell)] == CellRole::varied;
    if (is_varied && field.density[cell] >= 0.5 && sum[cell] < level * n[cell]) lost += field.volume[cell];
  }
  return lost;
}

/// Returns points that smoothing moved into the solid place to its border: corners are rounded with material alone.
/// @param before  the points as they were, outside of the place or on its border
void leave_solid_place(Boundary& boundary, const MatrixXd& before, const DensityField& field) {
  constexpr int bisections = 40;
  if (!field.is_in_solid_place) return;
  for (const int point : boundary.faces.reshaped()) {
    if (boundary.is_held[static_cast<std::size_t>(point)]) continue;
    const Vector3d from = before.col(point), way = boundary.points.col(point) - from;
    if (way.isZero() || !field.is_in_solid_place(from + way)) continue;
    double below = 0.0, above = 1.0;
    for (int k = 0; k < bisections; ++k) {
      const double middle = 0.5 * (below + above);
      (field.is_in_solid_place(from + middle * way) ? above : below) = middle;
    }
    boundary.points.col(point) = from + below * way;
  }
}

/// Cuts, and makes solid the points at which parts touch in a line, so that they meet in material there.
Boundary cut_without_crowded_edges(const Simplices& simplices, double level, std::vector<int> solid) {
  constexpr int most_times = 10;
  Boundary boundary = cut_at(simplices, level, solid);
  for (int k = 0; k < most_times && !boundary.crowded.empty(); ++k) {
    solid.insert(solid.end(), boundary.crowded.begin(), boundary.crowded.end());
    boundary = cut_at(simplices, level, solid);
  }
  return boundary;
}

/// Finds the level at which the smoothed boundary encloses the volume.
class LevelSearch {
 public:
  LevelSearch(const DensityField& field, const Simplices& simplices, const ShapeOptions& options)
      : field_(field),
        simplices_(simplices),
        options_(options),
        box_(Vector3d(simplices.points.rowwise().minCoeff()),
             Vector3d(simplices.points.rowwise().maxCoeff())) {}

  struct Result {
    double level = 0.5, volume = 0.0;
    Boundary boundary;  ///< without the middles of curved edges
    MatrixXd before;    ///< its points before smoothing
  };

  /// Cuts at the level, and smoothes.
  /// @param solid  points of the mesh that are solid whatever their density
  void cut(Result& found, const std::vector<int>& solid) const {
    found.boundary = cut_without_crowded_edges(simplices_, found.level, solid);
    found.before = found.boundary.points;
    smooth(found.boundary, options_.passes, box_);
    leave_solid_place(found.boundary, found.before, field_);
  }

  Result run(const std::vector<int>& solid) const {
    constexpr double lowest = 0.01, highest = 0.99, volume_tolerance = 1e-4;
    constexpr int most_bisections = 40;
    Result found;
    double below = lowest, above = highest;
    for (int k = 0; k < most_bisections; ++k) {
      cut(found, solid);
      found.volume = volume_within(simplices_.middles.empty() ? found.boundary : rounded(found.boundary),
                                   options_.thickness);
      if (std::abs(found.volume - options_.volume) <= volume_tolerance * options_.volume) break;
      (found.volume > options_.volume ? below : above) = found.level;
      found.level = 0.5 * (below + above);
    }
    return found;
  }

  Boundary rounded(Boundary boundary) const {
    round_curved_edges(boundary, simplices_);
    return boundary;
  }
  bool has_volume(double volume) const {
    constexpr double volume_error = 0.01;
    return std::abs(volume - options_.volume) <= volume_error * options_.volume;
  }
  bool has_volume(const Result& found) const { return has_volume(found.volume); }

 private:
  const DensityField& field_;
  const Simplices& simplices_;
  const ShapeOptions& options_;
  Eigen::AlignedBox3d box_;
};

/// Sets solid what is too narrow to be smoothed, and finds the level again. Where faces still cross, smoothing is taken back.
LevelSearch::Result without_tangles(const LevelSearch& search) {
  constexpr int most_times = 5;
  LevelSearch::Result found = search.run({});
  std::set<int> solid;
  for (int k = 0; k < most_times && search.has_volume(found); ++k) {
    const std::size_t n_before = solid.size();
    solid.merge(narrow_points(found.boundary, found.before));
    if (solid.size() == n_before) break;
    LevelSearch::Result next = search.run({solid.begin(), solid.end()});
    if (!search.has_volume(next)) break;
    found = std::move(next);
  }
  untangle(found.boundary, found.before);
  return found;
}

bool has_densities(const DensityField& field) {
  return std::ranges::find(field.role, CellRole::varied) != field.role.end();
}

}  // namespace

const char* remedy_of(const Shape& shape) {
  return shape.has_densities ? "Raise filter.radius or refine the mesh, and optimize again"
                             : "Bound the offsets of mesh.surface more closely, and optimize again";
}

std::string crossing_message(const Shape& shape) {
  const Vector3d& x = shape.crossing->place;
  const std::string where =
      fmt::format("its surface passes through itself at ({:.4g}, {:.4g}, {:.4g}) m", x.x(), x.y(), x.z());
  if (!shape.crossing->is_of_mesh || !shape.has_densities)
    return fmt::format("{}. {}", where, remedy_of(shape));
  return where + ", as the mesh of the part or a border of its regions does. Change these there";
}

Shape make_shape(const DensityField& field, const ShapeOptions& options) {
  const Simplices simplices = divide(field);
  const LevelSearch search(field, simplices, options);
  const LevelSearch::Result found = without_tangles(search);
  if (!search.has_volume(found)) {
    throw ShapeFailure(
        fmt::format("no surface of one density encloses the volume {:.4g} m^3; the nearest one encloses "
                    "{:.4g}. The design is too grey to be cut",
                    options.volume, found.volume));
  }
  Boundary boundary = search.rounded(found.boundary);
  Shape shape;
  shape.level = found.level, shape.volume = volume_within(boundary, options.thickness);
  if (!search.has_volume(shape.volume)) {
    throw ShapeFailure(fmt::format(
        "members are too narrow to be smoothed: the surface encloses {:.4g} m^3 in place of {:.4g}. "
        "Raise filter.radius or refine the mesh, and optimize again",
        shape.volume, options.volume));
  }
  shape.n_crumbs = boundary.n_crumbs, shape.crossing = find_crossing(boundary);
  shape.has_densities = has_densities(field);
  shape.lost = lost_volume(field, simplices, shape.level);
  if (simplices.is_flat()) {
    shape.surface = extruded(boundary, options.thickness);
    shape.outline = std::move(boundary);
  } else {
    shape.surface = {std::move(boundary.points), std::move(boundary.faces)};
  }
  return shape;
}

Surface drawn_surface(const DensityField& field) {
  const Simplices simplices = divide(field);
  const ShapeOptions options;
  const LevelSearch search(field, simplices, options);
  LevelSearch::Result found;
  search.cut(found, {});
  Boundary boundary = search.rounded(std::move(found.boundary));
  return {std::move(boundary.points), std::move(boundary.faces)};
}

}  // namespace kurbel
