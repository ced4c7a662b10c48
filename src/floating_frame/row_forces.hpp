/// @file
/// Forces of springs, torsion springs and motors as functions of the rows of their markers (relative_rows.hpp).
///
/// A force element with the rows c has the generalized force C^T W, C = dc/dx:
///
///     torsion spring, motor     W_i = (k (s - s_0) + d s_dot - u) ds/dc_i      s: length or angle
///     spring along its line     W   = phi(c, c_dot)                            c = |p^t - p^f|^2 / 2
///     with isotropic damping    W_i = phi c_i + d c_dot_i                      c = p^t - p^f
///     any other law             W of pair_law.hpp
///
/// phi of spring_law.hpp; k, d, s_0: stiffness, damping, free length or angle; u: the control of a motor.
#pragma once

#include "mechanism/pair_law.hpp"
#include "mechanism/scalar_coordinate.hpp"
#include "mechanism/spring_law.hpp"

namespace kurbel {

/// k, d and s_0.
template <class S>
struct SpringNumbers {
  S k = S(0), d = S(0), s0 = S(0);
};

/// W with its derivatives: by c, c_dot, by the numbers of the law, (k, d, s_0) of a spring, and u.
template <class S>
struct RowForces : PairForces<S> {
  RowForces(Eigen::Index n, Eigen::Index n_xi) : PairForces<S>(n, n_xi), W_u(PairVector<S>::Zero(n)) {}
  explicit RowForces(PairForces<S> of_law)
      : PairForces<S>(std::move(of_law)), W_u(PairVector<S>::Zero(this->W.size())) {}

  PairVector<S> W_u;
  S along = S(0);  ///< the force along the line, positive if it pulls, N; or the torque, N m
};

template <class S>
RowForces<S> forces_on_coordinate(const ScalarCoordinate<S>& s, const VectorX<S>& c_dot,
                                  const SpringNumbers<S>& spring, const S& u) {
  const Eigen::Index n = c_dot.size();
  RowForces<S> out(n, 3);
  S rate(0), rate_c[2] = {S(0), S(0)};
  for (Eigen::Index i = 0; i < n; ++i) {
    rate += s.d1[i] * c_dot[i];
    for (Eigen::Index j = 0; j < n; ++j) rate_c[i] += s.d2[i][j] * c_dot[j];
  }
  out.along = spring.k * (s.s - spring.s0) + spring.d * rate - u;
  for (Eigen::Index i = 0; i < n; ++i) {
    out.W[i] = out.along * s.d1[i];
    out.W_xi.row(i) << (s.s - spring.s0) * s.d1[i], rate * s.d1[i], -spring.k * s.d1[i];
    out.W_u[i] = -s.d1[i];
    for (Eigen::Index j = 0; j < n; ++j) {
      out.W_c(i, j) = out.along * s.d2[i][j] + s.d1[i] * (spring.k * s.d1[j] + spring.d * rate_c[j]);
      out.W_cdot(i, j) = spring.d * s.d1[i] * s.d1[j];
    }
  }
  return out;
}

/// @param c  half of the squared length, m^2
template <class S>
RowForces<S> forces_along_line(SpringLaw law, const S& c, const S& c_dot, const SpringNumbers<S>& spring) {
  const SpringTension<S> t = spring_tension(law, c, c_dot, spring.k, spring.d, spring.s0);
  RowForces<S> out(1, 3);
  out.W[0] = t.phi, out.W_c(0, 0) = t.phi_s, out.W_cdot(0, 0) = t.phi_sdot;
  out.W_xi.row(0) = t.phi_xi.transpose();
  out.along = t.phi * line_length(S(2.0 * c));
  return out;
}

/// Forces of a spring whose damper acts in every direction.
/// @param c  from "from" to "to" along the inertial axes, m
template <class S>
RowForces<S> forces_in_space(SpringLaw law, const Vector3<S>& c, const Vector3<S>& c_dot,
                             const SpringNumbers<S>& spring) {
  const SpringForce<S> on_to = spring_force(law, true, c, c_dot, spring.k, spring.d, spring.s0);
  RowForces<S> out(3, 3);
  out.W = -on_to.F, out.W_c = -on_to.F_d, out.W_cdot = -on_to.F_ddot, out.W_xi = -on_to.F_xi;
  out.along = dot(Vector3<S>(out.W), c) / line_length(S(dot(c, c)));
  return out;
}

}  // namespace kurbel
