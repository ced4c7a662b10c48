/// @file
/// Standard input data as text, SID_FEM: Wallrapp's classes as nested blocks, as FEMBS and SIMPACK keep them.
///
///     <n_nodes> <n_modes> :<comment>
///     part
///       new modal
///         refmod     mass, nelastq, ielastq (1) ...                         end refmod
///         frame      new node = <name>   rframe, origin, phi, psi, AP   end node ...   end frame
///         mdCM       order, nrow, ncol, nq, nqn, structure, m0( i, j), m1( i, k, j), mn( i, k, j)   end mdCM
///         J ... Ct ... Cr ... Me ... Gr ... Ge ... Oe ... ksigma ... Ke ... De ...
///       end modal
///     end part
///
/// A line is a word, or a key = value. Indices start at 1; k stands for q_k, and in mn for the product q_k
/// q_l as (k - 1) nq + l. Zero entries are left out. Real numbers have the exponent letter D. Lines before
/// `part`, empty lines and lines that start with !, # or % are comments.
///
/// Programs differ in four conventions. The first line of our files states those they follow, the ones of
/// FEMBS, which come first here:
///
///     m1(row,q,col) or m1(row,col,q)          read off the ranges of the indices where nothing is stated
///     columns of Gr and Ge: (direction - 1) nq + q, or 3 (q - 1) + direction
///     columns 5 and 6 of Oe: w2 w3, w1 w3, or w1 w3, w2 w3
///                                             chosen for each member by itself, so that the coefficients
///                                             agree with each other best (column_orders.hpp)
///     J: 6 x 1 (xx, yy, zz, xy, xz, yz), or 3 x 3
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sid/sid_identities.hpp"

namespace kurbel {

/// True if a text has the line that opens every SID_FEM file.
bool looks_like_sid_text(std::string_view text);

/// Reads a body. Entries that are left out are zero, or 1 on the diagonal of structure 4; of a matrix of
/// structure 2 either triangle may be left out. Where `structure` is left out it is 3, or 2 for a symmetric
/// member of which one triangle is there; `nq` may be left out where the order is 0, `nqn` always. The block
/// `sigma` of a node is passed over: our equations know no stresses. Numbers come back as sid_to_text wrote
/// them, bit for bit.
/// @param file       its name, for messages
/// @param precision  where to put how exactly the numbers are written; may be null
/// @throws InputError "file:line: ..." if a block or key is unknown, missing, given twice or not closed, a
///         number malformed or not finite, an index out of range, a coefficient of the wrong shape, at odds
///         with its structure, or of a higher order than our equations use
Sid read_sid_text(const std::string& text, const std::string& file, SidPrecision* precision = nullptr);

/// The text of a body. 17 digits, so that reading it gives the same numbers bit for bit.
/// @throws InputError if a name does not fit on a line
std::string sid_to_text(const Sid& sid);

/// Writes a file of its own, atomically.
/// @throws InputError as sid_to_text, or if the file cannot be written
void write_sid_text_file(const std::filesystem::path& path, const Sid& sid);

/// True if there is a file that this program wrote as SID text. No file is none.
bool is_own_sid_text(const std::filesystem::path& path);

/// The words in the first line of our files.
namespace sid_text {
inline constexpr std::string_view stamp = "written by kurbel";
inline constexpr std::string_view terms_row_q_col = "m1(row,q,col)", terms_row_col_q = "m1(row,col,q)";
inline constexpr std::string_view columns_by_direction = "Gr,Ge(direction,q)",
                                  columns_by_shape = "Gr,Ge(q,direction)";
inline constexpr std::string_view products_23_13 = "Oe(11,22,33,12,23,13)",
                                  products_13_23 = "Oe(11,22,33,12,13,23)";
}  // namespace sid_text

}  // namespace kurbel
