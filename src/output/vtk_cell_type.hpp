/// @file
/// Cells by their numbers in VTK.
#pragma once

#include "results/unstructured_grid.hpp"

namespace kurbel {

int vtk_cell_type(CellBlock::Kind kind);

}  // namespace kurbel
