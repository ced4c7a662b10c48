/// @file
/// Collections of field files over time, as ParaView opens them (.pvd).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kurbel {

/// Names a file for each time or iteration. The .pvd is complete on disk after every addition.
class PvdCollection {
 public:
  struct Entry {
    double time = 0.0;
    std::string file;  ///< relative to the .pvd
  };

  /// An empty collection; a .pvd of that name is replaced at once.
  /// @throws InputError if it cannot be written
  explicit PvdCollection(std::filesystem::path path);

  /// Goes on with an existing collection, with its entries before `time`. A missing file is an empty
  /// collection.
  /// @throws InputError if the file is not a .pvd or cannot be written
  static PvdCollection resume(std::filesystem::path path, double time);

  /// Replaces an entry of the same time, and keeps the entries in the order of time.
  /// @throws InputError if the .pvd cannot be written
  void add(double time, const std::string& file);

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  PvdCollection(std::filesystem::path path, std::vector<Entry> entries);
  void write() const;

  std::filesystem::path path_;
  std::vector<Entry> entries_;
};

}  // namespace kurbel
