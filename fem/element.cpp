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

/// The symmetric tensor of stresses in the order of strain_matrix().
template <int dim>
Eigen::Matrix<double, dim, dim> tensor_of(const Eigen::Matrix<double, 3 * (dim - 1), 1>& s) {
  Eigen::Matrix<double, dim, dim> tensor;
  if constexpr (dim == 2) {
    tensor << s[0], s[2], s[2], s[1];
  } else {
    tensor << s[0], s[5], s[4], s[5], s[1], s[3], s[4], s[3], s[2];
  }
  return tensor;
}

/// Strains of a displacement gradient in that order.
template <int dim>
Eigen::Matrix<double, 3 * (dim - 1), 1> strain_of(const Eigen::Matrix<double, dim, dim>& H) {
  Eigen::Matrix<double, 3 * (dim - 1), 1> strain;
  if constexpr (dim == 2) {
    strain << H(0, 0), H(1, 1), H(0, 1) + H(1, 0);
  } else {
    strain << H(0, 0), H(1, 1), H(2, 2), H(1, 2) + H(2, 1), H(2, 0) + H(0, 2), H(0, 1) + H(1, 0);
  }
  return strain;
}

/// grad u of column c of displacements.
template <class Kind, class Displacements>
Eigen::Matrix<double, Kind::dim, Kind::dim> gradient_of(
    const Displacements& U, Eigen::Index c, const Eigen::Matrix<double, Kind::dim, Kind::n>& dN_dx) {
  Eigen::Matrix<double, Kind::dim, Kind::n> u;
  for (int a = 0; a < Kind::n; ++a) {
    for (int d = 0; d < Kind::dim; ++d) u(d, a) = U(Kind::dim * a + d, c);
  }
  return u * dN_dx.transpose();
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
  MatrixXd centre_stress(const Corners& corners) const override { return stress_at(Kind::centre(), corners); }
  std::vector<MatrixXd> sampled_stress(const Corners& corners) const override {
    if constexpr (!is_quadratic) return {stress_at(Kind::centre(), corners)};
    std::vector<MatrixXd> stresses;
    for (const auto& [xi, weight] : Kind::stiffness_rule()) stresses.push_back(stress_at(xi, corners));
    return stresses;
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

  bool is_compatible() const override { return !is_incompatible_; }

  MatrixXd differentiate_products(const Corners& corners, const ElementProducts& of) const override {
    const Places<double> x = corners.topRows<dim>();
    Places<double> x_bar = Places<double>::Zero();
    for (const auto& [xi, weight] : Kind::stiffness_rule()) {
      const auto [det, dN_dx] = gradients_at(xi, x);
      Eigen::Matrix<double, dim, dim> P = Eigen::Matrix<double, dim, dim>::Zero();
      for (Eigen::Index c = 0; c < of.L.cols(); ++c) {
        const Eigen::Matrix<double, dim, dim> H_L = gradient_of<Kind>(of.L, c, dN_dx),
                                              H_U = gradient_of<Kind>(of.U, c, dN_dx);
        const Eigen::Matrix<double, dim, dim> sigma_L = tensor_of<dim>(D_ * strain_of<dim>(H_L)),
                                              sigma_U = tensor_of<dim>(D_ * strain_of<dim>(H_U));
        P.diagonal().array() += sigma_L.cwiseProduct(H_U).sum();
        P -= H_U.transpose() * sigma_L + H_L.transpose() * sigma_U;
      }
      x_bar += of.E * weight * det * thickness_ * P * dN_dx;
    }
    for (const auto& [xi, weight] : Kind::mass_rule()) {
      const auto [det, dN_dx] = gradients_at(xi, x);
      const auto N = Kind::shape(xi).N;
      const double product = (N.transpose() * of.W).dot(N.transpose() * of.Y);
      x_bar += of.rho * weight * det * thickness_ * product * dN_dx;
    }
    return x_bar;
  }

  MatrixXd differentiate_stress(const Corners& corners, std::size_t point, const MatrixXd& S,
                                const MatrixXd& U) const override {
    const auto xi = is_quadratic ? Kind::stiffness_rule()[point].xi : Kind::centre();
    const auto [det, dN_dx] = gradients_at(xi, corners.topRows<dim>());
    Eigen::Matrix<double, dim, dim> P = Eigen::Matrix<double, dim, dim>::Zero();
    for (Eigen::Index c = 0; c < S.cols(); ++c) {
      const Eigen::Matrix<double, dim, dim> tau = tensor_of<dim>(D_ * in_plane(S.col(c)));
      P -= gradient_of<Kind>(U, c, dN_dx).transpose() * tau;
    }
    return P * dN_dx;
  }

 private:
  static constexpr int dim = Kind::dim, n = Kind::n;
  static constexpr bool is_quadratic = n > (dim == 2 ? 4 : 8);
  template <class Scalar>
  using Places = Eigen::Matrix<Scalar, dim, n>;

  /// det J and dN/dx at a point.
  std::pair<double, Places<double>> gradients_at(const Eigen::Matrix<double, dim, 1>& xi,
                                                 const Places<double>& x) const {
    const auto dN = Kind::shape(xi).dN;
    const Jacobian<double, dim, n> J(dN, x);
    return {J.det, J.inverse * dN};
  }

  /// The weights of stresses on those in the order of strain_matrix(): of plane strain without sigma_zz, which
  /// with_stress_across() makes of the others.
  Eigen::Matrix<double, 3 * (dim - 1), 1> in_plane(const VectorXd& S) const {
    if constexpr (dim == 2) {
      if (S.size() == 6) return Vector3d(S[0] + poisson_ratio_ * S[2], S[1] + poisson_ratio_ * S[2], S[5]);
    }
    return S;
  }

  template <class Scalar>
  BasicElementMatrices<Scalar> matrices_of(const BasicCorners<Scalar>& corners) const {
    const Places<Scalar> x = corners.template topRows<dim>();
    return Integrals<Scalar, Kind>(x, D_, thickness_, is_incompatible_).matrices();
  }

  MatrixXd stress_at(const Eigen::Matrix<double, dim, 1>& xi, const Corners& corners) const {
    const Places<double> dN_dx = gradients_at(xi, corners.topRows<dim>()).second;
    const MatrixXd stress = D_.lazyProduct(strain_matrix<double, dim, n>(dN_dx));
    return dim == 2 && plane_ == PlaneState::strain ? with_stress_across(stress) : stress;
  }

  /// sigma_zz = nu (sigma_xx + sigma_yy) of plane strain, among all six.
  MatrixXd with_stress_across(const MatrixXd& in_plane) const {
    MatrixXd stress = MatrixXd::Zero(6, in_plane.cols());
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

/// d det J / d x_a = det J (J^-1 dN_a) at every point of the quadrature.
template <class Kind>
Corners measure_bar_of(const Corners& corners) {
  constexpr int dim = Kind::dim, n = Kind::n;
  const Eigen::Matrix<double, dim, n> x = corners.topRows<dim>();
  Corners bar = Corners::Zero(3, n);
  for (const auto& [xi, weight] : Kind::mass_rule()) {
    const auto dN = Kind::shape(xi).dN;
    const Eigen::Matrix<double, dim, dim> J = dN * x.transpose();
    bar.topRows<dim>() += weight * J.determinant() * (J.inverse() * dN);
  }
  return bar;
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

Corners differentiate_measure(ElementKind kind, const Corners& corners) {
  return with_kind(kind, [&]<class Kind>(Kind) { return measure_bar_of<Kind>(corners); });
}

}  // namespace kurbel::fem
