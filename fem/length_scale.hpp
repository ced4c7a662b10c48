/// @file
/// Least sizes that the robust formulation gives to a design [Wang, Lazarov, Sigmund 2011; Qian, Sigmund 2013].
///
/// A straight bar of black design variables, t wide, becomes F(x) = W(t/2 + x) + W(t/2 - x) behind the filter, with the share W(a) of its weights
/// between 0 and a across the bar. The eroded design has it from F(0) = eta + d on; the one at eta is then 2 x wide with F(x) = eta. Gaps are the
/// same with 1 - eta.
#pragma once

#include "fem/design_map.hpp"

namespace kurbel::fem {

struct LengthScale {
  double member = 0.0;  ///< m
  double gap = 0.0;
};

/// Share of the cone max(0, 1 - r) that lies between the plane through its axis (in space: its centre) and a parallel one at a
/// distance a in [0, 1]: at most a half.
double share_of_cone(double a, int dim);
/// The distance a at which share_of_cone() has a value between 0 and a half.
double distance_of_share(double share, int dim);

/// @param filter  of densities
/// @param dim     of the mesh: in space the cone's weights across a bar are others than in the plane
/// @param eta     threshold of the projection
/// @param robust  d, > 0, with 0 < eta - d and eta + d < 1
LengthScale length_scale(const FilterSpec& filter, int dim, double eta, double robust);

}  // namespace kurbel::fem
