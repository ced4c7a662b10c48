/// @file
/// A design of densities cut to solid and void, as it would be made, and the properties of the cut.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/flexible_bodies.hpp"
#include "fem/length_scale.hpp"
#include "fem/manufacturing.hpp"
#include "fem/pieces.hpp"

namespace kurbel {

/// Share of a solid that is thinner than a diameter (fem/opening.hpp).
struct ThinMembers {
  std::string than;       ///< "two elements", "filter.radius"
  double diameter = 0.0;  ///< m
  double share = 0.0;     ///< of the volume of the solid elements
};

/// Widths of the smallest members and gaps, as projection.robust makes them in theory, and as the solid has them (fem/opening.hpp).
struct LeastSizes {
  fem::LengthScale asked, found;
};

/// A body whose densities vary, cut.
struct CutBody {
  std::size_t body = 0;       ///< index in Problem::bodies
  double threshold = 0.0;     ///< of the density, from which on varied elements are solid
  fem::Pieces pieces{};       ///< of the solid elements
  double island_share = 0.0;  ///< of the volume of the solid elements, in pieces that nothing holds
  std::vector<ThinMembers> thin{};
  std::optional<LeastSizes> least_sizes{};  ///< with projection.robust
  fem::Unmakeable unmakeable{};             ///< by what [bodies.*.manufacturing] asks for
  /// Share of the solid in members wider than maximum_member, by more than half an element, where the bound counts.
  std::optional<double> too_wide{};
  double largest_element = 0.0;          ///< m^3: a cut meets the volume to within one element
  double mass_of_largest_element = 0.0;  ///< kg
};

struct CutDesign {
  Design design;
  std::vector<CutBody> bodies;  ///< in the order of the problem's bodies
};

/// The preferred side of a cut's volume: below or above that of the design.
enum class VolumeSide { below, above };

/// The threshold t at which the volume of the elements of density >= t, as solid, and of the others, as void, is
/// nearest to sum(volume density), on the given side of it unless one on the other side is nearer by more than a
/// hundredth of all.
/// Elements of the same density stay together.
/// @param volume, density  of the elements to be cut, m^3 and without unit
/// @param void_density     of elements that are not solid
/// @param side             of the volume
/// @return                 halfway between the last density that is solid and the first that is void; of two that
///                         are as near the larger one
double threshold_of_same_volume(const VectorXd& volume, const VectorXd& density, double void_density,
                                VolumeSide side);

/// Cuts every body whose densities vary at its own volume, or at its own mass if a bound on mass is stated. If
/// volume or mass is bounded, the cut has at most as much, else at least as much, so that it meets other bounds like the design.
/// Solid elements have density 1, void ones simp.p_min,
/// the least density of the optimizer, so that the stiffness is regular. Elements of regions
/// and everything else of the design do not change.
/// @param models  of a problem with design.bodies
CutDesign cut_to_solid_and_void(const FlexibleBodies& models, const Design& grey);

}  // namespace kurbel
