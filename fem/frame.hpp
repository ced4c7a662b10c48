/// @file
/// The reference frame of a flexible body: what of its motion counts as rigid.
///
/// Undeformed, the frame stands in the axes of the mesh. Elastic displacements u satisfy as many conditions
/// as there are rigid-body modes R:
///
/// * tangent: nodes are clamped, u = 0 there
/// * chord: mean displacements of markers (a: origin, b: end, c: third) vanish; all of a, those of b across
///   the chord, and in 3D that of c across the plane of the three, or, without c, the mean rotation of a
///   about the chord. C u = 0, where C does not depend on the design
/// * Buckens: R^T M u = 0, so that int rho u = 0, int rho r x u = 0: Ct and Cr vanish to zeroth order. Normal
///   modes are those of the free body; static answers are those with inertia relief, K psi = (E - M R R^T) b
///
/// Normal modes in the chord frame are those of the body on these supports, which carry no load in a free
/// body.
#pragma once

#include <vector>

#include "fem/assembly.hpp"
#include "fem/body_spec.hpp"
#include "fem/flexibility.hpp"
#include "fem/markers.hpp"
#include "fem/mesh.hpp"

namespace kurbel::fem {

/// Ascending numbers of the nodes that the frame clamps; none unless it is the tangent frame.
std::vector<int> clamped_nodes(const FlexibleBodySpec& spec, const Mesh& mesh);

/// The conditions of a chord frame, as unit loads whose answers would be the reactions.
/// Precondition: chord_problem() finds none.
std::vector<UnitLoad> chord_conditions(const FlexibleBodySpec& spec, const Mesh& mesh);

/// The fault of the markers of a chord frame; empty if there is none.
std::string chord_problem(const FlexibleBodySpec& spec, const Mesh& mesh);

/// unit_loads() whose answers are elastic: those that a chord frame's supports carry are left out; a load at
/// an angle to them keeps its free part, as a unit load.
std::vector<UnitLoad> elastic_loads(const FlexibleBodySpec& spec, const Mesh& mesh);

/// "tangent", "chord from a to b", "Buckens".
std::string describe_frame(const FrameSpec& frame);

/// Conditions and rigid-body modes of a frame that clamps no node.
class ReferenceFrame {
 public:
  ReferenceFrame(const FlexibleBodySpec& spec, const Mesh& mesh, const NodeOrder& order);

  bool is_tangent() const { return type_ == FrameSpec::Type::tangent; }
  bool is_buckens() const { return type_ == FrameSpec::Type::buckens; }

  /// Degrees of freedom that statically determinate springs support; none in the tangent frame.
  const std::vector<Eigen::Index>& springs() const { return springs_; }
  /// To be called when the mass has changed: the conditions of Buckens' frame, with R^T M R = E.
  void update(const NodalMass& m);

  /// nullptr in the tangent frame
  const FrameProjection* projection() const { return is_tangent() ? nullptr : &projection_; }
  /// Q^T b: loads with the reactions, or the inertia forces, that balance them.
  MatrixXd balanced(const MatrixXd& loads) const;

  /// (R x)_d = sum_c A(d, c) W_c in the fields W = [1 | X Y (Z)].
  /// @param x  n_rigid
  MatrixXd affine_field(const VectorXd& x) const;

 private:
  FrameSpec::Type type_;
  int dim_;
  Vector3d centre_ = Vector3d::Zero();
  MatrixXd R_;            // translations, then rotations about the centre
  MatrixXd orthonormal_;  // R = R_ orthonormal_
  FrameProjection projection_;
  std::vector<Eigen::Index> springs_;  // degrees of freedom
};

}  // namespace kurbel::fem
