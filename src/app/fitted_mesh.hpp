/// @file
/// A mesh that fits the shape of a designed body, with the sets and surfaces of the mesh that it was designed on.
#pragma once

#include <memory>
#include <string>

#include "fem/flexible_body.hpp"
#include "shape/shape.hpp"

namespace kurbel {

/// The set that a fitted mesh has for a surface of the designed one, which places name by its number. No set of the designed
/// mesh has its name.
std::string set_of_surface(const fem::Mesh& designed, int number);

/// Meshes the shape with quadratic triangles or tetrahedra as large as the elements of the body. Nodes on the faces of a set
/// or surface of the body's mesh, within 1e-4 of an element, are a set of the same name, or of set_of_surface(), with all nodes of
/// faces that have their corners there; of a set of nodes alone those at the same places are, and of a set of elements those that
/// are nearest to one of them.
/// @param thickness  of a flat body, m
/// @throws InputError       if there is no Gmsh
/// @throws ShapeFailure     if it cannot mesh the shape
std::shared_ptr<const fem::Mesh> fitted_mesh(const fem::FlexibleBody& body, const Shape& shape,
                                             double thickness);

}  // namespace kurbel
