/// @file
/// Nodes, elements and surface faces of a mesh that lie in a place.
#pragma once

#include <string>
#include <vector>

#include "fem/faces.hpp"

namespace kurbel::fem {

/// The faces of the surface, in 2D edges: those that belong to one element alone.
std::vector<ElementFace> surface_faces(const Mesh& mesh);

/// Surfaces of the body as lists of faces: those of the model that was meshed, or else parts of the mesh's surface within
/// which neighbours turn by at most 40 degrees. Their numbers in a place count from 1.
std::vector<std::vector<FacePlace>> surfaces(const Mesh& mesh);

/// The faces of the surface in a place: those that have all their nodes in a shape, or belong to a set or surface. Of a
/// set of elements they are the faces of those, of a set of nodes those that have all their nodes in it.
/// @throws InputError as Mesh::nodes_in()
std::vector<ElementFace> faces_in(const Mesh& mesh, const Place& place);

/// Tells which set or surface of a place the mesh does not have, and which ones it has; empty if it has all.
std::string missing_name(const Mesh& mesh, const Place& place);

/// Tells what is near to a place where nothing is: "the nearest node is at (0.1, 0, 0), 0.003 m away". Empty for names.
/// @param points  of what should be there: positions of nodes or centres of elements
/// @param what    "node"
std::string nearest_to(const Place& place, const Mesh::Points& points, const char* what);

}  // namespace kurbel::fem
