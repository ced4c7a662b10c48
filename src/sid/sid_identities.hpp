/// @file
/// Relations between the members of standard input data, and what they say about a file.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"
#include "sid/sid.hpp"

namespace kurbel {

/// Precision of the numbers in a file: absolute + relative |number|. Zero for binary files.
struct SidPrecision {
  double absolute = 0.0, relative = 0.0;
};

/// A relation that the coefficients of every body satisfy, because they are integrals over the same shapes.
struct SidIdentity {
  std::string name;         ///< e.g. "mdCM.M1 = Ct^T"
  double violation = 0.0;   ///< largest difference, relative to the size of the integrals compared
  double tolerance = 1e-9;  ///< rounding; more where the file has few digits
  bool compares = true;     ///< neither side vanishes altogether, as where a file leaves it out
  bool holds() const { return violation < tolerance; }
};

/// Symmetry of J, Me, Ke, De; mdCM.M1 = Ct^T; Ge.M0 = 2 Cr.M1; J.M1 = sym Gr.M0; Oe.M0 = the quadratic form
/// of Gr.M0 / 2; origin.M1 = phi and AP.M1 = psi~ AP of the nodes. Inertias: no negative principal moment,
/// none above the sum of the others.
std::vector<SidIdentity> sid_identities(const Sid& sid, const SidPrecision& precision = {});

/// @name Those that know the order of the columns of a member
///@{
SidIdentity identity_of_Gr(const Sid& sid, const SidPrecision& precision);  ///< J.M1 = sym Gr.M0
SidIdentity identity_of_Ge(const Sid& sid, const SidPrecision& precision);  ///< Ge.M0 = Cr.M1 - its transpose
SidIdentity identity_of_Oe(const Sid& sid, const SidPrecision& precision);  ///< Oe.M0 = form of -Gr.M0/2
///@}

/// The mass matrix of the undeformed body, [m 1, -mc~, Ct^T; mc~, J, Cr^T; Ct, Cr, Me], divided by the roots
/// of its diagonal: without units, with a diagonal of ones.
struct MassDefiniteness {
  double smallest = 0.0;    ///< eigenvalue
  double tolerance = 1e-9;  ///< what rounding and the digits of the file can make of a zero
  bool indefinite() const { return smallest < -tolerance; }
};
MassDefiniteness mass_definiteness(const Sid& sid, const SidPrecision& precision = {});

/// Refuses data with which no simulation makes sense: an indefinite mass matrix, and columns of Gr, Ge or Oe
/// in an order that contradicts J, Cr or Gr by more than a hundredth (lumped masses and few digits violate an
/// identity by less, a wrong order by the size of the integrals themselves).
/// @throws InputError that names member, identity and deviations; not the file
void require_usable(const Sid& sid, const SidPrecision& precision, bool accept_indefinite);

}  // namespace kurbel
