/// @file
/// The file `.kurbel-run`, by which a run marks its folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"

namespace kurbel {

inline constexpr std::string_view run_mark_name = ".kurbel-run";

/// The data of a run in the mark of its folder.
struct RunMark {
  std::string version;               ///< of the program that wrote it
  std::string command, status;       ///< "optimize", "finished"
  std::vector<std::string> claimed;  ///< files of the folder whose names the run has chosen itself
};

/// @return nothing if the folder has no mark, or a file of this name that is none
std::optional<RunMark> read_run_mark(const std::filesystem::path& folder);
/// @throws WriteError
void write_run_mark(const std::filesystem::path& folder, const RunMark& mark);

/// A run may replace the files of earlier versions, and of no later one, whose files it may not know.
/// @throws InputError, which names the mark, if its version is later than that of this program, or no version
void require_replaceable_run(const RunMark& mark, const std::filesystem::path& folder);

/// The files of a run are read by the version that wrote them and by later ones with the same major version. A folder without a
/// mark passes, because copies of folders may lack hidden files.
/// @throws InputError, which names the mark, if it is of any other version, or a file of this name that is no mark
void require_readable_run(const std::filesystem::path& folder);

}  // namespace kurbel
