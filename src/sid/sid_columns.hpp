/// @file
/// The orders in which programs keep the columns of Gr and Ge.
#pragma once

#include "sid/sid.hpp"

namespace kurbel {

/// Columns from (direction - 1) nq + q to 3 (q - 1) + direction, ours.
void order_by_shape(Taylor& t, Eigen::Index n_q);
/// Moves the columns back to (direction - 1) nq + q.
void order_by_direction(Taylor& t, Eigen::Index n_q);

}  // namespace kurbel
