/// @file
/// Collections of field files over time, as ParaView opens them (.pvd).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kurbel {

/// Text as the value of an attribute.
std::string xml_escaped(const std::string& text);

/// Names a file for each time or iteration. The .pvd is complete on disk after every addition.
class PvdCollection {
 public:
  struct Entry {
    double time = 0.0;
    std::string file;    ///< relative to the .pvd
    bool found = false;  ///< on disk, rather than added
  };

  /// An empty collection; a .pvd of that name is replaced at once.
  /// @throws WriteError if it cannot be written
  explicit PvdCollection(std::filesystem::path path);

  /// Goes on with the field files that a run left beside the .pvd, <stem>/<stem>_00012.vtm for 12 or, where there
  /// is none, <stem>_00012.vtu, whatever the .pvd itself says. Removes a .vtm and blocks without the .vtu of their
  /// number: they are no iteration's.
  /// @throws WriteError if it cannot be written
  static PvdCollection of_files(std::filesystem::path path);

  /// Drops the entries of of_files() in whose place none was added, and returns all files of their numbers:
  /// <stem>_00012.vtm, .vtu, and those of its blocks, <stem>_00012_0.vtu, ...
  /// @throws WriteError if the .pvd cannot be written
  std::vector<std::string> drop_found();

  /// Replaces an entry of the same time, and keeps the entries in the order of time.
  /// @throws WriteError if the .pvd cannot be written
  void add(double time, const std::string& file);

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  PvdCollection(std::filesystem::path path, std::vector<Entry> entries);
  void write() const;

  std::filesystem::path path_;
  std::vector<Entry> entries_;
};

}  // namespace kurbel
