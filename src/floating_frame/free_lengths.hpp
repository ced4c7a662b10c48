/// @file
/// Lengths that follow from where the mechanism is at the start, as it is given and before joints correct it: free
/// lengths of springs with a preload, free_length_of() in spring_law.hpp, and rods as long as their ends are apart.
/// Flexible bodies are taken without deformation.                                              [P1, section 5, eqs 44-54]
#pragma once

#include "floating_frame/parameters.hpp"

namespace kurbel {

/// Position of a marker of a body, of the ground or of a beam at the start, m. Nothing if there is no such marker, or
/// if that is not known before meshes are reduced.
std::optional<Vector3d> given_position(const MarkerRef& marker, const SystemSpec& spec);

/// Sets the free length of every spring with a preload and the length of every rod that follows its ends.
/// @throws InputError if one of those ends has no given position, or a rod no length
void set_free_lengths(SystemSpec& spec);

/// d (those lengths) / d (parameters): a row per length at its index among the parameters, by the stiffness and by the
/// parameters of both places: markers, places of beams, and initial positions and rotations that are parameters.
/// @return  (layout.size() x layout.size()), zero in all other rows
SparseMatrix free_length_derivatives(const SystemSpec& spec, const ParameterLayout& layout);

}  // namespace kurbel
