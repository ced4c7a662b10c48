#include "fem/lattice.hpp"

#include <algorithm>
#include <cmath>

#include "fem/density_field.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;
using Triplets = std::vector<Eigen::Triplet<double>>;

constexpr double rounding = 1e-6;  ///< relative to the size of a cell
constexpr double same_place = 1e-9;

struct Extent {
  Vector3d low, high;
};

Extent extent_of(const Mesh& mesh) {
  return {mesh.positions().rowwise().minCoeff(), mesh.positions().rowwise().maxCoeff()};
}

/// Edge lengths of elements that all are the same box along the axes.
std::optional<Vector3d> box_of_elements(const Mesh& mesh) {
  if (mesh.n_classes() != 1) return {};
  const Mesh::Points& corners = mesh.class_corners(0);
  const Vector3d low = corners.rowwise().minCoeff(), high = corners.rowwise().maxCoeff();
  Vector3d size = high - low;
  if (mesh.dim() == 2) size[2] = 1.0;
  double measure = 1.0;
  for (int d = 0; d < mesh.dim(); ++d) measure *= size[d];
  if (std::abs(mesh.measures()[0] - measure) > rounding * measure) return {};
  return size;
}

/// A cell as wide across the plane as one likes, with its centre on it.
void lay_flat(BoxGrid& grid) {
  grid.origin[2] = -0.5, grid.cell[2] = 1.0, grid.counts[2] = 1;
}

double mean_size(const Mesh& mesh) {
  return mesh.measures().array().pow(1.0 / mesh.dim()).mean();
}

}  // namespace

std::optional<BoxGrid> grid_of_elements(const Mesh& mesh) {
  const std::optional<Vector3d> size = box_of_elements(mesh);
  if (!size) return {};
  const Extent extent = extent_of(mesh);
  BoxGrid grid{extent.low, *size};
  for (int d = 0; d < mesh.dim(); ++d) {
    const double n = (extent.high[d] - extent.low[d]) / grid.cell[d];
    grid.counts[static_cast<std::size_t>(d)] = static_cast<Index>(std::round(n));
    const auto in_rows = (mesh.centres().row(d).array() - extent.low[d]) / grid.cell[d] - 0.5;
    if (((in_rows - in_rows.round()).abs() > rounding * std::max(1.0, n)).any()) return {};
  }
  if (mesh.dim() == 2) lay_flat(grid);
  return grid;
}

BoxGrid grid_over(const Mesh& mesh) {
  if (const auto own = grid_of_elements(mesh)) return *own;
  const Extent extent = extent_of(mesh);
  const double size = mean_size(mesh);
  BoxGrid grid{extent.low};
  for (int d = 0; d < mesh.dim(); ++d) {
    const double length = extent.high[d] - extent.low[d];
    const double n = std::max(1.0, std::round(length / size));
    grid.counts[static_cast<std::size_t>(d)] = static_cast<Index>(n);
    grid.cell[d] = length / n;
  }
  if (mesh.dim() == 2) lay_flat(grid);
  return grid;
}

BoxGrid stepped_grid_over(const Mesh& mesh, const AxisDirection& direction, double angle) {
  const int up = direction.axis;
  const auto has_steps = [&](const BoxGrid& grid) {
    for (int d = 0; d < mesh.dim(); ++d) {
      const double height = d == up ? grid.cell[up] : grid.cell[d] * std::tan(angle);
      if (std::abs(height - grid.cell[up]) > rounding * grid.cell[up]) return false;
    }
    return true;
  };
  if (const auto own = grid_of_elements(mesh); own && has_steps(*own)) return *own;
  const Extent extent = extent_of(mesh);
  const double wanted = mean_size(mesh) * std::min(1.0, std::tan(angle));
  const double n_layers = std::max(1.0, std::round((extent.high[up] - extent.low[up]) / wanted));
  BoxGrid grid{extent.low};
  grid.cell.setConstant((extent.high[up] - extent.low[up]) / n_layers / std::tan(angle));
  grid.cell[up] *= std::tan(angle);
  for (int d = 0; d < mesh.dim(); ++d) {
    const double n = std::ceil((extent.high[d] - extent.low[d]) / grid.cell[d] - rounding);
    grid.counts[static_cast<std::size_t>(d)] = static_cast<Index>(n);
    grid.origin[d] = 0.5 * (extent.low[d] + extent.high[d] - n * grid.cell[d]);  // in the middle
  }
  if (mesh.dim() == 2) lay_flat(grid);
  return grid;
}

Lattice::Lattice(const Mesh& mesh, const BoxGrid& grid, const std::vector<Index>& elements) : grid_(grid) {
  find_cells(mesh, elements);
  interpolate(mesh, elements);
}

Index Lattice::cell_at(const Place& place) const {
  for (std::size_t d = 0; d < 3; ++d) {
    if (place[d] < 0 || place[d] >= grid_.counts[d]) return -1;
  }
  return cells_[index(place)];
}

Lattice::Place Lattice::place_of(const Vector3d& x) const {
  Place place;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto axis = static_cast<Index>(d);
    const auto i = static_cast<Index>(std::floor((x[axis] - grid_.origin[axis]) / grid_.cell[axis]));
    place[d] = std::clamp(i, Index{0}, grid_.counts[d] - 1);
  }
  return place;
}

void Lattice::find_cells(const Mesh& mesh, const std::vector<Index>& elements) {
  const DensityField field(mesh, elements);
  const auto n = static_cast<std::size_t>(grid_.counts[0] * grid_.counts[1] * grid_.counts[2]);
  std::vector<std::vector<Index>> within(n);  // elements with their centres in a box
  for (const Index e : elements) within[index(place_of(mesh.centres().col(e)))].push_back(e);
  const bool is_of_elements = std::ranges::all_of(elements, [&](Index e) {
    const Vector3d x = mesh.centres().col(e);
    return field.centred_at(grid_.centre(place_of(x))) == e;
  });
  cells_.assign(n, -1);
  Triplets weights;
  for (Index k = 0; k < grid_.counts[2]; ++k) {
    for (Index j = 0; j < grid_.counts[1]; ++j) {
      for (Index i = 0; i < grid_.counts[0]; ++i) {
        const Place place = {i, j, k};
        const Vector3d centre = grid_.centre(place);
        DensityField::Weights own;
        if (const Index e = field.centred_at(centre); e >= 0) {
          own = {{e, 1.0}};
        } else if (!is_of_elements) {
          own = field.at(centre);
        }
        const std::vector<Index>& inside = within[index(place)];
        if (own.empty()) {
          for (const Index e : inside) own.emplace_back(e, 1.0 / static_cast<double>(inside.size()));
        }
        if (own.empty()) continue;
        const Index cell = std::ssize(places_);
        cells_[index(place)] = cell;
        places_.push_back(place);
        for (const auto& [e, w] : own) weights.emplace_back(cell, e, w);
      }
    }
  }
  to_cells_.resize(std::ssize(places_), mesh.n_elements());
  to_cells_.setFromTriplets(weights.begin(), weights.end());
}

/// Returns the cells around a place that exist, with weights whose sum is one.
std::vector<std::pair<Index, double>> Lattice::cells_around(const Vector3d& x) const {
  Place first;  // whose centre and that of the next one enclose the place
  Vector3d share;
  for (std::size_t d = 0; d < 3; ++d) {
    const auto axis = static_cast<Index>(d);
    const double at = (x[axis] - grid_.origin[axis]) / grid_.cell[axis] - 0.5;
    const bool is_centre = std::abs(at - std::round(at)) < same_place * static_cast<double>(grid_.counts[d]);
    first[d] = static_cast<Index>(is_centre ? std::round(at) : std::floor(at));
    share[axis] = is_centre ? 0.0 : at - std::floor(at);
  }
  std::vector<std::pair<Index, double>> around;
  double sum = 0.0;
  for (int corner = 0; corner < 8; ++corner) {
    Place place = first;
    double w = 1.0;
    for (int d = 0; d < 3; ++d) {
      const bool is_next = ((corner >> d) & 1) != 0;
      if (is_next) ++place[static_cast<std::size_t>(d)];
      w *= is_next ? share[d] : 1.0 - share[d];
    }
    const Index cell = w > 0.0 ? cell_at(place) : -1;
    if (cell >= 0) around.emplace_back(cell, w), sum += w;
  }
  for (auto& [cell, w] : around) w /= sum;
  return around;
}

void Lattice::interpolate(const Mesh& mesh, const std::vector<Index>& elements) {
  Triplets weights;
  for (const Index e : elements) {
    for (const auto& [cell, w] : cells_around(mesh.centres().col(e))) weights.emplace_back(e, cell, w);
  }
  to_elements_.resize(mesh.n_elements(), n_cells());
  to_elements_.setFromTriplets(weights.begin(), weights.end());
}

std::vector<std::vector<Lattice::Place>> Lattice::layers(const AxisDirection& direction) const {
  const auto up = static_cast<std::size_t>(direction.axis);
  std::vector<std::vector<Place>> layers(static_cast<std::size_t>(grid_.counts[up]));
  for (const Place& place : places_) {
    const Index layer = direction.sign > 0.0 ? place[up] : grid_.counts[up] - 1 - place[up];
    layers[static_cast<std::size_t>(layer)].push_back(place);
  }
  return layers;
}

std::vector<std::vector<Index>> Lattice::columns(const AxisDirection& direction) const {
  Place first = {0, 0, 0};
  const auto along = static_cast<std::size_t>(direction.axis);
  const std::size_t a = (along + 1) % 3, b = (along + 2) % 3;
  std::vector<std::vector<Index>> columns;
  for (first[b] = 0; first[b] < grid_.counts[b]; ++first[b]) {
    for (first[a] = 0; first[a] < grid_.counts[a]; ++first[a]) {
      std::vector<Index> column;
      Place place = first;
      for (place[along] = 0; place[along] < grid_.counts[along]; ++place[along]) {
        if (const Index cell = cell_at(place); cell >= 0) column.push_back(cell);
      }
      if (column.empty()) continue;
      if (direction.sign < 0.0) std::ranges::reverse(column);
      columns.push_back(std::move(column));
    }
  }
  return columns;
}

}  // namespace kurbel::fem
