#include "fem/surface_morph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "base/errors.hpp"
#include "fem/cell_grid.hpp"
#include "fem/frame.hpp"
#include "fem/selection.hpp"
#include "fem/shape_classes.hpp"
#include "fem/surfaces.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

/// A corner of elements together with a surface that it is on.
struct Site {
  int node;
  std::size_t surface;
  Vector3d normal = Vector3d::Zero();  ///< outward, of length one
  double area = 0.0;                   ///< its share of the surface, m^2; in 2D of its length, m
  bool is_inward = false;              ///< its offset is at most zero
};

std::vector<int> corners_of(const ElementFace& face) {
  std::vector<int> corners;
  std::ranges::copy_if(face.corners, std::back_inserter(corners), [](int node) { return node >= 0; });
  return corners;
}

/// The nodes in the middles of the edges of the surface, each with the corners at the ends of its edge.
std::map<int, std::array<int, 2>> middles_of(const Mesh& mesh) {
  std::map<int, std::array<int, 2>> middles;
  for (const ElementFace& face : surface_faces(mesh)) {
    const std::vector<int> nodes = nodes_of(mesh, face);
    const std::size_t n = corners_of(face).size();
    for (std::size_t k = n; k < nodes.size(); ++k) middles[nodes[k]] = {nodes[k - n], nodes[(k - n + 1) % n]};
  }
  return middles;
}

/// @param inward  nodes; a face that has no others makes its sites move inward only, so that of an edge of the place the surface
///                beside it is free
std::vector<Site> sites_of(const Mesh& mesh, const std::set<int>& inward) {
  std::map<std::pair<int, std::size_t>, Site> found;
  const auto all = surfaces(mesh);
  for (std::size_t k = 0; k < all.size(); ++k) {
    for (const FacePlace& at : all[k]) {
      const ElementFace face = face_at(mesh, at);
      const std::vector<int> nodes = corners_of(face);
      const double share = face_weights(mesh, face).sum() / static_cast<double>(nodes.size());
      const Vector3d normal = outward_normal(mesh, face);
      const bool is_inward = std::ranges::all_of(nodes, [&](int node) { return inward.contains(node); });
      for (const int node : nodes) {
        Site& site = found.try_emplace({node, k}, Site{node, k}).first->second;
        site.area += share, site.normal += share * normal;
        site.is_inward = site.is_inward || is_inward;
      }
    }
  }
  std::vector<Site> sites;
  for (auto& [key, site] : found) {
    site.normal.normalize();
    sites.push_back(site);
  }
  return sites;
}

/// Nodes that stay: of the clamp, supports, markers, regions whose material is given, and what the user fixes.
std::set<int> fixed_nodes(const FlexibleBodySpec& spec, const Mesh& mesh) {
  std::set<int> fixed;
  const auto add = [&](const std::vector<int>& nodes) { fixed.insert(nodes.begin(), nodes.end()); };
  add(clamped_nodes(spec, mesh));
  for (const SupportSpec& support : spec.supports) add(mesh.nodes_in(support.place));
  for (const MarkerSpec& marker : spec.markers) add(marker_nodes(marker, mesh).nodes);
  for (const Region& region : spec.regions) {
    for (const int e : mesh.elements_in(region.place)) {
      const Mesh::Nodes nodes = mesh.nodes_of(e);
      fixed.insert(nodes.begin(), nodes.end());
    }
  }
  for (const Place& place : spec.surface->fixed) add(mesh.nodes_in(place));
  return fixed;
}

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// F, sites x offsets.
/// @param offset_of  by site; -1: it stays
RowMatrix means(const Mesh& mesh, const std::vector<Site>& sites, const std::vector<Index>& offset_of,
                Index n_offsets, double radius) {
  Mesh::Points points(3, std::ssize(sites));
  for (std::size_t i = 0; i < sites.size(); ++i)
    points.col(static_cast<Index>(i)) = mesh.positions().col(sites[i].node);
  const CellGrid grid(points, radius);
  std::vector<Eigen::Triplet<double>> entries, row;
  for (Index i = 0; i < points.cols(); ++i) {
    const Site& site = sites[static_cast<std::size_t>(i)];
    double sum = 0.0, to_fixed = radius;
    row.clear();
    grid.find(points.col(i), [&](int j) {
      const Site& other = sites[static_cast<std::size_t>(j)];
      const double distance = (points.col(j) - points.col(i)).norm();
      const Index k = offset_of[static_cast<std::size_t>(j)];
      if (k < 0) to_fixed = std::min(to_fixed, distance);
      if (other.surface != site.surface || distance >= radius) return false;
      const double weight = (radius - distance) * other.area * std::max(0.0, other.normal.dot(site.normal));
      sum += weight;
      if (k >= 0 && (other.is_inward || !site.is_inward)) row.emplace_back(i, k, weight);
      return false;
    });
    for (const auto& entry : row)
      entries.emplace_back(i, entry.col(), to_fixed / radius * entry.value() / sum);
  }
  RowMatrix F(points.cols(), n_offsets);
  F.setFromTriplets(entries.begin(), entries.end());
  return F;
}

/// N^+ by node, 3 n_nodes x sites, without the nodes that stay. Singular values below `least` count as s / least^2 in place of
/// 1 / s: at a node where surfaces meet nearly flat, or at a sharp point, their offsets would move it far else.
Eigen::SparseMatrix<double> displacement_of_sites(const Mesh& mesh, const std::vector<Site>& sites,
                                                  const std::set<int>& fixed) {
  constexpr double least = 0.9;
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t first = 0, end = 0; first < sites.size(); first = end) {
    while (end < sites.size() && sites[end].node == sites[first].node) ++end;
    if (fixed.contains(sites[first].node)) continue;
    MatrixXd N(end - first, 3);
    for (std::size_t i = first; i < end; ++i)
      N.row(static_cast<Index>(i - first)) = sites[i].normal.transpose();
    const Eigen::JacobiSVD<MatrixXd> svd(N, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const VectorXd gain =
        svd.singularValues().unaryExpr([=](double s) { return s / std::pow(std::max(s, least), 2); });
    const MatrixXd inverse = svd.matrixV() * gain.asDiagonal() * svd.matrixU().transpose();
    for (Index d = 0; d < 3; ++d) {
      for (Index i = 0; i < N.rows(); ++i)
        entries.emplace_back(3 * sites[first].node + d, static_cast<Index>(first) + i, inverse(d, i));
    }
  }
  Eigen::SparseMatrix<double> P(3 * mesh.n_nodes(), std::ssize(sites));
  P.setFromTriplets(entries.begin(), entries.end());
  return P;
}

/// Displacements of all nodes of the surface by those of its corners, 3 n_nodes square: a node in the middle of an edge moves by
/// the mean of both ends, as it has to stay near the middle.
Eigen::SparseMatrix<double> with_middles(const Mesh& mesh, const std::map<int, std::array<int, 2>>& middles,
                                         const std::set<int>& fixed) {
  Eigen::SparseMatrix<double> all(3 * mesh.n_nodes(), 3 * mesh.n_nodes());
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < all.rows(); ++i) {
    if (!middles.contains(static_cast<int>(i / 3))) entries.emplace_back(i, i, 1.0);
  }
  for (const auto& [node, ends] : middles) {
    if (fixed.contains(node)) continue;
    for (const int end : ends) {
      for (Index d = 0; d < 3; ++d) entries.emplace_back(3 * node + d, 3 * end + d, 0.5);
    }
  }
  all.setFromTriplets(entries.begin(), entries.end());
  return all;
}

}  // namespace

SurfaceMorph::SurfaceMorph(const FlexibleBodySpec& spec, std::shared_ptr<const Mesh> mesh)
    : mesh_(std::move(mesh)) {
  std::set<int> inward;
  for (const Place& place : spec.surface->inward) {
    const std::vector<int> nodes = mesh_->nodes_in(place);
    inward.insert(nodes.begin(), nodes.end());
  }
  const std::vector<Site> sites = sites_of(*mesh_, inward);
  const std::set<int> fixed = fixed_nodes(spec, *mesh_);
  std::vector<Index> offset_of;
  std::set<int> held = fixed;  // what stays has nodes within the body, too, which do not follow
  for (const Site& site : sites) {
    const bool stays = fixed.contains(site.node);
    offset_of.push_back(stays ? -1 : std::ssize(nodes_));
    if (!stays) nodes_.push_back(site.node), inward_.push_back(site.is_inward);
    held.insert(site.node);
  }
  const std::map<int, std::array<int, 2>> middles = middles_of(*mesh_);
  for (const auto& [node, ends] : middles) held.insert(node);
  if (nodes_.empty())
    throw InputError(
        fmt::format("bodies.{}: every node of the surface is fixed, so that none can move", spec.name));
  const RowMatrix F = means(*mesh_, sites, offset_of, std::ssize(nodes_), spec.surface->radius);
  const Eigen::SparseMatrix<double> of_corners =
      displacement_of_sites(*mesh_, sites, fixed) * Eigen::SparseMatrix<double>(F);
  to_surface_ = with_middles(*mesh_, middles, fixed) * of_corners;
  const ShapeClasses shapes(spec, mesh_, spec.mesh.size);
  inner_ =
      std::make_unique<const Assembly>(*mesh_, std::vector<int>(held.begin(), held.end()), shapes.matrices());
  if (inner_->n_free_dofs() == 0) return;
  SparseMatrix K = inner_->stiffness_pattern();
  factor_ = std::make_unique<Cholesky>(K, mesh_->dim());
  inner_->assemble_stiffness(VectorXd::Ones(mesh_->n_elements()), K);
  const Cholesky::Outcome outcome = factor_->factorize(K);
  if (outcome == Cholesky::Outcome::out_of_memory)
    throw InputError(fmt::format(
        "bodies.{}: the factor of the inner nodes does not fit into memory; take a coarser mesh", spec.name));
  if (outcome == Cholesky::Outcome::singular)
    throw InputError(
        fmt::format("bodies.{}: the elements are too distorted for a mesh that is to move", spec.name));
}

/// act(k_e, positions of its nodes, number of inner nodes, dimension) for elements with nodes inside and others.
template <class Act>
void SurfaceMorph::for_each_edge_element(const Act& act) const {
  const Index n_free = inner_->order().n_free();
  const int dim = inner_->dim();
  for (Index e = 0; e < inner_->n_elements(); ++e) {
    const Assembly::Corners corners = inner_->corners(e);
    const auto inside = std::ranges::count_if(corners, [&](int c) { return c < n_free; });
    if (inside == 0 || inside == corners.size()) continue;
    act(inner_->matrices(e).stiffness, corners, n_free, dim);
  }
}

Mesh::Points SurfaceMorph::displacements(const VectorXd& offsets) const {
  const VectorXd on_surface = to_surface_ * offsets;
  Mesh::Points u = Eigen::Map<const Mesh::Points>(on_surface.data(), 3, mesh_->n_nodes());
  if (!factor_) return u;
  const NodeOrder& order = inner_->order();
  MatrixXd load = MatrixXd::Zero(inner_->n_free_dofs(), 1), inside(load.rows(), 1);
  for_each_edge_element([&](const MatrixXd& k, const Assembly::Corners& corners, Index n_free, int dim) {
    VectorXd own = VectorXd::Zero(k.cols());
    for (Index a = 0; a < corners.size(); ++a) {
      if (corners[a] >= n_free) own.segment(a * dim, dim) = u.col(order.node_at(corners[a])).head(dim);
    }
    const VectorXd force = k * own;
    for (Index a = 0; a < corners.size(); ++a) {
      if (corners[a] < n_free) load.middleRows(corners[a] * dim, dim) -= force.segment(a * dim, dim);
    }
  });
  {
    const std::lock_guard lock(one_at_a_time_);
    factor_->solve(load, inside);
  }
  const int dim = inner_->dim();
  for (Index i = 0; i < order.n_free(); ++i)
    u.col(order.node_at(i)).head(dim) = inside.middleRows(i * dim, dim);
  return u;
}

VectorXd SurfaceMorph::pullback(const Mesh::Points& x_bar) const {
  Mesh::Points u_bar = x_bar;
  if (factor_) {
    const NodeOrder& order = inner_->order();
    const int inner_dim = inner_->dim();
    MatrixXd inside(inner_->n_free_dofs(), 1), adjoint(inside.rows(), 1);
    for (Index i = 0; i < order.n_free(); ++i)
      inside.middleRows(i * inner_dim, inner_dim) = x_bar.col(order.node_at(i)).head(inner_dim);
    {
      const std::lock_guard lock(one_at_a_time_);
      factor_->solve(inside, adjoint);
    }
    for_each_edge_element([&](const MatrixXd& k, const Assembly::Corners& corners, Index n_free, int dim) {
      VectorXd own = VectorXd::Zero(k.cols());
      for (Index a = 0; a < corners.size(); ++a) {
        if (corners[a] < n_free) own.segment(a * dim, dim) = adjoint.middleRows(corners[a] * dim, dim);
      }
      const VectorXd force = k * own;
      for (Index a = 0; a < corners.size(); ++a) {
        if (corners[a] >= n_free)
          u_bar.col(order.node_at(corners[a])).head(dim) -= force.segment(a * dim, dim);
      }
    });
  }
  return to_surface_.transpose() * Eigen::Map<const VectorXd>(u_bar.data(), u_bar.size());
}

}  // namespace kurbel::fem
