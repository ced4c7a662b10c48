/// @file
/// Finds the orders in which the program that wrote a file kept the columns of Gr, Ge and Oe.
#pragma once

#include <string>

#include "sid/sid_identities.hpp"

namespace kurbel {

/// Brings the columns of Gr, Ge and Oe into our order, each member by itself: as the comments of the file
/// state, or in that order in which the member agrees better with the others. What is compared, until
/// something tells the orders apart:
///
///     Gr_k  = 2 int rho r~ Phi_k~^T             sym Gr_k = J1_k,  Gr_k - Gr_k^T = -2 (Cr_k)~
///     Gr1_l,k = 2 int rho Phi_l~ Phi_k~^T       sym Gr1_lk = 2 sym_kl Jn_kl
///     Ge_l row k = 2 int rho (Phi_l x Phi_k)^T  = Cr1_l row k - Cr1_k row l,  Gr1_lk - its transpose =
///     -(Ge_lk)~ Oe_k  = form of -Gr_k/2,  Oe1_l row k = form of -Gr1_lk/2 or of -Jn_kl
///
/// The default without any sign is Gr and Oe as FEMBS writes them, Ge as Gr.
void choose_column_orders(const std::string& comments, const SidPrecision& precision, Sid& sid);

}  // namespace kurbel
