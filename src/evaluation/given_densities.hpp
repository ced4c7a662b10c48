/// @file
/// Densities that the user gives as a file, checked for the bodies of a problem.
#pragma once

#include <filesystem>
#include <optional>

#include "base/errors.hpp"
#include "fem/flexible_body.hpp"
#include "input/density_reader.hpp"
#include "problem/problem.hpp"

namespace kurbel {

/// A file of densities: that of --density, the final.vtu of a run, or design.start; or none.
class GivenDensities {
 public:
  /// @param option  --density, or the final.vtu of the run whose result is asked for; if it is empty, the file is that of
  ///                design.start, if there is one. Messages about it begin with the file, because a run names it without the user.
  /// @throws InputError if the file cannot be read
  GivenDensities(const Problem& problem, const std::filesystem::path& option);

  bool is_empty() const { return !file_; }
  const std::filesystem::path& path() const { return path_; }

  /// @param n_bodies  number of bodies that take their densities from it
  /// @throws InputError if the file has those of one body and they are several
  void require_enough_for(std::size_t n_bodies) const;
  /// @throws InputError if the file does not have this body with as many elements, or a value is not a density
  DensitiesOfBody of_body(const fem::FlexibleBody& body) const;

 private:
  InputError refused(const std::string& why) const;

  const Problem& problem_;
  bool is_option_;  ///< and not design.start
  std::filesystem::path path_;
  std::optional<DensityFile> file_;
};

}  // namespace kurbel
