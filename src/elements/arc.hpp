/// @file
/// The circle through three places, from start over through to end.
#pragma once

#include "base/types.hpp"

namespace kurbel {

/// With c = end - start, t = through - start, n = t x c and e = end - centre,
///
///     rho = ((c . c) t x n - (t . t) c x n) / (2 n . n)      from the centre to the start
///     sigma = n x rho / |n|                                  along the tangent there
///     angle = atan2(sigma . e, rho . e)                      in (0, 2 pi)
///     r(theta) = centre + cos(theta) rho + sin(theta) sigma
template <class Scalar>
class Arc {
 public:
  /// Start, end and through in the columns, m; or variations of them.
  using Places = Matrix3<Scalar>;
  struct Point {
    Vector3<Scalar> r, tangent;
  };

  /// Variations of the arc with its three places.
  struct Variation {
    Vector3<Scalar> centre, rho, sigma, normal;
    Scalar angle, length;
  };

  /// @param places  not on one line
  explicit Arc(const Places& places);

  /// m
  Scalar length() const { return radius_ * angle_; }
  /// Unit normal of its plane, n / |n|.
  const Vector3<Scalar>& normal() const { return normal_; }
  /// Place and unit tangent at a share of the angle.
  Point at(double share) const;

  Variation variation(const Places& places_dot) const;
  Point variation_at(double share, const Variation& dot) const;

 private:
  Vector3<Scalar> c_, t_, n_;
  Vector3<Scalar> centre_, rho_, sigma_, normal_;
  Scalar radius_, angle_;
};

}  // namespace kurbel
