/// @file
/// Flat shapes as solids of CAD.
#pragma once

#include <filesystem>

#include "shape/shape.hpp"

namespace kurbel {

/// Writes a flat shape as a .step, in mm: its outline as splines between points that are held or corners of the mesh, and
/// as lines along the mesh's own boundary, extruded by the thickness, half of it to each side. By way of Gmsh, atomically.
/// @param thickness  m
/// @param scratch    folder for files in between
/// @return           the volume of the file as it is read again, m^3
/// @throws InputError    if there is no Gmsh
/// @throws ShapeFailure  if the shape passes through itself or touches itself in a point, or if its splines do; WriteError
double write_step(const std::filesystem::path& path, const Shape& shape, double thickness,
                  const std::filesystem::path& scratch);

}  // namespace kurbel
