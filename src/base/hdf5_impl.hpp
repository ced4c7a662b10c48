/// @file
/// Private to the files that see HDF5: hdf5_file.cpp, hdf5_data.cpp, hdf5_reading.cpp, hdf5_driver.cpp.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/files.hpp"
#include "base/hdf5_driver.hpp"
#include "base/hdf5_file.hpp"
#include "base/hdf5_process.hpp"

namespace kurbel {

/// Owns an HDF5 identifier.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;
  ~Hdf5Handle() { close(); }

  operator hid_t() const { return id_; }
  bool valid() const { return id_ >= 0; }

  /// Negative if what was pending could not be written.
  herr_t close() {
    const hid_t id = std::exchange(id_, H5I_INVALID_HID);
    return id >= 0 ? close_(id) : 0;
  }

 private:
  hid_t id_;
  Close close_;
};

/// The innermost reason on HDF5's error stack.
std::string hdf5_reason();

/// Creation properties of a file, group or dataset: members in order of creation, no time stamps.
Hdf5Handle hdf5_creation_list(hid_t kind);

/// Text of any length, UTF-8.
Hdf5Handle hdf5_text_type();

std::vector<hsize_t> hdf5_shape(hid_t space);

struct Hdf5File::Impl {
  std::filesystem::path path;
  std::shared_ptr<Hdf5WriteLog> log;
  Hdf5Handle file;
  std::optional<AtomicFile> atomic;
  bool writable = false;
  std::unique_ptr<Hdf5ReaderProcess> process = {};           ///< has the file open, if it is to be read only
  std::uintmax_t largest_storage = std::uintmax_t{1} << 50;  ///< bytes: no dataset holds more than the file

  static std::unique_ptr<Impl> open(const std::filesystem::path& path);  ///< to read, in this process

  InputError error(const std::string& object, const std::string& what) const;
  WriteError write_error(const std::string& object) const;
  /// @throws WriteError if the step failed, or a write to the disk in it or before it
  void require_written(herr_t status, const std::string& object) const;
  /// Closes an object, so that a failure is not lost in a destructor.
  void close_written(Hdf5Handle& id, const std::string& object) const;

  /// Everything reaches the file. @throws WriteError if it does not
  void close();

  bool has(const std::string& object) const;
  void make_group(const std::string& group);
  Hdf5Handle object(const std::string& name) const;
  Hdf5Handle dataset(const std::string& name) const;
  Hdf5Handle numbers(const std::string& name) const;  ///< a dataset of numbers
  Hdf5Handle attribute(const std::string& name, const std::string& attribute) const;

  Hdf5Handle create_dataset(const std::string& name, hid_t type, hid_t space, hid_t properties);
  void write(const std::string& name, const std::vector<hsize_t>& shape, const double* values);

  Hdf5Answer answer(const Hdf5Query& query) const;
  std::vector<std::string> members(const std::string& group) const;
  /// The number of entries. @throws InputError if there can not be so many in what is stored
  std::size_t plausible_count(hid_t id, const std::string& name, const std::vector<hsize_t>& shape) const;
  Hdf5Array read(const std::string& name) const;
  Hdf5Array read_row(const std::string& table, std::int64_t row) const;
  std::int64_t n_rows(const std::string& table) const;
  std::vector<std::string> texts(const std::string& name) const;
  std::vector<std::string> texts_attribute(const std::string& name, const std::string& attribute) const;

  void set_attribute(const std::string& name, const std::string& attribute, hid_t file_type,
                     hid_t memory_type, hid_t space, const void* value);
  void read_number_attribute(const std::string& name, const std::string& attribute, hid_t memory_type,
                             void* value) const;
};

}  // namespace kurbel
