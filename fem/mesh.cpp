#include "fem/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "fem/element.hpp"

namespace kurbel::fem {

namespace {

void require_valid(const MeshSpec& spec) {
  if (spec.dim != 2 && spec.dim != 3) {
    throw InputError(fmt::format("mesh: dimension {} is neither 2 nor 3", spec.dim));
  }
  for (int d = 0; d < spec.dim; ++d) {
    if (spec.divisions[d] < 1) {
      throw InputError(fmt::format("mesh.divisions: {} is less than 1", spec.divisions[d]));
    }
    if (!(spec.size[d] > 0.0) || !std::isfinite(spec.size[d])) {
      throw InputError(fmt::format("mesh.size: {} is not a positive length", spec.size[d]));
    }
  }
  if (spec.dim == 2 && !(spec.thickness > 0.0)) {
    throw InputError(fmt::format("mesh.thickness: {} is not a positive length", spec.thickness));
  }
  if (!spec.origin.allFinite()) throw InputError("mesh.origin: not finite");
  double nodes = 1.0;
  for (int d = 0; d < spec.dim; ++d) nodes *= spec.divisions[d] + 1.0;
  if (nodes * spec.dim > 2e9)
    throw InputError(fmt::format("mesh.divisions: {:.3g} nodes are too many", nodes));
}

}  // namespace

Mesh::Mesh(const MeshSpec& spec) : dim_(spec.dim) {
  require_valid(spec);
  for (int d = 0; d < dim_; ++d) element_size_[d] = spec.size[d] / spec.divisions[d];
  if (dim_ == 2) element_size_[2] = spec.thickness;
  positions_ = node_positions(spec);
  connect_elements(spec);
}

Mesh::Points node_positions(const MeshSpec& spec) {
  const std::array<int, 3>& n = spec.divisions;
  const int n_z = spec.dim == 3 ? n[2] : 0;
  Mesh::Points positions(3, static_cast<Eigen::Index>(n[0] + 1) * (n[1] + 1) * (n_z + 1));
  Eigen::Index node = 0;
  for (int k = 0; k <= n_z; ++k) {
    const double z = spec.dim == 3 ? spec.origin[2] + spec.size[2] * k / n[2] : 0.0;
    for (int j = 0; j <= n[1]; ++j) {
      const double y = spec.origin[1] + spec.size[1] * j / n[1];
      for (int i = 0; i <= n[0]; ++i) positions.col(node++) << spec.origin[0] + spec.size[0] * i / n[0], y, z;
    }
  }
  return positions;
}

void Mesh::connect_elements(const MeshSpec& spec) {
  const std::array<int, 3>& n = spec.divisions;
  const int n_z = dim_ == 3 ? n[2] : 1;
  const int row = n[0] + 1, layer = row * (n[1] + 1);
  const Eigen::Index n_elements = static_cast<Eigen::Index>(n[0]) * n[1] * n_z;
  elements_per_layer_ = dim_ == 3 ? static_cast<Eigen::Index>(n[0]) * n[1] : n[0];
  connectivity_.resize(nodes_per_element(), n_elements);
  centres_.resize(3, n_elements);
  Eigen::Index e = 0;
  for (int k = 0; k < n_z; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i, ++e) {
        const int first = k * layer + j * row + i;
        for (int a = 0; a < nodes_per_element(); ++a) {
          const auto& [x, y, z] = corner_ends[a];
          connectivity_(a, e) = first + x + row * y + layer * z;
        }
        const int opposite = connectivity_(dim_ == 3 ? 6 : 2, e);
        centres_.col(e) = 0.5 * (positions_.col(first) + positions_.col(opposite));
      }
    }
  }
  volumes_ = VectorXd::Constant(n_elements, element_size_.prod());
}

Mesh::Points Mesh::reference_corners() const {
  Points corners(3, nodes_per_element());
  for (int a = 0; a < nodes_per_element(); ++a) {
    for (int d = 0; d < 3; ++d) corners(d, a) = corner_ends[a][d] * element_size_[d];
  }
  return corners;
}

std::vector<int> Mesh::select(const Points& points, const Box& box) const {
  std::vector<int> inside;
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    bool is_inside = true;
    for (int d = 0; d < 3 && is_inside; ++d) {
      const double tolerance = 1e-6 * element_size_[d];
      if (box.lower[d] && points(d, i) < *box.lower[d] - tolerance) is_inside = false;
      if (box.upper[d] && points(d, i) > *box.upper[d] + tolerance) is_inside = false;
    }
    if (is_inside) inside.push_back(static_cast<int>(i));
  }
  return inside;
}

std::vector<int> Mesh::nodes_in(const Box& box) const {
  return select(positions_, box);
}
std::vector<int> Mesh::elements_in(const Box& box) const {
  return select(centres_, box);
}

}  // namespace kurbel::fem
