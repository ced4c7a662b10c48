#include "elements/arc.hpp"

#include <cmath>
#include <numbers>

#include "base/angle_of.hpp"
#include "base/instantiate.hpp"
#include "integration/lie_group.hpp"

namespace kurbel {

template <class S>
Arc<S>::Arc(const Places& places) {
  using std::sqrt;
  const auto start = places.col(0), end = places.col(1), through = places.col(2);
  c_ = end - start, t_ = through - start, n_ = cross(t_, c_);
  const S n2 = dot(n_, n_);
  normal_ = n_ / sqrt(n2);
  rho_ = (dot(c_, c_) * cross(t_, n_) - dot(t_, t_) * cross(c_, n_)) / (2.0 * n2);
  sigma_ = cross(normal_, rho_);
  centre_ = start - rho_;
  radius_ = sqrt(dot(rho_, rho_));
  const Vector3<S> e = end - centre_;
  angle_ = angle_of<S>(dot(sigma_, e), dot(rho_, e));
  if (real_part(angle_) < 0.0) angle_ += 2.0 * std::numbers::pi;
}

template <class S>
auto Arc<S>::at(double share) const -> Point {
  using std::cos, std::sin;
  const S theta = share * angle_;
  return {centre_ + cos(theta) * rho_ + sin(theta) * sigma_,
          (cos(theta) * sigma_ - sin(theta) * rho_) / radius_};
}

template <class S>
auto Arc<S>::variation(const Places& places_dot) const -> Variation {
  const auto start_dot = places_dot.col(0), end_dot = places_dot.col(1), through_dot = places_dot.col(2);
  const Vector3<S> c_dot = end_dot - start_dot, t_dot = through_dot - start_dot,
                   n_dot = cross(t_dot, c_) + cross(t_, c_dot);
  // Of 2 (n . n) rho = (c . c) t x n - (t . t) c x n.
  const S n2 = dot(n_, n_), n2_dot = 2.0 * dot(n_, n_dot);
  const Vector3<S> product_dot = 2.0 * dot(c_, c_dot) * cross(t_, n_) - 2.0 * dot(t_, t_dot) * cross(c_, n_) +
                                 dot(c_, c_) * (cross(t_dot, n_) + cross(t_, n_dot)) -
                                 dot(t_, t_) * (cross(c_dot, n_) + cross(c_, n_dot));
  Variation dot_of;
  dot_of.rho = product_dot / (2.0 * n2) - rho_ * (n2_dot / n2);
  dot_of.normal = (n_dot - normal_ * dot(normal_, n_dot)) * (dot(normal_, n_) / n2);
  dot_of.sigma = cross(dot_of.normal, rho_) + cross(normal_, dot_of.rho);
  dot_of.centre = start_dot - dot_of.rho;
  // e = cos(angle) rho + sin(angle) sigma
  const Vector3<S> e = c_ + rho_, e_dot = c_dot + dot_of.rho;
  const S sine = dot(sigma_, e), sine_dot = dot(dot_of.sigma, e) + dot(sigma_, e_dot), cosine = dot(rho_, e),
          cosine_dot = dot(dot_of.rho, e) + dot(rho_, e_dot);
  dot_of.angle = (cosine * sine_dot - sine * cosine_dot) / (sine * sine + cosine * cosine);
  dot_of.length = radius_ * dot_of.angle + angle_ * dot(rho_, dot_of.rho) / radius_;
  return dot_of;
}

template <class S>
auto Arc<S>::variation_at(double share, const Variation& dot_of) const -> Point {
  using std::cos, std::sin;
  const S theta = share * angle_, theta_dot = share * dot_of.angle;
  const Vector3<S> outwards = cos(theta) * rho_ + sin(theta) * sigma_,
                   onwards = cos(theta) * sigma_ - sin(theta) * rho_,
                   outwards_dot = cos(theta) * dot_of.rho + sin(theta) * dot_of.sigma + theta_dot * onwards,
                   onwards_dot = cos(theta) * dot_of.sigma - sin(theta) * dot_of.rho - theta_dot * outwards;
  const Vector3<S> tangent = onwards / radius_;
  return {dot_of.centre + outwards_dot, (onwards_dot - tangent * dot(tangent, onwards_dot)) / radius_};
}

template class Arc<InstantiatedScalar>;

}  // namespace kurbel
