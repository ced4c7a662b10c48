#include "fem/petsc_share.hpp"

#include <fmt/format.h>
#include <metis.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <unordered_map>

#include "base/errors.hpp"

namespace kurbel::fem {

namespace {

using Eigen::Index;

/// The process of every free node, by position.
std::vector<idx_t> parts_of(const Assembly& assembly, int n_processes) {
  auto n_nodes = static_cast<idx_t>(assembly.order().n_free());
  std::vector<idx_t> part(static_cast<std::size_t>(n_nodes), 0);
  if (n_processes == 1) return part;
  std::vector<idx_t> begin{0}, corners;
  for (Index e = 0; e < assembly.n_elements(); ++e) {
    for (const int corner : assembly.corners(e))
      if (corner < n_nodes) corners.push_back(corner);
    if (std::ssize(corners) > begin.back()) begin.push_back(static_cast<idx_t>(corners.size()));
  }
  auto n_elements = static_cast<idx_t>(begin.size() - 1);
  std::vector<idx_t> part_of_element(begin.size());
  idx_t n_parts = n_processes, cut = 0;
  const int outcome =
      METIS_PartMeshNodal(&n_elements, &n_nodes, begin.data(), corners.data(), nullptr, nullptr, &n_parts,
                          nullptr, nullptr, &cut, part_of_element.data(), part.data());
  if (outcome == METIS_ERROR_MEMORY) throw std::bad_alloc();
  if (outcome != METIS_OK) throw std::runtime_error("METIS cannot divide the mesh");
  return part;
}

/// The numbers in the partition of the nodes of an element.
std::vector<int> numbers_of(const Assembly& assembly, const NodePartition& partition, Index element) {
  std::vector<int> numbers;
  for (const int position : assembly.corners(element))
    numbers.push_back(
        position < assembly.order().n_free() ? partition.node_at[static_cast<std::size_t>(position)] : -1);
  return numbers;
}

/// Numbers the vertices and finds the ends of edges with a node in their middle.
void find_vertices(const Assembly& assembly, const Mesh& mesh, NodePartition& partition) {
  const std::size_t n_nodes = partition.node_at.size();
  std::vector<char> is_vertex(n_nodes, 0);
  std::vector<std::array<int, 2>> ends(n_nodes, {-1, -1});
  for (Index e = 0; e < assembly.n_elements(); ++e) {
    const ElementTopology& kind = topology(mesh.kind_of(e));
    const std::vector<int> nodes = numbers_of(assembly, partition, e);
    for (std::size_t a = 0; a < nodes.size(); ++a) {
      if (nodes[a] < 0) continue;
      const auto at = static_cast<std::size_t>(nodes[a]), corners = static_cast<std::size_t>(kind.n_corners);
      if (a < corners) {
        is_vertex[at] = 1;
      } else {
        for (std::size_t k = 0; k < 2; ++k)
          ends[at][k] = nodes[static_cast<std::size_t>(kind.edges[a - corners][k])];
      }
    }
  }
  std::vector<int> number(n_nodes + 1, 0);  // of vertices before a node
  std::inclusive_scan(is_vertex.begin(), is_vertex.end(), number.begin() + 1, std::plus<int>(), 0);
  const bool is_linear = number.back() == std::ssize(is_vertex),
             all_vertices_are_clamped = number.back() == 0;
  if (is_linear || all_vertices_are_clamped) return;
  for (const int begin : partition.node_begin)
    partition.vertex_begin.push_back(number[static_cast<std::size_t>(begin)]);
  for (std::size_t i = 0; i < n_nodes; ++i) {
    if (is_vertex[i] != 0) ends[i].fill(static_cast<int>(i));
    for (const int end : ends[i])
      partition.ends.push_back(end < 0 ? -1 : number[static_cast<std::size_t>(end)]);
  }
}

}  // namespace

NodePartition partition_nodes(const Assembly& assembly, const Mesh& mesh, int n_processes) {
  const InputError too_many(
      fmt::format("{} processes are too many for a body of {} free nodes; start fewer (mpirun -n)",
                  n_processes, assembly.order().n_free()));
  if (assembly.order().n_free() < n_processes) throw too_many;
  const std::vector<idx_t> part = parts_of(assembly, n_processes);
  NodePartition partition{
      std::vector<int>(part.size()), std::vector<int>(static_cast<std::size_t>(n_processes) + 1, 0), {}, {}};
  for (const idx_t p : part) ++partition.node_begin[static_cast<std::size_t>(p) + 1];
  if (std::find(partition.node_begin.begin() + 1, partition.node_begin.end(), 0) !=
      partition.node_begin.end())
    throw too_many;
  std::partial_sum(partition.node_begin.begin(), partition.node_begin.end(), partition.node_begin.begin());
  std::vector<int> next = partition.node_begin;
  for (std::size_t i = 0; i < part.size(); ++i)
    partition.node_at[i] = next[static_cast<std::size_t>(part[i])]++;
  find_vertices(assembly, mesh, partition);
  return partition;
}

StiffnessShare share_of(const Assembly& assembly, const Mesh& mesh, const NodePartition& partition,
                        int process, ShareElements& elements) {
  const int begin = partition.node_begin[static_cast<std::size_t>(process)],
            end = partition.node_begin[static_cast<std::size_t>(process) + 1], dim = assembly.dim();
  const auto n_free = static_cast<int>(assembly.order().n_free());
  StiffnessShare share{dim, partition.node_begin, partition.vertex_begin, {}, {0}, {}, {}, {}};
  if (!partition.ends.empty())
    share.ends.assign(partition.ends.begin() + 2 * begin, partition.ends.begin() + 2 * end);
  elements = {};
  std::unordered_map<const ElementMatrices*, int> classes;
  for (Index e = 0; e < assembly.n_elements(); ++e) {
    const std::vector<int> nodes = numbers_of(assembly, partition, e);
    const bool is_in_share =
        std::any_of(nodes.begin(), nodes.end(), [&](int node) { return node >= begin && node < end; });
    if (!is_in_share) continue;
    share.corners.insert(share.corners.end(), nodes.begin(), nodes.end());
    share.corner_begin.push_back(static_cast<int>(share.corners.size()));
    const auto [at, is_new] =
        classes.try_emplace(&assembly.matrices(e), static_cast<int>(elements.representatives.size()));
    if (is_new) elements.representatives.push_back(static_cast<int>(e));
    share.class_of.push_back(at->second);
    elements.elements.push_back(static_cast<int>(e));
  }
  share.positions.resize(static_cast<std::size_t>(dim) * static_cast<std::size_t>(end - begin));
  for (int position = 0; position < n_free; ++position) {
    const int node = partition.node_at[static_cast<std::size_t>(position)];
    if (node < begin || node >= end) continue;
    for (int d = 0; d < dim; ++d)
      share.positions[static_cast<std::size_t>(dim * (node - begin) + d)] =
          mesh.positions()(d, assembly.order().node_at(position));
  }
  return share;
}

}  // namespace kurbel::fem
