/// @file
/// Cones and tori that fit the nodes of a surface by least squares. Lengths are relative to the size of the surface, and its
/// centre is the origin.
#pragma once

#include <optional>
#include <vector>

#include "base/types.hpp"

namespace kurbel::fem {

/// A face as a flat one through its corners.
struct Facet {
  Vector3d centre, normal;  ///< the normal points outward
  double area;
};

/// The eigenvector of the least eigenvalue of sum A (n - mean) (n - mean)^T: the direction along which the normals n of facets
/// have components that vary least about `mean`. Its largest component is positive.
Vector3d axis_of(const std::vector<Facet>& facets, const Vector3d& mean);

/// Points whose distance rho from an axis is r + s z, z along that axis from `origin`.
struct ConeFit {
  static constexpr int n_numbers = 6;
  Vector3d origin, axis;
  double r, s;

  /// The excess of the distance of a point from the axis: rho - r - s z
  double excess(const Vector3d& x) const;
  /// Its derivatives by shifts of the origin and turns of the axis along e1 and e2, by r and by s.
  Eigen::Matrix<double, 1, n_numbers> derivative(const Vector3d& x, const Vector3d& e1,
                                                 const Vector3d& e2) const;
  void change(const VectorXd& by, const Vector3d& e1, const Vector3d& e2);
};

/// @param points  at least as many as a cone has numbers
/// @return nothing if no cone is near the points
std::optional<ConeFit> fitted_cone(const std::vector<Vector3d>& points, const std::vector<Facet>& facets);

/// Points at the distance `tube` from a circle of radius `ring` around an axis through `centre`. A ring smaller than the tube makes
/// a surface that meets its axis, of which a rounded edge may have the outer part.
struct TorusFit {
  static constexpr int n_numbers = 7;
  Vector3d centre, axis;
  double ring, tube;

  /// The distance of a point from the surface: hypot(rho - ring, z) - tube
  double excess(const Vector3d& x) const;
  /// Its derivatives by shifts of the centre along the axes, turns of the axis along e1 and e2, by ring and by tube.
  Eigen::Matrix<double, 1, n_numbers> derivative(const Vector3d& x, const Vector3d& e1,
                                                 const Vector3d& e2) const;
  void change(const VectorXd& by, const Vector3d& e1, const Vector3d& e2);
};

/// @param points  at least as many as a torus has numbers
/// @return nothing if no torus is near the points, or they turn by less than 20 degrees around its axis or around its tube:
/// every surface is nearly a torus over a short distance
std::optional<TorusFit> fitted_torus(const std::vector<Vector3d>& points, const std::vector<Facet>& facets);

}  // namespace kurbel::fem
