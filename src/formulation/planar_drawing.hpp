/// @file
/// Planar beams as they are drawn.
#pragma once

#include "natural_coordinates/natural_system.hpp"
#include "results/unstructured_grid.hpp"

namespace kurbel {

/// Quadrilaterals with the equivalent stress, and the lines of the axis.
NamedBlock draw_planar_beam(const NaturalSystem<double>& system, std::size_t beam,
                            const DaeInstant<double>& at);

}  // namespace kurbel
