/// @file
/// Mode shapes for ParaView: as a series that moves, and as arrays.
#pragma once

#include <filesystem>
#include <vector>

#include "results/unstructured_grid.hpp"

namespace kurbel {

/// A body with its modes.
struct BodyModes {
  std::string name;
  UnstructuredGrid grid;  ///< where the body stands
  VectorXd density;       ///< of each cell
  Matrix3d axes;          ///< of the frame of the shapes
  MatrixXd shapes;        ///< (3 n_points x n_modes): direction d of point a in row 3 a + d
  VectorXd hertz;         ///< of each mode
};

/// Writes one oscillation of each mode after the other, mode k from time k on and less than k + 1, with a block of its name
/// for each body. The largest displacement is a tenth of the body's size. Point array `mode`: the displacement at the
/// instant, as drawn; cell arrays `density` and `hertz`. A body with fewer modes than others stands still at the end.
/// @throws WriteError if a file cannot be written
void write_mode_series(const std::filesystem::path& pvd, const std::vector<BodyModes>& bodies);

/// Writes the body at rest, a .vtu with the shape of each mode as a point array, "mode 1, 512.3 Hz", its largest displacement 1.
/// @throws WriteError if the file cannot be written
void write_mode_arrays(const std::filesystem::path& vtu, const BodyModes& body);

}  // namespace kurbel
