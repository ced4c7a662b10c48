#include "fem/element.hpp"

#include <array>
#include <cmath>

#include "base/errors.hpp"

namespace kurbel::fem {

namespace {

constexpr std::array<std::array<int, 3>, 8> corner_signs = {
    {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}}};

/// Shape functions and their derivatives at a point of the reference cube [-1, 1]^dim.
template <int dim, int n>
struct ShapeFunctions {
  Eigen::Matrix<double, n, 1> N;
  Eigen::Matrix<double, dim, n> dN;

  explicit ShapeFunctions(const Eigen::Matrix<double, dim, 1>& xi) {
    for (int a = 0; a < n; ++a) {
      N[a] = 1.0;
      for (int d = 0; d < dim; ++d) N[a] *= 0.5 * (1.0 + corner_signs[a][d] * xi[d]);
      for (int k = 0; k < dim; ++k) {
        dN(k, a) = 0.5 * corner_signs[a][k];
        for (int d = 0; d < dim; ++d) {
          if (d != k) dN(k, a) *= 0.5 * (1.0 + corner_signs[a][d] * xi[d]);
        }
      }
    }
  }
};

Matrix3d plane_stress_elasticity(double nu) {
  Matrix3d D;
  D << 1.0, nu, 0.0, nu, 1.0, 0.0, 0.0, 0.0, 0.5 * (1.0 - nu);
  return D / (1.0 - nu * nu);
}

Eigen::Matrix<double, 6, 6> solid_elasticity(double nu) {
  Eigen::Matrix<double, 6, 6> D = Eigen::Matrix<double, 6, 6>::Zero();
  D.topLeftCorner<3, 3>().setConstant(nu);
  D.topLeftCorner<3, 3>().diagonal().setConstant(1.0 - nu);
  D.bottomRightCorner<3, 3>().diagonal().setConstant(0.5 * (1.0 - 2.0 * nu));
  return D / ((1.0 + nu) * (1.0 - 2.0 * nu));
}

/// Strain-displacement matrix; rows xx, yy, xy (2D) or xx, yy, zz, yz, zx, xy with engineering shear strains.
template <int dim, int n>
Eigen::Matrix<double, 3 * (dim - 1), dim * n> strain_matrix(const Eigen::Matrix<double, dim, n>& dN_dx) {
  Eigen::Matrix<double, 3 * (dim - 1), dim * n> B;
  B.setZero();
  for (int a = 0; a < n; ++a) {
    for (int d = 0; d < dim; ++d) B(d, dim * a + d) = dN_dx(d, a);
    if constexpr (dim == 2) {
      B(2, 2 * a) = dN_dx(1, a), B(2, 2 * a + 1) = dN_dx(0, a);
    } else {
      B(3, 3 * a + 1) = dN_dx(2, a), B(3, 3 * a + 2) = dN_dx(1, a);
      B(4, 3 * a) = dN_dx(2, a), B(4, 3 * a + 2) = dN_dx(0, a);
      B(5, 3 * a) = dN_dx(1, a), B(5, 3 * a + 1) = dN_dx(0, a);
    }
  }
  return B;
}

template <int dim, int n, class Elasticity>
ElementMatrices integrate(const Eigen::Matrix<double, dim, n>& corners, const Elasticity& D,
                          double thickness) {
  ElementMatrices element{MatrixXd::Zero(dim * n, dim * n), MatrixXd::Zero(n, n)};
  const double g = 1.0 / std::sqrt(3.0);
  for (int point = 0; point < n; ++point) {
    Eigen::Matrix<double, dim, 1> xi;
    for (int d = 0; d < dim; ++d) xi[d] = g * corner_signs[point][d];
    const ShapeFunctions<dim, n> shape(xi);
    const Eigen::Matrix<double, dim, dim> jacobian = shape.dN * corners.transpose();
    const double det = jacobian.determinant();
    if (!(det > 0.0)) throw InputError("mesh: an element is inverted or degenerate");
    const auto B = strain_matrix<dim, n>(jacobian.inverse() * shape.dN);
    element.stiffness += det * thickness * (B.transpose() * D * B);
    element.mass += det * thickness * (shape.N * shape.N.transpose());
  }
  element.stiffness = (0.5 * (element.stiffness + element.stiffness.transpose())).eval();
  return element;
}

}  // namespace

ElementMatrices quad4_plane_stress(const Eigen::Matrix<double, 2, 4>& corners, double poisson_ratio,
                                   double thickness) {
  return integrate<2, 4>(corners, plane_stress_elasticity(poisson_ratio), thickness);
}

ElementMatrices hex8(const Eigen::Matrix<double, 3, 8>& corners, double poisson_ratio) {
  return integrate<3, 8>(corners, solid_elasticity(poisson_ratio), 1.0);
}

}  // namespace kurbel::fem
