/// @file
/// Choice of the normal modes that a basis keeps: a number of the lowest, all up to a frequency, or a list.
#pragma once

#include <vector>

#include "fem/modes.hpp"

namespace kurbel::fem {

/// The number of normal modes whose frequency does not exceed `limit`.
/// @param limit  Hz
/// @param most   the largest number that the mesh has
/// Fails when there are more than 200, for which a reduced basis is not meant.
Status count_modes_up_to(double limit, const HeldPencil& body, Eigen::Index most, int& n);

/// Fails when the first omitted mode has the frequency of the last kept one, within the errors.
/// @param errors  of modes.lambda
Status check_truncation(const NormalModes& modes, const VectorXd& errors);

/// Keeps the modes of a list; the others go to modes.left_out. A psi of the span of the modes kept is then
/// differentiable as long as they are separated from the omitted ones, above and below.
/// Fails when an omitted one has the frequency of a kept one, relative 1e-8 in the eigenvalue or within the
/// errors.
/// @param list    numbers from 1, ascending, the last one the number of modes found
/// @param errors  of modes.lambda; none if empty
Status keep_modes(const std::vector<int>& list, NormalModes& modes, const VectorXd& errors = {});

}  // namespace kurbel::fem
