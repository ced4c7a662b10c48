/// @file
/// Fields on meshes as .vtu files, written and read back.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace kurbel {

/// Cells of one kind; each column of `corners` lists the points of a cell in VTK order.
struct CellBlock {
  enum class Kind { line, polyline, triangle, quadrilateral, tetrahedron, hexahedron };
  Kind kind = Kind::quadrilateral;
  Eigen::MatrixXi corners;  ///< (2, any, 3, 4, 4 or 8) x n_cells
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
  std::optional<int> iteration{};     ///< of an optimization: field data `iteration`
  std::vector<std::string> bodies{};  ///< names to which the cell array `body` points: field data `bodies`
};

/// Writes a .vtu (binary, compressed), with a seal (base/sealed_file.hpp), atomically; makes its folder.
/// @throws WriteError if the file cannot be written
/// @throws InputError if an array does not fit the grid, or a corner is not a point
void write_vtu(const std::filesystem::path& path, const UnstructuredGrid& grid,
               const std::vector<FieldArray>& cell_arrays, const std::vector<FieldArray>& point_arrays = {},
               const VtuOptions& options = {});

/// Content of a .vtu.
struct VtuCells {
  std::map<std::string, VectorXd> arrays;  ///< cell arrays of one component, by name
  std::vector<std::string> texts;          ///< in the field data
};

/// Names of what is to be read of a .vtu.
struct VtuQuery {
  std::string array;                        ///< of the cells; has to be there
  std::vector<std::string> other_arrays{};  ///< read if they are there
  std::string texts{};                      ///< name of field data
};

/// Reads a file of write_vtu().
/// @throws InputError if the file is missing, damaged or not of ours, or has no such array (those it has are listed)
VtuCells read_vtu_cells(const std::filesystem::path& path, const VtuQuery& query);

}  // namespace kurbel
