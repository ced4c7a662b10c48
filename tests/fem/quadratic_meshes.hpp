/// @file
/// Meshes of quadratic elements, straight or curved, and of several kinds of linear elements with common faces.
#pragma once

#include <map>
#include <utility>

#include "free_meshes.hpp"

namespace kurbel::fem::test {

/// The kind with the same corners and nodes in the middles of the edges; others stay as they are.
inline ElementKind quadratic_kind(ElementKind kind) {
  switch (kind) {
    case ElementKind::tri3:
      return ElementKind::tri6;
    case ElementKind::quad4:
      return ElementKind::quad8;
    case ElementKind::tet4:
      return ElementKind::tet10;
    case ElementKind::hex8:
      return ElementKind::hex20;
    default:
      return kind;
  }
}

/// Adds a node in the middle of every edge of a mesh of linear elements, then moves all nodes to map(place).
template <class Map>
std::shared_ptr<const Mesh> quadratic_mesh(const Mesh& linear, const Map& map) {
  std::vector<Vector3d> places;
  for (Eigen::Index i = 0; i < linear.n_nodes(); ++i) places.emplace_back(linear.positions().col(i));
  std::map<std::pair<int, int>, int> middles;
  const auto middle = [&](int a, int b) {
    const auto [entry, is_new] = middles.try_emplace(std::minmax(a, b), static_cast<int>(places.size()));
    if (is_new) places.emplace_back(0.5 * (linear.positions().col(a) + linear.positions().col(b)));
    return entry->second;
  };
  std::vector<ElementBlock> blocks;
  for (const Mesh::Block& block : linear.blocks()) {
    const ElementKind kind = quadratic_kind(block.kind);
    const ElementTopology& element = topology(kind);
    Eigen::MatrixXi nodes(element.n_nodes, block.n_elements);
    nodes.topRows(element.n_corners) = block.nodes;
    for (Eigen::Index e = 0; e < block.n_elements; ++e) {
      for (int a = element.n_corners; a < element.n_nodes; ++a) {
        const auto [from, to] = element.edges[static_cast<std::size_t>(a - element.n_corners)];
        nodes(a, e) = middle(block.nodes(from, e), block.nodes(to, e));
      }
    }
    blocks.push_back({kind, std::move(nodes)});
  }
  Mesh::Points x(3, std::ssize(places));
  for (Eigen::Index i = 0; i < x.cols(); ++i) x.col(i) = map(places[static_cast<std::size_t>(i)]);
  return std::make_shared<const Mesh>(linear.dim(), x, blocks,
                                      linear.dim() == 2 ? linear.element_size()[2] : 1.0);
}

inline std::shared_ptr<const Mesh> quadratic_mesh(const Mesh& linear) {
  return quadratic_mesh(linear, [](const Vector3d& x) { return x; });
}

/// The same body on quadratic elements with straight edges.
inline FlexibleBodySpec on_quadratic_mesh(FlexibleBodySpec spec, Split split, double wobble = 0.2) {
  spec.mesh = spec_of_given(quadratic_mesh(*free_mesh(spec.mesh, split, wobble)), spec.mesh.thickness);
  return spec;
}

/// The unit square or cube, n elements along each axis.
inline MeshSpec unit_box(int dim, int n) {
  MeshSpec box;
  box.dim = dim;
  box.size = Vector3d::Ones();
  box.divisions = {n, n, n};
  return box;
}

/// A cube of 2 x 2 x 2 hexahedra with its inner nodes moved. The two along z at x = y = 0 are split into wedges, the
/// last into pyramids around its centre; its pyramid at the surface is split into tetrahedra.
inline std::shared_ptr<const Mesh> mesh_of_all_linear_solids() {
  const auto hexahedra = free_mesh(unit_box(3, 2), Split::none, 0.2);
  Mesh::Points x = hexahedra->positions();
  std::map<ElementKind, std::vector<int>> nodes;
  const auto add = [&](ElementKind kind, Eigen::Index e, const std::vector<int>& corners) {
    const Mesh::Nodes of = hexahedra->nodes_of(e);
    for (const int corner : corners)
      nodes[kind].push_back(corner < 8 ? of[corner] : static_cast<int>(x.cols()) - 1);
  };
  for (Eigen::Index e = 0; e < 8; ++e) {
    if (e == 0 || e == 4) {
      add(ElementKind::wedge6, e, {0, 2, 1, 4, 6, 5}), add(ElementKind::wedge6, e, {0, 3, 2, 4, 7, 6});
    } else if (e < 7) {
      add(ElementKind::hex8, e, {0, 1, 2, 3, 4, 5, 6, 7});
    }
  }
  x.conservativeResize(Eigen::NoChange, x.cols() + 1);
  x.rightCols(1) = hexahedra->centres().col(7);
  for (const std::vector<int>& base :
       std::vector<std::vector<int>>{{0, 1, 2, 3}, {0, 4, 5, 1}, {3, 2, 6, 7}, {0, 3, 7, 4}, {4, 7, 6, 5}})
    add(ElementKind::pyramid5, 7, {base[0], base[1], base[2], base[3], 8});
  add(ElementKind::tet4, 7, {1, 5, 6, 8}), add(ElementKind::tet4, 7, {1, 6, 2, 8});
  std::vector<ElementBlock> blocks;
  for (auto& [kind, of_kind] : nodes) {
    const int n = topology(kind).n_nodes;
    blocks.push_back({kind, Eigen::Map<Eigen::MatrixXi>(of_kind.data(), n, std::ssize(of_kind) / n)});
  }
  return std::make_shared<const Mesh>(3, x, blocks);
}

}  // namespace kurbel::fem::test
