/// @file
/// Measures of the damage to a mesh whose surface moves (fem/surface_morph.hpp): elements that shrink or are turned inside
/// out, and a surface that passes through itself.
#pragma once

#include <optional>

#include "fem/body_spec.hpp"
#include "fem/mesh_shape.hpp"

namespace kurbel::fem {

/// d = (0.1^p + sum_e max(0, m0_e / m_e - 1)^p)^(1/p), p = 8
///
/// m_e is the area or volume of an element between its corners, m0_e without offsets. As long as d is at most D, no element
/// has less than 1 / (1 + D) of its size; d grows without limit before one is turned inside out. It is smooth at the start,
/// where it is 0.1.
/// @param spec  with a morph     @return infinity if an element is turned inside out
double distortion(const MeshSpec& spec, const MeshShape& shape);
/// Its derivative by the shape; zero where d is infinite.
MeshShape differentiate_distortion(const MeshSpec& spec, const MeshShape& shape);

/// The first element that offsets turn inside out, as a whole or between its corners.
std::optional<Eigen::Index> inverted_element(const MeshSpec& spec, const MeshShape& shape);

/// A place where faces of the surface, by their corners, pass through each other; none if they do so without offsets, too.
std::optional<Vector3d> crossing_of_surface(const MeshSpec& spec, const MeshShape& shape);

}  // namespace kurbel::fem
