/// @file
/// The function of time in a constraint: s(t) of a drive, or for a driven rotation its cosine or sine.
#pragma once

#include <array>
#include <cmath>

#include "floating_frame/drive.hpp"

namespace kurbel {

struct RowMotion {
  enum class Part { itself, cosine, sine };
  DriveSpec drive;
  ParameterBlock values{};  ///< of its table; no size if they are no parameters
  Part part = Part::itself;
  Eigen::Index end_parameter = -1;  ///< the end of the motion among the parameters; -1: it is none
  MotionTime time{};

  /// u = g(s), u_dot = g' s_dot, u_ddot = g'' s_dot^2 + g' s_ddot
  template <class S>
  TimeValueOf<S> at(double t, const S* p) const {
    const TimeValueOf<S> s = drive_at(t, p);
    const auto [g, g1, g2, g3] = derivatives(s.value);
    return {g, g1 * s.rate, g2 * s.rate * s.rate + g1 * s.acceleration};
  }

  /// p_bar += (du/dp)^T u_bar
  template <class S>
  void pull_back(double t, const S* p, const TimeValueOf<S>& u_bar, S* p_bar) const {
    const Drive<S> own = made<S>();
    if (!own.has_parameters()) return;
    const TimeValueOf<S> s = drive_at(t, p);
    const auto [g, g1, g2, g3] = derivatives(s.value);
    const S by_acceleration = g3 * s.rate * s.rate + g2 * s.acceleration;
    MatrixXd weights(3, values.size());
    own.pullback(t, p,
                 {g1 * u_bar.value + g2 * s.rate * u_bar.rate + by_acceleration * u_bar.acceleration,
                  g1 * u_bar.rate + 2.0 * g2 * s.rate * u_bar.acceleration, g1 * u_bar.acceleration},
                 weights, p_bar);
  }

 private:
  template <class S>
  Drive<S> made() const {
    return {drive, values, end_parameter, time};
  }
  template <class S>
  TimeValueOf<S> drive_at(double t, const S* p) const {
    MatrixXd weights(3, values.size());
    return made<S>().at(t, p, weights);
  }
  /// g and its first three derivatives.
  template <class S>
  std::array<S, 4> derivatives(const S& s) const {
    using std::cos, std::sin;
    switch (part) {
      case Part::cosine:
        return {cos(s), -sin(s), -cos(s), sin(s)};
      case Part::sine:
        return {sin(s), cos(s), -sin(s), -cos(s)};
      case Part::itself:
        break;
    }
    return {s, S(1), S(0), S(0)};
  }
};

}  // namespace kurbel
