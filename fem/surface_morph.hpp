/// @file
/// A mesh whose surface is moved along its normals, and whose inner nodes follow:
///
///     f = F s,    F_ij ~ max(0, R - |x_i - x_j|) a_j max(0, n_i . n_j),   rows divided by their sums, j on the surface of i,
///     u_S = N^+ f,    K_II u_I = -K_IS u_S,    x = x_0 + u.
///
/// i and j are sites: a corner of elements together with a surface that it is on, so that one on a sharp edge has a site for
/// each of the surfaces that meet there. s_j are the offsets, m, of the sites that may move; the others count with s_j = 0,
/// and rows within R of them are multiplied by distance / R, so that the surface leaves smoothly what stays. a_j is the share
/// of the surface's area, n_j the outward normal there. u_S of a corner is the shortest displacement with the components f
/// along its normals; where these are nearly parallel, or opposite, it is shorter. Nodes in the middles of edges move by the
/// mean of both ends. The inner nodes move as an elastic solid of unit modulus would. All is linear in s, so that the
/// pull-back is the transposed map.
/// The means are those of vertex morphing [Hojjat, Stavropoulou, Bletzinger 2014], with offsets along normals.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "fem/assembly.hpp"
#include "fem/body_spec.hpp"
#include "fem/cholesky.hpp"

namespace kurbel::fem {

class SurfaceMorph {
 public:
  /// @param spec  of the body, with its surface; the mesh is a given one
  /// @throws InputError if no node of the surface may move, or if the factor of K_II does not fit into memory
  SurfaceMorph(const FlexibleBodySpec& spec, std::shared_ptr<const Mesh> mesh);

  /// Number of offsets.
  Eigen::Index size() const { return to_surface_.cols(); }
  /// The node of each offset.
  const std::vector<int>& nodes() const { return nodes_; }
  /// True for each offset that has to be at most zero. Means at such a site take in offsets of such sites alone.
  const std::vector<bool>& inward() const { return inward_; }

  /// u, 3 x n_nodes, m.
  /// @param offsets  s, size(), m
  Mesh::Points displacements(const VectorXd& offsets) const;
  /// Transpose of displacements().
  /// @param x_bar  3 x n_nodes
  VectorXd pullback(const Mesh::Points& x_bar) const;

 private:
  template <class Act>
  void for_each_edge_element(const Act& act) const;

  std::shared_ptr<const Mesh> mesh_;
  Eigen::SparseMatrix<double> to_surface_;  ///< 3 n_nodes x size(): u_S by s
  std::vector<int> nodes_;
  std::vector<bool> inward_;
  std::unique_ptr<const Assembly> inner_;  ///< clamped on the surface and in what stays
  std::unique_ptr<Cholesky> factor_;       ///< of K_II; none without inner nodes
  mutable std::mutex one_at_a_time_;       ///< the factor has a workspace
};

}  // namespace kurbel::fem
