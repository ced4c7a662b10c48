/// @file
/// Bodies and their positions, as the picture of a motion needs them.
#pragma once

#include <string>
#include <vector>

#include "results/unstructured_grid.hpp"
#include "sid/stress_modes.hpp"

namespace kurbel {

/// The drawn parts of a body, in its frame.
struct MotionBody {
  std::string name;
  UnstructuredGrid grid;  ///< points X, m
  VectorXd density{};     ///< one per cell; empty: the body is solid
  MatrixXd shapes{};      ///< 3 n_points x n_q: direction d of point a in row 3 a + d; empty: it is rigid
  /// 3 n_points x n_q^2: displacements are u = shapes q + second_order (q (x) q) / 2; empty: the first term
  MatrixXd second_order{};
  StressModes stress{};               ///< at points of some cells; S empty: the stress is not drawn
  std::vector<int> stressed_cells{};  ///< the cell of every point
  VectorXd largest_stress{};          ///< von Mises stress of every point over all time, Pa
};

/// Pose of a body, and the pose that it would have without deformation of any body.
struct MotionPose {
  Vector3d r = Vector3d::Zero();      ///< of the body's frame, in the inertial frame, m
  Matrix3d S = Matrix3d::Identity();  ///< from the body's frame into the inertial one
  VectorXd q{};                       ///< n_q elastic coordinates
  Vector3d r_rigid = r;
  Matrix3d S_rigid = S;
};

}  // namespace kurbel
