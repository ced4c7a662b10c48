#include "app/fitted_mesh.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "app/scratch_folder.hpp"
#include "base/errors.hpp"
#include "fem/cell_grid.hpp"
#include "fem/selection.hpp"
#include "parts/mesh_file.hpp"
#include "shape/shape_mesh.hpp"

namespace kurbel {

namespace {

using Eigen::Index;
using fem::Mesh;

/// An edge, or a triangle of a face: a + U (s, t) with s, t >= 0 and s + t <= 1.
struct Facet {
  Vector3d a;
  Eigen::Matrix<double, 3, Eigen::Dynamic, 0, 3, 2> U;
  Vector3d lower, upper;  ///< of the box around it

  Facet(const Mesh::Points& x, const std::vector<int>& corners)
      : a(x.col(corners.front())), U(3, std::ssize(corners) - 1), lower(a), upper(a) {
    for (Index k = 0; k < U.cols(); ++k) {
      const Vector3d corner = x.col(corners[static_cast<std::size_t>(k) + 1]);
      U.col(k) = corner - a;
      lower = lower.cwiseMin(corner), upper = upper.cwiseMax(corner);
    }
  }

  /// @param height  largest distance of x from the plane, or line, of the facet, m
  /// @param beyond  largest distance of its foot from the facet itself, m; a point above the edge between two facets may be farther
  ///                from each by its height
  bool has(const Vector3d& x, double height, double beyond) const {
    const double around = height + beyond;
    if ((x.array() < lower.array() - around).any() || (x.array() > upper.array() + around).any())
      return false;
    const Eigen::Vector<double, Eigen::Dynamic> s = (U.transpose() * U).ldlt().solve(U.transpose() * (x - a));
    const double own_height = (x - a - U * s).norm();
    const double share = (beyond + own_height) / U.colwise().norm().minCoeff();
    return own_height <= height && s.minCoeff() >= -share && s.sum() <= 1.0 + share;
  }
};

std::vector<Facet> facets_of(const Mesh& mesh, const std::vector<fem::ElementFace>& faces) {
  std::vector<Facet> facets;
  for (const fem::ElementFace& face : faces) {
    std::vector<int> corners;
    std::ranges::copy_if(face.corners, std::back_inserter(corners), [](int node) { return node >= 0; });
    const auto add = [&](std::vector<int> facet) { facets.emplace_back(mesh.positions(), facet); };
    // A shape passes through the middles of curved edges that are held (round_curved_edges()), and only through the ends of others.
    const std::vector<int> n = fem::nodes_of(mesh, face);
    if (mesh.dim() == 2) {
      add(corners);
      if (n.size() == 3) add({n[0], n[2]}), add({n[2], n[1]});
      continue;
    }
    for (std::size_t k = 2; k < corners.size(); ++k) add({corners[0], corners[k - 1], corners[k]});
    if (n.size() == 6) {
      for (const auto& [a, b, c] :
           {std::array{0, 3, 5}, std::array{3, 1, 4}, std::array{5, 4, 2}, std::array{3, 4, 5}})
        add({n[a], n[b], n[c]});
    }
  }
  return facets;
}

/// Finds the nodes and elements of a new mesh that lie where a designed one has its sets.
class SetFinder {
 public:
  SetFinder(const Mesh& designed, const Mesh& fitted)
      : designed_(designed),
        fitted_(fitted),
        centres_(designed.centres(), 2.0 * fem::mean_edge(designed)),
        shortest_(fem::shortest_edge(designed)),
        tolerance_(1e-4 * shortest_),
        outer_faces_(fem::surface_faces(fitted)) {}

  /// The nodes of the surface on these faces, and all of those of a face along their wall: where it is curved, nodes lie beside the
  /// designed faces.
  std::vector<int> nodes_on(const std::vector<fem::ElementFace>& faces) const {
    const std::vector<Facet> facets = facets_of(designed_, faces);
    std::map<int, bool> is_on;
    const auto lies_on = [&](int node) {
      const auto [entry, is_new] = is_on.try_emplace(node, false);
      const Vector3d x = fitted_.positions().col(node);
      if (is_new)
        entry->second =
            std::ranges::any_of(facets, [&](const Facet& f) { return f.has(x, tolerance_, tolerance_); });
      return entry->second;
    };
    std::vector<int> found;
    for (const fem::ElementFace& face : outer_faces_) {
      const bool is_whole = lies_along(face, facets);
      for (const int node : fem::nodes_of(fitted_, face)) {
        if (is_whole || lies_on(node)) found.push_back(node);
      }
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
  }

  /// True if the corners of a face and its middle are near the facets. The middle of a face across a member one element wide is not.
  bool lies_along(const fem::ElementFace& face, const std::vector<Facet>& facets) const {
    // Largest heights, as shares of an edge: a wall of ten elements around bends away from their middles by 0.08, from the halves of
    // their edges by 0.02. Within half of the shortest edge of the designed mesh there is no other wall.
    constexpr double near = 0.2, corner_near = 0.1;
    Mesh::Points corners(3, 0);
    for (const int corner : face.corners) {
      if (corner < 0) continue;
      corners.conservativeResize(3, corners.cols() + 1);
      corners.rightCols<1>() = fitted_.positions().col(corner);
    }
    const double edge = (corners.col(1) - corners.col(0)).norm();
    const auto is_near = [&](const Vector3d& x, double height) {
      return std::ranges::any_of(facets, [&](const Facet& f) { return f.has(x, height, tolerance_); });
    };
    for (Index k = 0; k < corners.cols(); ++k) {
      if (!is_near(corners.col(k), std::min(corner_near * edge, 0.25 * shortest_))) return false;
    }
    return is_near(corners.rowwise().mean(), std::min(near * edge, 0.5 * shortest_));
  }

  /// The elements whose nearest element of the designed mesh, by centre, is in the set.
  std::vector<int> elements_of(const fem::MeshSet& set) const {
    std::vector<int> found;
    for (Index e = 0; e < fitted_.n_elements(); ++e) {
      const Vector3d x = fitted_.centres().col(e);
      int nearest = -1;
      centres_.find(x, [&](int other) {
        if (nearest < 0 || (designed_.centres().col(other) - x).squaredNorm() <
                               (designed_.centres().col(nearest) - x).squaredNorm())
          nearest = other;
        return false;
      });
      if (std::ranges::binary_search(set.elements, nearest)) found.push_back(static_cast<int>(e));
    }
    return found;
  }

  std::vector<int> nodes_at(const std::vector<int>& nodes) const {
    std::vector<int> found;
    for (const int node : nodes) {
      Index nearest = 0;
      const double squared = (fitted_.positions().colwise() - designed_.positions().col(node))
                                 .colwise()
                                 .squaredNorm()
                                 .minCoeff(&nearest);
      if (squared <= tolerance_ * tolerance_) found.push_back(static_cast<int>(nearest));
    }
    std::ranges::sort(found);
    return found;
  }

 private:
  const Mesh& designed_;
  const Mesh& fitted_;
  fem::CellGrid centres_;  ///< of the designed elements
  double shortest_, tolerance_;
  std::vector<fem::ElementFace> outer_faces_;
};

/// The size of a mesh's elements, as the edge of a regular one, around the node that is nearest to a place.
class EdgesOf {
 public:
  explicit EdgesOf(const Mesh& mesh)
      : mesh_(mesh), edges_(at_nodes(mesh)), nodes_(mesh.positions(), edges_.maxCoeff()) {}

  double largest() const { return edges_.maxCoeff(); }

  double at(const Vector3d& place) const {
    int nearest = -1;
    double squared = 0.0;
    nodes_.find(place, [&](int node) {
      const double other = (mesh_.positions().col(node) - place).squaredNorm();
      if (nearest < 0 || other < squared) nearest = node, squared = other;
      return false;
    });
    return nearest < 0 ? largest() : edges_[nearest];
  }

 private:
  /// The edge of a regular element with the mean measure of those that have a node, by node.
  static VectorXd at_nodes(const Mesh& mesh) {
    const VectorXd share = mesh.measures() / mesh.measures().mean();
    VectorXd sum = VectorXd::Zero(mesh.n_nodes()), n = sum;
    for (Index e = 0; e < mesh.n_elements(); ++e) {
      for (const int node : mesh.nodes_of(e)) sum[node] += share[e], n[node] += 1.0;
    }
    return fem::mean_edge(mesh) * (sum.array() / n.array()).pow(1.0 / mesh.dim()).matrix();
  }

  const Mesh& mesh_;
  VectorXd edges_;
  fem::CellGrid nodes_;
};

/// @throws ShapeFailure if elements have no right shape
Mesh mesh_of(const MeshFile& content, const std::string& name, double thickness) {
  try {
    return *make_mesh(content, name, thickness);
  } catch (const InputError& error) {
    throw ShapeFailure(error.what());
  }
}

}  // namespace

std::string set_of_surface(const Mesh& designed, int number) {
  std::string prefix = "surface_";
  const auto is_taken = [&](const fem::MeshSet& set) { return set.name.starts_with(prefix); };
  while (std::ranges::any_of(designed.parts().sets, is_taken)) prefix = "designed_" + prefix;
  return fmt::format("{}{}", prefix, number);
}

std::shared_ptr<const Mesh> fitted_mesh(const fem::FlexibleBody& body, const Shape& shape, double thickness) {
  const Mesh& designed = body.mesh();
  const ScratchFolder scratch;
  const std::string name = fmt::format("the shape of body {}", body.spec().name);
  const EdgesOf edges(designed);
  const double size = designed.dim() == 2 ? fem::mean_edge(designed) : edges.largest();
  MeshFile content;
  try {
    content =
        mesh_within(shape, size, scratch.path(), [&](const Vector3d& place) { return edges.at(place); });
  } catch (const ShapeFailure& error) {
    throw ShapeFailure(fmt::format("{} cannot be meshed: {}", name, error.what()));
  }
  content.groups.clear();  // what a geometry of nameless lines and surfaces has
  Mesh fitted = mesh_of(content, name, thickness);
  const SetFinder finder(designed, fitted);
  fem::MeshParts parts;
  const auto add = [&](const std::string& set, std::vector<int> nodes) {
    if (!nodes.empty()) parts.sets.push_back({set, std::move(nodes)});
  };
  for (const fem::MeshSet& set : designed.parts().sets) {
    if (!set.elements.empty()) {
      parts.sets.push_back({.name = set.name, .nodes = {}, .elements = finder.elements_of(set)});
      continue;
    }
    const std::vector<fem::ElementFace> faces = fem::faces_in(designed, fem::SetName{set.name});
    add(set.name, faces.empty() ? finder.nodes_at(set.nodes) : finder.nodes_on(faces));
  }
  const auto n_surfaces = static_cast<int>(fem::surfaces(designed).size());
  for (int number = 1; number <= n_surfaces; ++number)
    add(set_of_surface(designed, number),
        finder.nodes_on(fem::faces_in(designed, fem::SurfaceNumber{number})));
  return std::make_shared<const Mesh>(std::move(fitted).with_parts(std::move(parts)));
}

}  // namespace kurbel
