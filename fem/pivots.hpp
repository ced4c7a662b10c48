/// @file
/// When a pivot of a factor is lost in rounding errors.
#pragma once

namespace kurbel::fem {

/// A pivot below this fraction of its diagonal entry is rounding noise: the body can move without strain.
inline constexpr double pivot_noise = 1e-14;

}  // namespace kurbel::fem
