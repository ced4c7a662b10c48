/// @file
/// The problem of a result with meshes that fit the shapes of its designed bodies, in place of densities.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/body_shape.hpp"
#include "app/report.hpp"

namespace kurbel {

class FittedProblem {
 public:
  /// @param run     its folder
  /// @param folder  of the files
  /// @param suffix  the mesh of a body is NAME_suffix.inp, the values of its other variables are in variables_suffix.csv
  FittedProblem(const ShapesOfResult& shapes, std::filesystem::path run, const std::filesystem::path& folder,
                const std::string& suffix);

  /// The files of the meshes, by body, and of the variables.
  const std::vector<std::filesystem::path>& files() const { return files_; }
  /// Names of the designed bodies.
  const std::vector<std::string>& names() const { return names_; }

  /// Meshes the shapes and writes the files, which the folder has to allow. Warns of what a shape is not.
  /// @throws ShapeFailure  if Gmsh cannot mesh a shape
  void mesh(const std::string& title, Report& report);

  /// The volume of the fitted meshes as a share of that of the designed ones, with that of bodies which other variables design.
  double share_of_volume() const { return fitted_volume_ / designed_volume_; }
  /// The mean edge of an element of the fitted mesh of each body, m.
  const std::vector<double>& edges() const { return edges_; }

  /// The sets that the fitted mesh of each body has for the surfaces of the space in which it was designed.
  const std::vector<std::vector<std::string>>& outer_sets() const { return outer_sets_; }

  /// The input of the run with the fitted meshes, all of them solid: without filter and projection, and what else is asked of
  /// densities. Its text is that of its tree.
  /// @throws ShapeFailure  if a shape lacks what holds the body, as one in pieces may
  /// @param what_for   the command
  /// @param overrides  besides those of the run
  /// @param adapt      changes the tree of the input before the overrides are laid over it
  TomlDocument document(
      const char* what_for, const std::vector<std::string>& overrides,
      const std::function<void(TomlValue&)>& adapt = [](TomlValue&) {}) const;

 private:
  Problem read(const TomlDocument& document) const;
  TomlDocument with_variables(TomlDocument document, Problem problem) const;

  const ShapesOfResult& shapes_;
  const std::filesystem::path run_;
  std::vector<std::string> names_, overrides_;
  std::vector<std::filesystem::path> files_;
  std::vector<double> edges_;
  std::vector<int> pieces_;  ///< of the shapes, by body
  std::vector<std::vector<std::string>> outer_sets_;
  double fitted_volume_ = 0.0, designed_volume_ = 0.0;  ///< m^3
};

/// Takes keys out of a table, if it is one.
void erase_keys(TomlValue* table, const std::vector<std::string>& keys);

}  // namespace kurbel
