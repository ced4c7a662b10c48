/// @file
/// Reads fields on cells from the .vtu files that the program writes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace kurbel {

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
