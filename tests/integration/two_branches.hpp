/// @file
/// Mechanisms of points whose two branches come close to each other, or cross, in closed form.
#pragma once

#include <cmath>

#include "node_mechanism.hpp"

namespace kurbel::test {

/// A point B at distance `crank` from the origin and at distance `rod` from a slide A on the x axis, x_A = travel sin(t):
///
///     x_B = (crank^2 - rod^2 + x_A^2) / (2 x_A),   y_B = +- sqrt(crank^2 - x_B^2)
///
/// Both branches meet at x_A = crank + rod.
struct CrankAndSlide {
  double crank = 0.3, rod = 0.5, travel = 0.799;
  double mass_of_slide = 1.0, mass_of_point = 4.0;

  /// Node 0 is A, and node 1 is B.
  NodeSpec spec() const {
    NodeSpec spec;
    spec.n_nodes = 2;
    spec.masses = {{0, 0, mass_of_slide}, {1, 1, mass_of_point}};
    const VectorXd A = VectorXd::Unit(2, 0), B = VectorXd::Unit(2, 1);
    spec.products = {{B, B, 0.0, true, crank}, {B - A, B - A, 0.0, true, rod}};
    spec.drives = {{A, 0, 0.0, travel, 1.0}, {A, 1}, {A, 2}, {B, 2}};
    spec.falls = {false, false};
    spec.x = position(1.0, 1.0), spec.v = VectorXd::Zero(6);
    return spec;
  }
  /// @param branch  the sign of y_B
  VectorXd position(double t, double branch) const {
    const double slide = travel * std::sin(t),
                 x = (crank * crank - rod * rod + slide * slide) / (2.0 * slide);
    return (VectorXd(6) << slide, 0.0, 0.0, x, branch * std::sqrt(crank * crank - x * x), 0.0).finished();
  }
};

/// A parallelogram of points A = crank (cos t, sin t) and B = A + (ground, 0), the latter at distance `crank` from (ground, 0).
/// All align at t = 0. There it crosses the antiparallelogram, whose B is the mirror image about the line from A to (ground, 0).
struct Parallelogram {
  double crank = 0.1, ground = 0.3;

  /// Node 0 is A, and node 1 is B.
  NodeSpec spec() const {
    NodeSpec spec;
    spec.n_nodes = 3;
    const VectorXd A = VectorXd::Unit(3, 0), B = VectorXd::Unit(3, 1), pivot = VectorXd::Unit(3, 2);
    spec.masses = {{0, 0, 0.3}, {1, 1, 0.6}, {2, 2, 1.0}};
    spec.products = {{A, A, 0.0, true, crank},
                     {B - A, B - A, 0.0, true, ground},
                     {B - pivot, B - pivot, 0.0, true, crank}};
    spec.drives = {{A, 1, 0.0, crank, 1.0}, {A, 2}, {B, 2}, {pivot, 0, ground}, {pivot, 1}, {pivot, 2}};
    spec.falls = {false, false, false};
    spec.x = position(-0.5, true), spec.v = VectorXd::Zero(9);
    return spec;
  }
  VectorXd position(double t, bool is_parallel) const {
    const Vector3d A(crank * std::cos(t), crank * std::sin(t), 0.0), pivot(ground, 0.0, 0.0);
    const Vector3d along = (pivot - A).normalized();
    const Vector3d B = A + (is_parallel ? pivot : Vector3d(2.0 * pivot.dot(along) * along - pivot));
    return (VectorXd(9) << A, B, pivot).finished();
  }
};

}  // namespace kurbel::test
