/// @file
/// Meshes without rows and columns, made from boxes.
#pragma once

#include "fixtures.hpp"

namespace kurbel::fem::test {

/// How much of a box's elements is split, each into two triangles or six tetrahedra.
enum class Split { none, every_other, all };

/// The mesh of a box with nodes that do not lie on its surface moved by up to `wobble` of an element.
inline std::shared_ptr<const Mesh> free_mesh(const MeshSpec& box, Split split, double wobble) {
  const Mesh mesh(box);
  Mesh::Points x = mesh.positions();
  const Vector3d low = x.rowwise().minCoeff(), high = x.rowwise().maxCoeff();
  const MatrixXd moves = random_matrix(3, x.cols(), 91);
  for (Eigen::Index i = 0; i < x.cols(); ++i) {
    for (int d = 0; d < box.dim; ++d) {
      if (mesh.positions()(d, i) > low[d] && mesh.positions()(d, i) < high[d])
        x(d, i) += wobble * mesh.element_size()[d] * moves(d, i);
    }
  }
  const std::vector<std::vector<int>> parts =
      box.dim == 2 ? std::vector<std::vector<int>>{{0, 1, 2}, {0, 2, 3}}
                   : std::vector<std::vector<int>>{{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6},
                                                   {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};
  std::vector<int> whole, split_up;
  for (Eigen::Index e = 0; e < mesh.n_elements(); ++e) {
    const Mesh::Nodes nodes = mesh.nodes_of(e);
    if (split == Split::none || (split == Split::every_other && e % 2 == 0)) {
      whole.insert(whole.end(), nodes.begin(), nodes.end());
      continue;
    }
    for (const std::vector<int>& part : parts) {
      for (const int corner : part) split_up.push_back(nodes[corner]);
    }
  }
  const auto block = [](ElementKind kind, std::vector<int>& nodes) {
    const int n = topology(kind).n_nodes;
    return ElementBlock{kind, Eigen::Map<Eigen::MatrixXi>(nodes.data(), n, std::ssize(nodes) / n)};
  };
  std::vector<ElementBlock> blocks;
  if (!whole.empty()) blocks.push_back(block(box.dim == 2 ? ElementKind::quad4 : ElementKind::hex8, whole));
  if (!split_up.empty())
    blocks.push_back(block(box.dim == 2 ? ElementKind::tri3 : ElementKind::tet4, split_up));
  return std::make_shared<const Mesh>(box.dim, x, blocks, box.thickness);
}

inline std::vector<Eigen::Index> all_elements(const Mesh& mesh) {
  std::vector<Eigen::Index> all(static_cast<std::size_t>(mesh.n_elements()));
  for (std::size_t e = 0; e < all.size(); ++e) all[e] = static_cast<Eigen::Index>(e);
  return all;
}

/// The same body with such a mesh.
inline FlexibleBodySpec on_free_mesh(FlexibleBodySpec spec, Split split, double wobble = 0.2) {
  const ElementType element = spec.mesh.element;
  spec.mesh = spec_of_given(free_mesh(spec.mesh, split, wobble), spec.mesh.thickness);
  spec.mesh.element = element;
  return spec;
}

}  // namespace kurbel::fem::test
