/// @file
/// The shape of a mesh, on which the places of its nodes depend.
#pragma once

#include <utility>

#include "base/types.hpp"

namespace kurbel::fem {

/// The edge lengths of a mesh and the offsets of its surface; and, in the same shape, the sensitivities.
struct MeshShape {
  MeshShape() = default;
  /// A mesh without offsets is one of these edge lengths alone.
  MeshShape(Vector3d lengths, VectorXd s = {}) : size(std::move(lengths)), offsets(std::move(s)) {}

  /// Size of the box around the mesh before its surface moves, m (2D: the third is ignored).
  Vector3d size = Vector3d::Zero();
  VectorXd offsets;  ///< of SurfaceMorph, m; empty: the surface stays

  bool operator==(const MeshShape& other) const {
    return size == other.size && offsets.size() == other.offsets.size() && offsets == other.offsets;
  }
};

}  // namespace kurbel::fem
