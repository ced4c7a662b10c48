#include "fem/element.hpp"

#include <limits>

#include "base/errors.hpp"
#include "fem/shape_functions.hpp"

namespace kurbel::fem {

namespace {

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

/// Stress by strain with E = 1. Plane strain is plane stress with E / (1 - nu^2) and nu / (1 - nu).
template <int dim>
Eigen::Matrix<double, 3 * (dim - 1), 3 * (dim - 1)> elasticity(double nu, PlaneState plane) {
  Eigen::Matrix<double, 3 * (dim - 1), 3 * (dim - 1)> D;
  if constexpr (dim == 2) {
    if (plane == PlaneState::strain)
      return elasticity<2>(nu / (1.0 - nu), PlaneState::stress) / (1.0 - nu * nu);
    D << 1.0, nu, 0.0, nu, 1.0, 0.0, 0.0, 0.0, 0.5 * (1.0 - nu);
    return D / (1.0 - nu * nu);
  } else {
    D.setZero();
    D.template topLeftCorner<3, 3>().setConstant(nu);
    D.template topLeftCorner<3, 3>().diagonal().setConstant(1.0 - nu);
    D.template bottomRightCorner<3, 3>().diagonal().setConstant(0.5 * (1.0 - 2.0 * nu));
    return D / ((1.0 + nu) * (1.0 - 2.0 * nu));
  }
}

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

/// Sums over the quadrature points; what belongs to the internal displacements is kept apart.
template <class Scalar, class Kind>
class Integrals {
 public:
  static constexpr int dim = Kind::dim, n = Kind::n;
  using Corners = Eigen::Matrix<Scalar, dim, n>;
  using Point = Eigen::Matrix<double, dim, 1>;
  using Internal = Eigen::Matrix<Scalar, dim * dim, dim * dim>;
  using Elasticity = Eigen::Matrix<double, 3 * (dim - 1), 3 * (dim - 1)>;

  Integrals(const Corners& corners, const Elasticity& D, double thickness, bool is_incompatible)
      : is_incompatible_(is_incompatible),
        D_(D.template cast<Scalar>()),
        centre_(Kind::shape(Kind::centre()).dN, corners) {
    for (const auto& point : Kind::stiffness_rule()) add_stiffness(point, corners, thickness);
    for (const auto& point : Kind::mass_rule()) add_mass(point, corners, thickness);
  }

  /// Derivative of the incompatible modes by the displacements of the corners.
  MatrixX<Scalar> internal() const { return -Internal(k_aa_).inverse().lazyProduct(k_au_); }

  /// Strains of the incompatible modes at a point with the Jacobian J.
  MatrixX<Scalar> internal_strain(const Point& xi, const Jacobian<Scalar, dim, n>& J) const {
    const Eigen::Matrix<Scalar, dim, dim> gradients =
        (centre_.det / J.det) * centre_.inverse * (-2.0 * xi).template cast<Scalar>().asDiagonal();
    return strain_matrix<Scalar, dim, dim>(gradients);
  }

  BasicElementMatrices<Scalar> matrices() const {
    MatrixX<Scalar> k = k_uu_;
    if (is_incompatible_) k += k_au_.transpose().lazyProduct(internal());
    return {Scalar(0.5) * (k + k.transpose()), mass_};
  }

 private:
  void add_stiffness(const QuadraturePoint<dim>& point, const Corners& corners, double thickness) {
    const ShapeFunctions<dim, n> shape = Kind::shape(point.xi);
    const Jacobian<Scalar, dim, n> J(shape.dN, corners);
    const Scalar weight = J.det * point.weight * thickness;
    const Eigen::Matrix<Scalar, dim, n> dN_dx = J.inverse * shape.dN.template cast<Scalar>();
    const MatrixX<Scalar> B = strain_matrix<Scalar, dim, n>(dN_dx), D_B = D_.lazyProduct(B);
    if constexpr (n_u > 24) {
      k_uu_.noalias() += B.transpose() * (weight * D_B);
    } else {
      k_uu_ += weight * B.transpose().lazyProduct(D_B);
    }
    if (!is_incompatible_) return;
    const MatrixX<Scalar> B_a = internal_strain(point.xi, J);
    k_au_ += weight * B_a.transpose().lazyProduct(D_B);
    k_aa_ += weight * B_a.transpose().lazyProduct(D_.lazyProduct(B_a).eval());
  }

  void add_mass(const QuadraturePoint<dim>& point, const Corners& corners, double thickness) {
    const ShapeFunctions<dim, n> shape = Kind::shape(point.xi);
    const Scalar weight = Jacobian<Scalar, dim, n>(shape.dN, corners).det * point.weight * thickness;
    mass_ += weight * (shape.N * shape.N.transpose()).template cast<Scalar>();
  }

  static constexpr int n_u = dim * n, n_a = dim * dim;

  bool is_incompatible_;
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
  ContinuumElement(double poisson_ratio, double thickness, ElementType type, PlaneState plane)
      : D_(elasticity<dim>(poisson_ratio, plane)),
        poisson_ratio_(poisson_ratio),
        plane_(plane),
        thickness_(thickness),
        is_incompatible_(Kind::has_incompatible_modes && type == ElementType::incompatible) {}

  ElementMatrices matrices(const Corners& corners) const override { return matrices_of<double>(corners); }
  BasicElementMatrices<Complex> matrices(const ComplexCorners& corners) const override {
    return matrices_of<Complex>(corners);
  }
  MatrixXd centre_stress(const Corners& corners) const override {
    return stress_at<double>(Kind::centre(), corners);
  }
  MatrixX<Complex> centre_stress(const ComplexCorners& corners) const override {
    return stress_at<Complex>(Kind::centre(), corners);
  }
  std::vector<MatrixXd> sampled_stress(const Corners& corners) const override {
    return sampled_stress_of<double>(corners);
  }
  std::vector<MatrixX<Complex>> sampled_stress(const ComplexCorners& corners) const override {
    return sampled_stress_of<Complex>(corners);
  }

  std::vector<StressPoint> stress_points(const Corners& corners) const override {
    const Places<double> x = corners.topRows<dim>();
    const Integrals<double, Kind> integrals(x, D_, thickness_, is_incompatible_);
    std::vector<StressPoint> points;
    for (const auto& [xi, weight] : Kind::stiffness_rule()) {
      const ShapeFunctions<dim, n> shape = Kind::shape(xi);
      const Jacobian<double, dim, n> J(shape.dN, x);
      const Eigen::Matrix<double, dim, n> dN_dx = J.inverse * shape.dN;
      MatrixXd strain = strain_matrix<double, dim, n>(dN_dx);
      if (is_incompatible_) strain += integrals.internal_strain(xi, J).lazyProduct(integrals.internal());
      points.push_back({J.det * weight * thickness_, dN_dx, D_.lazyProduct(strain)});
    }
    return points;
  }

 private:
  static constexpr int dim = Kind::dim, n = Kind::n;
  template <class Scalar>
  using Places = Eigen::Matrix<Scalar, dim, n>;

  template <class Scalar>
  BasicElementMatrices<Scalar> matrices_of(const BasicCorners<Scalar>& corners) const {
    const Places<Scalar> x = corners.template topRows<dim>();
    return Integrals<Scalar, Kind>(x, D_, thickness_, is_incompatible_).matrices();
  }

  template <class Scalar>
  std::vector<MatrixX<Scalar>> sampled_stress_of(const BasicCorners<Scalar>& corners) const {
    constexpr bool is_quadratic = n > (dim == 2 ? 4 : 8);
    if constexpr (!is_quadratic) return {stress_at<Scalar>(Kind::centre(), corners)};
    std::vector<MatrixX<Scalar>> stresses;
    for (const auto& [xi, weight] : Kind::stiffness_rule())
      stresses.push_back(stress_at<Scalar>(xi, corners));
    return stresses;
  }

  template <class Scalar>
  MatrixX<Scalar> stress_at(const Eigen::Matrix<double, dim, 1>& xi,
                            const BasicCorners<Scalar>& corners) const {
    const Places<Scalar> x = corners.template topRows<dim>();
    const ShapeFunctions<dim, n> shape = Kind::shape(xi);
    const Places<Scalar> dN_dx =
        Jacobian<Scalar, dim, n>(shape.dN, x).inverse * shape.dN.template cast<Scalar>();
    MatrixX<Scalar> stress = D_.template cast<Scalar>().lazyProduct(strain_matrix<Scalar, dim, n>(dN_dx));
    return dim == 2 && plane_ == PlaneState::strain ? with_stress_across(stress) : stress;
  }

  /// sigma_zz = nu (sigma_xx + sigma_yy) of plane strain, among all six.
  template <class Scalar>
  MatrixX<Scalar> with_stress_across(const MatrixX<Scalar>& in_plane) const {
    MatrixX<Scalar> stress = MatrixX<Scalar>::Zero(6, in_plane.cols());
    stress.topRows(2) = in_plane.topRows(2);
    stress.row(2) = poisson_ratio_ * (in_plane.row(0) + in_plane.row(1));
    stress.row(5) = in_plane.row(2);
    return stress;
  }

  decltype(elasticity<dim>(0.0, PlaneState::stress)) D_;
  double poisson_ratio_;
  PlaneState plane_;
  double thickness_;
  bool is_incompatible_;
};

template <class Kind>
double measure_of(const Corners& corners) {
  constexpr int dim = Kind::dim, n = Kind::n;
  const Eigen::Matrix<double, dim, n> x = corners.topRows<dim>();
  const auto det = [&](const Eigen::Matrix<double, dim, 1>& xi) {
    return (Kind::shape(xi).dN * x.transpose()).eval().determinant();
  };
  double sum = 0.0;
  bool is_positive = det(Kind::centre()) > 0.0;
  for (const auto& [xi, weight] : Kind::stiffness_rule()) is_positive = is_positive && det(xi) > 0.0;
  for (const auto& [xi, weight] : Kind::mass_rule()) {
    const double det_xi = det(xi);
    is_positive = is_positive && det_xi > 0.0;
    sum += weight * det_xi;
  }
  return is_positive ? sum : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::unique_ptr<const Element> make_element(ElementKind kind, double poisson_ratio, double thickness,
                                            ElementType type, PlaneState plane) {
  return with_kind(kind, [&]<class Kind>(Kind) -> std::unique_ptr<const Element> {
    return std::make_unique<ContinuumElement<Kind>>(poisson_ratio, Kind::dim == 2 ? thickness : 1.0, type,
                                                    plane);
  });
}

double element_measure(ElementKind kind, const Corners& corners) {
  return with_kind(kind, [&]<class Kind>(Kind) { return measure_of<Kind>(corners); });
}

}  // namespace kurbel::fem
