/// @file
/// Isoparametric continuum elements with full Gauss quadrature.
#pragma once

#include "base/types.hpp"

namespace kurbel::fem {

/// Matrices of one element for unit material. Degree of freedom: node * dim + direction.
struct ElementMatrices {
  MatrixXd stiffness;  ///< int B^T D B dV with E = 1; N/m per Pa, i.e. m; (nodes * dim) square
  MatrixXd mass;       ///< int N^T N dV, m^3; nodes x nodes, the same for every direction
};

/// 4-node quadrilateral, plane stress, 2 x 2 Gauss points.
/// @param corners  2 x 4 in VTK order (counter-clockwise), m
/// @throws InputError if the element is inverted or degenerate
ElementMatrices quad4_plane_stress(const Eigen::Matrix<double, 2, 4>& corners, double poisson_ratio,
                                   double thickness);

/// 8-node hexahedron, 2 x 2 x 2 Gauss points.
/// @param corners  3 x 8 in VTK order, m
/// @throws InputError if the element is inverted or degenerate
ElementMatrices hex8(const Eigen::Matrix<double, 3, 8>& corners, double poisson_ratio);

}  // namespace kurbel::fem
