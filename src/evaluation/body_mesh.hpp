/// @file
/// The mesh of a body as it is drawn and written.
#pragma once

#include "fem/flexible_body.hpp"
#include "results/unstructured_grid.hpp"

namespace kurbel {

/// The mesh with the edge lengths of the design.
inline UnstructuredGrid design_mesh(const fem::FlexibleBody& body, const fem::BodyDesign& design) {
  UnstructuredGrid grid;
  grid.points = body.positions(design.shape());
  for (const fem::Mesh::Block& block : body.mesh().blocks())
    grid.cells.push_back({CellBlock::Kind{fem::topology(block.kind).vtk_type}, block.nodes});
  return grid;
}

}  // namespace kurbel
