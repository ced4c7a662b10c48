#include "fem/density_field.hpp"

#include <algorithm>
#include <limits>

namespace kurbel::fem {

namespace {

using Eigen::Index;

VectorXd reaches(const Mesh& mesh, const std::vector<Index>& elements) {
  VectorXd reach(std::ssize(elements));
  for (Index f = 0; f < reach.size(); ++f) {
    const Index e = elements[static_cast<std::size_t>(f)];
    reach[f] = (mesh.positions()(Eigen::all, mesh.nodes_of(e)).colwise() - mesh.centres().col(e))
                   .colwise()
                   .norm()
                   .maxCoeff();
  }
  return reach;
}

}  // namespace

DensityField::DensityField(const Mesh& mesh, const std::vector<Index>& elements)
    : elements_(elements),
      centres_(mesh.centres()(Eigen::all, elements)),
      volumes_(mesh.volumes()(elements)),
      sizes_(mesh.measures()(elements).array().pow(1.0 / mesh.dim())),
      reach_(reaches(mesh, elements)),
      grid_(centres_, std::max(sizes_.maxCoeff(), reach_.maxCoeff())) {}

DensityField::Weights DensityField::at(const Vector3d& p) const {
  Weights weights;
  double sum = 0.0, nearest_distance = std::numeric_limits<double>::infinity();
  Index nearest = -1;
  grid_.find(p, [&](int f) {
    const double distance = (centres_.col(f) - p).norm();
    if (distance < nearest_distance && distance <= reach_[f]) nearest = f, nearest_distance = distance;
    const double w = (sizes_[f] - distance) / sizes_[f] * (volumes_[f] / volumes_[0]);
    if (w > 0.0) weights.emplace_back(elements_[static_cast<std::size_t>(f)], w), sum += w;
    return false;
  });
  if (nearest < 0) return {};
  if (weights.empty()) return {{elements_[static_cast<std::size_t>(nearest)], 1.0}};
  for (auto& [f, w] : weights) w /= sum;
  return weights;
}

Index DensityField::centred_at(const Vector3d& p) const {
  constexpr double same = 1e-6;
  Index found = -1;
  grid_.find(p, [&](int f) {
    if ((centres_.col(f) - p).norm() > same * sizes_[f]) return false;
    found = elements_[static_cast<std::size_t>(f)];
    return true;
  });
  return found;
}

}  // namespace kurbel::fem
