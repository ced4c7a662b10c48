/// @file
/// Functions by tables of their values.
#pragma once

#include <vector>

#include "mechanism/spline.hpp"
#include "mechanism/time_function.hpp"

namespace kurbel {

/// The function through (t_i, value_i). Its range ends with the table where that is neither held nor repeated.
/// @throws InputError if the times do not increase, are fewer than two (not_a_knot: four), the lengths differ, or a
/// table that repeats ends with another value than it begins with
TimeFunctionPtr table(const std::vector<double>& t, const std::vector<double>& value,
                      TableInterpolation interpolation = TableInterpolation::natural,
                      Beyond beyond = Beyond::refused);

}  // namespace kurbel
