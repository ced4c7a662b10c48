/// @file
/// Standard input data in HDF5: Wallrapp's classes [P0, Tables 2-5] as nested groups.
///
///     bodies/<name>                   class modal
///       refmod                        mass (kg; of class taylor in augmented_sid.hpp), ielastq (a name per
///       elastic coordinate); attribute nelastq frame/<n>                     class node: attributes name,
///       rframe; origin, phi, psi, AP mdCM J Ct Cr Me Gr Ge Oe ksigma Ke De
///     each of class taylor
///       attributes  order (0, 1, or 2 for n), nrow, ncol, nq, nqn (nq^2 or 0),
///                   structure (0 zero, 1 diagonal, 2 symmetric, 3 full, 4 unit),
///                   unit (of M0; that of M1 per [q], of Mn per [q]^2)
///       datasets    M0 (nrow x ncol), M1 (nrow x ncol x nq), Mn (nrow x ncol x nqn, index k nq + l from 0)
///
/// Oe has the attribute `columns`, the products of angular velocities in the order of its columns.
/// A file may hold several bodies. Values come back as they were written, bit for bit.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file_header.hpp"
#include "base/hdf5_file.hpp"
#include "sid/named_sid.hpp"

namespace kurbel {

/// Writes a body into `bodies/<name>`, in place of one that is there.
/// @throws InputError if the name is empty, "." or has a '/'
void write_sid(Hdf5File& file, const std::string& name, const Sid& sid);

/// Reads `bodies/<name>`. Takes Oe with either order of its last two columns. First- and second-order
/// coefficients that our equations use and the file leaves out are zero; M0 may be left out where the
/// structure (zero, unit) says it.
/// @throws InputError naming the dataset if something is missing, of the wrong shape, not finite, at odds
///         with its structure, or of a higher order than our equations use
Sid read_sid(const Hdf5File& file, const std::string& name);

/// Names of the bodies in a SID or run file, in the order written; none is no error.
std::vector<std::string> sid_names(const Hdf5File& file);

/// A file of its own, written atomically; header.content is set.
void write_sid_file(const std::filesystem::path& path, const std::vector<NamedSid>& bodies,
                    FileHeader header = {});

}  // namespace kurbel
