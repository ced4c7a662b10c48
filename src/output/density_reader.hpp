/// @file
/// Densities given by the user as a file.
#pragma once

#include <filesystem>

#include "base/types.hpp"

namespace kurbel {

/// Densities from a .vtu (cell array `density`) or from a text file with one value per element in element
/// order; in text, '#' starts a comment and values are separated by blanks, commas or line ends.
/// @return (n_elements)
/// @throws InputError if the file cannot be read, a value is not a finite number, or there are not n_elements
/// of them
VectorXd read_density(const std::filesystem::path& path, Eigen::Index n_elements);

}  // namespace kurbel
