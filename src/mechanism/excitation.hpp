/// @file
/// Harmonic loads and drives of a frequency response,
///
///     A sin(2 pi f t + phi) = Im(A exp(i phi) exp(2 pi i f t)),
///
/// as functions of time that linearize a mechanism about its rest at t = 0. Equations of motion know time and no
/// frequencies; so one stretch of times holds the part in phase, and one far from it the part in quadrature:
///
///     time_in_phase(d) -> d A cos(phi),    time_in_quadrature(d) -> d A sin(phi)
///
/// for every d of a size from 1e-30 to 1e30, positive or negative. At t = 0 there is neither value nor rate.
#pragma once

#include "mechanism/time_function.hpp"

namespace kurbel {

TimeFunctionPtr excitation(double amplitude, double phase);

double time_in_phase(double d);
/// A product with a power of two, so that nothing is rounded.
double time_in_quadrature(double d);

}  // namespace kurbel
