/// @file
/// What every HDF5 file of ours says about itself, as attributes of the file.
#pragma once

#include <string>
#include <vector>

#include "base/hdf5_file.hpp"

namespace kurbel {

/// The layout of our files; raised when an older program could misread a newer file.
inline constexpr std::int64_t file_schema = 1;

/// Where the content comes from.
struct FileHeader {
  std::string content;  ///< "sid" or "run"
  std::string version;  ///< of the program that wrote it; set by write_file_header
  std::string title;
  std::string command;                 ///< e.g. "optimize"
  std::string input_name;              ///< the problem file, as given
  std::string input_text;              ///< its full text
  std::vector<std::string> overrides;  ///< "key.path=value", as given
};

/// Sets the attributes schema, program, version, units, and those of FileHeader but `version`.
void write_file_header(Hdf5File& file, const FileHeader& header);

/// @throws InputError if the file is not one of ours or of a newer schema
FileHeader read_file_header(const Hdf5File& file);

}  // namespace kurbel
