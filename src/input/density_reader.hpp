/// @file
/// Densities given by the user as a file.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace kurbel {

/// The elements of one body in a file, in element order.
struct DensitiesOfBody {
  VectorXd density;   ///< physical densities: those that a run simulated
  VectorXd design{};  ///< the variables that they came from through filter and projection; empty: unknown
};

/// A .vtu with the cell array `density`, and as a run writes it `design`, `body` and the field data `bodies`
/// besides; or a text file with one density per element in element order, in which '#' starts a comment and
/// values are separated by blanks, commas or line ends.
class DensityFile {
 public:
  /// @throws InputError if the file cannot be read, or a value is not a finite number
  explicit DensityFile(std::filesystem::path path);

  /// A file that does not name its bodies has one, and so has one in which `body` is the same everywhere.
  bool is_of_one_body() const { return cells_.size() < 2; }
  /// The only body of the file, whatever its name, or the one of this name.
  /// @throws InputError if there is no such body, or it does not have n_elements
  DensitiesOfBody of_body(const std::string& name, Eigen::Index n_elements) const;

 private:
  void sort_by_body(const VectorXd& body, const std::vector<std::string>& names);

  std::filesystem::path path_;
  DensitiesOfBody all_;
  std::map<std::string, std::vector<Eigen::Index>> cells_;  ///< by body; empty: all are of one
};

}  // namespace kurbel
