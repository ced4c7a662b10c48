/// @file
/// Kinematics and strain energy of a cross-section of an AncfBeam; internal to it.
#pragma once

#include "natural_coordinates/ancf_beam.hpp"

namespace kurbel::ancf {

/// The coordinates as columns, A = [r r_x r_y | r r_x r_y].
template <class S>
using PlanarNodes = Eigen::Matrix<S, 2, 6>;
/// Over a cross-section r_x = p + zeta q and r_y = t, so that integrals over zeta are closed: Z = [p q t].
template <class S>
using SectionVectors = Eigen::Matrix<S, 2, 3>;
template <class S>
Eigen::Map<const PlanarNodes<S>> as_planar_nodes(const typename ElementState<S>::Segment& e) {
  return Eigen::Map<const PlanarNodes<S>>(e.data());
}

/// Means over the section, zeta in [-1/2, 1/2].
inline constexpr double mean_zeta2 = 1.0 / 12.0, mean_zeta4 = 1.0 / 80.0;

template <class S>
struct BeamParameters {
  S w, h, l, E, nu, rho;
  explicit BeamParameters(const typename ElementState<S>::Segment& xi)
      : w(xi[0]), h(xi[1]), l(xi[2]), E(xi[3]), nu(xi[4]), rho(xi[5]) {}
  S volume() const { return w * h * l; }
};

/// D, and what of it acts off the axis.
template <class S>
struct Stiffness {
  S axial, poisson;     ///< E / (1 - nu^2), nu E / (1 - nu^2)
  S bending, coupling;  ///< the same off the axis; E and 0 with PoissonCoupling::axis
  S shear;              ///< G
};

template <class S>
Stiffness<S> stiffness(PoissonCoupling where, const BeamParameters<S>& b) {
  const S axial = b.E / (1.0 - b.nu * b.nu), shear = b.E / (2.0 * (1.0 + b.nu));
  const bool full = where == PoissonCoupling::full;
  return {axial, b.nu * axial, full ? axial : b.E, full ? S(b.nu * axial) : S(0), shear};
}

/// d stiffness / d nu
template <class S>
Stiffness<S> stiffness_nu(PoissonCoupling where, const BeamParameters<S>& b) {
  const S d = 1.0 - b.nu * b.nu, axial = 2.0 * b.nu * b.E / (d * d);
  const S poisson = (1.0 + b.nu * b.nu) * b.E / (d * d), s = 1.0 + b.nu;
  const bool full = where == PoissonCoupling::full;
  return {axial, poisson, full ? axial : S(0), full ? poisson : S(0), -b.E / (2.0 * s * s)};
}

/// The linear map from A to Z at xi; only 1/l and h/l enter.
///
///     p = r (A_3 - A_0) + r_x1 A_1 + r_x2 A_4,    q = taper (A_5 - A_2),    t = r_y1 A_2 + r_y2 A_5
template <class S>
struct SectionMap {
  S r, r_x1, r_x2, taper, r_y1, r_y2;

  SectionMap(double xi, const BeamParameters<S>& b)
      : r(6.0 * xi * (1.0 - xi) / b.l),
        r_x1(1.0 - 4.0 * xi + 3.0 * xi * xi),
        r_x2(3.0 * xi * xi - 2.0 * xi),
        taper(b.h / b.l),
        r_y1(1.0 - xi),
        r_y2(xi) {}
  /// The map's derivative by h or l.
  SectionMap(const S& d_r, const S& d_taper) : r(d_r), r_x1(0), r_x2(0), taper(d_taper), r_y1(0), r_y2(0) {}
  SectionMap by_h(const BeamParameters<S>& b) const { return {S(0), 1.0 / b.l}; }
  SectionMap by_l(const BeamParameters<S>& b) const { return {-r / b.l, -taper / b.l}; }

  SectionVectors<S> operator()(const PlanarNodes<S>& A) const {
    SectionVectors<S> Z;
    Z.col(0) = r * (A.col(3) - A.col(0)) + r_x1 * A.col(1) + r_x2 * A.col(4);
    Z.col(1) = taper * (A.col(5) - A.col(2));
    Z.col(2) = r_y1 * A.col(2) + r_y2 * A.col(5);
    return Z;
  }

  /// out += the derivative by A of what has the derivative by_Z by Z.
  void add_transposed(const SectionVectors<S>& by_Z, PlanarNodes<S>& out) const {
    out.col(0) -= r * by_Z.col(0), out.col(3) += r * by_Z.col(0);
    out.col(1) += r_x1 * by_Z.col(0), out.col(4) += r_x2 * by_Z.col(0);
    out.col(2) += r_y1 * by_Z.col(2) - taper * by_Z.col(1);
    out.col(5) += r_y2 * by_Z.col(2) + taper * by_Z.col(1);
  }
};

/// The strain energy density's mean over a section, Psi, is quadratic in
///     e_0 = (p.p - 1) / 2,  e_1 = p.q,  e_2 = q.q / 2,  e_y = (t.t - 1) / 2,  g_0 = p.t,  g_1 = q.t
/// where eps_xx = e_0 + zeta e_1 + zeta^2 e_2, eps_yy = e_y, gamma = g_0 + zeta g_1.
template <class S>
struct SectionStrain {
  S e0, e1, e2, ey, g0, g1;
  explicit SectionStrain(const SectionVectors<S>& Z) {
    const Matrix3<S> C = Z.transpose() * Z;
    e0 = 0.5 * (C(0, 0) - 1.0), e1 = C(0, 1), e2 = 0.5 * C(1, 1);
    ey = 0.5 * (C(2, 2) - 1.0), g0 = C(0, 2), g1 = C(1, 2);
  }
};

/// Derivatives of Psi by the strains as the symmetric N of dPsi/dZ = Z N.
template <class S>
Matrix3<S> resultants(const Stiffness<S>& C, const SectionStrain<S>& e) {
  const S n0 = C.axial * e.e0 + C.bending * mean_zeta2 * e.e2 + C.poisson * e.ey;
  const S n1 = C.bending * mean_zeta2 * e.e1;
  const S n2 = C.bending * (mean_zeta2 * e.e0 + mean_zeta4 * e.e2) + C.coupling * mean_zeta2 * e.ey;
  const S ny = C.axial * e.ey + C.poisson * e.e0 + C.coupling * mean_zeta2 * e.e2;
  const S s0 = C.shear * e.g0, s1 = C.shear * mean_zeta2 * e.g1;
  Matrix3<S> N;
  N << n0, n1, s0, n1, n2, s1, s0, s1, ny;
  return N;
}

template <class S>
S energy(const Matrix3<S>& N, const SectionStrain<S>& e) {
  return 0.5 * (N(0, 0) * e.e0 + N(0, 1) * e.e1 + N(1, 1) * e.e2 + N(2, 2) * e.ey + N(0, 2) * e.g0 +
                N(1, 2) * e.g1);
}

/// d2Psi / dZ2, the columns of Z one below the other.
template <class S>
Matrix6<S> energy_hessian(const Stiffness<S>& C, const SectionVectors<S>& Z, const Matrix3<S>& N) {
  const Matrix2<S> pp = Z.col(0) * Z.col(0).transpose(), qq = Z.col(1) * Z.col(1).transpose();
  const Matrix2<S> tt = Z.col(2) * Z.col(2).transpose(), pq = Z.col(0) * Z.col(1).transpose();
  const Matrix2<S> pt = Z.col(0) * Z.col(2).transpose(), qt = Z.col(1) * Z.col(2).transpose();
  const Matrix2<S> I = Matrix2<S>::Identity();
  const S bending = C.bending * mean_zeta2, shear = C.shear * mean_zeta2;
  Matrix6<S> H;
  H.template block<2, 2>(0, 0) = C.axial * pp + bending * qq + C.shear * tt + N(0, 0) * I;
  H.template block<2, 2>(0, 2) = bending * (pq + pq.transpose()) + N(0, 1) * I;
  H.template block<2, 2>(0, 4) = C.poisson * pt + C.shear * pt.transpose() + N(0, 2) * I;
  H.template block<2, 2>(2, 2) = bending * pp + C.bending * mean_zeta4 * qq + shear * tt + N(1, 1) * I;
  H.template block<2, 2>(2, 4) = C.coupling * mean_zeta2 * qt + shear * qt.transpose() + N(1, 2) * I;
  H.template block<2, 2>(4, 4) = C.axial * tt + C.shear * pp + shear * qq + N(2, 2) * I;
  H.template block<2, 2>(2, 0) = H.template block<2, 2>(0, 2).transpose();
  H.template block<2, 2>(4, 0) = H.template block<2, 2>(0, 4).transpose();
  H.template block<2, 2>(4, 2) = H.template block<2, 2>(2, 4).transpose();
  return H;
}

/// H applied to a change of Z.
template <class S>
SectionVectors<S> apply(const Matrix6<S>& H, const SectionVectors<S>& dZ) {
  const Vector6<S> change = H * Eigen::Map<const Vector6<S>>(dZ.data());
  return Eigen::Map<const SectionVectors<S>>(change.data());
}

}  // namespace kurbel::ancf
