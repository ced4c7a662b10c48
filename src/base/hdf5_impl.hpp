/// @file
/// Private to the files that see HDF5: hdf5_file.cpp, hdf5_data.cpp, hdf5_reading.cpp.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <hdf5.h>

#include <utility>

#include "base/hdf5_file.hpp"

namespace kurbel {

/// Owns an HDF5 identifier.
class Hdf5Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_), std::swap(close_, other.close_);
    return *this;
  }
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
  Hdf5Handle file;

  InputError error(const std::string& object, const std::string& what) const;
  /// @throws WriteError if the step failed
  void require_written(herr_t status, const std::string& object) const;
  /// Closes an object, so that a failure is not lost in a destructor.
  void close_written(Hdf5Handle& id, const std::string& object) const;

  bool has(const std::string& object) const;
  void make_group(const std::string& group);
  Hdf5Handle object(const std::string& name) const;
  Hdf5Handle dataset(const std::string& name) const;
  Hdf5Handle numbers(const std::string& name) const;  ///< a dataset of numbers
  Hdf5Handle attribute(const std::string& name, const std::string& attribute) const;

  Hdf5Handle create_dataset(const std::string& name, hid_t type, hid_t space, hid_t properties);
  void write(const std::string& name, const std::vector<hsize_t>& shape, const double* values);

  void set_attribute(const std::string& name, const std::string& attribute, hid_t file_type,
                     hid_t memory_type, hid_t space, const void* value);
  void read_number_attribute(const std::string& name, const std::string& attribute, hid_t memory_type,
                             void* value) const;
};

}  // namespace kurbel
