/// @file
/// The corners that all elements of a structured mesh have, and derivatives by their places.
#pragma once

#include <vector>

#include "fem/body_spec.hpp"
#include "fem/element.hpp"
#include "fem/mesh.hpp"

namespace kurbel::fem {

/// Corners of an element when the mesh has these edge lengths, the first in the origin; 3 x
/// nodes_per_element, m.
Mesh::Points reference_corners(const Mesh& mesh, const FlexibleBodySpec& spec, const Vector3d& size);

/// d k / d x and d m / d x by coordinate: entry a * dim + d belongs to direction d of corner a.
struct ElementDerivatives {
  std::vector<MatrixXd> stiffness;  ///< m per m; (nodes * dim) square
  std::vector<MatrixXd> mass;       ///< m^3 per m; nodes x nodes
};
/// By complex step, to rounding.
ElementDerivatives differentiate_element(const Element& element, const Corners& corners, int dim);

}  // namespace kurbel::fem
