/// @file
/// Cross-sections of beams: their constants as functions of two dimensions.
///
/// Templated on the number: double, Complex, or a SectionJet of these, which brings the derivatives.
#pragma once

#include <utility>

#include "base/jet.hpp"
#include "base/types.hpp"

namespace kurbel {

/// Shapes and their dimensions (m), along the section's axes y and z from its centre.
///
/// square     side; the second dimension is not used
/// rectangle  width along y, height along z
/// circle     diameter; the second dimension is not used
/// tube       outer and inner diameter, the inner one smaller
enum class SectionShape { square, rectangle, circle, tube };

/// A number with its derivatives by Young's modulus, Poisson's ratio and the two dimensions.
template <class S>
using SectionJet = Jet<S, 4>;

/// Constants of a section for stretching and bending; dimensions are positive, which is not checked here.
template <class T>
struct SectionOutline {
  T A;         ///< area, m^2
  T I_y, I_z;  ///< int z^2 dA, int y^2 dA, m^4
  T c_y, c_z;  ///< half of the extent along y and z, m

  SectionOutline(SectionShape shape, const T& dim0, const T& dim1);
};

/// All constants of a section.
template <class T>
struct SectionProperties : SectionOutline<T> {
  T J_t;  ///< torsion constant after Saint-Venant, m^4
  T k;    ///< shear correction factor, the same along y and z

  /// Polar for circle and tube. For a rectangle with sides a >= b (both orders give the same function),
  ///
  ///     J_t = a b^3 / 3 - 64 b^4 / pi^5 sum over n = 1, 3, 5, ... of tanh(n pi a / (2 b)) / n^5
  ///
  /// to rounding. k: 5/6 for rectangles; with Poisson's ratio nu and m = inner / outer diameter, 0 for circles,
  ///
  ///     k = 6 (1 + nu) (1 + m^2)^2 / ((7 + 6 nu) (1 + m^2)^2 + (20 + 12 nu) m^2)           [Cowper 1966]
  SectionProperties(SectionShape shape, const T& dim0, const T& dim1, const T& nu);
};

/// Shear stresses (tau_xy, tau_xz) at the point (y, z) = (c_y eta, c_z zeta) of a section.
template <class T>
using ShearStress = std::pair<T, T>;

/// The shear stresses of torsion, over the shear modulus times the twist per length: m.
///
///     circle, tube   (-z, y)
///     rectangle      Saint-Venant's series; on the short sides, where it converges slowest, to 1e-4 of its
///                    largest value
template <class T>
ShearStress<T> torsional_shear(SectionShape shape, const T& dim0, const T& dim1, double eta, double zeta);

/// Shear stress along the shear force over force / A: s (1 - t^2) with t the relative distance from the axis,
/// eta or zeta. s = 3/2 for rectangles, 4/3 (1 + m + m^2) / (1 + m^2) for circles and tubes: exact on the
/// axis in Jourawski's theory, and in thin tubes everywhere.
template <class T>
T peak_of_shear(SectionShape shape, const T& dim0, const T& dim1);

}  // namespace kurbel
