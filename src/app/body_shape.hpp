/// @file
/// A designed body as the field from which its shape is made.
#pragma once

#include "evaluation/cut_design.hpp"
#include "shape/shape.hpp"

namespace kurbel {

/// The densities of a body as a field, its regions as solid and empty cells. Points of clamps, markers and solid
/// regions are held.
/// @param grey, cut  the design, and the same cut to solid and void
DensityField density_field(const fem::FlexibleBody& body, const fem::BodyDesign& grey,
                           const fem::BodyDesign& cut);

/// The volume of the cut and the thickness of the body.
/// @throws InputError if elements of a flat body differ in thickness
ShapeOptions shape_options(const fem::FlexibleBody& body, const fem::BodyDesign& cut);

}  // namespace kurbel
