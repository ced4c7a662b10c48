/// @file
/// A growing HDF5 file that no crash can spoil.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>

#include "base/hdf5_file.hpp"

namespace kurbel {

/// Collects changes to an HDF5 file and publishes them atomically.
///
/// HDF5 cannot be changed in place without a moment in which a crash leaves it unreadable, and writing a
/// growing file anew at every checkpoint costs the square of its length. So two copies take turns: the
/// changes go into the spare one, `<name>.spare`, which then is renamed to the name, while the copy that had
/// it becomes the spare. A file of that name is complete, closed and readable at any time; every change is
/// written twice. A change sees the file as all changes before it left it, must do the same to both copies,
/// and nothing else: after resume() it is made in a process of its own.
class CheckpointedHdf5 {
 public:
  using Change = std::function<void(Hdf5File&)>;

  /// A new file; one of that name stays as it is until the first checkpoint replaces it.
  static CheckpointedHdf5 create(const std::filesystem::path& path);

  /// Goes on with an existing file.
  /// @throws InputError if it cannot be read
  static CheckpointedHdf5 resume(const std::filesystem::path& path);

  CheckpointedHdf5(CheckpointedHdf5&& other) noexcept;
  CheckpointedHdf5& operator=(CheckpointedHdf5&&) = delete;
  ~CheckpointedHdf5();  ///< removes the spare copy; changes after the last checkpoint are dropped

  const std::filesystem::path& path() const { return path_; }

  /// To be made at the next checkpoint. What it captures is kept for two checkpoints.
  void add(Change change) { changes_.push_back(std::move(change)); }

  /// Makes all changes and publishes the file.
  /// @throws WriteError if it cannot be written (a full disk); the published file is as before
  void checkpoint();

 private:
  CheckpointedHdf5(std::filesystem::path path, bool published);
  void bring_spare_up_to_date();
  void write_spare();
  void publish();

  std::filesystem::path path_, spare_;
  std::deque<Change> changes_;    ///< not yet in both copies
  std::size_t in_published_ = 0;  ///< how many of them the published file has
  std::size_t in_spare_ = 0;      ///< how many of them the spare copy has
  bool published_ = false;        ///< our file has the name
  bool resumed_ = false;          ///< from a file that may be damaged: a process of its own changes it
  bool spare_exists_ = false;
};

}  // namespace kurbel
