/// @file
/// Thickness of the members of a solid, by morphological opening.
#pragma once

#include <vector>

#include "fem/faces.hpp"

namespace kurbel::fem {

/// The union of all discs (in 3D balls) of a diameter that lie within a set of elements: an element belongs to it
/// if its centre does, or if it has the centre of a disc. Discs are tried around the centres of elements and around
/// nodes. On a structured mesh a diameter of two elements leaves what blocks of two by two cover.
///
/// Whatever is outside of the set bounds it, the surface of the mesh as well. Only along an axis along which the mesh
/// itself is thinner than the diameter, as a plate is, its surface does not count, or nothing would be left.
/// @param diameter  m, positive
/// @param surface   whether the surface of the mesh bounds the set, or the set continues beyond it, as empty space does
/// @return          a subset of the set; the rest of it is thinner than the diameter
enum class MeshSurface { bounds, is_open };
ElementSet opening(const Mesh& mesh, const ElementSet& set, double diameter,
                   MeshSurface surface = MeshSurface::bounds);

/// Axes along which the mesh is thinner than a diameter.
std::vector<Eigen::Index> thin_axes(const Mesh& mesh, double diameter);

/// Nodes and centres of faces of the surface of the mesh as it bounds discs of a diameter: without that across thin axes.
Mesh::Points surface_places(const Mesh& mesh, double diameter);

/// The largest diameter, to within a twentieth of an element, whose opening takes less than a hundredth of the volume of the set: the
/// width of its smallest members; of the elements that are not of a solid, with an open surface, that of its smallest gaps.
/// @return  infinite if the set is empty, or open and wider than the mesh
double smallest_width(const Mesh& mesh, const ElementSet& set, MeshSurface surface);

}  // namespace kurbel::fem
