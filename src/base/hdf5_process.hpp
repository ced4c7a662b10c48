/// @file
/// Private to the files that see HDF5: work on files that may be damaged, in a process of its own.
///
/// HDF5 believes what a file says. Damaged files make it crash, loop for ever or take all memory, in ways
/// that no check beforehand can exclude. So a second process, a copy of this one, does the reading and
/// answers questions through a socket; whatever becomes of it, we have an InputError. The processor time that
/// it may take for a question and its memory are limited by the size of the file.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>

#include "base/hdf5_query.hpp"

namespace kurbel {

/// Answers questions to a file.
class Hdf5ReaderProcess {
 public:
  using Answering = std::function<Hdf5Answer(const Hdf5Query&)>;

  /// @param open  is called in the other process: opens the file or throws InputError
  /// @throws InputError what `open` throws, or if the file is damaged
  Hdf5ReaderProcess(std::filesystem::path path, const std::function<Answering()>& open);
  ~Hdf5ReaderProcess();
  Hdf5ReaderProcess(const Hdf5ReaderProcess&) = delete;
  Hdf5ReaderProcess& operator=(const Hdf5ReaderProcess&) = delete;

  /// @throws InputError the answer's error, or if the file is damaged
  Hdf5Answer ask(const Hdf5Query& query);

 private:
  Hdf5Answer receive();
  void end();
  std::filesystem::path path_;
  pid_t process_ = -1;
  int socket_ = -1;
};

/// Does something with a file in a process of its own and waits for it. Nothing remains of it but files and
/// the numbers that it returns.
/// @param kind  of the file, e.g. "HDF5 file"
/// @throws InputError what the action throws, or if the process does not survive it
std::vector<double> run_apart(const std::filesystem::path& path, const std::string& kind,
                              const std::function<std::vector<double>()>& action);

}  // namespace kurbel
