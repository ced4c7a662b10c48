#include "fem/largest_members.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fem/box_filter.hpp"
#include "fem/cell_grid.hpp"
#include "fem/length_scale.hpp"
#include "fem/opening.hpp"

namespace kurbel::fem {

using Eigen::Index;

namespace {

constexpr double least_void = 0.05;
constexpr double delta = 0.01;

/// Distances of the centres of elements from points, as far as they are below a radius; else the radius.
VectorXd distances(const Mesh& mesh, const Mesh::Points& points, double radius) {
  VectorXd nearest = VectorXd::Constant(mesh.n_elements(), radius);
  if (points.cols() == 0) return nearest;
  const CellGrid grid(points, radius);
  for (Index e = 0; e < mesh.n_elements(); ++e) {
    grid.find(mesh.centres().col(e), [&](int j) {
      nearest[e] = std::min(nearest[e], (mesh.centres().col(e) - points.col(j)).norm());
      return false;
    });
  }
  return nearest;
}

/// Centres of the elements that keep a density which is not that of a void.
Mesh::Points centres_of_regions(const Mesh& mesh, const std::vector<Region>& regions) {
  const PassiveElements passive(mesh, regions, 0.0, VectorXd::Ones(mesh.n_elements()));
  VectorXd fixed = VectorXd::Zero(mesh.n_elements());
  passive.overwrite(fixed);
  std::vector<Index> elements;
  for (Index e = 0; e < fixed.size(); ++e) {
    if (fixed[e] > 0.0) elements.push_back(e);
  }
  return mesh.centres()(Eigen::all, elements);
}

}  // namespace

LargestMembers::LargestMembers(const Mesh& mesh, const std::vector<Region>& regions, double width) {
  const int dim = thin_axes(mesh, width).empty() ? mesh.dim() : 2;
  const double radius = 0.5 * width / distance_of_share(0.5 * (1.0 - least_void), dim);
  weights_ = make_density_filter(mesh, radius);
  const VectorXd depth = distances(mesh, surface_places(mesh, width), radius);
  outside_ = depth.unaryExpr([&](double a) { return 0.5 - share_of_cone(a / radius, dim); });
  const VectorXd from_regions = distances(mesh, centres_of_regions(mesh, regions), radius);
  share_ = (from_regions.array() < radius).select(VectorXd::Zero(mesh.n_elements()), mesh.volumes());
  if (share_.sum() > 0.0) share_ /= share_.sum();
}

VectorXd LargestMembers::too_solid(const VectorXd& density) const {
  const VectorXd around = weights_->value((1.0 - density.array()).square().matrix());
  const auto empty = outside_.array() + (1.0 - outside_.array()) * around.array();
  return (1.0 - empty / least_void).max(0.0);
}

/// sqrt(sum_e V_e v_e^2 / sum_e V_e + delta^2).
double LargestMembers::size_of(const VectorXd& v) const {
  return std::hypot(std::sqrt(share_.dot(v.cwiseAbs2())), delta);
}

double LargestMembers::excess(const VectorXd& density) const {
  return size_of(too_solid(density)) - delta;
}

VectorXd LargestMembers::gradient(const VectorXd& density) const {
  const VectorXd v = too_solid(density);
  const VectorXd around_bar =
      -share_.array() * v.array() * (1.0 - outside_.array()) / (size_of(v) * least_void);
  const VectorXd square_bar = weights_->pullback(density, around_bar);
  return -2.0 * (1.0 - density.array()) * square_bar.array();
}

}  // namespace kurbel::fem
