/// @file
/// Fields on meshes as .vtu files, written and read back.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace kurbel {

/// Cells of one kind; each column of `corners` lists the points of a cell in VTK order.
struct CellBlock {
  enum class Kind { line, polyline, triangle, quadrilateral, hexahedron };
  Kind kind = Kind::quadrilateral;
  Eigen::MatrixXi corners;  ///< (2, any, 3, 4 or 8) x n_cells
};

/// A mesh of points (3 x n_points, m) and cells, numbered block after block.
struct UnstructuredGrid {
  MatrixXd points = MatrixXd(3, 0);
  std::vector<CellBlock> cells{};
  Eigen::Index n_cells() const;
};

/// Values on points or cells: one column each, one row per component.
struct FieldArray {
  std::string name;
  MatrixXd values;
  std::string unit{};  ///< "m", "Pa": VTK's information key UNITS_LABEL of the array; empty: none
};

struct VtuOptions {
  bool animation = false;  ///< single precision and LZ4: a third of the time, for series of many large files
  std::optional<int> iteration{};  ///< of an optimization: field data `iteration`
};

/// Writes a .vtu (binary, compressed), atomically; makes its folder.
/// @throws InputError if the file cannot be written, an array does not fit the grid, or a corner is not a
/// point
void write_vtu(const std::filesystem::path& path, const UnstructuredGrid& grid,
               const std::vector<FieldArray>& cell_arrays, const std::vector<FieldArray>& point_arrays = {},
               const VtuOptions& options = {});

/// A cell array of one component. A process of its own reads the file, which may be damaged.
/// @throws InputError if the file is missing, damaged or no .vtu, or has no such array (those it has are
/// listed)
VectorXd read_vtu_cell_array(const std::filesystem::path& path, const std::string& name);

}  // namespace kurbel
