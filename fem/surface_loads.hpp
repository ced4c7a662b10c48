/// @file
/// Loads on a surface of a body that are fixed to it: pressure, and the pressure of a pin in its bearing.
///
///     f_i = - int N_i p n dA      n: outward normal of the undeformed surface; in the plane dA = thickness ds
///
/// Their directions turn with the body's frame; p follows a function of time. The density of the body does not enter.
///
/// The mechanics knows forces at markers. So the forces along each axis are parted by sign, and each part is one force at
/// a marker of its own that moves with the mean of its nodes, weighted by |f_i| along that axis: displacement, moment
/// about the frame and virtual work are those of the nodal forces, and the pull-back is that of markers.
#pragma once

#include <string>
#include <vector>

#include "fem/body_spec.hpp"
#include "fem/mesh.hpp"

namespace kurbel::fem {

/// A load on a surface.
struct SurfaceLoad {
  enum class Kind {
    pressure,  ///< p = 1
    bearing  ///< p = c max(0, - n . direction), as of a pin in a hole; c makes the resultant along `direction` 1
  };
  Kind kind = Kind::pressure;
  Place place;
  Vector3d direction = Vector3d::UnitX();  ///< of the force on the body, of length 1; bearing only
};

/// Forces on the nodes per unit of pressure, N/Pa, or of force, N/N.
struct NodalForces {
  std::vector<int> nodes;  ///< ascending
  Mesh::Points forces;     ///< 3 x nodes
  double area = 0.0;       ///< of all faces of the place, m^2
};

/// @param thickness  across the plane, m; of solids 1
/// @return no nodes if the place has no face of the surface, or no face looks against the direction
NodalForces nodal_forces(const SurfaceLoad& load, const Mesh& mesh, double thickness);

/// The part of nodal forces along one axis and of one sign.
struct LoadShare {
  int axis = 0;
  double force = 0.0;  ///< sum of the forces along the axis, never zero
  NodeSet set;         ///< weights |f_i|, all positive
};
/// Parts that are only rounding errors are omitted.
std::vector<LoadShare> shares_of(const NodalForces& forces);

/// True if two sets have the same nodes and proportional weights.
bool is_same_mean(const NodeSet& a, const NodeSet& b);

/// True if the nodal forces of a load are a combination of those of others, so that their static answers give its own.
/// @param markers  among them all at which the loads have forces
bool is_combination(const CombinedLoadSpec& load, const std::vector<CombinedLoadSpec>& others,
                    const std::vector<MarkerSpec>& markers, const Mesh& mesh);

}  // namespace kurbel::fem
