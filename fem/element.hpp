/// @file
/// Isoparametric continuum elements with full quadrature: one kernel, and for every kind a table of shape
/// functions and quadrature points (shape_functions.hpp).
#pragma once

#include <memory>
#include <vector>

#include "base/types.hpp"
#include "fem/body_spec.hpp"
#include "fem/element_kind.hpp"

namespace kurbel::fem {

/// Places of the nodes, 3 x n_nodes, m; in 2D the third row is ignored.
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
  MatrixXd
      stress;  ///< by the displacements of the corners with E = 1, incompatible modes included; rows xx, yy,
               ///< xy or xx, yy, zz, yz, zx, xy, 1/m
};

/// Fields on the nodes of an element, a column each, whose products with its matrices are to be differentiated.
using ElementFieldMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
struct ElementProducts {
  double E;                         ///< Pa
  const ElementFieldMatrix &L, &U;  ///< (nodes * dim) x any
  double rho;                       ///< kg/m^3
  const ElementFieldMatrix &W, &Y;  ///< nodes x any
};

/// A kind of element with the Poisson ratio and the thickness of a body, at corners given with each call:
/// complex ones for derivatives by complex step.
///
/// ElementType::incompatible adds to quad4 and hex8 the displacements u_alpha = sum_k (1 - xi_k^2) alpha_k (Wilson), with the
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
  /// @return 3 x 2 nodes: xx, yy, xy; in plane strain 6 x 2 nodes, in space 6 x 3 nodes: xx, yy, zz, yz, zx, xy; 1/m
  virtual MatrixXd centre_stress(const Corners& corners) const = 0;

  /// Stresses where they are most accurate, as rows of centre_stress(): at the centre, of elements with nodes in the middles
  /// of their edges at the quadrature points of the stiffness. Incompatible modes are omitted.
  virtual std::vector<MatrixXd> sampled_stress(const Corners& corners) const = 0;

  /// False of elements with incompatible modes, which the derivatives below leave out.
  virtual bool is_compatible() const = 0;
  /// d psi / d x of psi = sum(E k .* (L U^T)) + sum(rho m .* (W Y^T)). With H = grad u and dx = N_a e_d,
  /// d grad u = -H grad dx and d det J = det J tr grad dx, so that node a has
  ///
  ///     int E [(sigma_L : H_U) 1 - H_U^T sigma_L - H_L^T sigma_U] grad N_a dV + int rho (W . Y) grad N_a dV,
  ///
  /// the energy-momentum tensor of L and U (Eshelby).
  /// @return  dim rows, a column per node
  virtual MatrixXd differentiate_products(const Corners& corners, const ElementProducts& products) const = 0;
  /// d psi / d x of psi = sum(S .* (stress U)) at one of the points of sampled_stress().
  /// @param S  components of a stress x any     @param U  (nodes * dim) x any
  /// @return  dim rows, a column per node
  virtual MatrixXd differentiate_stress(const Corners& corners, std::size_t point, const MatrixXd& S,
                                        const MatrixXd& U) const = 0;

  /// The quadrature points of the stiffness.
  virtual std::vector<StressPoint> stress_points(const Corners& corners) const = 0;
};

/// Quadrature is exact where the map from the element of reference is affine:
///
///     kind         tri3  tet4  quad4, hex8  tri6  tet10  quad8, hex20  wedge6  pyramid5
///     stiffness     1     1       2^dim       3     4        3^dim     3 x 2      8      points
///     mass          3     4       2^dim       6    14        3^dim     6 x 3     27      points
///
/// @param thickness  m, 2D only     @param plane  2D only
std::unique_ptr<const Element> make_element(ElementKind kind, double poisson_ratio, double thickness,
                                            ElementType type, PlaneState plane = PlaneState::stress);

/// Area (2D) or volume, m^2 or m^3, by the quadrature of the mass. NaN if the element is inverted or degenerate: if the
/// Jacobian is not positive at the centre and at all quadrature points.
double element_measure(ElementKind kind, const Corners& corners);
/// Its derivative by the places of the nodes, 3 x nodes; the third row is zero in 2D.
Corners differentiate_measure(ElementKind kind, const Corners& corners);

}  // namespace kurbel::fem
