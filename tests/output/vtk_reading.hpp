/// @file
/// Files read back with VTK's own readers.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace kurbel {

struct ReadGrid {
  bool readable = false;
  MatrixXd points;                                            ///< 3 x n
  std::vector<int> cell_types;                                ///< VTK's numbers
  std::vector<std::vector<int>> corners;                      ///< of each cell
  std::map<std::string, MatrixXd> cell_arrays, point_arrays;  ///< components x n
  std::map<std::string, double> fields;                       ///< field data: the first value of each
  std::map<std::string, std::string> units;                   ///< UNITS_LABEL of the arrays that have one
};
/// Of a .vtu or a .vtp.
ReadGrid read_grid(const std::filesystem::path& path);

/// The blocks of a .vtm by name, in their order.
using ReadBlocks = std::vector<std::pair<std::string, ReadGrid>>;
ReadBlocks read_blocks(const std::filesystem::path& path);
/// @throws std::out_of_range if there is no such block
const ReadGrid& block(const ReadBlocks& blocks, const std::string& name);

struct ReadImage {
  int width = 0, height = 0;
  std::vector<std::array<int, 3>> pixels;  ///< row by row from below
  const std::array<int, 3>& at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
};
ReadImage read_png(const std::filesystem::path& path);

/// (timestep, file) of each DataSet, by an XML parser; empty if the file is not well-formed.
std::vector<std::pair<double, std::string>> read_pvd(const std::filesystem::path& path);

}  // namespace kurbel
