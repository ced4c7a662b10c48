#include "fem/element_kind.hpp"

namespace kurbel::fem {

const ElementTopology& topology(ElementKind kind) {
  static const ElementTopology tri3{"tri3", 2, 3, {{0, 1}, {1, 2}, {2, 0}}};
  static const ElementTopology quad4{"quad4", 2, 4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}};
  static const ElementTopology tet4{"tet4", 3, 4, {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}}};
  static const ElementTopology hex8{
      "hex8", 3, 8, {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};
  switch (kind) {
    case ElementKind::tri3:
      return tri3;
    case ElementKind::quad4:
      return quad4;
    case ElementKind::tet4:
      return tet4;
    case ElementKind::hex8:
      return hex8;
  }
  return hex8;
}

}  // namespace kurbel::fem
