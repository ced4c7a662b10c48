/// @file
/// Where the nodes of elements lie on the element of reference.
#pragma once

#include "fem/shape_functions.hpp"

namespace kurbel::fem::test {

/// Coordinates of the nodes on the element of reference: corners of the simplex 0 <= xi <= 1 or the cube
/// [-1, 1]^dim; the upper end of a pyramid, where its functions see the whole upper face, by its centre.
inline MatrixXd reference_nodes(ElementKind kind) {
  const ElementTopology& element = topology(kind);
  MatrixXd x = MatrixXd::Zero(element.dim, element.n_nodes);
  for (int a = 0; a < element.n_corners; ++a) {
    switch (kind) {
      case ElementKind::tri3:
      case ElementKind::tet4:
      case ElementKind::tri6:
      case ElementKind::tet10:
        if (a > 0) x(a - 1, a) = 1.0;
        break;
      case ElementKind::quad4:
      case ElementKind::hex8:
      case ElementKind::quad8:
      case ElementKind::hex20:
        for (int d = 0; d < element.dim; ++d) x(d, a) = corner_sign(a, d);
        break;
      case ElementKind::wedge6:
        x.col(a) << (a % 3 == 2 ? 1.0 : 0.0), (a % 3 == 1 ? 1.0 : 0.0), (a < 3 ? -1.0 : 1.0);
        break;
      case ElementKind::pyramid5:
        for (int d = 0; d < 3; ++d) x(d, a) = a < 4 ? corner_sign(a, d) : (d == 2 ? 1.0 : 0.0);
        break;
    }
  }
  for (int a = element.n_corners; a < element.n_nodes; ++a) {
    const auto [from, to] = element.edges[static_cast<std::size_t>(a - element.n_corners)];
    x.col(a) = 0.5 * (x.col(from) + x.col(to));
  }
  return x;
}

}  // namespace kurbel::fem::test
