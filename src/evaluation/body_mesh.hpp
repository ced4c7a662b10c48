/// @file
/// The mesh of a body as the writers of output/ take it.
#pragma once

#include "fem/flexible_body.hpp"
#include "output/vtk_writer.hpp"

namespace kurbel {

/// The mesh with the edge lengths of the design.
inline UnstructuredGrid design_mesh(const fem::FlexibleBody& body, const fem::BodyDesign& design) {
  const fem::Mesh& mesh = body.mesh();
  UnstructuredGrid grid;
  grid.points = body.positions(design.size);
  grid.cells = {
      {mesh.dim() == 2 ? CellBlock::Kind::quadrilateral : CellBlock::Kind::hexahedron, mesh.connectivity()}};
  return grid;
}

}  // namespace kurbel
