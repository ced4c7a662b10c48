/// @file
/// Markers of a body: the mean displacement of a node set and the rigid rotation that fits it best.
#pragma once

#include <string>
#include <vector>

#include "fem/assembly.hpp"
#include "fem/body_spec.hpp"
#include "fem/mesh.hpp"

namespace kurbel::fem {

/// Linear operators from nodal displacements u_a to the marker's displacement and rotation,
///
///     u = sum_a w_a u_a / sum_a w_a,   theta = I_c^+ sum_a w_a x~_a u_a,   I_c = sum_a w_a (|x_a|^2 E - x_a x_a^T)
///
/// with the weights w_a of the set, which may be negative, and x_a relative to its weighted mean. The pseudo-inverse leaves out the axis of a collinear set, and
/// all axes of a single point. In 2D only the rotation about z is left of it.
class MarkerOperator {
 public:
  /// @param set        at least one node; the sum of the weights is positive
  /// @param positions  of all nodes, 3 x n_nodes by number
  MarkerOperator(std::string name, const NodeSet& set, const Mesh::Points& positions, int dim,
                 const NodeOrder& order);

  const std::string& name() const { return name_; }
  /// Weighted mean of the set's positions, m.
  const Vector3d& position() const { return mean_; }

  /// Columns of nodal shapes -> Phi and Psi of the marker (3 x n_q).
  /// @param fields  n_nodes x any; direction d of shape k is column first + d n_q + k, d < dim
  void apply(const NodalFields& fields, Eigen::Index first, int dim, MatrixXd& Phi, MatrixXd& Psi) const;

  /// Transpose onto the free degrees of freedom: U_bar += [operators]^T [Phi_bar; Psi_bar].
  /// @param Phi_bar, Psi_bar  3 x n_q
  /// @param U_bar             (n_free dim) x n_q
  void add_transpose(const MatrixXd& Phi_bar, const MatrixXd& Psi_bar, const NodeOrder& order, int dim,
                     MatrixXd& U_bar) const;

  /// Transpose of d position() / d x: x_bar_a += w_a R_bar / sum w on the nodes of the set. In 2D the third row is left
  /// as it is.
  /// @param x_bar  3 x n_nodes by position
  void add_mean_bar(const Vector3d& R_bar, int dim, Mesh::Points& x_bar) const;

  /// Transpose of d Psi / d x at fixed shapes and weights. With A = I_c, M = sum_a w_a x~_a u_a, Psi = A^+ M,
  /// N = E - A A^+,
  ///
  ///     M_bar = A^+ Psi_bar,   Q = Psi_bar M^T,   A_bar = -A^+ Q A^+ + A^+ A^+ Q N + N Q A^+ A^+
  ///     x_bar_a += w_a (y_a - mean(y)),   y_a = sum_k u_ak x M_bar_k + 2 tr(A_bar) x_a - (A_bar + A_bar^T) x_a
  ///
  /// This is exact for motions of the nodes that leave the rank of A as it is: a set on a line has to stay on
  /// one.
  /// @param fields, first, dim  as for apply()
  /// @param Psi_bar             3 x n_q
  void add_position_bar(const NodalFields& fields, Eigen::Index first, int dim, const MatrixXd& Psi_bar,
                        Mesh::Points& x_bar) const;

 private:
  std::string name_;
  Vector3d mean_;
  Matrix3d I_c_, I_c_inverse_;
  double total_ = 0.0;              // sum of the weights
  std::vector<double> weights_;     // w_a
  std::vector<Vector3d> arms_;      // x_a
  std::vector<int> positions_;      // indices of the nodes in the order free first
  std::vector<Matrix3d> rotation_;  // w_a I_c^+ x~_a
};

/// A unit force (component 0..2) or moment (3..5) at a marker, or forces at several that act together.
struct UnitLoad {
  struct Force {
    std::size_t marker = 0;
    Vector3d force = Vector3d::Zero();
  };
  std::size_t marker = 0;  ///< index into the body's markers
  int component = 0;
  std::string name;  ///< e.g. "force y at pin"
  Vector3d direction = Vector3d::Unit(component % 3);
  std::vector<Force> others{};  ///< besides the force `direction` at `marker`
};

/// The unit loads of a body's attachments that have a meaning in its dimension: in 2D forces along x and y
/// and the moment about z; then its combined loads. Attachments to unknown markers are left out (find_problem() names
/// them). A combined load has at least one force, and its markers exist.
std::vector<UnitLoad> unit_loads(const FlexibleBodySpec& spec);

/// Unit forces along the axes at every marker, direction fastest, (n_free dim) x (n_markers dim).
MatrixXd unit_forces(const std::vector<MarkerOperator>& markers, const NodeOrder& order, int dim);

/// Unit loads on the free degrees of freedom, one column each: B^T, (n_free dim) x n_loads.
MatrixXd load_matrix(const std::vector<UnitLoad>& loads, const std::vector<MarkerOperator>& markers,
                     const NodeOrder& order, int dim);

}  // namespace kurbel::fem
