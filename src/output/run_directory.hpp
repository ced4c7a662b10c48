/// @file
/// The folder of a run: where each file is, and what may happen to the files of an earlier run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "output/run_mark.hpp"

namespace kurbel {

/// The purpose for which a run opens its folder.
struct RunPurpose {
  std::string command;     ///< e.g. "optimize"
  bool overwrite = false;  ///< an unfinished run there may be replaced
};

/// A run marks its folder by a file `.kurbel-run`. A rerun into a folder with that mark is normal and
/// replaces the earlier run, but only once it has something to show: after the input is checked and the first
/// evaluation has succeeded, the caller calls begin(). Until then, and whenever the input is bad, nothing in
/// the folder changes. An optimization that was not finished is replaced on request only.
///
/// Only files that a run writes are ever replaced or removed, and none in a folder without the mark: there a
/// run puts its files beside those of others, and is refused if one of them has a name that a run writes.
/// Links are not followed.
class RunDirectory {
 public:
  /// Checks the folder and changes nothing.
  /// @throws InputError if the folder cannot be made or written, holds an unfinished optimization, or files
  /// with our names that no run of ours left, or the run of a later version
  RunDirectory(std::filesystem::path folder, RunPurpose purpose);

  /// @param what_for  "resume", for messages
  /// @throws InputError if there is no run.h5, or the run is of a version that this one does not read
  static void require_run(const std::filesystem::path& folder, const char* what_for);

  /// The folder of a run that is to be continued or added to, locked for the life of the object.
  /// @param what_for  "resume", for messages
  /// @throws InputError if there is no run.h5, another run is writing there, the folder cannot be written, or the run is of a version
  /// that this one does not read
  static RunDirectory of_run(std::filesystem::path folder, const char* what_for = "resume");

  /// The folder of a run that is only read, so that no run may write there for the life of the object; others may read it, too.
  /// @param what_for  "export", for messages
  /// @throws InputError if there is no run.h5, a run is writing there, or the run is of a version that this one does not read
  static RunDirectory to_read(std::filesystem::path folder, const char* what_for);

  ~RunDirectory();
  RunDirectory(RunDirectory&& other) noexcept;
  RunDirectory& operator=(RunDirectory&&) = delete;

  /// These files are read by the run: begin() spares them.
  /// @throws InputError if the run would replace one of them
  void spare(const std::vector<std::filesystem::path>& inputs);

  /// Makes the folder, locks it for the life of this object, removes the files of an earlier run, and marks
  /// it.
  /// @throws InputError if another run is writing there, or the folder cannot be written
  void begin();

  /// Marks the folder of of_run() as being written again.
  void begin_again();

  /// True if a run may write this file of the folder whose name it chooses itself: there is none, or the
  /// earlier run has claimed it.
  bool may_replace(const std::filesystem::path& file) const;

  /// A file of the folder whose name the run chooses itself, to be removed with it; call it before it is
  /// written. Does nothing in a folder of of_run() that no run has marked.
  void claim(const std::filesystem::path& file);

  /// @param status  "finished", "interrupted" or "failed"
  void finish(const std::string& status);

  /// True if a run writes files of this name into the folder.
  bool is_name_of_run(const std::filesystem::path& file) const;

  const std::filesystem::path& path() const { return folder_; }
  /// The place of a file of the run, "run.h5".
  /// @throws std::logic_error unless it is a name in the list of files that a run writes
  std::filesystem::path operator/(std::string_view name) const;
  /// Standard input data of a body as text.
  std::filesystem::path sid_text(const std::string& body) const { return folder_ / (body + ".SID_FEM"); }
  /// Field files of an iteration, relative to the folder: all bodies in one grid, and a block for each.
  std::string density_vtu(int iteration) const;
  std::string density_vtm(int iteration) const;

 private:
  RunDirectory() = default;
  InputError cannot_write(const std::string& why) const;
  void require_writable() const;
  void require_no_links() const;
  void require_ours() const;
  enum class Access { alone, reading };
  bool try_to_lock(Access access);
  void lock();
  void remove_earlier_run(const RunMark& earlier) const;
  void remove(const std::filesystem::path& file) const;

  std::filesystem::path folder_;
  RunPurpose purpose_;
  RunMark mark_;
  std::vector<std::filesystem::path> spared_;  ///< canonical
  int lock_ = -1;
};

/// outputs/<name of the input file> for optimize, outputs/<name>_<command> for the others, so that a
/// simulation does not replace an optimization.
std::filesystem::path default_run_folder(const std::filesystem::path& input, const std::string& command);

/// True if a file is a page that `kurbel report` has written. A run removes that of an earlier run, and no other page.
bool is_report(const std::filesystem::path& file);

}  // namespace kurbel
