/// @file
/// Heights of roads over x.
#pragma once

#include "mechanism/time_function.hpp"

namespace kurbel {

/// A road along x, as wide as it has to be: its height z_r(x), with x in place of time. Nothing: flat, z = 0. The
/// height of a table is table() of x and z.
struct RoadSpec {
  TimeFunctionPtr height;
};

/// z_r = height (1 + tanh((x - position) / width)) / 2
/// @throws InputError if the width is not positive
TimeFunctionPtr road_step(double height, double position, double width);

/// z_r = amplitude (1 - cos(2 pi (x - start) / wavelength)) for x > start, 0 before.
/// @throws InputError if the wavelength is not positive
TimeFunctionPtr road_sine(double amplitude, double wavelength, double start);

}  // namespace kurbel
