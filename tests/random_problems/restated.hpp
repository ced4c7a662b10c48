/// @file
/// The same problem, stated in another way: what it answers must not change, but for its units.
#pragma once

#include "input_value.hpp"
#include "random_numbers.hpp"

namespace kurbel::random_problems {

/// The whole mechanism turned by A and then shifted by r, m; gravity and loads turn with it.
Table placed(Table root, const Matrix3d& A, const Vector3d& r);

/// Names in another order: bodies, markers, joints, forces, regions, criteria, terms, designed bodies, keys.
Table reordered(Table root, Random& random);

/// How many of the new units make an old one.
struct Units {
  double length = 1.0, mass = 1.0;
  double factor(Dimension dimension) const;
};
/// With numbers in other units.
Table converted(Table root, const Units& units);

}  // namespace kurbel::random_problems
