/// @file
/// Sets of elements that a test draws.
#pragma once

#include <string>
#include <vector>

#include "fem/faces.hpp"

namespace kurbel::fem::test {

/// A mesh of squares of 1 m, and those of them that rows of text mark by '#', the uppermost row first.
struct DrawnElements {
  explicit DrawnElements(const std::vector<std::string>& rows, int n_layers = 0)
      : mesh(spec_of(rows, n_layers)), set(static_cast<std::size_t>(mesh.n_elements())) {
    const std::size_t n_x = rows.front().size(), n_y = rows.size();
    for (std::size_t e = 0; e < set.size(); ++e) set[e] = rows[n_y - 1 - e / n_x % n_y][e % n_x] == '#';
  }
  Mesh mesh;
  ElementSet set;

 private:
  static MeshSpec spec_of(const std::vector<std::string>& rows, int n_layers) {
    MeshSpec spec;
    spec.dim = n_layers > 0 ? 3 : 2;
    spec.divisions = {static_cast<int>(rows.front().size()), static_cast<int>(rows.size()),
                      std::max(n_layers, 1)};
    for (Eigen::Index d = 0; d < 3; ++d) spec.size[d] = spec.divisions[static_cast<std::size_t>(d)];
    return spec;
  }
};

/// Nodes in the plane across an axis.
inline std::vector<int> nodes_at(const Mesh& mesh, std::size_t axis, double value) {
  Box box;
  box.lower[axis] = box.upper[axis] = value;
  return mesh.nodes_in(box);
}

}  // namespace kurbel::fem::test
