#include "fem/box_filter.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "fem/density_filter.hpp"

namespace kurbel::fem {

using Eigen::Index;

std::optional<std::array<int, 3>> box_divisions(const Mesh& mesh) {
  const ElementKind kind = mesh.class_kind(0);
  if (mesh.n_classes() != 1 || (kind != ElementKind::quad4 && kind != ElementKind::hex8)) return {};
  const Mesh::Points& centres = mesh.centres();
  const Vector3d low = centres.rowwise().minCoeff(), high = centres.rowwise().maxCoeff();
  Vector3d size = mesh.element_size();
  std::array<int, 3> n{1, 1, 1};
  for (Index d = 0; d < mesh.dim(); ++d)
    n[static_cast<std::size_t>(d)] = 1 + static_cast<int>(std::lround((high[d] - low[d]) / size[d]));
  if (static_cast<Index>(n[0]) * n[1] * n[2] != mesh.n_elements()) return {};
  constexpr double rounding = 1e-6;  // of an element
  for (Index e = 0; e < mesh.n_elements(); ++e) {
    const std::array<Index, 3> place{e % n[0], e / n[0] % n[1], e / n[0] / n[1]};
    for (Index d = 0; d < mesh.dim(); ++d) {
      const double there = low[d] + static_cast<double>(place[static_cast<std::size_t>(d)]) * size[d];
      if (std::abs(centres(d, e) - there) > rounding * size[d]) return {};
    }
  }
  return n;
}

BoxDensityFilter::BoxDensityFilter(const Mesh& mesh, const std::array<int, 3>& divisions, double radius)
    : n_(divisions) {
  std::array<int, 3> reach{};
  Vector3d size = mesh.element_size();
  for (std::size_t d = 0; d < static_cast<std::size_t>(mesh.dim()); ++d) {
    const double elements = radius / size[static_cast<Index>(d)];
    reach[d] = static_cast<int>(std::min(std::ceil(elements), n_[d] - 1.0));
  }
  for (int k = -reach[2]; k <= reach[2]; ++k) {
    for (int j = -reach[1]; j <= reach[1]; ++j) {
      for (int i = -reach[0]; i <= reach[0]; ++i) {
        const double weight = radius - Vector3d(i, j, k).cwiseProduct(size).norm();
        if (weight > 0.0) neighbours_.push_back({{i, j, k}, weight});
      }
    }
  }
  sums_ = weighted_sums(VectorXd::Ones(mesh.n_elements()));
}

/// Rows of elements along x receive those of their neighbours.
VectorXd BoxDensityFilter::weighted_sums(const VectorXd& in) const {
  VectorXd out = VectorXd::Zero(in.size());
  parallel_for(static_cast<Index>(n_[1]) * n_[2], 1 + 4096 / n_[0], [&](Index begin, Index end) {
    for (Index row = begin; row < end; ++row) {
      const Index j = row % n_[1], k = row / n_[1];
      for (const auto& [offset, weight] : neighbours_) {
        const Index other_j = j + offset[1], other_k = k + offset[2];
        if (other_j < 0 || other_j >= n_[1] || other_k < 0 || other_k >= n_[2]) continue;
        const Index first = std::max(0, -offset[0]), count = n_[0] - std::abs(offset[0]);
        const Index from = n_[0] * (other_j + n_[1] * other_k) + first + offset[0];
        out.segment(n_[0] * row + first, count) += weight * in.segment(from, count);
      }
    }
  });
  return out;
}

std::unique_ptr<DesignMap> make_density_filter(const Mesh& mesh, double radius) {
  if (radius > 0.0 && std::isfinite(radius)) {
    if (const auto divisions = box_divisions(mesh))
      return std::make_unique<BoxDensityFilter>(mesh, *divisions, radius);
  }
  return std::make_unique<DensityFilter>(mesh, radius);
}

}  // namespace kurbel::fem
