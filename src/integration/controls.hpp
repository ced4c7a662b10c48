/// @file
/// Controls as functions of time given by their values at nodes, u = C(t) u_bar.    [P2, section 3.1, eq. 13]
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"
#include "integration/one_sided_time.hpp"

namespace kurbel {

/// Interpolation of a control between its nodes.
///
/// Cubic splines are twice continuously differentiable; what they leave open at each end is settled by
///     natural      u_ddot = 0
///     clamped      u_dot = 0
///     not_a_knot   the third derivative is continuous at the node next to the end
/// `constant` divides the time into as many intervals as there are nodes; a node is where one begins.
enum class Interpolation { natural, clamped, not_a_knot, linear, constant };

/// Nodes at equal distances over [t0, t1]; the first at t0, and the last at t1 unless `constant`.
class ControlGrid {
 public:
  /// @throws InputError if there are fewer nodes than the interpolation needs (2; not_a_knot 4,
  /// constant 1), or t1 <= t0
  ControlGrid(Interpolation interpolation, int n_nodes, double t0, double t1);

  /// Bytes of full matrices that a grid takes while it is made.
  static double least_memory(Interpolation interpolation, int n_nodes);

  /// The same nodes at their shares of [t0, t1].
  void stretch_to(double t1);

  Eigen::Index n_nodes() const { return n_nodes_; }
  double node_time(Eigen::Index i) const { return t0_ + static_cast<double>(i) * width_; }

  /// Row of C: u(t) = weights(t) . u_bar. Times outside [t0, t1] count as the nearest end.
  /// @return (n_nodes)
  Eigen::RowVectorXd weights(const OneSidedTime& t) const;
  /// The same into a row that is there, without allocating.
  void weights(const OneSidedTime& t, Eigen::Ref<Eigen::RowVectorXd> w) const;

  /// Instants at which u jumps, ascending.
  std::vector<double> jumps() const;
  /// Instants at which the rate of u jumps, ascending: between straight lines.
  std::vector<double> kinks() const;

  /// int C^T C dt, exact.    [P2, eq. 55]
  /// @return (n_nodes x n_nodes), s
  MatrixXd energy_matrix() const;

 private:
  void weights_on(Eigen::Index interval, double s, Eigen::Ref<Eigen::RowVectorXd> w) const;

  Interpolation interpolation_;
  Eigen::Index n_nodes_, n_intervals_;
  double t0_, width_;
  /// Transposed second derivatives at the nodes by u_bar, so that those of a node are contiguous; empty
  /// unless a cubic spline.
  MatrixXd moments_;
};

/// Some controls, each with a grid of its own; u_bar holds their node values one control after the other.
class Controls {
 public:
  /// @return the position of the new control
  Eigen::Index add(ControlGrid grid);

  Eigen::Index size() const { return static_cast<Eigen::Index>(grids_.size()); }
  Eigen::Index n_nodes() const { return n_nodes_; }
  const ControlGrid& grid(Eigen::Index i) const { return grids_[static_cast<std::size_t>(i)]; }
  /// First entry of control i in u_bar.
  Eigen::Index offset(Eigen::Index i) const { return offsets_[static_cast<std::size_t>(i)]; }

 private:
  std::vector<ControlGrid> grids_;
  std::vector<Eigen::Index> offsets_;
  Eigen::Index n_nodes_ = 0;
};

}  // namespace kurbel
