#include "fem/element.hpp"

#include <cmath>

#include "base/errors.hpp"

namespace kurbel::fem {

namespace {

constexpr int corner_sign(int corner, int d) {
  return 2 * corner_ends[corner][d] - 1;
}

/// Shape functions and their derivatives at a point of the reference cube [-1, 1]^dim.
template <int dim, int n>
struct ShapeFunctions {
  Eigen::Matrix<double, n, 1> N;
  Eigen::Matrix<double, dim, n> dN;

  explicit ShapeFunctions(const Eigen::Matrix<double, dim, 1>& xi) {
    for (int a = 0; a < n; ++a) {
      N[a] = 1.0;
      for (int d = 0; d < dim; ++d) N[a] *= 0.5 * (1.0 + corner_sign(a, d) * xi[d]);
      for (int k = 0; k < dim; ++k) {
        dN(k, a) = 0.5 * corner_sign(a, k);
        for (int d = 0; d < dim; ++d) {
          if (d != k) dN(k, a) *= 0.5 * (1.0 + corner_sign(a, d) * xi[d]);
        }
      }
    }
  }
};

/// Row k: derivative of the position by reference coordinate k.
template <class Scalar, int dim, int n>
struct Jacobian {
  Eigen::Matrix<Scalar, dim, dim> inverse;
  Scalar det;

  Jacobian(const Eigen::Matrix<double, dim, n>& dN, const Eigen::Matrix<Scalar, dim, n>& corners) {
    const Eigen::Matrix<Scalar, dim, dim> J = dN.template cast<Scalar>() * corners.transpose();
    det = J.determinant();
    if (!(std::real(det) > 0.0)) throw InputError("mesh: an element is inverted or degenerate");
    inverse = J.inverse();
  }
};

/// 4-node quadrilateral in plane stress.
struct Quad4 {
  static constexpr int dim = 2, n_corners = 4;
  static Matrix3d elasticity(double nu) {
    Matrix3d D;
    D << 1.0, nu, 0.0, nu, 1.0, 0.0, 0.0, 0.0, 0.5 * (1.0 - nu);
    return D / (1.0 - nu * nu);
  }
};

/// 8-node hexahedron.
struct Hex8 {
  static constexpr int dim = 3, n_corners = 8;
  static Eigen::Matrix<double, 6, 6> elasticity(double nu) {
    Eigen::Matrix<double, 6, 6> D = Eigen::Matrix<double, 6, 6>::Zero();
    D.topLeftCorner<3, 3>().setConstant(nu);
    D.topLeftCorner<3, 3>().diagonal().setConstant(1.0 - nu);
    D.bottomRightCorner<3, 3>().diagonal().setConstant(0.5 * (1.0 - 2.0 * nu));
    return D / ((1.0 + nu) * (1.0 - 2.0 * nu));
  }
};

/// Strain-displacement matrix of n fields with the given gradients; rows xx, yy, xy (2D) or xx, yy, zz, yz,
/// zx, xy with engineering shear strains.
template <class Scalar, int dim, int n>
MatrixX<Scalar> strain_matrix(const Eigen::Matrix<Scalar, dim, n>& dN_dx) {
  MatrixX<Scalar> B = MatrixX<Scalar>::Zero(3 * (dim - 1), dim * n);
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

/// Sums over the Gauss points; what belongs to the internal displacements is kept apart.
template <class Scalar, int dim, int n>
class Integrals {
 public:
  using Corners = Eigen::Matrix<Scalar, dim, n>;
  using Point = Eigen::Matrix<double, dim, 1>;
  using Internal = Eigen::Matrix<Scalar, dim * dim, dim * dim>;
  using Elasticity = Eigen::Matrix<double, 3 * (dim - 1), 3 * (dim - 1)>;

  static Point gauss_point(int number) {
    Point xi;
    for (int d = 0; d < dim; ++d) xi[d] = corner_sign(number, d) / std::sqrt(3.0);
    return xi;
  }

  Integrals(const Corners& corners, const Elasticity& D, double thickness, ElementType type)
      : D_(D.template cast<Scalar>()), centre_(ShapeFunctions<dim, n>(Point::Zero()).dN, corners) {
    for (int point = 0; point < n; ++point) add(gauss_point(point), corners, thickness, type);
  }

  /// Of the incompatible modes by the displacements of the corners.
  MatrixX<Scalar> internal() const { return -Internal(k_aa_).inverse().lazyProduct(k_au_); }

  /// Strains of the incompatible modes at a point with the Jacobian J.
  MatrixX<Scalar> internal_strain(const Point& xi, const Jacobian<Scalar, dim, n>& J) const {
    const Eigen::Matrix<Scalar, dim, dim> gradients =
        (centre_.det / J.det) * centre_.inverse * (-2.0 * xi).template cast<Scalar>().asDiagonal();
    return strain_matrix<Scalar, dim, dim>(gradients);
  }

  BasicElementMatrices<Scalar> matrices(ElementType type) const {
    MatrixX<Scalar> k = k_uu_;
    if (type == ElementType::incompatible) {
      k += k_au_.transpose().lazyProduct(internal());
    }
    return {Scalar(0.5) * (k + k.transpose()), mass_};
  }

 private:
  void add(const Point& xi, const Corners& corners, double thickness, ElementType type) {
    const ShapeFunctions<dim, n> shape(xi);
    const Jacobian<Scalar, dim, n> J(shape.dN, corners);
    const Scalar weight = J.det * thickness;
    const Eigen::Matrix<Scalar, dim, n> dN_dx = J.inverse * shape.dN.template cast<Scalar>();
    const MatrixX<Scalar> B = strain_matrix<Scalar, dim, n>(dN_dx), D_B = D_.lazyProduct(B);
    k_uu_ += weight * B.transpose().lazyProduct(D_B);
    mass_ += weight * (shape.N * shape.N.transpose()).template cast<Scalar>();
    if (type == ElementType::standard) return;
    const MatrixX<Scalar> B_a = internal_strain(xi, J);
    k_au_ += weight * B_a.transpose().lazyProduct(D_B);
    k_aa_ += weight * B_a.transpose().lazyProduct(D_.lazyProduct(B_a).eval());
  }

  static constexpr int n_u = dim * n, n_a = dim * dim;

  MatrixX<Scalar> D_;
  Jacobian<Scalar, dim, n> centre_;
  MatrixX<Scalar> k_uu_ = MatrixX<Scalar>::Zero(n_u, n_u);
  MatrixX<Scalar> k_au_ = MatrixX<Scalar>::Zero(n_a, n_u);
  MatrixX<Scalar> k_aa_ = MatrixX<Scalar>::Zero(n_a, n_a);
  MatrixX<Scalar> mass_ = MatrixX<Scalar>::Zero(n, n);
};

template <class Kind>
class ContinuumElement final : public Element {
 public:
  ContinuumElement(double poisson_ratio, double thickness, ElementType type)
      : D_(Kind::elasticity(poisson_ratio)), thickness_(thickness), type_(type) {}

  ElementMatrices matrices(const Corners& corners) const override { return matrices_of<double>(corners); }
  BasicElementMatrices<Complex> matrices(const ComplexCorners& corners) const override {
    return matrices_of<Complex>(corners);
  }
  MatrixXd centre_stress(const Corners& corners) const override { return centre_stress_of<double>(corners); }
  MatrixX<Complex> centre_stress(const ComplexCorners& corners) const override {
    return centre_stress_of<Complex>(corners);
  }

  std::vector<StressPoint> stress_points(const Corners& corners) const override {
    const Places<double> x = corners.topRows<dim>();
    const Integrals<double, dim, n> integrals(x, D_, thickness_, type_);
    std::vector<StressPoint> points;
    for (int point = 0; point < n; ++point) {
      const auto xi = integrals.gauss_point(point);
      const ShapeFunctions<dim, n> shape(xi);
      const Jacobian<double, dim, n> J(shape.dN, x);
      const Eigen::Matrix<double, dim, n> dN_dx = J.inverse * shape.dN;
      MatrixXd strain = strain_matrix<double, dim, n>(dN_dx);
      if (type_ == ElementType::incompatible)
        strain += integrals.internal_strain(xi, J).lazyProduct(integrals.internal());
      points.push_back({J.det * thickness_, dN_dx, D_.lazyProduct(strain)});
    }
    return points;
  }

 private:
  static constexpr int dim = Kind::dim, n = Kind::n_corners;
  template <class Scalar>
  using Places = Eigen::Matrix<Scalar, dim, n>;

  template <class Scalar>
  BasicElementMatrices<Scalar> matrices_of(const BasicCorners<Scalar>& corners) const {
    const Places<Scalar> x = corners.template topRows<dim>();
    return Integrals<Scalar, dim, n>(x, D_, thickness_, type_).matrices(type_);
  }

  template <class Scalar>
  MatrixX<Scalar> centre_stress_of(const BasicCorners<Scalar>& corners) const {
    const Places<Scalar> x = corners.template topRows<dim>();
    const ShapeFunctions<dim, n> shape(Eigen::Matrix<double, dim, 1>::Zero());
    const Places<Scalar> dN_dx =
        Jacobian<Scalar, dim, n>(shape.dN, x).inverse * shape.dN.template cast<Scalar>();
    return D_.template cast<Scalar>().lazyProduct(strain_matrix<Scalar, dim, n>(dN_dx));
  }

  decltype(Kind::elasticity(0.0)) D_;
  double thickness_;
  ElementType type_;
};

}  // namespace

std::unique_ptr<const Element> make_element(const MeshSpec& mesh, double poisson_ratio) {
  if (mesh.dim == 2)
    return std::make_unique<ContinuumElement<Quad4>>(poisson_ratio, mesh.thickness, mesh.element);
  return std::make_unique<ContinuumElement<Hex8>>(poisson_ratio, 1.0, mesh.element);
}

}  // namespace kurbel::fem
