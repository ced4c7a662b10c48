/// @file
/// [points.*]: what stands at them, and what moves with them.
#pragma once

#include "problem/design_variable.hpp"
#include "problem/toml_reader.hpp"

namespace kurbel {

/// The point at which something stands; nullptr if its place is given by numbers.
const NamedPoint* point_of(const PointUse& use, const SystemSpec& system);

/// True if a marker of a body or of the ground, or a node of a beam, moves with a point.
bool moves_with_point(const MarkerRef& marker, const SystemSpec& system);

/// The numbers that follow a coordinate of a point: of places of beams P itself, of markers x = R0^T (P - r0) in the frame
/// of their body at the start.
/// @param variable  what is refused by its `quantity`
/// @throws InputError if nothing is at the point, or a body is turned such that its markers move along more than one
/// of its axes
std::vector<TiedQuantity> numbers_at(const TomlTable& variable, const NamedPoint& point, int component,
                                     const SystemSpec& system);

}  // namespace kurbel
