/// @file
/// Laws among which the parts of a mechanism choose.
#pragma once

namespace kurbel {

/// Measure of a spring in d, the vector from one end to the other.       [P2, eqs 50-53]
///
///     linear          V = c d.d / 2                           force  -c d - b d_dot
///     hooke           V = c (|d| - l_0)^2 / 2                 force  -(c (|d| - l_0) + b |d|_dot) d / |d|
///     green_lagrange  V = c l_0^2 eps^2 / 2,                  force  -(c eps + b eps_dot) d
///                     eps = (d.d - l_0^2) / (2 l_0^2)
enum class SpringLaw { linear, hooke, green_lagrange };

/// The strains of a planar beam whose lateral part acts on the axial stress. The law is that of plane stress,
///
///     S = D eps,   D = E / (1 - nu^2) [1 nu 0; nu 1 0; 0 0 (1 - nu) / 2],   G = E / (2 (1 + nu))
///
/// full  D over the whole section. The height can change but not taper over the section (r_y does not depend on y), so
///       that the lateral strains of bending are suppressed and its stiffness comes out as E I / (1 - nu^2): too large
///       by 10 % for nu = 0.3, however fine the mesh.
/// axis  D = D0 + Dv; D0 = diag(E, E, G) acts over the section, Dv = D - D0 with the strains of the axis (zeta = 0).
///       Tension still contracts the section, and bending has the stiffness E I.
enum class PoissonCoupling { full, axis };

}  // namespace kurbel
