#include "integration/lie_group.hpp"

#include <Eigen/LU>

#include "base/instantiate.hpp"

namespace kurbel {

namespace {

constexpr double pi = 3.14159265358979323846;

/// sum_j (-z)^j / (2 j + k)!: the entire functions behind sine and cosine, f_k(phi^2).
/// f_0 = cos phi, f_1 = sin(phi)/phi, f_k = (1/(k-2)! - f_{k-2}) / z.
template <class Scalar>
std::array<Scalar, 6> trigonometric_series(const Scalar& z) {
  std::array<Scalar, 6> f;
  constexpr double series_below = 1.0;
  if (std::abs(real_part(z)) < series_below) {
    for (int k = 4; k <= 5; ++k) {
      double factorial = k == 4 ? 24.0 : 120.0;
      Scalar term = Scalar(1.0 / factorial);
      Scalar sum = term;
      for (int j = 1; j <= 8; ++j) {
        term *= -z / double((2 * j + k - 1) * (2 * j + k));
        sum += term;
      }
      f[k] = sum;
    }
    f[3] = 1.0 / 6.0 - z * f[5];
    f[2] = 0.5 - z * f[4];
    f[1] = 1.0 - z * f[3];
    f[0] = 1.0 - z * f[2];
  } else {
    using std::cos, std::sin, std::sqrt;
    const Scalar phi = sqrt(z);
    f[0] = cos(phi);
    f[1] = sin(phi) / phi;
    f[2] = (1.0 - f[0]) / z;
    f[3] = (1.0 - f[1]) / z;
    f[4] = (0.5 - f[2]) / z;
    f[5] = (1.0 / 6.0 - f[3]) / z;
  }
  return f;
}

/// Left factor of exp on SE(3): r(exp(u, theta)) = (E + f_2 theta~ + f_3 theta~^2) u.
template <class Scalar>
Vector3<Scalar> translation_of_exp(const Vector3<Scalar>& u, const Vector3<Scalar>& theta, const Scalar& f2,
                                   const Scalar& f3) {
  const Vector3<Scalar> a = cross(theta, u);
  return u + f2 * a + f3 * cross(theta, a);
}

}  // namespace

template <class Scalar>
Matrix3<Scalar> rotation_matrix(const Quaternion<Scalar>& e) {
  const Scalar w = e[0], x = e[1], y = e[2], z = e[3];
  Matrix3<Scalar> R;
  R << 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),  //
      2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),   //
      2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y);
  return R;
}

template <class Scalar>
Quaternion<Scalar> exp_quaternion(const Vector3<Scalar>& theta) {
  const Vector3<Scalar> half = 0.5 * theta;
  const auto f = trigonometric_series<Scalar>(dot(half, half));
  Quaternion<Scalar> e;
  e << f[0], f[1] * half;
  return e;
}

template <class Scalar>
Quaternion<Scalar> multiply(const Quaternion<Scalar>& a, const Quaternion<Scalar>& b) {
  Quaternion<Scalar> c;
  const Vector3<Scalar> av = a.template tail<3>(), bv = b.template tail<3>();
  c << a[0] * b[0] - dot(av, bv), a[0] * bv + b[0] * av + cross(av, bv);
  return c;
}

template <class Scalar>
Pose<Scalar> retract(const Pose<Scalar>& pose, const Vector6<Scalar>& xi) {
  using std::sqrt;
  const Vector3<Scalar> u = xi.template head<3>(), theta = xi.template tail<3>();
  const auto f = trigonometric_series<Scalar>(dot(theta, theta));
  Pose<Scalar> next;
  next.r = pose.r + rotation_matrix(pose.e) * translation_of_exp(u, theta, f[2], f[3]);
  next.e = multiply(pose.e, exp_quaternion(theta));
  next.e /= sqrt(dot(next.e, next.e));
  return next;
}

template <class Scalar>
Vector6<Scalar> increment(const Pose<Scalar>& from, const Pose<Scalar>& to) {
  using std::asin, std::sqrt;
  Quaternion<Scalar> back = from.e;
  back.template tail<3>() *= Scalar(-1.0);
  Quaternion<Scalar> e = multiply(back, to.e);
  if (real_part(e[0]) < 0.0) e = -e;
  // theta = 2 asin(s) / s (e_1, e_2, e_3), s = sin(|theta| / 2)
  const Vector3<Scalar> half = e.template tail<3>();
  const Scalar z = dot(half, half);
  constexpr double series_below = 1e-3;
  Scalar ratio = 1.0 + z * (1.0 / 6.0 + z * (3.0 / 40.0 + z * (15.0 / 336.0 + z * (105.0 / 3456.0))));
  if (std::abs(real_part(z)) > series_below) {
    const Scalar s = sqrt(z);
    ratio = (real_part(z) < 0.5 ? asin(s) : 0.5 * pi - asin(e[0])) / s;
  }
  const Vector3<Scalar> theta = 2.0 * ratio * half;
  const auto f = trigonometric_series<Scalar>(dot(theta, theta));
  const Matrix3<Scalar> turn = tilde(theta);
  const Matrix3<Scalar> factor = Matrix3<Scalar>::Identity() + f[2] * turn + f[3] * turn * turn;
  const Vector3<Scalar> shift = rotation_matrix(from.e).transpose() * (to.r - from.r);
  Vector6<Scalar> xi;
  xi << factor.partialPivLu().solve(shift), theta;
  return xi;
}

template <class Scalar>
RetractionDerivative<Scalar> retraction_derivative(const Vector6<Scalar>& xi) {
  // A = -ad_xi = [a, b; 0, a] satisfies A^5 + 2 z A^3 + z^2 A = 0, z = |theta|^2, which turns the series of T
  // into a polynomial of degree 4 whose coefficients are combinations of f_k(z).
  const Vector3<Scalar> u = xi.template head<3>(), theta = xi.template tail<3>();
  const Scalar z = dot(theta, theta);
  const auto f = trigonometric_series<Scalar>(z);
  const Matrix3<Scalar> E = Matrix3<Scalar>::Identity();
  const Matrix3<Scalar> a = -tilde(theta), b = -tilde(u);
  const Matrix3<Scalar> a2 = a * a;
  const Matrix3<Scalar> b2 = a * b + b * a;
  const Matrix3<Scalar> b3 = a * b2 + b * a2;
  const Matrix3<Scalar> b4 = a * b3 - z * (b * a);
  const Scalar c1 = 2.0 * f[2] - 0.5 * f[1], c2 = 0.5 * (5.0 * f[3] - f[2]);
  const Scalar c3 = 0.5 * (f[3] - 2.0 * f[4]), c4 = 0.5 * (f[4] - 3.0 * f[5]);
  RetractionDerivative<Scalar> d;
  d.T.setZero();
  d.T.template topLeftCorner<3, 3>() = E + f[2] * a + f[3] * a2;
  d.T.template topRightCorner<3, 3>() = c1 * b + c2 * b2 + c3 * b3 + c4 * b4;
  d.T.template bottomRightCorner<3, 3>() = d.T.template topLeftCorner<3, 3>();
  const Matrix3<Scalar> R_inverse = E + f[1] * a + f[2] * a2;
  d.Ad.setZero();
  d.Ad.template topLeftCorner<3, 3>() = R_inverse;
  d.Ad.template topRightCorner<3, 3>() = -R_inverse * tilde(translation_of_exp(u, theta, f[2], f[3]));
  d.Ad.template bottomRightCorner<3, 3>() = R_inverse;
  return d;
}

#define KURBEL_INSTANTIATE(S)                                                  \
  template Matrix3<S> rotation_matrix(const Quaternion<S>&);                   \
  template Quaternion<S> exp_quaternion(const Vector3<S>&);                    \
  template Quaternion<S> multiply(const Quaternion<S>&, const Quaternion<S>&); \
  template Pose<S> retract(const Pose<S>&, const Vector6<S>&);                 \
  template Vector6<S> increment(const Pose<S>&, const Pose<S>&);               \
  template RetractionDerivative<S> retraction_derivative(const Vector6<S>&);
KURBEL_INSTANTIATE(InstantiatedScalar)
#undef KURBEL_INSTANTIATE

}  // namespace kurbel
