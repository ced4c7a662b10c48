/// @file
/// Rigid ties (RBE2): the nodes of a marker move as a rigid body, u_a = u + theta x (x_a - x_0), x_0 the weighted mean of
/// their positions. The unknowns u, theta take the place of those of the nodes,
///
///     u = T u_T,    K_T = T^T K T,
///
/// with T free of the design. Answers are T K_T^-1 T^T f, and all else is as in a body without ties: masses, Gram matrix,
/// markers and pull-backs see displacements u that satisfy the ties. A marker's mean displacement and rotation are then
/// u and theta. Supports, which hold single components of nodes, are ties as well: T has zero rows there.
#pragma once

#include "fem/assembly.hpp"
#include "fem/body_spec.hpp"
#include "fem/mesh.hpp"

namespace kurbel::fem {

/// T by the free degrees of freedom (position * dim + direction): first the unknowns of nodes that are not tied, without
/// those that supports hold, then of each tied marker the displacement along each axis and the rotations, in 2D about z.
struct RigidTies {
  SparseMatrix T;
  int block;  ///< consecutive unknowns of T that belong together, for the order of elimination
};
RigidTies rigid_ties(const FlexibleBodySpec& spec, const Mesh& mesh, const NodeOrder& order);

/// Degrees of freedom that supports hold and the clamp does not, ascending: node * dim + direction.
std::vector<Eigen::Index> supported_dofs(const FlexibleBodySpec& spec, const Mesh& mesh);

/// The same among the free degrees of freedom: position * dim + direction.
std::vector<Eigen::Index> held_dofs(const FlexibleBodySpec& spec, const Mesh& mesh, const NodeOrder& order);

/// A marker whose tie is impossible, and the reason: the tie overlaps the clamp, a support or another one, or its nodes lie on a line
/// (in 2D it is one node), so that they have no rotation of their own.
struct TieProblem {
  std::string marker, message;
};
std::optional<TieProblem> tie_problem(const FlexibleBodySpec& spec, const Mesh& mesh);

}  // namespace kurbel::fem
