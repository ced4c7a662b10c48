/// @file
/// The mesh of a body as it is drawn and written.
#pragma once

#include "fem/flexible_body.hpp"
#include "results/unstructured_grid.hpp"

namespace kurbel {

inline CellBlock::Kind cell_kind(fem::ElementKind kind) {
  switch (kind) {
    case fem::ElementKind::tri3:
      return CellBlock::Kind::triangle;
    case fem::ElementKind::quad4:
      return CellBlock::Kind::quadrilateral;
    case fem::ElementKind::tet4:
      return CellBlock::Kind::tetrahedron;
    case fem::ElementKind::hex8:
      break;
    case fem::ElementKind::tri6:
      return CellBlock::Kind::quadratic_triangle;
    case fem::ElementKind::quad8:
      return CellBlock::Kind::quadratic_quadrilateral;
    case fem::ElementKind::tet10:
      return CellBlock::Kind::quadratic_tetrahedron;
    case fem::ElementKind::hex20:
      return CellBlock::Kind::quadratic_hexahedron;
    case fem::ElementKind::wedge6:
      return CellBlock::Kind::wedge;
    case fem::ElementKind::pyramid5:
      return CellBlock::Kind::pyramid;
  }
  return CellBlock::Kind::hexahedron;
}

/// The mesh with the edge lengths of the design.
inline UnstructuredGrid design_mesh(const fem::FlexibleBody& body, const fem::BodyDesign& design) {
  UnstructuredGrid grid;
  grid.points = body.positions(design.shape());
  for (const fem::Mesh::Block& block : body.mesh().blocks())
    grid.cells.push_back({cell_kind(block.kind), block.nodes});
  return grid;
}

}  // namespace kurbel
