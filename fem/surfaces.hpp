/// @file
/// Surfaces of a body, found on the mesh by their normals.
#pragma once

#include <vector>

#include "fem/faces.hpp"

namespace kurbel::fem {

/// Parts of the surface within which the normals of neighbours, which share an edge (in 2D a node), differ by at most 40
/// degrees; in the order of their first faces.
std::vector<std::vector<FacePlace>> smooth_surfaces(const Mesh& mesh);

/// The mean of the corners of a face.
Vector3d centre_of(const Mesh& mesh, const ElementFace& face);

/// The normal of a face through its corners, outward from its element, of length one; of an edge in 2D that in the plane.
Vector3d outward_normal(const Mesh& mesh, const ElementFace& face);

}  // namespace kurbel::fem
