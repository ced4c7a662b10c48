/// @file
/// The shape of a design as one would make it.
#pragma once

#include <optional>
#include <string>

#include "results/surface.hpp"
#include "shape/boundary.hpp"

namespace kurbel {

struct ShapeOptions {
  double volume = 0.0;     ///< that it is to enclose, m^3
  double thickness = 0.0;  ///< of a flat body, m
  int passes = 20;         ///< of smoothing
};

struct Shape {
  Surface surface;
  Boundary outline;     ///< of a flat body: the lines that were extruded; else empty
  double level = 0.5;   ///< of the density, on the surface
  double volume = 0.0;  ///< enclosed, m^3
  double lost =
      0.0;           ///< m^3 of cells of density 0.5 and more whose middle is outside: members of one element
  int n_crumbs = 0;  ///< omitted small pieces that nothing holds
  std::optional<Crossing> crossing{};  ///< faces pass through others
  bool has_densities = true;           ///< false of a part that is all solid, whose surface moves
};

/// The advice against narrow members and gaps of a shape: a sentence without its full stop.
const char* remedy_of(const Shape& shape);

/// Says that a shape passes through itself, where, and what to do about it.
std::string crossing_message(const Shape& shape);

/// The smoothed surface of a level of the density. The level is chosen so that the volume within is as requested, to
/// 1e-4 of it. Flat bodies are extruded by their thickness, half of it to each side.
/// @throws ShapeFailure if no level between 0.01 and 0.99 has the volume to one per cent, or if it is lost with members that
///                      are too narrow to be smoothed
Shape make_shape(const DensityField& field, const ShapeOptions& options);

/// The smoothed surface of density 0.5 of a solid, for a picture: make_shape() without the search for the volume, and without
/// the search for faces that pass through each other where members or gaps are narrower than an element.
Surface drawn_surface(const DensityField& field);

}  // namespace kurbel
