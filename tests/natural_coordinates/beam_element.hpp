/// @file
/// Judges of beam elements in space, whatever their coordinates.
#pragma once

#include <gtest/gtest.h>

#include "elements/element.hpp"
#include "tests/numerics.hpp"

namespace kurbel::test {

/// An element of both scalars, and its arguments.
template <template <class> class E>
struct BeamCase {
  E<double> element;
  E<Complex> judge;
  VectorXd q, v, xi;

  template <class S>
  static VectorX<S> force(const E<S>& e, const VectorX<S>& q, const VectorX<S>& v, const VectorX<S>& xi) {
    const VectorX<S> u;
    VectorX<S> Q = VectorX<S>::Zero(e.n_q());
    e.add_force({q, v, u, xi}, Q);
    return Q;
  }
  VectorXd force(const VectorXd& at_q, const VectorXd& at_v) const {
    return force<double>(element, at_q, at_v, xi);
  }
  VectorXd force() const { return force(q, v); }

  double potential(const VectorXd& at_q) const {
    const VectorXd u;
    return element.potential({at_q, v, u, xi});
  }
};

/// Complex step has no truncation error: 1e-12 leaves room for the rounding of sums of terms that cancel.
inline constexpr double exact = 1e-12;

template <template <class> class E>
void expect_force_from_potential(const BeamCase<E>& b) {
  using VectorXc = VectorX<Complex>;
  const VectorXc v = b.v.template cast<Complex>(), xi = b.xi.template cast<Complex>(), u;
  const MatrixXd U_q = complex_step(
      [&](const VectorXc& q) {
        return VectorXc::Constant(1, b.judge.potential({q, v, u, xi}));
      },
      b.q);
  const VectorXd Q = b.force(b.q, VectorXd::Zero(b.q.size()));
  EXPECT_LT((Q + U_q.transpose()).cwiseAbs().maxCoeff(), exact * Q.cwiseAbs().maxCoeff());
}

template <template <class> class E>
void expect_force_derivatives(const BeamCase<E>& b) {
  using VectorXc = VectorX<Complex>;
  const VectorXc q = b.q.template cast<Complex>(), v = b.v.template cast<Complex>(),
                 xi = b.xi.template cast<Complex>();
  const auto force = [&](const VectorXc& at_q, const VectorXc& at_v, const VectorXc& at_xi) {
    return BeamCase<E>::template force<Complex>(b.judge, at_q, at_v, at_xi);
  };
  const VectorXd u;
  ForceDerivatives<double> d;
  d.resize(b.q.size(), 0, b.xi.size());
  b.element.add_derivatives({b.q, b.v, u, b.xi}, d);
  const MatrixXd Q_q = complex_step([&](const VectorXc& z) { return force(z, v, xi); }, b.q);
  const MatrixXd Q_v = complex_step([&](const VectorXc& z) { return force(q, z, xi); }, b.v);
  const MatrixXd Q_xi = complex_step([&](const VectorXc& z) { return force(q, v, z); }, b.xi);
  EXPECT_LT(column_error(d.Q_q, Q_q), exact);
  EXPECT_LT((d.Q_v - Q_v).cwiseAbs().maxCoeff(), exact * Q_v.cwiseAbs().maxCoeff());
  EXPECT_LT(column_error(d.Q_xi, Q_xi), exact);
  EXPECT_LT((d.Q_q - Q_q).cwiseAbs().maxCoeff(), exact * Q_q.cwiseAbs().maxCoeff());
}

template <template <class> class E>
void expect_mass_derivatives(const BeamCase<E>& b) {
  using VectorXc = VectorX<Complex>;
  const Eigen::Index n = b.q.size();
  const VectorXd a = random_vector(n, 1.0, 4);
  MatrixXd Ma_xi = MatrixXd::Zero(n, b.xi.size());
  b.element.add_mass_derivative(b.xi, a, Ma_xi);
  const MatrixXd expected = complex_step(
      [&](const VectorXc& z) -> VectorXc {
        MatrixX<Complex> M = MatrixX<Complex>::Zero(n, n);
        b.judge.add_mass(z, M);
        return M * a.template cast<Complex>();
      },
      b.xi);
  EXPECT_LT(column_error(Ma_xi, expected), exact);
}

/// h_q, h_v, h_xi of a function of both scalars.
template <class Function, class Judge>
void expect_function_derivatives(const Function& function, const Judge& judge, const VectorXd& q,
                                 const VectorXd& xi, double tolerance = exact) {
  using VectorXc = VectorX<Complex>;
  const VectorXd none;
  const VectorXc none_c, q_c = q.cast<Complex>(), xi_c = xi.cast<Complex>();
  FunctionDerivatives<double> d;
  d.resize(1, q.size(), xi.size());
  function.add_derivatives({q, none, none, xi}, d);
  const auto value = [&](const VectorXc& at_q, const VectorXc& at_xi) {
    VectorXc h(1);
    judge.value({at_q, none_c, none_c, at_xi}, h);
    return h;
  };
  const MatrixXd h_q = complex_step([&](const VectorXc& z) { return value(z, xi_c); }, q);
  const MatrixXd h_xi = complex_step([&](const VectorXc& z) { return value(q_c, z); }, xi);
  EXPECT_LT((d.h_q - h_q).cwiseAbs().maxCoeff(), tolerance * (1.0 + h_q.cwiseAbs().maxCoeff()));
  EXPECT_LT(column_error(d.h_xi, h_xi), tolerance);
  EXPECT_EQ(d.h_v.cwiseAbs().maxCoeff(), 0.0);
}

/// A turn about an axis.
inline Matrix3<double> turn(double angle, const Vector3d& axis) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

/// Every vector of q turned; positions (places in `positions`, in threes) moved as well.
inline VectorXd moved(VectorXd q, const Matrix3<double>& R, const Vector3d& shift,
                      const std::vector<int>& positions) {
  for (Eigen::Index i = 0; i < q.size(); i += 3) q.segment<3>(i) = R * q.segment<3>(i).eval();
  for (const int i : positions) q.segment<3>(3 * i) += shift;
  return q;
}

/// Rates of a motion with angular velocity omega about the origin.
inline VectorXd turning(const VectorXd& q, const Vector3d& omega) {
  VectorXd v(q.size());
  for (Eigen::Index i = 0; i < q.size(); i += 3) v.segment<3>(i) = omega.cross(Vector3d(q.segment<3>(i)));
  return v;
}

/// Sum over the vectors of q of q_i x Q_i: the moment about the origin.
inline Vector3d moment(const VectorXd& q, const VectorXd& Q) {
  Vector3d sum = Vector3d::Zero();
  for (Eigen::Index i = 0; i < q.size(); i += 3)
    sum += Vector3d(q.segment<3>(i)).cross(Vector3d(Q.segment<3>(i)));
  return sum;
}

}  // namespace kurbel::test
