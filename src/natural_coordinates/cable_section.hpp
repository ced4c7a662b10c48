/// @file
/// Kinematics and stress resultants at a point of a CableBeam's axis; internal to it.
#pragma once

#include <cmath>

#include "natural_coordinates/cable_beam.hpp"

namespace kurbel::cable {

/// The coordinates as columns, A = [r_1 r_x1 r_2 r_x2].
template <class S>
using Nodes = Eigen::Matrix<S, 3, 4>;
/// Z = [p s e], p = r', s = r'', e = (r_2 - r_1) / l; also what is conjugate to it, and rates.
template <class S>
using Local = Matrix3<S>;
template <class S>
using Hessian = Eigen::Matrix<S, 9, 9>;

template <class S>
Eigen::Map<const Nodes<S>> as_nodes(const typename ElementState<S>::Segment& q) {
  return Eigen::Map<const Nodes<S>>(q.data());
}

/// Z = A W, with what W is differentiated by l.
template <class S>
struct LocalMap {
  Eigen::Matrix<S, 4, 3> W, W_l;

  LocalMap(double x, const S& l) {
    const S p = 6.0 * x * (1.0 - x) / l, s = (6.0 - 12.0 * x) / (l * l), c = 1.0 / l;
    const S s1 = (6.0 * x - 4.0) / l, s2 = (6.0 * x - 2.0) / l;
    W << -p, -s, -c, S(1.0 - 4.0 * x + 3.0 * x * x), s1, S(0),  //
        p, s, c, S(3.0 * x * x - 2.0 * x), s2, S(0);
    W_l << p, 2.0 * s, c, S(0), -s1, S(0),  //
        -p, -2.0 * s, -c, S(0), -s2, S(0);
    W_l /= l;
  }

  /// K += weight L^T H L, where L takes the columns of A, one below the other, to those of Z.
  void add_congruent(const S& weight, const Hessian<S>& H, Eigen::Matrix<S, 12, 12>& K) const {
    for (int i = 0; i < 4; ++i) {
      const Eigen::Matrix<S, 3, 9> rows =
          weight * (W(i, 0) * H.template middleRows<3>(0) + W(i, 1) * H.template middleRows<3>(3) +
                    W(i, 2) * H.template middleRows<3>(6));
      for (int j = 0; j < 4; ++j) {
        K.template block<3, 3>(3 * i, 3 * j) += W(j, 0) * rows.template middleCols<3>(0) +
                                                W(j, 1) * rows.template middleCols<3>(3) +
                                                W(j, 2) * rows.template middleCols<3>(6);
      }
    }
  }
};

template <class S>
S inner(const Vector3<S>& a, const Vector3<S>& b) {
  return (a.transpose() * b).value();
}

/// eps with its gradient by one column of Z, and the column on which the normal force acts (the same, but for
/// `linearized`).
template <class S>
struct AxialStrain {
  S eps;
  int of, on;             ///< columns of Z
  Vector3<S> by, acting;  ///< d eps / d Z_of, and N acting is the force conjugate to Z_on
  Matrix3<S> by_by;       ///< d2 eps / d Z_of^2

  AxialStrain(CableEnergy energy, const Local<S>& Z) {
    using std::sqrt;
    if (energy == CableEnergy::green || energy == CableEnergy::second_derivative) {
      of = on = 0;
      by = acting = Z.col(0);
      eps = 0.5 * (inner<S>(by, by) - 1.0);
      by_by.setIdentity();
      return;
    }
    of = 2, on = energy == CableEnergy::linearized ? 0 : 2;
    const Vector3<S> e = Z.col(2);
    const S length = sqrt(inner<S>(e, e));
    eps = length - 1.0;
    by = e / length;
    acting = on == of ? by : Vector3<S>(Z.col(0));
    by_by = (Matrix3<S>::Identity() - by * by.transpose()) / length;
  }
  /// d acting / d Z_on
  Matrix3<S> acting_by() const { return on == of ? by_by : Matrix3<S>(Matrix3<S>::Identity()); }
};

/// kappa^2 as a function k of a = p.p, b = p.s, c = s.s.
template <class S>
struct SquaredCurvature {
  S k, k_a, k_b, k_c, k_aa{}, k_ab{}, k_ac{}, k_bb{};  ///< k_bc = k_cc = 0

  SquaredCurvature(CableEnergy energy, const Local<S>& Z) {
    const Vector3<S> p = Z.col(0), s = Z.col(1);
    const S c = inner<S>(s, s);
    if (energy != CableEnergy::green) {
      k = c, k_a = S(0), k_b = S(0), k_c = S(1);
      return;
    }
    const S a = inner<S>(p, p), b = inner<S>(p, s), a2 = a * a, a3 = a2 * a;
    k = c / a2 - b * b / a3;
    k_a = -2.0 * c / a3 + 3.0 * b * b / (a3 * a), k_b = -2.0 * b / a3, k_c = 1.0 / a2;
    k_aa = 6.0 * c / (a3 * a) - 12.0 * b * b / (a3 * a2), k_ab = 6.0 * b / (a3 * a);
    k_ac = k_bb = -2.0 / a3;
  }
  /// d kappa^2 / d Z
  Local<S> gradient(const Local<S>& Z) const {
    Local<S> out;
    out << 2.0 * k_a * Z.col(0) + k_b * Z.col(1), k_b * Z.col(0) + 2.0 * k_c * Z.col(1), Vector3<S>::Zero();
    return out;
  }
  /// H += weight d2 kappa^2 / d Z^2
  void add_hessian(const S& weight, const Local<S>& Z, Hessian<S>& H) const {
    const Matrix3<S> I = Matrix3<S>::Identity();
    const Matrix3<S> pp = Z.col(0) * Z.col(0).transpose(), ss = Z.col(1) * Z.col(1).transpose();
    const Matrix3<S> ps = Z.col(0) * Z.col(1).transpose(), sp = ps.transpose();
    const Matrix3<S> mixed = 2.0 * k_ab * pp + 4.0 * k_ac * ps + k_bb * sp + k_b * I;
    H.template block<3, 3>(0, 0) +=
        weight * (4.0 * k_aa * pp + 2.0 * k_ab * (ps + sp) + k_bb * ss + 2.0 * k_a * I);
    H.template block<3, 3>(0, 3) += weight * mixed;
    H.template block<3, 3>(3, 0) += weight * mixed.transpose();
    H.template block<3, 3>(3, 3) += weight * (k_bb * pp + 2.0 * k_c * I);
  }
};

/// m = s_dot - omega x s = s_dot + B e_dot and its gradients.
template <class S>
struct BendingRate {
  Vector3<S> s, e, m, g;  ///< g = B^T m, so that m.m = s_dot.m + e_dot.g
  Matrix3<S> B, m_s, m_e;
  S n, sigma, tau;  ///< e.e, e.s, e.m

  BendingRate(const Local<S>& Z, const Local<S>& Z_dot) : s(Z.col(1)), e(Z.col(2)) {
    const Matrix3<S> I = Matrix3<S>::Identity();
    const Vector3<S> e_dot = Z_dot.col(2);
    n = inner<S>(e, e), sigma = inner<S>(e, s);
    const S stretch = inner<S>(s, e_dot);
    B = (e * s.transpose() - sigma * I) / n;
    m = Z_dot.col(1) + B * e_dot;
    tau = inner<S>(e, m);
    g = B.transpose() * m;
    m_s = (e * e_dot.transpose() - e_dot * e.transpose()) / n;
    m_e = (stretch * I - e_dot * s.transpose() - 2.0 * (B * e_dot) * e.transpose()) / n;
  }
  Local<S> force() const {
    Local<S> out;
    out << Vector3<S>::Zero(), m, g;
    return out;
  }
  /// H_z += weight d force / d Z, H_zdot += weight d force / d Z_dot
  void add_hessians(const S& weight, Hessian<S>& H_z, Hessian<S>& H_zdot) const {
    const Matrix3<S> I = Matrix3<S>::Identity();
    const Matrix3<S> g_s = B.transpose() * m_s + (tau * I - m * e.transpose()) / n;
    const Matrix3<S> g_e =
        B.transpose() * m_e + (s * m.transpose() - m * s.transpose() - 2.0 * g * e.transpose()) / n;
    H_z.template block<3, 3>(3, 3) += weight * m_s;
    H_z.template block<3, 3>(3, 6) += weight * m_e;
    H_z.template block<3, 3>(6, 3) += weight * g_s;
    H_z.template block<3, 3>(6, 6) += weight * g_e;
    H_zdot.template block<3, 3>(3, 3) += weight * I;
    H_zdot.template block<3, 3>(3, 6) += weight * B;
    H_zdot.template block<3, 3>(6, 3) += weight * B.transpose();
    H_zdot.template block<3, 3>(6, 6) += weight * (B.transpose() * B);
  }
};

/// The resultants that are conjugate to Z per length: E A axial + E I bending, each without and with damping.
template <class S>
struct Resultants {
  AxialStrain<S> strain;
  S rate;  ///< eps_dot
  SquaredCurvature<S> curvature;
  BendingRate<S> bending_rate;

  Resultants(CableEnergy energy, const Local<S>& Z, const Local<S>& Z_dot)
      : strain(energy, Z),
        rate(inner<S>(strain.by, Z_dot.col(strain.of))),
        curvature(energy, Z),
        bending_rate(Z, Z_dot) {}

  /// Along the axis per E A, for a strain.
  Local<S> axial(const S& eps) const {
    Local<S> out = Local<S>::Zero();
    out.col(strain.on) = eps * strain.acting;
    return out;
  }
  Local<S> bending(const Local<S>& Z) const { return 0.5 * curvature.gradient(Z); }

  /// H_z += d (EA axial + EI bending) / d Z, H_zdot += ... / d Z_dot, with damping.
  void add_hessians(const S& EA, const S& EI, const S& eta, const Local<S>& Z, const Local<S>& Z_dot,
                    Hessian<S>& H_z, Hessian<S>& H_zdot) const {
    const Vector3<S> rate_by = strain.by_by * Z_dot.col(strain.of);
    const int of = 3 * strain.of, on = 3 * strain.on;
    H_z.template block<3, 3>(on, of) += EA * strain.acting * (strain.by + eta * rate_by).transpose();
    H_z.template block<3, 3>(on, on) += EA * (strain.eps + eta * rate) * strain.acting_by();
    H_zdot.template block<3, 3>(on, of) += EA * eta * strain.acting * strain.by.transpose();
    curvature.add_hessian(0.5 * EI, Z, H_z);
    bending_rate.add_hessians(EI * eta, H_z, H_zdot);
  }
};

}  // namespace kurbel::cable
