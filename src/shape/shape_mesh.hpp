/// @file
/// Meshes of quadratic triangles or tetrahedra that fit a shape.
#pragma once

#include <filesystem>

#include "parts/gmsh_reader.hpp"
#include "shape/shape.hpp"

namespace kurbel {

/// Meshes what a shape encloses, by way of Gmsh. Points of a flat shape that are held become nodes, and so do the other
/// ones of its outline, but for those that lie closer to their neighbours, or within the shape to its outline, than 0.4 of the
/// size. The surface of a solid is
/// meshed anew between its edges, where it turns by 40 degrees and more, or by 80 where Gmsh refuses those.
/// @param size     the longest edge, m
/// @param size_at  that in a solid at a place; none: the same everywhere
/// @param scratch  folder for the geometry, which Gmsh reads
/// @throws InputError       if there is no Gmsh
/// @throws ShapeFailure     if it cannot mesh the shape, or if that passes through itself or touches itself in a point
MeshFile mesh_within(const Shape& shape, double size, const std::filesystem::path& scratch,
                     const SizeAt& size_at = {});

}  // namespace kurbel
