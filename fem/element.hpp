/// @file
/// Isoparametric continuum elements with full quadrature: one kernel, and for every kind a table of shape
/// functions and quadrature points (element.cpp).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/types.hpp"
#include "fem/body_spec.hpp"
#include "fem/element_kind.hpp"

namespace kurbel::fem {

/// Whether a corner lies at the upper end of the element along each axis, in VTK order; quadrilaterals have
/// the first four.
inline constexpr std::array<std::array<int, 3>, 8> corner_ends = {
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};

/// Places of the corners, 3 x n_corners, m; in 2D the third row is ignored.
template <class Scalar>
using BasicCorners = Eigen::Matrix<Scalar, 3, Eigen::Dynamic>;
using Corners = BasicCorners<double>;
using ComplexCorners = BasicCorners<Complex>;

/// Matrices of one element for unit material. Degree of freedom: node * dim + direction.
template <class Scalar>
struct BasicElementMatrices {
  MatrixX<Scalar> stiffness;  ///< int B^T D B dV with E = 1; N/m per Pa, i.e. m; (nodes * dim) square
  MatrixX<Scalar> mass;       ///< int N^T N dV, m^3; nodes x nodes, the same for every direction
};
using ElementMatrices = BasicElementMatrices<double>;

/// A quadrature point: its stresses, and the part of the volume that is its own.
struct StressPoint {
  double weight;      ///< m^3
  MatrixXd gradient;  ///< dim x nodes, dN/dx, 1/m
  MatrixXd stress;  ///< by the displacements of the corners with E = 1, incompatible modes included; rows as
                    ///< of Element::centre_stress(), 1/m
};

/// A kind of element with the Poisson ratio and the thickness of a body, at corners given with each call:
/// complex ones for derivatives by complex step.
///
/// ElementType::incompatible adds to quadrilaterals and hexahedra the displacements u_alpha = sum_k (1 - xi_k^2) alpha_k (Wilson), with the
/// gradients det J(0) / det J(xi) J(0)^-1 d(1 - xi_k^2)/dxi (Taylor, Beresford, Wilson: QM6). Their mean over
/// the element is zero, so a constant stress does no work on them and distorted elements pass the patch test.
/// The alpha are eliminated, k = k_uu - k_au^T k_aa^-1 k_au. The mass is that of the corners alone.
class Element {
 public:
  virtual ~Element() = default;

  /// @throws InputError, as all that follow, if the element is inverted or degenerate
  virtual ElementMatrices matrices(const Corners& corners) const = 0;
  virtual BasicElementMatrices<Complex> matrices(const ComplexCorners& corners) const = 0;

  /// Stress at the centre by the displacements of the corners, D B(0) with E = 1, for both types of elements:
  /// the incompatible modes have no gradient there.
  /// @return 3 x 2 nodes: xx, yy, xy; 6 x 3 nodes: xx, yy, zz, yz, zx, xy; 1/m
  virtual MatrixXd centre_stress(const Corners& corners) const = 0;
  virtual MatrixX<Complex> centre_stress(const ComplexCorners& corners) const = 0;

  /// The quadrature points of the stiffness.
  virtual std::vector<StressPoint> stress_points(const Corners& corners) const = 0;
};

/// 2D: plane stress. Quadrature is exact where the map from the element of reference is affine: of the stiffness of
/// triangles and tetrahedra with 1 point, of their mass with 3 and 4; for quadrilaterals and hexahedra with 2 points
/// along each axis.
/// @param thickness  m, 2D only
std::unique_ptr<const Element> make_element(ElementKind kind, double poisson_ratio, double thickness,
                                            ElementType type);

/// Area (2D) or volume, m^2 or m^3, by the quadrature of the mass; NaN if the element is inverted or degenerate.
double element_measure(ElementKind kind, const Corners& corners);

}  // namespace kurbel::fem
