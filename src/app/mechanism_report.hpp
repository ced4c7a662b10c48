/// @file
/// The parts of a mechanism, for `kurbel check`.
#pragma once

#include "app/report.hpp"
#include "problem/problem.hpp"

namespace kurbel {

/// Reports bodies, beams, joints, springs, loads, tyres, points and masses, each in a line.
void report_mechanism(const Problem& problem, Report& report);

}  // namespace kurbel
