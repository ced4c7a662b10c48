/// @file
/// An HDF5 file with the few things we keep in one: groups, arrays, text, growing tables, attributes.
///
/// HDF5 crashes on damaged files and on writes that fail, so it sees neither: an open file is in memory, as it will be on
/// disk, and we read and write it as a whole, with a seal (base/sealed_file.hpp).
///
/// Numbers are stored as 64-bit values, arrays row-major (the last index runs fastest) as HDF5 does, so that
/// an Eigen matrix M reads M[i, j] in any other program. Text is UTF-8. Objects are named by paths, "a/b/c";
/// groups above are made as needed and list their members in the order of creation. Every failure is an
/// InputError, or a WriteError, that names file and object; HDF5 itself prints nothing. One thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "base/types.hpp"

namespace kurbel {

/// Dense array of any rank, row-major.
struct Hdf5Array {
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n";

class Hdf5File {
 public:
  /// A new file, which takes its name with the first commit().
  static Hdf5File create(const std::filesystem::path& path);

  /// A copy in memory of a file that we have written.
  /// @throws InputError if it is missing, damaged, or not a file of ours
  static Hdf5File open(const std::filesystem::path& path);

  Hdf5File(Hdf5File&&) noexcept;
  Hdf5File& operator=(Hdf5File&&) noexcept;
  ~Hdf5File();  ///< drops what was not committed

  const std::filesystem::path& path() const;

  /// Writes the file as it is now, atomically, and waits for the disk. It may be changed and committed again.
  /// @throws WriteError if it cannot be written (a full disk, a failing one, a folder that is none); a file of that name is
  /// then untouched
  void commit();

  /// "run.h5: crank/Me: <what>", for readers that check what they read.
  InputError error(const std::string& object, const std::string& what) const;

  /// @name Structure
  ///@{
  void make_group(const std::string& group);
  bool has(const std::string& object) const;
  std::vector<std::string> members(const std::string& group = "/") const;
  void remove(const std::string& object);  ///< does nothing when there is none
  ///@}

  /// @name Datasets. Writing replaces; reading a missing one, another type or rank throws InputError.
  /// Arrays above 64 KiB are stored in compressed chunks.
  ///@{
  void write_number(const std::string& object, double value);
  void write_vector(const std::string& object, const VectorXd& values);
  void write_matrix(const std::string& object, const MatrixXd& values);
  void write_array(const std::string& object, const Hdf5Array& array);
  void write_text(const std::string& object, const std::string& text);
  void write_texts(const std::string& object, const std::vector<std::string>& texts);

  double read_number(const std::string& object) const;
  VectorXd read_vector(const std::string& object) const;
  MatrixXd read_matrix(const std::string& object) const;
  Hdf5Array read_array(const std::string& object) const;
  std::string read_text(const std::string& object) const;
  std::vector<std::string> read_texts(const std::string& object) const;
  ///@}

  /// @name Growing tables: a matrix to which rows are appended, all of the length of the first
  ///@{
  void append_row(const std::string& table, const VectorXd& row);
  Eigen::Index n_rows(const std::string& table) const;  ///< 0 when there is no such table
  VectorXd read_row(const std::string& table, Eigen::Index row) const;
  void keep_rows(const std::string& table, Eigen::Index count);  ///< drops all rows from `count` on
  ///@}

  /// @name Attributes of a group or dataset ("/" is the file itself). Writing replaces.
  ///@{
  void set_attribute(const std::string& object, const std::string& name, double value);
  void set_attribute(const std::string& object, const std::string& name, std::int64_t value);
  void set_attribute(const std::string& object, const std::string& name, const std::string& value);
  void set_attribute(const std::string& object, const std::string& name,
                     const std::vector<std::string>& value);

  bool has_attribute(const std::string& object, const std::string& name) const;
  double number_attribute(const std::string& object, const std::string& name) const;
  std::int64_t integer_attribute(const std::string& object, const std::string& name) const;
  std::string text_attribute(const std::string& object, const std::string& name) const;
  std::vector<std::string> texts_attribute(const std::string& object, const std::string& name) const;
  ///@}

 private:
  struct Impl;
  explicit Hdf5File(std::unique_ptr<Impl> impl);
  Hdf5Array read_array(const std::string& object, std::size_t rank) const;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kurbel
