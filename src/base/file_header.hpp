/// @file
/// The header of every HDF5 file of ours, as attributes of the file; its input, which may be long,
/// as the texts input/text and input/overrides.
#pragma once

#include <string>
#include <vector>

#include "base/hdf5_file.hpp"

namespace kurbel {

/// The layout of our files; raised when an older program could misread a newer file.
inline constexpr std::int64_t file_schema = 2;

/// Kind and origin of the content.
struct FileHeader {
  std::string content;  ///< "sid" or "run"
  std::string version;  ///< of the program that wrote it; set by write_file_header
  std::string title;
  std::string command;                 ///< e.g. "optimize"
  std::string input_name;              ///< the problem file, as given
  std::string input_text;              ///< its full text
  std::vector<std::string> overrides;  ///< "key.path=value", as given
  std::string input_directory = {};    ///< where relative paths of the input start
};

/// Writes schema, program, version, units, and what FileHeader has but `version`.
void write_file_header(Hdf5File& file, const FileHeader& header);

/// @throws InputError if the file is not one of ours or of a newer schema
FileHeader read_file_header(const Hdf5File& file);

}  // namespace kurbel
