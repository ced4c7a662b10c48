/// @file
/// Lengths and angles as functions of the rows of a pair of markers (relative_rows.hpp).
#pragma once

#include <cmath>
#include <numbers>

#include "base/angle_of.hpp"
#include "base/types.hpp"
#include "mechanism/line_length.hpp"

namespace kurbel {

/// A scalar coordinate s(u) of up to two rows with its derivatives.
template <class S>
struct ScalarCoordinate {
  S s;
  S d1[2] = {S(0), S(0)};
  S d2[2][2] = {{S(0), S(0)}, {S(0), S(0)}};
};

/// Length from u = l^2 / 2, at least shortest_line.
template <class S>
ScalarCoordinate<S> length_coordinate(const S& u) {
  ScalarCoordinate<S> c{line_length(S(2.0 * u))};
  c.d1[0] = 1.0 / c.s;
  c.d2[0][0] = -1.0 / (c.s * c.s * c.s);
  return c;
}

/// Angle from u = (cosine, sine), in (-pi, pi] about `around`.
template <class S>
ScalarCoordinate<S> angle_coordinate(const S& cosine, const S& sine, double around) {
  const S r2 = cosine * cosine + sine * sine;
  ScalarCoordinate<S> c{angle_of(sine, cosine)};
  const double turns = std::round((around - real_part(c.s)) / (2.0 * std::numbers::pi));
  c.s += 2.0 * std::numbers::pi * turns;
  c.d1[0] = -sine / r2;
  c.d1[1] = cosine / r2;
  c.d2[0][0] = 2.0 * cosine * sine / (r2 * r2);
  c.d2[1][1] = -c.d2[0][0];
  c.d2[0][1] = c.d2[1][0] = (sine * sine - cosine * cosine) / (r2 * r2);
  return c;
}

}  // namespace kurbel
