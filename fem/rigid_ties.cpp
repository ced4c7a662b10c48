#include "fem/rigid_ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/symmetric_eigen.hpp"
#include "fem/faces.hpp"
#include "fem/frame.hpp"
#include "fem/tilde.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

Vector3d mean_of(const NodeSet& set, const Mesh& mesh) {
  Vector3d mean = Vector3d::Zero();
  double total = 0.0;
  for (std::size_t a = 0; a < set.nodes.size(); ++a) {
    mean += set.weights[a] * mesh.positions().col(set.nodes[a]);
    total += set.weights[a];
  }
  return mean / total;
}

/// True if the positions span a line (in 2D a point) alone.
bool is_degenerate(const NodeSet& set, const Mesh& mesh) {
  constexpr double determinate = 1e-6;
  const Vector3d centre = mesh.positions()(Eigen::all, set.nodes).rowwise().mean();
  Matrix3d spread = Matrix3d::Zero();
  for (const int node : set.nodes) {
    const Vector3d arm = mesh.positions().col(node) - centre;
    spread += arm * arm.transpose();
  }
  const VectorXd values = symmetric_eigenvalues(spread);
  const double second = mesh.dim() == 2 ? values[2] : values[1];
  return !(second > determinate * determinate * std::max(values[2], mesh.element_size().squaredNorm()));
}

}  // namespace

bool shape_may_vary(const FlexibleBodySpec& spec) {
  if (!spec.is_reduced) return !has_rigid_ties(spec);
  return spec.frame.type == FrameSpec::Type::tangent && spec.basis == BasisType::normal &&
         !spec.geometric_stiffening && !has_ties(spec);
}

bool has_rigid_ties(const FlexibleBodySpec& spec) {
  return std::ranges::any_of(spec.markers,
                             [](const MarkerSpec& m) { return m.tie == MarkerSpec::Tie::rigid; });
}

bool has_ties(const FlexibleBodySpec& spec) {
  return !spec.supports.empty() || has_rigid_ties(spec);
}

std::vector<Index> supported_dofs(const FlexibleBodySpec& spec, const Mesh& mesh) {
  std::set<Index> held;
  const std::vector<int> clamped = clamped_nodes(spec, mesh);  // ascending
  for (const SupportSpec& support : spec.supports) {
    for (const int node : mesh.nodes_in(support.place)) {
      if (std::ranges::binary_search(clamped, node)) continue;
      for (int d = 0; d < mesh.dim(); ++d) {
        if (support.fixed[static_cast<std::size_t>(d)]) held.insert(Index{node} * mesh.dim() + d);
      }
    }
  }
  return {held.begin(), held.end()};
}

std::vector<Index> held_dofs(const FlexibleBodySpec& spec, const Mesh& mesh, const NodeOrder& order) {
  const Index dim = mesh.dim();
  std::vector<Index> held = supported_dofs(spec, mesh);
  for (Index& dof : held) dof = order.position_of(static_cast<int>(dof / dim)) * dim + dof % dim;
  return held;
}

RigidTies rigid_ties(const FlexibleBodySpec& spec, const Mesh& mesh, const NodeOrder& order) {
  const Index dim = mesh.dim(), n_motions = dim == 2 ? 3 : 6;
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<bool> is_tied(static_cast<std::size_t>(order.n_free()), false);
  std::vector<NodeSet> sets;
  for (const MarkerSpec& marker : spec.markers) {
    if (marker.tie != MarkerSpec::Tie::rigid) continue;
    sets.push_back(marker_nodes(marker, mesh));
    for (const int node : sets.back().nodes)
      is_tied[static_cast<std::size_t>(order.position_of(node))] = true;
  }
  const std::vector<Index> held = supported_dofs(spec, mesh);
  Index column = 0;
  for (Index i = 0; i < order.n_free(); ++i) {
    if (is_tied[static_cast<std::size_t>(i)]) continue;
    for (Index d = 0; d < dim; ++d) {
      if (!std::ranges::binary_search(held, order.node_at(i) * dim + d))
        entries.emplace_back(i * dim + d, column++, 1.0);
    }
  }
  for (const NodeSet& set : sets) {
    const Vector3d centre = mean_of(set, mesh);
    for (const int node : set.nodes) {
      const Index row = Index{order.position_of(node)} * dim;
      const Matrix3d turn = -tilde(mesh.positions().col(node) - centre);  // theta x r
      for (Index d = 0; d < dim; ++d) {
        entries.emplace_back(row + d, column + d, 1.0);
        for (Index axis = dim == 2 ? 2 : 0; axis < 3; ++axis)
          entries.emplace_back(row + d, column + dim + (dim == 2 ? 0 : axis), turn(d, axis));
      }
    }
    column += n_motions;
  }
  RigidTies ties{SparseMatrix(order.n_free() * dim, column), dim == 2 || !held.empty() ? 1 : 3};
  ties.T.setFromTriplets(entries.begin(), entries.end());
  return ties;
}

std::optional<TieProblem> tie_problem(const FlexibleBodySpec& spec, const Mesh& mesh) {
  std::map<int, std::string> owner;
  for (const Index dof : supported_dofs(spec, mesh)) owner[static_cast<int>(dof / mesh.dim())] = "a support";
  for (const int node : clamped_nodes(spec, mesh)) owner[node] = "the clamp";
  for (const MarkerSpec& marker : spec.markers) {
    if (marker.tie != MarkerSpec::Tie::rigid) continue;
    const NodeSet set = marker_nodes(marker, mesh);
    std::map<std::string, int> shared;
    for (const int node : set.nodes) {
      const auto [at, is_new] =
          owner.try_emplace(node, fmt::format("the rigid tie of marker {}", marker.name));
      if (!is_new) ++shared[at->second];
    }
    if (!shared.empty()) {
      const auto& [other, n] = *shared.begin();
      return TieProblem{marker.name, fmt::format("has {} node{} of {}", n, n == 1 ? "" : "s", other)};
    }
    if (is_degenerate(set, mesh)) {
      return TieProblem{marker.name, mesh.dim() == 2
                                         ? "has a single node, which has no rotation; take \"distributing\""
                                         : "has nodes on one line, which have no rotation about it; take "
                                           "\"distributing\""};
    }
  }
  return {};
}

}  // namespace kurbel::fem
