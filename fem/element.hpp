/// @file
/// Isoparametric continuum elements with full Gauss quadrature, of given corners.
///
/// Kernels are templated on the scalar and instantiated for double and Complex, so that complex step
/// differentiates them by corners and thickness. Call them as quad4_plane_stress<Complex>(...).
#pragma once

#include <type_traits>
#include <vector>

#include "base/types.hpp"
#include "fem/body_spec.hpp"

namespace kurbel::fem {

/// Matrices of one element for unit material. Degree of freedom: node * dim + direction.
template <class Scalar>
struct BasicElementMatrices {
  MatrixX<Scalar> stiffness;  ///< int B^T D B dV with E = 1; N/m per Pa, i.e. m; (nodes * dim) square
  MatrixX<Scalar> mass;       ///< int N^T N dV, m^3; nodes x nodes, the same for every direction
};
using ElementMatrices = BasicElementMatrices<double>;

template <class Scalar>
using QuadCorners = Eigen::Matrix<Scalar, 2, 4>;
template <class Scalar>
using HexCorners = Eigen::Matrix<Scalar, 3, 8>;

/// 4-node quadrilateral, plane stress, 2 x 2 Gauss points.
///
/// ElementType::incompatible adds the displacements u_alpha = sum_k (1 - xi_k^2) alpha_k (Wilson), with the
/// gradients det J(0) / det J(xi) J(0)^-1 d(1 - xi_k^2)/dxi (Taylor, Beresford, Wilson: QM6). Their mean over
/// the element is zero, so a constant stress does no work on them and distorted elements pass the patch test.
/// The alpha are eliminated, k = k_uu - k_au^T k_aa^-1 k_au. The mass is that of the corners alone.
/// @param corners    2 x 4 in VTK order (counter-clockwise), m
/// @param thickness  m
/// @throws InputError if the element is inverted or degenerate
template <class Scalar = double>
BasicElementMatrices<Scalar> quad4_plane_stress(const std::type_identity_t<QuadCorners<Scalar>>& corners,
                                                double poisson_ratio,
                                                const std::type_identity_t<Scalar>& thickness,
                                                ElementType type = ElementType::standard);

/// 8-node hexahedron, 2 x 2 x 2 Gauss points; ElementType::incompatible with three such modes.
/// @param corners  3 x 8 in VTK order, m
/// @throws InputError if the element is inverted or degenerate
template <class Scalar = double>
BasicElementMatrices<Scalar> hex8(const std::type_identity_t<HexCorners<Scalar>>& corners,
                                  double poisson_ratio, ElementType type = ElementType::standard);

/// Stress at the centre by the displacements of the corners, D B(0) with E = 1, for both types of elements:
/// the incompatible modes have no gradient there.
/// @return (3 x 8): xx, yy, xy; (6 x 24): xx, yy, zz, yz, zx, xy; 1/m
template <class Scalar = double>
MatrixX<Scalar> quad4_centre_stress(const std::type_identity_t<QuadCorners<Scalar>>& corners,
                                    double poisson_ratio);
template <class Scalar = double>
MatrixX<Scalar> hex8_centre_stress(const std::type_identity_t<HexCorners<Scalar>>& corners,
                                   double poisson_ratio);

/// What stresses a Gauss point has and which part of the volume is its own.
struct StressPoint {
  double weight;      ///< m^3
  MatrixXd gradient;  ///< dim x nodes, dN/dx, 1/m
  MatrixXd stress;  ///< by the displacements of the corners with E = 1, incompatible modes included; rows as
                    ///< of quad4_centre_stress(), 1/m
};
std::vector<StressPoint> quad4_stress_points(const QuadCorners<double>& corners, double poisson_ratio,
                                             double thickness, ElementType type);
std::vector<StressPoint> hex8_stress_points(const HexCorners<double>& corners, double poisson_ratio,
                                            ElementType type);

}  // namespace kurbel::fem
