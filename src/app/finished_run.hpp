/// @file
/// An optimization of densities, or of the surface of a body, that has ended, for commands that go on from its result.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line.hpp"
#include "output/run_directory.hpp"
#include "problem/problem.hpp"
#include "study/study.hpp"

namespace kurbel {

/// The input of a run, with its variables as they ended, and more overrides.
/// @throws InputError if there is no run in the folder
TomlDocument document_with_variables(const std::filesystem::path& folder,
                                     std::vector<std::string> overrides = {});

/// The same of a run of densities, or of a surface, that has ended.
/// @param what_for  the command, "export"
/// @throws InputError if the folder has no final.vtu
TomlDocument document_of_result(const std::filesystem::path& folder, const char* what_for,
                                std::vector<std::string> overrides = {});

/// A run as it ended: its problem at the densities and variables of its result.
Study study_of_result(const std::filesystem::path& folder, const char* what_for,
                      std::vector<std::string> overrides = {});

/// The folder of a run that continues another one: the name of that run with a suffix.
std::filesystem::path folder_beside(const std::filesystem::path& run, const char* suffix);

/// Claims files that a command adds to the folder of a run.
/// @throws InputError, before any is claimed, if one is there that kurbel did not write
void claim_all(RunDirectory& folder, const std::vector<std::filesystem::path>& files);

/// The folder of the files that a command makes of a finished run. It is that of the run, or another one by --output, and then
/// nothing in the run changes. No other run may write into that of the run for the life of this object.
class ResultFolder {
 public:
  /// @param args  `file` is the folder of the run
  /// @throws InputError if there is no run, another one is writing there, or --output names no folder
  explicit ResultFolder(const CommandLine& args);

  const std::filesystem::path& run() const { return run_; }
  const std::filesystem::path& files() const { return files_; }

  /// Makes the folder of --output, and in it room for these files.
  /// @param problem  of the run
  /// @throws InputError, before any file is made, if one is there that may not be replaced, such as one that the problem reads, or
  ///                     --json names one of them or a file of the run
  void claim(const std::vector<std::filesystem::path>& files, const Problem& problem);

 private:
  const CommandLine& args_;
  std::filesystem::path run_, files_;
  RunDirectory locked_;     ///< the run
  bool is_beside_ = false;  ///< --output names another folder
};

}  // namespace kurbel
