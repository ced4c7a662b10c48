/// @file
/// Functions of time made of others.
#pragma once

#include "mechanism/time_function.hpp"

namespace kurbel {

/// factor * function
TimeFunctionPtr scaled(TimeFunctionPtr function, double factor);

/// outer(inner(t)), as a table over the angle of a joint that a drive turns.
/// Precondition: outer has no jumps, and a value everywhere
TimeFunctionPtr composed(TimeFunctionPtr outer, TimeFunctionPtr inner);

}  // namespace kurbel
